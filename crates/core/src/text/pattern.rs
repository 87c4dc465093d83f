//! Regular expressions that are compiled once, on first use, without a way to panic.
//!
//! `regex` only: its time is linear in the text whatever the pattern (FAULTS C8). A pattern that does not compile
//! would never match instead of taking the host down; it cannot reach a release, because [`static_regex!`] gives each
//! pattern a test of its own.

use regex::Regex;

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

/// The compiled pattern; one that matches nothing if it is malformed.
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|cause| {
        tracing::error!(pattern, %cause, "a pattern does not compile and is ignored");
        never()
    })
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
    fn a_malformed_pattern_matches_nothing_and_is_told_apart() {
        let broken = compile("(");
        assert!(is_fallback(&broken));
        assert!(!broken.is_match("(") && !broken.is_match(""));
    }
}
