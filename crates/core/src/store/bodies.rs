//! Message bodies: segments of lines, appended when a message is first seen and read by chunk id (STORE.md, "Message
//! bodies").

mod expiry;

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::chunk::ChunkId;
use super::dir::{Dir, READ_CAP};
use super::journal::cut_torn_tail;
use super::{line, names};
use crate::{Error, Result};

pub(super) const FOLDER: &str = "messages";
/// A segment is closed above this size, in bytes.
const SEGMENT_LIMIT: u64 = 8 << 20;
/// Bytes that may wait for a sync: they are kept in memory meanwhile, for the case that the sync fails.
const UNSYNCED_LIMIT: usize = 4 << 20;
/// Segments whose index is kept in memory: about 2 MB at most.
const INDEXED_SEGMENTS: usize = 4;
const LINE_START: &[u8] = br#"{"chunk_id":""#;

/// One message as it is stored: redacted and well-formed already.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its id.
    pub chunk_id: ChunkId,
    /// ISO 8601 time of the message.
    pub at: String,
    /// The host's role.
    pub role: String,
    /// Name of the tool, for its results.
    pub tool: Option<String>,
    /// The text.
    pub text: String,
    /// Whatever else the rooms above want to find again. None of the names above.
    pub extra: Map<String, Value>,
}

impl Body {
    fn to_line(&self) -> Result<Vec<u8>> {
        const OWN: [&str; 8] = ["chunk_id", "gen", "ordinal", "at", "role", "tool", "text", "crc"];
        if let Some(field) = OWN.iter().find(|field| self.extra.contains_key(**field)) {
            return Err(Error::InvalidInput(format!(
                "the field `{field}` of a message body is set by the store"
            )));
        }
        let mut object = Map::with_capacity(self.extra.len() + 7);
        object.insert("chunk_id".into(), self.chunk_id.to_string().into());
        object.insert("gen".into(), self.chunk_id.generation.into());
        object.insert("ordinal".into(), self.chunk_id.ordinal.into());
        object.insert("at".into(), self.at.as_str().into());
        object.insert("role".into(), self.role.as_str().into());
        if let Some(tool) = &self.tool {
            object.insert("tool".into(), tool.as_str().into());
        }
        object.insert("text".into(), self.text.as_str().into());
        object.extend(self.extra.clone());
        line::within_limit(line::seal(object)?)
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut object = line::unseal(bytes)?;
        let chunk_id = object.shift_remove("chunk_id")?.as_str()?.parse().ok()?;
        let mut text_of = |name: &str| match object.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (at, role, tool, text) = (text_of("at")?, text_of("role")?, text_of("tool"), text_of("text")?);
        object.shift_remove("gen");
        object.shift_remove("ordinal");
        Some(Self { chunk_id, at, role, tool, text, extra: object })
    }
}

/// Where a body lies within its segment.
#[derive(Debug, Clone, Copy)]
struct Spot {
    chunk: ChunkId,
    offset: u64,
    len: u64,
}

/// What is known of a segment's content up to `indexed`.
#[derive(Debug, Default)]
struct Segment {
    indexed: u64,
    range: Option<RangeInclusive<(u32, u64)>>,
    /// `None`: forgotten to save memory.
    spots: Option<Vec<Spot>>,
    /// The file that was indexed; 0 where the system does not number files.
    inode: u64,
}

#[derive(Debug)]
struct Writer {
    number: u64,
    file: File,
    end: u64,
}

/// The bodies of one session.
#[derive(Debug, Default)]
pub(super) struct BodyStore {
    folder: Option<Dir>,
    writer: Option<Writer>,
    segments: BTreeMap<u64, Segment>,
    unsynced: Vec<u8>,
    new_name: bool,
}

pub(super) fn file_name(number: u64) -> String {
    format!("{number}.jsonl")
}

pub(super) fn segments_in(folder: &Dir) -> Result<Vec<u64>> {
    let mut numbers: Vec<u64> = folder.list()?.iter().filter_map(|name| names::body_segment(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

impl BodyStore {
    /// Whether something was written and not yet made durable.
    pub(super) fn is_unsynced(&self) -> bool {
        !self.unsynced.is_empty()
    }

    /// Appends bodies with one write call. Under the lock. `next_seq`: the journal's next number, for a new segment's
    /// name.
    pub(super) fn append(&mut self, session: &Dir, bodies: &[Body], next_seq: u64) -> Result<()> {
        let mut bytes = Vec::new();
        for body in bodies {
            bytes.extend(body.to_line()?);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if self.unsynced.len() + bytes.len() > UNSYNCED_LIMIT {
            self.sync(session)?;
        }
        self.prepare_writer(session, next_seq)?;
        let (Some(folder), Some(writer)) = (&self.folder, &mut self.writer) else {
            return Err(Error::Internal { where_: "message bodies".into(), what: "no writer".into() });
        };
        let name = file_name(writer.number);
        if let Err(error) = folder.write_once(&writer.file, &name, &bytes) {
            folder.truncate(&writer.file, &name, writer.end)?;
            return Err(error);
        }
        writer.end += bytes.len() as u64;
        self.unsynced.extend_from_slice(&bytes);
        Ok(())
    }

    /// Opens the newest segment, repairs its end, and begins another where it is full.
    fn prepare_writer(&mut self, session: &Dir, next_seq: u64) -> Result<()> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => session.make_child(FOLDER)?,
        };
        let newest = segments_in(&folder)?.last().copied();
        let mut writer = match (self.writer.take(), newest) {
            (Some(writer), Some(newest)) if writer.number == newest => Some(writer),
            (old, newest) => {
                if old.is_some() {
                    self.sync(session)?;
                }
                newest.map(|number| open_writer(&folder, number)).transpose()?
            }
        };
        if let Some(writer) = &mut writer {
            repair_end(session, &folder, writer)?;
        }
        if writer.as_ref().is_none_or(|writer| writer.end >= SEGMENT_LIMIT) {
            if let Some(full) = &writer {
                folder.sync_file(&full.file, &file_name(full.number))?;
            }
            let number = next_seq.max(newest.map_or(0, |newest| newest + 1));
            writer = Some(open_writer(&folder, number)?);
            self.new_name = true;
        }
        (self.folder, self.writer) = (Some(folder), writer);
        Ok(())
    }

    /// Makes everything written so far durable. On an error the bytes stay in memory for
    /// [`BodyStore::rewrite_unsynced`].
    pub(super) fn sync(&mut self, _session: &Dir) -> Result<()> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        let (Some(folder), Some(writer)) = (&self.folder, &self.writer) else { return Ok(()) };
        folder.sync_file(&writer.file, &file_name(writer.number))?;
        if self.new_name {
            folder.sync()?;
            self.new_name = false;
        }
        self.unsynced.clear();
        Ok(())
    }

    /// Makes durable what other processes wrote and may not have synced. Under the lock. Only the newest segment can hold
    /// such: whoever begins the next one syncs the full one first.
    pub(super) fn sync_others(&mut self, session: &Dir) -> Result<()> {
        let Some(folder) = session.child(FOLDER)? else { return Ok(()) };
        let Some(newest) = segments_in(&folder)?.last().copied() else { return Ok(()) };
        let name = file_name(newest);
        folder.sync_file(&folder.open_append(&name)?, &name)?;
        folder.sync()
    }

    /// After a failed sync: what waited is written to a fresh segment, once. Under the lock. The first copy of a body
    /// counts, so a body that stands in both is no harm.
    pub(super) fn rewrite_unsynced(&mut self, _session: &Dir) -> Result<()> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.unsynced);
        let (Some(folder), Some(old)) = (&self.folder, self.writer.take()) else { return Ok(()) };
        let number = segments_in(folder)?.last().map_or(old.number, |newest| *newest).saturating_add(1);
        let temp = folder.write_temp(&bytes, true)?;
        if !folder.rename_no_replace(&temp, &file_name(number))? {
            return Err(folder.refused(&file_name(number)));
        }
        folder.sync()?;
        self.new_name = false;
        Ok(())
    }

    /// One body. `NotFound`, or `Corrupt` where its line is damaged. Needs no lock.
    pub(super) fn read(&mut self, session: &Dir, chunk: ChunkId) -> Result<Body> {
        let missing = || Error::NotFound(format!("there is no stored message {chunk}"));
        if self.folder.is_none() {
            self.folder = session.child(FOLDER)?;
        }
        let Some(folder) = &self.folder else { return Err(missing()) };
        let numbers = segments_in(folder)?;
        self.segments.retain(|number, _| numbers.contains(number));
        let mut damaged = None;
        for number in numbers {
            let name = file_name(number);
            let Some(file) = folder.open_read(&name)? else { continue };
            let segment = self.segments.entry(number).or_default();
            let Some(spot) = segment.find(folder, &file, &name, chunk)? else { continue };
            let bytes = folder.read_from(&file, &name, spot.offset, spot.len)?;
            match Body::parse(&bytes) {
                Some(body) if body.chunk_id == chunk => {
                    self.forget_surplus(number);
                    return Ok(body);
                }
                _ => {
                    // Damaged, or a file of which the index does not know that it was replaced.
                    self.segments.remove(&number);
                    damaged = Some(Error::Corrupt(format!("the stored message {chunk} is damaged")));
                }
            }
        }
        self.forget_surplus(u64::MAX);
        Err(damaged.unwrap_or_else(missing))
    }

    /// Shows every readable body, oldest first, until `visit` returns `false`. Returns the number of damaged lines met.
    pub(super) fn scan(&self, session: &Dir, visit: &mut dyn FnMut(Body) -> bool) -> Result<u64> {
        let mut damaged = 0;
        let Some(folder) = session.child(FOLDER)? else { return Ok(0) };
        for number in segments_in(&folder)? {
            let Some(bytes) = folder.read(&file_name(number))? else { continue };
            for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
                match Body::parse(line) {
                    Some(body) => {
                        if !visit(body) {
                            return Ok(damaged);
                        }
                    }
                    None => damaged += u64::from(!line::is_blank(line)),
                }
            }
        }
        Ok(damaged)
    }

    /// Few indices stay in memory; the others are made again when asked for.
    fn forget_surplus(&mut self, just_used: u64) {
        let mut held: Vec<u64> =
            self.segments.iter().filter(|(_, s)| s.spots.is_some()).map(|(n, _)| *n).collect();
        held.retain(|number| *number != just_used);
        for number in held.iter().take(held.len().saturating_sub(INDEXED_SEGMENTS - 1)) {
            if let Some(segment) = self.segments.get_mut(number) {
                segment.spots = None;
            }
        }
    }
}

impl Segment {
    /// Looks for a chunk, indexing first what is new.
    fn find(&mut self, folder: &Dir, file: &File, name: &str, chunk: ChunkId) -> Result<Option<Spot>> {
        let (len, inode) = folder.file_meta(file, name)?.map_or((0, 0), |meta| (meta.len, meta.inode));
        // A torn tail was cut off, or the file was written anew without what expired. Where files have no numbers, any
        // other length may mean that.
        let replaced = inode != self.inode || (inode == 0 && len != self.indexed);
        if len < self.indexed || replaced {
            *self = Self { inode, ..Self::default() };
        }
        let place = (chunk.generation, chunk.ordinal);
        let outside = self.range.as_ref().is_none_or(|range| !range.contains(&place));
        if len == self.indexed && outside {
            return Ok(None);
        }
        if self.spots.is_none() {
            *self = Self { spots: Some(Vec::new()), inode, ..Self::default() };
        }
        if len > self.indexed {
            let bytes = folder.read_from(file, name, self.indexed, READ_CAP)?;
            self.index(&bytes);
        }
        Ok(self.spots.iter().flatten().find(|spot| spot.chunk == chunk).copied())
    }

    fn index(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let offset = self.indexed;
            let len = line.len() as u64;
            self.indexed += len;
            let Some(chunk) = chunk_of(line) else { continue };
            let place = (chunk.generation, chunk.ordinal);
            self.range = Some(match self.range.take() {
                Some(range) => *range.start().min(&place)..=*range.end().max(&place),
                None => place..=place,
            });
            self.spots.get_or_insert_default().push(Spot { chunk, offset, len });
        }
    }
}

/// Whose body a line is; `None`: damaged.
fn chunk_of(line: &[u8]) -> Option<ChunkId> {
    let id = line.strip_prefix(LINE_START)?.split(|byte| *byte == b'"').next()?;
    std::str::from_utf8(id).ok()?.parse().ok()
}

fn open_writer(folder: &Dir, number: u64) -> Result<Writer> {
    Ok(Writer { number, file: folder.open_append(&file_name(number))?, end: 0 })
}

/// Brings `writer.end` to the end of the file, and cuts off a line that another process did not finish.
fn repair_end(session: &Dir, folder: &Dir, writer: &mut Writer) -> Result<()> {
    let name = file_name(writer.number);
    let len = folder.file_meta(&writer.file, &name)?.map_or(0, |meta| meta.len);
    if len == writer.end {
        return Ok(());
    }
    writer.end = len;
    if len > 0 && folder.read_from(&writer.file, &name, len - 1, 1)? != b"\n" {
        let bytes = folder.read_from(&writer.file, &name, 0, READ_CAP)?;
        writer.end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1);
        cut_torn_tail(session, folder, &writer.file, &name, writer.end)?;
    }
    Ok(())
}

/// Sizes of all segments together, in bytes.
pub(super) fn bytes_on_disk(session: &Dir) -> Result<u64> {
    let Some(folder) = session.child(FOLDER)? else { return Ok(0) };
    let mut bytes = 0;
    for name in folder.list()? {
        bytes += folder.stat(&name)?.map_or(0, |meta| meta.len);
    }
    Ok(bytes)
}
