//! Access to the fields of an entry.

use serde_json::{Map, Value};

pub(super) fn text<'a>(entry: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    entry.get(name).and_then(Value::as_str)
}

pub(super) fn owned(entry: &Map<String, Value>, name: &str) -> Option<String> {
    text(entry, name).map(str::to_owned)
}

pub(super) fn flag(entry: &Map<String, Value>, name: &str) -> bool {
    entry.get(name).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn object<'a>(entry: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    entry.get(name).and_then(Value::as_object)
}

/// Epoch milliseconds of the field `timestamp`.
pub(super) fn time(entry: &Map<String, Value>) -> Option<i64> {
    entry.get("timestamp").and_then(crate::message::timestamp)
}

/// Adds the entry's time to a message that has none of its own; returns the message's time.
pub(super) fn dated(message: &mut Map<String, Value>, entry_time: Option<i64>) -> Option<i64> {
    let own = time(message);
    if own.is_none()
        && let Some(at) = entry_time
    {
        message.insert("timestamp".to_owned(), at.into());
    }
    own.or(entry_time)
}
