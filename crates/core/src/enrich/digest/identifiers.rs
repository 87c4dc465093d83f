//! Strings that are worthless when one character is lost: OpenClaw's safeguard asks for them in every summary (URLs,
//! absolute paths, `host:port`, hex of 8 and more, runs of 6 and more digits of the last 10 messages).

use crate::enrich::fence::ends;
use crate::message::{Block, Message, Role};
use crate::text::pattern::static_regex;
use crate::text::redact::redact_secrets;
use std::collections::HashSet;

/// Messages at the end that are read.
const MESSAGES: usize = 10;
/// Identifiers that are kept, newest last.
pub(super) const MOST: usize = 24;
/// A longer one is no identifier that a summary could hold.
const LONGEST: usize = 200;

static_regex! {
    static IDENTIFIER = r#"https?://[^\s"'<>`|\\^{}\]\[]+|(?:[\w.-]+\.)?[A-Za-z][\w-]*(?:\.[\w-]+)*:\d{2,5}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?\b|(?:^|[\s"'`(=:,>\[])(~?/[\w.@~+-]+(?:/[\w.@~+-]+)+)|\b[0-9a-f]{8,64}\b|\b[0-9A-F]{8,64}\b|\b\d{6,}\b"#;
    static PLACE_IN_FILE = r"\.[A-Za-z]{1,5}:\d+$";
}

/// The identifiers of the newest messages, oldest first; what people and the agent said goes before what tools printed.
pub fn identifiers(messages: &[Message]) -> Vec<String> {
    let newest = messages.get(messages.len().saturating_sub(MESSAGES)..).unwrap_or_default();
    let said = |message: &Message| matches!(message.role, Role::User | Role::Assistant);
    let mut seen = HashSet::new();
    let mut found: Vec<String> = Vec::new();
    for spoken in [true, false] {
        for message in newest.iter().rev().filter(|message| said(message) == spoken) {
            let mut here: Vec<String> = Vec::new();
            for block in &message.blocks {
                let text = match block {
                    Block::Text(text) | Block::ToolResult { text, .. } => text.clone(),
                    Block::ToolCall { arguments, .. } => arguments.to_string(),
                    _ => continue,
                };
                collect(&redact_secrets(&ends(&text)), &mut here);
            }
            found.extend(here.into_iter().rev().filter(|id| seen.insert(id.clone())));
        }
    }
    found.truncate(MOST);
    found.reverse();
    found
}

fn collect(text: &str, found: &mut Vec<String>) {
    for id in IDENTIFIER.captures_iter(text).filter_map(|id| id.get(1).or_else(|| id.get(0))) {
        let id = id.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '*', '_']);
        let hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let word = hex && !id.bytes().any(|byte| byte.is_ascii_digit());
        if id.len() <= LONGEST && id.len() >= 5 && !word && !PLACE_IN_FILE.is_match(id) {
            found.push(id.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_lose_a_character_is_found() {
        let text = "See https://example.com/a?b=1, /srv/app/config.yaml on db.internal:5432 or localhost:8080; commit 4a3b2c1d9e, order 20260224 and deadbeef, src/a.ts:120, 12345.";
        let found = identifiers(&[Message::user(text)]);
        for id in [
            "https://example.com/a?b=1",
            "/srv/app/config.yaml",
            "db.internal:5432",
            "localhost:8080",
            "4a3b2c1d9e",
            "20260224",
        ] {
            assert!(found.iter().any(|known| known == id), "{id}: {found:?}");
        }
        assert_eq!(found.len(), 6, "{found:?}");
    }

    #[test]
    fn the_newest_stay_and_secrets_do_not_come_along() {
        let messages: Vec<Message> =
            (0..40).map(|n| Message::user(&format!("build {} ok", 900_000 + n))).collect();
        let found = identifiers(&messages);
        assert_eq!((found.len(), found.last().map(String::as_str)), (10, Some("900039")));
        assert!(
            identifiers(&[Message::user("postgres://app:hunter2hunter2@db.example.com:5432/x")])
                .iter()
                .all(|id| !id.contains("hunter2"))
        );
    }
}
