//! Messages in, facts out: each new message is stored, captured, and named so that it is not captured again.

use super::event::{Answer, Call, Event, Said, Seen, ToolUse};
use super::state::{State, StoredKey};
use crate::Result;
use crate::capture::{self, Captured, Capturer};
use crate::checkpoint::ToolCall;
use crate::ledger::{Entry, Fact, Kind, Place};
use crate::message::{self, Block, Key, Message, Role};
use crate::store::{Body, ChunkId};
use crate::text::{clip, redact};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Tokens of a user's message that the thread keeps: enough for the active request (DESIGN 6.11).
const USER_TOKENS: u64 = 400;
/// Tokens of an agent's message that the thread keeps: its start and its end, where questions and next steps stand.
const AGENT_TOKENS: u64 = 240;
/// Bodies are written in groups of this many messages.
const BODY_GROUP: usize = 64;
/// Most bytes of a message's text that are kept; of a longer one its start and its end.
const BODY_BYTES: usize = 2 << 20;
/// Characters of a tool call's arguments in one line.
const PARAMS_CHARS: usize = 200;

/// Where events go: the session's journal under its lock, or a copy of the state that is thrown away.
pub(crate) trait Sink {
    fn state(&self) -> &State;
    /// Appends the events and applies them to the state.
    fn append(&mut self, events: Vec<Event>) -> Result<()>;
    fn append_bodies(&mut self, bodies: &[Body]) -> Result<()>;
    /// Keys the fingerprints of this session.
    fn hash_key(&self) -> [u8; 16];
    /// ISO 8601 time, for people.
    fn now(&self) -> &str;
}

/// Captures what is new among `messages`; the same messages twice change nothing.
pub(crate) fn observe(sink: &mut impl Sink, messages: &[Message]) -> Result<()> {
    let known: Vec<Key> = sink.state().keys.iter().map(StoredKey::key).collect();
    let incoming: Vec<Key> = messages.iter().map(Message::key).collect();
    let fresh = message::unseen(&known, &incoming);
    let mut occurrences: HashMap<u64, u64> = HashMap::new();
    if fresh.iter().any(|index| incoming.get(*index).is_some_and(|key| !key.strong)) {
        for key in &known {
            *occurrences.entry(key.hash).or_default() += 1;
        }
    }
    let mut capturer = sink.state().capture.clone();
    for group in fresh.chunks(BODY_GROUP) {
        let mut ordinal = sink.state().last_ordinal;
        let mut group_messages = Vec::with_capacity(group.len());
        let mut bodies = Vec::with_capacity(group.len());
        for index in group {
            let (Some(message), Some(key)) = (messages.get(*index), incoming.get(*index)) else { continue };
            ordinal += 1;
            let occurrence = occurrences.entry(key.hash).or_default();
            let message = redacted(message);
            bodies.push(body(sink, &message, ordinal, *occurrence));
            *occurrence += 1;
            group_messages.push((ordinal, *key, message));
        }
        sink.append_bodies(&bodies)?;
        for (ordinal, key, message) in group_messages {
            take(sink, &mut capturer, ordinal, key, &message)?;
        }
    }
    Ok(())
}

/// One message: first what it yields, then its own line, so that a torn append is captured again.
fn take(
    sink: &mut impl Sink,
    capturer: &mut Capturer,
    ordinal: u64,
    key: Key,
    message: &Message,
) -> Result<()> {
    let at = time_of(message).unwrap_or_else(|| sink.now().to_owned());
    let generation = sink.state().live.generation;
    let mut positions = 0;
    for captured in capturer.take(message) {
        let place = Place { generation, ordinal, position: captured.position };
        positions = positions.max(place.position.saturating_add(1));
        let facts = facts(sink.state(), captured, place, &at);
        if !facts.is_empty() {
            sink.append(facts.into_iter().map(Event::from).collect())?;
        }
    }
    let mut events = tools(message);
    events.push(Event::Message(seen(ordinal, key, positions, message)));
    if *capturer != sink.state().capture {
        events.push(Event::Capture(capturer.clone()));
    }
    sink.append(events)
}

fn tools(message: &Message) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (_, name, arguments) in message.tool_calls() {
        events.push(Event::Tool(ToolUse { name: name.to_owned(), ..ToolUse::default() }));
        events.push(Event::LastToolCall(ToolCall {
            name: name.to_owned(),
            params_summary: params_summary(arguments),
        }));
    }
    if let Some(error) = capture::error_line(message) {
        events.push(Event::Tool(ToolUse { error: Some(error), ..ToolUse::default() }));
    }
    events
}

fn seen(ordinal: u64, key: Key, positions: u32, message: &Message) -> Seen {
    let calls = message.tool_calls().map(|(id, name, arguments)| {
        let effect = capture::tool_use(name, arguments, false);
        Call {
            id: id.to_owned(),
            effect: ToolUse {
                name: name.to_owned(),
                read: effect.read,
                modified: effect.modified,
                error: None,
            },
        }
    });
    let own = message.tool_call_id.iter().map(|id| Answer { call: id.clone(), failed: message.is_error });
    let inner = message.blocks.iter().filter_map(|block| match block {
        Block::ToolResult { id, is_error, .. } => Some(Answer { call: id.clone(), failed: *is_error }),
        _ => None,
    });
    let finished = |reason: &&str| matches!(*reason, "stop" | "end_turn" | "toolUse" | "tool_use");
    Seen {
        ordinal,
        key: StoredKey::new(key).hex().to_owned(),
        strong: key.strong,
        role: message::role_name(&message.role).to_owned(),
        said: said(message),
        positions,
        calls: calls.collect(),
        answers: own.chain(inner).collect(),
        stopped: message.stop_reason.as_deref().filter(|reason| !finished(reason)).map(str::to_owned),
    }
}

fn said(message: &Message) -> Option<Said> {
    match message.role {
        Role::User => {
            let text = capture::user_text(message)?;
            let text = clip::head_and_tail(&text, USER_TOKENS, "\n[...]\n").into_owned();
            Some(Said { by: "user".to_owned(), text })
        }
        Role::Assistant => {
            let text = message.text();
            if text.trim().is_empty() {
                return None;
            }
            let text = clip::head_and_tail(&text, AGENT_TOKENS, "\n[...]\n").into_owned();
            Some(Said { by: "agent".to_owned(), text })
        }
        _ => None,
    }
}

/// The message as it may be written to disk: without secrets.
fn redacted(message: &Message) -> Message {
    let mut message = message.clone();
    for block in &mut message.blocks {
        match block {
            Block::Text(text) | Block::Thinking(text) | Block::ToolResult { text, .. } => {
                if let std::borrow::Cow::Owned(clean) = redact::redact_secrets(text) {
                    *text = clean;
                }
            }
            Block::ToolCall { arguments, .. } => *arguments = redact::redact_value(arguments),
            Block::Image { .. } | Block::Other { .. } => {}
        }
    }
    message
}

fn body(sink: &impl Sink, message: &Message, ordinal: u64, occurrence: u64) -> Body {
    let chunk_id = ChunkId {
        generation: sink.state().live.generation,
        ordinal,
        fingerprint: message.fingerprint(&sink.hash_key(), occurrence),
    };
    let mut extra = Map::new();
    if let Some(id) = &message.tool_call_id {
        extra.insert("tool_call_id".to_owned(), Value::String(id.clone()));
    }
    if message.is_error {
        extra.insert("is_error".to_owned(), Value::Bool(true));
    }
    Body {
        chunk_id,
        at: time_of(message).unwrap_or_else(|| sink.now().to_owned()),
        role: message::role_name(&message.role).to_owned(),
        tool: message.tool_name.clone(),
        text: body_text(message),
        extra,
    }
}

/// What is kept of a message for reading it again: text, tool calls and results; pictures by their size.
fn body_text(message: &Message) -> String {
    let mut parts: Vec<String> = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) | Block::ToolResult { text, .. } => parts.push(text.clone()),
            Block::ToolCall { name, arguments, .. } => parts.push(format!("[tool call {name} {arguments}]")),
            Block::Image { bytes } => parts.push(format!("[image, {bytes} bytes]")),
            Block::Thinking(_) | Block::Other { .. } => {}
        }
    }
    let text = parts.join("\n");
    if text.len() <= BODY_BYTES {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(BODY_BYTES / 2)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - BODY_BYTES / 4)..).unwrap_or_default();
    format!("{head}\n[... {} bytes left out ...]\n{tail}", text.len() - head.len() - tail.len())
}

/// Arguments in one line, redacted and cut.
pub(crate) fn params_summary(arguments: &Value) -> String {
    let arguments = redact::redact_value(arguments);
    let line = match &arguments {
        Value::Null => String::new(),
        Value::String(text) => clip::one_line(text),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}: {}", clip::one_line(text)),
                other => format!("{name}: {other}"),
            })
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    };
    clip::ellipsize(&line, PARAMS_CHARS).into_owned()
}

fn time_of(message: &Message) -> Option<String> {
    let at = jiff::Timestamp::from_millisecond(message.timestamp?).ok()?;
    Some(format!("{at:.3}"))
}

/// The facts of one thing said: the entry and what it replaces, and what it settles.
fn facts(state: &State, captured: Captured, place: Place, at: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(settled) = &captured.resolves {
        facts = state.ledger.resolutions(settled, &captured.text, place, &state.live);
    }
    let entry = Entry {
        id: entry_id(captured.kind, place),
        kind: captured.kind,
        scope: captured.scope,
        text: captured.text,
        at: at.to_owned(),
        source: captured.source,
        place,
        confidence: captured.confidence,
        task: captured.task,
    };
    facts.extend(state.ledger.propose(entry, &state.live).facts);
    facts
}

/// The id of an entry: its place is its own.
pub(crate) fn entry_id(kind: Kind, place: Place) -> String {
    let letter = match kind {
        Kind::Goal => 'g',
        Kind::Constraint => 'c',
        Kind::Decision => 'd',
        Kind::Task => 't',
        Kind::OpenItem => 'o',
        Kind::Learning => 'l',
    };
    format!("{letter}{}-{}-{}", place.generation, place.ordinal, place.position)
}
