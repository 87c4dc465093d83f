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
    /// By id, the place in `calls` of the latest call: providers use ids again.
    latest: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    /// The message that made a call, and the place of the call before it that waits under the same id.
    calls: Vec<(usize, Option<usize>)>,
}

impl Waiting {
    /// The calls of message `index`.
    pub(super) fn ask(&mut self, index: usize, entry: &Entry) {
        for &id in &entry.calls {
            let before = self.latest.insert(id, self.calls.len());
            self.calls.push((index, before));
        }
    }

    /// Adds a pair of messages, call and result, to `pairs` for each call that message `index` answers, always the latest
    /// that waits. False, and nothing changes, unless every one of its answers is waited for: results that come twice
    /// and results without a call leave the view, and a message with several results cannot leave by halves.
    pub(super) fn answer(&mut self, index: usize, entry: &Entry, pairs: &mut Vec<(usize, usize)>) -> bool {
        let known = pairs.len();
        let mut taken = Vec::new();
        for &id in &entry.answers {
            let Some(&place) = self.latest.get(&id) else {
                pairs.truncate(known);
                for (id, place) in taken.into_iter().rev() {
                    self.latest.insert(id, place);
                }
                return false;
            };
            let Some(&(caller, before)) = self.calls.get(place) else { return false };
            match before {
                Some(before) => self.latest.insert(id, before),
                None => self.latest.remove(&id),
            };
            pairs.push((caller, index));
            if entry.answers.len() > 1 {
                taken.push((id, place));
            }
        }
        true
    }

    /// Nothing waits any longer.
    pub(super) fn give_up(&mut self) {
        self.latest.clear();
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
