//! A look at two clauses that tells most distinct ones apart before they are related word by word, with the same outcome.

use smallvec::SmallVec;

use super::lexicon::class;
use super::prepare::{Segment, Token};

/// A word or value by the upper half of its hash. Two that share it are taken for one, which makes texts look more alike
/// than they are: whoever looks for what may not be distinct finds a little more, never less.
pub(crate) type Key = u32;

/// See [`Key`].
pub(crate) fn short(hash: u64) -> Key {
    let [a, b, c, d, ..] = hash.to_be_bytes();
    Key::from_be_bytes([a, b, c, d])
}

/// A plain word of a clause: its key with each of its stems.
pub(crate) type PlainWord = [(Key, Key)];

/// What is needed of a clause. Keys are those within one language.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gist {
    /// The words that nothing takes out but their like or their negation in the other clause: their keys with their
    /// stems, ascending; a key stands there once for each stem.
    plain: Box<[(Key, Key)]>,
    /// Keys of all words and values, ascending.
    pub(crate) all: Box<[Key]>,
    /// Stems that a word here negates by its prefix.
    pub(crate) negates: Box<[Key]>,
}

/// How many words of its own a clause may have beside another that it is not plainly distinct from, where the other has
/// no more: see [`Gist::differs`].
pub(crate) const FEW: usize = 1;

impl Gist {
    pub(super) fn of(segment: &Segment) -> Self {
        let told = || segment.tokens.iter();
        let others = |token: &Token| told().any(|t| t.key == token.key && !is_plain(t));
        let fixed = |token: &&Token| is_plain(token) && !others(token);
        Self {
            plain: ascending(told().filter(fixed).map(|t| (short(t.key), short(t.word.stem())))),
            all: ascending(told().map(|t| short(t.key))),
            negates: ascending(told().filter_map(|t| t.word.negated()).map(short)),
        }
    }

    /// The plain words.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &PlainWord> {
        self.plain.chunk_by(|(x, _), (y, _)| x == y)
    }

    /// How many words of this clause surely stand alone beside `other`.
    fn alone(&self, other: &Self) -> usize {
        let met = |(key, stem): &(Key, Key)| other.all.contains(key) || other.negates.contains(stem);
        self.plain().filter(|word| !word.iter().any(met)).count()
    }

    /// Whether both clauses surely speak of different things: each has words of its own, one of them several, so that
    /// nothing but the same choice frame or a rejection can relate them.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.alone(other), other.alone(self));
        ours.min(theirs) >= 1 && ours.max(theirs) > FEW
    }
}

#[cfg(test)]
impl Gist {
    /// With so much of each key alone: many words are taken for one.
    pub(super) fn blurred(&self, mask: Key) -> Self {
        let all = |keys: &[Key]| ascending(keys.iter().map(|key| key & mask));
        Self {
            plain: ascending(self.plain.iter().map(|(key, stem)| (key & mask, stem & mask))),
            all: all(&self.all),
            negates: all(&self.negates),
        }
    }
}

/// A content word without an opposite: where it has no like, it stays.
fn is_plain(token: &Token) -> bool {
    token.heavy()
        && !token.generic
        && token.contraries.is_empty()
        && token.word.negated().is_none()
        && token.word.order().is_none()
        && token.class & class::CHANGE == 0
}

/// Each item once, ascending.
pub(super) fn ascending<T: Ord + Copy, All: for<'a> From<&'a [T]>>(items: impl Iterator<Item = T>) -> All {
    let mut items: SmallVec<[T; 16]> = items.collect();
    items.sort_unstable();
    items.dedup();
    All::from(&items)
}
