//! Search and recovery: methods of the live session.

use crate::bridge::promise;
use crate::input::count;
use crate::session::NativeSession;
use clawback_core::session::recall::RecallRequest;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;
use std::collections::HashMap;

/// What is sought.
#[napi(object)]
pub struct RecallInput {
    /// Hits at most.
    pub limit: Option<f64>,
    /// Tokens of all hits together.
    pub max_tokens: Option<f64>,
    /// `session` or `all`.
    pub all: Option<bool>,
    /// Only messages of this role.
    pub role: Option<String>,
    /// Only results of this tool.
    pub tool: Option<String>,
    /// ISO 8601.
    pub since: Option<String>,
    /// ISO 8601.
    pub until: Option<String>,
    /// The host's own scores by chunk id.
    pub scores: Option<HashMap<String, f64>>,
}

/// Which page of a message.
#[napi(object)]
pub struct RecoverInput {
    /// Where it begins.
    pub offset: Option<f64>,
    /// Its tokens at most.
    pub max_tokens: Option<f64>,
}

#[napi]
impl NativeSession {
    /// The messages that answer a question best.
    #[napi(catch_unwind, ts_return_type = "Promise<object[]>")]
    pub fn recall<'env>(
        &self,
        env: &'env Env,
        query: String,
        options: RecallInput,
    ) -> napi::Result<Object<'env>> {
        let request = RecallRequest {
            query,
            limit: count(options.limit).map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            max_tokens: count(options.max_tokens),
            all: options.all.unwrap_or(false),
            role: options.role,
            tool: options.tool,
            since: options.since,
            until: options.until,
            scores: options.scores.unwrap_or_default(),
        };
        promise(
            env,
            |done| self.live().session().recall(request, done),
            |hits| serde_json::to_value(hits).unwrap_or(Value::Null),
        )
    }

    /// One message, whole or in pages.
    #[napi(catch_unwind, ts_return_type = "Promise<object>")]
    pub fn recover<'env>(
        &self,
        env: &'env Env,
        chunk_id: String,
        options: RecoverInput,
    ) -> napi::Result<Object<'env>> {
        let (offset, max) = (count(options.offset).unwrap_or(0), count(options.max_tokens));
        promise(
            env,
            |done| self.live().session().recover(&chunk_id, offset, max, done),
            |page| serde_json::to_value(page).unwrap_or(Value::Null),
        )
    }
}
