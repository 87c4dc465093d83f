//! Errors that a person pastes: one short line each, open until they are fixed.

use super::sense::{CountWords, sense};
use crate::text::clip;
use crate::text::pattern::static_regex;

/// Longest error, in graphemes.
const MAX_ERROR: usize = 160;
/// An error is told within so many lines.
const MAX_WRAPPED: usize = 6;
/// A line of this many bytes may have been wrapped.
const WRAPPED_AT: usize = 60;

static_regex! {
    /// A word that names an error, whole, with what it says up to the end of its line.
    static ERROR = r"(?m)(?-u:\b)((?:(?:[A-Z][A-Za-z0-9_]*)?(?:Error|Exception)|ERROR|FATAL|fatal|panic|error(?:\[[A-Z0-9]+\])?|npm ERR|E(?:ACCES|PERM|NOENT|EXIST|PIPE|INVAL|NOSPC|MFILE|BUSY|ISDIR|NOTDIR|NOTFOUND|CONNREFUSED|CONNRESET|ADDRINUSE|TIMEDOUT|HOSTUNREACH|NOTEMPTY|AI_AGAIN))[:!] \S[^\n]{2,})$";
    /// Before it stands a log's prefix or nothing, not a sentence.
    static PREFIX = r"^[^\n]{0,80}$";
    static JSON_MESSAGE = r#""message"\s*:\s*"((?:[^"\\]|\\.){3,})"#;
    static STILL_BROKEN = r"\b(?:still|again|same (?:error|issue|problem|thing)|not fixed|doesn't work|does not work|didn't (?:work|help)|no change|i dalje|opet|ne radi|isto)\b";
    static WORKS_NOW = r"^(?:(?:ok|okay|great|nice|perfect|yes|yeah|cool|thanks|super|da|hvala),?\s+)*(?:(?:that|this|it|all|everything|ok|to|sve|sad|sada)(?:'s)?\s+)*(?:(?:is |are |was )?(?:now )?(?:fixed|solved|resolved)|works(?: now| again| fine| great)?|fixed it|did it|did the trick|radi(?: sada| sad)?|popravljeno|reseno)(?: it| now| thanks| hvala)?[\s.!,]*(?:$|[.!,])";
    /// The agent says that it mends it; a cause alone mends nothing.
    static MENDS = r"\b(?:(?:let me|i'll|i will|i need to|going to|let's) (?:also )?(?:fix|correct|repair|handle|wrap|resolve|guard|patch|implement the fix)|fix it|fixing|fixed|popravi\w*|popravlja\w*)\b";
}

/// The first error in a message, in one line; what JSON says in its message instead of the JSON.
pub(super) fn error(text: &str) -> Option<String> {
    let found = ERROR.captures_iter(text).take(8).filter_map(|found| found.get(1)).find(|found| {
        let line = text.get(..found.start()).unwrap_or("").rsplit('\n').next().unwrap_or("");
        PREFIX.is_match(line)
    })?;
    let block = wrapped(text.get(found.start()..)?);
    let line = block.trim();
    let said = match line.find('{') {
        Some(at) => {
            let head = line.get(..at).unwrap_or("").trim_end();
            let inner = JSON_MESSAGE.captures(line.get(at..).unwrap_or("")).and_then(|found| found.get(1));
            inner.map_or_else(|| head.to_owned(), |inner| format!("{head} {}", inner.as_str()))
        }
        None => line.to_owned(),
    };
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = said.join(" ");
    let said = clip::one_line(&said);
    (said.word_count() >= 2).then(|| clip::ellipsize(&said, MAX_ERROR).into_owned())
}

/// The line that opens a text, with the lines that a terminal or a mail wrapped off its end: inside of an open JSON string, or
/// after a long line that no stop ends.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().take(MAX_WRAPPED) {
        if out.is_empty() {
            line.clone_into(&mut out);
            continue;
        }
        let next = line.trim_start();
        let in_json = out.contains('{') && quotes(&out) % 2 == 1;
        let runs_on = out.lines().last().unwrap_or("").len() >= WRAPPED_AT
            && !out.ends_with(['.', ';', ':', '}', ')', '{'])
            && next.starts_with(|c: char| c.is_lowercase() || c == '`' || c == '\'' || c.is_ascii_digit())
            && !next.starts_with("at ")
            && !next.starts_with("in ");
        if next.is_empty() || !(in_json || runs_on) {
            break;
        }
        out.push('\n');
        out.push_str(line);
    }
    out
}

/// Quotes that are not escaped.
fn quotes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let escaped = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    (0..bytes.len()).filter(|at| bytes.get(*at) == Some(&b'"') && !escaped(*at)).count()
}

/// A person says that what they pasted is over.
pub(super) fn says_fixed(text: &str) -> bool {
    let seen = sense(text);
    WORKS_NOW.is_match(&seen) && !STILL_BROKEN.is_match(&seen)
}

/// A person says that it goes on.
pub(super) fn says_broken(text: &str) -> bool {
    STILL_BROKEN.is_match(&sense(text)) || error(text).is_some()
}

/// The agent's message announces or reports a fix.
pub(super) fn mends(text: &str) -> bool {
    MENDS.is_match(&sense(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_short_line() {
        assert_eq!(
            error("it crashed\n\nnode:fs:443\nError: ENOENT: no such file, open '/a'\n    at readFileSync (node:fs)").as_deref(),
            Some("Error: ENOENT: no such file, open '/a'")
        );
        assert_eq!(
            error(r#"Error: 400 {"type":"error","error":{"type":"invalid_request","message":"messages.2: `tool_use` ids were left"}}"#).as_deref(),
            Some("Error: 400 messages.2: `tool_use` ids were left")
        );
        assert_eq!(
            error("this results in\n\n Error: 422 {\"error\":{\"message\":\"rows.7: `amount`\n must be a number, not\n `null`.\"},\"id\":4}\n\nwhy?").as_deref(),
            Some("Error: 422 rows.7: `amount` must be a number, not `null`.")
        );
        assert_eq!(
            error("TypeError: cannot read the property `width` of an undefined canvas when\n  the window is resized\n    at draw (a.js)").as_deref(),
            Some("TypeError: cannot read the property `width` of an undefined canvas when the window is resized")
        );
        assert_eq!(error("Error: disk full\nplease look").as_deref(), Some("Error: disk full"));
        assert!(error(&format!("TypeError: {}", "x ".repeat(5_000))).unwrap().len() <= 170);
    }

    #[test]
    fn a_word_that_ends_like_an_error_is_none() {
        for text in
            ["README: settings table is missing", "EXAMPLE: this one", "TERROR: x y", "errors: none at all"]
        {
            assert_eq!(error(text), None, "{text}");
        }
    }

    #[test]
    fn people_say_whether_it_works() {
        for text in ["works now, thanks", "ok that fixed it", "it's fixed", "fixed!", "great, that works"] {
            assert!(says_fixed(text), "{text}");
        }
        for text in ["it is still not fixed", "how was this fixed?", "works only on linux"] {
            assert!(!says_fixed(text), "{text}");
        }
        assert!(says_broken("same error") && !says_broken("now rename the flag"));
    }
}
