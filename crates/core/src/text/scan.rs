//! Bytes, words and white space of texts, for questions that are asked of each sentence again and again. What only tells
//! whether something is there never stops early: without a way out the machine looks at many bytes in one step, which is
//! faster for sentences than to stop at the right place.

/// Whether a text holds one of the bytes.
#[inline]
pub(crate) fn holds_any<const N: usize>(text: &str, bytes: &[u8; N]) -> bool {
    let is_one = |here: u8| bytes.iter().fold(0, |found, byte| found | u8::from(here == *byte));
    text.bytes().fold(0, |found, here| found | is_one(here)) != 0
}

/// Whether a text holds a digit of ASCII.
#[inline]
pub(crate) fn holds_digit(text: &str) -> bool {
    text.bytes().fold(0, |found, here| found | u8::from(here.is_ascii_digit())) != 0
}

/// Whether two neighbouring bytes of a text are one of the pairs.
#[inline]
pub(crate) fn holds_pair<const N: usize>(text: &str, pairs: &[[u8; 2]; N]) -> bool {
    let next = text.as_bytes().get(1..).unwrap_or_default();
    let is_one = |a: u8, b: u8| {
        pairs
            .iter()
            .fold(0, |found, [first, second]| found | (u8::from(a == *first) & u8::from(b == *second)))
    };
    text.bytes().zip(next).fold(0, |found, (a, b)| found | is_one(a, *b)) != 0
}

/// White space of ASCII, as [`char::is_whitespace`] tells it.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    (byte == b' ') | matches!(byte, b'\t'..=b'\r')
}

/// As many as [`str::split_whitespace`] gives.
pub(crate) fn word_count(text: &str) -> usize {
    if !text.is_ascii() {
        return text.split_whitespace().count();
    }
    let bytes = text.as_bytes();
    let (Some(first), Some(rest)) = (bytes.first(), bytes.get(1..)) else { return 0 };
    let mut words = usize::from(!is_blank(*first));
    // So many at a time that one byte counts them.
    for (before, here) in bytes.chunks(255).zip(rest.chunks(255)) {
        let starts = before.iter().zip(here).map(|(a, b)| u8::from(is_blank(*a) & !is_blank(*b)));
        words += usize::from(starts.sum::<u8>());
    }
    words
}

/// Whether a word of the text that begins with a certain byte passes the test.
pub(crate) fn any_word_from(text: &str, begins: impl Fn(u8) -> bool, test: impl Fn(&str) -> bool) -> bool {
    if !text.is_ascii() {
        return text.split_whitespace().any(|word| word.bytes().next().is_some_and(&begins) && test(word));
    }
    let mut after_blank = true;
    text.bytes().enumerate().any(|(start, byte)| {
        let likely = after_blank && begins(byte);
        after_blank = is_blank(byte);
        likely
            && text.get(start..).is_some_and(|rest| rest.split(char::is_whitespace).next().is_some_and(&test))
    })
}

/// The text without its first `words` words and the white space around them.
pub(crate) fn skip_words(text: &str, words: usize) -> &str {
    if !text.is_ascii() {
        let mut rest = text.trim_start();
        for _ in 0..words {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or("").trim_start();
        }
        return rest;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    let pass = |at: &mut usize, blank: bool| {
        while bytes.get(*at).is_some_and(|byte| is_blank(*byte) == blank) {
            *at += 1;
        }
    };
    pass(&mut at, true);
    for _ in 0..words {
        pass(&mut at, false);
        pass(&mut at, true);
        if at == bytes.len() {
            break;
        }
    }
    text.get(at..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLANKS: &[&str] =
        &["", " ", "\t", "\n", "\u{b}", "\u{c}", "\r", "\u{1c}", "\u{1f}", "\u{85}", "\u{a0}", "\u{2003}"];

    fn skipped(text: &str, words: usize) -> &str {
        let (mut rest, mut left) = (text.trim_start(), words);
        while left > 0 && !rest.is_empty() {
            rest = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
            left -= 1;
        }
        rest
    }

    #[test]
    fn words_are_counted_and_skipped_as_they_are_split() {
        for a in BLANKS {
            for b in BLANKS {
                for text in
                    [format!("{a}x{b}"), format!("x{a}y{b}z"), format!("{a}{b}"), format!("{a}x y{b}ž")]
                {
                    assert_eq!(word_count(&text), text.split_whitespace().count(), "{text:?}");
                    let known = |word: &str| text.split_whitespace().any(|known| known == word);
                    let begins = |byte| matches!(byte, b'x' | b'y');
                    let one = text.split_whitespace().any(|word| word.starts_with(['x', 'y']));
                    assert_eq!(any_word_from(&text, begins, known), one, "{text:?}");
                    assert!(!any_word_from(&text, begins, |word| !known(word) || word == "ž"), "{text:?}");
                    for words in 0..4 {
                        assert_eq!(skip_words(&text, words), skipped(&text, words), "{text:?} {words}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_and_pairs_are_found_wherever_they_stand(text in "[a-e]{0,80}") {
            prop_assert_eq!(holds_any(&text, b"ce"), text.contains(['c', 'e']));
            prop_assert!(!holds_digit(&text));
            prop_assert!(holds_digit(&[text.as_str(), "7", &text].concat()));
            let pairs = text.contains("ab") || text.contains("dd");
            prop_assert_eq!(holds_pair(&text, &[*b"ab", *b"dd"]), pairs);
        }

        #[test]
        fn long_texts_have_as_many_words_as_short_ones(text in "[a-b ]{0,900}") {
            prop_assert_eq!(word_count(&text), text.split_whitespace().count());
        }
    }
}
