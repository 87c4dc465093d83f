//! Messages in, facts out: each new message is stored, captured, and named so that it is not captured again.

use super::event::{Answer, Call, Event, Part, Said, Seen, Sight, ToolUse};
use super::state::{State, StoredKey};
use crate::Result;
use crate::capture::{self, Capturer};
use crate::checkpoint::ToolCall;
use crate::ledger::Place;
use crate::message::{self, Block, Key, Message, Role};
use crate::pressure;
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
/// The field of a body that names the call which it answers.
pub(super) const CALL_ID: &str = "tool_call_id";
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

/// A message that was not seen before.
pub(crate) struct Fresh {
    pub(crate) key: Key,
    pub(crate) message: Message,
}

/// Captures what is new among `messages`; the same messages twice change nothing.
pub(crate) fn observe(sink: &mut impl Sink, messages: &[Message]) -> Result<()> {
    let known: Vec<Key> = sink.state().keys.iter().map(StoredKey::key).collect();
    let incoming: Vec<Key> = messages.iter().map(Message::key).collect();
    let fresh = message::unseen(&known, &incoming)
        .into_iter()
        .filter_map(|index| Some((incoming.get(index)?, messages.get(index)?)))
        .filter(|(key, _)| !sink.state().known.is_of_earlier_generation(**key))
        .map(|(key, message)| Fresh { key: *key, message: message.clone() })
        .collect();
    take_fresh(sink, fresh)
}

/// Stores and captures messages that come next in the conversation, in order.
pub(crate) fn take_fresh(sink: &mut impl Sink, fresh: Vec<Fresh>) -> Result<()> {
    let mut capturer = sink.state().capture.clone();
    let mut waiting = fresh.into_iter().peekable();
    while waiting.peek().is_some() {
        let mut ordinal = sink.state().last_ordinal;
        let mut group = Vec::with_capacity(BODY_GROUP);
        let mut bodies = Vec::with_capacity(BODY_GROUP);
        let mut here: HashMap<u64, u64> = HashMap::new();
        for Fresh { key, message } in waiting.by_ref().take(BODY_GROUP) {
            ordinal += 1;
            let earlier_here = here.entry(key.hash).or_default();
            let occurrence = sink.state().occurrences(key) + *earlier_here;
            *earlier_here += 1;
            let tokens = message::estimate_message_tokens(&message);
            let message = redacted(&message);
            let typed = capture::user_text(&message);
            let body = body(sink, &message, ordinal, occurrence);
            let sight = Sight {
                part: part_of(&message, typed.is_some()),
                tokens,
                fingerprint: format!("{:016x}", body.chunk_id.fingerprint),
                failed: message.is_error,
                usage: pressure::call_tokens(&message),
            };
            bodies.push(body);
            group.push((Heard { ordinal, key, sight, typed }, message));
        }
        sink.append_bodies(&bodies)?;
        for (heard, message) in group {
            take(sink, &mut capturer, heard, &message)?;
        }
    }
    Ok(())
}

/// What is told of a message once for all that look at it.
struct Heard {
    ordinal: u64,
    key: Key,
    sight: Sight,
    /// What a person typed of it.
    typed: Option<String>,
}

/// The part that a message plays in a turn.
pub(crate) fn part(message: &Message) -> Part {
    part_of(message, capture::is_real_user_message(message))
}

fn part_of(message: &Message, typed: bool) -> Part {
    let answers = || message.blocks.iter().any(|block| matches!(block, Block::ToolResult { .. }));
    match &message.role {
        Role::CompactionSummary | Role::BranchSummary => Part::Summary,
        Role::Assistant => Part::Assistant,
        Role::ToolResult => Part::ToolResult,
        Role::User | Role::Custom if capture::is_ours(&message.text()) => Part::Ours,
        Role::User if typed => Part::Person,
        Role::User if answers() => Part::ToolResult,
        Role::User => Part::Injected,
        _ => Part::Other,
    }
}

/// One message: first what it yields, then its own line, so that a torn append is captured again.
fn take(sink: &mut impl Sink, capturer: &mut Capturer, heard: Heard, message: &Message) -> Result<()> {
    let at = time_of(message).unwrap_or_else(|| sink.now().to_owned());
    let generation = sink.state().live.generation;
    let mut positions = 0;
    for captured in capturer.take_typed(message, heard.typed.as_deref()) {
        let place = Place { generation, ordinal: heard.ordinal, position: captured.position };
        positions = positions.max(place.position.saturating_add(1));
        let facts = sink.state().ledger.hear(captured, place, &at, &sink.state().live);
        if !facts.is_empty() {
            sink.append(facts.into_iter().map(Event::from).collect())?;
        }
    }
    let mut events = tools(message);
    events.push(Event::Message(seen(heard, positions, message)));
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

fn seen(heard: Heard, positions: u32, message: &Message) -> Seen {
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
        ordinal: heard.ordinal,
        key: StoredKey::new(heard.key).hex().to_owned(),
        strong: heard.key.strong,
        sight: heard.sight,
        role: message::role_name(&message.role).to_owned(),
        said: said(message, heard.typed.as_deref()),
        positions,
        calls: calls.collect(),
        answers: own.chain(inner).collect(),
        stopped: message.stop_reason.as_deref().filter(|reason| !finished(reason)).map(str::to_owned),
    }
}

fn said(message: &Message, typed: Option<&str>) -> Option<Said> {
    match message.role {
        Role::User => {
            let text = clip::head_and_tail(typed?, USER_TOKENS, "\n[...]\n").into_owned();
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

/// What is remembered of a request, as [`State::last_request`] gives it back.
pub(super) fn remembered(request: &str) -> Option<String> {
    let request = redacted(&Message::user(request));
    said(&request, capture::user_text(&request).as_deref()).map(|said| said.text)
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

/// A message as it is stored outside the conversation's order.
pub(crate) fn stored(sink: &impl Sink, message: &Message, ordinal: u64, occurrence: u64) -> Body {
    body(sink, &redacted(message), ordinal, occurrence)
}

fn body(sink: &impl Sink, message: &Message, ordinal: u64, occurrence: u64) -> Body {
    let chunk_id = ChunkId {
        generation: sink.state().live.generation,
        ordinal,
        fingerprint: message.fingerprint(&sink.hash_key(), occurrence),
    };
    let mut extra = Map::new();
    if let Some(id) = &message.tool_call_id {
        extra.insert(CALL_ID.to_owned(), Value::String(id.clone()));
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
    let text = message.readable_text();
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
