//! Comparison of two remembered texts (DESIGN section 4): first whether they conflict, then whether they say the same;
//! all else is distinct. No model, no statistics: a lexicon, values in one scale, polarity, and the roles that words
//! play. In doubt two texts are distinct, so that both stay.

mod about;
mod change;
mod frame;
mod gist;
mod lexeme;
mod lexicon;
mod pieces;
mod prepare;
mod read;
mod relate;
mod roles;
mod signature;
mod subject;
mod value;
mod vocabulary;
mod word;

pub(super) use change::Changed;
pub(super) use gist::{FEW, Gist, Key, PlainWord, short};
pub use prepare::Prepared;
pub(super) use signature::{Clause, Extent, KeySet, Signature};
pub use vocabulary::Vocabulary;

use prepare::Segment;
use relate::{Keys, Relation, relate, roles_exchanged};

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
    /// Share of content words, 0..1, that agree once differing values, negations and opposites are taken out; 0 where
    /// the outcome is distinct.
    pub agreement: f32,
    /// The newer names what it replaces ("instead of X", "umesto X"), or forbids more than the older asks for.
    pub explicit: bool,
    /// The older decides something besides that the newer does not touch.
    pub partial: bool,
}

impl Verdict {
    /// Whether a conflict is plain enough for the newer to replace the older (DESIGN section 4): not where a part of the
    /// older that still holds would go with it.
    pub fn supersedes(&self) -> bool {
        self.comparison == Comparison::Conflict && !self.partial && (self.explicit || self.agreement >= 0.8)
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
    let same_rest = older.rest == newer.rest;
    if same_rest && older.plain == newer.plain {
        return Verdict {
            comparison: Comparison::Duplicate,
            agreement: 1.0,
            explicit: false,
            partial: false,
        };
    }
    let keys = Keys { across: older.serbian != newer.serbian };
    let whole = relate(older.whole(), newer.whole(), keys);
    let found = if older.segments.len() <= 1 && newer.segments.len() <= 1 {
        whole
    } else if whole.outcome == Comparison::Duplicate {
        // "X sends to Y, which stores": who does what to whom is told within a clause.
        let exchanged = |a| newer.segments.iter().any(|b| roles_exchanged(a, b, keys));
        let conflict = Relation { outcome: Comparison::Conflict, ..whole };
        if older.segments.iter().any(exchanged) { conflict } else { whole }
    } else {
        by_segments(older, newer, keys, whole)
    };
    // What was done and what is to be done may differ without replacing each other.
    let plan_beside_report = older.reports() && newer.orders() || older.orders() && newer.reports();
    let outcome = match found.outcome {
        // What was not read may differ in the one word that counts.
        Comparison::Duplicate if !same_rest => Comparison::Distinct,
        outcome => outcome,
    };
    let none = plan_beside_report || outcome == Comparison::Distinct;
    let agreement = if none { 0.0 } else { found.agreement };
    let partial = outcome == Comparison::Conflict && decides_more(older, newer, keys);
    let explicit = found.explicit && outcome != Comparison::Distinct;
    Verdict { comparison: outcome, agreement, explicit, partial }
}

/// Whether a clause of `older` orders something that no clause of `newer` is about.
fn decides_more(older: &Prepared, newer: &Prepared, keys: Keys) -> bool {
    older.segments.len() > 1
        && older.segments.iter().filter(|segment| segment.orders()).any(|segment| {
            newer.segments.iter().all(|other| {
                let relation = relate(segment, other, keys);
                relation.outcome == Comparison::Distinct && !relation.turned_down
            })
        })
}

/// Texts of several clauses: every clause of the shorter is looked for in the longer.
fn by_segments(older: &Prepared, newer: &Prepared, keys: Keys, whole: Relation) -> Relation {
    if whole.turned_down {
        return whole;
    }
    let (forth, back) =
        (older.segments.len() <= newer.segments.len(), older.segments.len() >= newer.segments.len());
    let found: Vec<Matched> = [
        forth.then(|| match_clauses(&older.segments, &newer.segments, |s, l| relate(s, l, keys), keys)),
        // Of equally many clauses either could be the shorter: both ways, so that the order does not matter.
        back.then(|| match_clauses(&newer.segments, &older.segments, |s, l| relate(l, s, keys), keys)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some((conflict, opening)) = found.iter().filter_map(|m| m.conflict).next() {
        // "a.ts created - 885 lines", "b.ts created - 1508 lines": what follows is said of different things.
        let of_others = !opening
            && older.segments.first().zip(newer.segments.first()).is_some_and(|(a, b)| {
                let relation = relate(a, b, keys);
                relation.outcome == Comparison::Distinct && relation.apart
            });
        return if of_others { Relation { outcome: Comparison::Distinct, ..whole } } else { conflict };
    }
    if found.iter().all(|m| m.contained) {
        return Relation { outcome: Comparison::Duplicate, agreement: 1.0, ..whole };
    }
    if forth && back { whole } else { Relation { outcome: Comparison::Distinct, ..whole } }
}

/// What became of looking for the clauses of a text in another.
struct Matched {
    /// With whether the clauses in conflict are the first of both.
    conflict: Option<(Relation, bool)>,
    /// All were found, and what the other says besides does not limit them.
    contained: bool,
}

fn match_clauses(
    short: &[Segment],
    long: &[Segment],
    relate: impl Fn(&Segment, &Segment) -> Relation,
    keys: Keys,
) -> Matched {
    let mut used: Vec<usize> = Vec::new();
    let mut matched = Matched { conflict: None, contained: !short.is_empty() };
    for (from, part) in short.iter().enumerate() {
        let free = long.iter().enumerate().filter(|(i, _)| !used.contains(i));
        let best = free
            .map(|(i, other)| (shared(part, other, keys), i, other))
            .max_by_key(|(count, i, _)| (*count, std::cmp::Reverse(*i)));
        let Some((_, at, other)) = best.filter(|(count, ..)| *count > 0) else {
            matched.contained = false;
            continue;
        };
        used.push(at);
        let relation = relate(part, other);
        match relation.outcome {
            Comparison::Conflict => {
                matched.conflict = matched.conflict.or(Some((relation, at == 0 && from == 0)))
            }
            Comparison::Duplicate => {}
            Comparison::Distinct => matched.contained = false,
        }
    }
    matched.contained &= !long.iter().enumerate().any(|(i, s)| s.restrictive && !used.contains(&i));
    matched
}

fn shared(a: &Segment, b: &Segment, keys: Keys) -> usize {
    a.tokens.iter().filter(|x| !x.light && b.tokens.iter().any(|y| keys.of(x) == keys.of(y))).count()
}

#[cfg(test)]
mod tests;
