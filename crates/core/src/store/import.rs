//! The older layout of the TypeScript version (seeds 000 and 002): read once, changed never.

use std::path::Path;

use serde_json::Value;

use super::dir::Dir;
use super::names;
use crate::Result;

/// What the older layout holds of one session. Files that are missing or damaged are `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OlderLayout {
    /// `decisions.json`.
    pub decisions: Option<Value>,
    /// `thread.json`.
    pub thread: Option<Value>,
    /// `resources.json`.
    pub resources: Option<Value>,
    /// `open_items.json`.
    pub open_items: Option<Value>,
    /// `learnings.json`.
    pub learnings: Option<Value>,
    /// `last_tool_call.json`.
    pub last_tool_call: Option<Value>,
    /// The newest checkpoint's bytes, by which the session was recognised.
    pub newest_checkpoint: Vec<u8>,
    /// Files that could not be parsed, by name.
    pub damaged: Vec<String>,
}

/// Looks for the older layout's files of a session. The directory name was not injective: only the key in the newest
/// checkpoint tells whose they are, and without one they are nobody's.
pub(super) fn find(
    state_dir: &Path,
    key: &str,
    key_of: &dyn Fn(&[u8]) -> Option<String>,
) -> Result<Option<OlderLayout>> {
    let name = names::sanitize_session_key_for_path(key);
    // `..` passes the old rule; nothing outside is looked at.
    if name.is_empty() || name.bytes().all(|byte| byte == b'.') || name.len() > 255 {
        return Ok(None);
    }
    let Some(context) = Dir::open_host(&state_dir.join("context"))? else { return Ok(None) };
    let Some(checkpoints) = child(&context, "checkpoints", &name)? else { return Ok(None) };
    let mut numbered: Vec<(u64, String)> = checkpoints
        .list()?
        .into_iter()
        .filter_map(|file| Some((names::checkpoint_file_number(&file)?, file)))
        .collect();
    numbered.sort_unstable();
    let Some((_, newest)) = numbered.pop() else { return Ok(None) };
    let Some(newest_checkpoint) = checkpoints.read(&newest)? else { return Ok(None) };
    if key_of(&newest_checkpoint).as_deref() != Some(key) {
        return Ok(None);
    }
    let mut found = OlderLayout { newest_checkpoint, ..OlderLayout::default() };
    if let Some(state) = child(&context, "state", &name)? {
        for (file, slot) in [
            ("decisions.json", &mut found.decisions),
            ("thread.json", &mut found.thread),
            ("resources.json", &mut found.resources),
            ("open_items.json", &mut found.open_items),
            ("learnings.json", &mut found.learnings),
            ("last_tool_call.json", &mut found.last_tool_call),
        ] {
            let Some(bytes) = state.read(file)? else { continue };
            match serde_json::from_slice(&bytes) {
                Ok(value) => *slot = Some(value),
                Err(_) => found.damaged.push(file.to_owned()),
            }
        }
    }
    Ok(Some(found))
}

fn child(context: &Dir, kind: &str, name: &str) -> Result<Option<Dir>> {
    context.child(kind)?.map_or(Ok(None), |dir| dir.child(name))
}
