//! Checkpoints of the older TypeScript version (seed 002 section 5.3), read once by the import. They carry no
//! integrity, may lack sections, and block scalars end in a newline; what cannot be understood is left out.

use serde_json::Value;

use super::super::schema::{
    Checkpoint, Decision, Exchange, Meta, Resources, SCHEMA, SCHEMA_VERSION, Thread, TokenUsage, ToolCall,
    Trigger, WorkStatus, Working,
};
use super::{corrupt, read, within_limit};
use crate::error::Result;

/// Aliases that a foreign writer may have made of repeated values.
const ALIASES: usize = 64;

/// Reads a checkpoint of the older layout, leniently: only the schema name, the checkpoint id and the session key
/// must be there. Never used for files of our own.
///
/// # Errors
/// `Corrupt` when it is no such checkpoint, too large, or hostile.
pub fn parse_foreign(text: &str) -> Result<Checkpoint> {
    let tree: Value = read(within_limit(text)?, ALIASES)?;
    if string(&tree, "/schema") != SCHEMA {
        return Err(corrupt(&format!("schema is not {SCHEMA}")));
    }
    let checkpoint_id = string(&tree, "/meta/checkpoint_id");
    let session_key = string(&tree, "/meta/session_key");
    if checkpoint_id.is_empty() || session_key.is_empty() {
        return Err(corrupt("checkpoint_id or session_key is missing"));
    }
    Ok(Checkpoint {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        meta: Meta {
            checkpoint_id,
            session_key,
            session_file: optional(&tree, "/meta/session_file"),
            created_at: string(&tree, "/meta/created_at"),
            trigger: typed(&tree, "/meta/trigger").unwrap_or(Trigger::Manual),
            compaction_count: number(&tree, "/meta/compaction_count"),
            token_usage: TokenUsage {
                input_tokens: number(&tree, "/meta/token_usage/input_tokens"),
                context_window: number(&tree, "/meta/token_usage/context_window"),
                utilization: tree
                    .pointer("/meta/token_usage/utilization")
                    .and_then(Value::as_f64)
                    .unwrap_or_default(),
            },
            previous_checkpoint: optional(&tree, "/meta/previous_checkpoint"),
            channel: optional(&tree, "/meta/channel"),
            agent_id: optional(&tree, "/meta/agent_id"),
        },
        active_request: None,
        goal: None,
        working: Working {
            topic: string(&tree, "/working/topic"),
            status: typed(&tree, "/working/status").unwrap_or(WorkStatus::Idle),
            interrupted: tree.pointer("/working/interrupted").and_then(Value::as_bool).unwrap_or_default(),
            last_tool_call: optional(&tree, "/working/last_tool_call/name").map(|name| ToolCall {
                name,
                params_summary: string(&tree, "/working/last_tool_call/params_summary"),
            }),
            next_action: string(&tree, "/working/next_action"),
        },
        constraints: Vec::new(),
        decisions: decisions(&tree),
        tasks: Vec::new(),
        resources: Resources {
            files_read: strings(&tree, "/resources/files_read"),
            files_modified: strings(&tree, "/resources/files_modified"),
            tools_used: strings(&tree, "/resources/tools_used"),
        },
        thread: Thread {
            summary: string(&tree, "/thread/summary"),
            key_exchanges: list(&tree, "/thread/key_exchanges")
                .map(|item| Exchange { role: string(item, "/role"), gist: string(item, "/gist") })
                .filter(|exchange| !exchange.gist.is_empty())
                .collect(),
            errors: Vec::new(),
        },
        open_items: strings(&tree, "/open_items"),
        learnings: strings(&tree, "/learnings"),
        agents: Vec::new(),
        superseded: 0,
        integrity: None,
    })
}

fn decisions(tree: &Value) -> Vec<Decision> {
    list(tree, "/decisions")
        .map(|item| match item {
            Value::Object(_) => (string(item, "/what"), string(item, "/when")),
            _ => (scalar(item), String::new()),
        })
        .filter(|(what, _)| !what.is_empty())
        .enumerate()
        .map(|(index, (what, when))| Decision { id: format!("d{}", index + 1), what, when })
        .collect()
}

fn list<'a>(tree: &'a Value, path: &str) -> impl Iterator<Item = &'a Value> {
    tree.pointer(path).and_then(Value::as_array).into_iter().flatten()
}

fn strings(tree: &Value, path: &str) -> Vec<String> {
    list(tree, path).map(scalar).filter(|text| !text.is_empty()).collect()
}

fn string(tree: &Value, path: &str) -> String {
    tree.pointer(path).map(scalar).unwrap_or_default()
}

fn optional(tree: &Value, path: &str) -> Option<String> {
    Some(string(tree, path)).filter(|text| !text.is_empty())
}

fn number(tree: &Value, path: &str) -> u64 {
    tree.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

fn typed<T: serde::de::DeserializeOwned>(tree: &Value, path: &str) -> Option<T> {
    serde_json::from_value(Value::String(string(tree, path))).ok()
}

/// A scalar as text without the newline that ends a block scalar; an unquoted number keeps its digits.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end_matches('\n').to_owned(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        other => other.to_string(),
    }
}
