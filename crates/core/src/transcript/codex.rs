//! Entries of Codex. Best effort: `response_item` is what the model saw; most of `event_msg` says the same again for
//! the screen.

use super::event::Event;
use super::fields::{dated, object, owned, time};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Calls without an answer that are remembered by name at most.
const OPEN_CALLS: usize = 1024;

/// What has to be remembered from entry to entry.
#[derive(Default)]
pub(super) struct Codex {
    open_calls: HashMap<String, String>,
    model: Option<String>,
}

impl Codex {
    pub(super) fn decode(&mut self, line: u64, mut entry: Map<String, Value>) -> Event {
        let at = time(&entry);
        let kind = owned(&entry, "type").unwrap_or_default();
        let Some(Value::Object(payload)) = entry.remove("payload") else {
            return Event::Other { line, kind };
        };
        let inner = owned(&payload, "type").unwrap_or_default();
        let event = match kind.as_str() {
            "response_item" => self.item(line, at, &inner, payload),
            "turn_context" => self.model(line, &payload),
            "compacted" => Some(Event::Compaction {
                line,
                id: None,
                summary: owned(&payload, "message").unwrap_or_default(),
                first_kept: None,
                first_kept_line: None,
                tokens_before: None,
                from_hook: false,
                timestamp: at,
            }),
            "event_msg" if inner == "token_count" => usage(line, &payload),
            _ => None,
        };
        let named = if inner.is_empty() { kind } else { format!("{kind}/{inner}") };
        event.unwrap_or(Event::Other { line, kind: named })
    }

    fn model(&mut self, line: u64, payload: &Map<String, Value>) -> Option<Event> {
        let model = owned(payload, "model")?;
        if self.model.as_ref() == Some(&model) {
            return None;
        }
        self.model = Some(model.clone());
        Some(Event::ModelChange { line, provider: None, model_id: Some(model) })
    }

    fn item(&mut self, line: u64, at: Option<i64>, kind: &str, payload: Map<String, Value>) -> Option<Event> {
        let id = owned(&payload, "id");
        let mut message = if kind == "message" {
            plain(payload)?
        } else if kind.ends_with("_output") || kind == "tool_result" {
            self.answer(&payload)
        } else if kind.ends_with("_call") {
            self.call(kind, &payload)
        } else {
            return None;
        };
        let timestamp = dated(&mut message, at);
        Some(Event::Message { line, id, value: Value::Object(message), timestamp })
    }

    fn call(&mut self, kind: &str, payload: &Map<String, Value>) -> Map<String, Value> {
        let id = owned(payload, "call_id").or_else(|| owned(payload, "id")).unwrap_or_default();
        let named = owned(payload, "name");
        let named =
            named.or_else(|| object(payload, "function").and_then(|function| owned(function, "name")));
        let name = named.unwrap_or_else(|| kind.strip_suffix("_call").unwrap_or(kind).to_owned());
        if self.open_calls.len() < OPEN_CALLS {
            self.open_calls.insert(id.clone(), name.clone());
        }
        let arguments =
            ["arguments", "input", "action", "query"].iter().find_map(|field| payload.get(*field));
        let arguments = match arguments {
            Some(Value::String(text)) => {
                serde_json::from_str(text).unwrap_or_else(|_| json!({ "input": text }))
            }
            Some(other) => other.clone(),
            None => json!({}),
        };
        let block = json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments});
        map(json!({"role": "assistant", "content": [block]}))
    }

    fn answer(&mut self, payload: &Map<String, Value>) -> Map<String, Value> {
        let id = owned(payload, "call_id").unwrap_or_default();
        let name = owned(payload, "name").or_else(|| self.open_calls.remove(&id)).unwrap_or_default();
        let output = payload.get("output").or_else(|| payload.get("result")).or_else(|| payload.get("tools"));
        let (text, failed) = output.map(output_text).unwrap_or_default();
        map(json!({
            "role": "toolResult", "toolCallId": id, "toolName": name,
            "content": [{"type": "text", "text": text}], "isError": failed,
        }))
    }
}

/// A message; the text that the program puts around the user's is told from the user's.
fn plain(payload: Map<String, Value>) -> Option<Map<String, Value>> {
    let role = owned(&payload, "role")?;
    let content = payload.get("content").cloned().unwrap_or_default();
    let mut message = map(json!({"role": role, "content": content}));
    if role == "user" {
        let text = crate::message::Message::from_value(&Value::Object(message.clone())).text();
        if is_injected(&text) {
            message.insert("role".to_owned(), "custom".into());
            message.insert("customType".to_owned(), "codex.context".into());
        }
    }
    Some(message)
}

/// The whole text is one of the elements that Codex puts into the user's role, or its instructions file.
fn is_injected(text: &str) -> bool {
    const ELEMENTS: [&str; 5] =
        ["environment_context", "user_instructions", "turn_aborted", "permissions", "skill"];
    let text = text.trim();
    let whole = |name: &&str| {
        let inner = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(*name));
        inner.is_some_and(|rest| rest.starts_with(['>', ' ', '\n'])) && text.ends_with(&format!("</{name}>"))
    };
    ELEMENTS.iter().any(whole) || text.starts_with("# AGENTS.md instructions for ")
}

/// Text of a tool's output, and whether it failed. Codex writes a text, a JSON text with `output` and
/// `metadata.exit_code`, an object with `stdout`, or blocks.
fn output_text(output: &Value) -> (String, bool) {
    match output {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) if inner.get("output").is_some() => output_text(&inner),
            _ => (text.clone(), false),
        },
        Value::Object(fields) => {
            let code = fields.get("exitCode").or_else(|| fields.get("exit_code"));
            let code = code.or_else(|| object(fields, "metadata").and_then(|data| data.get("exit_code")));
            let failed = code.and_then(Value::as_i64).is_some_and(|code| code != 0)
                || fields.get("success").and_then(Value::as_bool) == Some(false);
            let parts = ["output", "stdout", "stderr", "content"].iter();
            let parts: Vec<String> = parts
                .filter_map(|name| fields.get(*name))
                .map(|part| output_text(part).0)
                .filter(|part| !part.is_empty())
                .collect();
            let text = if parts.is_empty() { output.to_string() } else { parts.join("\n") };
            (text, failed)
        }
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            (texts.join("\n"), false)
        }
        Value::Null => (String::new(), false),
        other => (other.to_string(), false),
    }
}

fn usage(line: u64, payload: &Map<String, Value>) -> Option<Event> {
    let info = object(payload, "info")?;
    let count = |of: &Map<String, Value>, name: &str| of.get(name).and_then(Value::as_u64);
    Some(Event::Usage {
        line,
        tokens: object(info, "last_token_usage").and_then(|last| count(last, "total_tokens")),
        context_window: count(info, "model_context_window"),
    })
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_elements_of_the_program_count_as_injected() {
        assert!(is_injected("<environment_context><cwd>/x</cwd></environment_context>\n"));
        assert!(is_injected("# AGENTS.md instructions for /x\n\n..."));
        assert!(!is_injected("what does <environment_context> mean?"));
        assert!(!is_injected("<skills>are for all</skills>"));
    }

    #[test]
    fn outputs_of_all_shapes_give_their_text_and_failure() {
        let cases = [
            (json!("plain"), ("plain", false)),
            (json!("{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"), ("no", true)),
            (json!({"stdout": "a", "stderr": "", "exitCode": 0}), ("a", false)),
            (json!([{"type": "input_text", "text": "x"}]), ("x", false)),
        ];
        for (output, (text, failed)) in cases {
            assert_eq!(output_text(&output), (text.to_owned(), failed));
        }
    }
}
