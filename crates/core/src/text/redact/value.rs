//! Secrets in a value: tool parameters, where the key names what the text alone does not tell.

use super::names::secret_kind;
use super::placeholder::is_placeholder;
use super::{marker, redact_secrets};
use serde_json::{Map, Value};

/// Deeper values are replaced: no tool's parameters are, and the stack has an end.
const MAX_DEPTH: usize = 128;

/// A copy of a value in which every secret is replaced by `[redacted:kind]`: texts by [`redact_secrets`], and what stands
/// under a key that says secret, whatever it looks like.
pub fn redact_value(value: &Value) -> Value {
    walk(value, None, 0)
}

fn walk(value: &Value, kind: Option<&'static str>, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::String(marker("too-deep"));
    }
    match value {
        Value::String(text) => Value::String(match kind {
            Some(kind) if !is_placeholder(text) => marker(kind),
            _ => redact_secrets(text).into_owned(),
        }),
        Value::Number(_) if kind == Some("password") => Value::String(marker("password")),
        Value::Array(items) => {
            let mut copy = Vec::with_capacity(items.len());
            let mut next = None;
            for item in items {
                copy.push(walk(item, kind.or(next.take()), depth + 1));
                // ["--password", "x"]: a command in parts
                next = item.as_str().filter(|text| text.starts_with("--")).and_then(secret_kind);
            }
            Value::Array(copy)
        }
        Value::Object(fields) => Value::Object(object(fields, kind, depth)),
        other => other.clone(),
    }
}

fn object(fields: &Map<String, Value>, kind: Option<&'static str>, depth: usize) -> Map<String, Value> {
    // {name: "Authorization", value: "..."}: a header or variable as a pair
    let named = ["name", "key", "header"].iter().find_map(|field| fields.get(*field)).and_then(Value::as_str);
    let pair = named.and_then(key_kind);
    fields
        .iter()
        .map(|(key, item)| {
            let own = key_kind(key).or(if key == "value" { pair } else { None });
            // an object under a secret name is looked into: its own keys decide
            let inherited = if matches!(item, Value::String(_) | Value::Number(_)) { kind } else { None };
            (key.clone(), walk(item, own.or(inherited), depth + 1))
        })
        .collect()
}

fn key_kind(key: &str) -> Option<&'static str> {
    match key.to_ascii_lowercase().as_str() {
        "authorization" | "proxy-authorization" => Some("authorization"),
        "cookie" | "set-cookie" => Some("cookie"),
        _ => secret_kind(key),
    }
}
