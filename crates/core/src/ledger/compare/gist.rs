//! A look at two clauses that tells most distinct ones apart before they are related word by word, with the same outcome.

use super::lexicon::class;
use super::prepare::{Segment, Token};

/// What is needed of a clause.
#[derive(Debug, Clone, Default)]
pub(super) struct Gist {
    /// Keys of the words that nothing but their like in the other clause takes out, ascending.
    plain: Box<[u64]>,
    /// Keys of all words and values, ascending.
    all: Box<[u64]>,
    /// Words that may negate one of the other clause by their prefix.
    negating: usize,
}

impl Gist {
    pub(super) fn of(segment: &Segment) -> Self {
        let told = || segment.tokens.iter();
        Self {
            plain: ascending(told().filter(|t| is_plain(t))),
            all: ascending(told()),
            negating: told().filter(|t| t.word.may_negate()).count(),
        }
    }

    /// How many words of this clause surely stand alone beside `other`.
    fn alone(&self, other: &Self) -> usize {
        let alone = self.plain.iter().filter(|key| !other.all.contains(key)).count();
        alone.saturating_sub(other.negating)
    }

    /// Whether both clauses surely speak of different things: each has words of its own, one of them several, so that
    /// nothing but the same choice frame or a rejection can relate them.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.alone(other), other.alone(self));
        ours.min(theirs) >= 1 && ours.max(theirs) >= 2
    }
}

/// A content word without an opposite: where it has no like, it stays.
fn is_plain(token: &Token) -> bool {
    token.heavy()
        && !token.generic
        && token.contraries.is_empty()
        && !token.word.may_negate()
        && token.word.order().is_none()
        && token.class & class::CHANGE == 0
}

fn ascending<'a>(tokens: impl Iterator<Item = &'a Token>) -> Box<[u64]> {
    let mut keys: Vec<u64> = tokens.map(|t| t.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_boxed_slice()
}
