//! Expiry: a tombstone first, then the body goes from its segment, at last the files of drop records of which nothing is
//! left (STORE.md, "Message bodies").

use std::collections::{BTreeMap, HashSet};

use super::record::{Entry, entry};
use super::shelf::{Shelf, file_name, month_of, months_in};
use crate::store::chunk::ChunkId;
use crate::store::dir::Dir;
use crate::store::line;
use crate::text::time::millis;
use crate::{Error, Result};
use serde_json::Map;

/// What [`crate::store::Locked::expire`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expired {
    /// Chunks that can no longer be brought back, as of this call.
    pub chunks: u64,
    /// Bytes of bodies that were removed from the disk.
    pub bytes_freed: u64,
}

/// Milliseconds since 1970 of `now`.
pub(in crate::store) fn now_ms(now: &str) -> Result<i64> {
    millis(now).ok_or_else(|| Error::InvalidInput(format!("{now:?} is no ISO 8601 time")))
}

impl Shelf {
    /// Dropped chunks all of whose records are past their time, except those to keep.
    pub(in crate::store) fn due(
        &mut self,
        session: &Dir,
        now: i64,
        keep: &HashSet<ChunkId>,
    ) -> Result<Vec<ChunkId>> {
        self.catch_up(session)?;
        let mut until: BTreeMap<ChunkId, i64> = BTreeMap::new();
        for ((chunk, _), spot) in &self.drops {
            let last = until.entry(*chunk).or_insert(spot.until);
            *last = spot.until.max(*last);
        }
        let is_due = |chunk: &ChunkId, until: i64| {
            until <= now && !keep.contains(chunk) && !self.expired.contains(chunk)
        };
        Ok(until.into_iter().filter(|(chunk, until)| is_due(chunk, *until)).map(|(chunk, _)| chunk).collect())
    }

    /// Dropped chunks that have not expired, except those to keep, in the order in which they left for the last time.
    pub(in crate::store) fn oldest_first(&self, keep: &HashSet<ChunkId>) -> Vec<ChunkId> {
        let mut left: BTreeMap<ChunkId, (u32, u64)> = BTreeMap::new();
        for ((chunk, _), spot) in &self.drops {
            let place = left.entry(*chunk).or_default();
            *place = (spot.month, spot.offset).max(*place);
        }
        left.retain(|chunk, _| !keep.contains(chunk) && !self.expired.contains(chunk));
        let mut chunks: Vec<(ChunkId, (u32, u64))> = left.into_iter().collect();
        chunks.sort_by_key(|(_, place)| *place);
        chunks.into_iter().map(|(chunk, _)| chunk).collect()
    }

    /// Writes tombstones, durably. Under the lock.
    pub(in crate::store) fn bury(&mut self, session: &Dir, chunks: &[ChunkId], now: &str) -> Result<()> {
        let mut bytes = Vec::new();
        for chunk in chunks {
            let fields = [("chunk_id", chunk.to_string()), ("expired_at", now.to_owned())];
            bytes.extend(line::seal(Map::from_iter(
                fields.map(|(name, value)| (name.to_owned(), value.into())),
            ))?);
        }
        let Some(folder) = self.catch_up(session)? else { return Ok(()) };
        self.append_lines(session, &folder, month_of(now)?, &bytes)
    }

    /// Removes files of earlier months of which nothing counts any more: each chunk in them expired, and its body is
    /// gone. Under the lock.
    pub(in crate::store) fn remove_spent(&mut self, session: &Dir, now: &str) -> Result<()> {
        let Some(folder) = self.catch_up(session)? else { return Ok(()) };
        folder.sweep_temps()?;
        let current = month_of(now)?;
        let mut removed = false;
        for month in months_in(&folder)? {
            if month >= current {
                break;
            }
            let name = file_name(month);
            let Some(bytes) = folder.read(&name)? else { continue };
            let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
            let is_spent = |line: &[u8]| match entry(line) {
                Some(Entry::Drop { chunk, .. }) => {
                    self.expired.contains(&chunk) && !self.pending.contains(&chunk)
                }
                // As long as another file says that it was dropped, this one must say that it expired.
                Some(Entry::Tombstone(chunk)) => {
                    !self.pending.contains(&chunk) && self.spots_of(chunk).all(|spot| spot.month == month)
                }
                None => false,
            };
            if !lines.all(is_spent) {
                continue;
            }
            folder.unlink(&name)?;
            self.forget(month);
            removed = true;
        }
        if removed { folder.sync() } else { Ok(()) }
    }
}
