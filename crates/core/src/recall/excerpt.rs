//! A message that is too long for an answer: the part of it that answers.

use std::collections::HashSet;

use super::analyze::analyze;
use super::query::Query;
use crate::text::clip::{first_tokens, last_tokens};
use crate::text::tokens::estimate_tokens;

/// About how long the pieces are that are compared, in bytes.
const PIECE: usize = 240;
/// What the two marks of a cut cost.
const MARKS: u64 = 4;

/// At most `max` tokens of a text, around the piece of it that matches most of the question. Cuts are marked by `…`.
pub fn excerpt(text: &str, query: &Query, max: u64) -> String {
    if estimate_tokens(text) <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub(MARKS);
    let at = best_piece(text, query);
    let (before, rest) = text.split_at_checked(at).unwrap_or(("", text));
    // A third for what led there, and what the rest does not need.
    let rest_fits = first_tokens(rest, room);
    let spare = if rest_fits.len() == rest.len() { room - estimate_tokens(rest).min(room) } else { 0 };
    let lead = last_tokens(before, (room / 3).max(spare));
    let rest = first_tokens(rest, room.saturating_sub(estimate_tokens(lead)));
    let open = if lead.len() < before.len() { "…" } else { "" };
    let close = if before.len() + rest.len() < text.len() { "…" } else { "" };
    let cut = format!("{open}{lead}{rest}{close}");
    // Estimates of parts do not add up exactly.
    if estimate_tokens(&cut) <= max { cut } else { first_tokens(&cut, max).to_owned() }
}

/// Where the first match is in the piece that matches most concepts; of equal pieces the first.
fn best_piece(text: &str, query: &Query) -> usize {
    let wanted: Vec<HashSet<&str>> =
        query.concepts.iter().map(|concept| concept.terms.iter().map(String::as_str).collect()).collect();
    let (mut best, mut most) = (0, 0);
    let mut start = 0;
    while start < text.len() {
        let mut end = text.ceil_char_boundary((start + PIECE).min(text.len()));
        // Not within a word, where a blank is near.
        let ahead = text.get(end..text.ceil_char_boundary((end + 40).min(text.len()))).unwrap_or_default();
        end += ahead.find(char::is_whitespace).unwrap_or(0);
        let mut matched = vec![false; wanted.len()];
        analyze(text.get(start..end).unwrap_or_default(), &mut |term, _| {
            for (matched, terms) in matched.iter_mut().zip(&wanted) {
                *matched |= terms.contains(term);
            }
        });
        let count = matched.iter().filter(|matched| **matched).count();
        if count > most {
            (best, most) = (start, count);
        }
        start = end;
    }
    let piece =
        text.get(best..text.ceil_char_boundary((best + 2 * PIECE).min(text.len()))).unwrap_or_default();
    let matches = |word: &str| {
        let mut found = 0;
        analyze(word, &mut |term, _| found += usize::from(wanted.iter().any(|terms| terms.contains(term))));
        found
    };
    // The word that is asked for before one that is only a part of it; of equal words the first.
    let mut closest = (0, 0);
    let mut at = 0;
    for word in piece.split_inclusive(char::is_whitespace) {
        let count = matches(word);
        if count > closest.1 {
            closest = (at, count);
        }
        at += word.len();
    }
    best + closest.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_message_is_cut_around_what_matches() {
        let text = format!("{} the retry limit is 7 {}", "begin word ".repeat(800), "end word ".repeat(800));
        let cut = excerpt(&text, &Query::new("retry limit"), 60);
        assert!(cut.contains("the retry limit is 7"), "{cut}");
        assert!(cut.starts_with('…') && cut.ends_with('…'));
        assert!(estimate_tokens(&cut) <= 60);
    }

    #[test]
    fn the_name_that_is_asked_for_is_in_the_excerpt_and_not_only_its_parts() {
        let text = format!(
            "The session of an agent: {} class AgentSession {{ {}",
            "other words ".repeat(30),
            "x ".repeat(900)
        );
        let cut = excerpt(&text, &Query::new("AgentSession"), 60);
        assert!(cut.contains("class AgentSession"), "{cut}");
    }

    proptest! {
        #[test]
        fn an_excerpt_never_exceeds_its_limit(text in "(\\PC{0,40} ?){0,60}", asked in "\\PC{0,30}", max in 0u64..80) {
            let cut = excerpt(&text, &Query::new(&asked), max);
            prop_assert!(estimate_tokens(&cut) <= max, "{} for {max}", estimate_tokens(&cut));
        }
    }
}
