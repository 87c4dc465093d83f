//! Secrets as people say them: "password hunter2", "the password for staging is x7Kp2m", "lozinka za bazu je x7Kp2m",
//! "set OPENAI_API_KEY to x7Kp2m". A sentence about passwords has the same words, so only what looks like a value is one:
//! letters mixed with digits or marks, or something in quotes.

use super::placeholder::{is_about_passwords, is_placeholder, looks_random};
use crate::text::fold::fold;
use crate::text::pattern::static_regex;
use crate::text::words::is_stop_word;
use std::ops::Range;

static_regex! {
    /// What mixes letters with digits and is still no secret: a number with its unit, a ticket or an algorithm, a version,
    /// a name of a file, an address.
    static NAMED = r"(?x)^(?:
        \d+(?:[.,:/-]\d+)*-?[A-Za-z%]*
      | v\d[\w.-]*
      | [A-Z]{2,}-?\d+(?:[-/]\d+)*
      | [\w.-]+\.[A-Za-z]{1,5}(?::\d+)?
      | [\w.+-]+@[\w.-]+\.\w+
      | [A-Za-z][A-Za-z0-9+.-]*://.*
    )$";
    /// Words of a name in code or of a host, with small numbers.
    static COMPOUND = r"^[A-Za-z]*\d{0,3}(?:[_-](?:[A-Za-z]+\d{0,3}|\d{1,3}))+$";
}

/// Words between the name of a secret and its value, at most.
const MAX_WORDS: usize = 9;
/// Words before the name among which an order to set it is looked for.
const MAX_WORDS_BEFORE: usize = 4;
/// Shortest value, in characters; in quotes it may be shorter.
const MIN_CHARS: usize = 6;
const MIN_QUOTED_CHARS: usize = 4;
/// Shortest key or token that may follow its name with nothing in between.
const MIN_KEY_CHARS: usize = 12;

/// How a word leads to the value after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// "is", "je", a colon: what follows is the value.
    Is,
    /// "to", "na": the value only where something is set.
    To,
}

/// What a name promises, and how it stands in its sentence.
pub(super) struct Spoken<'a> {
    /// The kind of secret.
    pub(super) kind: &'static str,
    /// The name of a variable: `OPENAI_API_KEY`.
    pub(super) variable: bool,
    /// What stands before the name on its line, as far as it is looked at.
    pub(super) before: &'a str,
    /// What stands after the name on its line, as far as it is looked at; begins with a blank.
    pub(super) after: &'a str,
}

impl Spoken<'_> {
    /// Where in `after` the secret stands, if there is one.
    pub(super) fn secret(&self) -> Option<Range<usize>> {
        let tokens: Vec<(usize, &str)> = tokens(self.after).take(MAX_WORDS + 3).collect();
        let (first, word) = *tokens.first()?;
        if let Some(found) = self.value(first, false) {
            return Some(found);
        }
        if joint(word).is_none() && !is_preposition(word) {
            return None;
        }
        let set = self.variable || self.before.split_whitespace().rev().take(MAX_WORDS_BEFORE).any(is_order);
        for (index, (_, word)) in tokens.iter().enumerate().take(MAX_WORDS) {
            if joint(word).is_some_and(|joint| joint == Joint::Is || set)
                || index > 0 && word.ends_with([':', '='])
            {
                let mut next = tokens.iter().skip(index + 1);
                let value = next.next().and_then(|(at, word)| {
                    if is_filler(word) { next.next().map(|(at, _)| *at) } else { Some(*at) }
                });
                if let Some(found) = value.and_then(|at| self.value(at, true)) {
                    return Some(found);
                }
            } else if word.ends_with(['.', ',', ';', '!', '?']) {
                return None;
            }
        }
        None
    }

    /// The value that begins at `at`. `joined`: a word said that one follows.
    fn value(&self, at: usize, joined: bool) -> Option<Range<usize>> {
        let rest = self.after.get(at..)?;
        let mark = rest.chars().next()?;
        if let Some(close) = closing(mark) {
            let start = at + mark.len_utf8();
            let inner = self.after.get(start..)?;
            let length = inner.find(close)?;
            return self.is_quoted_secret(inner.get(..length)?, joined).then_some(start..start + length);
        }
        let word = rest.split_whitespace().next()?;
        let shown = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'']);
        self.is_bare_secret(shown, joined).then_some(at..at + shown.len())
    }

    fn is_quoted_secret(&self, value: &str, joined: bool) -> bool {
        if value.chars().count() < MIN_QUOTED_CHARS || is_placeholder(value) {
            return false;
        }
        let prose = |word: &str| is_stop_word(&fold(word)) || is_about_passwords(word);
        let tells = match self.kind {
            "password" => joined || !value.contains(char::is_whitespace),
            // "unexpected token 'else'", "the secret is 'patience'"
            "api-key" => joined && !value.contains(char::is_whitespace),
            _ => looks_random(value) && value.len() >= MIN_KEY_CHARS,
        };
        tells && !value.split_whitespace().any(prose)
    }

    fn is_bare_secret(&self, value: &str, joined: bool) -> bool {
        let has = |test: fn(char) -> bool| value.chars().any(test);
        let letter = has(char::is_alphabetic);
        let mixed = letter && (has(|c| c.is_ascii_digit()) || has(|c| "!@#$%^*+?~&".contains(c)));
        let long = value.chars().count() >= MIN_CHARS;
        if !mixed
            || !long
            || is_placeholder(value)
            || has(|c| "()[]{}<>=\"'`|;".contains(c))
            || NAMED.is_match(value)
        {
            return false;
        }
        match (joined, self.kind) {
            (true, _) => true,
            (false, "password") => !COMPOUND.is_match(value),
            (false, _) => value.len() >= MIN_KEY_CHARS && looks_random(value) && !COMPOUND.is_match(value),
        }
    }
}

/// Words with their places.
fn tokens(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = line.as_ptr().addr();
    line.split_whitespace().map(move |word| (word.as_ptr().addr() - base, word))
}

fn closing(mark: char) -> Option<char> {
    Some(match mark {
        '"' | '\'' | '`' => mark,
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '‘' => '’',
        _ => return None,
    })
}

fn joint(word: &str) -> Option<Joint> {
    match fold(word).trim_end_matches(':') {
        "is" | "was" | "be" | "equals" | "je" | "bila" | "bude" | "glasi" | "=" | "->" | "=>" | "→" | "" => {
            Some(Joint::Is)
        }
        "to" | "as" | "na" | "u" => Some(Joint::To),
        _ => None,
    }
}

fn is_preposition(word: &str) -> bool {
    matches!(
        &*fold(word),
        "for"
            | "of"
            | "on"
            | "in"
            | "at"
            | "to"
            | "from"
            | "with"
            | "will"
            | "should"
            | "must"
            | "can"
            | "za"
            | "od"
            | "na"
            | "u"
            | "s"
            | "sa"
            | "kod"
            | "ce"
            | "treba"
            | "mi"
            | "nam"
            | "ti"
    )
}

/// Words that come between "is" and the value.
fn is_filler(word: &str) -> bool {
    matches!(
        &*fold(word),
        "now"
            | "still"
            | "currently"
            | "just"
            | "simply"
            | "sada"
            | "sad"
            | "jos"
            | "samo"
            | "and"
            | "this:"
            | "ovo:"
    )
}

/// Verbs that give a secret its value.
fn is_order(word: &str) -> bool {
    matches!(
        &*fold(word),
        "set"
            | "change"
            | "changed"
            | "update"
            | "reset"
            | "rotate"
            | "make"
            | "use"
            | "put"
            | "export"
            | "promeni"
            | "promenio"
            | "promenila"
            | "postavi"
            | "stavi"
            | "podesi"
            | "zameni"
            | "koristi"
            | "upisi"
            | "resetuj"
    )
}
