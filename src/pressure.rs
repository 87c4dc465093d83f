//! Usage of the context window.

use crate::error::guard;
use crate::input::{count, message};
use clawback_core::pressure;
use napi_derive::napi;
use serde_json::Value;

/// What a host says of its usage; each figure may be missing, null or nonsense.
#[napi(object)]
pub struct HostUsageInput {
    /// Tokens of the whole request.
    pub tokens: Option<f64>,
    /// The model's window in tokens.
    pub context_window: Option<f64>,
    /// 0..100.
    pub percent: Option<f64>,
}

/// What usage is measured from.
#[napi(object)]
pub struct MeasureInput {
    /// The host's own figure.
    pub usage: Option<HostUsageInput>,
    /// The conversation, or its end.
    #[napi(ts_type = "object[]")]
    pub messages: Option<Vec<Value>>,
    /// Estimated tokens of earlier messages that were not handed over.
    pub earlier_tokens: Option<f64>,
    /// The model's window in tokens.
    pub context_window: f64,
    /// System prompt and tools.
    pub overhead_tokens: Option<f64>,
    /// Kept free for the answer.
    pub reserve_tokens: Option<f64>,
}

/// Measured usage.
#[napi(object)]
pub struct Measure {
    /// Tokens of the whole request.
    pub tokens: f64,
    /// The model's window.
    pub context_window: f64,
    /// 0..1 and above.
    pub utilization: f64,
    /// `green`, `yellow`, `red` or `compact`.
    #[napi(ts_type = "'green' | 'yellow' | 'red' | 'compact'")]
    pub zone: String,
    /// Where the figure is from.
    #[napi(ts_type = "'host' | 'usage' | 'estimate' | 'unknown'")]
    pub source: String,
}
