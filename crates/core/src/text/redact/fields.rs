//! Values whose name says that they are secret: assignments of shells and code, fields of JSON, YAML, TOML and XML, query
//! parameters, flags of commands, headers.

use super::names::{secret_kind, spoken_kind};
use super::placeholder::{is_about_passwords, is_placeholder, is_source, looks_random};
use super::spoken::Spoken;
use super::{Edit, MARKER_START, may_hold};
use crate::text::fold::fold;
use crate::text::pattern::static_regex;
use crate::text::words::is_stop_word;
use std::borrow::Cow;

static_regex! {
    /// A name that holds a word for secrets, and what joins it to its value: `=`, `:`, `=>`, `:=`, a blank after a flag,
    /// `>` after a tag. The name's own parts are read later.
    static NAME = concat!(
        r"(?i)(?P<dashes>--?)?(?P<name>[A-Za-z0-9_.-]{0,80}(?:pass|pwd|secret|token|key|_auth|klju[cč]|кључ|lozink(?:om|[aeu])|лозинк(?:ом|[аеу])|[sš]ifr(?:om|[aeu])|шифр(?:ом|[аеу]))[A-Za-z0-9_-]{0,40})",
        r#"(?:(?P<quote>\\*["'`])?\]?(?P<join>:[ \t]*\r?\n[ \t]*|[ \t]{0,8}(?:=>|:=|[:=])[ \t]*|[ \t](?:is|je)[ \t]+)|(?P<blank>[ \t]+(?:\\\r?\n[ \t]*)?)|(?P<tag>>))"#,
    );
    /// A word of all that [`NAME`] finds, in small letters.
    static NAME_CUE = r"pass|pwd|secret|token|key|_auth|kljuc|lozink|sifr";
    /// `|` or `>` of YAML and the lines that are indented under it.
    static BLOCK = r"^[|>][+-]?\d?[ \t]*\r?\n((?:[ \t]+[^\n]*(?:\n|$))+)";
    /// Letters that a language puts before a quote.
    static STRING_PREFIX = r#"^[fbruFBRU]{1,2}["']"#;
}

/// Longest value that is read to its end quote, in bytes.
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Words of the longest passphrase that is taken for one, and of the longest label before it.
const MAX_PHRASE_WORDS: usize = 8;
const MAX_LABEL_WORDS: usize = 4;
const MAX_LABEL_CHARS: usize = 60;

/// How much of a line is looked at to tell code from data, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// Replaces the values of secret names.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    if !may_hold(&NAME_CUE, text) {
        return Cow::Borrowed(text);
    }
    let mut edit = Edit::new(text);
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| NAME.captures(rest)) {
        let Some(whole) = found.get(0) else { break };
        let end = from + whole.end();
        let name = found.name("name").map_or("", |name| name.as_str());
        let name_start = from + found.name("name").map_or(0, |name| name.start());
        let own = name.rsplit('.').next().unwrap_or(name);
        let before = text.get(..name_start).unwrap_or_default();
        let context = Context {
            name,
            kind: secret_kind(own).or_else(|| spoken_kind(before, own)),
            quoted_name: found.name("quote").is_some(),
            join: found.name("join").map_or("", |join| join.as_str()),
            flag: found.name("dashes").is_some() && found.name("blank").is_some(),
            tag: found.name("tag").is_some() && before.ends_with('<'),
        };
        let after_marker = before.ends_with(MARKER_START);
        let hidden = if after_marker {
            None
        } else {
            context.secret(text, end).or_else(|| context.spoken(text, name_start))
        };
        from = match hidden {
            Some((start, stop, kind)) => {
                edit.hide(start, stop, kind);
                stop
            }
            None => end,
        };
    }
    edit.finish()
}

struct Context<'a> {
    name: &'a str,
    kind: Option<&'static str>,
    quoted_name: bool,
    join: &'a str,
    flag: bool,
    tag: bool,
}

impl Context<'_> {
    /// The range of the secret that starts at `at`, if there is one.
    fn secret(&self, text: &str, at: usize) -> Option<(usize, usize, &'static str)> {
        let kind = self.kind?;
        if self.join.is_empty() && !self.flag && !self.tag {
            return None;
        }
        if self.join.contains('\n') && !self.quoted_name {
            return None;
        }
        let rest = text.get(at..)?;
        if let Some(block) = BLOCK.captures(rest).and_then(|found| found.get(1)) {
            let body = block.as_str();
            let shown = body.trim();
            let start = at + block.start() + (body.len() - body.trim_start().len());
            return (!is_placeholder(shown)).then_some((start, start + shown.len(), kind));
        }
        let prefix = STRING_PREFIX.find(rest).map_or(0, |prefix| prefix.len() - 1);
        let start = at + prefix;
        let rest = text.get(start..)?;
        match opening_quote(rest) {
            Some(quote) => {
                let body = rest.get(quote.len()..)?;
                let length = quoted_length(body, quote);
                let value = body.get(..length)?;
                let start = start + quote.len();
                (!self.is_harmless(value)).then_some((start, start + length, kind))
            }
            None => {
                if let Some(length) = self.phrase_length(kind, text, at, rest) {
                    return Some((start, start + length, kind));
                }
                let length = self.bare_length(text, at, rest);
                let value = rest.get(..length)?;
                let line = line_of(rest);
                // What has been replaced already tells nothing of what the line is.
                let line = line.split(MARKER_START).next().unwrap_or_default();
                let element = !self.tag || rest.get(length..).is_some_and(|after| after.starts_with("</"));
                (element && !self.is_harmless(value) && self.is_bare_secret(kind, value, line)).then_some((
                    start,
                    start + length,
                    kind,
                ))
            }
        }
    }

    /// The range of a secret that is said in a sentence, after the name that starts at `at`.
    fn spoken(&self, text: &str, at: usize) -> Option<(usize, usize, &'static str)> {
        let kind = self.kind?;
        if self.is_pass()
            || self.flag
            || self.tag
            || self.quoted_name
            || !matches!(self.join.trim(), "" | "is" | "je")
        {
            return None;
        }
        let end = at + self.name.len();
        let after = line_of(text.get(end..)?);
        if is_source(after.trim()) {
            return None;
        }
        let spoken = Spoken {
            kind,
            variable: self.name.contains('_') && self.name.contains(char::is_uppercase),
            before: last_words(text.get(..at)?),
            after,
        };
        let found = spoken.secret()?;
        Some((end + found.start, end + found.end, kind))
    }

    /// A placeholder, or a label that only repeats the name (`"password": "Enter your password"`).
    fn is_harmless(&self, value: &str) -> bool {
        let letters = |text: &str| {
            text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>()
        };
        is_placeholder(value)
            || (value.len() <= 80
                && value.contains(' ')
                && !value.chars().any(|c| c.is_ascii_digit())
                && ["password", "token", "secret", "key", "lozink"]
                    .iter()
                    .any(|word| letters(value).contains(word)))
            || (value.len() <= 80
                && letters(value) == letters(self.name)
                && !value.chars().any(|c| c.is_ascii_digit()))
    }

    /// Length of a passphrase of several words: all that a line says after a label for passwords. Words of grammar, and
    /// those of rules about passwords, make it prose.
    fn phrase_length(&self, kind: &str, text: &str, at: usize, rest: &str) -> Option<usize> {
        let labelled = self.join.contains(':') || self.join.len() > "=".len();
        if kind != "password" || self.is_pass() || self.quoted_name || !labelled {
            return None;
        }
        let before = text.get(..at)?.strip_suffix(self.join)?.strip_suffix(self.name)?;
        // The label begins its line; one that begins far before is none, and a long line is not read again and again.
        let near = before.char_indices().rev().take(MAX_LABEL_CHARS).find(|(_, c)| *c == '\n');
        let from = near.map(|(at, _)| at + 1).or((before.len() <= MAX_LABEL_CHARS).then_some(0))?;
        let before = before.get(from..)?;
        if before.split_whitespace().count() > MAX_LABEL_WORDS
            || before.contains([':', '.', ';', '=', '?', '!'])
        {
            return None;
        }
        let line = line_of(rest).trim_end();
        let mut words = line.split_whitespace();
        let is_part = |word: &str| {
            word.chars().all(|c| c.is_alphanumeric() || "-_!@#$%^*+?~".contains(c))
                && !is_stop_word(&fold(word))
                && !is_about_passwords(word)
        };
        let count = line.split_whitespace().count();
        ((2..=MAX_PHRASE_WORDS).contains(&count) && words.all(is_part)).then_some(line.len())
    }

    /// Where an unquoted value ends: at white space in a line of its own (`.env`), else also at what separates values.
    fn bare_length(&self, text: &str, at: usize, rest: &str) -> usize {
        let before = text.get(..at).and_then(|before| before.strip_suffix(self.join)).unwrap_or_default();
        let before = before.strip_suffix(self.name).unwrap_or("-");
        let before = before.strip_suffix("export ").unwrap_or(before);
        let alone = self.join == "=" && (before.is_empty() || before.ends_with('\n'));
        let ends = |c: char| {
            c.is_whitespace()
                || c == '"'
                || (!alone && ",;)]}'`<>|\\".contains(c))
                // Only what stands in an address ends there.
                || (!alone && c == '&' && self.join == "=")
        };
        rest.find(ends).unwrap_or(rest.len())
    }

    /// An unquoted value is taken where it cannot be code or prose.
    fn is_bare_secret(&self, kind: &str, value: &str, line: &str) -> bool {
        if self.tag {
            return value.len() >= 4;
        }
        let number = value.chars().all(|c| c.is_ascii_digit() || "._".contains(c));
        if number {
            return kind == "password" && !self.is_pass() && value.len() >= 4 && !self.quoted_name;
        }
        if is_source(line)
            || value.starts_with('-') && self.flag
            || value.starts_with(['(', '{', '[', '=', '!', '>'])
        {
            return false;
        }
        let tight = self.join == "=" || self.flag;
        if tight {
            let member =
                value.split('.').count() > 1 && value.split('.').all(is_identifier) && !looks_random(value);
            return !member;
        }
        let letter = value.chars().any(|c| c.is_ascii_alphabetic());
        let digit = value.chars().any(|c| c.is_ascii_digit());
        if looks_random(value) || (letter && digit && value.len() >= 6) {
            return true;
        }
        // `password: hunter` alone on its line is a setting; `Password: must be long` is prose, `password = input` is code
        let alone =
            self.join.starts_with(':') && line.trim() == value && !value.starts_with(char::is_uppercase);
        let marked = value.chars().any(|c| "!@#$%^*+?~".contains(c)) && !value.ends_with(['!', '?']);
        (alone && kind == "password" && !self.is_pass()) || (value.len() >= 6 && marked)
    }

    /// `pass` also counts tests.
    fn is_pass(&self) -> bool {
        self.name.eq_ignore_ascii_case("pass")
    }
}

/// What follows on the line, as far as it is looked at. Looking for one character at a time is much the fastest.
fn line_of(rest: &str) -> &str {
    let line = head(rest, MAX_LINE_BYTES);
    let line = line.split_once('\n').map_or(line, |(line, _)| line);
    line.split_once('\r').map_or(line, |(line, _)| line)
}

/// What stands before on the line, as far as it is looked at.
fn last_words(before: &str) -> &str {
    let from = before.char_indices().rev().take(MAX_LABEL_CHARS).take_while(|(_, c)| *c != '\n').last();
    from.and_then(|(at, _)| before.get(at..)).unwrap_or_default()
}

/// The first `max` bytes of a text, fewer where that would split a character.
fn head(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The quote that opens a value, with the backslashes of a string inside a string.
fn opening_quote(text: &str) -> Option<&str> {
    let slashes = text.bytes().take_while(|&byte| byte == b'\\').take(8).count();
    match text.as_bytes().get(slashes)? {
        b'"' | b'\'' | b'`' => text.get(..=slashes),
        _ => None,
    }
}

/// Length of a quoted value: to its closing quote, or to the end of the line where the text was cut off.
fn quoted_length(body: &str, quote: &str) -> usize {
    let mark = quote.bytes().last().unwrap_or(b'"');
    let own_slashes = quote.len() - 1;
    let mut slashes = 0;
    for (index, byte) in body.bytes().enumerate().take(MAX_VALUE_BYTES) {
        match byte {
            b'\\' => slashes += 1,
            b'\n' | b'\r' => return index - slashes.min(index),
            _ if byte == mark => {
                if slashes <= own_slashes {
                    return index - slashes;
                }
                slashes = 0;
            }
            _ => slashes = 0,
        }
    }
    head(body, MAX_VALUE_BYTES).len()
}
