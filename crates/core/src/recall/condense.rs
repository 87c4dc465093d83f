//! Condensing by extraction, without a model: decisions, errors, paths, first and last sentences, word for word and in
//! their order.

use crate::text::clip::{ellipsize_tokens, one_line};
use crate::text::pattern::static_regex;
use crate::text::sentences;
use crate::text::tokens::estimate_tokens;

/// Sentences of one message that are looked at: the beginning and the end of a long one.
const LOOKED_AT: usize = 4_000;
/// Longest sentence that is kept whole, in tokens.
const SENTENCE: u64 = 60;

static_regex! {
    /// Something was settled.
    static DECISION = r"(?i)\b(?:decid\w+|decision|we(?:'ll| will) (?:use|keep|go)|going with|instead of|must(?: not)?|never|always|agreed|odluk\w+|odluci\w+|koristi(?:mo|cemo)|umesto)\b";
    /// Something went wrong.
    static ERROR = r"(?i)\b(?:error|exception|fail(?:ed|s|ure)?|panic(?:ked)?|traceback|denied|timed? ?out|greska|neuspe\w+)\b|E[A-Z]{4,}\b";
    /// A file, a path or an address.
    static PATH = r"(?:[\w.-]+/)+[\w.-]+|\w[\w-]*\.(?:rs|ts|tsx|js|mjs|py|go|java|c|h|cpp|json|ya?ml|toml|md|sql|sh|css|html)\b";
}

/// At most `max` tokens of what the messages say. What matters most is chosen first; the order is theirs.
pub fn condense(messages: &[&str], max: u64) -> String {
    struct Line {
        worth: u8,
        place: usize,
        text: String,
        tokens: u64,
    }
    let mut lines: Vec<Line> = Vec::new();
    for message in messages {
        let all = sentences(message);
        let last = all.len().saturating_sub(1);
        for (index, sentence) in all.iter().enumerate() {
            if index >= LOOKED_AT / 2 && index + LOOKED_AT / 2 < all.len() {
                continue;
            }
            let mut worth = u8::from(index == 0) * 2 + u8::from(index == last);
            worth += u8::from(DECISION.is_match(sentence)) * 4;
            worth += u8::from(ERROR.is_match(sentence)) * 3;
            worth += u8::from(PATH.is_match(sentence)) * 2;
            if worth == 0 {
                continue;
            }
            let text = ellipsize_tokens(&one_line(sentence), SENTENCE).into_owned();
            let tokens = estimate_tokens(&text) + 1;
            lines.push(Line { worth, place: lines.len(), text, tokens });
        }
    }
    lines.sort_by_key(|line| (std::cmp::Reverse(line.worth), line.place));
    let mut left = max;
    lines.retain(|line| match left.checked_sub(line.tokens) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    lines.sort_by_key(|line| line.place);
    let mut texts: Vec<String> = lines.into_iter().map(|line| line.text).collect();
    texts.dedup();
    let mut condensed = texts.join("\n");
    // Estimates of parts do not add up exactly.
    while estimate_tokens(&condensed) > max && texts.pop().is_some() {
        condensed = texts.join("\n");
    }
    condensed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decisions_errors_and_paths_come_first() {
        let talk = "Nice weather. ".repeat(200);
        let message =
            format!("{talk}We decided to use NATS. {talk}The build failed in src/db/pool.rs. {talk}");
        let condensed = condense(&[&message], 60);
        assert!(condensed.contains("We decided to use NATS."), "{condensed}");
        assert!(condensed.contains("src/db/pool.rs"), "{condensed}");
    }

    proptest! {
        #[test]
        fn it_never_exceeds_its_limit(messages in prop::collection::vec("(\\PC{0,60}[.!?\n] ){0,12}", 0..6), max in 0u64..120) {
            let texts: Vec<&str> = messages.iter().map(String::as_str).collect();
            prop_assert!(estimate_tokens(&condense(&texts, max)) <= max);
        }
    }
}
