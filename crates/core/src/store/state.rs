//! What the store needs to know about the state that it keeps for the session room.

use serde_json::Value;

use super::line::Line;
use crate::Result;

/// The state of a session in memory: the sum of its journal's lines. [`SessionState::apply`] must not depend on
/// anything but the state and the line, so that every process arrives at the same.
pub trait SessionState: Default + Send + 'static {
    /// Takes one event in. Unknown kinds are ignored: a newer version may have written them.
    fn apply(&mut self, line: &Line);

    /// The state as it was when [`SessionState::snapshot`] made what `snapshot` is in JSON. `Corrupt` where it cannot be
    /// read.
    fn restore(snapshot: &str) -> Result<Self>;

    /// Everything that is needed to restore the state.
    fn snapshot(&self) -> Value;

    /// Generation of the session: stamped on lines that do not name their own.
    fn generation(&self) -> u32 {
        0
    }

    /// Files for people and other programs, written beside the machine's snapshot (DESIGN section 5).
    fn readable(&self) -> Vec<Readable> {
        Vec::new()
    }
}

/// One readable snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Readable {
    /// One of [`READABLE_FILES`].
    pub file: &'static str,
    /// What stands in it.
    pub content: Content,
}

/// Content of a readable snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Written as `{as_of_seq, items}`.
    Items(Value),
    /// Written as it is (seed 000's `last_tool_call.json`).
    Bare(Value),
}

/// The readable snapshots: each that exists is looked at when a session is opened.
pub const READABLE_FILES: [&str; 6] = [
    "decisions.json",
    "thread.json",
    "resources.json",
    "open_items.json",
    "learnings.json",
    "last_tool_call.json",
];
