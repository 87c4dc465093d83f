//! What every match of a pattern begins with, or holds somewhere. Most sentences match none of the hundred patterns
//! that they are asked about, and a glance tells so ten times faster than an automaton does, with the same answer.

use crate::text::is_stop_word;
use aho_corasick::packed;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The rest of a longer word tells nothing more.
const LONGEST_WORD: usize = 8;

/// Of a longer text, an automaton that looks at its start mostly sees less than the whole.
const LONG_TEXT: usize = 512;

/// Which words are worth looking for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// More are not looked for at once.
    most: usize,
    /// Shorter ones stand in nearly every text.
    shortest: usize,
}

/// Where each pattern is asked by itself.
const ALONE: Limits = Limits { most: 64, shortest: 3 };
/// Where the words of all patterns are looked for at once.
const TOGETHER: Limits = Limits { most: 128, shortest: 3 };

/// See the module. Without a field, nothing is told by it.
#[derive(Debug)]
pub(super) struct Glance {
    /// Bytes that a text may start with, for a pattern that matches at its start only.
    opens: Option<Box<[bool; 256]>>,
    /// Finds words of which each match holds one.
    holds: Option<packed::Searcher>,
}

impl Glance {
    pub(super) fn of(pattern: &str) -> Self {
        let Ok(hir) = regex_syntax::parse(pattern) else { return Self { opens: None, holds: None } };
        let at_start = hir.properties().look_set_prefix().contains(Look::Start);
        let opens = at_start.then(|| Openings::of(&hir)).filter(|openings| !openings.maybe_none);
        let holds = Words::of(&hir, ALONE).needed(ALONE).map(fewest);
        Self {
            opens: opens.map(|openings| openings.bytes),
            holds: holds.and_then(|words| packed::Config::new().builder().extend(words).build()),
        }
    }

    /// Whether the pattern may match; `false` is certain.
    pub(super) fn may_match(&self, text: &str) -> bool {
        let near = self.opens.is_some() && text.len() > LONG_TEXT;
        self.opens(text) && (near || self.holds.as_ref().is_none_or(|words| words.find(text).is_some()))
    }

    /// The same by the first byte alone.
    pub(super) fn opens(&self, text: &str) -> bool {
        match (&self.opens, text.as_bytes().first()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(bytes), Some(first)) => bytes.get(usize::from(*first)).is_some_and(|opens| *opens),
        }
    }
}

/// Words of which each match of a pattern holds one, to be looked for together with those of other patterns.
pub(super) fn words(pattern: &str) -> Option<Vec<Vec<u8>>> {
    Words::of(&regex_syntax::parse(pattern).ok()?, TOGETHER).needed(TOGETHER)
}

/// The first bytes of what a pattern matches.
struct Openings {
    bytes: Box<[bool; 256]>,
    /// It may match nothing at all.
    maybe_none: bool,
}

impl Openings {
    fn of(hir: &Hir) -> Self {
        let mut openings = Self { bytes: Box::new([false; 256]), maybe_none: false };
        openings.maybe_none = openings.add(hir);
        openings
    }

    /// Adds those of a part; tells whether the part may match nothing.
    fn add(&mut self, hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => true,
            HirKind::Literal(literal) => literal.0.first().is_none_or(|first| {
                self.allow(*first, *first);
                false
            }),
            HirKind::Class(Class::Unicode(class)) => {
                let first = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes().first().copied().unwrap_or(0);
                class.ranges().iter().for_each(|range| self.allow(first(range.start()), first(range.end())));
                false
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.ranges().iter().for_each(|range| self.allow(range.start(), range.end()));
                false
            }
            HirKind::Repetition(repetition) => self.add(&repetition.sub) || repetition.min == 0,
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().all(|part| self.add(part)),
            // Each of them is added, whatever the others may match.
            HirKind::Alternation(parts) => parts.iter().filter(|part| self.add(part)).count() > 0,
        }
    }

    fn allow(&mut self, from: u8, to: u8) {
        let bytes = self.bytes.get_mut(usize::from(from)..=usize::from(to));
        bytes.into_iter().flatten().for_each(|allowed| *allowed = true);
    }
}

/// Words of which each match of a pattern holds one.
struct Words {
    /// All that it may match, where that is only a few words.
    all: Option<Vec<Vec<u8>>>,
    /// Else words of which one is in each match.
    some: Option<Vec<Vec<u8>>>,
}

impl Words {
    fn of(hir: &Hir, limits: Limits) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::exactly(vec![Vec::new()]),
            HirKind::Literal(literal) => Self::exactly(vec![literal.0.to_vec()]),
            HirKind::Class(class) => match letters(class) {
                Some(letters) => Self::exactly(letters),
                None => Self { all: None, some: None },
            },
            HirKind::Repetition(repetition) => {
                let sub = Self::of(&repetition.sub, limits);
                match (sub.all, repetition.min, repetition.max) {
                    (Some(mut all), 0, Some(1)) => {
                        all.push(Vec::new());
                        Self::exactly(all)
                    }
                    (_, 0, _) => Self { all: None, some: None },
                    (Some(all), 1, Some(1)) => Self::exactly(all),
                    (all, ..) => Self { all: None, some: sub.some.or(all) },
                }
            }
            HirKind::Capture(capture) => Self::of(&capture.sub, limits),
            HirKind::Concat(parts) => Self::in_a_row(parts, limits),
            HirKind::Alternation(parts) => Self::any_of(parts, limits),
        }
    }

    fn exactly(all: Vec<Vec<u8>>) -> Self {
        Self { all: Some(all), some: None }
    }

    fn in_a_row(parts: &[Hir], limits: Limits) -> Self {
        let mut row: Option<Vec<Vec<u8>>> = Some(vec![Vec::new()]);
        let mut whole = true;
        let mut best = None;
        for part in parts {
            let words = Self::of(part, limits);
            best = better(best, words.some, limits);
            let longer = match (&row, &words.all) {
                (Some(row), Some(all)) if row.len() * all.len() <= limits.most => Some(joined(row, all)),
                _ => None,
            };
            if longer.is_none() {
                whole = false;
                best = better(best, row.take(), limits);
            }
            row = longer.or(words.all);
        }
        match row {
            Some(row) if whole => Self::exactly(row),
            row => Self { all: None, some: better(best, row, limits) },
        }
    }

    fn any_of(parts: &[Hir], limits: Limits) -> Self {
        let (mut all, mut some) = (Some(Vec::new()), Some(Vec::new()));
        for part in parts {
            let words = Self::of(part, limits);
            all = all.zip(words.all.clone()).map(|(known, more)| [known, more].concat());
            some = some.zip(words.some.or(words.all)).map(|(known, more)| [known, more].concat());
        }
        let all = all.filter(|all| all.len() <= limits.most);
        Self { some: if all.is_none() { better(some, None, limits) } else { None }, all }
    }

    /// The words to look for, if that tells anything.
    fn needed(self, limits: Limits) -> Option<Vec<Vec<u8>>> {
        better(self.all, self.some, limits)
    }
}

fn joined(heads: &[Vec<u8>], tails: &[Vec<u8>]) -> Vec<Vec<u8>> {
    heads.iter().flat_map(|head| tails.iter().map(move |tail| [head.as_slice(), tail].concat())).collect()
}

/// The words that tell more.
fn better(first: Option<Vec<Vec<u8>>>, second: Option<Vec<Vec<u8>>>, limits: Limits) -> Option<Vec<Vec<u8>>> {
    let known = [first, second].into_iter().flatten().map(|words| few(words, limits));
    known
        .filter_map(|words| worth(&words, limits).map(|worth| (worth, words)))
        .max_by_key(|(worth, _)| *worth)
        .map(|(_, words)| words)
}

/// The beginnings of the words, as long as they can be without being too many: where a word is, its beginning is.
fn few(mut words: Vec<Vec<u8>>, limits: Limits) -> Vec<Vec<u8>> {
    for length in (limits.shortest..=LONGEST_WORD).rev() {
        words.iter_mut().for_each(|word| word.truncate(length));
        words.sort_unstable();
        words.dedup();
        if words.len() <= limits.most {
            break;
        }
    }
    words
}

/// The words without those that hold another one.
fn fewest(mut words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    words.sort_unstable_by_key(Vec::len);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for word in words {
        let held = |known: &Vec<u8>| {
            known.is_empty() || word.windows(known.len()).any(|part| part == known.as_slice())
        };
        if !kept.iter().any(held) {
            kept.push(word);
        }
    }
    kept
}

/// How much words tell: the one that tells least counts, then how few they are. Nothing for words that are too many or
/// too short.
fn worth(words: &[Vec<u8>], limits: Limits) -> Option<(usize, usize)> {
    let shortest = words.iter().map(Vec::len).min()?;
    // A function word stands in every other sentence: a verb of the same length tells more.
    let common = |word: &[u8]| std::str::from_utf8(word.trim_ascii()).is_ok_and(is_stop_word);
    let tells = |word: &Vec<u8>| word.len().saturating_sub(if common(word) { 2 } else { 0 });
    let least = words.iter().map(tells).min()?;
    (shortest >= limits.shortest && words.len() <= limits.most).then(|| (least, limits.most - words.len()))
}

/// The letters of a small class.
fn letters(class: &Class) -> Option<Vec<Vec<u8>>> {
    const FEW: usize = 4;
    let Class::Unicode(class) = class else { return None };
    let chars = class.iter().flat_map(|range| range.start()..=range.end());
    let letters: Vec<Vec<u8>> = chars.take(FEW + 1).map(|c| c.to_string().into_bytes()).collect();
    (letters.len() <= FEW).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pattern: &str) -> Vec<String> {
        let hir = regex_syntax::parse(pattern).unwrap();
        let mut words: Vec<String> = Words::of(&hir, ALONE)
            .needed(ALONE)
            .map(fewest)
            .unwrap_or_default()
            .into_iter()
            .map(|word| String::from_utf8(word).unwrap())
            .collect();
        words.sort();
        words
    }

    #[test]
    fn a_match_holds_one_of_the_longest_words_that_must_be_there() {
        assert_eq!(told(r"(?-u:\b)(?:decided|agreed)(?-u:\b).{0,40}"), ["agreed", "decided"]);
        assert_eq!(told(r"^(?:i|we)(?:'ll| will) (.*)$"), ["i will ", "i'll ", "we will ", "we'll "]);
        assert_eq!(told(r"from (?:now|here) on"), ["from her", "from now"]);
        assert_eq!(told(r"stays?|remain(?:ed)?"), ["remain", "stay"]);
        assert_eq!(told(r"(?:very )+important"), ["importan"]);
        assert_eq!(told(r"x+ [ab]cd"), [" acd", " bcd"]);
    }

    #[test]
    fn nothing_is_told_where_any_word_may_be_missing() {
        for pattern in [r"(?:important)?", r"\d+", r"[a-z]+|important", r"to|important", ""] {
            assert!(told(pattern).is_empty(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_for_the_start_knows_its_first_bytes() {
        let glance = Glance::of(r"^(?:please |and )*(?:use|štedi|[0-9])");
        for text in ["use", "please", "and so", "štedi", "7"] {
            let opens = glance.opens.as_ref().unwrap();
            assert!(opens[usize::from(text.as_bytes()[0])], "{text}");
        }
        assert!(!glance.may_match("we use it") && !glance.may_match(""));
        assert!(Glance::of(r"^\s*use").may_match(" use"));
        assert!(Glance::of(r"^$|^use").opens.is_none(), "an empty text matches");
        assert!(Glance::of(r"^use|keep").opens.is_none(), "one of the two may stand anywhere");
    }
}
