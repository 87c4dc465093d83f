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

pub(crate) fn host_usage(usage: HostUsageInput) -> pressure::HostUsage {
    pressure::HostUsage { tokens: usage.tokens, context_window: usage.context_window, percent: usage.percent }
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

impl From<pressure::Measure> for Measure {
    fn from(measure: pressure::Measure) -> Self {
        Self {
            tokens: measure.tokens as f64,
            context_window: measure.context_window as f64,
            utilization: measure.utilization,
            zone: measure.zone.name().to_owned(),
            source: measure.source.name().to_owned(),
        }
    }
}

/// How full the context is: the host's figure, else the provider's, else an estimate, else unknown.
#[napi(catch_unwind)]
pub fn measure_usage(input: MeasureInput) -> napi::Result<Measure> {
    guard("measureUsage", || {
        let messages: Vec<_> = input.messages.unwrap_or_default().iter().map(message).collect();
        let usage = input.usage.map(host_usage);
        Ok(pressure::measure(&pressure::MeasureInput {
            usage,
            messages: &messages,
            earlier_tokens: count(input.earlier_tokens).unwrap_or(0),
            context_window: count(Some(input.context_window)).unwrap_or(0),
            overhead_tokens: count(input.overhead_tokens).unwrap_or(0),
            reserve_tokens: count(input.reserve_tokens),
        })
        .into())
    })
}

/// What the gauge line says besides the figures.
#[napi(object)]
pub struct GaugeOptions {
    /// A checkpoint was saved at this usage.
    pub checkpoint_saved: Option<bool>,
}

/// The gauge in one line; null below 0.70 and when usage is unknown.
#[napi(catch_unwind)]
pub fn gauge_line(measure: Measure, options: Option<GaugeOptions>) -> napi::Result<Option<String>> {
    guard("gaugeLine", || {
        let saved = options.and_then(|options| options.checkpoint_saved).unwrap_or(false);
        let known = measure.source != pressure::MeasureSource::Unknown.name();
        Ok(pressure::gauge_line(
            &pressure::Measure {
                tokens: count(Some(measure.tokens)).unwrap_or(0),
                context_window: count(Some(measure.context_window)).unwrap_or(0),
                utilization: measure.utilization,
                zone: pressure::Zone::Green,
                source: if known { pressure::MeasureSource::Host } else { pressure::MeasureSource::Unknown },
            },
            saved,
        ))
    })
}
