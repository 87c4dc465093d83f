//! The state of a session in memory: the sum of its journal.

use super::event::{Call, Event, Said, Seen, ToolUse, Written};
use crate::capture::Capturer;
use crate::checkpoint::{Agent, ToolCall};
use crate::ledger::{Fact, Ledger, LivePath, Place};
use crate::message::{self, Key, Role};
use crate::store::{Content, Line, Readable, SessionState};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Lines of the thread that are kept from its start: the first request and its first answers.
const THREAD_HEAD: usize = 4;
/// Lines of the thread that are kept from its end.
const THREAD_TAIL: usize = 60;
/// Files, tools and errors that are kept; views show fewer.
const FILES_KEPT: usize = 1_000;
const TOOLS_KEPT: usize = 200;
const ERRORS_KEPT: usize = 20;

/// Everything that is known of a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// The generation, and what of it was rewound.
    pub(crate) live: LivePath,
    /// Journal position of the newest event.
    pub(crate) seq: u64,
    /// Ordinal of the newest captured message; messages count from 1.
    pub(crate) last_ordinal: u64,
    /// The next free position after that message, for facts that come without one.
    pub(crate) next_position: u32,
    /// Keys of the captured messages, in order.
    pub(crate) keys: Vec<StoredKey>,
    pub(crate) ledger: Ledger,
    /// What capture carries from message to message.
    pub(crate) capture: Capturer,
    pub(crate) thread: Vec<Said>,
    pub(crate) files_read: Vec<String>,
    pub(crate) files_modified: Vec<String>,
    pub(crate) tools_used: Vec<String>,
    pub(crate) errors: Vec<String>,
    pub(crate) last_tool_call: Option<ToolCall>,
    /// Tool calls of the newest reply that have no result yet.
    pub(crate) open_calls: Vec<Call>,
    /// Why the agent stopped last, where it did not simply finish.
    pub(crate) stopped: Option<String>,
    /// Role of the newest captured message.
    pub(crate) last_role: Option<String>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) checkpoint: Option<Written>,
    pub(crate) compactions: u64,
    /// The older layout's files are in (`true`) or were being taken in.
    pub(crate) import: Option<bool>,
}

/// A [`Key`] as it is stored: hex, because JSON numbers lose 64-bit digits elsewhere (FAULTS A6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredKey(String, bool);

impl StoredKey {
    pub(crate) fn new(key: Key) -> Self {
        Self(format!("{:016x}", key.hash), key.strong)
    }

    pub(crate) fn hex(&self) -> &str {
        &self.0
    }

    pub(crate) fn key(&self) -> Key {
        Key { hash: u64::from_str_radix(&self.0, 16).unwrap_or(0), strong: self.1 }
    }
}

impl State {
    /// The place of a fact that comes without a message: after the newest one.
    pub(crate) fn free_place(&self) -> Place {
        Place { generation: self.live.generation, ordinal: self.last_ordinal, position: self.next_position }
    }

    /// Takes one event in.
    pub(crate) fn take(&mut self, event: Event) {
        match event {
            Event::Entry(entry) => {
                self.occupy(entry.place);
                self.ledger.insert(Fact::Entry(entry));
            }
            Event::Supersession(fact) => {
                self.occupy(fact.place);
                self.ledger.insert(Fact::Supersession(fact));
            }
            Event::Resolution(fact) => {
                self.occupy(fact.place);
                self.ledger.insert(Fact::Resolution(fact));
            }
            Event::Tool(tool) => self.take_tool(tool),
            Event::LastToolCall(call) => self.last_tool_call = Some(call),
            Event::Message(seen) => self.take_message(seen),
            Event::Capture(state) => self.capture = state,
            Event::Agents(agents) => self.agents = agents,
            Event::AgentEnded(id) => self.agents.retain(|agent| agent.id != id),
            Event::Import { done } => self.import = Some(done),
            Event::Checkpoint(written) => {
                self.compactions = written.compactions;
                self.checkpoint = Some(written);
            }
        }
    }

    fn occupy(&mut self, place: Place) {
        if place.generation == self.live.generation && place.ordinal == self.last_ordinal {
            self.next_position = self.next_position.max(place.position.saturating_add(1));
        }
    }

    fn take_tool(&mut self, tool: ToolUse) {
        remember(&mut self.tools_used, tool.name, TOOLS_KEPT);
        for path in tool.modified {
            self.files_read.retain(|read| *read != path);
            refresh(&mut self.files_modified, path, FILES_KEPT);
        }
        for path in tool.read {
            if !self.files_modified.contains(&path) {
                refresh(&mut self.files_read, path, FILES_KEPT);
            }
        }
        if let Some(error) = tool.error {
            refresh(&mut self.errors, error, ERRORS_KEPT);
        }
    }

    fn take_message(&mut self, seen: Seen) {
        if seen.ordinal <= self.last_ordinal {
            return;
        }
        self.last_ordinal = seen.ordinal;
        self.next_position = seen.positions;
        self.keys.push(StoredKey(seen.key, seen.strong));
        for answer in &seen.answers {
            if let Some(index) = self.open_calls.iter().position(|open| open.id == answer.call) {
                let call = self.open_calls.remove(index);
                if !answer.failed {
                    self.take_tool(call.effect);
                }
            }
        }
        if seen.role == message::role_name(&Role::Assistant) {
            // Calls of an earlier reply that never got an answer are given up.
            self.open_calls = seen.calls;
        }
        self.last_role = Some(seen.role);
        self.stopped = seen.stopped;
        if let Some(said) = seen.said {
            self.thread.push(said);
            if self.thread.len() > THREAD_HEAD + THREAD_TAIL {
                self.thread.remove(THREAD_HEAD);
            }
        }
    }
}

/// Adds a name that is not there yet.
fn remember(list: &mut Vec<String>, name: String, cap: usize) {
    if !name.is_empty() && !list.contains(&name) && list.len() < cap {
        list.push(name);
    }
}

/// Moves a name to the end, or adds it there; the oldest leaves when the list is full.
fn refresh(list: &mut Vec<String>, name: String, cap: usize) {
    if name.is_empty() {
        return;
    }
    list.retain(|known| *known != name);
    list.push(name);
    if list.len() > cap {
        list.remove(0);
    }
}

impl State {
    pub(crate) fn has_file(&self, path: &String) -> bool {
        self.files_read.contains(path) || self.files_modified.contains(path)
    }
}

impl SessionState for State {
    fn apply(&mut self, line: &Line) {
        self.seq = line.seq;
        if let Some(event) = Event::from_line(&line.kind, &line.fields) {
            self.take(event);
        }
    }

    fn restore(snapshot: Value) -> Result<Self> {
        serde_json::from_value(snapshot)
            .map_err(|error| Error::Corrupt(format!("the snapshot of the session does not read: {error}")))
    }

    fn snapshot(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    fn generation(&self) -> u32 {
        self.live.generation
    }

    fn readable(&self) -> Vec<Readable> {
        let view = super::view::session_view(self);
        let items = |file: &'static str, value: Value| Readable { file, content: Content::Items(value) };
        let mut files = vec![
            items("decisions.json", json!(view.decisions)),
            items("open_items.json", json!(view.open_items)),
            items("learnings.json", json!(view.learnings)),
            items("resources.json", json!(view.resources)),
            items("thread.json", json!(view.thread)),
        ];
        if let Some(call) = view.last_tool_call {
            files.push(Readable { file: "last_tool_call.json", content: Content::Bare(json!(call)) });
        }
        files
    }
}
