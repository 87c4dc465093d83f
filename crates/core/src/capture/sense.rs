//! The form of a sentence that rules look at: folded, quotes straight, inline code and quoted words masked. Word for
//! word as long as the original, so that words counted here can be taken off there.

use super::opener;
use crate::text::pattern::{Held, Noted};
use crate::text::{fold, scan};
use std::cell::OnceCell;
use std::ops::{Deref, Range};

/// A quoted passage of this many words is somebody else's.
const QUOTED_WORDS: usize = 3;

/// What [`sense`] gives, with the patterns that may match in it.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    text: String,
    held: OnceCell<Held>,
    /// Where the statement lies, how many words were taken off, and whether they conclude: see [`opener::open`].
    opened: OnceCell<(Range<usize>, usize, bool)>,
}

impl Seen {
    pub(super) fn of(text: &str) -> Self {
        sense(text).into()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// What [`opener::open`] gives of the whole.
    pub(super) fn opened(&self) -> (&str, usize, bool) {
        let (place, words, concludes) = self.opened.get_or_init(|| {
            let (main, words, concludes) = opener::open(&self.text);
            let start = main.as_ptr().addr() - self.text.as_ptr().addr();
            (start..start + main.len(), words, concludes)
        });
        (self.text.get(place.clone()).unwrap_or(""), *words, *concludes)
    }

    /// While the note lives, patterns are asked about this text and its parts at little cost.
    pub(super) fn noted(&self) -> Noted<'_> {
        Noted::new(&self.text, self.held.get_or_init(|| Held::of(&self.text)))
    }
}

impl From<String> for Seen {
    fn from(text: String) -> Self {
        Self { text, held: OnceCell::new(), opened: OnceCell::new() }
    }
}

impl Deref for Seen {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Seen {}

/// Folded text with straight apostrophes; code becomes `x`s and longer quoted passages `#`s, blanks kept.
pub(super) fn sense(text: &str) -> String {
    let folded = fold(text);
    if folded.is_ascii() && !scan::holds_any(&folded, b"`\"") {
        return folded;
    }
    let straight: String = folded
        .chars()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' | '´' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '«' | '»' => '"',
            '\u{2013}' | '\u{2014}' => '-',
            other => other,
        })
        .collect();
    if !straight.contains(['`', '"']) {
        return straight;
    }
    let mut chars: Vec<char> = straight.chars().collect();
    mask(&mut chars, '`', 'x', 0);
    mask(&mut chars, '"', '#', QUOTED_WORDS);
    chars.into_iter().collect()
}

/// Overwrites what stands between two `mark`s with `with`, where it has at least `words` words.
fn mask(chars: &mut [char], mark: char, with: char, words: usize) {
    let mut open: Option<usize> = None;
    for at in 0..chars.len() {
        if chars.get(at) != Some(&mark) {
            continue;
        }
        let Some(start) = open.take() else {
            open = Some(at);
            continue;
        };
        cover(chars, start..at + 1, with, words);
    }
    // A quotation that runs on into the next sentence, or comes from the one before.
    if let Some(start) = open.filter(|_| mark == '"') {
        let opens =
            start.checked_sub(1).and_then(|at| chars.get(at)).is_none_or(|before| before.is_whitespace());
        cover(chars, if opens { start..chars.len() } else { 0..start + 1 }, with, words);
    }
}

fn cover(chars: &mut [char], span: Range<usize>, with: char, words: usize) {
    let Some(span) = chars.get_mut(span) else { return };
    let inside = span.iter().collect::<String>();
    if inside.word_count() >= words {
        span.iter_mut().filter(|c| !c.is_whitespace()).for_each(|c| *c = with);
    }
}

/// Words, counted again and again.
pub(super) trait CountWords {
    /// As many as `split_whitespace` gives; most texts are ASCII, and their bytes tell.
    fn word_count(&self) -> usize;
}

impl CountWords for str {
    fn word_count(&self) -> usize {
        scan::word_count(self)
    }
}

/// How many words of the form that rules look at stand before a byte of it: so many stand before it in the original.
pub(super) fn words_before(seen: &str, at: usize) -> usize {
    seen.get(..at).map_or(0, |before| before.word_count())
}

pub(super) use crate::text::scan::skip_words;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_quoted_words_are_masked_and_words_still_count_alike() {
        let text = "So “we will use Kafka now” and I’ll try `a b` — Čuvamo";
        let seen = sense(text);
        assert_eq!(seen, "so ### #### ### ##### #### and i'll try xx xx - cuvamo");
        assert_eq!(seen.word_count(), text.word_count());
        assert_eq!(skip_words(text, 11), "— Čuvamo");
    }
}
