//! Clauses of one language that turn nothing down, by what must be met for two of them not to be distinct. Each
//! mentions at least half of what the other says. And their gists do not differ, or they answer the same question; gists that do not
//! differ leave a few words alone at most on either side, or none on one side.

use std::sync::Arc;

use super::super::compare::{Clause, FEW, Gist, KeySet};
use super::{Postings, Slot, bits, post, posted};

/// See the module. Numbers in the lists are those of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Tight {
    rows: Vec<Row>,
    /// By each word and value.
    mentioning: Postings,
    /// By the stem that a word negates.
    negating: Postings,
    /// Each by one of its plain words, the rarest when it came; quiet ones are not here.
    anchored: Postings,
    /// The same by the stems of that word.
    anchored_stems: Postings,
    /// Those without a plain word, by so much of their content that some of it is met.
    vague: Postings,
    /// By the questions they answer.
    answering: Postings,
    /// Those of which half may be met by a single word, by what they say; quiet ones are not here.
    brief: Postings,
}

/// A clause with one of its sets. Bits tell most pairs apart at once.
#[derive(Debug, Clone)]
struct Row {
    slot: Slot,
    /// How much of its content may be missing.
    spare: u32,
    /// How many words may negate another.
    negates: u32,
    /// Bits of what it says.
    content: u64,
    /// Bits of what it mentions: light words as well.
    mentions: u64,
    /// Bits of its plain words.
    plain: u64,
    says: Box<[u64]>,
    gist: Arc<Gist>,
}

impl Row {
    fn new(slot: Slot, clause: &Clause, set: &KeySet) -> Self {
        let gist = &clause.gist;
        let plain = gist.plain().filter_map(|word| word.first()).map(|(key, _)| *key);
        Self {
            slot,
            spare: count(set.spare),
            negates: count(gist.negates.len()),
            content: bits(set.local.iter().copied()),
            mentions: bits(gist.all.iter().copied()),
            plain: bits(plain),
            says: set.local.as_slice().into(),
            gist: Arc::clone(gist),
        }
    }

    /// Whether each mentions half of what the other says.
    fn shares_with(&self, other: &Self) -> bool {
        let surely_missing = |from: &Self, to: &Self| (from.content & !to.mentions).count_ones() > from.spare;
        let missing = |from: &Self, to: &Self| {
            let missing = from.says.iter().filter(|key| !to.gist.all.contains(key));
            count(missing.count()) > from.spare
        };
        let pairs = [(self, other), (other, self)];
        !pairs.iter().any(|(from, to)| surely_missing(from, to))
            && !pairs.iter().any(|(from, to)| missing(from, to))
    }

    /// Whether at most `few` of its plain words may stand alone beside the other.
    fn may_be_met_by(&self, other: &Self, few: u32) -> bool {
        (self.plain & !other.mentions).count_ones() <= few + other.negates
    }
}

impl Tight {
    pub(super) fn add(&mut self, slot: Slot, clause: &Clause) {
        for set in &clause.sets {
            let Ok(number) = u32::try_from(self.rows.len()) else { return };
            self.rows.push(Row::new(slot, clause, set));
            self.list(number, clause, set);
        }
    }

    fn list(&mut self, number: u32, clause: &Clause, set: &KeySet) {
        let gist = &clause.gist;
        let rarest = gist.plain().min_by_key(|word| self.frequency(word));
        match rarest {
            Some(word) if !clause.quiet => {
                for (key, stem) in word {
                    post(&mut self.anchored, *key, number);
                    post(&mut self.anchored_stems, *stem, number);
                }
            }
            Some(_) => {}
            None => {
                let mut keys = set.local.clone();
                keys.sort_by_key(|key| posted(&self.vague, *key).len());
                keys.iter().take(set.spare + 1).for_each(|key| post(&mut self.vague, *key, number));
            }
        }
        if set.local.len() <= 2 && !clause.quiet {
            set.local.iter().for_each(|key| post(&mut self.brief, *key, number));
        }
        gist.all.iter().for_each(|key| post(&mut self.mentioning, *key, number));
        gist.negates.iter().for_each(|stem| post(&mut self.negating, *stem, number));
        clause.questions.iter().for_each(|question| post(&mut self.answering, *question, number));
    }

    /// Texts with a clause that may not be distinct from this one, some more than once.
    pub(super) fn related(&self, clause: &Clause, out: &mut Vec<Slot>) {
        for set in &clause.sets {
            self.related_by(clause, set, out);
        }
    }

    fn related_by(&self, clause: &Clause, set: &KeySet, out: &mut Vec<Slot>) {
        let (gist, ours) = (&clause.gist, Row::new(0, clause, set));
        let mut take = |numbers: &[u32], fits: &dyn Fn(&Row) -> bool| {
            let rows = numbers.iter().filter_map(|number| self.rows.get(*number as usize));
            out.extend(rows.filter(|row| fits(row) && ours.shares_with(row)).map(|row| row.slot));
        };
        let alike = |row: &Row| !gist.differs(&row.gist);
        if clause.quiet {
            return set.local.iter().for_each(|key| take(posted(&self.brief, *key), &alike));
        }
        // Those that leave few of its words alone: they have one of its rarest, of which there is one more.
        let mut words: Vec<&[(u64, u64)]> = gist.plain().collect();
        if words.len() > FEW {
            words.sort_by_cached_key(|word| self.frequency(word));
            for list in words.iter().take(FEW + 1).flat_map(|word| self.mentioning_word(word)) {
                take(list, &|row| ours.may_be_met_by(row, count(FEW)) && alike(row));
            }
        } else {
            let mut lists: Vec<&[u32]> = set.local.iter().map(|key| posted(&self.mentioning, *key)).collect();
            lists.sort_unstable_by_key(|list| list.len());
            lists.into_iter().take(set.spare + 1).for_each(|list| take(list, &alike));
        }
        // Those that have nothing alone beside it.
        let anchored = gist.all.iter().map(|key| posted(&self.anchored, *key));
        let by_stem = gist.negates.iter().map(|stem| posted(&self.anchored_stems, *stem));
        for list in anchored.chain(by_stem) {
            take(list, &|row| row.may_be_met_by(&ours, 0) && alike(row));
        }
        gist.all.iter().for_each(|key| take(posted(&self.vague, *key), &alike));
        clause.questions.iter().for_each(|question| take(posted(&self.answering, *question), &|_| true));
    }

    /// Clauses that have a plain word or negate it.
    fn mentioning_word<'a>(&'a self, word: &'a [(u64, u64)]) -> impl Iterator<Item = &'a [u32]> {
        let key = word.first().map(|(key, _)| posted(&self.mentioning, *key));
        key.into_iter().chain(word.iter().map(|(_, stem)| posted(&self.negating, *stem)))
    }

    fn frequency(&self, word: &[(u64, u64)]) -> usize {
        self.mentioning_word(word).map(<[u32]>::len).sum()
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
