//! Checkpoints and the packet.

use crate::bridge::promise;
use crate::error::guard;
use crate::input::{count, short};
use crate::state::on_session;
use clawback_core::checkpoint::diff::Change;
use clawback_core::checkpoint::{self, Checkpoint, Trigger, yaml};
use clawback_core::session::{self, CheckpointRequest};
use clawback_core::{Result, packet};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;

/// Tokens at the time of a checkpoint.
#[napi(object)]
pub struct TokenUsageInput {
    /// Tokens of the whole request.
    pub input_tokens: f64,
    /// The model's window.
    pub context_window: f64,
    /// 0..1; computed if missing.
    pub utilization: Option<f64>,
}

/// Files that the host itself has counted.
#[napi(object)]
pub struct FileOpsInput {
    /// Read.
    pub read: Vec<String>,
    /// Written.
    pub written: Vec<String>,
    /// Edited.
    pub edited: Vec<String>,
}

/// A subagent or job that runs.
#[napi(object)]
pub struct RunningAgentInput {
    /// The host's id of it.
    pub id: String,
    /// What it was asked to do.
    pub task: Option<String>,
    /// ISO 8601.
    pub started_at: Option<String>,
}

impl From<RunningAgentInput> for checkpoint::Agent {
    fn from(agent: RunningAgentInput) -> Self {
        Self { id: agent.id, task: agent.task, started_at: agent.started_at }
    }
}

/// What a checkpoint call is given.
#[napi(object)]
pub struct CheckpointInput {
    /// Why.
    pub trigger: String,
    /// The host's transcript.
    pub session_file: Option<String>,
    /// `telegram`, ...
    pub channel: Option<String>,
    /// The host's agent.
    pub agent_id: Option<String>,
    /// The host's compactions so far.
    pub compaction_count: Option<f64>,
    /// How full the context is.
    pub token_usage: TokenUsageInput,
    /// JSON arrays of messages, in order; `index.js` cuts them so that no tick is held for long.
    pub messages: Option<Vec<String>>,
    /// The host's compaction cuts a turn in two.
    pub is_split_turn: Option<bool>,
    /// Files that the host itself has counted.
    pub file_ops: Option<FileOpsInput>,
    /// Running subagents and jobs; replaces what was known.
    pub agents: Option<Vec<RunningAgentInput>>,
}

/// How large a packet may be.
#[napi(object)]
pub struct PacketOptions {
    /// At most this many tokens; 700 if missing.
    pub max_tokens: Option<f64>,
}

/// The packet.
#[napi(object)]
pub struct Packet {
    /// The text that the model is given.
    pub text: String,
    /// Its estimated tokens.
    pub tokens: f64,
    /// Items left out, by section.
    pub omitted: std::collections::HashMap<String, u32>,
}

pub(crate) fn request(input: CheckpointInput) -> Result<CheckpointRequest> {
    Ok(CheckpointRequest {
        trigger: Trigger::from_name(&input.trigger)?,
        session_file: input.session_file,
        channel: input.channel,
        agent_id: input.agent_id,
        compaction_count: count(input.compaction_count),
        input_tokens: count(Some(input.token_usage.input_tokens)).unwrap_or(0),
        context_window: count(Some(input.token_usage.context_window)).unwrap_or(0),
        utilization: input.token_usage.utilization.filter(|share| share.is_finite()),
        messages: input.messages.unwrap_or_default(),
        is_split_turn: input.is_split_turn.unwrap_or(false),
        file_ops: input.file_ops.map(|ops| session::FileOps {
            read: ops.read,
            modified: ops.written.into_iter().chain(ops.edited).collect(),
        }),
        agents: input.agents.map(|agents| agents.into_iter().map(Into::into).collect()),
    })
}

/// A packet never has more tokens than its default, whatever is asked for.
pub(crate) fn packet_tokens(max_tokens: Option<f64>) -> Option<u64> {
    count(max_tokens).map(|tokens| tokens.min(packet::DEFAULT_MAX_TOKENS))
}

pub(crate) fn to_packet(packet: packet::Packet) -> Packet {
    Packet {
        text: packet.text,
        tokens: packet.tokens as f64,
        omitted: packet
            .omitted
            .into_iter()
            .map(|(section, count)| (section, u32::try_from(count).unwrap_or(u32::MAX)))
            .collect(),
    }
}

/// The checkpoint's object as JSON text.
fn json(checkpoint: &Checkpoint) -> String {
    serde_json::to_string(checkpoint).unwrap_or_default()
}

/// The checkpoint's object: exactly the keys of the YAML file.
fn object(checkpoint: &Checkpoint) -> Value {
    serde_json::to_value(checkpoint).unwrap_or(Value::Null)
}

/// The checkpoint that would be written now; writes nothing.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn build_checkpoint_from_state<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    input: CheckpointInput,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| match request(input) {
            Ok(request) => session.build_checkpoint(request, done),
            Err(error) => done(Err(error)),
        },
        |checkpoint| object(&checkpoint)
    )
}

/// Captures the messages, then writes a checkpoint durably.
#[napi(
    catch_unwind,
    ts_return_type = "Promise<{ written: true, id: string, path: string } | { written: false, reason: string }>"
)]
pub fn write_checkpoint<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    input: CheckpointInput,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| match request(input) {
            Ok(request) => session.write_checkpoint(request, done),
            Err(error) => done(Err(error)),
        },
        |outcome| serde_json::to_value(outcome).unwrap_or(Value::Null)
    )
}

/// The newest valid checkpoint.
#[napi(catch_unwind, ts_return_type = "Promise<object | null>")]
pub fn read_latest_checkpoint<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.read_latest_checkpoint(done),
        |checkpoint| checkpoint.as_ref().map(object)
    )
}

/// One checkpoint by its id.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn read_checkpoint<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    id: String,
) -> napi::Result<Object<'env>> {
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.read_checkpoint(id, done),
        |checkpoint| object(&checkpoint)
    )
}

/// All checkpoints on disk, oldest first.
#[napi(catch_unwind, ts_return_type = "Promise<object[]>")]
pub fn list_checkpoints<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
) -> napi::Result<Object<'env>> {
    on_session!(env, state_dir, session_key, None, |session, done| session.list_checkpoints(done), |list| {
        serde_json::to_value(list).unwrap_or(Value::Null)
    })
}

/// The packet of the newest checkpoint; null if there is none.
#[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
pub fn read_checkpoint_for_injection<'env>(
    env: &'env Env,
    state_dir: String,
    session_key: String,
    options: Option<PacketOptions>,
) -> napi::Result<Object<'env>> {
    let max_tokens = packet_tokens(options.and_then(|options| options.max_tokens));
    on_session!(
        env,
        state_dir,
        session_key,
        None,
        |session, done| session.read_checkpoint_for_injection(max_tokens, done),
        |text| text
    )
}

/// A subagent ended; its own session names its parent. False if nobody started it or it has ended before.
#[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
pub fn agent_ended_by_key<'env>(
    env: &'env Env,
    state_dir: String,
    child_session_key: String,
) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| session::agent_ended_by_key(state_dir.as_ref(), &child_session_key, done),
        |known| known,
    )
}

/// An item of one of two checkpoints. A checkpoint does not say who said it: it ranks as a summary.
#[napi(object)]
pub struct ChangedItem {
    /// Within its checkpoint.
    pub id: String,
    /// `decision`, `open_item`, ...
    pub kind: String,
    /// The words.
    pub text: String,
    /// ISO 8601.
    pub at: String,
    /// Always `summary`.
    pub source: String,
    /// `active`, `superseded` or `resolved`.
    pub status: String,
    /// What superseded it.
    pub by: Option<String>,
}

/// What became of each item between two checkpoints.
#[napi(object)]
pub struct CheckpointDiff {
    /// New in the newer.
    pub gained: Vec<ChangedItem>,
    /// Contradicted by something newer.
    pub superseded: Vec<ChangedItem>,
    /// Settled.
    pub resolved: Vec<ChangedItem>,
    /// Gone without a reason that the two show.
    pub lost: Vec<ChangedItem>,
}

fn changed(changes: Vec<Change>, status: &str) -> Vec<ChangedItem> {
    let item = |change: Change| ChangedItem {
        kind: change.kind.name().to_owned(),
        id: change.id,
        text: change.text,
        at: change.at,
        source: "summary".to_owned(),
        status: status.to_owned(),
        by: change.by,
    };
    changes.into_iter().map(item).collect()
}

/// What one checkpoint has that the other has not; both as JSON.
#[napi(catch_unwind)]
pub fn diff_checkpoints(older: String, newer: String) -> napi::Result<CheckpointDiff> {
    guard("diffCheckpoints", || {
        let (older, newer) = (Checkpoint::from_json(&older)?, Checkpoint::from_json(&newer)?);
        let found = session::diff_checkpoints(&older, &newer);
        Ok(CheckpointDiff {
            gained: changed(found.gained, "active"),
            superseded: changed(found.superseded, "superseded"),
            resolved: changed(found.resolved, "resolved"),
            lost: changed(found.lost, "active"),
        })
    })
}

/// The YAML of a checkpoint, which is given as JSON.
#[napi(catch_unwind)]
pub fn format_checkpoint_yaml(checkpoint: String) -> napi::Result<String> {
    guard("formatCheckpointYaml", || yaml::format(&Checkpoint::from_json(&checkpoint)?))
}

/// The checkpoint of a YAML text, as JSON; code `Corrupt` if it is damaged, cut or changed.
#[napi(catch_unwind)]
pub fn parse_checkpoint_yaml(text: String) -> napi::Result<String> {
    guard("parseCheckpointYaml", || {
        let text = short("parseCheckpointYaml", &text, Some("parseCheckpointYamlAsync"))?;
        Ok(json(&yaml::parse(text)?))
    })
}

/// The same for texts above the limit of sync exports.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn parse_checkpoint_yaml_async<'env>(env: &'env Env, text: String) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| session::in_background(move || Ok(json(&yaml::parse(&text)?)), done),
        |checkpoint| checkpoint,
    )
}

/// The packet of a checkpoint, which is given as JSON.
#[napi(catch_unwind)]
pub fn render_checkpoint(checkpoint: String, options: Option<PacketOptions>) -> napi::Result<Packet> {
    guard("renderCheckpoint", || {
        let limit = packet_tokens(options.and_then(|options| options.max_tokens));
        Ok(to_packet(packet::render(
            &Checkpoint::from_json(&checkpoint)?,
            &packet::RenderOptions::with_limit(limit),
        )))
    })
}
