//! State: the promises of seeds 000 and 002 under their names.

use crate::bridge::promise;
use clawback_core::session::{self, Session};
use clawback_core::{Error, Result};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;

/// A decision to remember.
#[napi(object)]
pub struct DecisionInput {
    /// The choice that was made.
    pub what: String,
    /// ISO 8601; now, if missing.
    pub when: Option<String>,
}

/// A tool call that was made.
#[napi(object)]
pub struct ToolUseInput {
    /// The tool's name.
    pub name: String,
    /// Its arguments, as the model gave them.
    pub params: Option<Value>,
    /// It failed.
    pub is_error: Option<bool>,
    /// What it said when it failed.
    pub error_text: Option<String>,
}

/// The last tool call in one line.
#[napi(object)]
pub struct ToolCallSummary {
    /// The tool's name.
    pub name: String,
    /// Its arguments in one line.
    pub params_summary: String,
}

/// How an append is acknowledged.
#[napi(object)]
#[derive(Default)]
pub struct WriteOptions {
    /// `full`: only when it survives a power cut. Otherwise it survives a crash of the process at once and a power
    /// cut after 250 ms.
    pub durability: Option<String>,
    /// Milliseconds to wait for another process's lock; 5,000 if missing.
    pub lock_timeout_ms: Option<f64>,
    /// Only this process uses the state directory: run without locks where the file system has none.
    pub single_process: Option<bool>,
}

pub(crate) fn open(state_dir: &str, session_key: &str, options: Option<&WriteOptions>) -> Result<Session> {
    let mut open = session::OpenOptions::default();
    if let Some(options) = options {
        open.durability = match options.durability.as_deref() {
            None => session::Durability::default(),
            Some("full") => session::Durability::Full,
            Some("written") => session::Durability::Written,
            Some(other) => {
                return Err(Error::InvalidInput(format!(
                    "unknown durability {other:?}; use 'written' or 'full'"
                )));
            }
        };
        if let Some(ms) = options.lock_timeout_ms {
            open.lock_timeout = std::time::Duration::try_from_secs_f64(ms / 1_000.0).map_err(|_| {
                Error::InvalidInput(format!("lockTimeoutMs is {ms}; it must be 0 or more milliseconds"))
            })?;
        }
        open.single_process = options.single_process.unwrap_or(false);
    }
    Session::open(state_dir.as_ref(), session_key, open)
}

/// `$call` on the session once it is open; what goes wrong before that rejects the promise as well.
macro_rules! on_session {
    ($env:expr, $dir:expr, $key:expr, $options:expr, |$session:ident, $done:ident| $call:expr, $convert:expr) => {
        crate::bridge::promise(
            $env,
            |$done| match crate::state::open(&$dir, &$key, $options) {
                Ok($session) => $call,
                Err(error) => $done(Err(error)),
            },
            $convert,
        )
    };
}
pub(crate) use on_session;

/// Remembers a decision.
#[napi(catch_unwind, ts_return_type = "Promise<'added' | 'duplicate' | 'superseded-older'>")]
pub fn append_decision_to_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    decision: DecisionInput,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.append_decision(decision.what, decision.when, done),
        |appended| appended.name()
    )
}

/// Remembers something that is open.
#[napi(catch_unwind, ts_return_type = "Promise<'added' | 'duplicate' | 'superseded-older'>")]
pub fn append_open_item_to_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    item: String,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.append_open_item(item, done),
        |appended| appended.name()
    )
}

/// Settles an open item; false if none matches.
#[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
pub fn resolve_open_item_in_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    item: String,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.resolve_open_item(item, done),
        |resolved| resolved
    )
}

/// Remembers something learned.
#[napi(catch_unwind, ts_return_type = "Promise<'added' | 'duplicate' | 'superseded-older'>")]
pub fn append_learning_to_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    learning: String,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.append_learning(learning, done),
        |appended| appended.name()
    )
}

/// Records a tool call: its name, the files that it read or changed, and its failure.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn record_tool_use_in_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    tool: ToolUseInput,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    let tool = session::ToolReport {
        name: tool.name,
        params: tool.params.unwrap_or(Value::Null),
        is_error: tool.is_error.unwrap_or(false),
        error_text: tool.error_text,
    };
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.record_tool_use(tool, done),
        |()| ()
    )
}

/// Records the last tool call in one line.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn write_last_tool_call_to_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    call: ToolCallSummary,
    options: Option<WriteOptions>,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        options.as_ref(),
        |session, done| session.write_last_tool_call(call.name, call.params_summary, done),
        |()| ()
    )
}

/// The last tool call, whichever process made it.
#[napi(catch_unwind, ts_return_type = "Promise<ToolCallSummary | null>")]
pub fn read_last_tool_call_from_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.read_last_tool_call(done),
        |call| call.map(|call| ToolCallSummary { name: call.name, params_summary: call.params_summary })
    )
}

/// Everything that is remembered of a session.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn read_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(env, state_dir, session_key, None, |session, done| session.read_state(done), |state| {
        serde_json::to_value(state).unwrap_or(Value::Null)
    })
}

/// All sessions of a state directory.
#[napi(catch_unwind, ts_return_type = "Promise<object[]>")]
pub fn list_sessions<'env>(env: &'env Env, state_dir: String) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| session::list_sessions(state_dir.as_ref(), done),
        |sessions| serde_json::to_value(sessions).unwrap_or(Value::Null),
    )
}
