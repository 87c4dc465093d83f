//! What of a text can be searched for: folded and stemmed words, identifiers and paths whole and in parts, pairs of
//! ideographs. The same code reads what is stored and what is asked (FAULTS J1). One pass, whatever the text (C8).

use std::borrow::Cow;

use super::irregular;
use crate::text::{fold, stem};

/// Bytes of a text that are read: far above what a message body holds.
const TEXT_BYTES: usize = 1 << 20;
/// Longest word or identifier in bytes; what is longer is known by its beginning.
const TERM_BYTES: usize = 64;
/// Stands before Serbian stems, which would else be taken for English words.
const SERBIAN: char = '\u{1}';

/// How a term was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word, by its English stem (or as it is, where it has none), a number, or a pair of ideographs.
    Word,
    /// The word before it once more, by its Serbian stem.
    Variant,
    /// An identifier, path or compound as a whole; its parts are words of their own.
    Whole,
    /// A single ideograph: stored, and asked for only where it stands alone.
    Single,
}

/// Shows every term of `text` in order. A variant follows its word.
pub fn analyze(text: &str, emit: &mut dyn FnMut(&str, Kind)) {
    let text = text.get(..text.floor_char_boundary(TEXT_BYTES)).unwrap_or(text);
    let mut reader = Reader { serbian: may_be_serbian(text), buffer: String::new(), emit };
    for run in text.split(|c: char| !is_inner(c)) {
        reader.path(run);
    }
}

/// Letters, digits, and what joins them to names, paths and addresses.
fn is_inner(c: char) -> bool {
    is_word_char(c) || matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '+' | '#' | '~')
}

fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '\''
    } else {
        c.is_alphanumeric() || is_mark(c) || c == '’'
    }
}

/// Marks that belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x591..=0x5C7 | 0x610..=0x61A | 0x64B..=0x65F | 0x900..=0xDFF | 0xE31..=0xE4E | 0x3099..=0x309A)
}

/// Scripts that are written without blanks between words.
fn is_dense(c: char) -> bool {
    matches!(
        u32::from(c),
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x2_0000..=0x3_FFFF
    )
}

struct Reader<'a> {
    serbian: bool,
    buffer: String,
    emit: &'a mut dyn FnMut(&str, Kind),
}

impl Reader<'_> {
    /// A run without blanks and brackets: whole, then its components (`pool.rs` of `src/db/pool.rs`), then their
    /// parts.
    fn path(&mut self, run: &str) {
        let run = trim(run);
        if run.is_empty() {
            return;
        }
        let mut components = run.split(['/', '\\', ':', '@']).filter(|part| !trim(part).is_empty());
        let single = components.clone().nth(1).is_none();
        if !single {
            self.whole(run);
        }
        components.by_ref().for_each(|component| self.name(trim(component)));
    }

    /// A name: whole if it has several parts, and its parts.
    fn name(&mut self, name: &str) {
        let parts = || name.split(['.', '_', '-', '+', '#', '~']).filter(|part| !trim(part).is_empty());
        // `c++`, `c#`: the marks are all there is to tell them from `c`.
        if parts().nth(1).is_some() || name.ends_with(['+', '#']) {
            self.whole(name);
        }
        parts().for_each(|part| self.camel(trim(part)));
    }

    /// `parseHttpResponse` as a whole and in words.
    fn camel(&mut self, part: &str) {
        let cuts = humps(part);
        if cuts.is_empty() {
            return self.word(part);
        }
        self.whole(part);
        // Who writes it in small letters asks for a word.
        let small = folded(part);
        let stem = stem_of(&small);
        if *stem != *small && small.len() <= TERM_BYTES {
            (self.emit)(&stem, Kind::Variant);
        }
        let mut start = 0;
        for end in cuts.into_iter().chain([part.len()]) {
            self.word(part.get(start..end).unwrap_or_default());
            start = end;
        }
    }

    fn whole(&mut self, name: &str) {
        let folded = folded(name);
        if name.len() <= TERM_BYTES * 2 && !folded.is_empty() {
            (self.emit)(&folded, Kind::Whole);
        }
    }

    fn word(&mut self, word: &str) {
        if word.is_ascii() || !word.chars().any(is_dense) { self.letters(word) } else { self.dense(word) }
    }

    fn letters(&mut self, word: &str) {
        let folded = folded(word);
        let short = folded.get(..folded.floor_char_boundary(TERM_BYTES)).unwrap_or(&folded);
        if short.is_empty() {
            return; // nothing but marks that folding takes off
        }
        let plain = short.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
        if !plain {
            return (self.emit)(short, Kind::Word);
        }
        let bare = without_verb(short);
        (self.emit)(&stem_of(bare), Kind::Word);
        if self.serbian {
            self.buffer.clear();
            self.buffer.push(SERBIAN);
            self.buffer.push_str(stem::serbian(bare));
            (self.emit)(&self.buffer, Kind::Variant);
        }
    }

    /// Pairs of neighbours, and each sign alone, for texts and questions of one sign.
    fn dense(&mut self, word: &str) {
        let mut rest = word;
        while !rest.is_empty() {
            let here = rest.chars().next().is_some_and(is_dense);
            let end = rest.find(|c: char| !is_mark(c) && is_dense(c) != here).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;
            if !here {
                self.letters(run);
                continue;
            }
            let run = fold(run);
            let mut previous: Option<char> = None;
            let alone = run.chars().nth(1).is_none();
            for c in run.chars() {
                self.buffer.clear();
                if let Some(previous) = previous {
                    self.buffer.extend([previous, c]);
                    (self.emit)(&self.buffer, Kind::Word);
                    self.buffer.clear();
                }
                self.buffer.push(c);
                (self.emit)(&self.buffer, if alone { Kind::Word } else { Kind::Single });
                previous = Some(c);
            }
        }
    }
}

/// Without the punctuation around it; `c++` and `c#` keep theirs.
fn trim(run: &str) -> &str {
    let start = run.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = start.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c));
    match start.get(end.len()..) {
        Some("+" | "++" | "#") if end.len() == 1 => start,
        _ => end,
    }
}

fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return word.to_ascii_lowercase().into();
        }
        return word.into();
    }
    fold(&word.replace('’', "'")).into()
}

fn stem_of(word: &str) -> String {
    stem::english(irregular::plain(word))
}

/// `we` of `we'll`, `children` of `children's`.
fn without_verb(word: &str) -> &str {
    ["'ll", "'ve", "'re", "'m", "'d", "'s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| !rest.is_empty()))
        .unwrap_or(word)
}

/// Where a word in capitals and small letters comes apart: before a capital after a small letter or digit, and before
/// the last capital of several (`HTTPServer`).
fn humps(part: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    if part.bytes().all(|byte| !byte.is_ascii_uppercase()) && part.is_ascii() {
        return cuts;
    }
    let mut before: (Option<char>, Option<char>) = (None, None);
    for (at, c) in part.char_indices() {
        match before {
            (_, Some(last)) if c.is_uppercase() && !last.is_uppercase() && last != '\'' && last != '’' => {
                cuts.push(at)
            }
            (Some(first), Some(last)) if first.is_uppercase() && last.is_uppercase() && c.is_lowercase() => {
                cuts.push(at - last.len_utf8());
            }
            _ => {}
        }
        before = (before.1, Some(c));
    }
    cuts
}

/// Whether Serbian stems belong to a text: not where its small words are English and none is Serbian.
fn may_be_serbian(text: &str) -> bool {
    const ENGLISH: [&str; 24] = [
        "the", "and", "is", "are", "of", "to", "in", "it", "you", "that", "was", "for", "with", "have",
        "this", "we", "what", "how", "did", "does", "my", "an", "when", "not",
    ];
    const SERBIAN_WORDS: [&str; 24] = [
        "je", "su", "da", "se", "na", "za", "sam", "smo", "nije", "ne", "sto", "kako", "koji", "koja",
        "koje", "ali", "ili", "ce", "treba", "jer", "ako", "kad", "gde", "od",
    ];
    const LOOKED_AT: usize = 400;
    let mut english = false;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(LOOKED_AT) {
        let letters = |c: char| {
            matches!(c, 'č' | 'ć' | 'ž' | 'š' | 'đ' | 'Č' | 'Ć' | 'Ž' | 'Š' | 'Đ')
                || ('\u{400}'..='\u{4FF}').contains(&c)
        };
        if !word.is_ascii() && word.chars().any(letters) {
            return true;
        }
        let is = |list: &[&str]| list.iter().any(|small| word.eq_ignore_ascii_case(small));
        if is(&SERBIAN_WORDS) {
            return true;
        }
        english = english || is(&ENGLISH);
    }
    !english
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        analyze(text, &mut |term, kind| {
            if kind != Kind::Variant {
                terms.push(term.to_owned());
            }
        });
        terms
    }

    fn meets(stored: &str, asked: &str) -> bool {
        let all = |text: &str| {
            let mut all = HashSet::new();
            analyze(text, &mut |term, kind| {
                if kind != Kind::Single {
                    all.insert(term.to_owned());
                }
            });
            all
        };
        let mut stored_terms = HashSet::new();
        analyze(stored, &mut |term, _| _ = stored_terms.insert(term.to_owned()));
        !all(asked).is_disjoint(&stored_terms)
    }

    #[test]
    fn j1_a_part_of_a_chinese_sentence_is_found() {
        assert!(meets("今天玩成语接龙游戏", "成语接龙"));
        assert!(meets("今天玩成语接龙游戏", "龙"));
        assert!(meets("東京タワーに行った", "タワー"));
        assert!(meets("오늘회의록을정리했다", "회의록"));
        assert!(!meets("今天玩成语接龙游戏", "天气"));
    }

    #[test]
    fn identifiers_and_paths_are_kept_whole_and_in_parts() {
        assert_eq!(terms("svc-a.v2"), ["svc-a.v2", "svc", "a", "v2"]);
        assert_eq!(terms("(`src/db/pool.rs`)"), ["src/db/pool.rs", "src", "db", "pool.rs", "pool", "rs"]);
        assert_eq!(terms("parseHTTPResponse"), ["parsehttpresponse", "pars", "http", "respons"]);
        assert_eq!(terms("C++, c# and 2.4.1."), ["c++", "c", "c#", "c", "and", "2.4.1", "2", "4", "1"]);
    }

    #[test]
    fn spellings_and_forms_meet() {
        for (stored, asked) in [
            ("Koristićemo keš za servere", "server kes"),
            ("Користићемо кеш", "keš"),
            ("odlukama", "odluke"),
            ("She went to the café", "go cafe"),
            ("don’t", "don't"),
            ("The children's books", "child"),
            ("this.flushPendingMessages()", "flushpendingmessages"),
            ("see HTTPServerSettings", "httpserversettings"),
        ] {
            assert!(meets(stored, asked), "{stored} / {asked}");
        }
    }

    #[test]
    fn english_words_are_not_cut_like_serbian_ones() {
        assert!(!meets("we have a plan for the release", "plane"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_no_term_is_long(text in "\\PC{0,300}") {
            analyze(&text, &mut |term, _| assert!(!term.is_empty() && term.len() <= 6 * TERM_BYTES, "{term:?}"));
        }
    }

    #[test]
    fn c8_long_runs_without_a_blank_are_read_once() {
        for text in
            ["_".repeat(100_000) + "x", "a".repeat(300_000), "a.".repeat(150_000), "Aa".repeat(150_000)]
        {
            let mut seen = 0;
            analyze(&text, &mut |_, _| seen += 1);
            assert!(seen <= text.len());
        }
    }
}
