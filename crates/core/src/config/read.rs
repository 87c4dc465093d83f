//! From text to values: YAML under limits, values of the environment, one value against its knob.

use super::knob::{Kind, Knob};
use crate::text::yaml::{self, Limits};
use crate::{Error, Result};
use serde_json::{Number, Value};

/// Largest configuration file in bytes.
pub(super) const MAX_BYTES: usize = 256 << 10;
/// Deepest nesting; seed 004's block in a host's own file needs 5.
const MAX_DEPTH: usize = 24;
const LIMITS: Limits = Limits { bytes: MAX_BYTES, depth: MAX_DEPTH, aliases: 100, merge_keys: 10_000 };

/// The YAML of `source` as a value; an empty file is an empty mapping.
pub(super) fn mapping(source: &str, text: &str) -> Result<Value> {
    if text.len() > MAX_BYTES {
        return Err(invalid(source, &format!("{} bytes are above the limit of {MAX_BYTES}", text.len())));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    yaml::read(text, LIMITS).map_err(|why| invalid(source, &why))
}

/// A text of the environment as the value that the knob wants.
pub(super) fn from_text(knob: &Knob, text: &str) -> Value {
    let text = text.trim();
    match knob.kind {
        Kind::Number(..) => text.parse().ok().and_then(Number::from_f64).map(Value::Number),
        Kind::Whole(..) => text.parse::<u64>().ok().map(Value::from),
        Kind::Switch => match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(Value::Bool(true)),
            "false" | "0" | "no" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Text | Kind::Path | Kind::Word(_) => None,
    }
    .unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The value as the knob keeps it.
///
/// # Errors
/// `InvalidInput` that names the knob, the source and what is allowed.
pub(super) fn checked(knob: &Knob, value: &Value, source: &str, home: Option<&str>) -> Result<Value> {
    let wrong = |what: &str| {
        Err(invalid(source, &format!("{} ({}) is {value}: {what} is needed", knob.path, knob.upper)))
    };
    match (knob.kind, value) {
        (Kind::Number(least, most), _) => match value.as_f64() {
            Some(number) if (least..=most).contains(&number) => Ok(Value::from(number)),
            Some(number) if most <= 1.0 && number > 1.0 && number <= 100.0 => wrong(&format!(
                "a share from {least} to {most}, not a percentage (such as {})",
                number / 100.0
            )),
            _ => wrong(&format!("a number from {least} to {most}")),
        },
        (Kind::Whole(least, most), _) => {
            let whole = value.as_u64().or_else(|| {
                value
                    .as_f64()
                    .filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number))
                    .map(|number| number as u64)
            });
            match whole {
                Some(number) if (least..=most).contains(&number) => Ok(Value::from(number)),
                _ => wrong(&format!("a whole number from {least} to {most}")),
            }
        }
        (Kind::Switch, Value::Bool(_)) => Ok(value.clone()),
        (Kind::Switch, _) => wrong("true or false"),
        (Kind::Text, Value::String(text)) if !text.trim().is_empty() => Ok(value.clone()),
        (Kind::Text, _) => wrong("a text"),
        (Kind::Path, Value::String(text)) if !text.trim().is_empty() => {
            expanded(knob, text, source, home).map(Value::String)
        }
        (Kind::Path, _) => wrong("a path"),
        (Kind::Word(words), Value::String(text)) if words.contains(&text.as_str()) => Ok(value.clone()),
        (Kind::Word(words), _) => wrong(&format!("one of {}", words.join(", "))),
    }
}

/// A path with its leading `~` replaced (FAULTS A7: else a directory called `~` appears).
fn expanded(knob: &Knob, path: &str, source: &str, home: Option<&str>) -> Result<String> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(path.to_owned()) };
    if !rest.is_empty() && !rest.starts_with(['/', '\\']) {
        return Err(invalid(
            source,
            &format!("{} is {path:?}: only ~ and ~/ are expanded, write the whole path", knob.path),
        ));
    }
    match home.map(|home| home.trim_end_matches(['/', '\\'])).filter(|home| !home.is_empty()) {
        Some(home) => Ok(format!("{home}{rest}")),
        None => Err(invalid(
            source,
            &format!("{} is {path:?}, and HOME is not set: write the whole path", knob.path),
        )),
    }
}

pub(super) fn invalid(source: &str, why: &str) -> Error {
    Error::InvalidInput(format!("configuration, {source}: {why}"))
}
