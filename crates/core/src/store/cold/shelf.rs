//! The files of drop records, one per month: appended under the lock and durable before it is said so; read by everybody.

use std::collections::{BTreeMap, HashSet};

use super::record::{DropRecord, Entry, entry};
use crate::store::chunk::ChunkId;
use crate::store::dir::{Dir, READ_CAP};
use crate::store::journal::cut_torn_tail;
use crate::store::{line, names};
use crate::{Error, Result};

pub(in crate::store) const FOLDER: &str = "cold";

/// Where a record lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub(super) month: u32,
    pub(super) offset: u64,
    pub(super) len: u64,
    /// Milliseconds since 1970.
    pub(super) until: i64,
}

/// The drop records of one session. What it knows of them is read when it is first asked, and then only what is new.
#[derive(Debug, Default)]
pub(in crate::store) struct Shelf {
    pub(super) drops: BTreeMap<(ChunkId, u64), Spot>,
    pub(super) expired: HashSet<ChunkId>,
    /// Of these, the ones whose bodies may still be on the disk.
    pub(in crate::store) pending: HashSet<ChunkId>,
    /// How far each month's file was read, in bytes.
    indexed: BTreeMap<u32, u64>,
    damaged: u64,
}

/// `yyyy-mm.jsonl`.
pub(super) fn file_name(month: u32) -> String {
    format!("{:04}-{:02}.jsonl", month / 100, month % 100)
}

/// The month of an ISO 8601 time as `yyyymm`.
pub(super) fn month_of(iso: &str) -> Result<u32> {
    let month = iso.get(..7).and_then(|start| names::cold_month(&format!("{start}.jsonl")));
    month.ok_or_else(|| Error::Internal {
        where_: "cold storage".into(),
        what: format!("the clock gave {iso:?}, which is no ISO 8601 time"),
    })
}

/// Months with a file, oldest first.
pub(super) fn months_in(folder: &Dir) -> Result<Vec<u32>> {
    let mut months: Vec<u32> = folder.list()?.iter().filter_map(|name| names::cold_month(name)).collect();
    months.sort_unstable();
    Ok(months)
}

impl Shelf {
    /// Reads what any process wrote since the last look. `None`: nothing was ever dropped.
    pub(super) fn catch_up(&mut self, session: &Dir) -> Result<Option<Dir>> {
        let Some(folder) = session.child(FOLDER)? else {
            *self = Self::default();
            return Ok(None);
        };
        self.read_on(&folder)?;
        Ok(Some(folder))
    }

    fn read_on(&mut self, folder: &Dir) -> Result<()> {
        let mut sizes = Vec::new();
        for month in months_in(folder)? {
            sizes.push((month, folder.stat(&file_name(month))?.map_or(0, |meta| meta.len)));
        }
        let known = |month: &u32| sizes.iter().find(|(there, _)| there == month).map(|(_, len)| *len);
        if self.indexed.iter().any(|(month, indexed)| known(month).is_none_or(|len| len < *indexed)) {
            *self = Self::default(); // something was removed or cut
        }
        for (month, len) in sizes {
            let mut at = self.indexed.get(&month).copied().unwrap_or(0);
            while at < len {
                let name = file_name(month);
                let Some(file) = folder.open_read(&name)? else { break };
                let bytes = folder.read_from(&file, &name, at, READ_CAP)?;
                let taken = self.index(month, at, &bytes);
                if taken == 0 {
                    break; // an unfinished line, perhaps one under way
                }
                at += taken;
            }
            self.indexed.insert(month, at);
        }
        Ok(())
    }

    /// Takes whole lines in. Returns their bytes.
    fn index(&mut self, month: u32, from: u64, bytes: &[u8]) -> u64 {
        let mut offset = from;
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let len = line.len() as u64;
            match entry(line) {
                Some(Entry::Drop { chunk, epoch, until }) => {
                    self.drops.entry((chunk, epoch)).or_insert(Spot { month, offset, len, until });
                }
                Some(Entry::Tombstone(chunk)) => {
                    if self.expired.insert(chunk) {
                        self.pending.insert(chunk);
                    }
                }
                None if line::is_blank(line) => {}
                None => {
                    self.damaged += 1;
                    tracing::warn!(month, offset, "skipped a damaged line of cold storage");
                }
            }
            offset += len;
        }
        offset - from
    }

    /// Appends records that are not there yet, durably. Under the lock; the bodies must be durable already.
    pub(in crate::store) fn append(&mut self, session: &Dir, drops: &[DropRecord], now: &str) -> Result<()> {
        if drops.is_empty() {
            return Ok(());
        }
        let folder = session.make_child(FOLDER)?;
        self.read_on(&folder)?;
        let mut bytes = Vec::new();
        let mut batch = HashSet::new();
        let mut earlier = HashSet::new();
        for record in drops {
            let key = (record.chunk_id, record.epoch);
            if let Some(spot) = self.drops.get(&key) {
                earlier.insert(spot.month);
            } else if batch.insert(key) {
                bytes.extend(record.to_line()?);
            }
        }
        // Whoever wrote them may have died before its sync.
        for month in earlier {
            let name = file_name(month);
            folder.sync_file(&folder.open_append(&name)?, &name)?;
            folder.sync()?;
        }
        self.append_lines(session, &folder, month_of(now)?, &bytes)
    }

    /// Appends whole lines to a month's file with one write call, durably; nothing of them stays if that fails.
    pub(super) fn append_lines(
        &mut self,
        session: &Dir,
        folder: &Dir,
        month: u32,
        bytes: &[u8],
    ) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let name = file_name(month);
        let end = self.indexed.get(&month).copied();
        let file = folder.open_append(&name)?;
        let at = end.unwrap_or(0);
        if folder.file_meta(&file, &name)?.is_some_and(|meta| meta.len > at) {
            cut_torn_tail(session, folder, &file, &name, at)?;
        }
        if let Err(error) = folder.write_once(&file, &name, bytes) {
            folder.truncate(&file, &name, at)?;
            return Err(error);
        }
        if let Err(error) = folder.sync_file(&file, &name) {
            drop(file);
            rewrite(folder, &name, at, bytes).inspect_err(|_| {
                // Not acknowledged: what is left of it must not be taken for durable later.
                let cut = folder.open_append(&name).and_then(|file| folder.truncate(&file, &name, at));
                if let Err(error) = cut {
                    tracing::warn!(%error, "drop records that are not durable could not be cut off");
                }
            })?;
            tracing::warn!(%error, "a sync failed; the drop records were written to a fresh file");
        }
        folder.sync()?;
        let taken = self.index(month, at, bytes);
        self.indexed.insert(month, at + taken);
        Ok(())
    }

    /// The newest record of a chunk; `None` where it was never dropped or has expired. Needs no lock.
    pub(in crate::store) fn drop_of(&mut self, session: &Dir, chunk: ChunkId) -> Result<Option<DropRecord>> {
        let Some(folder) = self.catch_up(session)? else { return Ok(None) };
        if self.expired.contains(&chunk) {
            return Ok(None);
        }
        let Some(spot) = self.spots_of(chunk).last() else { return Ok(None) };
        let name = file_name(spot.month);
        let Some(file) = folder.open_read(&name)? else { return Ok(None) };
        let bytes = folder.read_from(&file, &name, spot.offset, spot.len)?;
        match DropRecord::parse(&bytes) {
            Some(record) if record.chunk_id == chunk => Ok(Some(record)),
            _ => Err(Error::Corrupt(format!("the drop record of {chunk} is damaged"))),
        }
    }

    /// All records of a chunk, by epoch.
    pub(super) fn spots_of(&self, chunk: ChunkId) -> impl Iterator<Item = &Spot> {
        self.drops.range((chunk, 0)..=(chunk, u64::MAX)).map(|(_, spot)| spot)
    }

    /// Forgets a month's file.
    pub(super) fn forget(&mut self, month: u32) {
        self.indexed.remove(&month);
        self.drops.retain(|_, spot| spot.month != month);
    }

    /// Whether a chunk expired.
    pub(in crate::store) fn is_expired(&mut self, session: &Dir, chunk: ChunkId) -> Result<bool> {
        self.catch_up(session)?;
        Ok(self.has_expired(chunk))
    }

    /// The same as of the last look.
    pub(in crate::store) fn has_expired(&self, chunk: ChunkId) -> bool {
        self.expired.contains(&chunk)
    }

    /// Reads what any process wrote since the last look.
    pub(in crate::store) fn refresh(&mut self, session: &Dir) -> Result<()> {
        self.catch_up(session).map(drop)
    }

    /// Shows every record that has not expired, in the order of writing, until `visit` returns `false`. Returns the
    /// number of damaged lines known.
    pub(in crate::store) fn scan(
        &mut self,
        session: &Dir,
        visit: &mut dyn FnMut(DropRecord) -> bool,
    ) -> Result<u64> {
        let Some(folder) = self.catch_up(session)? else { return Ok(0) };
        for month in months_in(&folder)? {
            let Some(bytes) = folder.read(&file_name(month))? else { continue };
            let mut offset = 0;
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let here = offset;
                offset += line.len() as u64;
                let Some(record) = DropRecord::parse(line) else { continue };
                let spot = self.drops.get(&(record.chunk_id, record.epoch));
                let counts = spot.is_some_and(|spot| (spot.month, spot.offset) == (month, here));
                if counts && !self.expired.contains(&record.chunk_id) && !visit(record) {
                    return Ok(self.damaged);
                }
            }
        }
        Ok(self.damaged)
    }

    /// Chunks that left the view and can be brought back.
    pub(in crate::store) fn count(&mut self, session: &Dir) -> Result<u64> {
        self.catch_up(session)?;
        let mut count = 0;
        let mut last = None;
        for (chunk, _) in self.drops.keys() {
            if last != Some(*chunk) && !self.expired.contains(chunk) {
                count += 1;
            }
            last = Some(*chunk);
        }
        Ok(count)
    }
}

/// After a failed sync the system may have forgotten what it could not write: the file is made anew, once.
fn rewrite(folder: &Dir, name: &str, end: u64, bytes: &[u8]) -> Result<()> {
    let mut whole = match folder.open_read(name)? {
        Some(file) => folder.read_from(&file, name, 0, end)?,
        None => Vec::new(),
    };
    whole.extend_from_slice(bytes);
    folder.write_atomic(name, &whole, true)
}
