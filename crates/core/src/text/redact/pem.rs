//! Private keys in PEM, whole or cut off, with real line breaks or with `\n` in a string.

use super::Edit;
use crate::text::pattern::static_regex;
use std::borrow::Cow;

static_regex! {
    /// The line that opens a private key.
    static BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
    /// One line of the body, or a header such as `Proc-Type:`, with the quotes and marks that code and YAML put around
    /// it and a real or an escaped line break; a body on one line has blanks for line breaks.
    static LINE = r#"^[ \t"'`+,|>]*(?:\d{1,6}[:→|] ?)?(?:=?[A-Za-z0-9+/]+={0,2}|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): [^\n\\]{0,200})?[ \t"'`,+;]*(?:\r?\n|(?:\\+r)?\\+n)|^[ \t]*[A-Za-z0-9+/]{16,}={0,2}[ \t]"#;
    /// The last line of a body that was cut off.
    static REST = r#"^[ \t]*([A-Za-z0-9+/]+={0,2})(?:$|["'`\\.…\[])"#;
    /// The line that closes it.
    static END = r#"^[ \t"'`+,|>]*-----END [A-Z0-9 ]{1,60}-----"#;
}

/// Replaces private keys. Each is read once, so the time is linear.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut edit = Edit::new(text);
    let mut from = 0;
    while let Some(begin) = text.get(from..).and_then(|rest| BEGIN.find(rest)) {
        let (start, body) = (from + begin.start(), from + begin.end());
        let end = body + body_length(text.get(body..).unwrap_or_default());
        edit.hide(start, end, "private-key");
        from = end;
    }
    edit.finish()
}

/// How far the key's body and end reach.
fn body_length(text: &str) -> usize {
    let mut at = 0;
    let mut kept = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        if let Some(end) = END.find(rest) {
            return at + end.end();
        }
        match LINE.find(rest) {
            Some(line) => {
                at += line.end();
                let shown = line.as_str().trim_end_matches(['\\', 'n', 'r']).trim();
                if shown.chars().any(|c| c.is_ascii_alphanumeric()) {
                    kept = at - (line.len() - line.as_str().trim_end().len());
                }
            }
            None => {
                return REST.captures(rest).and_then(|last| last.get(1)).map_or(kept, |last| at + last.end());
            }
        }
    }
}
