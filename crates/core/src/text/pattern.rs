//! Regular expressions that are compiled once, on first use, without a way to panic.
//!
//! `regex` only: its time is linear in the text whatever the pattern (FAULTS C8). A pattern that does not compile
//! would never match instead of taking the host down; it cannot reach a release, because [`static_regex!`] gives each
//! pattern a test of its own.

use regex::Regex;
use std::borrow::Cow;

/// Declares patterns at module level: `static_regex! { /// What it finds. static NAME = r"..."; }`. Each becomes a
/// `LazyLock<Regex>`, and a test `NAME::compiles`.
macro_rules! static_regex {
    ($($(#[$doc:meta])* $visibility:vis static $name:ident = $pattern:expr;)+) => {$(
        $(#[$doc])*
        $visibility static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| $crate::text::pattern::compile($pattern));

        #[cfg(test)]
        #[allow(non_snake_case, reason = "named after the pattern that it tests")]
        mod $name {
            #[test]
            fn compiles() {
                regex::Regex::new(super::$name.as_str()).unwrap();
                assert!(!$crate::text::pattern::is_fallback(&super::$name), "the pattern does not compile");
            }
        }
    )+};
}
pub(crate) use static_regex;

/// Matches nothing: no character is both in a class and outside it.
const NEVER: &str = r"[^\s\S]";

/// The compiled pattern; one that matches nothing if it is malformed. In a pattern of ASCII, `\b` and `\B` are boundaries of
/// ASCII words: a single dash or emoji in the text would send a Unicode one through an engine that is a hundred times slower.
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(&ascii_boundaries(pattern)).unwrap_or_else(|cause| {
        tracing::error!(pattern, %cause, "a pattern does not compile and is ignored");
        never()
    })
}

fn ascii_boundaries(pattern: &str) -> Cow<'_, str> {
    let tells_letters = !pattern.is_ascii() || pattern.contains(r"\p");
    if tells_letters || !pattern.contains(r"\b") && !pattern.contains(r"\B") {
        return Cow::Borrowed(pattern);
    }
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next() } else { None };
        match escaped {
            Some('b') => out.push_str(r"(?-u:\b)"),
            Some('B') => out.push_str(r"(?-u:\B)"),
            _ => out.extend(std::iter::once(c).chain(escaped)),
        }
    }
    Cow::Owned(out)
}

#[allow(clippy::expect_used, reason = "one constant pattern, compiled by a test below")]
fn never() -> Regex {
    Regex::new(NEVER).expect("the empty class is a valid pattern")
}

#[cfg(test)]
pub(crate) fn is_fallback(pattern: &Regex) -> bool {
    pattern.as_str() == NEVER
}

#[cfg(test)]
mod tests {
    use super::*;

    static_regex! {
        /// Finds a number.
        static NUMBER = r"\d+";
    }

    #[test]
    fn a_declared_pattern_matches() {
        assert!(NUMBER.is_match("port 80"));
    }

    #[test]
    fn a_boundary_is_one_of_ascii_words_unless_the_pattern_speaks_of_other_letters() {
        assert_eq!(compile(r"\bkey\b|\\b\w").as_str(), r"(?-u:\b)key(?-u:\b)|\\b\w");
        assert_eq!(compile(r"\bšta\b").as_str(), r"\bšta\b");
        assert_eq!(compile(r"\b\p{Lu}+").as_str(), r"\b\p{Lu}+");
        let key = compile(r"\bkey\b");
        assert!(key.is_match("— key…") && key.is_match("ključ:key") && !key.is_match("monkey"));
    }

    #[test]
    fn a_malformed_pattern_matches_nothing_and_is_told_apart() {
        let broken = compile("(");
        assert!(is_fallback(&broken));
        assert!(!broken.is_match("(") && !broken.is_match(""));
    }
}
