//! Secrets leave no trace on disk: one function for every sink (FAULTS G3). What is found becomes `[redacted:kind]`, a
//! marker that says what stood there and is never itself taken for data when it comes back (FAULTS G4).
//!
//! Three things are secrets: what has the shape of a provider's key ([`shapes`]), what stands in a place for secrets (a
//! header, the password of a URL), and what a name calls secret (`PASSWORD=`, `"apiKey":`, `--token`; [`fields`]; said in
//! a sentence: [`spoken`]).
//! Hashes, UUIDs, git ids and paths have no such name and stay; so do placeholders, types and code that computes a
//! value ([`placeholder`]). Every step is linear in the text (FAULTS C8).

mod fields;
mod names;
mod pem;
mod placeholder;
mod shapes;
mod spoken;
mod value;

pub use value::redact_value;

use crate::text::pattern::Pattern;
use std::borrow::Cow;

/// What every marker starts with.
pub const MARKER_START: &str = "[redacted:";
/// Steps may uncover each other's work (a key inside a quoted password); nothing real needs more rounds than two.
const MAX_ROUNDS: usize = 4;

/// The text with every secret replaced by `[redacted:kind]`. Idempotent; returns the text itself if nothing was found.
pub fn redact_secrets(text: &str) -> Cow<'_, str> {
    let mut done = match round(text) {
        Cow::Borrowed(_) => return Cow::Borrowed(text),
        Cow::Owned(once) => once,
    };
    for _ in 1..MAX_ROUNDS {
        match round(&done) {
            Cow::Borrowed(_) => break,
            Cow::Owned(again) => done = again,
        }
    }
    Cow::Owned(done)
}

fn round(text: &str) -> Cow<'_, str> {
    let steps: [fn(&str) -> Cow<'_, str>; 4] =
        [pem::redact, shapes::redact, shapes::redact_places, fields::redact];
    let mut current = Cow::Borrowed(text);
    for step in steps {
        if let Cow::Owned(changed) = step(&current) {
            current = Cow::Owned(changed);
        }
    }
    current
}

/// Whether a text may hold a word of the cue, in any case; what small letters are is only sure in ASCII.
fn may_hold(cue: &Pattern, text: &str) -> bool {
    !text.is_ascii() || cue.is_match(&text.to_ascii_lowercase())
}

/// The marker for a kind of secret.
fn marker(kind: &str) -> String {
    format!("{MARKER_START}{kind}]")
}

/// A copy of a text with some ranges replaced.
struct Edit<'a> {
    text: &'a str,
    copied: usize,
    out: String,
}

impl<'a> Edit<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, copied: 0, out: String::new() }
    }

    /// Replaces a range by the marker of `kind`. Ranges come in order; one that overlaps the last is left out.
    fn hide(&mut self, start: usize, end: usize, kind: &str) {
        if start < self.copied || end <= start {
            return;
        }
        if self.text.get(start..end).is_some_and(|hidden| hidden == marker(kind)) {
            return;
        }
        self.out.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.out.push_str(&marker(kind));
        self.copied = end;
    }

    fn finish(mut self) -> Cow<'a, str> {
        if self.copied == 0 {
            return Cow::Borrowed(self.text);
        }
        self.out.push_str(self.text.get(self.copied..).unwrap_or_default());
        Cow::Owned(self.out)
    }
}

#[cfg(test)]
mod tests;
