//! Usage of the context window.

use crate::error::guard;
use crate::input::{count, few, short};
use clawback_core::config::Budget;
use clawback_core::message::estimate_message_tokens;
use clawback_core::{Error, pressure, session};
use napi_derive::napi;

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
    /// The conversation, or its end, as JSON arrays.
    pub messages: Option<Vec<String>>,
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
        let messages = session::read_messages(&input.messages.unwrap_or_default())?;
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

/// Estimated tokens of messages, given as JSON arrays, together.
#[napi(catch_unwind)]
pub fn estimate_messages(messages: Vec<String>) -> napi::Result<f64> {
    guard("estimateMessages", || {
        let messages = session::read_messages(&messages)?;
        Ok(messages.iter().map(|message| estimate_message_tokens(message) as f64).sum())
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

/// Shares of the window; what is left out keeps its default.
#[napi(object)]
pub struct RatiosInput {
    /// Instructions and tools.
    pub system_prompt_ratio: Option<f64>,
    /// Files read at the start.
    pub bootstrap_ratio: Option<f64>,
    /// The conversation.
    pub history_ratio: Option<f64>,
    /// The answer.
    pub response_ratio: Option<f64>,
    /// Room for the answer at least.
    pub min_response_tokens: Option<f64>,
}

/// What was measured.
#[napi(object)]
pub struct ActualInput {
    /// Tokens of instructions and tools.
    pub system_prompt: Option<f64>,
    /// Tokens of the files read at the start.
    pub bootstrap: Option<f64>,
}

/// What a window is divided by.
#[napi(object)]
pub struct BudgetInput {
    /// The model's window in tokens.
    pub context_window: f64,
    /// Shares of it.
    pub ratios: Option<RatiosInput>,
    /// What is really used.
    pub actual: Option<ActualInput>,
}

/// The regions of a window, tokens.
#[napi(object)]
pub struct Allocation {
    /// Instructions and tools.
    pub system_prompt: f64,
    /// Files read at the start.
    pub bootstrap: f64,
    /// The conversation.
    pub history: f64,
    /// The answer.
    pub response: f64,
    /// What the shares leave; counted in `history`.
    pub reserve: f64,
    /// What the first two leave; counted in `history`.
    pub reclaimed: f64,
}

/// Divides a window by seed 004's formula.
#[napi(catch_unwind)]
pub fn allocate_budget(input: BudgetInput) -> napi::Result<Allocation> {
    guard("allocateBudget", || {
        let mut budget = Budget::default();
        if let Some(ratios) = input.ratios {
            budget = Budget {
                system_prompt_ratio: ratios.system_prompt_ratio.unwrap_or(budget.system_prompt_ratio),
                bootstrap_ratio: ratios.bootstrap_ratio.unwrap_or(budget.bootstrap_ratio),
                history_ratio: ratios.history_ratio.unwrap_or(budget.history_ratio),
                response_ratio: ratios.response_ratio.unwrap_or(budget.response_ratio),
                min_response_tokens: count(ratios.min_response_tokens).unwrap_or(budget.min_response_tokens),
            };
        }
        let actual = input.actual.map_or_else(pressure::Actual::default, |actual| pressure::Actual {
            system_prompt: count(actual.system_prompt),
            bootstrap: count(actual.bootstrap),
        });
        let got = pressure::allocate_budget(input.context_window, &budget, actual)?;
        Ok(Allocation {
            system_prompt: got.system_prompt as f64,
            bootstrap: got.bootstrap as f64,
            history: got.history as f64,
            response: got.response as f64,
            reserve: got.reserve as f64,
            reclaimed: got.reclaimed as f64,
        })
    })
}

/// A file that is read at the start of a session.
#[napi(object)]
pub struct BootstrapFileInput {
    /// Its name.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// The same within the budget.
#[napi(object)]
pub struct BootstrapFile {
    /// Its name.
    pub path: String,
    /// Its text, or head, marker and tail of it.
    pub content: String,
    /// Something was cut.
    pub truncated: bool,
}

/// Cuts files so that they take at most so many tokens together.
#[napi(catch_unwind)]
pub fn truncate_bootstrap_files(
    files: Vec<BootstrapFileInput>,
    max_tokens: f64,
) -> napi::Result<Vec<BootstrapFile>> {
    guard("truncateBootstrapFiles", || {
        few("truncateBootstrapFiles", &files, None)?;
        let max = count(Some(max_tokens)).ok_or_else(|| {
            Error::InvalidInput(format!(
                "maxTokens is {max_tokens}: a number of tokens of at least 0 is needed"
            ))
        })?;
        let mut texts = Vec::with_capacity(files.len());
        for file in files {
            short("truncateBootstrapFiles", &file.content, None)?;
            texts.push((file.path, file.content));
        }
        Ok(pressure::truncate_bootstrap_files(texts, max)
            .into_iter()
            .map(|file| BootstrapFile { path: file.path, content: file.content, truncated: file.truncated })
            .collect())
    })
}
