//! Tool calls and their results, matched by id (FAULTS B1-B3).

use super::entry::Entry;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Ids are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }
}

/// Calls that wait for their result while a conversation is read from its beginning.
#[derive(Default)]
pub(super) struct Waiting {
    /// Messages that made the call, latest last: providers use ids again.
    calls: HashMap<u64, Vec<usize>, BuildHasherDefault<AsItIs>>,
}

impl Waiting {
    /// The calls of message `index`.
    pub(super) fn ask(&mut self, index: usize, entry: &Entry) {
        for &id in &entry.calls {
            self.calls.entry(id).or_default().push(index);
        }
    }

    /// The messages whose calls `entry` answers, one for each answer, always the latest that waits. `None`, and nothing
    /// changes, unless every one of its answers is waited for: results that come twice and results without a call
    /// leave the view, and a message with several results cannot leave by halves.
    pub(super) fn answer(&mut self, entry: &Entry) -> Option<Vec<usize>> {
        let mut callers = Vec::with_capacity(entry.answers.len());
        for id in &entry.answers {
            match self.calls.get_mut(id).and_then(Vec::pop) {
                Some(caller) => callers.push(caller),
                None => {
                    for (&id, &caller) in entry.answers.iter().zip(&callers).rev() {
                        self.calls.entry(id).or_default().push(caller);
                    }
                    return None;
                }
            }
        }
        Some(callers)
    }

    /// Nothing waits any longer.
    pub(super) fn give_up(&mut self) {
        self.calls.clear();
    }
}

/// Sets of messages that stay or leave together.
pub(super) struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    /// `len` messages, each on its own.
    pub(super) fn new(len: usize) -> Self {
        Self { parents: (0..len).collect() }
    }

    /// Joins the sets of two messages.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        if let Some(parent) = self.parents.get_mut(one.max(other)) {
            *parent = one.min(other);
        }
    }

    /// The name of a message's set: its first message.
    pub(super) fn find(&mut self, mut index: usize) -> usize {
        while let Some(&parent) = self.parents.get(index)
            && parent != index
        {
            let above = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(index) {
                *slot = above;
            }
            index = above;
        }
        index
    }
}
