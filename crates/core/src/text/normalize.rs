//! Normalising: the same words whatever list mark, emphasis, quotes or dashes they were written with (seed 000,
//! issue 2 of seed "Merge Dedup"). Paths, globs and identifiers come through whole.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// `text` without leading list marks, numbers, checkboxes, quote marks and headings, without markdown emphasis and
/// code ticks, with plain quotes and dashes, single spaces, lower case.
///
/// What stands between code ticks is kept as it is, so `` `src/**/*.ts` `` stays `src/**/*.ts`; so do bare globs,
/// `snake_case` and `__dunder__` names.
pub fn normalize(text: &str) -> String {
    clean(text).to_lowercase()
}

/// As [`normalize`], but the case of the words is kept.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) { text.into() } else { cleaned(text).into() }
}

fn cleaned(text: &str) -> String {
    let plain: Cow<'_, str> = if text.is_ascii() && !text.contains('\r') {
        text.into()
    } else {
        text.nfkc().filter_map(plain_char).collect()
    };
    let mut spaced = String::with_capacity(plain.len());
    for line in plain.lines() {
        for word in strip_emphasis(strip_marks(line)).split_whitespace() {
            if !spaced.is_empty() {
                spaced.push(' ');
            }
            spaced.push_str(word);
        }
    }
    unquote(strip_marks(&spaced)).to_owned()
}

/// A line of plain ASCII words with single blanks between them, as most are: there is nothing to take off.
fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~') || matches!(byte, b'`' | b'*' | b'_' | b'~');
    // Without an early end both are a few instructions for sixteen bytes.
    let odd = bytes.iter().fold(false, |odd, byte| odd | is_odd(*byte));
    let gap = bytes.windows(2).fold(false, |gap, pair| gap | (pair == b"  "));
    !odd && !gap && text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.ends_with(' ')
}

/// `line` without what stands before its words: list marks, numbers, checkboxes, quote marks, heading marks.
pub fn strip_marks(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some(shorter) = strip_one_mark(rest) {
        rest = shorter;
    }
    rest
}

fn strip_one_mark(line: &str) -> Option<&str> {
    if line.starts_with(char::is_alphabetic) {
        return None;
    }
    let blank_after = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    for mark in ["[x]", "[X]", "[ ]", "[-]", "-", "*", "+", "•", "‣", "◦", "·", "▪", "●"] {
        if let Some(rest) = line.strip_prefix(mark)
            && blank_after(rest)
        {
            return non_empty(rest, line);
        }
    }
    for mark in ["☐", "☑", "☒", "✅", "✔", "✓", "▶", "➤", "→", ">"] {
        if let Some(rest) = line.strip_prefix(mark) {
            // `>=` and `>5` are comparisons, not quotes.
            if mark == ">" && !(blank_after(rest) || rest.starts_with('>')) {
                continue;
            }
            return non_empty(rest.trim_start_matches('\u{FE0F}'), line);
        }
    }
    let hashes = line.trim_start_matches('#');
    if hashes.len() < line.len() && line.len() - hashes.len() <= 6 && blank_after(hashes) {
        return non_empty(hashes, line);
    }
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let count = line.len() - digits.len();
    if (1..=3).contains(&count) {
        let rest = digits.strip_prefix(['.', ')'])?;
        if blank_after(rest) {
            return non_empty(rest, line);
        }
    }
    None
}

/// A mark alone is text: `-` stays `-`.
fn non_empty<'a>(rest: &'a str, line: &str) -> Option<&'a str> {
    let rest = rest.trim_start();
    (!rest.is_empty() && rest.len() < line.len()).then_some(rest)
}

fn plain_char(c: char) -> Option<char> {
    Some(match c {
        '‘' | '’' | '‚' | '‛' | '′' | '´' => '\'',
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}' => return None,
        '\u{2028}' | '\u{2029}' | '\u{85}' | '\r' => '\n',
        _ => c,
    })
}

/// Quotes around the whole text say nothing; quotes within it stay.
fn unquote(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote))
            && !inner.is_empty()
            && !inner.contains(quote)
        {
            return inner.trim();
        }
    }
    text
}

/// Removes code ticks (keeping what they hold) and paired emphasis marks.
fn strip_emphasis(line: &str) -> Cow<'_, str> {
    if !line.contains(['`', '*', '_', '~']) {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (before, ticked) = rest.split_at(start);
        let body = ticked.trim_start_matches('`');
        let (fence, _) = ticked.split_at(ticked.len() - body.len());
        out.push_str(&strip_pairs(before));
        match body.split_once(fence) {
            Some((code, after)) => {
                out.push_str(code);
                rest = after;
            }
            None => rest = body,
        }
    }
    // Emphasis may span a code span (`**use `x` now**`): a second pass over the joined text takes such pairs too,
    // unless code held marks of its own.
    if out.is_empty() {
        return strip_pairs(rest);
    }
    let code_has_marks = out.contains('/') && out.contains('*');
    out.push_str(&strip_pairs(rest));
    if code_has_marks { out.into() } else { strip_pairs(&out).into_owned().into() }
}

/// Removes `**x**`, `*x*`, `~~x~~`, and `__x y__`, `_x y_` where the marks stand at the edges of words.
fn strip_pairs(text: &str) -> Cow<'_, str> {
    if !text.contains(['*', '_', '~']) {
        return text.into();
    }
    let mut out = text.to_owned();
    for mark in ["***", "**", "~~", "*", "__", "_"] {
        while let Some(shorter) = strip_pair(&out, mark) {
            out = shorter;
        }
    }
    out.into()
}

fn strip_pair(text: &str, mark: &str) -> Option<String> {
    let mark_char = mark.chars().next()?;
    let mut from = 0;
    while let Some(open) = find_from(text, mark, from) {
        from = open + mark.len();
        let (before, after_open) = (text.get(..open)?, text.get(from..)?);
        if !may_open(before, after_open, mark_char) {
            continue;
        }
        let mut at = 0;
        while let Some(close) = find_from(after_open, mark, at) {
            at = close + mark.len();
            let (inner, after) = (after_open.get(..close)?, after_open.get(at..)?);
            if !may_close(inner, after, mark_char) {
                continue;
            }
            // A name in underscores is an identifier; only a phrase in them is emphasis.
            if mark_char == '_' && !inner.contains(char::is_whitespace) && !inner.ends_with(':') {
                continue;
            }
            return Some(format!("{before}{inner}{after}"));
        }
    }
    None
}

fn find_from(text: &str, what: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| at + from)
}

fn may_open(before: &str, after: &str, mark: char) -> bool {
    let edge = before
        .chars()
        .next_back()
        .is_none_or(|c| c.is_whitespace() || "([{\"'-:*_~".contains(c) && c != mark);
    let word =
        after.chars().next().is_some_and(|c| !c.is_whitespace() && c != mark && !"/.,;:)]}".contains(c));
    edge && word
}

fn may_close(inner: &str, after: &str, mark: char) -> bool {
    let word = inner.chars().next_back().is_some_and(|c| !c.is_whitespace() && c != mark && c != '/');
    let mut following = after.chars();
    let edge = match following.next() {
        None => true,
        Some(c) if c.is_whitespace() => true,
        Some(c) if c == mark => false,
        Some(c) if ".,;:!?)]}\"'*_~-".contains(c) => following.next().is_none_or(|c| !c.is_alphanumeric()),
        Some(_) => false,
    };
    word && edge
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn list_marks_and_emphasis_go() {
        for text in [
            "Use pnpm",
            "- **Use pnpm**",
            "1. Use pnpm",
            "12) use *pnpm*",
            "> Use `pnpm`",
            "[x] Use pnpm",
            "- [ ] Use pnpm",
            "* [X] __Use pnpm__",
            "### Use pnpm",
            "• ~~Use pnpm~~",
            "“Use pnpm”",
            "  Use\t pnpm \r\n",
            "✅ Use\u{200B} pnpm",
        ] {
            assert_eq!(normalize(text), "use pnpm", "{text:?}");
        }
        assert_eq!(normalize("**Decision:** ship it"), "decision: ship it");
    }

    #[test]
    fn paths_globs_and_identifiers_stay() {
        for text in [
            "lint src/**/*.ts and **/*.rs",
            "call last_tool_call and __init__ in __init__.py",
            "a * b * c, 2*3*4 and f(*args, **kwargs)",
            "--flag ~/.pi/agent/*.json",
            ">= 5 of them",
            "2.4.0 is out",
            "-5 degrees",
        ] {
            assert_eq!(normalize(text), text, "{text:?}");
        }
        assert_eq!(normalize("Lint `src/**/*.ts` **only**"), "lint src/**/*.ts only");
    }

    #[test]
    fn quotes_and_dashes_are_unified() {
        assert_eq!(normalize("Don’t – ever — “do” it"), "don't - ever - \"do\" it");
    }

    #[test]
    fn odd_input_is_no_trouble() {
        for text in ["", "-", "**", "``", "`", "> > >", "****", "1.", "_ _", "*a", "a*", "\u{FEFF}"] {
            let once = normalize(text);
            assert_eq!(normalize(&once), once, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_looks_clean_is(text in "[a-zB-D0-9 .,:>\"'#`*_~\\[\\]\r\n\t\\-]{0,16}|\\PC{0,8}") {
            prop_assert_eq!(clean(&text), cleaned(&text));
        }
    }
}
