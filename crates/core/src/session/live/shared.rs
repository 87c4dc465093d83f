//! What all handles of one session in this process share: what they believe is known, and the compaction latch.

use super::super::State;
use super::lock;
use crate::ledger::LivePath;
use crate::message::{Alignment, Incoming, Known, Slot};
use crate::pressure::{Calibration, Latch};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, Weak};

type Sessions = HashMap<(PathBuf, String), Weak<Shared>>;

static SESSIONS: LazyLock<Mutex<Sessions>> = LazyLock::new(Mutex::default);

/// Shared by the handles of one session.
#[derive(Debug, Default)]
pub(super) struct Shared {
    belief: Mutex<Belief>,
    latch: Mutex<Latch>,
}

/// What this process believes is known, ahead of the jobs that make it so. Whatever another process adds is seen when
/// the next job has run; until then the same message may be handed over twice, which changes nothing.
#[derive(Debug, Default)]
pub(super) struct Belief {
    pub(super) known: Known,
    pub(super) live: LivePath,
    pub(super) host_floor: u64,
    pub(super) calibration: Calibration,
    /// [`State::path_version`] that the waiting batches will lead to.
    version: u64,
    /// Batches that are waiting.
    waiting: u64,
}

/// The shared part of a session; it lives as long as a handle does.
pub(super) fn of(state_dir: &Path, key: &str) -> Arc<Shared> {
    let mut sessions = lock(&SESSIONS);
    let name = (state_dir.to_owned(), key.to_owned());
    if let Some(shared) = sessions.get(&name).and_then(Weak::upgrade) {
        return shared;
    }
    sessions.retain(|_, shared| shared.strong_count() > 0);
    let shared = Arc::new(Shared::default());
    sessions.insert(name, Arc::downgrade(&shared));
    shared
}

impl Shared {
    pub(super) fn belief<T>(&self, look: impl FnOnce(&mut Belief) -> T) -> T {
        look(&mut lock(&self.belief))
    }

    pub(super) fn latch<T>(&self, turn: impl FnOnce(&mut Latch) -> T) -> T {
        turn(&mut lock(&self.latch))
    }

    /// Believes what is really known, unless batches that will change it are waiting.
    pub(super) fn restore(&self, state: &State) {
        let mut belief = lock(&self.belief);
        if belief.waiting == 0 {
            belief.adopt(state);
        }
    }

    /// A batch that will change the path is on its way.
    pub(super) fn awaits(self: &Arc<Self>) -> Awaited {
        lock(&self.belief).waiting += 1;
        Awaited(Arc::clone(self))
    }
}

/// A batch that will change the path. While it is there, the belief stays ahead of what is really known.
#[derive(Debug)]
pub(super) struct Awaited(Arc<Shared>);

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut belief = lock(&self.0.belief);
        belief.waiting = belief.waiting.saturating_sub(1);
    }
}

impl Belief {
    fn adopt(&mut self, state: &State) {
        self.host_floor = state.host_floor;
        if self.calibration.calls() < state.calibration.calls() {
            self.calibration = state.calibration.clone();
        }
        if self.version != state.path_version || self.known.len() != state.known.len() {
            self.known = state.known.clone();
            self.live = state.live.clone();
            self.version = state.path_version;
        }
    }

    /// Takes an alignment in, as the job will; returns what each of its messages is then.
    pub(super) fn take(&mut self, found: &Alignment, messages: &[Incoming]) -> Vec<Slot> {
        if let Some(from) = found.rewound_from {
            self.live.rewind(from, self.known.len());
            self.version += 1;
        }
        if !found.restored.is_empty() {
            found.restored.iter().for_each(|ordinal| self.live.restore(*ordinal, *ordinal));
            self.version += 1;
        }
        found
            .slots
            .iter()
            .zip(messages)
            .map(|(slot, message)| match slot {
                Slot::New => match self.known.named(message.key) {
                    Some(twin) => Slot::Known(twin), // twice in this very array
                    None => {
                        self.version += 1;
                        Slot::Known(self.known.push(*message))
                    }
                },
                other => *other,
            })
            .collect()
    }
}
