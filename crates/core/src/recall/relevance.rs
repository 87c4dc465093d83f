//! Relevance of older turns to what is asked now (seed 003): a weighted similarity, a recency that fades, importance.
//! Pure; times are passed in.

use std::collections::{HashMap, HashSet};

use super::analyze::{Kind, analyze};
use super::query::Query;
use super::rank::{Hit, Lengths, Matches, rank};
use crate::config::Config;
use crate::prune::{Relevance, Verdict};

/// Half of the recency bonus is gone after this time, in milliseconds (DESIGN 6.7).
const HALF_LIFE_MS: f64 = 6.0 * 3_600_000.0;

/// Weights and thresholds (the table of DESIGN section 6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knobs {
    /// RELEVANCE_CUTOFF: at or below, a turn is dropped. 0..1.
    pub cutoff: f64,
    /// THRESHOLD_KEEP: from here on it is kept. 0..1.
    pub keep: f64,
    /// MIN_CHUNKS_TO_KEEP: messages that stay whatever their score, newest first.
    pub min_chunks: u64,
    /// RECENCY_BONUS.
    pub recency_bonus: f64,
    /// IMPORTANCE_BONUS.
    pub importance_bonus: f64,
    /// MEMFAS_WEIGHT: of the similarity.
    pub weight: f64,
    /// MEMFAS_MIN_SCORE: a similarity below counts as none.
    pub min_score: f64,
    /// SUMMARIZE_MEDIUM_CHUNKS: what lies between is summarised; else it is kept.
    pub summarise: bool,
}

impl From<&Config> for Knobs {
    fn from(config: &Config) -> Self {
        Self {
            cutoff: config.relevance_cutoff,
            keep: config.threshold_keep,
            min_chunks: config.min_chunks_to_keep,
            recency_bonus: config.recency_bonus,
            importance_bonus: config.importance_bonus,
            weight: config.memfas_weight,
            min_score: config.memfas_min_score,
            summarise: config.summarize_medium_chunks,
        }
    }
}

impl Default for Knobs {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

/// One turn as relevance sees it: tool calls and their results are within it, so that pairs are never torn apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Similarity to the prompt, 0..1: the best of its messages (see [`similarities`]).
    pub similarity: f64,
    /// Time of its newest message, in epoch milliseconds.
    pub at_ms: i64,
    /// Something in it is pinned.
    pub pinned: bool,
    /// Number of its messages.
    pub messages: u64,
}

/// Relevance of something to the prompt, 0..1. A time in the future counts as now, so that recency is never above its
/// bonus (FAULTS J2).
pub fn score(similarity: f64, at_ms: i64, important: bool, now_ms: i64, knobs: &Knobs) -> f64 {
    let similarity = if similarity < knobs.min_score { 0.0 } else { similarity.clamp(0.0, 1.0) };
    let age = now_ms.saturating_sub(at_ms).max(0) as f64;
    let recency = (age / -HALF_LIFE_MS).exp2().clamp(0.0, 1.0);
    let importance = f64::from(u8::from(important));
    (similarity * knobs.weight + recency * knobs.recency_bonus + importance * knobs.importance_bonus)
        .clamp(0.0, 1.0)
}

/// What becomes of each turn, oldest first. The newest turn, pinned ones, and the newest that together hold
/// `min_chunks` messages stay.
pub fn judge(turns: &[Turn], now_ms: i64, knobs: &Knobs) -> Vec<Relevance> {
    let mut kept = 0;
    let mut judged: Vec<Relevance> = turns
        .iter()
        .rev()
        .enumerate()
        .map(|(age, turn)| {
            let score = score(turn.similarity, turn.at_ms, turn.pinned, now_ms, knobs);
            let protected = age == 0 || turn.pinned || kept < knobs.min_chunks;
            kept += turn.messages;
            let verdict = if protected || score >= knobs.keep {
                Verdict::Keep
            } else if score <= knobs.cutoff {
                Verdict::Drop
            } else if knobs.summarise {
                Verdict::Condense
            } else {
                Verdict::Keep
            };
            Relevance { score, verdict, protected }
        })
        .collect();
    judged.reverse();
    judged
}

/// How similar each message is to a prompt, 0..1: the share of the prompt's idf mass that it matches, with the
/// statistics of these messages (DESIGN 6.7).
pub fn similarities(prompt: &str, messages: &[&str]) -> Vec<f64> {
    let query = Query::new(prompt);
    let wanted: HashSet<&str> =
        query.concepts.iter().flat_map(|concept| concept.terms.iter().map(String::as_str)).collect();
    let mut lengths = Lengths::default();
    let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
    for (position, text) in (0_u32..).zip(messages) {
        let mut words = 0;
        analyze(text, &mut |term, kind| {
            words += u32::from(kind == Kind::Word);
            if let Some(term) = wanted.get(term) {
                let list = places.entry(term).or_default();
                if list.last() != Some(&position) {
                    list.push(position);
                }
            }
        });
        lengths.push(words);
    }
    let concepts: Vec<Matches> = query
        .concepts
        .iter()
        .map(|concept| {
            let mut positions: Vec<u32> = concept
                .terms
                .iter()
                .flat_map(|term| places.get(term.as_str()).into_iter().flatten().copied())
                .collect();
            positions.sort_unstable();
            positions.dedup();
            let hits = positions.into_iter().map(|position| Hit { position, count: 1 }).collect();
            Matches { hits, whole: concept.whole, named: concept.named }
        })
        .collect();
    let mut similar = vec![0.0; messages.len()];
    for found in rank(&lengths, &concepts, &HashMap::new(), messages.len(), &|_| true) {
        if let Some(slot) = similar.get_mut(found.position as usize) {
            *slot = f64::from(found.similarity);
        }
    }
    similar
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000;

    fn turn(similarity: f64, age_hours: i64) -> Turn {
        Turn { similarity, at_ms: 1_000 * HOUR - age_hours * HOUR, pinned: false, messages: 2 }
    }

    #[test]
    fn j2_a_fresh_match_outranks_old_rubbish() {
        let knobs = Knobs::default();
        let now = 1_000 * HOUR;
        let old = score(0.0, now - 10 * HOUR, false, now, &knobs);
        let fresh = score(0.9, now, false, now, &knobs);
        assert!(old < knobs.cutoff && fresh >= knobs.keep, "{old} {fresh}");
        assert_eq!(score(0.0, now - 6 * HOUR, false, now, &knobs), 0.1);
        assert_eq!(score(0.0, now + 50 * HOUR, false, now, &knobs), 0.2); // a clock that was set back
    }

    #[test]
    fn pinned_new_and_few_stay() {
        let mut turns =
            vec![turn(0.0, 90), turn(0.0, 80), turn(0.9, 0), turn(0.0, 60), turn(0.0, 50), turn(0.0, 40)];
        turns[0].pinned = true;
        let verdicts: Vec<Verdict> =
            judge(&turns, 1_000 * HOUR, &Knobs::default()).iter().map(|judged| judged.verdict).collect();
        use Verdict::{Drop, Keep};
        assert_eq!(verdicts, [Keep, Drop, Keep, Keep, Keep, Keep]);
    }

    #[test]
    fn the_middle_band_is_summarised_only_where_that_is_on() {
        let turns = [turn(0.7, 100), turn(0.0, 0), turn(0.0, 0), turn(0.0, 0), turn(0.0, 0)];
        let mut knobs = Knobs::default();
        assert_eq!(judge(&turns, 1_000 * HOUR, &knobs)[0].verdict, Verdict::Condense);
        knobs.summarise = false;
        assert_eq!(judge(&turns, 1_000 * HOUR, &knobs)[0].verdict, Verdict::Keep);
    }

    #[test]
    fn similarity_is_the_matched_share_of_what_is_asked() {
        let messages = ["the importer waits 30 s", "lunch was good", "set the importer timeout"];
        let similar = similarities("importer timeout", &messages);
        assert_eq!(similar[1], 0.0);
        assert!(similar[2] > 0.99 && similar[0] > 0.1 && similar[0] < 0.6, "{similar:?}");
    }

    proptest! {
        #[test]
        fn scores_stay_within_0_and_1(similarity in -1.0f64..2.0, at in any::<i64>(), now in any::<i64>(), important: bool) {
            let score = score(similarity, at, important, now, &Knobs::default());
            prop_assert!((0.0..=1.0).contains(&score));
        }

        #[test]
        fn the_newest_turn_stays(similar in prop::collection::vec(0.0f64..1.0, 1..20), min in 0u64..8) {
            let turns: Vec<Turn> = similar.iter().map(|similar| turn(*similar, 500)).collect();
            let judged = judge(&turns, 1_000 * HOUR, &Knobs { min_chunks: min, ..Knobs::default() });
            prop_assert_eq!(judged.len(), turns.len());
            prop_assert_eq!(judged.last().unwrap().verdict, Verdict::Keep);
        }
    }
}
