//! A suggestion for each knob of seed 003 from what the logs say. Steps are small, and few observations suggest nothing.

use super::statistics::{Activity, Percentiles, total};
use crate::config::Config;

/// Observations below which nothing is suggested.
const ENOUGH: usize = 20;
/// A share of drops that may come back without the drops being wrong.
const FINE_SHARE: f64 = 0.05;
/// An epoch that frees less than this share hardly pays for the prompt cache it voids.
const POOR_GAIN: f64 = 0.25;

/// Knobs of the relevance pass.
const OF_RELEVANCE: [&str; 7] = [
    "CURATION_TRIGGER_PCT",
    "RELEVANCE_CUTOFF",
    "THRESHOLD_KEEP",
    "MIN_CHUNKS_TO_KEEP",
    "RECENCY_BONUS",
    "IMPORTANCE_BONUS",
    "MEMFAS_WEIGHT",
];

/// What to do with one knob.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// Its name in seed 003.
    pub knob: &'static str,
    /// Its value now.
    pub current: f64,
    /// The value to try; the same where it should stay.
    pub suggested: f64,
    /// Observations that this rests on.
    pub observations: u64,
    /// Why, in one sentence.
    pub why: String,
}

/// A judgement of one knob: the value to try and why.
type Verdict = (f64, String);

fn stay(current: f64, why: &str) -> Verdict {
    (current, why.to_owned())
}

/// One suggestion for each knob, in the order of seed 003.
pub fn suggest(activity: &Activity, knobs: &Config) -> Vec<Suggestion> {
    let scored = activity.drop_scores.len();
    let returned = activity.recovered_after.len();
    let offered = activity.offered_scores.len();
    // Where no pass ever ran, those of relevance can neither be judged nor do they do anything.
    let idle = !knobs.relevance && scored == 0 && activity.curation_savings.is_empty();
    let make = |knob, current: f64, observations: usize, verdict: Verdict| {
        let (suggested, why) = if idle && OF_RELEVANCE.contains(&knob) {
            (current, "relevance is off, and without it this knob does nothing".to_owned())
        } else if observations < ENOUGH {
            (current, format!("too little to go by: {observations} of {ENOUGH} observations"))
        } else {
            verdict
        };
        let suggested = (suggested * 100.0).round() / 100.0;
        Suggestion { knob, current, suggested, observations: observations as u64, why }
    };
    let weights =
        "no single weight can be judged from the logs: change the cutoff first, then replay and compare";
    vec![
        make(
            "COMPACTION_TRIGGER_PCT",
            knobs.compaction_trigger_pct,
            activity.gains.len(),
            trigger(activity, knobs),
        ),
        make("MAX_CONTEXT_PCT", knobs.max_context_pct, activity.used.len(), limit(activity, knobs)),
        make(
            "CURATION_TRIGGER_PCT",
            knobs.curation_trigger_pct,
            activity.curation_savings.len(),
            curation(activity, knobs),
        ),
        make("RELEVANCE_CUTOFF", knobs.relevance_cutoff, scored, cutoff(activity, knobs)),
        make("THRESHOLD_KEEP", knobs.threshold_keep, scored, keep(activity, knobs)),
        make("MIN_CHUNKS_TO_KEEP", knobs.min_chunks_to_keep as f64, returned, min_chunks(activity, knobs)),
        make("RECENCY_BONUS", knobs.recency_bonus, returned, recency(activity, knobs)),
        make("IMPORTANCE_BONUS", knobs.importance_bonus, scored, stay(knobs.importance_bonus, weights)),
        make("MEMFAS_WEIGHT", knobs.memfas_weight, scored, stay(knobs.memfas_weight, weights)),
        make("MEMFAS_MIN_SCORE", knobs.memfas_min_score, offered, min_score(activity, knobs)),
        make("RECOVERABLE_FOR_DAYS", knobs.recoverable_for_days as f64, returned, days(activity, knobs)),
        make(
            "SUMMARY_TARGET_TOKENS",
            knobs.summary_target_tokens as f64,
            activity.savings.len(),
            summary(activity, knobs),
        ),
    ]
}

fn median(values: &[f64]) -> f64 {
    Percentiles::of(values).map_or(0.0, |found| found.p50)
}

fn share_of(values: &[f64], fits: impl Fn(f64) -> bool) -> f64 {
    super::share(values.iter().filter(|value| fits(**value)).count() as u64, values.len() as u64)
}

fn trigger(activity: &Activity, knobs: &Config) -> Verdict {
    let gain = median(&activity.gains);
    let forced = activity.compactions.get("hard_limit").copied().unwrap_or_default();
    let forced = super::share(forced, total(&activity.compactions));
    if forced > 0.1 {
        let why =
            format!("{:.0} % of the epochs began only at the hard limit: begin earlier", forced * 100.0);
        return ((knobs.compaction_trigger_pct - 0.05).max(0.2), why);
    }
    if gain < POOR_GAIN {
        let why =
            format!("half of the epochs freed less than {:.0} % of the view: begin later", gain * 100.0);
        return ((knobs.compaction_trigger_pct + 0.05).min(0.8), why);
    }
    stay(
        knobs.compaction_trigger_pct,
        &format!("an epoch frees {:.0} % of the view in the middle", gain * 100.0),
    )
}

fn limit(activity: &Activity, knobs: &Config) -> Verdict {
    let above = share_of(&activity.used, |used| used >= knobs.max_context_pct);
    if above > 0.02 {
        let why = format!("the window was used above the limit in {:.0} % of the samples", above * 100.0);
        return ((knobs.max_context_pct - 0.05).max(knobs.compaction_trigger_pct + 0.1), why);
    }
    stay(knobs.max_context_pct, "the window was hardly ever used up to the limit")
}

fn curation(activity: &Activity, knobs: &Config) -> Verdict {
    let nothing = share_of(&activity.curation_savings, |saved| saved <= 0.0);
    if nothing > 0.5 {
        let why = format!("{:.0} % of the relevance passes freed nothing: run them later", nothing * 100.0);
        return ((knobs.curation_trigger_pct + 0.05).min(knobs.compaction_trigger_pct), why);
    }
    let saved = median(&activity.curation_savings);
    stay(knobs.curation_trigger_pct, &format!("a relevance pass frees {saved:.0} tokens in the middle"))
}

fn cutoff(activity: &Activity, knobs: &Config) -> Verdict {
    let back = super::share(activity.recovered_scores.len() as u64, activity.drop_scores.len() as u64);
    if back > FINE_SHARE {
        let lowest = Percentiles::of(&activity.recovered_scores).map_or(0.0, |found| found.p10);
        let why =
            format!("{:.0} % of what was dropped for its score was asked for again: drop less", back * 100.0);
        return (lowest.min(knobs.relevance_cutoff - 0.05).max(0.05), why);
    }
    let near = share_of(&activity.drop_scores, |score| score >= knobs.relevance_cutoff - 0.05);
    if back == 0.0 && near > 0.25 {
        let why = format!(
            "nothing came back, and {:.0} % of the drops lie just below the cutoff: drop more",
            near * 100.0
        );
        return ((knobs.relevance_cutoff + 0.05).min(knobs.threshold_keep - 0.1), why);
    }
    stay(
        knobs.relevance_cutoff,
        &format!("{:.1} % of what was dropped for its score came back", back * 100.0),
    )
}

fn keep(activity: &Activity, knobs: &Config) -> Verdict {
    let (cut, _) = cutoff(activity, knobs);
    let lowest = cut + 0.2;
    if knobs.threshold_keep < lowest {
        return (lowest, "the middle band should be at least 0.2 wide above the cutoff".into());
    }
    stay(knobs.threshold_keep, "wide enough above the cutoff")
}

fn min_chunks(activity: &Activity, knobs: &Config) -> Verdict {
    let current = knobs.min_chunks_to_keep as f64;
    let soon = share_of(&activity.recovered_after, |hours| hours < 1.0);
    if soon > 0.5 {
        let why =
            format!("{:.0} % of what came back did so within an hour: keep more of the newest", soon * 100.0);
        return ((current + 2.0).min(50.0), why);
    }
    stay(current, &format!("{:.0} % of what came back did so within an hour", soon * 100.0))
}

fn recency(activity: &Activity, knobs: &Config) -> Verdict {
    let soon = share_of(&activity.recovered_after, |hours| hours < 6.0);
    if soon > 0.75 {
        let why =
            format!("{:.0} % of what came back did so within six hours: let age count more", soon * 100.0);
        return ((knobs.recency_bonus + 0.05).min(0.5), why);
    }
    stay(knobs.recency_bonus, "what came back was not mostly recent")
}

fn min_score(activity: &Activity, knobs: &Config) -> Verdict {
    let lowest = Percentiles::of(&activity.offered_scores).map_or(0.0, |found| found.p10);
    stay(knobs.memfas_min_score, &format!("nine in ten of what was offered matched with {lowest:.2} or more"))
}

fn days(activity: &Activity, knobs: &Config) -> Verdict {
    let current = knobs.recoverable_for_days as f64;
    let latest = Percentiles::of(&activity.recovered_after).map_or(0.0, |found| found.p99) / 24.0;
    let why = format!("all but one in a hundred came back within {latest:.1} days");
    if latest > current * 0.8 {
        return ((current * 2.0).min(365.0), why);
    }
    stay(current, &why)
}

fn summary(activity: &Activity, knobs: &Config) -> Verdict {
    let saved = median(&activity.savings);
    stay(knobs.summary_target_tokens as f64, &format!("an epoch frees {saved:.0} tokens in the middle"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn of<'a>(found: &'a [Suggestion], knob: &str) -> &'a Suggestion {
        found.iter().find(|suggestion| suggestion.knob == knob).unwrap()
    }

    #[test]
    fn nothing_is_suggested_from_nothing() {
        let knobs = Config { relevance: true, ..Config::default() };
        let found = suggest(&Activity::default(), &knobs);
        assert_eq!(found.len(), 12);
        assert!(
            found
                .iter()
                .all(|one| (one.suggested - one.current).abs() < 1e-9 && one.why.contains("too little"))
        );
    }

    #[test]
    fn knobs_of_relevance_are_left_alone_while_it_is_off() {
        let activity = Activity { recovered_after: vec![0.1; 100], ..Activity::default() };
        let off = suggest(&activity, &Config::default());
        let on = suggest(&activity, &Config { relevance: true, ..Config::default() });
        for knob in ["MIN_CHUNKS_TO_KEEP", "RECENCY_BONUS"] {
            let (off, on) = (of(&off, knob), of(&on, knob));
            assert!(
                on.suggested > on.current && (off.suggested - off.current).abs() < 1e-9,
                "{on:?} {off:?}"
            );
            assert!(off.why.contains("relevance is off"));
        }
    }

    #[test]
    fn drops_that_come_back_lower_the_cutoff() {
        let activity =
            Activity { drop_scores: vec![0.2; 100], recovered_scores: vec![0.22; 10], ..Activity::default() };
        let found = suggest(&activity, &Config::default());
        assert!(of(&found, "RELEVANCE_CUTOFF").suggested <= 0.25);
    }

    #[test]
    fn drops_just_below_the_cutoff_that_nobody_misses_raise_it() {
        let activity = Activity { drop_scores: vec![0.28; 100], ..Activity::default() };
        let found = suggest(&activity, &Config::default());
        assert!((of(&found, "RELEVANCE_CUTOFF").suggested - 0.35).abs() < 1e-9);
    }

    #[test]
    fn epochs_that_free_little_begin_later_and_forced_ones_earlier() {
        let poor = Activity { gains: vec![0.1; 30], ..Activity::default() };
        assert!(of(&suggest(&poor, &Config::default()), "COMPACTION_TRIGGER_PCT").suggested > 0.5);
        let forced = Activity {
            gains: vec![0.5; 30],
            compactions: BTreeMap::from([("hard_limit".into(), 10), ("token_threshold".into(), 20)]),
            ..Activity::default()
        };
        assert!(of(&suggest(&forced, &Config::default()), "COMPACTION_TRIGGER_PCT").suggested < 0.5);
    }
}
