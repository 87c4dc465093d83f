//! How many tokens the context holds: the host's figure, else what the provider reported for the last call, else an
//! estimate (seed 002 sections 6.1 and 6.2; FAULTS E3, E5, E6, E7).

use super::limits::{Knobs, Limits, Zone};
use crate::message::{Message, Role, Usage, estimate_message_tokens};

/// What the host says about its context. Hosts send `null`, NaN and zero here; such figures count as missing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HostUsage {
    /// Tokens in the context.
    pub tokens: Option<f64>,
    /// The model's window in tokens.
    pub context_window: Option<f64>,
    /// Share of the window, 0..100: 0.9 means 0.9 %.
    pub percent: Option<f64>,
}

/// What [`measure`] goes by.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeasureInput<'a> {
    /// The host's own figure.
    pub usage: Option<HostUsage>,
    /// The messages of the context, oldest first.
    pub messages: &'a [Message],
    /// Estimated tokens of still older messages that were not handed over; they only add to an estimate.
    pub earlier_tokens: u64,
    /// The model's window in tokens; the host's figure wins over it where it is usable.
    pub context_window: u64,
    /// System prompt and tools, in tokens; counted where the host's and the provider's figures are missing.
    pub overhead_tokens: u64,
    /// Room for the answer, in tokens.
    pub reserve_tokens: Option<u64>,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureSource {
    /// The host's own figure.
    Host,
    /// The provider's usage of the last call, and an estimate of what came after it.
    Usage,
    /// An estimate of all messages, and the overhead.
    Estimate,
    /// Nothing is known; nothing may be triggered.
    Unknown,
}

impl MeasureSource {
    /// The name in the public surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Usage => "usage",
            Self::Estimate => "estimate",
            Self::Unknown => "unknown",
        }
    }
}

/// How full the context is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Tokens in the context; 0 when unknown.
    pub tokens: u64,
    /// The model's window in tokens; 0 when unknown.
    pub context_window: u64,
    /// tokens / window; 0 when unknown, never NaN; above 1 when the context is over-full.
    pub utilization: f64,
    /// The zone of what history takes of the usable part; green when unknown.
    pub zone: Zone,
    /// Where the figure comes from.
    pub source: MeasureSource,
}

/// Measures the context. Pure; never fails.
pub fn measure(input: &MeasureInput<'_>) -> Measure {
    let host_window = input.usage.and_then(|usage| positive(usage.context_window));
    let window = host_window.unwrap_or(input.context_window);
    let host = input.usage.and_then(|usage| host_figure(&usage, window));
    let (tokens, source) = match host {
        Some(tokens) => (tokens, MeasureSource::Host),
        None => match usage_tokens(input.messages, window) {
            Some(tokens) => (tokens, MeasureSource::Usage),
            None if input.messages.is_empty() => (0, MeasureSource::Unknown),
            None => {
                let estimated: u64 = input.messages.iter().map(estimate_message_tokens).sum();
                let all =
                    estimated.saturating_add(input.earlier_tokens).saturating_add(input.overhead_tokens);
                (all, MeasureSource::Estimate)
            }
        },
    };
    if window == 0 || source == MeasureSource::Unknown {
        return Measure {
            tokens: if source == MeasureSource::Unknown { 0 } else { tokens },
            context_window: window,
            utilization: 0.0,
            zone: Zone::Green,
            source: MeasureSource::Unknown,
        };
    }
    let limits = Limits {
        context_window: window,
        reserve: input.reserve_tokens,
        overhead: input.overhead_tokens,
        ..Limits::default()
    };
    let thresholds = limits.thresholds(&Knobs::default());
    let history = tokens.saturating_sub(input.overhead_tokens);
    Measure {
        tokens,
        context_window: window,
        utilization: tokens as f64 / window as f64,
        zone: thresholds.zone(thresholds.pressure(history)),
        source,
    }
}

/// Largest count that is believed: no window comes near it.
const MAX_TOKENS: f64 = 1e12;

/// A finite figure of at least one token.
fn positive(figure: Option<f64>) -> Option<u64> {
    let figure = figure?;
    (figure.is_finite() && (1.0..MAX_TOKENS).contains(&figure)).then_some(figure as u64)
}

/// The host's tokens: given, or from its percentage of the window. A window that the host gives as zero or less voids
/// the rest of its figures.
pub fn host_figure(usage: &HostUsage, window: u64) -> Option<u64> {
    if usage.context_window.is_some() && positive(usage.context_window).is_none() {
        return None;
    }
    if let Some(tokens) =
        usage.tokens.filter(|tokens| tokens.is_finite() && (0.0..MAX_TOKENS).contains(tokens))
    {
        return Some(tokens.round() as u64);
    }
    let percent = usage.percent.filter(|percent| percent.is_finite() && (0.0..=1_000.0).contains(percent))?;
    (window > 0).then(|| (percent / 100.0 * window as f64).round() as u64)
}

/// The provider's tokens of the last call that can be trusted, and an estimate of the messages after it. `None` if the
/// history was compacted since, or no call is trustworthy.
fn usage_tokens(messages: &[Message], window: u64) -> Option<u64> {
    let mut after = 0u64;
    for message in messages.iter().rev() {
        if is_compaction(message) {
            return None; // what was reported before it counted messages that are gone
        }
        if let Some(reported) = call_tokens(message) {
            // above the window it is a sum over several calls: not believed, nor is any older one
            let fits = window == 0 || reported <= window;
            return fits.then(|| reported.saturating_add(after));
        }
        after = after.saturating_add(estimate_message_tokens(message));
    }
    None
}

/// Tokens of one provider call, cached ones counted once: the provider's total, else the sum of the parts. Nothing for calls
/// that were cut off, and for usage that is all zero.
pub fn call_tokens(message: &Message) -> Option<u64> {
    if message.role != Role::Assistant || matches!(message.stop_reason.as_deref(), Some("aborted" | "error"))
    {
        return None;
    }
    let usage = message.usage?;
    let total = usage.total.filter(|&total| total > 0).unwrap_or_else(|| parts(&usage));
    (total > 0).then_some(total)
}

fn parts(usage: &Usage) -> u64 {
    [usage.output, usage.cache_read, usage.cache_write]
        .into_iter()
        .fold(usage.input, |sum, tokens| sum.saturating_add(tokens))
}

/// True for a message that stands for dropped history: the host's compaction summary, or one that was put into the
/// user's role (told by how it starts: a summary of a host or the packet of clawback).
fn is_compaction(message: &Message) -> bool {
    match message.role {
        Role::CompactionSummary => true,
        Role::User => {
            let text = message.text();
            let start = text.trim_start();
            [
                "<checkpoint-data",
                "[Post-compaction checkpoint restore]",
                "The conversation history before this point was compacted into the following summary:",
                "This session is being continued from a previous conversation",
            ]
            .iter()
            .any(|opening| start.starts_with(opening))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn messages(values: Value) -> Vec<Message> {
        values.as_array().unwrap().iter().map(Message::from_value).collect()
    }

    fn from_messages(values: Value) -> Measure {
        measure(&MeasureInput {
            messages: &messages(values),
            context_window: 200_000,
            ..MeasureInput::default()
        })
    }

    fn from_host(usage: HostUsage) -> Measure {
        measure(&MeasureInput { usage: Some(usage), context_window: 200_000, ..MeasureInput::default() })
    }

    fn assistant(usage: Value) -> Value {
        json!({"role": "assistant", "content": "ok", "stopReason": "stop", "usage": usage})
    }

    #[test]
    fn the_hosts_figure_comes_first() {
        let usage =
            HostUsage { tokens: Some(162_000.0), context_window: Some(200_000.0), percent: Some(81.0) };
        let got = from_host(usage);
        assert_eq!((got.tokens, got.source, got.zone), (162_000, MeasureSource::Host, Zone::Compact));
        assert!((got.utilization - 0.81).abs() < 1e-9);
    }

    #[test]
    fn null_nan_negative_and_zero_windows_are_unknown_not_zero_percent() {
        for usage in [
            HostUsage { tokens: None, context_window: Some(200_000.0), percent: None },
            HostUsage { tokens: Some(f64::NAN), percent: Some(f64::INFINITY), ..HostUsage::default() },
            HostUsage { tokens: Some(-5.0), percent: Some(-1.0), ..HostUsage::default() },
            HostUsage { tokens: Some(9_000.0), context_window: Some(0.0), percent: Some(90.0) },
        ] {
            let got = from_host(usage);
            assert_eq!((got.source, got.zone, got.utilization), (MeasureSource::Unknown, Zone::Green, 0.0));
        }
        let no_window = measure(&MeasureInput {
            usage: Some(HostUsage { tokens: Some(9_000.0), ..HostUsage::default() }),
            ..MeasureInput::default()
        });
        assert_eq!((no_window.source, no_window.utilization), (MeasureSource::Unknown, 0.0));
    }

    #[test]
    fn percent_is_of_a_hundred() {
        let got = from_host(HostUsage { percent: Some(0.9), ..HostUsage::default() });
        assert_eq!((got.tokens, got.source, got.zone), (1_800, MeasureSource::Host, Zone::Green));
        assert_eq!(from_host(HostUsage { percent: Some(90.0), ..HostUsage::default() }).tokens, 180_000);
    }

    #[test]
    fn cached_tokens_are_counted_once() {
        let cached =
            json!([assistant(json!({"input": 3, "cacheRead": 150_000, "cacheWrite": 7, "output": 140}))]);
        assert_eq!(from_messages(cached).tokens, 150_150);
        let total = json!([assistant(
            json!({"input": 3, "cacheRead": 931_000, "output": 140, "totalTokens": 164_000})
        )]);
        let got = from_messages(total);
        assert_eq!((got.tokens, got.source), (164_000, MeasureSource::Usage));
    }

    #[test]
    fn a_sum_above_the_window_is_not_believed() {
        let summed = json!([
            assistant(json!({"input": 10, "output": 1, "totalTokens": 900})),
            {"role": "user", "content": "go on"},
            assistant(json!({"input": 3, "cacheRead": 305_000, "output": 140})),
        ]);
        let got = from_messages(summed);
        assert_eq!(got.source, MeasureSource::Estimate);
        assert!(got.tokens < 100);
    }

    #[test]
    fn usage_from_before_a_compaction_says_nothing() {
        for summary in [
            json!({"role": "compactionSummary", "summary": "Goal: ship"}),
            json!({"role": "user", "content": "[Post-compaction checkpoint restore]\n<checkpoint-data>"}),
            json!({"role": "user", "content": [{"type": "text",
                "text": "The conversation history before this point was compacted into the following summary:\n\nx"}]}),
        ] {
            let got = from_messages(json!([
                assistant(json!({"totalTokens": 181_000})), summary, {"role": "user", "content": "next"}
            ]));
            assert_eq!((got.source, got.zone), (MeasureSource::Estimate, Zone::Green));
        }
        let later = from_messages(json!([
            {"role": "compactionSummary", "summary": "s"}, assistant(json!({"totalTokens": 9_000}))
        ]));
        assert_eq!((later.tokens, later.source), (9_000, MeasureSource::Usage));
    }

    #[test]
    fn aborted_failed_and_zero_usage_is_passed_over() {
        let got = from_messages(json!([
            assistant(json!({"totalTokens": 50_000})),
            {"role": "assistant", "content": "", "stopReason": "aborted", "usage": {"totalTokens": 7}},
            {"role": "assistant", "content": "", "stopReason": "error", "usage": {"totalTokens": 7}},
            assistant(json!({"input": 0, "output": 0, "totalTokens": 0})),
        ]));
        assert_eq!(got.source, MeasureSource::Usage);
        assert!((50_000..50_100).contains(&got.tokens), "{}", got.tokens);
    }

    #[test]
    fn messages_after_the_last_call_are_estimated() {
        let got = from_messages(json!([
            assistant(json!({"totalTokens": 100_000})),
            {"role": "toolResult", "toolCallId": "c1", "content": "The importer reads the rows. ".repeat(2_000)},
        ]));
        assert!((110_000..118_000).contains(&got.tokens), "{}", got.tokens);
    }

    #[test]
    fn an_estimate_counts_the_system_prompt_and_tools() {
        let short = messages(json!([{"role": "user", "content": "hi"}]));
        let input = MeasureInput {
            messages: &short,
            context_window: 200_000,
            overhead_tokens: 15_000,
            ..MeasureInput::default()
        };
        let got = measure(&input);
        assert_eq!(got.source, MeasureSource::Estimate);
        assert!((15_001..15_020).contains(&got.tokens));
        assert_eq!(measure(&MeasureInput { messages: &[], ..input }).source, MeasureSource::Unknown);
        assert_eq!(measure(&MeasureInput { earlier_tokens: 30_000, ..input }).tokens, got.tokens + 30_000);
    }

    proptest! {
        #[test]
        fn no_figure_is_ever_nan(
            tokens in proptest::option::of(proptest::num::f64::ANY), window in proptest::option::of(proptest::num::f64::ANY),
            percent in proptest::option::of(proptest::num::f64::ANY), context_window in proptest::num::u64::ANY,
            overhead_tokens in proptest::num::u64::ANY, reserve_tokens in proptest::option::of(proptest::num::u64::ANY),
        ) {
            let usage = Some(HostUsage { tokens, context_window: window, percent });
            let earlier_tokens = overhead_tokens;
            let got = measure(&MeasureInput {
                usage, messages: &[], earlier_tokens, context_window, overhead_tokens, reserve_tokens,
            });
            prop_assert!(got.utilization.is_finite() && got.utilization >= 0.0);
            let _ = super::super::gauge_line(&got, true);
        }
    }
}
