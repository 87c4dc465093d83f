//! Folded text as words and the breaks between them.

use std::borrow::Cow;

use crate::text::fold;

/// What stands between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Word(&'a str),
    Break,
}

/// Spells out what folding would make ambiguous: `10M` (million, not minutes), `BE` (backend, not "be"), the city of
/// Niš in the locative (not "are not").
pub(super) fn unambiguous(text: &str) -> Cow<'_, str> {
    let odd = |pair: &[u8]| matches!(pair, [b'0'..=b'9', b'M'] | [b'B', b'E']);
    let in_nis = !text.is_ascii() && ["Nišu", "Нишу"].iter().any(|odd| text.contains(odd));
    let capital = text.contains('M') || text.contains('B');
    if !(in_nis || capital && text.as_bytes().windows(2).any(odd)) {
        return Cow::Borrowed(text);
    }
    let shouting = !text.chars().any(char::is_lowercase);
    let word = |word: &str| -> String {
        let (core, tail) = word.split_at(word.trim_end_matches([',', '.', ')', ';', ':', '!', '?']).len());
        match core {
            "BE" if !shouting => format!("backend{tail}"),
            "Nišu" | "Нишу" => format!("Nis{tail}"),
            _ => match core.strip_suffix('M') {
                Some(digits) if digits.ends_with(|c: char| c.is_ascii_digit()) => {
                    format!("{digits}mio{tail}")
                }
                _ => word.to_owned(),
            },
        }
    };
    Cow::Owned(text.split(' ').map(word).collect::<Vec<_>>().join(" "))
}

/// Splits folded text, in which blanks alone stand between words, into words and the breaks that punctuation makes.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::with_capacity(text.len() / 5 + 2);
    for chunk in text.split_ascii_whitespace() {
        if is_bare(chunk) {
            push_word(&mut out, chunk);
            continue;
        }
        let start = chunk.trim_start_matches(['(', '[', '{', '"', '\'', '<', '|']);
        if start.len() < chunk.len() && chunk.starts_with(['(', '[', '{']) {
            out.push(Piece::Break);
        }
        let word = start.trim_end_matches([')', ']', '}', '"', '\'', ',', ';', ':', '!', '?', '.', '>', '|']);
        let tail = start.get(word.len()..).unwrap_or_default();
        if !word.chars().any(char::is_alphanumeric) {
            out.push(Piece::Break);
            continue;
        }
        push_word(&mut out, word);
        if tail.contains([')', ']', '}', ',', ';', ':', '!', '?', '.']) {
            out.push(Piece::Break);
        }
    }
    out
}

/// Begins and ends with a letter or digit, as nearly all do: nothing is to be taken off.
fn is_bare(chunk: &str) -> bool {
    let ends = [chunk.as_bytes().first(), chunk.as_bytes().last()];
    ends.iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
}

fn push_word<'a>(out: &mut Vec<Piece<'a>>, word: &'a str) {
    if let Some(verb) = word.strip_suffix("n't") {
        if !matches!(
            verb,
            "do" | "does"
                | "did"
                | "is"
                | "are"
                | "was"
                | "were"
                | "ca"
                | "wo"
                | "should"
                | "must"
                | "would"
                | "could"
        ) {
            out.push(Piece::Word(verb));
        }
        out.push(Piece::Word("not"));
        return;
    }
    if let Some((head, tail)) = word.split_once('\'')
        && matches!(tail, "ll" | "re" | "ve" | "d" | "m" | "s" | "")
    {
        out.push(Piece::Word(head));
        return;
    }
    match word {
        "cannot" | "dont" | "wont" | "cant" => out.push(Piece::Word("not")),
        _ if splits_at_hyphens(word) => {
            let parts = word.split('-').filter(|p| !p.is_empty());
            // "SQLite-u", "LLM-a": Serbian case endings.
            let ending = |p: &str| {
                matches!(p, "a" | "u" | "e" | "i" | "om" | "em" | "ova" | "ovi" | "ove" | "ima" | "ovima")
            };
            out.extend(parts.enumerate().filter(|(i, p)| *i == 0 || !ending(p)).map(|(_, p)| Piece::Word(p)));
        }
        _ => out.push(Piece::Word(word)),
    }
}

/// `prod-like` is two words; `--flag`, `2-3` and `a-b.ts` are one.
fn splits_at_hyphens(word: &str) -> bool {
    word.contains('-') && !word.starts_with('-') && word.chars().all(|c| c.is_alphabetic() || c == '-')
}

/// The words among pieces.
pub(super) fn words_of<'a>(pieces: &[Piece<'a>]) -> Vec<&'a str> {
    let word = |piece: &Piece<'a>| match piece {
        Piece::Word(word) => Some(*word),
        Piece::Break => None,
    };
    let mut words = Vec::with_capacity(pieces.len());
    words.extend(pieces.iter().filter_map(word));
    words
}

/// What ends a sentence.
const ENDS: [char; 4] = ['.', ':', '!', '?'];

/// Folded words of a cleaned text that are written with a capital though they open no sentence: names of people, places and products.
pub(super) fn named_within(text: &str) -> Vec<String> {
    let mut opens = true;
    let mut names = Vec::new();
    for word in text.split_ascii_whitespace() {
        if word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) {
            opens = word.ends_with(ENDS);
            continue;
        }
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !opens && core.chars().next().is_some_and(char::is_uppercase) {
            names.push(fold(core));
        }
        opens = core.is_empty() && opens || word.ends_with(ENDS);
    }
    names
}
