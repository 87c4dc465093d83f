//! Text functions: sync and pure.

use crate::bridge::promise;
use crate::error::guard;
use crate::input::{few, message, short};
use clawback_core::ledger::Comparison;
use clawback_core::message::estimate_message_tokens as tokens_of;
use clawback_core::{capture, ledger, session, store, text};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;

/// Seed 000's normal form: list marks and markdown off, blanks collapsed, lower case.
#[napi(catch_unwind)]
pub fn normalize(text: String) -> napi::Result<String> {
    guard("normalize", || Ok(text::normalize(short("normalize", &text, None)?)))
}

/// The words that carry meaning, in order of first use.
#[napi(catch_unwind)]
pub fn extract_keywords(text: String) -> napi::Result<Vec<String>> {
    guard("extractKeywords", || Ok(text::keywords(short("extractKeywords", &text, None)?)))
}

/// The stop words, lower case.
#[napi(catch_unwind)]
pub fn stop_words() -> Vec<&'static str> {
    text::STOP_WORDS.to_vec()
}

/// The decision in an agent's reply and the user's answer; at most 200 graphemes.
#[napi(catch_unwind)]
pub fn extract_decision_from_response(
    reply: String,
    user_reply: Option<String>,
) -> napi::Result<Option<String>> {
    guard("extractDecisionFromResponse", || {
        let reply = short("extractDecisionFromResponse", &reply, None)?;
        Ok(capture::extract_decision(reply, user_reply.as_deref()))
    })
}

/// `duplicate`, `conflict` or `distinct`.
#[napi(catch_unwind, ts_return_type = "'duplicate' | 'conflict' | 'distinct'")]
pub fn compare_items(older: String, newer: String) -> napi::Result<&'static str> {
    guard("compareItems", || {
        let older = short("compareItems", &older, None)?;
        Ok(match ledger::compare(older, short("compareItems", &newer, None)?) {
            Comparison::Duplicate => "duplicate",
            Comparison::Conflict => "conflict",
            Comparison::Distinct => "distinct",
        })
    })
}

/// Whether both say the same.
#[napi(catch_unwind)]
pub fn is_semantic_duplicate(a: String, b: String) -> napi::Result<bool> {
    guard("isSemanticDuplicate", || {
        let a = short("isSemanticDuplicate", &a, None)?;
        Ok(ledger::is_semantic_duplicate(a, short("isSemanticDuplicate", &b, None)?))
    })
}

/// Something that was folded into another item.
#[napi(object)]
pub struct Folded {
    /// The words left out.
    pub text: String,
    /// The item that says the same.
    pub into: String,
}

/// Something that was replaced.
#[napi(object)]
pub struct Superseded {
    /// The words that no longer hold.
    pub text: String,
    /// The words that replaced them.
    pub by: String,
}

/// Two lists as one.
#[napi(object)]
pub struct MergedItems {
    /// What stays, in order.
    pub items: Vec<String>,
    /// What was said twice.
    pub folded: Vec<Folded>,
    /// What was replaced.
    pub superseded: Vec<Superseded>,
}

impl From<ledger::Merged> for MergedItems {
    fn from(merged: ledger::Merged) -> Self {
        Self {
            items: merged.items,
            folded: merged.folded.into_iter().map(|(text, into)| Folded { text, into }).collect(),
            superseded: merged.superseded.into_iter().map(|(text, by)| Superseded { text, by }).collect(),
        }
    }
}

/// A model's list (`primary`) and what was captured (`secondary`, newer) as one.
#[napi(catch_unwind)]
pub fn merge_items(primary: Vec<String>, secondary: Vec<String>) -> napi::Result<MergedItems> {
    guard("mergeItems", || {
        let primary = few("mergeItems", &primary, Some("mergeItemsAsync"))?;
        Ok(ledger::merge_items(primary, few("mergeItems", &secondary, Some("mergeItemsAsync"))?).into())
    })
}

/// The same for lists above the limit of sync exports.
#[napi(catch_unwind, ts_return_type = "Promise<MergedItems>")]
pub fn merge_items_async<'env>(
    env: &'env Env,
    primary: Vec<String>,
    secondary: Vec<String>,
) -> napi::Result<Object<'env>> {
    let job = move || Ok(ledger::merge_items(&primary, &secondary));
    promise(env, |done| session::in_background(job, done), MergedItems::from)
}

/// Whether a person typed it.
#[napi(catch_unwind)]
pub fn is_real_user_message(#[napi(ts_arg_type = "object")] value: Value) -> napi::Result<bool> {
    guard("isRealUserMessage", || Ok(capture::is_real_user_message(&message(&value))))
}

/// What the person typed; null when nobody did.
#[napi(catch_unwind)]
pub fn user_text(#[napi(ts_arg_type = "object")] value: Value) -> napi::Result<Option<String>> {
    guard("userText", || Ok(capture::user_text(&message(&value))))
}

/// Estimated tokens of a text.
#[napi(catch_unwind)]
pub fn estimate_tokens(text: String) -> napi::Result<f64> {
    guard("estimateTokens", || Ok(text::tokens::estimate_tokens(&text) as f64))
}

/// Estimated tokens of a message, every block of it.
#[napi(catch_unwind)]
pub fn estimate_message_tokens(#[napi(ts_arg_type = "object")] value: Value) -> napi::Result<f64> {
    guard("estimateMessageTokens", || Ok(tokens_of(&message(&value)) as f64))
}

/// The text without secrets: each becomes `[redacted:kind]`.
#[napi(catch_unwind)]
pub fn redact_secrets(text: String) -> napi::Result<String> {
    guard("redactSecrets", || {
        let text = short("redactSecrets", &text, Some("redactSecretsAsync"))?;
        Ok(text::redact::redact_secrets(text).into_owned())
    })
}

/// The same for texts above the limit of sync exports.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn redact_secrets_async<'env>(env: &'env Env, text: String) -> napi::Result<Object<'env>> {
    let job = move || Ok(text::redact::redact_secrets(&text).into_owned());
    promise(env, |done| session::in_background(job, done), |text| text)
}

/// Seed 002's directory name of a key; no path of ours is built from it.
#[napi(catch_unwind)]
pub fn sanitize_session_key_for_path(session_key: String) -> napi::Result<String> {
    guard("sanitizeSessionKeyForPath", || Ok(store::sanitize_session_key_for_path(&session_key)))
}
