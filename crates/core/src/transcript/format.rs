//! Which host wrote a transcript: told from the shape of its first recognisable entry.

use super::event::{Event, Format};
use super::fields::{object, owned, text, time};
use serde_json::{Map, Value};

/// A format with the version of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recognised {
    pub(super) format: Format,
    pub(super) version: Option<u64>,
}

impl Recognised {
    /// Entries have ids and parents: only the path to the last one is the conversation.
    pub(super) fn is_tree(self) -> bool {
        matches!(self.format, Format::Pi | Format::OpenClaw)
            && self.version.is_some_and(|version| version >= 2)
    }
}

/// The first version that only OpenClaw writes.
const OPENCLAW_FROM: u64 = 4;
const CODEX_KINDS: [&str; 6] =
    ["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];
const CLAUDE_MARKS: [&str; 5] = ["parentUuid", "isSidechain", "sessionId", "uuid", "leafUuid"];

/// Recognises an entry; `None` where it could be anything.
pub(super) fn recognise(entry: &Map<String, Value>) -> Option<Recognised> {
    let kind = text(entry, "type")?;
    let found = |format, version| Some(Recognised { format, version });
    if kind == "session" && (entry.contains_key("id") || entry.contains_key("cwd")) {
        let version = entry.get("version").and_then(Value::as_u64).unwrap_or(1);
        let format = if version >= OPENCLAW_FROM { Format::OpenClaw } else { Format::Pi };
        return found(format, Some(version));
    }
    if CODEX_KINDS.contains(&kind) && object(entry, "payload").is_some() {
        return found(Format::Codex, None);
    }
    if CLAUDE_MARKS.iter().any(|mark| entry.contains_key(*mark)) {
        return found(Format::Claude, None);
    }
    if matches!(kind, "user" | "assistant") && object(entry, "message").is_some() {
        return found(Format::Claude, None);
    }
    if kind == "message" && object(entry, "message").is_some() {
        // The header is lost; ids came with version 2.
        let version = if entry.contains_key("id") { 3 } else { 1 };
        return found(Format::Pi, Some(version));
    }
    None
}

/// Marks that only OpenClaw leaves in entries that are otherwise Pi's.
pub(super) fn is_openclaw(entry: &Map<String, Value>) -> bool {
    let starts = |name| text(entry, name).is_some_and(|value| value.starts_with("openclaw"));
    starts("customType") || starts("provider") || text(entry, "type") == Some("reset")
}

/// The first event.
pub(super) fn header(recognised: Recognised, line: u64, entry: &Map<String, Value>) -> Event {
    let inner = object(entry, "payload").unwrap_or(entry);
    let is_head = matches!(text(entry, "type"), Some("session" | "session_meta"));
    let session_id = if recognised.format == Format::Claude {
        owned(entry, "sessionId")
    } else if is_head {
        owned(inner, "id")
    } else {
        None
    };
    Event::Header {
        line,
        format: recognised.format,
        version: recognised.version,
        session_id,
        cwd: owned(inner, "cwd"),
        timestamp: time(entry).or_else(|| time(inner)),
        parent_session: owned(inner, "parentSession").or_else(|| owned(inner, "branchedFrom")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: Value) -> Option<(Format, Option<u64>)> {
        recognise(value.as_object().unwrap()).map(|found| (found.format, found.version))
    }

    #[test]
    fn each_format_is_known_by_its_first_entry() {
        let cases = [
            (json!({"type": "session", "id": "s", "cwd": "/"}), Some((Format::Pi, Some(1)))),
            (json!({"type": "session", "id": "s", "version": 3}), Some((Format::Pi, Some(3)))),
            (json!({"type": "session", "id": "s", "version": 4}), Some((Format::OpenClaw, Some(4)))),
            (json!({"type": "session_meta", "payload": {"id": "s"}}), Some((Format::Codex, None))),
            (json!({"type": "summary", "leafUuid": "u"}), Some((Format::Claude, None))),
            (json!({"type": "user", "message": {"role": "user"}}), Some((Format::Claude, None))),
            (json!({"type": "message", "message": {"role": "user"}}), Some((Format::Pi, Some(1)))),
            (json!({"type": "message", "id": "a", "message": {}}), Some((Format::Pi, Some(3)))),
            (json!({"type": "invoice", "total": 3}), None),
            (json!({"role": "user", "content": "no entry"}), None),
        ];
        for (entry, expected) in cases {
            assert_eq!(of(entry.clone()), expected, "{entry}");
        }
    }
}
