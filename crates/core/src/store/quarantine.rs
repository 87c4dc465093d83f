//! Damaged data is moved aside, never overwritten and never thrown away (FAULTS H1).

use super::dir::Dir;
use super::platform::Kind;
use crate::{Error, Result};

pub(super) const NAME: &str = "quarantine";
/// How many names are tried before giving up: far more than a person leaves lying about.
const TRIES: u32 = 10_000;

/// Moves a damaged file of `from` into the session's quarantine. Returns its new name.
pub(super) fn move_file(session: &Dir, from: &Dir, name: &str) -> Result<String> {
    let shelf = session.make_child(NAME)?;
    let kept = free_name(&shelf, name)?;
    from.move_into(name, &shelf, &kept)?;
    tracing::warn!(file = %from.path().join(name).display(), kept = %kept, "damaged file moved to quarantine");
    Ok(kept)
}

/// Keeps bytes that are about to leave a file, under `name` and a number.
pub(super) fn keep_bytes(session: &Dir, name: &str, bytes: &[u8]) -> Result<()> {
    let shelf = session.make_child(NAME)?;
    loop {
        let kept = free_name(&shelf, name)?;
        let temp = shelf.write_temp(bytes, true)?;
        if shelf.rename_no_replace(&temp, &kept)? {
            break;
        }
        shelf.unlink(&temp)?;
    }
    shelf.sync()
}

/// How many files lie there.
pub(super) fn count(session: &Dir) -> Result<usize> {
    Ok(session.child(NAME)?.map(|shelf| shelf.list()).transpose()?.map_or(0, |names| names.len()))
}

fn free_name(shelf: &Dir, name: &str) -> Result<String> {
    for number in 1..TRIES {
        let candidate = format!("{name}.{number}");
        match shelf.stat(&candidate)? {
            None => return Ok(candidate),
            Some(found) if found.kind == Kind::Other => return Err(shelf.refused(&candidate)),
            Some(_) => {}
        }
    }
    Err(Error::Unsupported(format!("{} is full; look through it", shelf.path().display())))
}
