//! From the state to a checkpoint: every section is filled mechanically (seed 002 section 11).

use super::event::{Event, ToolUse, Written};
use super::observe::{Sink, observe};
use super::sinks::Journal;
use super::thread::Thread;
use super::{CheckpointRequest, Outcome, latest, view};
use crate::checkpoint::build::{BuildInput, Item, TaskItem, ThreadInput, build};
use crate::checkpoint::policy::{content_hash, inspect, should_skip};
use crate::checkpoint::{Agent, Checkpoint, Meta, TokenUsage, Trigger, WorkStatus, yaml};
use crate::ledger::{Kind, Status, TaskState};
use crate::message::Message;
use crate::text::redact::redact_secrets;
use crate::text::wellformed::{cut_json_depth, repair_json_surrogates};
use crate::{Error, Result};
use serde_json::Value;

/// Levels of a message's JSON that are read where it has too many.
const MAX_DEPTH: usize = 64;

/// Takes in what the call brings along: messages, files, running agents.
pub(crate) fn take_in(sink: &mut impl Sink, request: &CheckpointRequest) -> Result<()> {
    observe(sink, &messages(&request.messages)?)?;
    let mut events = Vec::new();
    if let Some(ops) = &request.file_ops {
        let (read, modified) = (redacted(&ops.read), redacted(&ops.modified));
        if read.iter().any(|path| !sink.state().has_file(path))
            || modified.iter().any(|path| !sink.state().files_modified.contains(path))
        {
            events.push(Event::Tool(ToolUse { read, modified, ..ToolUse::default() }));
        }
    }
    if let Some(agents) = &request.agents {
        let agents: Vec<Agent> = agents.iter().map(redacted_agent).collect();
        if agents != sink.state().agents {
            events.push(Event::Agents(agents));
        }
    }
    if events.is_empty() { Ok(()) } else { sink.append(events) }
}

/// What a host hands over beside the messages is stored like them: without secrets (FAULTS G3).
fn redacted(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| redact_secrets(text).into_owned()).collect()
}

pub(crate) fn redacted_agent(agent: &Agent) -> Agent {
    let clean = |text: &String| redact_secrets(text).into_owned();
    Agent {
        id: clean(&agent.id),
        task: agent.task.as_ref().map(clean),
        started_at: agent.started_at.as_ref().map(clean),
    }
}

/// Messages of JSON arrays.
pub(crate) fn messages(pieces: &[String]) -> Result<Vec<Message>> {
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(parse_messages(piece)?);
    }
    Ok(all)
}

/// Messages of a JSON array. Half a surrogate pair becomes U+FFFD; what is no array is `InvalidInput`.
pub(crate) fn parse_messages(piece: &str) -> Result<Vec<Message>> {
    let piece = repair_json_surrogates(piece);
    // One message that is nested too deeply for the reader must not cost all of them.
    let values: Vec<Value> = serde_json::from_str(&piece)
        .or_else(|_| serde_json::from_str(&cut_json_depth(&piece, MAX_DEPTH)))
        .map_err(|error| {
            Error::InvalidInput(format!("messages must be a list of message objects: {error}"))
        })?;
    Ok(values.iter().map(Message::from_value).collect())
}

/// Writes the next checkpoint, or says why not.
pub(crate) fn write(
    journal: &mut Journal<'_, '_>,
    request: &CheckpointRequest,
    key: &str,
) -> Result<Outcome> {
    let previous = previous(journal)?;
    let seq = journal.locked.seq();
    let draft = checkpoint(
        journal,
        request,
        key,
        crate::packet::UNWRITTEN,
        previous.as_ref().map(|written| written.id.as_str()),
        seq,
    );
    let content = content_hash(&draft);
    if let Some(previous) = &previous
        && should_skip(request.trigger, previous.as_last(), &draft.meta.token_usage, &content)
        && is_on_disk(journal, &previous.id)?
    {
        return Ok(Outcome::Skipped { written: false, reason: format!("unchanged since {}", previous.id) });
    }
    let written = journal.locked.write_checkpoint(
        &mut |id, _, _| {
            let mut named = draft.clone();
            named.meta.checkpoint_id = id.to_owned();
            yaml::format(&named).map(String::into_bytes)
        },
        &inspect,
    )?;
    journal.append(vec![Event::Checkpoint(Written {
        id: written.id.clone(),
        trigger: request.trigger,
        content,
        input_tokens: request.input_tokens,
        context_window: request.context_window,
        compactions: draft.meta.compaction_count,
    })])?;
    Ok(Outcome::Written { written: true, id: written.id, path: written.path })
}

/// Nothing is left out for the sake of a checkpoint whose file is gone or damaged.
fn is_on_disk(journal: &mut Journal<'_, '_>, id: &str) -> Result<bool> {
    Ok(latest(&mut journal.locked.reader())?.is_some_and(|newest| newest.meta.checkpoint_id == id))
}

/// The last checkpoint, as the journal tells it; where the journal was lost, as its file does.
fn previous(journal: &mut Journal<'_, '_>) -> Result<Option<Written>> {
    if let Some(written) = journal.state().checkpoint.clone() {
        return Ok(Some(written));
    }
    Ok(latest(&mut journal.locked.reader())?.map(|checkpoint| Written {
        content: content_hash(&checkpoint),
        trigger: checkpoint.meta.trigger,
        input_tokens: checkpoint.meta.token_usage.input_tokens,
        context_window: checkpoint.meta.token_usage.context_window,
        compactions: checkpoint.meta.compaction_count,
        id: checkpoint.meta.checkpoint_id,
    }))
}

/// The checkpoint of what is known now.
pub(crate) fn checkpoint(
    sink: &impl Sink,
    request: &CheckpointRequest,
    key: &str,
    id: &str,
    previous: Option<&str>,
    seq: u64,
) -> Checkpoint {
    let state = sink.state();
    let live = view::live(state);
    let items = |kind: Kind| -> Vec<Item<'_>> {
        live.active(kind).map(|item| Item { text: &item.entry.text, at: &item.entry.at }).collect()
    };
    let tasks: Vec<TaskItem<'_>> = live
        .items
        .iter()
        .filter(|item| item.entry.kind == Kind::Task)
        .filter(|item| !matches!(item.status, Status::Superseded(_) | Status::Withdrawn(_)))
        .map(|item| TaskItem {
            text: &item.entry.text,
            state: match item.status {
                Status::Resolved(_) => TaskState::Done,
                _ => item.task.unwrap_or(TaskState::Open),
            },
        })
        .collect();
    let thread = Thread::of(state);
    build(&BuildInput {
        meta: meta(sink, request, key, id, previous),
        active_request: thread.active_request.as_deref(),
        goal: view::goal(&live),
        constraints: &items(Kind::Constraint),
        decisions: &items(Kind::Decision),
        tasks: &tasks,
        open_items: &items(Kind::OpenItem),
        learnings: &items(Kind::Learning),
        thread: ThreadInput {
            topic: &thread.topic,
            first_user: &thread.first_user,
            last_user: &thread.last_user,
            exchanges: &thread.exchanges,
            errors: &state.errors,
            next_action: &thread.next_action,
            // A turn that the host cuts in two is under way, whatever was said last.
            status: if request.is_split_turn { WorkStatus::InProgress } else { thread.status },
            interrupted: request.is_split_turn,
        },
        last_tool_call: state.last_tool_call.clone(),
        files_read: &state.files_read,
        files_modified: &state.files_modified,
        tools_used: &state.tools_used,
        agents: &state.agents,
        superseded: live.superseded() as u64,
        state_seq: seq,
    })
}

fn meta(sink: &impl Sink, request: &CheckpointRequest, key: &str, id: &str, previous: Option<&str>) -> Meta {
    let clean = |text: &Option<String>| text.as_ref().map(|text| redact_secrets(text).into_owned());
    let counted = sink.state().compactions + u64::from(request.trigger == Trigger::Compaction);
    let share = request.utilization.unwrap_or_else(|| {
        if request.context_window == 0 {
            0.0
        } else {
            request.input_tokens as f64 / request.context_window as f64
        }
    });
    Meta {
        checkpoint_id: id.to_owned(),
        session_key: key.to_owned(),
        session_file: clean(&request.session_file),
        created_at: sink.now().to_owned(),
        trigger: request.trigger,
        compaction_count: request.compaction_count.unwrap_or(counted),
        token_usage: TokenUsage {
            input_tokens: request.input_tokens,
            context_window: request.context_window,
            utilization: share,
        },
        previous_checkpoint: previous.map(str::to_owned),
        channel: clean(&request.channel),
        agent_id: clean(&request.agent_id),
    }
}
