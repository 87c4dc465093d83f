//! What an index needs of a text to find all texts that may not be distinct from it.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use foldhash::quality::RandomState;
use smallvec::{SmallVec, smallvec};

use super::gist::{Gist, Key, ascending, short};
use super::prepare::{Prepared, Segment, Slot, Token, hash};

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    /// The clauses, and of several the whole; each related to those of another text.
    pub(crate) clauses: Vec<Clause>,
    /// Kinds of clauses that say one thing only.
    pub(crate) kinds: Vec<Key>,
    /// Everything mentioned, ascending.
    pub(crate) all: Arc<[Key]>,
    /// Everything turned down.
    pub(crate) rejected: Vec<Key>,
    /// The folded words.
    pub(crate) plain: Key,
    /// Its language; keys of [`Gist`] hold within one.
    pub(crate) serbian: bool,
}

/// A clause or a whole text.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// Texts that are not distinct share at least half of a set, both ways. None without content.
    pub(crate) sets: SmallVec<[KeySet; 1]>,
    /// Clauses of one language that turn nothing down and ask no question alike are distinct where their gists differ.
    pub(crate) gist: Arc<Gist>,
    /// Names of the questions that it answers.
    pub(crate) questions: Box<[Key]>,
    /// A bare word beside other clauses ("use X for Y, and Z"). Two of them never conflict, and texts do not say the same
    /// for that alone, so that a pair of them is no reason to compare their texts.
    pub(crate) quiet: bool,
    /// Names its words with all that comparison looks at, within this process: clauses that share it never conflict.
    pub(crate) exact: u64,
    /// What it is of its text.
    pub(crate) extent: Extent,
}

/// How much of its text a clause is. Wholes are related to wholes, parts to parts, and all to what is the only clause of
/// its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// There is no other.
    Only,
    /// One of several. Two that are exactly alike relate their texts only where all clauses of one of the two are met.
    Part,
    /// All of several together.
    Whole,
}

/// The content of a clause.
#[derive(Debug, Clone)]
pub(crate) struct KeySet {
    /// As keys that hold across languages, each once, ascending.
    pub(crate) keys: Box<[Key]>,
    /// As keys that hold within one, likewise.
    pub(crate) local: Box<[Key]>,
    /// How many of them may be missing in a text that is not distinct.
    pub(crate) spare: usize,
}

impl Prepared {
    /// What an index needs of this text.
    pub(crate) fn signature(&self) -> Signature {
        let whole = (self.segments.len() != 1).then_some(self.whole());
        let in_company = !self.segments.iter().all(is_bare);
        let mut clauses: Vec<Clause> =
            self.segments.iter().map(|s| Clause::of(s, in_company && is_bare(s))).collect();
        let differ = clauses.iter().zip(clauses.iter().skip(1)).any(|(a, b)| a.exact != b.exact);
        if differ {
            clauses.iter_mut().for_each(|clause| clause.extent = Extent::Part);
        }
        clauses.extend(whole.map(|whole| Clause { extent: Extent::Whole, ..Clause::of(whole, false) }));
        let lone_kind = |segment: &Segment| {
            let mut told = segment.tokens.iter().filter(|t| !t.light);
            let only = told.next().filter(|_| told.next().is_none())?;
            only.kind.map(|kind| short(hash(&format!("kind {kind}"))))
        };
        let kinds = self.segments.iter().chain([self.whole()]).filter_map(lone_kind).collect();
        let all = ascending(self.whole().tokens.iter().map(|t| short(t.alt)));
        let rejected = self.whole().rejected.iter().map(|(_, alt)| short(*alt)).collect();
        Signature { clauses, kinds, all, rejected, plain: short(hash(&self.plain)), serbian: self.serbian }
    }
}

impl Signature {
    /// How much is said: content words and values of all clauses.
    pub(crate) fn content(&self) -> usize {
        self.sets().map(|set| set.keys.len()).max().unwrap_or_default()
    }

    /// The sets of all clauses.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &KeySet> {
        self.clauses.iter().flat_map(|clause| &clause.sets)
    }
}

#[cfg(test)]
impl Signature {
    /// With so much of each key alone: many words are taken for one.
    pub(crate) fn blurred(mut self, mask: Key) -> Self {
        let blur = |keys: &mut [Key]| keys.iter_mut().for_each(|key| *key &= mask);
        for clause in &mut self.clauses {
            clause.gist = Arc::new(clause.gist.blurred(mask));
            blur(&mut clause.questions);
            for set in &mut clause.sets {
                set.keys = ascending(set.keys.iter().map(|key| key & mask));
                set.local = ascending(set.local.iter().map(|key| key & mask));
            }
        }
        self.all = ascending(self.all.iter().map(|key| key & mask));
        blur(&mut self.kinds);
        blur(&mut self.rejected);
        self.plain &= mask;
        self
    }
}

impl Clause {
    fn of(segment: &Segment, quiet: bool) -> Self {
        let mut sets = smallvec![KeySet::among(segment, |_| true)];
        // Verbs of change may be left out ("stay on 14", "upgrade to 16").
        if segment.tokens.iter().any(|t| !t.light && t.changes()) {
            sets.push(KeySet::among(segment, |t| !t.changes()));
        }
        sets.retain(|set: &mut KeySet| !set.keys.is_empty());
        Self {
            sets,
            gist: Arc::clone(&segment.gist),
            questions: ascending(segment.questions().map(short)),
            quiet,
            exact: segment.exact(),
            extent: Extent::Only,
        }
    }
}

impl KeySet {
    fn among(segment: &Segment, counts: impl Fn(&Token) -> bool) -> Self {
        let told = || segment.tokens.iter().filter(|t| !t.light && counts(t));
        // Counted by whole hashes: two keys that are taken for one leave no less to be missing.
        let words: SmallVec<[u64; 16]> = ascending(told().map(|t| t.key));
        let spare = words.len() / 2;
        let local = ascending(words.into_iter().map(short));
        Self { keys: ascending(told().map(|t| short(t.alt))), local, spare }
    }
}

impl Segment {
    /// See [`Clause::exact`].
    fn exact(&self) -> u64 {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
        let mut hasher = STATE.build_hasher();
        (self.negative, self.restrictive, self.passive, self.copula, self.is_thing).hash(&mut hasher);
        (&self.skeleton, &self.rejected).hash(&mut hasher);
        for token in &self.tokens {
            (&*token.word, token.key, token.slot, token.class, &token.value).hash(&mut hasher);
            (token.light, token.generic, token.label, token.proper).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// One plain word and no more: nothing in it can be the contrary of another such clause.
fn is_bare(segment: &Segment) -> bool {
    let placed = |token: &Token| matches!(token.slot, Slot::After(_));
    !segment.negative
        && segment.rejected.is_empty()
        && segment.gist.plain().count() == 1
        && matches!(segment.tokens.as_slice(), [token] if token.kind.is_none() && !placed(token))
}
