//! Checkpoints and their pointer (STORE.md, "Checkpoint and pointer"). What stands in a checkpoint is the business of
//! the room above: it hands in how to make one and how to look into one.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::dir::Dir;
use super::{names, quarantine};
use crate::{Error, Result};

const FOLDER: &str = "checkpoints";
const POINTER: &str = "_latest.json";
/// How many checkpoints of each group are kept.
const KEPT: usize = 5;
/// How often a reader looks at the pointer again before it looks for the newest valid file.
const READ_TRIES: usize = 3;
/// How many numbers are tried when somebody else's file has the next one.
const NUMBER_TRIES: u64 = 1_000;

/// Retention group of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Triggers `epoch` and `auto-80pct`.
    Frequent,
    /// All others.
    Rare,
}

/// What the store asks of a checkpoint's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointInfo {
    /// The id that it says it has.
    pub id: String,
    /// ISO 8601.
    pub created_at: String,
    /// Its trigger, as written.
    pub trigger: String,
    /// By its trigger.
    pub group: Group,
    /// The journal position that it covers.
    pub state_seq: u64,
}

/// Parses a checkpoint's bytes, verifying its integrity; `Corrupt` where they are damaged or cut.
pub type Inspect<'a> = &'a dyn Fn(&[u8]) -> Result<CheckpointInfo>;

/// One checkpoint file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointFile {
    /// `cp_001`, ...
    pub id: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// What stands in it; `None`: it is damaged.
    pub info: Option<CheckpointInfo>,
}

/// A checkpoint that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// `cp_001`, ...
    pub id: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}

/// A checkpoint that was written, durably.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCheckpoint {
    /// `cp_001`, ...
    pub id: String,
    /// Where it is.
    pub path: std::path::PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Pointer {
    checkpoint_id: String,
    bytes: u64,
    hash: String,
    state_seq: u64,
}

/// Groups of checkpoints already looked into, by number.
pub(super) type Groups = HashMap<u64, Option<Group>>;

/// Writes the next checkpoint, steps 1-7 of the protocol. Under the session's lock.
///
/// `make(id)` gives the bytes for an id; it is called again with another id where a number is taken.
pub(super) fn write(
    session: &Dir,
    make: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    inspect: Inspect<'_>,
    groups: &mut Groups,
) -> Result<WrittenCheckpoint> {
    let dir = session.make_child(FOLDER)?;
    dir.sweep_temps()?;
    let on_disk = numbers(&dir)?;
    let mut number = on_disk.first().copied().unwrap_or(0);
    if let Ok(Some(pointer)) = read_pointer(&dir) {
        number = number.max(names::checkpoint_number(&pointer.checkpoint_id).unwrap_or(0));
    }
    let (id, bytes, info, number) = place(&dir, number, make, inspect)?;
    let pointer = Pointer {
        checkpoint_id: id.clone(),
        bytes: bytes.len() as u64,
        hash: names::hex_of(&bytes, 64),
        state_seq: info.state_seq,
    };
    let pointed = write_pointer(&dir, &pointer).and_then(|()| dir.sync());
    if let Err(error) = pointed {
        // Nobody is told of it, so it must not turn up later as the newest.
        let _ = dir.unlink(&file_name(number));
        return Err(error);
    }
    groups.insert(number, Some(info.group));
    if let Err(error) = retain(&dir, number, inspect, groups) {
        tracing::warn!(%error, "old checkpoints could not be removed");
    }
    Ok(WrittenCheckpoint { path: dir.path().join(file_name(number)), id })
}

/// Steps 2 to 4: a number, a temporary file that parses back, a rename that replaces nothing.
fn place(
    dir: &Dir,
    newest: u64,
    make: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    inspect: Inspect<'_>,
) -> Result<(String, Vec<u8>, CheckpointInfo, u64)> {
    for number in (newest + 1..).take(NUMBER_TRIES as usize) {
        let id = names::checkpoint_id(number);
        let bytes = make(&id)?;
        let temp = dir.write_temp(&bytes, true)?;
        let placed = dir
            .read(&temp)
            .and_then(|back| match back {
                Some(back) if back == bytes => inspect(&back),
                _ => Err(Error::Corrupt(format!("{id} did not read back as it was written"))),
            })
            .and_then(|info| {
                if info.id != id {
                    return Err(Error::Internal {
                        where_: "checkpoint".into(),
                        what: format!("{id} says it is {}", info.id),
                    });
                }
                Ok((dir.rename_no_replace(&temp, &file_name(number))?, info))
            });
        match placed {
            Ok((true, info)) => return Ok((id, bytes, info, number)),
            Ok((false, _)) => dir.unlink(&temp)?,
            Err(error) => {
                let _ = dir.unlink(&temp);
                return Err(error);
            }
        }
    }
    Err(Error::Refused { path: dir.path().into(), why: "no free checkpoint number".into() })
}

fn write_pointer(dir: &Dir, pointer: &Pointer) -> Result<()> {
    let bytes = serde_json::to_vec(pointer)
        .map_err(|error| Error::InvalidInput(format!("the pointer cannot be written: {error}")))?;
    dir.write_atomic(POINTER, &bytes, true)
}

/// Step 7: the newest five of each group stay, and the pointer's target. Files that are not checkpoints of ours, or
/// cannot be read, are left alone.
fn retain(dir: &Dir, target: u64, inspect: Inspect<'_>, groups: &mut Groups) -> Result<()> {
    let numbers = numbers(dir)?;
    let present: HashSet<u64> = numbers.iter().copied().collect();
    groups.retain(|number, _| present.contains(number));
    let mut kept: HashMap<Group, usize> = HashMap::new();
    for number in numbers {
        let group = match groups.get(&number) {
            Some(known) => *known,
            None => {
                let group =
                    read_numbered(dir, number)?.and_then(|(_, bytes)| inspect(&bytes).ok()).map(|i| i.group);
                groups.insert(number, group);
                group
            }
        };
        let Some(group) = group else { continue };
        let count = kept.entry(group).or_default();
        *count += 1;
        if *count > KEPT && number != target {
            remove_numbered(dir, number)?;
        }
    }
    Ok(())
}

/// Room for more: checkpoints down to the newest valid one and the pointer's target. Returns whether anything went.
pub(super) fn shrink(session: &Dir) -> Result<bool> {
    let Some(dir) = session.child(FOLDER)? else { return Ok(false) };
    let Some(target) =
        read_pointer(&dir)?.and_then(|pointer| names::checkpoint_number(&pointer.checkpoint_id))
    else {
        return Ok(false); // without a pointer nobody knows which one is whole
    };
    let mut removed = false;
    for number in numbers(&dir)?.into_iter().filter(|number| *number < target) {
        remove_numbered(&dir, number)?;
        removed = true;
    }
    Ok(removed)
}

/// Temporary files of the folder go. Under the lock.
pub(super) fn sweep(session: &Dir) -> Result<()> {
    session.child(FOLDER)?.map_or(Ok(()), |dir| dir.sweep_temps())
}

/// The newest valid checkpoint, without a lock: the pointer is a hint, the hash is the truth.
pub(super) fn latest(session: &Dir, inspect: Inspect<'_>) -> Result<Option<StoredCheckpoint>> {
    let Some(dir) = session.child(FOLDER)? else { return Ok(None) };
    for _ in 0..READ_TRIES {
        let Ok(Some(pointer)) = read_pointer(&dir) else { continue };
        let Some(number) = names::checkpoint_number(&pointer.checkpoint_id) else { continue };
        if let Some((_, bytes)) = read_numbered(&dir, number)?
            && bytes.len() as u64 == pointer.bytes
            && names::hex_of(&bytes, 64) == pointer.hash
            && inspect(&bytes).is_ok()
        {
            return Ok(Some(StoredCheckpoint { id: pointer.checkpoint_id, bytes }));
        }
    }
    for number in numbers(&dir)? {
        if let Some((_, bytes)) = read_numbered(&dir, number)?
            && let Ok(info) = inspect(&bytes)
        {
            return Ok(Some(StoredCheckpoint { id: info.id, bytes }));
        }
    }
    Ok(None)
}

/// One checkpoint by id. `InvalidInput` for what is no id, `NotFound`, `Corrupt`.
pub(super) fn read(session: &Dir, id: &str, inspect: Inspect<'_>) -> Result<StoredCheckpoint> {
    let number = names::checkpoint_number(id)
        .ok_or_else(|| Error::InvalidInput(format!("{id:?} is no checkpoint id (they look like cp_001)")))?;
    let missing = || Error::NotFound(format!("there is no checkpoint {id}"));
    let dir = session.child(FOLDER)?.ok_or_else(missing)?;
    let (_, bytes) = read_numbered(&dir, number)?.ok_or_else(missing)?;
    inspect(&bytes)?;
    Ok(StoredCheckpoint { id: id.to_owned(), bytes })
}

/// All checkpoints, oldest first.
pub(super) fn list(session: &Dir, inspect: Inspect<'_>) -> Result<Vec<CheckpointFile>> {
    let Some(dir) = session.child(FOLDER)? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for number in numbers(&dir)?.into_iter().rev() {
        // One that a writer removes meanwhile is not there any more.
        if let Some((_, bytes)) = read_numbered(&dir, number)? {
            files.push(CheckpointFile {
                id: names::checkpoint_id(number),
                bytes: bytes.len() as u64,
                info: inspect(&bytes).ok(),
            });
        }
    }
    Ok(files)
}

/// Under the lock: files that are no checkpoints go to quarantine.
pub(super) fn set_damaged_aside(session: &Dir, inspect: Inspect<'_>) -> Result<()> {
    let Some(dir) = session.child(FOLDER)? else { return Ok(()) };
    for number in numbers(&dir)? {
        if let Some((name, bytes)) = read_numbered(&dir, number)?
            && matches!(inspect(&bytes), Err(Error::Corrupt(_)))
        {
            quarantine::move_file(session, &dir, &name)?;
        }
    }
    Ok(())
}

/// How many checkpoint files there are.
pub(super) fn count(session: &Dir) -> Result<usize> {
    session.child(FOLDER)?.map_or(Ok(0), |dir| Ok(numbers(&dir)?.len()))
}

/// Under the lock: a pointer that does not parse goes to quarantine; the next checkpoint writes a new one.
pub(super) fn repair_pointer(session: &Dir) -> Result<Option<String>> {
    let Some(dir) = session.child(FOLDER)? else { return Ok(None) };
    match read_pointer(&dir) {
        Err(Error::Corrupt(why)) => {
            quarantine::move_file(session, &dir, POINTER)?;
            Ok(Some(why))
        }
        other => other.map(|_| None),
    }
}

fn read_pointer(dir: &Dir) -> Result<Option<Pointer>> {
    let Some(bytes) = dir.read(POINTER)? else { return Ok(None) };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| Error::Corrupt(format!("{}: {error}", dir.path().join(POINTER).display())))
}

fn file_name(number: u64) -> String {
    format!("{}.yaml", names::checkpoint_id(number))
}

/// Numbers of the checkpoints there, newest first, each once.
fn numbers(dir: &Dir) -> Result<Vec<u64>> {
    let mut numbers: Vec<u64> =
        dir.list()?.iter().filter_map(|name| names::checkpoint_file_number(name)).collect();
    numbers.sort_unstable_by_key(|number| Reverse(*number));
    numbers.dedup();
    Ok(numbers)
}

/// Both spellings of a number: ours, and the unpadded one of older versions.
fn spellings(number: u64) -> [String; 2] {
    [file_name(number), format!("cp_{number}.yaml")]
}

fn read_numbered(dir: &Dir, number: u64) -> Result<Option<(String, Vec<u8>)>> {
    for name in spellings(number) {
        if let Some(bytes) = dir.read(&name)? {
            return Ok(Some((name, bytes)));
        }
    }
    Ok(None)
}

fn remove_numbered(dir: &Dir, number: u64) -> Result<()> {
    spellings(number).iter().try_for_each(|name| dir.unlink(name))
}
