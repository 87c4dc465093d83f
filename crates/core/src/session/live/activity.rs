//! What a live session writes into the activity logs. Only queued here: the store writes it later, and nothing fails.

use super::epoch::Cause;
use super::relevance::Pass;
use super::{ContextPlan, Live};
use crate::observe::{Compaction, Curation, Dropped, HealthSample};
use crate::prune::Cut;
use crate::store::{self, DropReason, DropRecord, Log};

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
        Cause::Trigger => ("token_threshold", format!("COMPACTION_TRIGGER_PCT={:.2}", thresholds.trigger)),
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
        session.log(Log::Compaction, &[line.to_line()]);
    }
    drops(live, begun.drops);
}

/// A relevance pass.
pub(super) fn curation(live: &Live, now: &str, pass: &Pass, cut: &Cut, token_savings: u64) {
    if !live.options.config.log_curation {
        return;
    }
    let line = Curation {
        timestamp: now,
        session_id: live.session.key(),
        query: &pass.prompt,
        hits_found: pass.hits(cut),
        total_hits_before_curation: pass.scored(),
        token_savings,
        drops_triggered: cut.dropped.len() as u64,
    };
    live.session.log(Log::Curation, &[line.to_line()]);
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
                threshold_used: (record.drop_reason == DropReason::LowRelevance)
                    .then_some(live.options.config.relevance_cutoff),
                cold_storage_path: &format!("context/sessions/{name}/cold/{month}.jsonl"),
            }
            .to_line()
        })
        .collect();
    live.session.log(Log::Drops, &lines);
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
    live.session.log(Log::Health, &[line.to_line()]);
}

/// Whether a health line is due. The seed has no switch of its own for them.
pub(super) fn health_is_due(live: &Live, now_ms: u64) -> bool {
    live.options.config.log_compaction
        && now_ms.saturating_sub(live.own.figures().health_logged_ms) >= HEALTH_EVERY_MS
}
