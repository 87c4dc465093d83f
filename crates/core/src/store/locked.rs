//! What a job may do with a session: [`Locked`] under its lock, [`Reader`] without.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::bodies::{self, Body};
use super::checkpoints::{self, CheckpointFile, Inspect, StoredCheckpoint, WrittenCheckpoint};
use super::chunk::ChunkId;
use super::cold::{self, DropRecord, Expired};
use super::import::{self, OlderLayout};
use super::line::NewLine;
use super::open::{Address, Open};
use super::session_file::{self, SessionInfo};
use super::state::SessionState;
use super::{quarantine, room, sessions};
use crate::{Error, Result};

/// Gives a checkpoint's bytes: of its id, the state, and the number of the last journal line in it.
pub type MakeCheckpoint<'a, S> = &'a mut dyn FnMut(&str, &S, u64) -> Result<Vec<u8>>;

/// A session while its lock is held and its state is caught up with every other process.
#[derive(Debug)]
pub struct Locked<'a, S> {
    pub(super) open: &'a mut Open<S>,
    pub(super) address: &'a Address,
    pub(super) now: String,
}

impl<S: SessionState> Locked<'_, S> {
    /// The state, with everything in it that any process wrote so far.
    pub fn state(&self) -> &S {
        &self.open.state
    }

    /// Whose session it is.
    pub fn info(&self) -> Result<&SessionInfo> {
        self.open.info.as_ref().ok_or_else(|| Error::Internal {
            where_: "store".into(),
            what: "a locked session has no identity".into(),
        })
    }

    /// Names the session that started this one as its subagent; nothing is written if it is named already.
    pub fn set_parent(&mut self, parent: &str) -> Result<()> {
        let mut info = self.info()?.clone();
        if info.parent.as_deref() == Some(parent) {
            return Ok(());
        }
        info.parent = Some(parent.to_owned());
        session_file::write(&self.open.dir, &info)?;
        self.open.info = Some(info);
        Ok(())
    }

    /// The last journal line's number.
    pub fn seq(&self) -> u64 {
        self.open.journal.seq()
    }

    /// ISO 8601 time of this job, by the registry's clock.
    pub fn now(&self) -> &str {
        &self.now
    }

    /// Appends one event and applies it to the state. Returns its number. Nothing of it stays if it fails.
    pub fn append(&mut self, kind: &str, fields: Map<String, Value>) -> Result<u64> {
        self.append_all(vec![NewLine::new(kind, fields)])
    }

    /// Appends several events with one write call and applies them. Returns the last one's number.
    pub fn append_all(&mut self, lines: Vec<NewLine>) -> Result<u64> {
        self.open.append(lines, &self.now)
    }

    /// Stores message bodies with one write call.
    pub fn append_bodies(&mut self, bodies: &[Body]) -> Result<()> {
        let next_seq = self.open.journal.seq() + 1;
        let Open { bodies: store, dir, .. } = &mut *self.open;
        match store.append(dir, bodies, next_seq) {
            Err(Error::NoSpace { .. }) if room::make(dir) => store.append(dir, bodies, next_seq)?,
            other => other?,
        }
        if store.is_unsynced() {
            self.open.unsynced_since.get_or_insert_with(std::time::Instant::now);
        }
        Ok(())
    }

    /// Notes durably which messages leave the view, after their bodies are durable (FAULTS J4). Keyed by chunk id and
    /// epoch: what is noted already is not noted again. On an error nothing of it stays, and nothing may leave the view.
    pub fn append_drops(&mut self, drops: &[DropRecord]) -> Result<()> {
        if drops.is_empty() {
            return Ok(());
        }
        self.open.sync_or_rewrite()?;
        let Open { bodies, cold, dir, .. } = &mut *self.open;
        bodies.sync_others(dir)?;
        match cold.append(dir, drops, &self.now) {
            Err(Error::NoSpace { .. }) if room::make(dir) => cold.append(dir, drops, &self.now),
            other => other,
        }
    }

    /// Lets go of what left the view and is past its time at `now` (ISO 8601), except the chunks in `keep`: pinned ones and
    /// those that are in the view again. With a `quota` in bytes for all bodies also of the oldest drops above it. What never
    /// left the view never expires. Tombstones first, durably; then the bodies go; then the drop records' files of which
    /// nothing is left. Reads all bodies when something expires: once an hour is often enough.
    pub fn expire(&mut self, now: &str, keep: &HashSet<ChunkId>, quota: Option<u64>) -> Result<Expired> {
        let at = cold::now_ms(now)?;
        let mut due = self.open.cold.due(&self.open.dir, at, keep)?;
        if let Some(quota) = quota {
            due.extend(self.above_quota(quota, keep, &due.iter().copied().collect())?);
        }
        self.open.sync_or_rewrite()?;
        let next_seq = self.open.journal.seq() + 1;
        let Open { bodies, cold, dir, .. } = &mut *self.open;
        match cold.bury(dir, &due, now) {
            Err(Error::NoSpace { .. }) if room::make(dir) => cold.bury(dir, &due, now)?,
            other => other?,
        }
        let mut done = Expired { chunks: due.len() as u64, bytes_freed: 0 };
        if !cold.pending.is_empty() {
            let compacted = bodies.compact(dir, &cold.pending, next_seq)?;
            done.bytes_freed = compacted.freed;
            cold.pending = compacted.left;
            cold.remove_spent(dir, now)?;
        }
        Ok(done)
    }

    /// The oldest drops that must go besides `due` for the bodies to fit the quota.
    fn above_quota(
        &mut self,
        quota: u64,
        keep: &HashSet<ChunkId>,
        due: &HashSet<ChunkId>,
    ) -> Result<Vec<ChunkId>> {
        let Open { bodies: store, cold, dir, .. } = &mut *self.open;
        let mut surplus = bodies::bytes_on_disk(dir)?.saturating_sub(quota);
        let mut above = Vec::new();
        for chunk in cold.oldest_first(keep) {
            if surplus == 0 {
                break;
            }
            surplus = surplus.saturating_sub(store.size_of(dir, chunk)?.unwrap_or(0));
            if !due.contains(&chunk) {
                above.push(chunk);
            }
        }
        Ok(above)
    }

    /// Writes the next checkpoint durably (STORE.md, "Checkpoint and pointer"). `make(id, state, seq)` gives the
    /// bytes; `inspect` parses them back before the rename, and looks into older ones for retention.
    pub fn write_checkpoint(
        &mut self,
        make: MakeCheckpoint<'_, S>,
        inspect: Inspect<'_>,
    ) -> Result<WrittenCheckpoint> {
        // What the checkpoint says must not be younger than the journal after a power cut.
        self.open.sync_or_rewrite()?;
        let seq = self.open.journal.seq();
        let Open { dir, state, groups, .. } = &mut *self.open;
        let mut make = |id: &str| make(id, state, seq);
        let written = match checkpoints::write(dir, &mut make, inspect, groups) {
            Err(Error::NoSpace { .. }) if room::make(dir) => {
                checkpoints::write(dir, &mut make, inspect, groups)?
            }
            other => other?,
        };
        // The readable snapshots follow when the session has nothing else to do.
        self.open.snapshot_wanted = true;
        Ok(written)
    }

    /// Makes everything that this process wrote so far durable, now.
    pub fn sync(&mut self) -> Result<()> {
        self.open.sync_or_rewrite()
    }

    /// Writes the snapshots now.
    pub fn snapshot(&mut self) -> Result<()> {
        self.open.sync_or_rewrite()?;
        self.open.snapshot()
    }

    /// The older layout's files of this session, where there are any (STORE.md, last line). `key_of` reads the session
    /// key out of a checkpoint's bytes, leniently.
    pub fn older_layout(&self, key_of: &dyn Fn(&[u8]) -> Option<String>) -> Result<Option<OlderLayout>> {
        import::find(&self.address.state_dir, &self.address.key, key_of)
    }

    /// Everything that needs no lock.
    pub fn reader(&mut self) -> Reader<'_, S> {
        Reader { open: Some(self.open), behind: false, nothing: None }
    }
}

/// A session as far as it can be read without its lock. One that does not exist reads as empty.
#[derive(Debug)]
pub struct Reader<'a, S> {
    pub(super) open: Option<&'a mut Open<S>>,
    pub(super) behind: bool,
    pub(super) nothing: Option<S>,
}

impl<S: SessionState> Reader<'_, S> {
    /// Whether the session exists on disk.
    pub fn exists(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.info.is_some() || open.journal.seq() > 0)
    }

    /// The state, with everything that any process has written; empty where the session does not exist.
    pub fn state(&mut self) -> &S {
        match &self.open {
            Some(open) => &open.state,
            None => self.nothing.get_or_insert_default(),
        }
    }

    /// Whether earlier calls of this process are still waiting for the lock, so that their events are missing here.
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// Whose session it is, where it exists and says so.
    pub fn info(&self) -> Option<&SessionInfo> {
        self.open.as_ref().and_then(|open| open.info.as_ref())
    }

    /// The last journal line's number.
    pub fn seq(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.journal.seq())
    }

    /// The newest valid checkpoint.
    pub fn latest_checkpoint(&self, inspect: Inspect<'_>) -> Result<Option<StoredCheckpoint>> {
        self.open.as_ref().map_or(Ok(None), |open| checkpoints::latest(&open.dir, inspect))
    }

    /// One checkpoint: `InvalidInput` for what is no id, `NotFound`, `Corrupt`.
    pub fn checkpoint(&self, id: &str, inspect: Inspect<'_>) -> Result<StoredCheckpoint> {
        match &self.open {
            Some(open) => checkpoints::read(&open.dir, id, inspect),
            None => Err(Error::NotFound(format!("there is no checkpoint {id}: the session does not exist"))),
        }
    }

    /// All checkpoints, oldest first.
    pub fn checkpoints(&self, inspect: Inspect<'_>) -> Result<Vec<CheckpointFile>> {
        self.open.as_ref().map_or(Ok(Vec::new()), |open| checkpoints::list(&open.dir, inspect))
    }

    /// One stored message: `NotFound`, or `Corrupt` where its line is damaged.
    pub fn body(&mut self, chunk: ChunkId) -> Result<Body> {
        match &mut self.open {
            Some(open) => {
                let Open { bodies, cold, dir, .. } = &mut **open;
                // Its body may still lie in a segment that is not worth writing anew.
                if cold.is_expired(dir, chunk)? {
                    return Err(Error::NotFound(format!("the stored message {chunk} has expired")));
                }
                bodies.read(dir, chunk)
            }
            None => Err(Error::NotFound(format!("there is no stored message {chunk}"))),
        }
    }

    /// Shows every stored message that has not expired, oldest first, until `visit` returns `false`. Returns the number
    /// of damaged lines.
    pub fn scan_bodies(&mut self, visit: &mut dyn FnMut(Body) -> bool) -> Result<u64> {
        let Some(open) = self.open.as_mut() else { return Ok(0) };
        let Open { bodies, cold, dir, .. } = &mut **open;
        cold.refresh(dir)?;
        bodies.scan(dir, &mut |body| cold.has_expired(body.chunk_id) || visit(body))
    }

    /// Shows every drop record that has not expired, in the order of writing, until `visit` returns `false`. Returns the
    /// number of damaged lines.
    pub fn drops(&mut self, visit: &mut dyn FnMut(DropRecord) -> bool) -> Result<u64> {
        self.open.as_mut().map_or(Ok(0), |open| open.cold.scan(&open.dir, visit))
    }

    /// The newest drop record of a chunk; `None` where it never left the view or has expired.
    pub fn drop_of(&mut self, chunk: ChunkId) -> Result<Option<DropRecord>> {
        self.open.as_mut().map_or(Ok(None), |open| open.cold.drop_of(&open.dir, chunk))
    }

    /// Whether a chunk expired: it cannot be brought back any more.
    pub fn is_expired(&mut self, chunk: ChunkId) -> Result<bool> {
        self.open.as_mut().map_or(Ok(false), |open| open.cold.is_expired(&open.dir, chunk))
    }

    /// Chunks that left the view and can be brought back.
    pub fn cold_chunks(&mut self) -> Result<u64> {
        self.open.as_mut().map_or(Ok(0), |open| open.cold.count(&open.dir))
    }

    /// Figures for `health`.
    pub fn figures(&self) -> Result<Figures> {
        let Some(open) = &self.open else { return Ok(Figures::default()) };
        Ok(Figures {
            journal_lines: open.journal.seq(),
            bad_lines: open.journal.bad(),
            checkpoints: checkpoints::count(&open.dir)?,
            quarantined: quarantine::count(&open.dir)?,
            body_bytes: bodies::bytes_on_disk(&open.dir)?,
            bytes: sessions::files_of(&open.dir)?.0,
            read_only: open.read_only,
            problems: open.problems.clone(),
        })
    }
}

/// Figures of a session's store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Events in the journal so far.
    pub journal_lines: u64,
    /// Journal lines that are damaged or missing.
    pub bad_lines: u64,
    /// Checkpoint files.
    pub checkpoints: usize,
    /// Damaged files kept aside.
    pub quarantined: usize,
    /// Bytes of message bodies on disk.
    pub body_bytes: u64,
    /// Bytes of all its files.
    pub bytes: u64,
    /// The directory could not be written the last time it was tried.
    pub read_only: bool,
    /// What was found and repaired, or could not be, in words.
    pub problems: Vec<String>,
}
