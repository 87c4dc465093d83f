//! Ranking: BM25 of a message, of its neighbourhood and of its stretch of conversation, added up. Pure; positions are
//! places in one conversation, whose own statistics count and nobody else's.

use std::collections::HashMap;

/// Saturation of a term that is repeated.
const K1: f32 = 1.2;
/// How far to each side a signal looks, in messages; how much it counts; how strongly long ones are held back. Chosen on
/// LoCoMo (R@10 0.60 with the message alone, 0.77 with all) and checked on QMSum, which had no say (0.14 and 0.24).
pub const SIGNALS: &[Signal] = &[
    Signal { reach: 0, weight: 1.0, b: 0.5 },
    Signal { reach: 1, weight: 0.5, b: 0.5 },
    Signal { reach: 3, weight: 0.8, b: 0.5 },
    Signal { reach: 8, weight: 0.4, b: 0.6 },
    Signal { reach: 20, weight: 0.2, b: 0.75 },
];
/// Where the conversation is longer than this, only promising messages are looked at closely.
const LOOK_AT_ALL: usize = 4096;
/// How many are promising: the best by themselves, with their neighbours.
const PROMISING: usize = 512;
const NEIGHBOURS: u32 = 3;
/// What a host's own score of 1 counts for, beside the signals.
const HOST_WEIGHT: f32 = 1.5;

/// Who holds an id that is asked for comes before everybody who does not: more than all signals and a host together give.
const NAMED_LIFT: f32 = 10.0;

/// What a message is ranked by: its own words, or those of a window around it.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Messages to each side.
    pub reach: u32,
    /// What it counts for.
    pub weight: f32,
    /// How strongly long windows are held back, 0..1.
    pub b: f32,
}

/// How long the messages of a conversation are, in words, so that any stretch can be summed at once.
#[derive(Debug, Clone)]
pub struct Lengths {
    sums: Vec<u64>,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { sums: vec![0] }
    }
}

impl Lengths {
    /// Adds the next message.
    pub fn push(&mut self, words: u32) {
        self.sums.push(self.total() + u64::from(words));
    }

    /// Number of messages.
    pub fn count(&self) -> usize {
        self.sums.len() - 1
    }

    fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    fn sum(&self, start: usize, end: usize) -> u64 {
        let at = |index: usize| self.sums.get(index).copied().unwrap_or_else(|| self.total());
        at(end.min(self.count())).saturating_sub(at(start))
    }

    fn around(&self, position: u32, reach: u32) -> f32 {
        let (position, reach) = (position as usize, reach as usize);
        self.sum(position.saturating_sub(reach), position + reach + 1) as f32
    }

    /// Average length of a window: a window at an end is shorter, so this is a little high in short conversations.
    fn average(&self, reach: u32) -> f32 {
        let count = self.count().max(1);
        let width = (2 * reach as usize + 1).min(count);
        (self.total() as f32 * width as f32 / count as f32).max(1.0)
    }
}

/// A message in which a concept occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Position in the conversation.
    pub position: u32,
    /// How often it occurs there.
    pub count: u32,
}

/// Where a concept occurs in the conversation: ascending, each position once.
#[derive(Debug, Clone, Default)]
pub struct Matches {
    /// The places.
    pub hits: Vec<Hit>,
    /// It is the whole of a compound whose parts are there too: where it does not occur at all, it is not missed.
    pub whole: bool,
    /// It names one thing (see [`super::query::Concept::named`]).
    pub named: bool,
}

/// A message that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Position in the conversation.
    pub position: u32,
    /// The order of hits: the sum of all signals.
    pub rank: f32,
    /// Share of the question's idf mass that the message itself matches, 0..1 (DESIGN 6.7).
    pub similarity: f32,
}

/// Inverse document frequency, above 0.
fn idf(count: usize, of: usize) -> f32 {
    (1.0 + (of as f32 - count as f32 + 0.5) / (count as f32 + 0.5)).max(1.0).ln().max(0.01)
}

/// The best messages, best first, among those that `allowed` lets through. `host`: scores of the host by position, 0..1.
pub fn rank(
    lengths: &Lengths,
    concepts: &[Matches],
    host: &HashMap<u32, f32>,
    limit: usize,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<Ranked> {
    rank_by(SIGNALS, lengths, concepts, host, limit, allowed)
}

/// The same by other signals; the first is the message alone. For measuring what each adds.
pub fn rank_by(
    signals: &[Signal],
    lengths: &Lengths,
    concepts: &[Matches],
    host: &HashMap<u32, f32>,
    limit: usize,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<Ranked> {
    let count = lengths.count();
    let weights: Vec<f32> = concepts.iter().map(|concept| idf(concept.hits.len(), count)).collect();
    let missed = |concept: &Matches| concept.whole && concept.hits.is_empty();
    let mass: f32 = concepts.iter().zip(&weights).filter(|(c, _)| !missed(c)).map(|(_, weight)| weight).sum();
    let mut own = Own::new(count);
    for (concept, weight) in concepts.iter().zip(&weights) {
        own.add(lengths, concept, *weight);
    }
    let chosen = own.candidates(host, allowed);
    let mut totals = vec![0.0_f32; chosen.len()];
    for signal in signals.iter().copied() {
        for (concept, weight) in concepts.iter().zip(&weights) {
            add_signal(lengths, concept, *weight, signal, &chosen, &mut totals);
        }
    }
    let mut found: Vec<Ranked> = chosen
        .iter()
        .zip(totals)
        .map(|(&position, total)| Ranked {
            position,
            rank: total / mass.max(f32::MIN_POSITIVE)
                + HOST_WEIGHT * host.get(&position).copied().unwrap_or(0.0)
                + if holds_name(concepts, position) { NAMED_LIFT } else { 0.0 },
            similarity: (own.matched(position) / mass.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0),
        })
        .filter(|found| found.rank > 0.0)
        .collect();
    // Whoever answers a question does so right after it, often in words of their own. Who stands farther from what
    // matches, and matches nothing, is an answer only where there is no other.
    let matches =
        |position: u32| own.matched(position) > 0.0 || host.get(&position).is_some_and(|s| *s > 0.0);
    let answers = |found: &Ranked| {
        let at = found.position;
        matches(at) || at.checked_sub(1).is_some_and(matches) || matches(at.saturating_add(1))
    };
    if found.iter().any(answers) {
        found.retain(answers);
    }
    // Of two equal ones the newer.
    let better = |a: &Ranked, b: &Ranked| b.rank.total_cmp(&a.rank).then(b.position.cmp(&a.position));
    if found.len() > limit {
        if limit > 0 {
            found.select_nth_unstable_by(limit - 1, better);
        }
        found.truncate(limit);
    }
    found.sort_unstable_by(better);
    found
}

fn holds_name(concepts: &[Matches], position: u32) -> bool {
    let holds = |concept: &Matches| concept.hits.binary_search_by_key(&position, |hit| hit.position).is_ok();
    concepts.iter().any(|concept| concept.named && holds(concept))
}

/// What the messages match by themselves.
struct Own {
    scores: Vec<f32>,
    matched: Vec<f32>,
    touched: Vec<u32>,
}

impl Own {
    fn new(count: usize) -> Self {
        Self { scores: vec![0.0; count], matched: vec![0.0; count], touched: Vec::new() }
    }

    fn add(&mut self, lengths: &Lengths, concept: &Matches, weight: f32) {
        let b = SIGNALS.first().map_or(0.5, |signal| signal.b);
        let average = lengths.average(0);
        for hit in &concept.hits {
            let index = hit.position as usize;
            let (Some(score), Some(matched)) = (self.scores.get_mut(index), self.matched.get_mut(index))
            else {
                continue;
            };
            if *matched == 0.0 {
                self.touched.push(hit.position);
            }
            *score += bm25(hit.count as f32, lengths.around(hit.position, 0) / average, weight, b);
            *matched += weight;
        }
    }

    fn matched(&self, position: u32) -> f32 {
        self.matched.get(position as usize).copied().unwrap_or(0.0)
    }

    /// The positions that are worth a closer look, ascending.
    fn candidates(&mut self, host: &HashMap<u32, f32>, allowed: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let count = u32::try_from(self.scores.len()).unwrap_or(u32::MAX);
        if self.scores.len() <= LOOK_AT_ALL {
            return (0..count).filter(|position| allowed(*position)).collect();
        }
        let scores = &self.scores;
        let score = |position: &u32| scores.get(*position as usize).copied().unwrap_or(0.0);
        // A neighbour may be what the filter lets through, so the filter comes after the neighbours; but what it lets
        // through by itself must not be crowded out by what it does not.
        let mut best: Vec<u32> = self.touched.clone();
        let mut passing: Vec<u32> = best.iter().copied().filter(|position| allowed(*position)).collect();
        for list in [&mut best, &mut passing] {
            if list.len() > PROMISING {
                list.select_nth_unstable_by(PROMISING, |a, b| score(b).total_cmp(&score(a)).then(b.cmp(a)));
                list.truncate(PROMISING);
            }
        }
        let around = |position: u32| {
            position.saturating_sub(NEIGHBOURS)..position.saturating_add(NEIGHBOURS + 1).min(count)
        };
        let mut chosen: Vec<u32> = best.into_iter().chain(passing).flat_map(around).collect();
        chosen.extend(host.keys().copied().filter(|position| *position < count));
        chosen.sort_unstable();
        chosen.dedup();
        chosen.retain(|position| allowed(*position));
        chosen
    }
}

/// `length`: in averages.
fn bm25(count: f32, length: f32, weight: f32, b: f32) -> f32 {
    weight * count * (K1 + 1.0) / (count + K1 * (1.0 - b + b * length))
}

/// One concept in the windows around the chosen positions: two pointers move along its hits.
fn add_signal(
    lengths: &Lengths,
    concept: &Matches,
    weight: f32,
    signal: Signal,
    chosen: &[u32],
    totals: &mut [f32],
) {
    let average = lengths.average(signal.reach);
    let mut ahead = concept.hits.iter().peekable();
    let mut behind = concept.hits.iter().peekable();
    let mut inside = 0_u32;
    for (&position, total) in chosen.iter().zip(totals) {
        let (start, end) = (position.saturating_sub(signal.reach), position.saturating_add(signal.reach));
        while let Some(hit) = ahead.next_if(|hit| hit.position <= end) {
            inside = inside.saturating_add(hit.count);
        }
        while let Some(hit) = behind.next_if(|hit| hit.position < start) {
            inside = inside.saturating_sub(hit.count);
        }
        if inside > 0 {
            let length = lengths.around(position, signal.reach) / average;
            *total += signal.weight * bm25(inside as f32, length, weight, signal.b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(words: &[u32]) -> Lengths {
        let mut lengths = Lengths::default();
        words.iter().for_each(|words| lengths.push(*words));
        lengths
    }

    fn concept(hits: &[(u32, u32)]) -> Matches {
        let hits = hits.iter().map(|&(position, count)| Hit { position, count }).collect();
        Matches { hits, whole: false, named: false }
    }

    fn order(found: &[Ranked]) -> Vec<u32> {
        found.iter().map(|found| found.position).collect()
    }

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let common: Vec<_> = (0..10).filter(|n| *n != 7).map(|n| (n, 1)).collect();
        let found =
            rank(&lengths(&[10; 30]), &[concept(&common), concept(&[(25, 1)])], &HashMap::new(), 1, &|_| {
                true
            });
        assert_eq!(order(&found), [25]);
        assert!(found[0].similarity > 0.5 && found[0].similarity < 1.0);
    }

    #[test]
    fn a_message_among_matching_neighbours_comes_first() {
        let both = [concept(&[(3, 1), (40, 1)]), concept(&[(4, 1), (20, 1)])];
        let found = rank(&lengths(&[10; 60]), &both, &HashMap::new(), 4, &|_| true);
        assert!(order(&found)[..2].iter().all(|position| [3, 4].contains(position)), "{found:?}");
    }

    #[test]
    fn who_holds_an_id_comes_before_its_neighbours() {
        let words = concept(&(10..30).map(|position| (position, 5)).collect::<Vec<_>>());
        let id = Matches { named: true, ..concept(&[(2, 1), (20, 1)]) };
        let found = rank(&lengths(&[10; 40]), &[words, id], &HashMap::from([(21, 1.0)]), 40, &|_| true);
        assert_eq!(order(&found)[..2], [20, 2]);
    }

    #[test]
    fn who_matches_nothing_is_an_answer_right_beside_who_does_or_where_nobody_does() {
        let asked = [concept(&[(2, 1), (6, 1)])];
        let all = |allowed: &dyn Fn(u32) -> bool| {
            order(&rank(&lengths(&[10; 9]), &asked, &HashMap::new(), 9, allowed))
        };
        let mut found = all(&|_| true);
        assert_eq!(found[..2], [6, 2]);
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 5, 6, 7]);
        assert_eq!(all(&|position| position == 3), [3]);
    }

    #[test]
    fn a_filter_leaves_the_next_best() {
        let found = rank(&lengths(&[10; 9]), &[concept(&[(2, 3), (6, 1)])], &HashMap::new(), 1, &|p| p != 2);
        assert_eq!(order(&found), [6]);
    }

    #[test]
    fn a_hosts_score_finds_what_shares_no_word() {
        let host = HashMap::from([(8, 0.9)]);
        let found = rank(&lengths(&[10; 9]), &[concept(&[])], &host, 3, &|_| true);
        assert_eq!(order(&found), [8]);
    }

    proptest! {
        /// Looking closely only at what is promising gives the best one, as looking at all would.
        #[test]
        fn long_conversations_lose_nothing_that_matters(seed in prop::collection::vec((0u32..6000, 1u32..4), 1..60)) {
            let mut hits = seed;
            hits.sort_unstable();
            hits.dedup_by_key(|hit| hit.0);
            let concepts = [concept(&hits)];
            let long = rank(&lengths(&vec![20; 6000]), &concepts, &HashMap::new(), 10, &|_| true);
            prop_assert!(!long.is_empty());
            prop_assert!(long.windows(2).all(|pair| pair[0].rank >= pair[1].rank));
            prop_assert!(long.iter().all(|found| (0.0..=1.0).contains(&found.similarity)));
        }
    }
}
