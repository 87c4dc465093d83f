//! An inverted index over prepared texts: gives every text that may not be distinct from a given one, and few others.
//!
//! Whatever is not distinct shares at least half of the content of a clause, both ways. So a text is looked up by its
//! rarest keys alone (prefix filtering): whatever has none of these has too little left to share. Which keys are rare is
//! asked at the time, so that the index serves a growing ledger as well as a list that is known in advance.

use std::collections::HashMap;
use std::sync::Arc;

use super::compare::{KeySet, Prepared, Signature};

/// Number of a text in an index.
pub(super) type Slot = u32;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    all: HashMap<u64, Vec<Slot>>,
    kinds: HashMap<u64, Vec<Slot>>,
    rejected: HashMap<u64, Vec<Slot>>,
    exact: HashMap<u64, Vec<Slot>>,
    /// Everything that each text mentions, ascending.
    mentioned: HashMap<Slot, Box<[u64]>>,
}

impl Index {
    /// Adds the text with number `slot`.
    pub(super) fn add(&mut self, slot: Slot, signature: &Signature) {
        for key in &signature.all {
            push(&mut self.all, *key, slot);
        }
        for key in &signature.kinds {
            push(&mut self.kinds, *key, slot);
        }
        for key in &signature.rejected {
            push(&mut self.rejected, *key, slot);
        }
        push(&mut self.exact, signature.plain, slot);
        let mut mentioned = signature.all.clone();
        mentioned.sort_unstable();
        self.mentioned.insert(slot, mentioned.into_boxed_slice());
    }

    /// Numbers of all texts that may not be distinct from this one, ascending, each once.
    pub(super) fn candidates(&self, signature: &Signature) -> Vec<Slot> {
        let listed = |map: &HashMap<u64, Vec<Slot>>, keys: &[u64]| -> Vec<Slot> {
            keys.iter().filter_map(|key| map.get(key)).flatten().copied().collect()
        };
        let mut out = Vec::new();
        for set in &signature.sets {
            let mut found = listed(&self.all, &self.rarest(set));
            found.sort_unstable();
            found.dedup();
            found.retain(|slot| self.shares_enough(*slot, set));
            out.extend(found);
        }
        out.extend(listed(&self.kinds, &signature.kinds));
        out.extend(listed(&self.all, &signature.rejected));
        if !self.rejected.is_empty() {
            out.extend(listed(&self.rejected, &signature.all));
        }
        out.extend(listed(&self.exact, &[signature.plain]));
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether a text mentions all of a set but what may be missing.
    fn shares_enough(&self, slot: Slot, set: &KeySet) -> bool {
        let Some(mentioned) = self.mentioned.get(&slot) else { return true };
        let missing = set.keys.iter().filter(|key| mentioned.binary_search(key).is_err());
        missing.take(set.spare + 1).count() <= set.spare
    }

    /// The keys of a set that the fewest texts have; one more than may be missing.
    fn rarest(&self, set: &KeySet) -> Vec<u64> {
        let mut keys = set.keys.clone();
        keys.sort_unstable_by_key(|key| (self.all.get(key).map(Vec::len).unwrap_or_default(), *key));
        keys.truncate(set.spare + 1);
        keys
    }
}

fn push(map: &mut HashMap<u64, Vec<Slot>>, key: u64, slot: Slot) {
    let slots = map.entry(key).or_default();
    if slots.last() != Some(&slot) {
        slots.push(slot);
    }
}

/// A prepared text with its signature.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) prepared: Prepared,
    pub(super) signature: Signature,
}

impl Known {
    pub(super) fn new(text: &str) -> Self {
        let prepared = Prepared::new(text);
        let signature = prepared.signature();
        Self { prepared, signature }
    }

    /// As [`Known::new`], for keeping.
    #[cfg(not(test))]
    pub(super) fn shared(text: &str) -> Arc<Self> {
        Arc::new(Self::new(text))
    }

    /// Property tests read the same few texts a million times.
    #[cfg(test)]
    pub(super) fn shared(text: &str) -> Arc<Self> {
        thread_local!(static READ: std::cell::RefCell<HashMap<String, Arc<Known>>> = std::cell::RefCell::default());
        READ.with_borrow_mut(|read| {
            Arc::clone(read.entry(text.to_owned()).or_insert_with(|| Arc::new(Self::new(text))))
        })
    }
}
