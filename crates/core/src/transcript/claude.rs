//! Entries of Claude Code. Best effort: read in file order, because parallel tool results hang on different parents
//! and a path to the last entry would lose some of them.

use super::event::Event;
use super::fields::{dated, flag, object, owned, text, time};
use serde_json::{Map, Value};

/// What has to be remembered from entry to entry.
#[derive(Default)]
pub(super) struct Claude {
    /// Messages of a subagent are wanted only where the whole file is a subagent's.
    sidechain: Option<bool>,
    /// A compaction whose summary follows in the next message.
    boundary: Option<Boundary>,
    model: Option<String>,
}

struct Boundary {
    line: u64,
    id: Option<String>,
    tokens_before: Option<u64>,
    timestamp: Option<i64>,
}

/// What an entry gives.
pub(super) enum Decoded {
    Events(Vec<Event>),
    /// A message of a side conversation.
    OffPath,
}

impl Claude {
    pub(super) fn decode(&mut self, line: u64, entry: Map<String, Value>) -> Result<Decoded, String> {
        let kind = text(&entry, "type").unwrap_or_default();
        match kind {
            "user" | "assistant" => self.message(line, entry),
            "system" if text(&entry, "subtype") == Some("compact_boundary") => {
                let tokens = object(&entry, "compactMetadata").and_then(|data| data.get("preTokens"));
                let open = self.boundary.replace(Boundary {
                    line,
                    id: owned(&entry, "uuid"),
                    tokens_before: tokens.and_then(Value::as_u64).filter(|tokens| *tokens > 0),
                    timestamp: time(&entry),
                });
                Ok(Decoded::Events(open.map(|open| open.into_event(String::new())).into_iter().collect()))
            }
            other => Ok(Decoded::Events(vec![Event::Other { line, kind: other.to_owned() }])),
        }
    }

    /// A boundary that no summary followed.
    pub(super) fn finish(&mut self) -> Option<Event> {
        self.boundary.take().map(|open| open.into_event(String::new()))
    }

    fn message(&mut self, line: u64, mut entry: Map<String, Value>) -> Result<Decoded, String> {
        let Some(Value::Object(mut message)) = entry.remove("message") else {
            return Err("an entry without a message; skipped".to_owned());
        };
        let sidechain = flag(&entry, "isSidechain");
        if *self.sidechain.get_or_insert(sidechain) != sidechain && sidechain {
            return Ok(Decoded::OffPath);
        }
        let at = time(&entry);
        let id = owned(&entry, "uuid");
        if flag(&entry, "isCompactSummary") {
            let boundary = self.boundary.take();
            let boundary = boundary.unwrap_or(Boundary { line, id, tokens_before: None, timestamp: at });
            let summary = crate::message::Message::from_value(&Value::Object(message)).text();
            return Ok(Decoded::Events(vec![boundary.into_event(summary)]));
        }
        let mut events: Vec<Event> = self.finish().into_iter().collect();
        let model = owned(&message, "model").filter(|model| !model.starts_with('<'));
        if model.is_some() && model != self.model {
            self.model.clone_from(&model);
            events.push(Event::ModelChange { line, provider: None, model_id: model });
        }
        if flag(&entry, "isMeta") && !has_tool_result(&message) {
            // Put in by the program, not typed.
            message.insert("role".to_owned(), "custom".into());
            message.insert("customType".to_owned(), "claude.meta".into());
        }
        if flag(&entry, "isApiErrorMessage") {
            message.insert("stopReason".to_owned(), "error".into());
        }
        let timestamp = dated(&mut message, at);
        events.push(Event::Message { line, id, value: Value::Object(message), timestamp });
        Ok(Decoded::Events(events))
    }
}

impl Boundary {
    fn into_event(self, summary: String) -> Event {
        Event::Compaction {
            line: self.line,
            id: self.id,
            summary,
            first_kept: None,
            first_kept_line: None,
            tokens_before: self.tokens_before,
            from_hook: false,
            timestamp: self.timestamp,
        }
    }
}

fn has_tool_result(message: &Map<String, Value>) -> bool {
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(Value::as_object).any(|block| text(block, "type") == Some("tool_result"))
}
