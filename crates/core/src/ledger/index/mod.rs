//! An inverted index over prepared texts: gives every text that may not be distinct from a given one, and few others.
//!
//! Two ways lead to a text. The [`loose`] one holds for all: whatever is not distinct shares at least half of the content
//! of a clause. The [`tight`] one holds for clauses of one language that turn nothing down, which is nearly all: beside a
//! related clause hardly a word stands alone, or both answer the same question. Either way a clause is looked up by its
//! rarest words alone (prefix filtering), and one that many texts share ("as agreed") is no reason to look at them all. Which are rare is asked at the time, so that the index serves a growing ledger
//! as well as a list that is known in advance.

mod loose;
mod tight;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, LazyLock, Mutex};

use foldhash::fast::RandomState;
use loose::{Loose, Mentioned};
use smallvec::SmallVec;
use tight::Tight;

use super::compare::{Key, Prepared, Signature};

/// Number of a text in an index: they are given out without gaps, in order.
pub(super) type Slot = u32;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    languages: [Language; 2],
    kinds: Postings,
    rejected: Postings,
    exact: Postings,
    /// What each text mentions, by slot.
    mentioned: Vec<Mentioned>,
}

/// The texts of one language.
#[derive(Debug, Clone, Default)]
struct Language {
    plain: Loose,
    /// Those that turn something down.
    turning_down: Loose,
    /// Clauses of the plain ones.
    clauses: Tight,
}

/// Something for each key.
type ByKey<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

/// Something for each whole hash.
type ByHash<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

/// Ascending. Most keys are rare, so that a few numbers need no memory of their own.
type List = SmallVec<[u32; 4]>;

/// Who has a key.
type Postings = ByKey<List>;

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

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    /// In both halves: a map looks at the upper bits and at the lower ones.
    fn write_u32(&mut self, key: Key) {
        self.0 = u64::from(key) << Key::BITS | u64::from(key);
    }
}

impl Index {
    /// Adds the text with the next number, which is `slot`.
    pub(super) fn add(&mut self, slot: Slot, signature: &Signature) {
        let [other, serbian] = &mut self.languages;
        let language = if signature.serbian { serbian } else { other };
        let mentioned = Mentioned::new(&signature.all);
        if signature.rejected.is_empty() {
            language.plain.add(slot, &mentioned);
            language.clauses.add(slot, &signature.clauses);
        } else {
            language.turning_down.add(slot, &mentioned);
        }
        signature.kinds.iter().for_each(|key| post(&mut self.kinds, *key, slot));
        signature.rejected.iter().for_each(|key| post(&mut self.rejected, *key, slot));
        post(&mut self.exact, signature.plain, slot);
        append(&mut self.mentioned, mentioned);
    }

    /// Numbers of all texts that may not be distinct from this one, ascending, each once.
    pub(super) fn candidates(&self, signature: &Signature) -> Vec<Slot> {
        let mut out: Vec<Slot> = Vec::new();
        for (language, serbian) in self.languages.iter().zip([false, true]) {
            if serbian == signature.serbian && signature.rejected.is_empty() {
                language.clauses.related(&signature.clauses, &mut out);
            } else {
                signature.sets().for_each(|set| language.plain.sharing(set, &self.mentioned, &mut out));
            }
            signature.sets().for_each(|set| language.turning_down.sharing(set, &self.mentioned, &mut out));
            for texts in [&language.plain, &language.turning_down] {
                let found = signature.rejected.iter().map(|key| texts.mentioning(*key, &self.mentioned));
                found.for_each(|slots| out.extend(slots));
            }
        }
        signature.kinds.iter().for_each(|key| out.extend(posted(&self.kinds, *key)));
        signature.all.iter().for_each(|key| out.extend(posted(&self.rejected, *key)));
        out.extend(posted(&self.exact, signature.plain));
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// One bit for each key: what has no bit here is not among the keys.
fn bits(keys: impl IntoIterator<Item = Key>) -> u64 {
    keys.into_iter().fold(0, |bits, key| bits | 1 << (key >> 26))
}

/// Adds to a list that may grow long, with room for a quarter more at most.
fn append<T>(list: &mut Vec<T>, one: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 4);
    }
    list.push(one);
}

fn post(map: &mut Postings, key: Key, one: u32) {
    let list = map.entry(key).or_default();
    if list.last() != Some(&one) {
        list.push(one);
    }
}

fn posted(map: &Postings, key: Key) -> &[u32] {
    map.get(&key).map(SmallVec::as_slice).unwrap_or_default()
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

    /// As [`Known::new`]. What was asked for last is at hand: texts are compared again and again, and to read one takes
    /// longer than to compare it, but all of a long session, ready for comparison, would fill megabytes. Nobody waits for
    /// another thread here: while one looks, others read for themselves.
    pub(super) fn shared(text: &str) -> Arc<Self> {
        let found = RECENT.try_lock().ok().and_then(|mut recent| recent.find(text));
        found.unwrap_or_else(|| {
            let known = Arc::new(Self::new(text));
            if let Ok(mut recent) = RECENT.try_lock() {
                recent.keep(text.into(), Arc::clone(&known));
            }
            known
        })
    }
}

/// Texts that were asked for since the older ones were put aside, and those that were put aside then.
#[derive(Default)]
struct Recent {
    newer: Texts,
    older: Texts,
}

type Texts = HashMap<Box<str>, Arc<Known>, RandomState>;

/// Texts of either age; about two kilobytes each, of all sessions of the process.
const RECENT_TEXTS: usize = 256;

static RECENT: LazyLock<Mutex<Recent>> = LazyLock::new(Mutex::default);

impl Recent {
    fn find(&mut self, text: &str) -> Option<Arc<Known>> {
        if let Some(known) = self.newer.get(text) {
            return Some(Arc::clone(known));
        }
        let (text, known) = self.older.remove_entry(text)?;
        self.keep(text, Arc::clone(&known));
        Some(known)
    }

    fn keep(&mut self, text: Box<str>, known: Arc<Known>) {
        if self.newer.len() >= RECENT_TEXTS {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(text, known);
    }
}

#[cfg(test)]
mod tests;
