//! What a session starts from when its journal is empty: the older TypeScript version's files, taken in once (STORE.md,
//! last line), or, where the journal was lost, the newest valid checkpoint (STORE.md, Errors).

use super::append::{self, Remembered};
use super::event::{Event, ToolUse};
use super::latest;
use super::observe::Sink;
use super::sinks::{Journal, Preview};
use super::state::State;
use crate::Result;
use crate::checkpoint::{Checkpoint, ToolCall, yaml};
use crate::ledger::{Kind, Source, TaskState};
use crate::store::{OlderLayout, Reader};
use crate::text::redact;
use serde_json::Value;
use std::borrow::Cow;

/// Takes in what is there of this session from before its journal, if nobody has done so.
pub(crate) fn earlier(journal: &mut Journal<'_, '_>) -> Result<()> {
    let state = journal.state();
    if state.seq > 0 && state.import != Some(false) {
        return Ok(());
    }
    if let Some(checkpoint) = latest(&mut journal.locked.reader())? {
        let id = &checkpoint.meta.checkpoint_id;
        tracing::warn!(%id, "the journal is gone; what is remembered is rebuilt from the newest checkpoint");
        journal.append(vec![Event::Import { done: false }])?;
        take_checkpoint(journal, &checkpoint)?;
        return journal.append(vec![Event::Import { done: true }]);
    }
    older_layout(journal)
}

/// The state as it is read: a session whose journal was lost reads as its newest checkpoint. Copied only then.
pub(crate) fn readable_state<'r>(reader: &'r mut Reader<'_, State>, now: String) -> Result<Cow<'r, State>> {
    if reader.state().seq == 0
        && reader.exists()
        && let Some(checkpoint) = latest(reader)?
    {
        let mut rebuilt = Preview::new(reader.state().clone(), [0; 16], now);
        take_checkpoint(&mut rebuilt, &checkpoint)?;
        return Ok(Cow::Owned(rebuilt.into_state()));
    }
    Ok(Cow::Borrowed(reader.state()))
}

fn older_layout(journal: &mut Journal<'_, '_>) -> Result<()> {
    let key_of = |bytes: &[u8]| parse(bytes).map(|checkpoint| checkpoint.meta.session_key);
    let Some(found) = journal.locked.older_layout(&key_of)? else { return Ok(()) };
    for name in &found.damaged {
        tracing::warn!(%name, "a file of the older layout does not parse; it is left where it is");
    }
    // Said before and after, so that an import cut short is done again: what is known already is not added twice.
    journal.append(vec![Event::Import { done: false }])?;
    if let Some(checkpoint) = parse(&found.newest_checkpoint) {
        take_checkpoint(journal, &checkpoint)?;
    }
    take_files(journal, &found)?;
    journal.append(vec![Event::Import { done: true }])
}

fn parse(bytes: &[u8]) -> Option<Checkpoint> {
    yaml::parse_foreign(std::str::from_utf8(bytes).ok()?).ok()
}

pub(crate) fn take_checkpoint(journal: &mut impl Sink, checkpoint: &Checkpoint) -> Result<()> {
    if let Some(goal) = &checkpoint.goal {
        remember(journal, Kind::Goal, goal, None)?;
    }
    for constraint in &checkpoint.constraints {
        remember(journal, Kind::Constraint, constraint, None)?;
    }
    for task in checkpoint.tasks.iter().filter(|task| task.state != TaskState::Done) {
        remember(journal, Kind::Task, &task.what, None)?;
    }
    for decision in &checkpoint.decisions {
        remember(journal, Kind::Decision, &decision.what, Some(&decision.when))?;
    }
    for item in &checkpoint.open_items {
        remember(journal, Kind::OpenItem, item, None)?;
    }
    for learning in &checkpoint.learnings {
        remember(journal, Kind::Learning, learning, None)?;
    }
    let resources = &checkpoint.resources;
    let mut events: Vec<Event> = resources
        .tools_used
        .iter()
        .map(|name| Event::Tool(ToolUse { name: name.clone(), ..ToolUse::default() }))
        .collect();
    events.push(Event::Tool(ToolUse {
        read: resources.files_read.clone(),
        modified: resources.files_modified.clone(),
        ..ToolUse::default()
    }));
    if let Some(call) = &checkpoint.working.last_tool_call {
        events.push(Event::LastToolCall(call.clone()));
    }
    journal.append(events)
}

/// The state files hold what came after the last checkpoint: lists of texts, or of objects with `what` and `when`.
fn take_files(journal: &mut Journal<'_, '_>, found: &OlderLayout) -> Result<()> {
    let lists = [
        (Kind::Decision, &found.decisions),
        (Kind::OpenItem, &found.open_items),
        (Kind::Learning, &found.learnings),
    ];
    for (kind, file) in lists {
        let items = file.as_ref().and_then(|file| file.get("items").unwrap_or(file).as_array());
        for item in items.into_iter().flatten() {
            let words = item.as_str().or_else(|| item.get("what").and_then(Value::as_str));
            if let Some(words) = words {
                remember(journal, kind, words, item.get("when").and_then(Value::as_str))?;
            }
        }
    }
    let call = found.last_tool_call.as_ref().and_then(|call| {
        Some(ToolCall {
            name: call.get("name")?.as_str()?.to_owned(),
            params_summary: redact::redact_secrets(call.get("paramsSummary")?.as_str()?).into_owned(),
        })
    });
    let names = |field: &str| -> Vec<String> {
        let list = found.resources.as_ref().and_then(|file| file.get(field)).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut events: Vec<Event> = names("tools_used")
        .into_iter()
        .map(|name| Event::Tool(ToolUse { name, ..ToolUse::default() }))
        .collect();
    events.push(Event::Tool(ToolUse {
        read: names("files_read"),
        modified: names("files_modified"),
        ..ToolUse::default()
    }));
    events.extend(call.map(Event::LastToolCall));
    journal.append(events)
}

/// An earlier entry: nobody knows any more who said it, so it ranks with summaries. An empty one is passed over.
fn remember(journal: &mut impl Sink, kind: Kind, words: &str, at: Option<&str>) -> Result<()> {
    if words.trim().is_empty() {
        return Ok(());
    }
    let at = at.filter(|at| at.parse::<jiff::Timestamp>().is_ok()).map(str::to_owned);
    append::entry(journal, Remembered { kind, source: Source::Summary, said: words, at }).map(|_| ())
}
