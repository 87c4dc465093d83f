//! Figures out of the activity logs, for tuning (seed 003, "Tuning Workflow").

use std::collections::BTreeMap;

use serde_json::Value;

use crate::store::Log;

/// Bars of a histogram over 0..1.
const BARS: usize = 10;

/// How often values of 0..1 fall into each tenth; 1 belongs to the last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(pub [u64; BARS]);

impl Histogram {
    /// Of the values.
    pub fn of(values: &[f64]) -> Self {
        let mut bars = [0; BARS];
        for value in values {
            let bar = ((value.clamp(0.0, 1.0) * BARS as f64) as usize).min(BARS - 1);
            if let Some(count) = bars.get_mut(bar) {
                *count += 1;
            }
        }
        Self(bars)
    }
}

/// Values at a few ranks: each is a value that occurred.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentiles {
    /// One in ten is at or below.
    pub p10: f64,
    /// A quarter.
    pub p25: f64,
    /// Half.
    pub p50: f64,
    /// Three quarters.
    pub p75: f64,
    /// Nine in ten.
    pub p90: f64,
    /// All but one in a hundred.
    pub p99: f64,
}

impl Percentiles {
    /// Of the values; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1).min(last)).copied().unwrap_or_default()
        };
        Some(Self { p10: at(0.1), p25: at(0.25), p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) })
    }
}

/// Everything that the logs say, or that they say of one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activity {
    /// Drops by their reason.
    pub drops: BTreeMap<String, u64>,
    /// Scores of what was dropped, where a score decided.
    pub drop_scores: Vec<f64>,
    /// Epochs and compactions by what set them off.
    pub compactions: BTreeMap<String, u64>,
    /// Tokens that each of them freed.
    pub savings: Vec<f64>,
    /// The share of the view that each of them freed, 0..1.
    pub gains: Vec<f64>,
    /// Tokens that each relevance pass freed.
    pub curation_savings: Vec<f64>,
    /// Messages that came back, by how.
    pub recoveries: BTreeMap<String, u64>,
    /// The scores with which they had left.
    pub recovered_scores: Vec<f64>,
    /// How well those that were offered matched.
    pub offered_scores: Vec<f64>,
    /// Hours between leaving and coming back.
    pub recovered_after: Vec<f64>,
    /// Shares of the window in use, one for each health line.
    pub used: Vec<f64>,
    /// Lines that could not be read.
    pub damaged: u64,
}

/// Sum of all counts.
pub(super) fn total(counts: &BTreeMap<String, u64>) -> u64 {
    counts.values().sum()
}

impl Activity {
    /// Takes a line of a log in; with `session` only where it is of that session.
    pub fn add(&mut self, log: Log, line: &[u8], session: Option<&str>) {
        let Ok(Value::Object(line)) = serde_json::from_slice(line) else {
            self.damaged += 1;
            return;
        };
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let number = |name: &str| line.get(name).and_then(Value::as_f64);
        if session.is_some_and(|session| text("session_id") != Some(session)) {
            return;
        }
        let count = |counts: &mut BTreeMap<String, u64>, name: &str| {
            *counts.entry(text(name).unwrap_or("unknown").to_owned()).or_default() += 1;
        };
        match log {
            Log::Drops => {
                count(&mut self.drops, "reason");
                self.drop_scores.extend(number("relevance_score"));
            }
            Log::Compaction => {
                count(&mut self.compactions, "trigger");
                let before = number("tokens_before").unwrap_or_default();
                let freed = before - number("tokens_after").unwrap_or_default();
                self.savings.push(freed);
                if before > 0.0 {
                    self.gains.push(freed / before);
                }
            }
            Log::Curation => self.curation_savings.extend(number("token_savings")),
            Log::Recovery => {
                count(&mut self.recoveries, "source");
                self.recovered_scores.extend(number("score_at_drop"));
                self.recovered_after.extend(number("hours_since_drop"));
                if text("source") == Some("auto") {
                    self.offered_scores.extend(number("relevance_score"));
                }
            }
            Log::Health => self.used.extend(number("pct_used")),
        }
    }

    /// Share of what was dropped that was asked for again, 0..1.
    pub fn recovered_share(&self) -> f64 {
        super::share(total(&self.recoveries), total(&self.drops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_other_sessions_and_torn_ones_do_not_count() {
        let mut activity = Activity::default();
        for line in [
            r#"{"session_id":"a","reason":"epoch","relevance_score":null}"#,
            r#"{"session_id":"b","reason":"epoch"}"#,
            r#"{"session_id":"a","reason":"low_relevance","relevance_score":0.2}"#,
            r#"{"session_id":"a","rea"#,
        ] {
            activity.add(Log::Drops, line.as_bytes(), Some("a"));
        }
        assert_eq!(activity.drops, BTreeMap::from([("epoch".into(), 1), ("low_relevance".into(), 1)]));
        assert_eq!((activity.drop_scores, activity.damaged), (vec![0.2], 1));
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let found = Percentiles::of(&[0.1, 0.2, 0.3, 0.4]).unwrap();
        assert_eq!((found.p10, found.p50, found.p75, found.p99), (0.1, 0.2, 0.3, 0.4));
        assert_eq!(Percentiles::of(&[f64::NAN]), None);
    }

    proptest! {
        #[test]
        fn every_value_is_in_one_bar(values in proptest::collection::vec(-1.0_f64..2.0, 0..50)) {
            prop_assert_eq!(Histogram::of(&values).0.iter().sum::<u64>(), values.len() as u64);
        }

        #[test]
        fn percentiles_rise(values in proptest::collection::vec(any::<f64>(), 1..50)) {
            if let Some(p) = Percentiles::of(&values) {
                prop_assert!([p.p10, p.p25, p.p50, p.p75, p.p90, p.p99].is_sorted());
            }
        }
    }
}
