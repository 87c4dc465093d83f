//! An inverted index over prepared texts: gives every text that may not be distinct from a given one, and few others.
//!
//! Whatever is not distinct shares at least half of the content of a clause, both ways. So a text is looked up by its
//! rarest keys alone (prefix filtering): whatever has none of these has too little left to share. Which keys are rare is
//! asked at the time, so that the index serves a growing ledger as well as a list that is known in advance.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::compare::{KeySet, Prepared, Signature};

/// Number of a text in an index: they are given out without gaps, in order.
pub(super) type Slot = u32;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    all: Postings,
    kinds: Postings,
    rejected: Postings,
    exact: Postings,
    /// What each text mentions, by slot.
    mentioned: Vec<Mentioned>,
}

/// The texts that have a key, ascending.
type Postings = HashMap<u64, Vec<Slot>, BuildHasherDefault<KeyHasher>>;

#[derive(Debug, Clone)]
struct Mentioned {
    /// One bit for each key: what has no bit here is not mentioned.
    bits: u64,
    /// Ascending.
    keys: Box<[u64]>,
}

/// Keys are hashes already.
#[derive(Debug, Clone, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl Index {
    /// Adds the text with the next number, which is `slot`.
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
        let keys = signature.all.clone().into_boxed_slice();
        self.mentioned.push(Mentioned { bits: bits(&keys), keys });
    }

    /// Numbers of all texts that may not be distinct from this one, ascending, each once.
    pub(super) fn candidates(&self, signature: &Signature) -> Vec<Slot> {
        let listed = |map: &Postings, keys: &[u64], out: &mut Vec<Slot>| {
            out.extend(keys.iter().filter_map(|key| map.get(key)).flatten());
        };
        let mut out = Vec::new();
        for set in &signature.sets {
            self.sharing(set, &mut out);
        }
        listed(&self.kinds, &signature.kinds, &mut out);
        listed(&self.all, &signature.rejected, &mut out);
        if !self.rejected.is_empty() {
            listed(&self.rejected, &signature.all, &mut out);
        }
        listed(&self.exact, &[signature.plain], &mut out);
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Texts that mention all of a set but what may be missing. They are among those that have one of the set's rarest
    /// keys; there is one more of these than may be missing.
    fn sharing(&self, set: &KeySet, out: &mut Vec<Slot>) {
        let texts = |key: &u64| self.all.get(key).map(Vec::as_slice).unwrap_or_default();
        let mut lists: Vec<&[Slot]> = set.keys.iter().map(texts).collect();
        lists.sort_unstable_by_key(|list| list.len());
        lists.truncate(set.spare + 1);
        let wanted = bits(&set.keys);
        for slot in lists.into_iter().flatten() {
            let Some(text) = self.mentioned.get(*slot as usize) else { continue };
            let surely_missing = (wanted & !text.bits).count_ones() as usize;
            if surely_missing <= set.spare && text.shares_enough(set) {
                out.push(*slot);
            }
        }
    }
}

impl Mentioned {
    fn shares_enough(&self, set: &KeySet) -> bool {
        let missing = set.keys.iter().filter(|key| self.keys.binary_search(key).is_err());
        missing.take(set.spare + 1).count() <= set.spare
    }
}

/// A bit for each key.
fn bits(keys: &[u64]) -> u64 {
    keys.iter().fold(0, |bits, key| bits | 1 << (key >> 58))
}

fn push(map: &mut Postings, key: u64, slot: Slot) {
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

    /// As [`Known::new`], for keeping: a text that is proposed is learned right after it, and read once.
    pub(super) fn shared(text: &str) -> Arc<Self> {
        RECENT.with_borrow_mut(|recent| {
            if let Some((_, known)) = recent.iter().rev().find(|(read, _)| read == text) {
                return Arc::clone(known);
            }
            let known = Arc::new(Self::new(text));
            if recent.len() >= RECENT_TEXTS {
                recent.pop_front();
            }
            recent.push_back((text.to_owned(), Arc::clone(&known)));
            known
        })
    }
}

/// Texts that a thread has read last. Property tests read the same few texts a million times.
const RECENT_TEXTS: usize = if cfg!(test) { 256 } else { 8 };

thread_local! {
    static RECENT: RefCell<VecDeque<(String, Arc<Known>)>> = RefCell::default();
}
