//! The spelling of a token, with what two spellings are asked about each other.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use super::prepare::hash;
use crate::text::stem;

/// A folded word or phrase; cheap to copy.
#[derive(Clone)]
pub(super) struct Word(Arc<Form>);

struct Form {
    text: Box<str>,
    /// Names the stem; 0 where it is too short to be negated by a prefix.
    stem: u64,
    /// Names the stem of what follows a negating prefix; 0 without one.
    unprefixed: u64,
    order: Option<Order>,
}

/// Which of two things comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// What stands before the word.
    Before,
    /// What stands after it.
    After,
}

static EMPTY: LazyLock<Word> = LazyLock::new(|| Word::new(""));

impl Word {
    pub(super) fn new(text: &str) -> Self {
        const PREFIXES: [&str; 8] = ["un", "dis", "non", "in", "im", "ir", "de", "ne"];
        let rest = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix));
        let stem_of = |word: &str| hash(&stem::english(word));
        let order = match text {
            "after" | "following" | "post" | "posle" | "nakon" => Some(Order::After),
            "before" | "prior to" | "ahead of" | "pre" | "prije" => Some(Order::Before),
            _ => None,
        };
        Self(Arc::new(Form {
            text: text.into(),
            stem: if text.len() >= 4 { stem_of(text) } else { 0 },
            unprefixed: rest.map_or(0, stem_of),
            order,
        }))
    }

    /// Of a value: no word at all.
    pub(super) fn none() -> Self {
        EMPTY.clone()
    }

    /// For "before", "after" and their like.
    pub(super) fn order(&self) -> Option<Order> {
        self.0.order
    }

    /// Names the stem; 0 where it is too short to be negated by a prefix.
    pub(super) fn stem(&self) -> u64 {
        self.0.stem
    }

    /// Names the stem of the word that this one would negate, where it begins as a negation does.
    pub(super) fn negated(&self) -> Option<u64> {
        (self.0.unprefixed != 0).then_some(self.0.unprefixed)
    }

    /// `undocumented` of `documented`, `unencrypted` of `encrypt`.
    pub(super) fn negates(&self, other: &Self) -> bool {
        self.0.unprefixed != 0 && self.0.unprefixed == other.0.stem
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_negates_the_word_in_any_form() {
        let negates = |long: &str, short: &str| Word::new(long).negates(&Word::new(short));
        assert!(negates("undocumented", "documented") && negates("unencrypted", "encrypt"));
        assert!(!negates("documented", "undocumented") && !negates("under", "der") && !negates("", ""));
    }
}
