//! Texts by everything they mention, in keys that hold across languages.

use super::super::compare::{KeySet, Signature};
use super::{Postings, Slot, bits, post, posted};

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Loose {
    all: Postings,
}

/// What a text mentions.
#[derive(Debug, Clone)]
pub(super) struct Mentioned {
    bits: u64,
    /// Ascending.
    keys: Box<[u64]>,
}

impl Loose {
    pub(super) fn add(&mut self, slot: Slot, signature: &Signature) {
        signature.all.iter().for_each(|key| post(&mut self.all, *key, slot));
    }

    /// Texts that mention this.
    pub(super) fn mentioning(&self, key: u64) -> &[Slot] {
        posted(&self.all, key)
    }

    /// Texts that mention all of a set but what may be missing. They are among those that have one of the set's rarest
    /// keys; there is one more of these than may be missing.
    pub(super) fn sharing(&self, set: &KeySet, mentioned: &[Mentioned], out: &mut Vec<Slot>) {
        if self.all.is_empty() {
            return;
        }
        let mut lists: Vec<&[Slot]> = set.keys.iter().map(|key| posted(&self.all, *key)).collect();
        lists.sort_unstable_by_key(|list| list.len());
        lists.truncate(set.spare + 1);
        let wanted = bits(set.keys.iter().copied());
        for slot in lists.into_iter().flatten() {
            let Some(text) = mentioned.get(*slot as usize) else { continue };
            let surely_missing = (wanted & !text.bits).count_ones() as usize;
            if surely_missing <= set.spare && text.shares_enough(set) {
                out.push(*slot);
            }
        }
    }
}

impl Mentioned {
    /// `keys` ascending.
    pub(super) fn new(keys: &[u64]) -> Self {
        Self { bits: bits(keys.iter().copied()), keys: keys.into() }
    }

    /// No more of the set is missing than may be.
    pub(super) fn shares_enough(&self, set: &KeySet) -> bool {
        let missing = set.keys.iter().filter(|key| self.keys.binary_search(key).is_err());
        missing.take(set.spare + 1).count() <= set.spare
    }
}
