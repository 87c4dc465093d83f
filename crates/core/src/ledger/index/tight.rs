//! Clauses of one language that turn nothing down, by what must be met for two of them not to be distinct. Each
//! mentions at least half of what the other says. And their gists do not differ, or they answer the same question; gists that do not
//! differ leave a few words alone at most on either side, or none on one side.
//!
//! A clause that several texts share word for word is here once. Such a clause never conflicts with itself, so that it
//! relates two texts only where it is all that one of them says, or where all other clauses of one are met as well.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::super::compare::{Clause, Extent, FEW, Gist, KeySet};
use super::{KeyHasher, Postings, Slot, bits, post, posted};

/// See the module. Numbers in the lists are those of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Tight {
    rows: Vec<Row>,
    /// The bits of each row, apart from the rest because they tell most pairs apart.
    bits: Vec<Bits>,
    /// Who says a clause, by its exact words.
    said: HashMap<u64, Said, BuildHasherDefault<KeyHasher>>,
    /// Texts by two of their clauses, the rarest when they came.
    couples: Postings,
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

/// The texts that say a clause, each ascending.
#[derive(Debug, Clone, Default)]
struct Said {
    /// As their only clause.
    only: Vec<Slot>,
    /// As one of several.
    part: Vec<Slot>,
    /// As all of several together.
    whole: Vec<Slot>,
    /// It has rows: as a quiet clause, as one that is not.
    listed: (bool, bool),
}

/// A clause with one of its sets.
#[derive(Debug, Clone)]
struct Row {
    exact: u64,
    /// How much of its content may be missing.
    spare: u32,
    /// Bits of what it says.
    content: u64,
    says: Box<[u64]>,
    gist: Arc<Gist>,
}

impl Row {
    fn new(clause: &Clause, set: &KeySet) -> Self {
        Self {
            exact: clause.exact,
            spare: count(set.spare),
            content: bits(set.local.iter().copied()),
            says: set.local.as_slice().into(),
            gist: Arc::clone(&clause.gist),
        }
    }

    /// Whether `other` mentions half of what it says.
    fn is_met_by(&self, other: &Self) -> bool {
        let missing = self.says.iter().filter(|key| !other.gist.all.contains(key));
        count(missing.count()) <= self.spare
    }

    /// The same by bits, which tell most pairs apart.
    fn may_be_met_by(&self, mentions: u64) -> bool {
        (self.content & !mentions).count_ones() <= self.spare
    }
}

/// What a clause speaks of, in bits.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Everything mentioned: light words as well.
    mentions: u64,
    /// The plain words.
    plain: u64,
    /// How many words may negate another.
    negates: u32,
}

impl Bits {
    fn of(gist: &Gist) -> Self {
        Self {
            mentions: bits(gist.all.iter().copied()),
            plain: bits(gist.plain().filter_map(|word| word.first()).map(|(key, _)| *key)),
            negates: count(gist.negates.len()),
        }
    }

    /// Whether at most `few` of its plain words may stand alone beside the other.
    fn may_be_met_by(self, other: Self, few: usize) -> bool {
        (self.plain & !other.mentions).count_ones() <= count(few) + other.negates
    }
}

/// A clause whose relations are looked for.
struct Asked<'a> {
    tight: &'a Tight,
    clause: &'a Clause,
    row: Row,
    bits: Bits,
    /// Numbers of related rows, some more than once.
    found: Vec<u32>,
}

impl Tight {
    /// Adds the clauses of a text.
    pub(super) fn add(&mut self, slot: Slot, clauses: &[Clause]) {
        for clause in clauses {
            let said = self.said.entry(clause.exact).or_default();
            let texts = match clause.extent {
                Extent::Only => &mut said.only,
                Extent::Part => &mut said.part,
                Extent::Whole => &mut said.whole,
            };
            if texts.last() != Some(&slot) {
                texts.push(slot);
            }
            let listed = if clause.quiet { &mut said.listed.0 } else { &mut said.listed.1 };
            if std::mem::replace(listed, true) {
                continue;
            }
            for set in &clause.sets {
                let Ok(number) = u32::try_from(self.rows.len()) else { return };
                self.rows.push(Row::new(clause, set));
                self.bits.push(Bits::of(&clause.gist));
                self.list(number, clause, set);
            }
        }
        let mut parts = parts(clauses);
        parts.sort_by_key(|exact| self.having_part(*exact).len());
        if let [first, second, ..] = parts.as_slice() {
            post(&mut self.couples, couple(*first, *second), slot);
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

    /// Texts that may not be distinct from one with these clauses, some more than once.
    pub(super) fn related(&self, clauses: &[Clause], out: &mut Vec<Slot>) {
        for clause in clauses {
            for set in &clause.sets {
                let mut asked = Asked::new(self, clause, set);
                asked.look(set);
                asked.texts(out);
            }
        }
        self.made_of_the_same(&parts(clauses), out);
    }

    /// Texts whose clauses are all among these, and texts that have all of these.
    fn made_of_the_same(&self, parts: &[u64], out: &mut Vec<Slot>) {
        for (at, first) in parts.iter().enumerate() {
            let others = parts.iter().skip(at + 1);
            others.for_each(|second| out.extend(posted(&self.couples, couple(*first, *second))));
        }
        let mut lists: Vec<&[Slot]> = parts.iter().map(|exact| self.having_part(*exact)).collect();
        lists.sort_unstable_by_key(|list| list.len());
        if let Some((rarest, others)) = lists.split_first() {
            let has_all = |slot: &&Slot| others.iter().all(|list| list.binary_search(slot).is_ok());
            out.extend(rarest.iter().filter(has_all));
        }
    }

    /// Texts that say this clause among others.
    fn having_part(&self, exact: u64) -> &[Slot] {
        self.said.get(&exact).map(|said| said.part.as_slice()).unwrap_or_default()
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

impl<'a> Asked<'a> {
    fn new(tight: &'a Tight, clause: &'a Clause, set: &KeySet) -> Self {
        let (row, bits) = (Row::new(clause, set), Bits::of(&clause.gist));
        Self { tight, clause, row, bits, found: Vec::new() }
    }

    fn look(&mut self, set: &KeySet) {
        let (tight, gist) = (self.tight, &*self.clause.gist);
        let alike = |row: &Row| !gist.differs(&row.gist);
        let (ours, any) = (self.bits, |_| true);
        if self.clause.quiet {
            return set.local.iter().for_each(|key| self.take(posted(&tight.brief, *key), any, alike));
        }
        // Those that leave few of its words alone: they have one of its rarest, of which there is one more.
        let leaves_few = |row: Bits| ours.may_be_met_by(row, FEW);
        let mut words: Vec<&[(u64, u64)]> = gist.plain().collect();
        if words.len() > FEW {
            words.sort_by_cached_key(|word| tight.frequency(word));
            for list in words.iter().take(FEW + 1).flat_map(|word| tight.mentioning_word(word)) {
                self.take(list, leaves_few, alike);
            }
        } else {
            let mut lists: Vec<&[u32]> =
                set.local.iter().map(|key| posted(&tight.mentioning, *key)).collect();
            lists.sort_unstable_by_key(|list| list.len());
            lists.into_iter().take(set.spare + 1).for_each(|list| self.take(list, any, alike));
        }
        // Those that have nothing alone beside it.
        let is_met = |row: Bits| row.may_be_met_by(ours, 0);
        let anchored = gist.all.iter().map(|key| posted(&tight.anchored, *key));
        let by_stem = gist.negates.iter().map(|stem| posted(&tight.anchored_stems, *stem));
        for list in anchored.chain(by_stem) {
            self.take(list, is_met, alike);
        }
        gist.all.iter().for_each(|key| self.take(posted(&tight.vague, *key), any, alike));
        let questions = self.clause.questions.iter();
        questions.for_each(|question| self.take(posted(&tight.answering, *question), any, |_| true));
    }

    /// Keeps those that may be related, by their bits and by what they say; each mentions half of what the other says.
    fn take(&mut self, numbers: &[u32], may: impl Fn(Bits) -> bool, fits: impl Fn(&Row) -> bool) {
        let related = |number: &&u32| {
            let at = **number as usize;
            self.tight.bits.get(at).is_some_and(|bits| may(*bits) && self.row.may_be_met_by(bits.mentions))
                && self.tight.rows.get(at).is_some_and(|row| {
                    row.may_be_met_by(self.bits.mentions)
                        && fits(row)
                        && self.row.is_met_by(row)
                        && row.is_met_by(&self.row)
                })
        };
        self.found.extend(numbers.iter().filter(related));
    }

    /// The texts of all that was found.
    fn texts(mut self, out: &mut Vec<Slot>) {
        self.found.sort_unstable();
        self.found.dedup();
        let exact =
            self.found.iter().filter_map(|number| self.tight.rows.get(*number as usize)).map(|row| row.exact);
        let is_part = self.clause.extent == Extent::Part;
        for exact in exact {
            let Some(said) = self.tight.said.get(&exact) else { continue };
            out.extend(&said.only);
            if self.clause.extent != Extent::Whole && !(is_part && exact == self.clause.exact) {
                out.extend(&said.part);
            }
            if !is_part {
                out.extend(&said.whole);
            }
        }
    }
}

/// The clauses of a text that has several, by their exact words, each once.
fn parts(clauses: &[Clause]) -> Vec<u64> {
    let mut parts: Vec<u64> =
        clauses.iter().filter(|clause| clause.extent == Extent::Part).map(|clause| clause.exact).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Names two clauses, in whatever order.
fn couple(first: u64, second: u64) -> u64 {
    let (lower, higher) = (first.min(second), first.max(second));
    lower.rotate_left(29) ^ higher
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
