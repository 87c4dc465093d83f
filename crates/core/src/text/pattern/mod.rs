//! Regular expressions that are compiled once, on first use, without a way to panic, and asked only where a glance does
//! not tell that they find nothing.
//!
//! `regex` only: its time is linear in the text whatever the pattern (FAULTS C8). A pattern that does not compile
//! would never match instead of taking the host down; it cannot reach a release, because [`static_regex!`] gives each
//! pattern a test of its own.

mod glance;
mod noted;

use glance::Glance;
pub(crate) use noted::{Held, Noted};
use regex::{CaptureNames, Captures, Match, Regex, Replacer, Split};
use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU16;

/// Declares patterns at module level: `static_regex! { /// What it finds. static NAME = r"..."; }`. Each becomes a
/// [`Pattern`], and a test `NAME::compiles`.
macro_rules! static_regex {
    ($($(#[$doc:meta])* $visibility:vis static $name:ident = $pattern:expr;)+) => {$(
        $(#[$doc])*
        $visibility static $name: $crate::text::pattern::Pattern = $crate::text::pattern::Pattern::new($pattern);

        inventory::submit! { $crate::text::pattern::Declared(&$name) }

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

/// A pattern that [`static_regex!`] declares, wherever it stands.
pub(crate) struct Declared(pub(crate) &'static Pattern);

inventory::collect!(Declared);

/// A regular expression that answers at a glance where it can, and is compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: &'static str,
    /// Names it among all that are declared: see [`noted`].
    number: AtomicU16,
    glance: OnceLock<Glance>,
    regex: OnceLock<Regex>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        Self {
            source,
            number: AtomicU16::new(noted::UNNUMBERED),
            glance: OnceLock::new(),
            regex: OnceLock::new(),
        }
    }

    /// As [`Regex::is_match`].
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.may_match(text) && self.regex().is_match(text)
    }

    /// Whether it may match in some part of the text, at little cost; `false` is certain.
    pub(crate) fn may_be_in(&self, text: &str) -> bool {
        noted::tells(self, text).unwrap_or(true)
    }

    /// As [`Regex::find`].
    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        if self.may_match(text) { self.regex().find(text) } else { None }
    }

    /// As [`Regex::captures`]. Most patterns find nothing most of the time: that is told first, without memory.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if self.is_match(text) { self.regex().captures(text) } else { None }
    }

    /// As [`Regex::find_iter`].
    pub(crate) fn find_iter<'p, 't>(
        &'p self,
        text: &'t str,
    ) -> impl Iterator<Item = Match<'t>> + use<'p, 't> {
        self.may_match(text).then(|| self.regex().find_iter(text)).into_iter().flatten()
    }

    /// As [`Regex::captures_iter`].
    pub(crate) fn captures_iter<'p, 't>(
        &'p self,
        text: &'t str,
    ) -> impl Iterator<Item = Captures<'t>> + use<'p, 't> {
        self.may_match(text).then(|| self.regex().captures_iter(text)).into_iter().flatten()
    }

    /// As [`Regex::replace`].
    pub(crate) fn replace<'t>(&self, text: &'t str, with: impl Replacer) -> Cow<'t, str> {
        if self.may_match(text) { self.regex().replace(text, with) } else { Cow::Borrowed(text) }
    }

    /// As [`Regex::replace_all`].
    pub(crate) fn replace_all<'t>(&self, text: &'t str, with: impl Replacer) -> Cow<'t, str> {
        if self.may_match(text) { self.regex().replace_all(text, with) } else { Cow::Borrowed(text) }
    }

    /// As [`Regex::split`].
    pub(crate) fn split<'p, 't>(&'p self, text: &'t str) -> Split<'p, 't> {
        self.regex().split(text)
    }

    /// As [`Regex::capture_names`].
    pub(crate) fn capture_names(&self) -> CaptureNames<'_> {
        self.regex().capture_names()
    }

    /// As [`Regex::as_str`].
    pub(crate) fn as_str(&self) -> &str {
        self.regex().as_str()
    }

    /// Most of those that are asked are told by a note: that alone stands where it is asked.
    #[inline]
    fn may_match(&self, text: &str) -> bool {
        let held = noted::tells(self, text);
        let may_match = held != Some(false) && self.may_match_so_far(text, held.is_some());
        debug_assert!(may_match || !self.regex().is_match(text), "{} matches {text:?}", self.source);
        may_match
    }

    /// The same where no note tells otherwise.
    fn may_match_so_far(&self, text: &str, noted: bool) -> bool {
        let glance = self.glance.get_or_init(|| Glance::of(&plain_classes(self.source)));
        if noted { glance.opens(text) } else { glance.may_match(text) }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compile(self.source))
    }
}

/// Matches nothing: no character is both in a class and outside it.
const NEVER: &str = r"[^\s\S]";

/// Letters, digits and `_`: whole scripts, without the signs that stand between words (general punctuation, symbols,
/// punctuation of CJK). Unicode's own `\w` has 770 ranges, which say hardly more here and cost ten times the memory:
/// there are hundreds of them in the patterns, and each thread has caches of its own for each pattern.
const WORD: &str = concat!(
    r"[0-9A-Z_a-z\xAA\xB5\xBA\xC0-\xD6\xD8-\xF6\xF8-\u{1FFF}\u{2C00}-\u{2DFF}\u{3005}-\u{3007}\u{3031}-\u{D7FF}",
    r"\u{F900}-\u{FDFF}\u{FE70}-\u{FEFC}\u{FF10}-\u{FF19}\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}\u{FF66}-\u{FFDC}",
    r"\u{10000}-\u{1CFFF}\u{20000}-\u{3FFFF}]"
);

/// The compiled pattern; one that matches nothing if it is malformed. In a pattern of ASCII, `\b` and `\B` are boundaries of
/// ASCII words: a single dash or emoji in the text would send a Unicode one through an engine that is a hundred times slower.
/// `\w` is [`WORD`] and `\d` an ASCII digit.
fn compile(pattern: &str) -> Regex {
    Regex::new(&plain_classes(pattern)).unwrap_or_else(|cause| {
        tracing::error!(pattern, %cause, "a pattern does not compile and is ignored");
        never()
    })
}

fn plain_classes(pattern: &str) -> Cow<'_, str> {
    let tells_letters = !pattern.is_ascii() || pattern.contains(r"\p");
    if tells_letters || ![r"\b", r"\B", r"\w", r"\d"].iter().any(|class| pattern.contains(class)) {
        return Cow::Borrowed(pattern);
    }
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next() } else { None };
        match escaped {
            Some('b') => out.push_str(r"(?-u:\b)"),
            Some('B') => out.push_str(r"(?-u:\B)"),
            Some('w') => out.push_str(WORD),
            Some('d') => out.push_str("[0-9]"),
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
pub(crate) fn is_fallback(pattern: &Pattern) -> bool {
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
        assert_eq!(Pattern::new(r"\bkey\b|\\b\s").as_str(), r"(?-u:\b)key(?-u:\b)|\\b\s");
        assert_eq!(Pattern::new(r"\bšta\b").as_str(), r"\bšta\b");
        assert_eq!(Pattern::new(r"\b\p{Lu}+").as_str(), r"\b\p{Lu}+");
        assert_eq!(Pattern::new(r"\b[\d.]+").as_str(), r"(?-u:\b)[[0-9].]+");
        let key = Pattern::new(r"\bkey\b");
        assert!(key.is_match("— key…") && key.is_match("ključ:key") && !key.is_match("monkey"));
    }

    #[test]
    fn a_word_is_of_any_script_and_ends_at_any_sign() {
        let word = Pattern::new(r"^[\w'-]+$");
        for text in
            ["naïve", "šta's", "шта-je", "日本語", "한국어", "עברית", "x_1", "ελληνικά", "हिन्दी", "ＡＢ"]
        {
            assert!(word.is_match(text), "{text}");
        }
        for sign in " .,;:!?()[]{}\"/\\@#$%&*+=<>|~`^«»“”„‘’–—…·•§°©×÷€→✓、。「」，：🙂".chars()
        {
            assert!(!word.is_match(sign.encode_utf8(&mut [0; 4])), "{sign}");
        }
        // Elsewhere it says what Unicode says, but for signs of single scripts.
        let unicode = Regex::new(r"^\w$").unwrap();
        let differs = |c: &char| {
            let text = c.to_string();
            word.is_match(&text) != unicode.is_match(&text)
        };
        let european = ('\u{A0}'..='\u{52F}').filter(|c| c.is_alphabetic()).find(differs);
        assert_eq!(european, None);
    }

    #[test]
    fn a_malformed_pattern_matches_nothing_and_is_told_apart() {
        let broken = Pattern::new("(");
        assert!(is_fallback(&broken));
        assert!(!broken.is_match("(") && !broken.is_match(""));
    }
}
