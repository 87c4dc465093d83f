//! Taking expired bodies off the disk: a segment is written anew without them and renamed over the old one.

use std::collections::HashSet;

use super::{BodyStore, FOLDER, chunk_of, file_name, open_writer, segments_in};
use crate::Result;
use crate::store::chunk::ChunkId;
use crate::store::dir::Dir;
use crate::store::mend;

/// Segments below this size are written anew whatever share of them expired, in bytes.
const SMALL: u64 = 1 << 20;
/// Above it, one part in this many must have expired: a large file is not written again for one message.
const WORTH: u64 = 4;

/// What a compaction did.
#[derive(Debug, Default)]
pub(in crate::store) struct Compacted {
    /// Bytes that are free now.
    pub(in crate::store) freed: u64,
    /// Expired chunks whose bodies are still there: their segment waits for more.
    pub(in crate::store) left: HashSet<ChunkId>,
}

impl BodyStore {
    /// Removes the bodies of `expired` where a segment holds enough of them. Under the lock, everything synced, the
    /// tombstones durable. Whatever happens on the way, each segment is the old one or the new one.
    pub(in crate::store) fn compact(
        &mut self,
        session: &Dir,
        expired: &HashSet<ChunkId>,
        next_seq: u64,
    ) -> Result<Compacted> {
        let mut done = Compacted::default();
        let Some(folder) = session.child(FOLDER)? else { return Ok(done) };
        folder.sweep_temps()?;
        let numbers = segments_in(&folder)?;
        let newest = numbers.last().copied().unwrap_or(0);
        let mut renamed = false;
        for number in numbers {
            let name = file_name(number);
            let Some(bytes) = folder.read(&name)? else { continue };
            let is_gone = |line: &[u8]| chunk_of(line).is_some_and(|chunk| expired.contains(&chunk));
            let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
            let gone: u64 = lines().filter(|line| is_gone(line)).map(|line| line.len() as u64).sum();
            if gone == 0 {
                continue;
            }
            let whole = bytes.len() as u64;
            if whole >= SMALL && gone.saturating_mul(WORTH) < whole {
                done.left.extend(lines().filter_map(chunk_of).filter(|chunk| expired.contains(chunk)));
                continue;
            }
            if number == newest {
                self.leave_newest(&folder, next_seq.max(newest.saturating_add(1)))?;
            }
            if gone == whole {
                folder.unlink(&name)?;
            } else {
                // Damaged lines stay: nobody knows what they were.
                let kept = lines().filter(|line| !is_gone(line)).collect::<Vec<_>>().concat();
                folder.write_atomic(&name, &kept, true)?;
            }
            self.segments.remove(&number);
            renamed = true;
            done.freed += gone;
        }
        if renamed {
            folder.sync()?;
        }
        Ok(done)
    }

    /// Sets damaged lines aside. Under the lock, everything synced.
    pub(in crate::store) fn blank_damaged(&mut self, session: &Dir, next_seq: u64) -> Result<()> {
        let Some(folder) = session.child(FOLDER)? else { return Ok(()) };
        let numbers = segments_in(&folder)?;
        let newest = numbers.last().copied().unwrap_or(0);
        for number in numbers {
            let leave = || match number == newest {
                true => self.leave_newest(&folder, next_seq.max(newest.saturating_add(1))),
                false => Ok(()),
            };
            if mend::blank_damaged(session, &folder, &file_name(number), leave)? {
                self.segments.remove(&number);
            }
        }
        Ok(())
    }

    /// Other processes append to the newest segment through descriptors of their own: before it is replaced, an empty
    /// one takes its place.
    fn leave_newest(&mut self, folder: &Dir, number: u64) -> Result<()> {
        self.writer = None;
        open_writer(folder, number)?;
        folder.sync()
    }

    /// Bytes of a body's line; `None`: there is none.
    pub(in crate::store) fn size_of(&mut self, session: &Dir, chunk: ChunkId) -> Result<Option<u64>> {
        let Some(folder) = session.child(FOLDER)? else { return Ok(None) };
        for number in segments_in(&folder)? {
            let name = file_name(number);
            let Some(file) = folder.open_read(&name)? else { continue };
            let segment = self.segments.entry(number).or_default();
            if let Some(spot) = segment.find(&folder, &file, &name, chunk)? {
                return Ok(Some(spot.len));
            }
        }
        Ok(None)
    }
}
