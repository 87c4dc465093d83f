//! Entries of Pi (versions 1 to 3) and of OpenClaw, which writes the same ones with some of its own.

use super::event::{Event, FirstKept};
use super::fields::{dated, flag, owned, text, time};
use super::path::LivePath;
use serde_json::{Map, Value};

/// What has to be remembered from entry to entry.
#[derive(Default)]
pub(super) struct Pi {
    /// Version 1 names the first kept entry by its position: the line of each readable entry.
    positions: Vec<u64>,
}

impl Pi {
    /// Version 1 counts every readable entry of the file, the header included.
    pub(super) fn count_entry(&mut self, line: u64) {
        self.positions.push(line);
    }

    pub(super) fn decode(
        &self,
        line: u64,
        mut entry: Map<String, Value>,
        path: Option<&LivePath>,
    ) -> Result<Event, String> {
        let id = owned(&entry, "id");
        let at = time(&entry);
        let kind = text(&entry, "type").unwrap_or_default();
        Ok(match kind {
            "message" => {
                let Some(Value::Object(mut message)) = entry.remove("message") else {
                    return Err("a message entry without a message; skipped".to_owned());
                };
                // Version 2 called the messages of extensions so.
                if text(&message, "role") == Some("hookMessage") {
                    message.insert("role".to_owned(), "custom".into());
                }
                let timestamp = dated(&mut message, at);
                Event::Message { line, id, value: Value::Object(message), timestamp }
            }
            "custom_message" => {
                let mut message = Map::new();
                message.insert("role".to_owned(), "custom".into());
                for name in ["customType", "content", "display", "details"] {
                    if let Some(value) = entry.remove(name) {
                        message.insert(name.to_owned(), value);
                    }
                }
                let timestamp = dated(&mut message, at);
                Event::Message { line, id, value: Value::Object(message), timestamp }
            }
            "compaction" => self.compaction(line, id, at, &entry, path),
            "branch_summary" => Event::BranchSummary {
                line,
                id,
                summary: owned(&entry, "summary").unwrap_or_default(),
                from_id: owned(&entry, "fromId"),
                timestamp: at,
            },
            "model_change" => Event::ModelChange {
                line,
                provider: owned(&entry, "provider"),
                model_id: owned(&entry, "modelId"),
            },
            // The header is the first event already; what it says of the model counts.
            "session" if entry.contains_key("modelId") => Event::ModelChange {
                line,
                provider: owned(&entry, "provider"),
                model_id: owned(&entry, "modelId"),
            },
            "context_edit" => {
                let Some(target_id) = owned(&entry, "targetId") else {
                    return Err("a context edit without a target; skipped".to_owned());
                };
                let replacement = entry.remove("replacement").unwrap_or_default();
                Event::ContextEdit { line, target_id, replacement }
            }
            "reset" => Event::Reset { line },
            other => Event::Other { line, kind: other.to_owned() },
        })
    }

    fn compaction(
        &self,
        line: u64,
        id: Option<String>,
        timestamp: Option<i64>,
        entry: &Map<String, Value>,
        path: Option<&LivePath>,
    ) -> Event {
        let index = entry.get("firstKeptEntryIndex").and_then(Value::as_u64);
        let first_kept =
            owned(entry, "firstKeptEntryId").map(FirstKept::Id).or_else(|| index.map(FirstKept::Index));
        let first_kept_line = match &first_kept {
            Some(FirstKept::Id(_)) => path.and_then(|path| path.first_kept(line)),
            Some(FirstKept::Index(index)) => {
                usize::try_from(*index).ok().and_then(|at| self.positions.get(at)).copied()
            }
            None => None,
        };
        Event::Compaction {
            line,
            id,
            summary: owned(entry, "summary").unwrap_or_default(),
            first_kept,
            first_kept_line,
            tokens_before: entry.get("tokensBefore").and_then(Value::as_u64),
            from_hook: flag(entry, "fromHook"),
            timestamp,
        }
    }
}
