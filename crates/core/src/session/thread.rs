//! The conversation in a few lines, from what the state keeps of it (seed 002 section 11).

use super::state::State;
use crate::capture::thread;
use crate::checkpoint::{Exchange, WorkStatus};
use crate::message::{Block, Message, Role};
use serde_json::Value;

/// What a checkpoint says of the conversation.
pub(crate) struct Thread {
    pub(crate) topic: String,
    pub(crate) first_user: String,
    pub(crate) last_user: String,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) active_request: Option<String>,
    pub(crate) next_action: String,
    pub(crate) status: WorkStatus,
}

impl Thread {
    pub(crate) fn of(state: &State) -> Self {
        let messages = conversation(state);
        let (first_user, last_user) = thread::first_and_last(&messages).unwrap_or_default();
        let last_user = last_user.unwrap_or_else(|| first_user.clone());
        Self {
            topic: thread::topic(&messages),
            first_user,
            last_user,
            exchanges: thread::key_exchanges(&messages),
            active_request: thread::active_request(&messages),
            next_action: thread::next_action(&messages),
            status: thread::work_status(&messages),
        }
    }
}

/// Gist of what the user wants now; `None` before anybody asked for anything.
pub(crate) fn topic(state: &State) -> Option<String> {
    Some(thread::topic(&conversation(state))).filter(|topic| !topic.is_empty())
}

/// What was said, as messages again, and how it stopped.
fn conversation(state: &State) -> Vec<Message> {
    let mut messages: Vec<Message> = state
        .thread
        .iter()
        .map(
            |said| if said.by == "user" { Message::user(&said.text) } else { Message::assistant(&said.text) },
        )
        .collect();
    let mut end = Message::assistant("");
    end.blocks.clear();
    if !state.open_calls.is_empty() || state.stopped.is_some() {
        end.stop_reason = state.stopped.clone();
        end.blocks.extend(state.open_calls.iter().map(|call| Block::ToolCall {
            id: call.id.clone(),
            name: call.effect.name.clone(),
            arguments: Value::Null,
        }));
        messages.push(end);
    } else if state.last_role.as_deref() == Some(crate::message::role_name(&Role::ToolResult)) {
        end.role = Role::ToolResult;
        messages.push(end);
    }
    messages
}
