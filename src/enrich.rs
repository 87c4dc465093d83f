//! A model's help: the prompt, its answer, and the summary without a model.

use crate::bridge::promise;
use crate::error::guard;
use crate::input::count;
use crate::session::NativeSession;
use crate::state::on_session;
use clawback_core::checkpoint::Checkpoint;
use clawback_core::{enrich, session};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;

/// What a model is asked.
#[napi(object)]
pub struct EnrichmentPrompt {
    /// What it is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
    /// Tokens of its answer.
    pub max_tokens: f64,
    /// Messages that it is shown.
    pub message_count: u32,
}

/// How a summary is made.
#[napi(object)]
pub struct SummaryOptions {
    /// At most this many tokens; 2,000 if missing.
    pub max_tokens: Option<f64>,
    /// The summary before, which is merged in.
    pub previous_summary: Option<String>,
}

/// The prompt for a checkpoint and the newest messages, given as JSON arrays.
#[napi(catch_unwind)]
pub fn build_enrichment_prompt(checkpoint: String, messages: Vec<String>) -> napi::Result<EnrichmentPrompt> {
    guard("buildEnrichmentPrompt", || {
        let messages = session::read_messages(&messages)?;
        let (prompt, shown) = enrich::enrichment_prompt(&Checkpoint::from_json(&checkpoint)?, &messages);
        Ok(EnrichmentPrompt {
            system: prompt.system,
            user: prompt.user,
            max_tokens: prompt.max_tokens as f64,
            message_count: u32::try_from(shown).unwrap_or(u32::MAX),
        })
    })
}

/// What a model answered; never fails on a text.
#[napi(
    catch_unwind,
    ts_return_type = "{ decisions: string[], openItems: string[], learnings: string[], topic?: string, nextAction?: string, summary?: string }"
)]
pub fn parse_enrichment(text: String) -> napi::Result<Value> {
    guard("parseEnrichment", || {
        Ok(serde_json::to_value(enrich::parse_enrichment(&text)).unwrap_or(Value::Null))
    })
}

/// Captures the messages and words the question to the model: the first half of `enrichCheckpoint`.
#[napi(
    catch_unwind,
    ts_return_type = "Promise<{ prompt: { system: string, user: string, maxTokens: number } | null, basis: string, reason: string | null }>"
)]
pub fn start_enrichment<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    messages: Vec<String>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.start_enrichment(messages, done),
        |started| serde_json::to_value(started).unwrap_or(Value::Null)
    )
}

/// Checks the answer and merges what holds: the second half of `enrichCheckpoint`.
#[napi(
    catch_unwind,
    ts_return_type = "Promise<{ written: boolean, id?: string, rejected: { text: string, why: string }[], reason?: string }>"
)]
pub fn merge_enrichment<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    answer: String,
    basis: String,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.merge_enrichment(answer, basis, done),
        |enriched| serde_json::to_value(enriched).unwrap_or(Value::Null)
    )
}

/// Messages, as JSON arrays, as the summary that a host's compaction stores. No session, no model, no disk.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn summarize_messages<'env>(
    env: &'env Env,
    messages: Vec<String>,
    options: Option<SummaryOptions>,
) -> napi::Result<Object<'env>> {
    let max_tokens = count(options.as_ref().and_then(|options| options.max_tokens));
    let previous = options.and_then(|options| options.previous_summary);
    let job = move || session::summarize(&messages, max_tokens, previous.as_deref());
    promise(env, |done| session::in_background(job, done), |text| text)
}

#[napi]
impl NativeSession {
    /// What a model is to be asked in this epoch: the first half of `maintain`.
    #[napi(
        catch_unwind,
        ts_return_type = "Promise<{ summary: { prompt: object, basis: string } | null, condensed: { prompt: object, basis: string } | null, enrichment: { prompt: object, basis: string } | null }>"
    )]
    pub fn questions<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| self.live.questions(done),
            |questions| serde_json::to_value(questions).unwrap_or(Value::Null),
        )
    }

    /// Takes the answer to the question for a summary in.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn merge_summary<'env>(
        &self,
        env: &'env Env,
        answer: String,
        basis: String,
    ) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.merge_summary(answer, basis, done), |merged| merged)
    }

    /// Takes the answer to the question for an enrichment in.
    #[napi(catch_unwind, ts_return_type = "Promise<{ written: boolean }>")]
    pub fn merge_enrichment<'env>(
        &self,
        env: &'env Env,
        answer: String,
        basis: String,
    ) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| self.live.session().merge_enrichment(answer, basis, done),
            |enriched| serde_json::to_value(enriched).unwrap_or(Value::Null),
        )
    }

    /// Lets go of what is past its time; how many messages.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn expire<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.expire(done), |chunks| chunks as f64)
    }
}
