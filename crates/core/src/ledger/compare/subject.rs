//! What a clause speaks of: words before "is" that could be verbs, and numbers that tell which thing is meant.

use super::prepare::{Segment, Slot, Token};
use super::value::Dimension;

/// "Log level is debug", "The sprint review is on Thursday": what stands before "is" is no verb.
pub(super) fn name_the_subject(segment: &mut Segment) {
    let Some(subject) =
        segment.copula.filter(|_| !segment.passive).and_then(|at| segment.tokens.get_mut(..at))
    else {
        return;
    };
    if subject.len() < 2 {
        return;
    }
    for token in subject.iter_mut().filter(|t| t.slot == Slot::Head || t.slot == Slot::Object) {
        token.class = 0;
        token.slot = Slot::Head;
    }
}

/// Marks the numbers that tell which thing is spoken of, before the verb: "chapter 7", "the second class".
pub(super) fn mark_labels(tokens: &mut [Token]) {
    let noun = |t: Option<&Token>| {
        t.is_some_and(|t| t.slot == Slot::Head && t.heavy() && (t.class == 0 || !t.contraries.is_empty()))
    };
    for at in 0..tokens.len() {
        let dimension = tokens.get(at).and_then(|t| t.value.as_ref()).map(|value| value.dimension);
        let named = match dimension {
            Some(Dimension::Count) => noun(at.checked_sub(1).and_then(|before| tokens.get(before))),
            Some(Dimension::Ordinal) => noun(tokens.get(at + 1)),
            _ => false,
        };
        if let Some(token) = tokens.get_mut(at) {
            token.label = named && token.slot == Slot::Head;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Prepared, compare, compare_prepared};

    #[test]
    fn facts_of_two_numbered_things_stand_beside_each_other() {
        for (a, b) in [
            ("Room 4 has its review on Mondays", "Room 5 has its review on Wednesdays"),
            ("Chapter 2 should have 3,000 words", "Chapter 6 should have 5,000 words"),
            ("Prvi razred vežba utorkom", "Drugi razred vežba sredom"),
        ] {
            let found = compare_prepared(&Prepared::new(a), &Prepared::new(b));
            assert!(found.comparison == Comparison::Distinct && !found.supersedes(), "{a} | {b}");
        }
        assert_eq!(compare("Use port 8080 for the API", "Use port 9090 for the API"), Comparison::Conflict);
    }

    #[test]
    fn what_stands_before_is_is_no_verb() {
        for (a, b) in [
            ("The review room is Orion", "The review room is Vega"),
            ("The log server is Orion", "Our log server is Vega now"),
        ] {
            assert_eq!(compare(a, b), Comparison::Conflict, "{a} | {b}");
        }
        assert_eq!(
            compare("The default branch is called main", "The default branch is called trunk"),
            Comparison::Conflict
        );
    }
}
