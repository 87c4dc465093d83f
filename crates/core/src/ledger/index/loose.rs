//! Texts by everything they mention, in keys that hold across languages. Most texts never meet one of the other language,
//! nor one that turns something down: the lists are made when they are first asked for.

use std::sync::{Arc, OnceLock};

use super::super::compare::{Key, KeySet};
use super::{Postings, Slot, bits, post, posted};

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Loose {
    texts: Vec<Slot>,
    by_key: OnceLock<Postings>,
}

/// What a text mentions.
#[derive(Debug, Clone)]
pub(super) struct Mentioned {
    bits: u64,
    /// Ascending.
    keys: Arc<[Key]>,
}

impl Loose {
    pub(super) fn add(&mut self, slot: Slot, mentioned: &Mentioned) {
        self.texts.push(slot);
        if let Some(by_key) = self.by_key.get_mut() {
            mentioned.keys.iter().for_each(|key| post(by_key, *key, slot));
        }
    }

    /// `mentioned` by slot.
    fn by_key(&self, mentioned: &[Mentioned]) -> &Postings {
        self.by_key.get_or_init(|| {
            let mut by_key = Postings::default();
            for slot in &self.texts {
                let keys = mentioned.get(*slot as usize).map(|text| &*text.keys).unwrap_or_default();
                keys.iter().for_each(|key| post(&mut by_key, *key, *slot));
            }
            by_key
        })
    }

    /// Texts that mention this.
    pub(super) fn mentioning(&self, key: Key, mentioned: &[Mentioned]) -> &[Slot] {
        if self.texts.is_empty() { &[] } else { posted(self.by_key(mentioned), key) }
    }

    /// Texts that mention all of a set but what may be missing. They are among those that have one of the set's rarest
    /// keys; there is one more of these than may be missing.
    pub(super) fn sharing(&self, set: &KeySet, mentioned: &[Mentioned], out: &mut Vec<Slot>) {
        if self.texts.is_empty() {
            return;
        }
        let by_key = self.by_key(mentioned);
        let mut lists: Vec<&[Slot]> = set.keys.iter().map(|key| posted(by_key, *key)).collect();
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
    pub(super) fn new(keys: &Arc<[Key]>) -> Self {
        Self { bits: bits(keys.iter().copied()), keys: Arc::clone(keys) }
    }

    /// No more of the set is missing than may be.
    pub(super) fn shares_enough(&self, set: &KeySet) -> bool {
        let missing = set.keys.iter().filter(|key| self.keys.binary_search(key).is_err());
        missing.take(set.spare + 1).count() <= set.spare
    }
}
