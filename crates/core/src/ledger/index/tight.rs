//! Clauses of one language that turn nothing down, by what must be met for two of them not to be distinct: their gists do
//! not differ, or they answer the same question. Gists that do not differ leave a few words alone at most on either
//! side, or none on one side.

use super::super::compare::{Clause, FEW};
use super::{Postings, Slot, bits, post, posted};

/// See the module. Numbers in the lists are those of clauses.
#[derive(Debug, Clone, Default)]
pub(super) struct Tight {
    clauses: Vec<Row>,
    /// By each word and value.
    mentioning: Postings,
    /// By the stem that a word negates.
    negating: Postings,
    /// Each clause by one of its plain words, the rarest when it came.
    anchored: Postings,
    /// The same by the stems of that word.
    anchored_stems: Postings,
    /// Clauses without a plain word by so much of their content that some of it is met.
    vague: Postings,
    /// By the questions they answer.
    answering: Postings,
}

#[derive(Debug, Clone)]
struct Row {
    slot: Slot,
    negates: u32,
    /// What it mentions.
    mentions: u64,
    /// Its plain words.
    plain: u64,
}

impl Tight {
    pub(super) fn add(&mut self, slot: Slot, clause: &Clause) {
        let Ok(number) = u32::try_from(self.clauses.len()) else { return };
        let gist = &clause.gist;
        let rarest =
            gist.plain().min_by_key(|word| self.mentioning_word(word).map(<[u32]>::len).sum::<usize>());
        if let Some(word) = rarest {
            for (key, stem) in word {
                post(&mut self.anchored, *key, number);
                post(&mut self.anchored_stems, *stem, number);
            }
        } else {
            for set in &clause.sets {
                let mut keys = set.keys.clone();
                keys.sort_by_key(|key| posted(&self.vague, *key).len());
                keys.iter().take(set.spare + 1).for_each(|key| post(&mut self.vague, *key, number));
            }
        }
        gist.all.iter().for_each(|key| post(&mut self.mentioning, *key, number));
        gist.negates.iter().for_each(|stem| post(&mut self.negating, *stem, number));
        clause.questions.iter().for_each(|question| post(&mut self.answering, *question, number));
        self.clauses.push(Row {
            slot,
            negates: count(gist.negates.len()),
            mentions: bits(gist.all.iter().copied()),
            plain: plain_bits(clause),
        });
    }

    /// Texts with a clause that may not be distinct from this one, some more than once. False, with some of them only,
    /// where it has too few plain words to be looked up by.
    pub(super) fn related(&self, clause: &Clause, out: &mut Vec<Slot>) -> bool {
        let gist = &clause.gist;
        let (plain, mentions) = (plain_bits(clause), bits(gist.all.iter().copied()));
        let mut take = |numbers: &[u32], fits: &dyn Fn(&Row) -> bool| {
            let rows = numbers.iter().filter_map(|number| self.clauses.get(*number as usize));
            out.extend(rows.filter(|row| fits(row)).map(|row| row.slot));
        };
        // Those that leave few of its words alone: they have one of its rarest, of which there is one more.
        let mut words: Vec<&[(u64, u64)]> = gist.plain().collect();
        let enough = words.len() > FEW;
        if enough {
            words.sort_by_cached_key(|word| self.mentioning_word(word).map(<[u32]>::len).sum::<usize>());
            for list in words.iter().take(FEW + 1).flat_map(|word| self.mentioning_word(word)) {
                take(list, &|row| missing(plain, row.mentions) <= count(FEW) + row.negates);
            }
        }
        // Those that have nothing alone beside it.
        let negates = count(gist.negates.len());
        let anchored = gist.all.iter().map(|key| posted(&self.anchored, *key));
        let by_stem = gist.negates.iter().map(|stem| posted(&self.anchored_stems, *stem));
        for list in anchored.chain(by_stem) {
            take(list, &|row| missing(row.plain, mentions) <= negates);
        }
        let content = clause.sets.iter().flat_map(|set| &set.keys);
        content.for_each(|key| take(posted(&self.vague, *key), &|_| true));
        clause.questions.iter().for_each(|question| take(posted(&self.answering, *question), &|_| true));
        enough
    }

    /// Clauses that have a plain word or negate it.
    fn mentioning_word<'a>(&'a self, word: &'a [(u64, u64)]) -> impl Iterator<Item = &'a [u32]> {
        let key = word.first().map(|(key, _)| posted(&self.mentioning, *key));
        key.into_iter().chain(word.iter().map(|(_, stem)| posted(&self.negating, *stem)))
    }
}

/// How many of `wanted` are surely not among `there`.
fn missing(wanted: u64, there: u64) -> u32 {
    (wanted & !there).count_ones()
}

fn plain_bits(clause: &Clause) -> u64 {
    bits(clause.gist.plain().filter_map(|word| word.first()).map(|(key, _)| *key))
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
