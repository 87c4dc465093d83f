//! A session that is open in this process: its directory, its state in memory, its journal. Used by one thread at a time.

use std::path::PathBuf;
use std::time::Instant;

use super::bodies::BodyStore;
use super::checkpoints::{self, Groups};
use super::cold::Shelf;
use super::dir::Dir;
use super::journal::{self, Caught, Holding, Journal};
use super::line::{Line, NewLine};
use super::lock::Lock;
use super::session_file::{self, SessionInfo};
use super::snapshots::{self, Written};
use super::state::SessionState;
use super::{names, room};
use crate::{Error, Result};

/// The journal is rotated above this size, in bytes.
const JOURNAL_LIMIT: u64 = 4 << 20;
/// How often a reader starts over when it finds a gap.
const TRIES: usize = 3;
/// How many problems are remembered for `health`.
const MAX_PROBLEMS: usize = 50;

/// Where a session lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) state_dir: PathBuf,
    pub(super) key: String,
    pub(super) single_process: bool,
}

impl Address {
    /// Opens the session's directory; `None`: it does not exist.
    pub(super) fn find(&self) -> Result<Option<Dir>> {
        let name = names::dir_name(&self.key)?;
        let Some(host) = Dir::open_host(&self.state_dir)? else { return Ok(None) };
        let Some(context) = host.child("context")? else { return Ok(None) };
        let Some(sessions) = context.child("sessions")? else { return Ok(None) };
        sessions.child(&name)
    }

    fn make(&self) -> Result<Dir> {
        let name = names::dir_name(&self.key)?;
        Dir::make_host(&self.state_dir)?.make_child("context")?.make_child("sessions")?.make_child(&name)
    }
}

/// An open session.
#[derive(Debug)]
pub(super) struct Open<S> {
    pub(super) dir: Dir,
    lock: Option<Lock>,
    /// Present once the session was loaded under its lock, or its `session.json` could be read.
    pub(super) info: Option<SessionInfo>,
    pub(super) state: S,
    pub(super) journal: Journal,
    pub(super) bodies: BodyStore,
    pub(super) cold: Shelf,
    pub(super) groups: Groups,
    pub(super) written: Written,
    /// Loaded, and if so how.
    loaded: Option<Holding>,
    /// The last line in `view.json` as far as this process knows.
    pub(super) snapshot_seq: u64,
    /// A readable snapshot is missing or damaged.
    pub(super) snapshot_wanted: bool,
    /// Since when something is not durable.
    pub(super) unsynced_since: Option<Instant>,
    pub(super) problems: Vec<String>,
    /// The last attempt to write met a directory that cannot be written.
    pub(super) read_only: bool,
}

/// Result of asking for the session's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is held, and the state is caught up.
    Yes,
    /// Another process holds it.
    Busy,
}

impl<S: SessionState> Open<S> {
    /// Opens the directory and nothing else; `make`: creates it where it is missing, else `None`.
    pub(super) fn find(address: &Address, make: bool) -> Result<Option<Self>> {
        let dir = if make { Some(address.make()?) } else { address.find()? };
        Ok(dir.map(|dir| Self {
            dir,
            lock: None,
            info: None,
            state: S::default(),
            journal: Journal::default(),
            bodies: BodyStore::default(),
            cold: Shelf::default(),
            groups: Groups::default(),
            written: Written::default(),
            loaded: None,
            snapshot_seq: 0,
            snapshot_wanted: false,
            unsynced_since: None,
            problems: Vec::new(),
            read_only: false,
        }))
    }

    /// Whether the directory is still where it was.
    pub(super) fn is_in_place(&self) -> bool {
        self.dir.is_in_place()
    }

    /// Takes the lock if it is free, and catches up with other processes.
    pub(super) fn take_lock(&mut self, address: &Address, now: &str) -> Result<Taken> {
        let taken = self.try_take_lock(address, now);
        self.read_only = matches!(taken, Err(Error::ReadOnly { .. }));
        if taken.is_err() {
            self.release_lock();
        }
        taken
    }

    fn try_take_lock(&mut self, address: &Address, now: &str) -> Result<Taken> {
        let mut lock = match self.lock.take() {
            Some(lock) => lock,
            None => Lock::open(&self.dir, address.single_process)?,
        };
        let taken = lock.try_take(&self.dir);
        self.lock = Some(lock);
        if !taken? {
            return Ok(Taken::Busy);
        }
        if self.is_loaded_under_lock() {
            self.catch_up(address, Holding::Lock, now)?;
        } else {
            self.load(address, Holding::Lock, now)?;
        }
        Ok(Taken::Yes)
    }

    /// Whether everything was checked and repaired once.
    pub(super) fn is_loaded_under_lock(&self) -> bool {
        self.loaded == Some(Holding::Lock)
    }

    /// Gives the lock back.
    pub(super) fn release_lock(&mut self) {
        if let Some(lock) = &mut self.lock {
            lock.release();
        }
    }

    /// Reads what is new, without a lock.
    pub(super) fn refresh(&mut self, address: &Address, now: &str) -> Result<()> {
        if self.loaded.is_some() {
            self.catch_up(address, Holding::Nothing, now)
        } else {
            self.load(address, Holding::Nothing, now)
        }
    }

    fn catch_up(&mut self, address: &Address, holding: Holding, now: &str) -> Result<()> {
        let Self { journal, state, dir, .. } = self;
        match journal.catch_up(dir, holding, false, &mut |line| state.apply(line))? {
            Caught::Up => Ok(()),
            Caught::StartOver => self.load(address, holding, now),
        }
    }

    /// Snapshots and later lines. Under the lock everything is checked and repaired.
    fn load(&mut self, address: &Address, holding: Holding, now: &str) -> Result<()> {
        self.sync()?;
        self.loaded = None;
        let bad_before = self.journal.bad();
        for attempt in 1..=TRIES {
            let loaded = snapshots::load::<S>(&self.dir, holding)?;
            self.info =
                session_file::load(&self.dir, &address.key, holding, loaded.hash_key.as_deref(), now)?;
            self.snapshot_wanted |= !loaded.problems.is_empty();
            loaded.problems.into_iter().for_each(|problem| self.note(problem));
            self.state = loaded.state;
            self.snapshot_seq = loaded.as_of_seq;
            self.journal = Journal::after(loaded.as_of_seq);
            let Self { journal, state, dir, .. } = self;
            // Under the lock nobody rotates: a gap is no race, and another look finds the same.
            let last_try = attempt == TRIES || holding == Holding::Lock;
            if journal.catch_up(dir, holding, last_try, &mut |line| state.apply(line))? == Caught::Up {
                break;
            }
        }
        if self.journal.bad() > bad_before {
            self.note(format!("damaged or missing journal lines: {}", self.journal.bad()));
        }
        if holding == Holding::Lock {
            room::sweep(&self.dir)?;
            if let Some(why) = checkpoints::repair_pointer(&self.dir)? {
                self.note(why);
            }
        }
        self.loaded = Some(holding);
        Ok(())
    }

    /// Forgets what was found and reads everything again: it was repaired.
    pub(super) fn start_over(&mut self, address: &Address, holding: Holding, now: &str) -> Result<()> {
        self.problems.clear();
        self.load(address, holding, now)
    }

    /// Remembers a problem for `health`.
    pub(super) fn note(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Appends events with one write and applies them.
    pub(super) fn append(&mut self, lines: Vec<NewLine>, now: &str) -> Result<u64> {
        let generation = self.state.generation();
        let Self { journal, dir, .. } = self;
        let numbered: Vec<Line> = match journal.append(dir, &lines, generation, now) {
            Err(Error::NoSpace { .. }) if room::make(dir) => journal.append(dir, &lines, generation, now),
            other => other,
        }
        .inspect_err(|error| self.read_only = matches!(error, Error::ReadOnly { .. }))?;
        self.unsynced_since.get_or_insert_with(Instant::now);
        numbered.iter().for_each(|line| self.state.apply(line));
        Ok(self.journal.seq())
    }

    /// Makes everything written so far durable: bodies first, since lines speak of them.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.unsynced_since = None;
        self.bodies.sync(&self.dir)?;
        self.journal.sync(&self.dir)
    }

    /// The same under the lock. After a failed sync the system may have forgotten what it could not write: the old
    /// descriptor is given up, and what is in memory is written once to fresh files.
    pub(super) fn sync_or_rewrite(&mut self) -> Result<()> {
        let Err(first) = self.sync() else { return Ok(()) };
        tracing::warn!(error = %first, "a sync failed; the state is written to fresh files");
        if let Err(error) = self.rewrite_after_failed_sync() {
            self.note(format!("the disk does not keep what is written: {error}"));
            return Err(first);
        }
        Ok(())
    }

    /// Writes the snapshots. Under the lock.
    pub(super) fn snapshot(&mut self) -> Result<()> {
        match self.write_snapshot() {
            Err(Error::NoSpace { .. }) if room::make(&self.dir) => self.write_snapshot(),
            other => other,
        }
    }

    fn write_snapshot(&mut self) -> Result<()> {
        let Some(info) = &self.info else { return Ok(()) };
        let seq = self.journal.seq();
        let covered = snapshots::write(&self.dir, &self.state, info, seq, &mut self.written)?;
        self.snapshot_seq = seq;
        self.snapshot_wanted = false;
        journal::remove_covered(&self.dir, covered)
    }

    /// After a sync in the background failed: the journal's descriptor is given up, the state goes to fresh files.
    /// Under the lock.
    pub(super) fn rewrite_after_failed_sync(&mut self) -> Result<()> {
        self.bodies.rewrite_unsynced(&self.dir)?;
        self.journal.rotate(&self.dir)?;
        self.write_snapshot()
    }

    /// Snapshots cannot be written: try again when there is something new.
    pub(super) fn give_up_snapshot(&mut self) {
        self.snapshot_seq = self.journal.seq();
        self.snapshot_wanted = false;
    }

    /// Whether a flush has anything to do.
    pub(super) fn is_anything_pending(&self) -> bool {
        self.journal.is_unsynced() || self.bodies.is_unsynced() || self.is_snapshot_behind()
    }

    /// Whether the snapshots are behind.
    pub(super) fn is_snapshot_behind(&self) -> bool {
        self.loaded.is_some() && (self.journal.seq() > self.snapshot_seq || self.snapshot_wanted)
    }

    /// Rotates a journal that has grown large. Under the lock, after a sync.
    pub(super) fn rotate_if_large(&mut self) -> Result<()> {
        if self.journal.len() < JOURNAL_LIMIT {
            return Ok(());
        }
        // Other processes may still count on syncing it under its present name.
        self.journal.sync_whole(&self.dir)?;
        self.journal.rotate(&self.dir)?;
        self.snapshot()
    }
}
