//! Host objects to [`Message`]. Accepts the shapes of Pi, OpenClaw, Anthropic and OpenAI.

use super::{Block, Message, Role, Usage};
use serde_json::{Map, Value};

pub(super) fn message(value: &Value) -> Message {
    let empty = Map::new();
    let object = value.as_object().unwrap_or(&empty);
    let role = Role::from_name(text_of(object, &["role"]).unwrap_or_default());
    let mut blocks = Vec::new();
    content(object.get("content"), &mut blocks);
    match role {
        Role::CompactionSummary | Role::BranchSummary => {
            if let Some(summary) = text_of(object, &["summary"]) {
                blocks.push(Block::Text(summary.to_owned()));
            }
        }
        Role::BashExecution => {
            let command = text_of(object, &["command"]).unwrap_or_default();
            let output = text_of(object, &["output"]).unwrap_or_default();
            blocks.push(Block::Text(format!("$ {command}\n{output}")));
        }
        _ => {}
    }
    for call in object.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        openai_call(call, &mut blocks);
    }
    let exit_failed = object.get("exitCode").and_then(Value::as_i64).is_some_and(|code| code != 0);
    Message {
        timestamp: object.get("timestamp").and_then(timestamp),
        tool_call_id: text_of(object, &["toolCallId", "tool_call_id", "tool_use_id"]).map(str::to_owned),
        tool_name: text_of(object, &["toolName", "tool_name", "name"]).map(str::to_owned),
        is_error: flag(object, &["isError", "is_error"]) || exit_failed,
        stop_reason: text_of(object, &["stopReason", "stop_reason"]).map(str::to_owned),
        usage: object.get("usage").and_then(usage),
        custom_type: text_of(object, &["customType"]).map(str::to_owned),
        role,
        blocks,
    }
}

impl Role {
    /// The role that a host calls `name`; several hosts have names of their own.
    pub fn from_name(name: &str) -> Self {
        match name {
            "user" | "human" => Role::User,
            "assistant" | "model" => Role::Assistant,
            "toolResult" | "tool" | "tool_result" | "function" => Role::ToolResult,
            "compactionSummary" => Role::CompactionSummary,
            "branchSummary" => Role::BranchSummary,
            "custom" => Role::Custom,
            "bashExecution" => Role::BashExecution,
            "system" | "developer" => Role::System,
            other => Role::Other(other.to_owned()),
        }
    }
}

fn content(value: Option<&Value>, blocks: &mut Vec<Block>) {
    match value {
        Some(Value::String(text)) => blocks.push(Block::Text(text.clone())),
        Some(Value::Array(items)) => blocks.extend(items.iter().filter_map(block)),
        Some(Value::Object(_)) => blocks.extend(value.and_then(block)),
        _ => {}
    }
}

fn block(value: &Value) -> Option<Block> {
    if let Value::String(text) = value {
        return Some(Block::Text(text.clone()));
    }
    let object = value.as_object()?;
    let kind = text_of(object, &["type"]).unwrap_or_default();
    Some(match kind {
        "text" | "input_text" | "output_text" => {
            Block::Text(text_of(object, &["text"]).unwrap_or_default().to_owned())
        }
        "thinking" | "reasoning" => {
            Block::Thinking(text_of(object, &["thinking", "text"]).unwrap_or_default().to_owned())
        }
        "toolCall" | "tool_use" | "toolUse" | "tool_call" | "function_call" => Block::ToolCall {
            id: text_of(object, &["id", "toolCallId", "call_id"]).unwrap_or_default().to_owned(),
            name: text_of(object, &["name", "toolName"]).unwrap_or_default().to_owned(),
            arguments: arguments(object.get("arguments").or_else(|| object.get("input"))),
        },
        "tool_result" | "toolResult" => {
            let mut inner = Vec::new();
            content(object.get("content"), &mut inner);
            let texts: Vec<&str> = inner
                .iter()
                .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
                .collect();
            Block::ToolResult {
                id: text_of(object, &["tool_use_id", "toolCallId", "id"]).unwrap_or_default().to_owned(),
                text: texts.join("\n"),
                is_error: flag(object, &["is_error", "isError"]),
            }
        }
        "image" | "image_url" | "input_image" => Block::Image { bytes: longest_string(value) },
        _ => Block::Other { kind: kind.to_owned(), bytes: json_bytes(value) },
    })
}

fn openai_call(call: &Value, blocks: &mut Vec<Block>) {
    let Some(object) = call.as_object() else { return };
    let function = object.get("function").and_then(Value::as_object).unwrap_or(object);
    blocks.push(Block::ToolCall {
        id: text_of(object, &["id"]).unwrap_or_default().to_owned(),
        name: text_of(function, &["name"]).unwrap_or_default().to_owned(),
        arguments: arguments(function.get("arguments")),
    });
}

/// Arguments that come as a JSON text (OpenAI) are read; what does not parse stays a string.
fn arguments(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let object = value.as_object()?;
    let count = |names: &[&str]| names.iter().find_map(|name| object.get(*name).and_then(tokens));
    Some(Usage {
        input: count(&["input", "input_tokens", "inputTokens", "prompt_tokens"]).unwrap_or(0),
        output: count(&["output", "output_tokens", "outputTokens", "completion_tokens"]).unwrap_or(0),
        cache_read: count(&["cacheRead", "cache_read_input_tokens", "cacheReadTokens"]).unwrap_or(0),
        cache_write: count(&["cacheWrite", "cache_creation_input_tokens", "cacheWriteTokens"]).unwrap_or(0),
        total: count(&["totalTokens", "total_tokens", "total"]),
    })
}

/// A count of tokens; NaN, negative and absurd values count as missing.
fn tokens(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number.is_finite() && (0.0..1e15).contains(&number)).then_some(number as u64)
    })
}

/// Epoch milliseconds from a number, or from an ISO 8601 string.
pub(crate) fn timestamp(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            (float.is_finite() && float.abs() < 9e15).then_some(float as i64)
        }),
        Value::String(text) => crate::text::time::millis(text),
        _ => None,
    }
}

fn text_of<'a>(object: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| object.get(*name).and_then(Value::as_str))
}

fn flag(object: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| object.get(*name).and_then(Value::as_bool).unwrap_or(false))
}

fn longest_string(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest_string).max().unwrap_or(0),
        Value::Object(fields) => fields.values().map(longest_string).max().unwrap_or(0),
        _ => 0,
    }
}

/// Length of the compact JSON of a value, without making it.
pub(crate) fn json_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| json_bytes(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(key, item)| key.len() + 4 + json_bytes(item)).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(value: Value) -> Message {
        message(&value)
    }

    #[test]
    fn content_may_be_a_string_blocks_null_or_missing() {
        assert_eq!(parse(json!({"role": "user", "content": "hi"})).text(), "hi");
        assert_eq!(
            parse(json!({"role": "user", "content": [{"type": "text", "text": "a"}, "b"]})).text(),
            "a\nb"
        );
        assert_eq!(parse(json!({"role": "user", "content": null})).text(), "");
        assert_eq!(parse(json!({"role": "user"})).text(), "");
        assert_eq!(parse(json!(42)).role, Role::Other(String::new()));
    }

    #[test]
    fn tool_calls_of_pi_anthropic_and_openai_read_alike() {
        let shapes = [
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.ts"}}]}),
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.ts"}}]}),
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": "{\"path\":\"a.ts\"}"}}]}),
        ];
        for shape in shapes {
            let message = parse(shape);
            let (id, name, arguments) = message.tool_calls().next().unwrap();
            assert_eq!((id, name, arguments), ("c1", "read", &json!({"path": "a.ts"})));
        }
    }

    #[test]
    fn usage_with_nan_or_negative_counts_is_not_trusted() {
        let message =
            parse(json!({"role": "assistant", "usage": {"input": -3, "output": 1e99, "cacheRead": 5.0}}));
        assert_eq!(message.usage, Some(Usage { cache_read: 5, ..Usage::default() }));
    }

    #[test]
    fn summaries_and_commands_have_visible_text() {
        assert_eq!(parse(json!({"role": "compactionSummary", "summary": "s"})).text(), "s");
        let bash = parse(json!({"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 1}));
        assert_eq!(bash.text(), "$ ls\na");
        assert!(bash.is_error);
    }

    #[test]
    fn iso_timestamps_become_milliseconds() {
        let message = parse(json!({"role": "user", "content": "x", "timestamp": "1970-01-01T00:00:01Z"}));
        assert_eq!(message.timestamp, Some(1000));
    }
}
