//! Clauses of one language that turn nothing down, by what must be met for two of them not to be distinct. Each
//! mentions at least half of what the other says. And their gists do not differ, or they answer the same question; gists that do not
//! differ leave a few words alone at most on either side, or none on one side.
//!
//! A clause that several texts share word for word is here once. Such a clause never conflicts with itself, so that it
//! relates two texts only where it is all that one of them says, or where all other clauses of one are met as well.

use std::sync::Arc;

use smallvec::SmallVec;

use super::super::compare::{Clause, Extent, FEW, Gist, Key, KeySet, PlainWord, short};
use super::{ByHash, ByKey, List, Postings, Slot, append, bits, post, posted};

/// See the module. Numbers in the lists are those of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Tight {
    rows: Vec<Row>,
    /// How much each row says, by the same numbers: most rows are told apart by that alone.
    contents: Vec<Content>,
    /// Who says a clause, by its exact words.
    said: ByHash<Said>,
    /// Texts by two of their clauses, the rarest when they came.
    couples: Postings,
    /// By each word and value.
    mentioning: ByKey<Sketches>,
    /// By the stem that a word negates.
    negating: ByKey<Sketches>,
    /// Each by one of its plain words, the rarest when it came; quiet ones are not here.
    anchored: ByKey<Sketches>,
    /// By the stems of the same word.
    anchored_stems: ByKey<Sketches>,
    /// Those without a plain word, by so much of their content that some of it is met.
    vague: Postings,
    /// Those of which half may be met by a single word, by what they say; quiet ones are not here.
    brief: Postings,
    /// By the questions they answer.
    answering: Postings,
}

/// Ascending. Most words are rare: one row needs no memory of its own.
type Sketches = SmallVec<[Sketch; 1]>;

/// The texts that say a clause.
#[derive(Debug, Clone, Default)]
struct Said {
    /// As their only clause.
    only: List,
    among_others: Option<Box<AmongOthers>>,
    /// It has rows: as a quiet clause, as one that is not.
    listed: (bool, bool),
}

/// The texts that say a clause beside other clauses.
#[derive(Debug, Clone, Default)]
struct AmongOthers {
    /// As one of several.
    part: List,
    /// As all of several together.
    whole: List,
}

impl Said {
    fn part(&self) -> &[Slot] {
        self.among_others.as_deref().map(|lists| lists.part.as_slice()).unwrap_or_default()
    }

    fn whole(&self) -> &[Slot] {
        self.among_others.as_deref().map(|lists| lists.whole.as_slice()).unwrap_or_default()
    }

    fn texts(&mut self, extent: Extent) -> &mut List {
        match extent {
            Extent::Only => &mut self.only,
            Extent::Part => &mut self.among_others.get_or_insert_default().part,
            Extent::Whole => &mut self.among_others.get_or_insert_default().whole,
        }
    }
}

/// A clause with one of its sets.
#[derive(Debug, Clone)]
struct Row {
    exact: u64,
    /// These three as in [`Bits`].
    mentions: u64,
    negates: u32,
    plain: u32,
    /// What it says, as bits by the places in all that its gist mentions; the first of very many.
    says: u128,
    gist: Arc<Gist>,
}

/// What a row says, in bits, and how much of it may be missing.
#[derive(Debug, Clone, Copy)]
struct Content {
    bits: u64,
    spare: u32,
}

impl Row {
    fn new(clause: &Clause, set: &KeySet, bits: Bits) -> Self {
        let places = clause.gist.all.iter().take(128).enumerate();
        let said = places.filter(|(_, key)| set.local.contains(key));
        Self {
            exact: clause.exact,
            mentions: bits.mentions,
            negates: bits.negates,
            plain: bits.plain_few,
            says: said.fold(0, |says, (at, _)| says | 1 << at),
            gist: Arc::clone(&clause.gist),
        }
    }

    /// How much of what it says `other` does not mention.
    fn missing_in(&self, other: &Self) -> u32 {
        let said = self.gist.all.iter().zip(0..128).filter(|(_, at)| self.says >> at & 1 == 1);
        count(said.filter(|(key, _)| !other.gist.all.contains(key)).count())
    }
}

impl Content {
    fn of(set: &KeySet) -> Self {
        Self { bits: bits(set.local.iter().copied()), spare: count(set.spare) }
    }

    /// Whether what mentions these may mention half of it.
    fn may_be_met_by(self, mentions: u64) -> bool {
        (self.bits & !mentions).count_ones() <= self.spare
    }
}

/// What a clause speaks of, in bits.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Everything mentioned: light words as well.
    mentions: u64,
    /// The stems that words negate: they may meet a plain word as well.
    negates: u32,
    /// The plain words.
    plain: u64,
    /// Their stems.
    stems: u32,
    /// Everything mentioned and the plain words in fewer bits.
    mentions_few: u32,
    plain_few: u32,
}

impl Bits {
    fn of(gist: &Gist) -> Self {
        let plain = || gist.plain().filter_map(|word| word.first()).map(|(key, _)| *key);
        Self {
            mentions: bits(gist.all.iter().copied()),
            negates: few_bits(gist.negates.iter().copied()),
            plain: bits(plain()),
            stems: few_bits(gist.plain().flatten().map(|(_, stem)| *stem)),
            mentions_few: few_bits(gist.all.iter().copied()),
            plain_few: few_bits(plain()),
        }
    }

    /// Whether the gists surely [differ](Gist::differs), by bits.
    fn differ(&self, row: &Row) -> bool {
        // A word may be met by one that negates its stem.
        if self.negates != 0 || self.stems & row.negates != 0 {
            return false;
        }
        let ours = (self.plain & !row.mentions).count_ones();
        let theirs = (row.plain & !self.mentions_few).count_ones();
        ours.min(theirs) >= 1 && ours.max(theirs) > count(FEW)
    }
}

/// As [`bits`], fewer of them.
fn few_bits(keys: impl Iterator<Item = Key>) -> u32 {
    keys.fold(0, |bits, key| bits | 1 << (key >> 27))
}

/// A row in a list, with the bits that tell most pairs apart: they are read in line, and the row hardly ever.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sketch {
    row: u32,
    /// What it mentions, or its plain words, as the list is looked through for.
    bits: u64,
    /// The stems that it negates, or those of its plain words.
    stems: u32,
}

/// What the rows of a list must be beside a clause, apart from sharing half of what is said.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fit {
    /// Their gists do not differ.
    Alike,
    /// They answer the same question.
    Any,
}

/// A clause whose relations are looked for.
struct Asked<'a> {
    tight: &'a Tight,
    clause: &'a Clause,
    row: Row,
    content: Content,
    bits: Bits,
    /// Numbers of related rows, some more than once.
    found: Vec<u32>,
}

impl Tight {
    /// Adds the clauses of a text.
    pub(super) fn add(&mut self, slot: Slot, clauses: &[Clause]) {
        for clause in clauses {
            let said = self.said.entry(clause.exact).or_default();
            let texts = said.texts(clause.extent);
            if texts.last() != Some(&slot) {
                texts.push(slot);
            }
            let listed = if clause.quiet { &mut said.listed.0 } else { &mut said.listed.1 };
            if std::mem::replace(listed, true) {
                continue;
            }
            let bits = Bits::of(&clause.gist);
            for set in &clause.sets {
                let Ok(number) = u32::try_from(self.rows.len()) else { return };
                self.list(number, bits, clause, set);
                append(&mut self.rows, Row::new(clause, set, bits));
                append(&mut self.contents, Content::of(set));
            }
        }
        let mut parts = parts(clauses);
        parts.sort_by_key(|exact| self.having_part(*exact).len());
        if let [first, second, ..] = parts.as_slice() {
            post(&mut self.couples, couple(*first, *second), slot);
        }
    }

    fn list(&mut self, number: u32, bits: Bits, clause: &Clause, set: &KeySet) {
        let gist = &clause.gist;
        let sketch = |bits: u64, stems: u32| Sketch { row: number, bits, stems };
        let (mentions, plain) = (sketch(bits.mentions, bits.negates), sketch(bits.plain, bits.stems));
        gist.negates.iter().for_each(|stem| add(self.negating.entry(*stem).or_default(), mentions));
        let mut listed: SmallVec<[usize; 16]> = SmallVec::new();
        for key in &gist.all {
            let list = self.mentioning.entry(*key).or_default();
            add(list, mentions);
            listed.push(list.len());
        }
        let frequency = |word: &&PlainWord| {
            let mentioning = place(gist, word).and_then(|at| listed.get(at)).copied().unwrap_or_default();
            mentioning + self.negating_word(word).map(<[Sketch]>::len).sum::<usize>()
        };
        match gist.plain().min_by_key(frequency) {
            Some(word) if !clause.quiet => {
                for (key, stem) in word {
                    add(self.anchored.entry(*key).or_default(), plain);
                    add(self.anchored_stems.entry(*stem).or_default(), plain);
                }
            }
            Some(_) => {}
            None => {
                let mut keys = set.local.to_vec();
                keys.sort_by_key(|key| posted(&self.vague, *key).len());
                keys.iter().take(set.spare + 1).for_each(|key| post(&mut self.vague, *key, number));
            }
        }
        if set.local.len() <= 2 && !clause.quiet {
            set.local.iter().for_each(|key| post(&mut self.brief, *key, number));
        }
        clause.questions.iter().for_each(|question| post(&mut self.answering, *question, number));
    }

    /// Texts that may not be distinct from one with these clauses, some more than once.
    pub(super) fn related(&self, clauses: &[Clause], out: &mut Vec<Slot>) {
        for clause in clauses {
            let bits = Bits::of(&clause.gist);
            for set in &clause.sets {
                let mut asked = Asked::new(self, clause, set, bits);
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
        self.said.get(&exact).map(Said::part).unwrap_or_default()
    }

    /// Clauses that have a word or value.
    fn mentioning(&self, key: Key) -> &[Sketch] {
        self.mentioning.get(&key).map(SmallVec::as_slice).unwrap_or_default()
    }

    /// Clauses that negate a plain word.
    fn negating_word<'a>(&'a self, word: &'a PlainWord) -> impl Iterator<Item = &'a [Sketch]> {
        let stems = if self.negating.is_empty() { &[] } else { word };
        stems.iter().filter_map(|(_, stem)| self.negating.get(stem)).map(SmallVec::as_slice)
    }
}

impl<'a> Asked<'a> {
    fn new(tight: &'a Tight, clause: &'a Clause, set: &KeySet, bits: Bits) -> Self {
        let (row, content) = (Row::new(clause, set, bits), Content::of(set));
        Self { tight, clause, row, content, bits, found: Vec::new() }
    }

    fn look(&mut self, set: &KeySet) {
        let (tight, gist) = (self.tight, &*self.clause.gist);
        if self.clause.quiet {
            return set.local.iter().for_each(|key| self.take(posted(&tight.brief, *key), Fit::Alike));
        }
        let (ours, content) = (self.bits, self.content);
        // Those that leave few of its words alone: they have one of its rarest, of which there is one more.
        let lists = |word: &'a PlainWord| {
            word.first().map(|(key, _)| tight.mentioning(*key)).into_iter().chain(tight.negating_word(word))
        };
        let mut words: SmallVec<[(usize, &PlainWord); 16]> =
            gist.plain().map(|word| (lists(word).map(<[Sketch]>::len).sum(), word)).collect();
        if words.len() > FEW {
            words.sort_by_key(|(frequency, _)| *frequency);
            let negated = |row: &Sketch| {
                let negates =
                    |word: &PlainWord| few_bits(word.iter().map(|(_, stem)| *stem)) & row.stems != 0;
                if ours.stems & row.stems == 0 {
                    0
                } else {
                    gist.plain().filter(|word| negates(word)).count()
                }
            };
            let leaves_few = |row: &Sketch| {
                (ours.plain & !row.bits).count_ones() <= count(FEW + negated(row))
                    && content.may_be_met_by(row.bits)
            };
            for list in words.iter().take(FEW + 1).flat_map(|(_, word)| lists(word)) {
                self.take_rows(list.iter().filter(|row| leaves_few(row)).map(|row| row.row), Fit::Alike);
            }
        } else {
            let mut lists: Vec<&[Sketch]> = set.local.iter().map(|key| tight.mentioning(*key)).collect();
            lists.sort_unstable_by_key(|list| list.len());
            for list in lists.into_iter().take(set.spare + 1) {
                self.take_rows(list.iter().map(|row| row.row), Fit::Alike);
            }
        }
        // Those that have nothing alone beside it, and those without a plain word.
        let is_met = |row: &Sketch| row.bits & !ours.mentions == 0 || row.stems & ours.negates != 0;
        gist.all.iter().for_each(|key| self.take(posted(&tight.vague, *key), Fit::Alike));
        let anchored = gist.all.iter().filter_map(|key| tight.anchored.get(key));
        let negated = gist.negates.iter().filter_map(|stem| tight.anchored_stems.get(stem));
        for list in anchored.chain(negated) {
            self.take_rows(list.iter().filter(|row| is_met(row)).map(|row| row.row), Fit::Alike);
        }
        let questions = self.clause.questions.iter();
        questions.for_each(|question| self.take(posted(&tight.answering, *question), Fit::Any));
    }

    fn take(&mut self, rows: &[u32], fit: Fit) {
        self.take_rows(rows.iter().copied(), fit);
    }

    /// Keeps those that fit; each mentions half of what the other says.
    fn take_rows(&mut self, rows: impl Iterator<Item = u32>, fit: Fit) {
        let (tight, ours, content, bits) = (self.tight, &self.row, self.content, self.bits);
        let alike = fit == Fit::Alike;
        let is_related = |number: &u32| {
            let at = *number as usize;
            let Some(theirs) = tight.contents.get(at).filter(|theirs| theirs.may_be_met_by(bits.mentions))
            else {
                return false;
            };
            tight.rows.get(at).is_some_and(|row| {
                content.may_be_met_by(row.mentions)
                    && !(alike && bits.differ(row))
                    && row.missing_in(ours) <= theirs.spare
                    && ours.missing_in(row) <= content.spare
                    && !(alike && ours.gist.differs(&row.gist))
            })
        };
        self.found.extend(rows.filter(is_related));
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
                out.extend(said.part());
            }
            if !is_part {
                out.extend(said.whole());
            }
        }
    }
}

/// Where the key of a plain word stands among all of its clause.
fn place(gist: &Gist, word: &PlainWord) -> Option<usize> {
    word.first().and_then(|(key, _)| gist.all.binary_search(key).ok())
}

/// Adds a row to a list that it may stand in already.
fn add(list: &mut Sketches, row: Sketch) {
    if list.last() != Some(&row) {
        list.push(row);
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
fn couple(first: u64, second: u64) -> Key {
    let (lower, higher) = (first.min(second), first.max(second));
    short(lower.rotate_left(29) ^ higher)
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
