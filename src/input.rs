//! Limits and conversions that exports share.

use clawback_core::message::Message;
use clawback_core::{Error, Result};
use serde_json::Value;

/// Largest text that a sync, transforming export takes, in bytes (DESIGN section 7).
const MAX_SYNC_BYTES: usize = 256 << 10;
/// Most items that a sync export takes (DESIGN section 7).
const MAX_SYNC_ITEMS: usize = 1_000;

/// The text, or `InvalidInput` above the limit of sync exports; `twin` is the async export that takes more.
pub(crate) fn short<'a>(export: &str, text: &'a str, twin: Option<&str>) -> Result<&'a str> {
    if text.len() <= MAX_SYNC_BYTES {
        return Ok(text);
    }
    Err(Error::InvalidInput(format!(
        "{export} takes at most {MAX_SYNC_BYTES} bytes of text, got {}; {}",
        text.len(),
        advice(twin)
    )))
}

/// The list, or `InvalidInput` above the limit of sync exports.
pub(crate) fn few<'a, T>(export: &str, items: &'a [T], twin: Option<&str>) -> Result<&'a [T]> {
    if items.len() <= MAX_SYNC_ITEMS {
        return Ok(items);
    }
    Err(Error::InvalidInput(format!(
        "{export} takes at most {MAX_SYNC_ITEMS} items, got {}; {}",
        items.len(),
        advice(twin)
    )))
}

fn advice(twin: Option<&str>) -> String {
    match twin {
        Some(twin) => format!("{twin} takes more and does not hold the event loop"),
        None => "hand over less".to_owned(),
    }
}

/// One message, as the host made it.
pub(crate) fn message(value: &Value) -> Message {
    Message::from_value(value)
}

/// A count of tokens that came as a JavaScript number; NaN, infinite and negative ones count as missing.
pub(crate) fn count(number: Option<f64>) -> Option<u64> {
    number.filter(|number| number.is_finite() && *number >= 0.0).map(|number| number as u64)
}
