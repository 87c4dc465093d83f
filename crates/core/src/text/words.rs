//! Words, keywords, stop words and sentences.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::fold::fold;
use super::normalize::normalize;

/// Function words of English and Serbian that carry no meaning in a comparison: seed 000's list without its
/// negations, which change everything (DESIGN 6.4). Serbian words stand with and without diacritics; Cyrillic meets
/// them through [`fold`].
pub const STOP_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "was", "were", "be", "been", "being", "am", "to", "and", "or", "in",
    "for", "with", "that", "this", "these", "those", "of", "on", "at", "by", "as", "i", "we", "it", "its",
    "he", "she", "they", "you", "my", "our", "your", "their", "them", "us", "need", "needs", "should",
    "will", "shall", "must", "have", "has", "had", "do", "does", "did", "can", "could", "would", "but", "if",
    "so", "then", "there", // Serbian
    "je", "su", "sam", "si", "smo", "ste", "se", "biti", "bi", "ili", "ali", "da", "za", "na", "u", "sa",
    "s", "od", "iz", "o", "te", "taj", "ta", "ti", "tu", "ovo", "ono", "ovaj", "ova", "ja", "on", "ona",
    "mi", "vi", "oni", "treba", "trebalo", "može", "moze", "možemo", "mozemo", "mora", "moramo", "će", "ce",
    "ćemo", "cemo", "ću", "cu", "što", "sto", "kao", "li", "pa",
];

/// Words that turn a statement into its opposite. They are never stop words.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "without", "nor", "none", "cannot", "ne", "nije", "nisu", "nema", "bez", "nikad",
    "nikada", "nemoj", "nemojte", "ni", "nece", "necemo",
];

static STOP: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.iter().copied().collect());

/// Whether `word` is a stop word, whatever its case, diacritics or script.
pub fn is_stop_word(word: &str) -> bool {
    let is_folded = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    STOP.contains(word) || !is_folded && STOP.contains(fold(word).as_str())
}

/// The words of `text` in order, normalised and folded. A path, glob, identifier, version or number with its
/// separators is one word.
pub fn words(text: &str) -> Vec<String> {
    fold(&normalize(text))
        .split_whitespace()
        .map(trim_punctuation)
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of `text` that carry meaning, each once, in order (seed 000): no stop words, at least 3 characters. Kept
/// in spite of their length: words with a digit, and negations.
pub fn keywords(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    words(text)
        .into_iter()
        .filter(|word| {
            let telling = word.chars().count() >= 3
                || word.chars().any(|c| c.is_ascii_digit())
                || word.chars().any(is_ideograph)
                || NEGATIONS.contains(&word.as_str());
            telling && !STOP.contains(word.as_str()) && seen.insert(word.clone())
        })
        .collect()
}

/// One ideograph is a word of its own.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

/// Takes sentence punctuation off the edges; what belongs to a name stays (`c++`, `c#`, `/etc`, `--flag`, `~/x`).
fn trim_punctuation(word: &str) -> &str {
    let start = word.trim_start_matches(|c: char| {
        matches!(c, '(' | '[' | '{' | '"' | '\'' | ',' | ';' | ':' | '!' | '?' | '<' | '=')
    });
    let end = start.trim_end_matches(|c: char| {
        matches!(c, ')' | ']' | '}' | '"' | '\'' | ',' | ';' | ':' | '!' | '?' | '.' | '>' | '=' | '…')
    });
    if end.chars().any(char::is_alphanumeric) { end } else { "" }
}

/// Splits `text` into sentences: at line ends, and after `.`, `!`, `?`, `…` or `。` where a blank follows. Dots in
/// abbreviations, initials, numbers, versions and file names do not end a sentence. Each piece is trimmed, none is
/// empty.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in text.lines() {
        let (mut start, mut end) = (0, 0);
        while let Some((at, c)) = next_stop(line, end) {
            end = at + c.len_utf8();
            // Closing quotes, brackets and emphasis belong to the sentence they close.
            let closes = |c: &char| {
                matches!(c, '.' | '!' | '?' | ')' | ']' | '"' | '\'' | '”' | '’' | '*' | '_' | '`')
            };
            let mut after = line.get(end..).unwrap_or_default().chars();
            while let Some(next) = after.clone().next().filter(closes) {
                end += next.len_utf8();
                after.next();
            }
            let wide = matches!(c, '。' | '！' | '？');
            let blank = after.next().is_none_or(char::is_whitespace);
            let head = line.get(start..at).unwrap_or_default();
            if wide || (blank && !(c == '.' && ends_in_abbreviation(head))) {
                push_trimmed(&mut out, line.get(start..end));
                start = end;
            }
        }
        push_trimmed(&mut out, line.get(start..));
    }
    out
}

/// The first character from a byte on that may end a sentence.
fn next_stop(line: &str, from: usize) -> Option<(usize, char)> {
    let stop = |c: &char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？');
    // The last three are how those outside ASCII begin.
    let likely = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | 0xE2 | 0xE3 | 0xEF);
    let mut at = from;
    loop {
        at += line.as_bytes().get(at..)?.iter().position(likely)?;
        match line.get(at..)?.chars().next().filter(stop) {
            Some(c) => return Some((at, c)),
            None => at += 1,
        }
    }
}

fn push_trimmed<'a>(out: &mut Vec<&'a str>, piece: Option<&'a str>) {
    if let Some(piece) = piece.map(str::trim).filter(|p| !p.is_empty()) {
        out.push(piece);
    }
}

const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "prof", "st", "no", "fig", "resp",
    "incl", "npr", "tj", "itd", "sl", "br", "str", "god", "tzv", "g", "gdja", "ing",
];

fn ends_in_abbreviation(head: &str) -> bool {
    let last = head.rsplit(char::is_whitespace).next().unwrap_or_default();
    let bare = last.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // A lone number is a list mark only at the start of the line; a single letter is an initial.
    let list_mark = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) && head.trim() == last;
    let initial = bare.chars().count() == 1 && last.chars().all(char::is_uppercase);
    list_mark || initial || ABBREVIATIONS.contains(&bare.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_negation_is_a_stop_word() {
        for word in NEGATIONS {
            assert!(!is_stop_word(word), "{word}");
        }
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
    }

    #[test]
    fn serbian_stop_words_go_in_every_spelling() {
        for text in [
            "Mi ćemo da koristimo keš za sesije",
            "mi cemo da koristimo kes za sesije",
            "Ми ћемо да користимо кеш за сесије",
        ] {
            assert_eq!(keywords(text), ["koristimo", "kes", "sesije"], "{text}");
        }
    }

    #[test]
    fn numbers_and_negations_survive_the_length_rule() {
        assert_eq!(keywords("Do not wait 5 s, no v2 on db"), ["not", "wait", "5", "no", "v2"]);
        assert_eq!(keywords("Use the cache. Use THE cache!"), ["use", "cache"]);
    }

    #[test]
    fn names_with_punctuation_are_one_word() {
        assert_eq!(
            words("lint (src/**/*.ts), C++; last_tool_call: 2.4.0."),
            ["lint", "src/**/*.ts", "c++", "last_tool_call", "2.4.0"]
        );
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        assert_eq!(
            sentences("Use v2.4 now. Then e.g. rest. \"Why?\" Dr. No\nasks!"),
            ["Use v2.4 now.", "Then e.g. rest.", "\"Why?\"", "Dr. No", "asks!"]
        );
        assert_eq!(sentences("1. Use it. Go.\r\n\n"), ["1. Use it.", "Go."]);
        assert!(sentences(" \n ").is_empty());
    }
}
