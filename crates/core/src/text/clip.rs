//! Cutting text without breaking it. Every cut falls between two graphemes (what a reader sees as one character), so
//! no emoji is halved and no slice can panic (FAULTS D5, D6). Time is linear in what is looked at, which is the part
//! that is kept, not the whole text.

use super::tokens::{EXACT_BYTES, Piece, estimate_tokens, hundredths, pieces, rounded};
use std::borrow::Cow;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Longest grapheme, in bytes, that counts as one. Real ones (families, flags, conjuncts) stay far below; a letter
/// under a tower of combining marks is taken apart between its marks, so that a cut of n graphemes is a cut in bytes.
pub const MAX_GRAPHEME_BYTES: usize = 128;

/// What stands for the part that was cut off.
pub const ELLIPSIS: &str = "…";

/// The first `max` graphemes of a text.
pub fn first_graphemes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text; // a grapheme has at least one byte
    }
    let end = graphemes(text).take(max).map(str::len).sum();
    text.get(..end).unwrap_or_default()
}

/// At most `max` graphemes: the text itself if it fits, else its beginning with `…` as the last of them. Blanks before
/// the ellipsis are dropped.
pub fn ellipsize(text: &str, max: usize) -> Cow<'_, str> {
    let fitting = first_graphemes(text, max);
    if fitting.len() == text.len() {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}{ELLIPSIS}", first_graphemes(fitting, max - 1).trim_end()))
}

/// The longest beginning of a text, cut between graphemes, that is estimated at no more than `max` tokens.
pub fn first_tokens(text: &str, max: u64) -> &str {
    let cut = first_pieces(text, max).map(|bytes| prefix(text, bytes));
    cut.filter(|cut| cut.len() == text.len() || estimate_tokens(cut) <= max).unwrap_or_else(|| {
        prefix(text, longest(text.len(), |bytes| estimate_tokens(prefix(text, bytes)) <= max))
    })
}

/// The longest end of a text, cut between graphemes, that is estimated at no more than `max` tokens.
pub fn last_tokens(text: &str, max: u64) -> &str {
    let cut = last_pieces(text, max).map(|bytes| suffix(text, bytes));
    cut.filter(|cut| cut.len() == text.len() || estimate_tokens(cut) <= max).unwrap_or_else(|| {
        suffix(text, longest(text.len(), |bytes| estimate_tokens(suffix(text, bytes)) <= max))
    })
}

/// Whether a text is estimated at no more than `max` tokens. Of a text that is not, only so much is looked at as tells.
fn fits(text: &str, max: u64) -> bool {
    if text.len() > EXACT_BYTES {
        return estimate_tokens(text) <= max;
    }
    let mut spent = 0;
    pieces(text).all(|piece| {
        spent += piece.cost;
        rounded(spent) <= max
    })
}

/// Bytes at the beginning that cost `max` tokens, in one pass; `None` where so many are not counted one by one.
fn first_pieces(text: &str, max: u64) -> Option<usize> {
    let (mut end, mut spent) = (0, 0);
    for piece in pieces(text) {
        if piece.end > EXACT_BYTES {
            return None;
        }
        if rounded(spent + piece.cost) > max {
            let inside = |bytes| text.get(end..floor(text, end + bytes)).map_or(0, hundredths);
            return Some(end + longest(piece.end - end, |bytes| rounded(spent + inside(bytes)) <= max));
        }
        (end, spent) = (piece.end, spent + piece.cost);
    }
    Some(end)
}

/// Bytes at the end that cost `max` tokens; `None` where so many are not counted one by one.
fn last_pieces(text: &str, max: u64) -> Option<usize> {
    let mut window = 256 + usize::try_from(max).ok()?.saturating_mul(6);
    let (seen, priced) = loop {
        let seen = suffix(text, window);
        if seen.len() > EXACT_BYTES {
            return None;
        }
        let priced: Vec<Piece> = pieces(seen).collect();
        if rounded(priced.iter().map(|piece| piece.cost).sum()) > max {
            break (seen, priced);
        }
        if seen.len() == text.len() {
            return Some(text.len());
        }
        window = window.saturating_mul(2);
    };
    let (mut end, mut spent) = (seen.len(), 0);
    for (index, piece) in priced.iter().enumerate().rev() {
        let start = index.checked_sub(1).and_then(|before| priced.get(before)).map_or(0, |before| before.end);
        if rounded(spent + piece.cost) > max {
            let inside = |bytes| seen.get(floor(seen, end - bytes)..end).map_or(0, hundredths);
            let more = longest(end - start, |bytes| rounded(spent + inside(bytes)) <= max);
            return Some(seen.len() - end + more);
        }
        (end, spent) = (start, spent + piece.cost);
    }
    Some(seen.len())
}
/// At most `max` tokens: the text itself if it fits, else its beginning with `…`.
pub fn ellipsize_tokens(text: &str, max: u64) -> Cow<'_, str> {
    let fitting = first_tokens(text, max);
    if fitting.len() == text.len() {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}{ELLIPSIS}", first_tokens(text, max - 1).trim_end()))
}

/// At most `max` tokens: the text itself if it fits, else its head (two thirds of the room) and its tail with `marker`
/// between them, each on lines of its own. If there is no room for the marker, the head alone.
pub fn head_and_tail<'a>(text: &'a str, max: u64, marker: &str) -> Cow<'a, str> {
    if fits(text, max) {
        return Cow::Borrowed(text);
    }
    let middle = format!("\n{marker}\n");
    let room = max.saturating_sub(estimate_tokens(&middle) + 2); // the joints may cost a token each
    if room < 6 {
        return ellipsize_tokens(text, max);
    }
    let tail_room = room / 3;
    let head = first_tokens(text, room - tail_room);
    let tail = last_tokens(text, tail_room);
    Cow::Owned(format!("{}{middle}{}", head.trim_end(), tail.trim_start()))
}

/// The longest end of a text, cut between graphemes, of at most `max` bytes.
pub fn last_bytes(text: &str, max: usize) -> &str {
    suffix(text, max)
}

/// The first line that is not blank, without blanks around it; empty if there is none.
pub fn first_line(text: &str) -> &str {
    text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("")
}

/// The text on one line: every run of white space and control characters is one blank, none at the ends.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Graphemes, those above [`MAX_GRAPHEME_BYTES`] in pieces.
pub fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let window = rest.get(..char_floor(rest, MAX_GRAPHEME_BYTES + 4)).unwrap_or(rest);
        let next = window.graphemes(true).next()?;
        let length =
            if next.len() > MAX_GRAPHEME_BYTES { char_floor(rest, MAX_GRAPHEME_BYTES) } else { next.len() };
        let (piece, left) = rest.split_at_checked(length)?;
        rest = left;
        Some(piece)
    })
}

/// The largest boundary between characters that is not above `at`.
fn char_floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0)
}

/// The largest boundary between graphemes that is not above `at`.
fn floor(text: &str, at: usize) -> usize {
    let index = char_floor(text, at);
    if index == text.len() || index == 0 {
        return index;
    }
    let window_start = char_floor(text, index.saturating_sub(MAX_GRAPHEME_BYTES));
    let mut cursor = GraphemeCursor::new(index, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => index,
        _ => match cursor.prev_boundary(text, 0) {
            Ok(Some(before)) if before >= window_start => before,
            _ => index, // inside a grapheme above the cap
        },
    }
}

fn prefix(text: &str, bytes: usize) -> &str {
    text.get(..floor(text, bytes)).unwrap_or_default()
}

fn suffix(text: &str, bytes: usize) -> &str {
    let floored = floor(text, text.len().saturating_sub(bytes));
    let start = if text.len() - floored > bytes {
        floored + text.get(floored..).and_then(|rest| graphemes(rest).next()).map_or(0, str::len)
    } else {
        floored
    };
    text.get(start..).unwrap_or_default()
}

/// The largest length in bytes that fits. Widens by doubling before it halves, so a long text is not looked at beyond
/// about twice of what is kept.
fn longest(length: usize, fits: impl Fn(usize) -> bool) -> usize {
    let mut good = 0;
    let mut bad = 256.min(length);
    while fits(bad) {
        if bad == length {
            return length;
        }
        good = bad;
        bad = (bad * 2).min(length);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    #[test]
    fn an_emoji_at_the_cut_is_kept_or_left_out_whole() {
        let text = format!("{}🔥!", "a".repeat(99));
        assert_eq!(first_graphemes(&text, 100), format!("{}🔥", "a".repeat(99)));
        assert_eq!(first_graphemes(&text, 99), "a".repeat(99));
        let family = "👩‍👩‍👧‍👦👩‍👩‍👧‍👦";
        assert_eq!(first_graphemes(family, 1), "👩‍👩‍👧‍👦");
    }

    #[test]
    fn box_drawing_is_cut_without_a_panic() {
        assert_eq!(first_graphemes(&"─".repeat(80), 33).chars().count(), 33);
        assert_eq!(prefix(&"─".repeat(80), 100).len(), 99);
    }

    #[test]
    fn the_ellipsis_counts_as_one_of_the_graphemes() {
        assert_eq!(ellipsize("abc", 3), "abc");
        assert_eq!(ellipsize("abcd", 3), "ab…");
        assert_eq!(ellipsize("a  bcd", 3), "a…");
        assert_eq!(ellipsize("abcd", 1), "…");
        assert_eq!(ellipsize("abcd", 0), "");
    }

    #[test]
    fn head_and_tail_are_joined_by_the_marker() {
        let text: String = (0..500).map(|line| format!("line {line} of the output\n")).collect();
        let cut = head_and_tail(&text, 100, "[... cut ...]");
        assert!(cut.starts_with("line 0 ") && cut.trim_end().ends_with("line 499 of the output"));
        assert!(cut.contains("\n[... cut ...]\n"));
        assert!(estimate_tokens(&cut) <= 100);
        assert_eq!(head_and_tail("short", 100, "[cut]"), "short");
    }

    #[test]
    fn lines_are_found_and_folded() {
        assert_eq!(first_line("\r\n  \n first\r\nsecond"), "first");
        assert_eq!(first_line(" \n"), "");
        assert_eq!(one_line(" a\r\n\tb\u{2028}c \u{0} d "), "a b c d");
    }

    #[test]
    fn a_tower_of_marks_is_cut_in_bytes_too() {
        let zalgo = format!("a{}", "\u{301}".repeat(150_000));
        assert!(first_graphemes(&zalgo, 10).len() <= 10 * MAX_GRAPHEME_BYTES);
        assert!(!first_graphemes(&zalgo, 10).is_empty());
    }

    #[test]
    fn long_lines_and_towers_take_linear_time() {
        let started = Instant::now();
        for text in ["x".repeat(300_000), format!("a{}", "\u{301}".repeat(150_000)), "🇷🇸".repeat(40_000)]
        {
            assert_eq!(graphemes(&text).map(str::len).sum::<usize>(), text.len());
            assert!(ellipsize(&text, 200).len() <= 201 * MAX_GRAPHEME_BYTES);
            assert!(estimate_tokens(last_tokens(&text, 50)) <= 50);
            head_and_tail(&text, 2_000, "[cut]");
        }
        assert!(started.elapsed() < Duration::from_secs(10), "took {:?}", started.elapsed());
    }

    /// True if `at` is a boundary between graphemes.
    fn is_clean_cut(text: &str, at: usize) -> bool {
        let cuts: Vec<usize> =
            text.grapheme_indices(true).map(|(index, _)| index).chain([text.len()]).collect();
        cuts.contains(&at)
    }

    proptest! {
        #[test]
        fn cuts_never_split_a_grapheme(text in "(\\PC|🇷🇸|👩‍👩‍👧‍👦|e\u{301}|क्षि|\r\n|[a-z ]{1,9}){0,60}", max in 0usize..40) {
            for cut in [first_graphemes(&text, max), first_tokens(&text, max as u64)] {
                prop_assert!(text.starts_with(cut) && is_clean_cut(&text, cut.len()));
            }
            let tail = last_tokens(&text, max as u64);
            prop_assert!(text.ends_with(tail) && is_clean_cut(&text, text.len() - tail.len()));
            prop_assert!(ellipsize(&text, max).graphemes(true).count() <= max);
        }

        /// A word with the blank before it can cost less than the word alone, so one grapheme does not tell.
        #[test]
        fn three_graphemes_more_would_be_too_much(text in "([a-zA-Zčšж日本🔥—.,;]{1,12} |[0-9]{1,9}|\n|-{1,40}){0,300}", max in 0u64..200) {
            let cut = first_tokens(&text, max);
            let rest = text.strip_prefix(cut).unwrap();
            let longer = rest.char_indices().take(3).filter_map(|(at, c)| text.get(..cut.len() + at + c.len_utf8()));
            prop_assert!(rest.is_empty() || longer.map(estimate_tokens).any(|tokens| tokens > max));
            let rest = text.strip_suffix(last_tokens(&text, max)).unwrap();
            let longer = rest.char_indices().rev().take(3).filter_map(|(at, _)| text.get(at..));
            prop_assert!(rest.is_empty() || longer.map(estimate_tokens).any(|tokens| tokens > max));
        }

        #[test]
        fn budgets_in_tokens_are_kept(text in "(\\PC|[a-z]{1,12} |[0-9]{1,9}|\n){0,300}", max in 0u64..120) {
            for cut in [Cow::Borrowed(first_tokens(&text, max)), ellipsize_tokens(&text, max), head_and_tail(&text, max, "[cut]")] {
                prop_assert!(estimate_tokens(&cut) <= max, "{} > {max}: {cut:?}", estimate_tokens(&cut));
            }
        }
    }
}
