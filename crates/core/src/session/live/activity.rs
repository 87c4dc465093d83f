//! What a live session writes into the activity logs. Only queued here: the store writes it later, and nothing fails.

use super::epoch::Cause;
use super::{ContextPlan, Live};
use crate::observe::{Compaction, Dropped, HealthSample};
use crate::store::{self, DropRecord, Log};

/// Between two health lines of one handle, in milliseconds.
const HEALTH_EVERY_MS: u64 = 60_000;

/// An epoch that has begun, in figures.
pub(super) struct Begun<'a> {
    pub(super) now: &'a str,
    pub(super) cause: Cause,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
    /// Messages of which a shorter text stays.
    pub(super) shortened: usize,
    pub(super) drops: &'a [DropRecord],
}

/// What set an epoch off, and the knob that decided, in words for the log.
fn trigger_of(live: &Live, cause: Cause) -> (&'static str, String) {
    let thresholds = live.limits(None).thresholds(&live.knobs());
    match cause {
        Cause::Trigger { .. } => {
            ("token_threshold", format!("COMPACTION_TRIGGER_PCT={:.2}", thresholds.trigger))
        }
        Cause::HardLimit => ("hard_limit", format!("MAX_CONTEXT_PCT={:.2}", thresholds.hard)),
        Cause::HostCompacted | Cause::Compaction => ("host", String::new()),
        Cause::Asked => ("manual", String::new()),
        Cause::Rewound => ("rewind", String::new()),
    }
}

/// The lines of an epoch: one for itself, one for each message that left.
pub(super) fn epoch(live: &Live, begun: &Begun<'_>) {
    let session = &live.session;
    if live.options.config.log_compaction {
        let (trigger, config_used) = trigger_of(live, begun.cause);
        let line = Compaction {
            timestamp: begun.now,
            session_id: session.key(),
            trigger,
            tokens_before: begun.tokens_before,
            tokens_after: begun.tokens_after,
            chunks_dropped: begun.drops.len() as u64,
            chunks_summarized: begun.shortened as u64,
            config_used: &config_used,
        };
        session.handle.log(Log::Compaction, &[line.to_line()]);
    }
    drops(live, begun.drops);
}

/// One line for each message that left the view.
pub(super) fn drops(live: &Live, drops: &[DropRecord]) {
    if !live.options.config.log_drops || drops.is_empty() {
        return;
    }
    let name = store::dir_name(live.session.key()).unwrap_or_default();
    let lines: Vec<String> = drops
        .iter()
        .map(|record| {
            let month = record.timestamp.get(..7).unwrap_or("unknown");
            Dropped {
                timestamp: &record.timestamp,
                chunk_id: &record.chunk_id.to_string(),
                session_id: &record.session_id,
                reason: record.drop_reason.as_str(),
                relevance_score: record.relevance_score,
                threshold_used: None,
                cold_storage_path: &format!("context/sessions/{name}/cold/{month}.jsonl"),
            }
            .to_line()
        })
        .collect();
    live.session.handle.log(Log::Drops, &lines);
}

/// How full the context is, at most once a minute.
pub(super) fn health(live: &Live, plan: &ContextPlan, now: &str, now_ms: u64, cold_chunks: u64) {
    let limits = live.limits(None);
    if limits.context_window == 0 {
        return;
    }
    let thresholds = limits.thresholds(&live.knobs());
    let line = HealthSample {
        timestamp: now,
        session_id: live.session.key(),
        current_tokens: plan.tokens_after,
        limit: limits.context_window,
        next_compaction_estimate: thresholds.tokens(thresholds.trigger),
        memcached_chunks: plan.keep.len() as u64,
        cold_storage_chunks: cold_chunks,
    };
    live.own.figures().health_logged_ms = now_ms;
    live.session.handle.log(Log::Health, &[line.to_line()]);
}

/// Whether a health line is due. The seed has no switch of its own for them.
pub(super) fn health_is_due(live: &Live, now_ms: u64) -> bool {
    live.options.config.log_compaction
        && now_ms.saturating_sub(live.own.figures().health_logged_ms) >= HEALTH_EVERY_MS
}
