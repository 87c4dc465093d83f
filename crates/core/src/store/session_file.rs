//! `session.json`: whose directory this is.

use serde::{Deserialize, Serialize};

use super::dir::Dir;
use super::journal::Holding;
use super::{names, quarantine};
use crate::{Error, Result};

const NAME: &str = "session.json";
const FORMAT: u32 = 1;

/// Identity of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// The host's key, as it was given.
    pub session_key: String,
    /// Random; keys the fingerprints of messages, so that they say nothing outside the session.
    pub hash_key: [u8; 16],
    /// ISO 8601 time at which the directory was made.
    pub created_at: String,
    /// Key of the session that started this one as its subagent.
    pub parent: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OnDisk {
    format: u32,
    session_key: String,
    hash_key: String,
    created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
}

/// What the file says; `None`: it does not exist. `Corrupt` where it does not parse.
pub(super) fn read(dir: &Dir) -> Result<Option<SessionInfo>> {
    let Some(bytes) = dir.read(NAME)? else { return Ok(None) };
    let corrupt = |why: String| Error::Corrupt(format!("{}: {why}", dir.path().join(NAME).display()));
    let found: OnDisk = serde_json::from_slice(&bytes).map_err(|error| corrupt(error.to_string()))?;
    if found.format > FORMAT {
        return Err(Error::Unsupported(format!(
            "{} was written by a newer version (format {})",
            dir.path().display(),
            found.format
        )));
    }
    let hash_key = parse_hash_key(&found.hash_key).ok_or_else(|| corrupt("hash_key is damaged".into()))?;
    Ok(Some(SessionInfo {
        session_key: found.session_key,
        hash_key,
        created_at: found.created_at,
        parent: found.parent,
    }))
}

/// Reads the file, checks that it is this key's, and under the lock makes or repairs it. `known_hash_key`: the one in
/// the newest snapshot, for repair.
pub(super) fn load(
    dir: &Dir,
    key: &str,
    holding: Holding,
    known_hash_key: Option<&str>,
    now: &str,
) -> Result<Option<SessionInfo>> {
    let found = match read(dir) {
        Err(Error::Corrupt(_)) if holding == Holding::Lock => {
            quarantine::move_file(dir, dir, NAME)?;
            None
        }
        other => other?,
    };
    if let Some(info) = found {
        if info.session_key != key {
            return Err(Error::Corrupt(format!(
                "{} belongs to the session {:?}, not to {key:?}",
                dir.path().display(),
                info.session_key
            )));
        }
        return Ok(Some(info));
    }
    if holding == Holding::Nothing {
        return Ok(None);
    }
    let hash_key = match known_hash_key.and_then(parse_hash_key) {
        Some(known) => known,
        None => {
            let mut fresh = [0; 16];
            getrandom::fill(&mut fresh)
                .map_err(|error| Error::Unsupported(format!("no random numbers: {error}")))?;
            fresh
        }
    };
    let info =
        SessionInfo { session_key: key.to_owned(), hash_key, created_at: now.to_owned(), parent: None };
    write(dir, &info)?;
    Ok(Some(info))
}

/// Writes the file durably.
pub(super) fn write(dir: &Dir, info: &SessionInfo) -> Result<()> {
    let on_disk = OnDisk {
        format: FORMAT,
        session_key: info.session_key.clone(),
        hash_key: names::hex(&info.hash_key),
        created_at: info.created_at.clone(),
        parent: info.parent.clone(),
    };
    let mut bytes = serde_json::to_vec_pretty(&on_disk)
        .map_err(|error| Error::InvalidInput(format!("session.json cannot be written: {error}")))?;
    bytes.push(b'\n');
    dir.write_atomic(NAME, &bytes, true)?;
    dir.sync()
}

fn parse_hash_key(hex: &str) -> Option<[u8; 16]> {
    if hex.len() != 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(hex, 16).ok().map(u128::to_be_bytes)
}
