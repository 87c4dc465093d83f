//! Comparison of two remembered texts (DESIGN section 4): first whether they conflict, then whether they say the same;
//! all else is distinct. No model, no statistics: a lexicon, values in one scale, polarity, and the roles that words
//! play. In doubt two texts are distinct, so that both stay.

mod frame;
mod lexicon;
mod prepare;
mod relate;
mod stem;
mod value;

pub use prepare::Prepared;
pub(super) use prepare::{KeySet, Signature};

use prepare::Segment;
use relate::{Keys, Relation, relate};

/// How a newer text relates to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Same meaning in the same polarity.
    Duplicate,
    /// They cannot both hold: negation, another value, opposite, swapped order, another choice.
    Conflict,
    /// Anything else.
    Distinct,
}

/// A comparison with what decides whether the newer replaces the older.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub comparison: Comparison,
    /// Share of content words, 0..1, that agree once differing values, negations and opposites are taken out.
    pub agreement: f32,
    /// The newer names what it replaces ("instead of X", "umesto X").
    pub explicit: bool,
}

impl Verdict {
    /// Whether a conflict is plain enough for the newer to replace the older (DESIGN section 4).
    pub fn supersedes(&self) -> bool {
        self.comparison == Comparison::Conflict && (self.explicit || self.agreement >= 0.8)
    }
}

/// Relates `newer` to `older`. A duplicate is one in both directions, and so is a conflict.
pub fn compare(older: &str, newer: &str) -> Comparison {
    compare_prepared(&Prepared::new(older), &Prepared::new(newer)).comparison
}

/// Whether two texts say the same (seed 000).
pub fn is_semantic_duplicate(a: &str, b: &str) -> bool {
    compare(a, b) == Comparison::Duplicate
}

/// As [`compare`], for texts made ready before.
pub fn compare_prepared(older: &Prepared, newer: &Prepared) -> Verdict {
    if older.plain == newer.plain {
        return Verdict { comparison: Comparison::Duplicate, agreement: 1.0, explicit: false };
    }
    let keys = Keys { across: older.serbian != newer.serbian };
    let whole = relate(&older.whole, &newer.whole, keys);
    let found =
        if older.segments.len() <= 1 && newer.segments.len() <= 1 || whole.outcome == Comparison::Duplicate {
            whole
        } else {
            by_segments(older, newer, keys, whole)
        };
    Verdict { comparison: found.outcome, agreement: found.agreement, explicit: found.explicit }
}

/// Texts of several clauses: every clause of the shorter is looked for in the longer.
fn by_segments(older: &Prepared, newer: &Prepared, keys: Keys, whole: Relation) -> Relation {
    let turned = older.segments.len() > newer.segments.len();
    let (short, long) = if turned { (newer, older) } else { (older, newer) };
    let relate_in_order =
        |s: &Segment, l: &Segment| if turned { relate(l, s, keys) } else { relate(s, l, keys) };
    let mut used: Vec<usize> = Vec::new();
    let mut all_found = true;
    let mut conflict: Option<Relation> = None;
    for part in &short.segments {
        let best = long
            .segments
            .iter()
            .enumerate()
            .filter(|(i, _)| !used.contains(i))
            .map(|(i, candidate)| (shared(part, candidate, keys), i, candidate))
            .max_by_key(|(count, i, _)| (*count, std::cmp::Reverse(*i)));
        let Some((count, at, candidate)) = best.filter(|(count, ..)| *count > 0) else {
            all_found = false;
            continue;
        };
        used.push(at);
        let relation = relate_in_order(part, candidate);
        match relation.outcome {
            Comparison::Conflict if count > 0 => conflict = conflict.or(Some(relation)),
            Comparison::Duplicate => {}
            _ => all_found = false,
        }
    }
    if let Some(found) = conflict {
        return found;
    }
    let restricted = long.segments.iter().enumerate().any(|(i, s)| s.restrictive && !used.contains(&i));
    if all_found && !restricted && !short.segments.is_empty() {
        return Relation { outcome: Comparison::Duplicate, agreement: 1.0, explicit: false };
    }
    if older.segments.len() == newer.segments.len() || whole.explicit {
        return whole;
    }
    Relation { outcome: Comparison::Distinct, ..whole }
}

fn shared(a: &Segment, b: &Segment, keys: Keys) -> usize {
    a.tokens.iter().filter(|x| !x.light && b.tokens.iter().any(|y| keys.of(x) == keys.of(y))).count()
}
