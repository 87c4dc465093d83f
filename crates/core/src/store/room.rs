//! Room on a full disk (STORE.md, table of errors): temporary files, rotated logs, the search index, checkpoints down
//! to one, in this order. Never the journal, message bodies or drops.

use super::dir::Dir;
use super::platform::Kind;
use super::{bodies, checkpoints, cold};
use crate::Result;

/// Frees what can be freed around a session. Under its lock. Returns whether it is worth trying again.
pub(super) fn make(session: &Dir) -> bool {
    let freed = [sweep(session), logs(session), index(session), checkpoints::shrink(session)];
    let freed = freed.into_iter().any(|step| step.unwrap_or(false));
    tracing::warn!(session = %session.path().display(), freed, "the disk is full");
    freed
}

/// Removes temporary files that a dead process left.
pub(super) fn sweep(session: &Dir) -> Result<bool> {
    session.sweep_temps()?;
    checkpoints::sweep(session)?;
    for folder in [bodies::FOLDER, cold::FOLDER] {
        if let Some(folder) = session.child(folder)? {
            folder.sweep_temps()?;
        }
    }
    Ok(true)
}

/// `<stateDir>/context`, two levels above a session.
fn context(session: &Dir) -> Result<Option<Dir>> {
    session.path().parent().and_then(|sessions| sessions.parent()).map_or(Ok(None), Dir::open_host)
}

/// Rotated logs: `<name>.jsonl.<n>`.
fn logs(session: &Dir) -> Result<bool> {
    let Some(logs) = context(session)?.map(|context| context.child("logs")).transpose()?.flatten() else {
        return Ok(false);
    };
    let mut freed = false;
    for name in logs.list()? {
        let rotated =
            name.rsplit_once(".jsonl.").is_some_and(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
        if rotated {
            logs.unlink(&name)?;
            freed = true;
        }
    }
    Ok(freed)
}

/// The index is derived and can be built again.
fn index(session: &Dir) -> Result<bool> {
    let Some(index) = context(session)?.map(|context| context.child("index")).transpose()?.flatten() else {
        return Ok(false);
    };
    let mut freed = false;
    for name in index.list()? {
        if index.stat(&name)?.is_some_and(|found| found.kind == Kind::File) {
            index.unlink(&name)?;
            freed = true;
        }
    }
    Ok(freed)
}
