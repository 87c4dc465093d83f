//! Cold storage, activity logs and repairs, for the command line and other programs that look at a session from outside.

use crate::bridge::promise;
use crate::input::count;
use crate::state::on_session;
use clawback_core::config::Config;
use clawback_core::observe::{Percentiles, Suggestion};
use clawback_core::session::{self, DropQuery, TuneReport};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::{Value, json};

/// Which drops are wanted.
#[napi(object)]
#[derive(Default)]
pub struct DropQueryInput {
    /// Only with this reason.
    pub reason: Option<String>,
    /// ISO 8601.
    pub since: Option<String>,
    /// Only the newest so many.
    pub limit: Option<f64>,
}

/// What left the view of a session, in seed 003's form without the content.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn list_drops<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    query: Option<DropQueryInput>,
) -> napi::Result<Object<'env>> {
    let query = query.unwrap_or_default();
    let limit = count(query.limit).map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let query = DropQuery { reason: query.reason, since: query.since, limit };
    on_session!(env, state_dir, session_key, None, |session, done| session.drops(query, done), |found| {
        serde_json::to_value(found).unwrap_or(Value::Null)
    })
}

/// One stored message in seed 003's form, with its content.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn read_cold_chunk<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    chunk_id: String,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.cold_chunk(&chunk_id, done),
        |found| { serde_json::to_value(found).unwrap_or(Value::Null) }
    )
}

/// Reads every file of a session; changes nothing.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn inspect_session<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(env, state_dir, session_key, None, |session, done| session.inspect(done), |found| {
        serde_json::to_value(found).unwrap_or(Value::Null)
    })
}

/// Repairs what opening under the lock repairs, and writes the snapshots.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn repair_session<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(env, state_dir, session_key, None, |session, done| session.repair(done), |()| ())
}

/// Asks the host of a live session to compact at its next plan.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn request_compaction<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(env, state_dir, session_key, None, |session, done| session.request_compaction(done), |()| ())
}

/// The knobs as they are now; those that are missing have their defaults.
#[napi(object)]
#[derive(Default)]
pub struct KnobsInput {
    /// Whether the relevance pass runs.
    pub relevance: Option<bool>,
    /// `COMPACTION_TRIGGER_PCT`.
    pub compaction_trigger_pct: Option<f64>,
    /// `MAX_CONTEXT_PCT`.
    pub max_context_pct: Option<f64>,
    /// `CURATION_TRIGGER_PCT`.
    pub curation_trigger_pct: Option<f64>,
    /// `RELEVANCE_CUTOFF`.
    pub relevance_cutoff: Option<f64>,
    /// `THRESHOLD_KEEP`.
    pub threshold_keep: Option<f64>,
    /// `MIN_CHUNKS_TO_KEEP`.
    pub min_chunks_to_keep: Option<f64>,
    /// `RECENCY_BONUS`.
    pub recency_bonus: Option<f64>,
    /// `IMPORTANCE_BONUS`.
    pub importance_bonus: Option<f64>,
    /// `MEMFAS_WEIGHT`.
    pub memfas_weight: Option<f64>,
    /// `MEMFAS_MIN_SCORE`.
    pub memfas_min_score: Option<f64>,
    /// `RECOVERABLE_FOR_DAYS`.
    pub recoverable_for_days: Option<f64>,
    /// `SUMMARY_TARGET_TOKENS`.
    pub summary_target_tokens: Option<f64>,
    /// `LOG_PATH`: where the logs are read.
    pub log_path: Option<String>,
}

impl From<KnobsInput> for Config {
    fn from(input: KnobsInput) -> Self {
        let default = Self::default();
        let number =
            |given: Option<f64>, default: f64| given.filter(|given| given.is_finite()).unwrap_or(default);
        Self {
            relevance: input.relevance.unwrap_or(default.relevance),
            compaction_trigger_pct: number(input.compaction_trigger_pct, default.compaction_trigger_pct),
            max_context_pct: number(input.max_context_pct, default.max_context_pct),
            curation_trigger_pct: number(input.curation_trigger_pct, default.curation_trigger_pct),
            relevance_cutoff: number(input.relevance_cutoff, default.relevance_cutoff),
            threshold_keep: number(input.threshold_keep, default.threshold_keep),
            min_chunks_to_keep: count(input.min_chunks_to_keep).unwrap_or(default.min_chunks_to_keep),
            recency_bonus: number(input.recency_bonus, default.recency_bonus),
            importance_bonus: number(input.importance_bonus, default.importance_bonus),
            memfas_weight: number(input.memfas_weight, default.memfas_weight),
            memfas_min_score: number(input.memfas_min_score, default.memfas_min_score),
            recoverable_for_days: count(input.recoverable_for_days).unwrap_or(default.recoverable_for_days),
            summary_target_tokens: count(input.summary_target_tokens)
                .unwrap_or(default.summary_target_tokens),
            log_path: input.log_path,
            ..default
        }
    }
}

fn ranks(of: Option<&Percentiles>) -> Value {
    of.map_or(
        Value::Null,
        |p| json!({ "p10": p.p10, "p25": p.p25, "p50": p.p50, "p75": p.p75, "p90": p.p90, "p99": p.p99 }),
    )
}

fn suggestion(one: &Suggestion) -> Value {
    json!({
        "knob": one.knob,
        "current": one.current,
        "suggested": one.suggested,
        "observations": one.observations,
        "why": one.why,
    })
}

fn tuning(report: &TuneReport) -> Value {
    let activity = &report.activity;
    json!({
        "drops": activity.drops,
        "compactions": activity.compactions,
        "recoveries": activity.recoveries,
        "curations": activity.curation_savings.len(),
        "healthSamples": activity.used.len(),
        "recoveredShare": activity.recovered_share(),
        "damagedLines": activity.damaged,
        "scoreHistogram": report.score_histogram.0,
        "scores": ranks(report.scores.as_ref()),
        "savings": ranks(report.savings.as_ref()),
        "tokensSaved": activity.savings.iter().fold(0.0, |sum, saved| sum + saved),
        "curationSavings": ranks(report.curation_savings.as_ref()),
        "recoveredAfterHours": ranks(report.recovered_after.as_ref()),
        "suggestions": report.suggestions.iter().map(suggestion).collect::<Vec<_>>(),
    })
}

/// Figures of the activity logs, of one session or of all, and a suggestion for each knob.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn tuning_report<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: Option<String>,
    knobs: Option<KnobsInput>,
) -> napi::Result<Object<'env>> {
    let knobs = knobs.unwrap_or_default().into();
    promise(env, |done| session::tune(state_dir.as_ref(), session_key, knobs, done), |report| tuning(&report))
}

/// One diagnostic.
#[napi(object)]
pub struct LogLine {
    /// ISO 8601.
    pub at: String,
    /// `error`, `warn`, `info` or `debug`.
    pub level: String,
    /// What happened.
    pub message: String,
    /// Whatever else was said about it.
    pub fields: Option<Value>,
}

/// What the process has said since the last call, oldest first.
#[napi(catch_unwind)]
pub fn drain_logs() -> Vec<LogLine> {
    let lines = session::drain_diagnostics();
    let line = |line: clawback_core::observe::LogLine| LogLine {
        at: line.at,
        level: line.level.to_owned(),
        message: line.message,
        fields: (!line.fields.is_empty()).then(|| Value::Object(line.fields)),
    };
    lines.into_iter().map(line).collect()
}

/// Diagnostics are kept from the first moment on.
#[napi_derive::module_init]
fn init() {
    session::keep_diagnostics();
}
