//! All sessions below a state directory.

use serde::Serialize;
use std::path::Path;

use super::dir::Dir;
use super::platform::Kind;
use super::{bodies, cold, quarantine};
use super::{checkpoints, session_file};
use crate::{Error, Result};

/// One session, as far as can be said without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The host's key.
    pub session_key: String,
    /// Its directory's name.
    pub name: String,
    /// ISO 8601 time of the last change to a file in it.
    pub updated_at: String,
    /// How many checkpoints it has.
    pub checkpoints: usize,
    /// Size of its files, in bytes.
    pub bytes: u64,
}

/// Lists them by key. Files and directories that are not sessions, or cannot be read, are passed over.
pub(super) fn list(state_dir: &Path) -> Result<Vec<SessionSummary>> {
    let Some(host) = Dir::open_host(state_dir)? else { return Ok(Vec::new()) };
    let Some(context) = host.child("context")? else { return Ok(Vec::new()) };
    let Some(sessions) = context.child("sessions")? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in sessions.list()? {
        match look_at(&sessions, &name) {
            Ok(Some(summary)) => found.push(summary),
            Ok(None) | Err(Error::Refused { .. }) => {}
            Err(error) => tracing::warn!(%name, %error, "a session could not be listed"),
        }
    }
    found.sort_by(|a, b| (&a.session_key, &a.name).cmp(&(&b.session_key, &b.name)));
    Ok(found)
}

/// Bytes of a session's files, and when the newest of them was changed, in seconds since 1970.
pub(super) fn files_of(dir: &Dir) -> Result<(u64, i64)> {
    let (mut bytes, mut modified) = (0, 0);
    let folders = ["checkpoints", bodies::FOLDER, cold::FOLDER, quarantine::NAME].map(|name| dir.child(name));
    for folder in folders {
        let Some(folder) = folder? else { continue };
        let (inside, changed) = files_in(&folder)?;
        (bytes, modified) = (bytes + inside, modified.max(changed));
    }
    let (own, changed) = files_in(dir)?;
    Ok((bytes + own, modified.max(changed)))
}

fn files_in(folder: &Dir) -> Result<(u64, i64)> {
    let (mut bytes, mut modified) = (0, 0);
    for file in folder.list()? {
        // Another process may remove it meanwhile.
        if let Some(meta) = folder.stat(&file)?.filter(|meta| meta.kind == Kind::File) {
            bytes += meta.len;
            modified = modified.max(meta.modified);
        }
    }
    Ok((bytes, modified))
}

fn look_at(sessions: &Dir, name: &str) -> Result<Option<SessionSummary>> {
    let Some(dir) = sessions.child(name)? else { return Ok(None) };
    let Some(info) = session_file::read(&dir)? else { return Ok(None) };
    if super::names::dir_name(&info.session_key)? != name {
        return Ok(None); // a copy made by hand
    }
    let (bytes, modified) = files_of(&dir)?;
    let updated_at = jiff::Timestamp::from_second(modified)
        .map_or_else(|_| info.created_at.clone(), |at| at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string());
    Ok(Some(SessionSummary {
        session_key: info.session_key,
        name: name.to_owned(),
        updated_at,
        checkpoints: checkpoints::count(&dir)?,
        bytes,
    }))
}
