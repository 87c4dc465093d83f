//! The form of a sentence that rules look at: folded, quotes straight, inline code and quoted words masked. Word for
//! word as long as the original, so that words counted here can be taken off there.

use crate::text::fold;

/// A quoted passage of this many words is somebody else's.
const QUOTED_WORDS: usize = 3;

/// Folded text with straight apostrophes; code becomes `x`s and longer quoted passages `#`s, blanks kept.
pub(super) fn sense(text: &str) -> String {
    let folded = fold(text);
    if folded.is_ascii() && !folded.contains(['`', '"']) {
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

fn cover(chars: &mut [char], span: std::ops::Range<usize>, with: char, words: usize) {
    let Some(span) = chars.get_mut(span) else { return };
    let inside = span.iter().collect::<String>();
    if inside.split_whitespace().count() >= words {
        span.iter_mut().filter(|c| !c.is_whitespace()).for_each(|c| *c = with);
    }
}

/// How many words of the form that rules look at stand before a byte of it: so many stand before it in the original.
pub(super) fn words_before(seen: &str, at: usize) -> usize {
    seen.get(..at).map_or(0, |before| before.split_whitespace().count())
}

/// The original without its first `words` words.
pub(super) fn skip_words(text: &str, words: usize) -> &str {
    let mut rest = text.trim_start();
    for _ in 0..words {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest.get(end..).unwrap_or("").trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_quoted_words_are_masked_and_words_still_count_alike() {
        let text = "So “we will use Kafka now” and I’ll try `a b` — Čuvamo";
        let seen = sense(text);
        assert_eq!(seen, "so ### #### ### ##### #### and i'll try xx xx - cuvamo");
        assert_eq!(seen.split_whitespace().count(), text.split_whitespace().count());
        assert_eq!(skip_words(text, 11), "— Čuvamo");
    }
}
