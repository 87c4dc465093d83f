//! Snapshots of a session's state: `view.json` for the machine, the readable files for people. Missing, damaged and
//! unreadable are three different things (FAULTS H1): only missing means empty.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::dir::Dir;
use super::journal::Holding;
use super::line;
use super::names;
use super::quarantine;
use super::session_file::SessionInfo;
use super::state::{Content, READABLE_FILES, SessionState};
use crate::{Error, Result};

const VIEW: &str = "view.json";
/// The snapshot before: rotated journals are kept until this one covers them too, so that a damaged `view.json` costs
/// nothing.
const VIEW_BEFORE: &str = "view.prev.json";
const FORMAT: u64 = 1;

/// A state read from its snapshot.
#[derive(Debug)]
pub(super) struct Loaded<S> {
    pub(super) state: S,
    /// The last journal line in it.
    pub(super) as_of_seq: u64,
    /// The hash key written into it.
    pub(super) hash_key: Option<String>,
    /// What was found damaged.
    pub(super) problems: Vec<String>,
}

/// Reads the newest snapshot that is whole. Under the lock damaged ones go to quarantine.
pub(super) fn load<S: SessionState>(dir: &Dir, holding: Holding) -> Result<Loaded<S>> {
    let mut problems = Vec::new();
    let mut newest = None;
    for name in [VIEW, VIEW_BEFORE] {
        let Some(bytes) = dir.read(name)? else { continue };
        match parse(&bytes) {
            Ok(loaded) => {
                newest = Some(loaded);
                break;
            }
            // A newer version's work is not damage.
            Err(error @ Error::Unsupported(_)) => return Err(error),
            Err(error) => note_damage(dir, name, &error.to_string(), holding, &mut problems)?,
        }
    }
    for name in READABLE_FILES {
        let Some(bytes) = dir.read(name)? else { continue };
        if let Err(why) = check_readable(name, &bytes) {
            note_damage(dir, name, &why, holding, &mut problems)?;
        }
    }
    Ok(match newest {
        Some(loaded) => Loaded { problems, ..loaded },
        None => Loaded { state: S::default(), as_of_seq: 0, hash_key: None, problems },
    })
}

fn note_damage(dir: &Dir, name: &str, why: &str, holding: Holding, problems: &mut Vec<String>) -> Result<()> {
    problems.push(format!("{name} is damaged ({why}) and is rebuilt from the journal"));
    if holding == Holding::Lock {
        quarantine::move_file(dir, dir, name)?;
    }
    Ok(())
}

/// The fields of `view.json` that are read back.
#[derive(Deserialize)]
struct View<'a> {
    format: Option<u64>,
    as_of_seq: Option<u64>,
    hash_key: Option<String>,
    #[serde(borrow)]
    state: Option<&'a RawValue>,
}

fn fields(bytes: &[u8]) -> Result<View<'_>> {
    let line = line::checked(bytes).ok_or_else(|| Error::Corrupt("checksum does not match".into()))?;
    serde_json::from_slice(line).map_err(|error| Error::Corrupt(error.to_string()))
}

fn parse<S: SessionState>(bytes: &[u8]) -> Result<Loaded<S>> {
    let corrupt = |what: &str| Error::Corrupt(what.to_owned());
    let view = fields(bytes)?;
    match view.format {
        Some(FORMAT) => {}
        Some(newer) if newer > FORMAT => {
            return Err(Error::Unsupported(format!(
                "{VIEW} was written by a newer version (format {newer})"
            )));
        }
        _ => return Err(corrupt("unknown format")),
    }
    let as_of_seq = view.as_of_seq.ok_or_else(|| corrupt("as_of_seq is missing"))?;
    let state = S::restore(view.state.map_or("null", RawValue::get))?;
    Ok(Loaded { state, as_of_seq, hash_key: view.hash_key, problems: Vec::new() })
}

fn check_readable(name: &str, bytes: &[u8]) -> Result<(), String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let ours =
        name == "last_tool_call.json" || (value.get("as_of_seq").is_some() && value.get("items").is_some());
    if ours && value.is_object() { Ok(()) } else { Err("it has not the shape of a snapshot".into()) }
}

/// Remembers what was written, so that unchanged files are not written again.
#[derive(Debug, Default)]
pub(super) struct Written {
    readable: Map<String, Value>,
    /// Size of `view.json`.
    pub(super) view_bytes: usize,
}

/// Writes all snapshots, durably. Under the lock, caught up to `seq`. Returns up to where every snapshot now covers the
/// journal.
pub(super) fn write<S: SessionState>(
    dir: &Dir,
    state: &S,
    info: &SessionInfo,
    seq: u64,
    written: &mut Written,
) -> Result<u64> {
    let mut view = Map::new();
    view.insert("format".into(), FORMAT.into());
    view.insert("session_key".into(), info.session_key.as_str().into());
    view.insert("hash_key".into(), names::hex(&info.hash_key).into());
    view.insert("as_of_seq".into(), seq.into());
    view.insert("state".into(), state.snapshot());
    let bytes = line::seal(view)?;
    // Read back before it replaces anything: a state that cannot be restored must not become the only one.
    parse::<S>(&bytes)?;
    let before = dir.read(VIEW)?.and_then(|old| fields(&old).ok()?.as_of_seq).unwrap_or(0);
    if before > 0 {
        dir.unlink(VIEW_BEFORE)?;
        dir.link(VIEW, VIEW_BEFORE)?;
    }
    dir.write_atomic(VIEW, &bytes, true)?;
    written.view_bytes = bytes.len();
    for readable in state.readable() {
        if !READABLE_FILES.contains(&readable.file) {
            return Err(Error::InvalidInput(format!("{} is not a snapshot's name", readable.file)));
        }
        let unchanged = match &readable.content {
            Content::Items(value) | Content::Bare(value) => {
                written.readable.get(readable.file) == Some(value)
            }
        };
        if unchanged && dir.stat(readable.file)?.is_some() {
            continue;
        }
        let (whole, part) = match readable.content {
            Content::Items(items) => (json!({ "as_of_seq": seq, "items": items }), items),
            Content::Bare(value) => (value.clone(), value),
        };
        let mut text = serde_json::to_vec_pretty(&whole)
            .map_err(|error| Error::InvalidInput(format!("a snapshot cannot be written: {error}")))?;
        text.push(b'\n');
        dir.write_atomic(readable.file, &text, true)?;
        written.readable.insert(readable.file.to_owned(), part);
    }
    dir.sync()?;
    Ok(before)
}
