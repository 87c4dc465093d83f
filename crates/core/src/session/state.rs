//! The state of a session in memory: the sum of its journal.

use super::event::{Call, Epoch, Event, Offered, Part, Rolling, Said, Seen, Sight, ToolUse, Written};
use crate::capture::Capturer;
use crate::checkpoint::{Agent, ToolCall};
use crate::enrich::summary_block;
use crate::ledger::{Fact, Ledger, LivePath, Place};
use crate::message::{self, Incoming, Key, Known, Role};
use crate::pressure::Calibration;
use crate::store::{ChunkId, Content, Line, Readable, SessionState};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siphasher::sip::SipHasher13;
use std::collections::HashMap;
use std::hash::Hasher;

/// Lines of the thread that are kept from its start: the first request and its first answers.
const THREAD_HEAD: usize = 4;
/// Lines of the thread that are kept from its end.
const THREAD_TAIL: usize = 60;
/// Files, tools and errors that are kept; views show fewer.
const FILES_KEPT: usize = 1_000;
const TOOLS_KEPT: usize = 200;
const ERRORS_KEPT: usize = 20;
/// Keys of commits that are kept (STORE.md, Epoch).
const COMMITS_KEPT: usize = 64;
/// Spilled results whose chunk is remembered by tool call.
const SPILLS_KEPT: usize = 1_000;
/// Names of messages of earlier generations that are kept.
const EARLIER_KEPT: usize = 20_000;

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
    /// Keys of the captured messages of this generation, in order.
    pub(crate) keys: Vec<StoredKey>,
    /// The same messages as pruning sees them, in order.
    pub(crate) sights: Vec<Sighted>,
    /// Names of messages of earlier generations: they are never captured again.
    pub(crate) earlier: Vec<StoredKey>,
    /// The keys, for alignment.
    #[serde(skip)]
    pub(crate) known: Known,
    /// How often each message without a name was seen.
    #[serde(skip)]
    unnamed: HashMap<u64, u64>,
    /// Changes with each message, rewind and reset, in whichever process.
    pub(crate) path_version: u64,
    /// The first message that the host still had after its last compaction.
    pub(crate) host_floor: u64,
    /// The host compacted and no epoch has answered it.
    pub(crate) host_compacted: bool,
    pub(crate) epoch: Option<Epoch>,
    /// What left the view, in a model's words.
    pub(crate) rolling: Option<Rolling>,
    /// What the next epoch's condensed form begins with: the running one's, in a model's words where one was asked.
    pub(crate) condensed: Option<String>,
    /// What was offered in the running epoch; its text is that of the last turn with any.
    pub(crate) offered: Option<Offered>,
    /// The newest message when a compaction of the host was answered that has not happened yet.
    pub(crate) answered_at: Option<u64>,
    /// The last epoch in which a model was asked for help.
    pub(crate) model_asked: u64,
    /// Keys of the last commits, oldest first.
    pub(crate) commits: Vec<String>,
    pub(crate) pins: Vec<String>,
    /// Tool call and chunk of spilled results, oldest first.
    pub(crate) spills: Vec<(String, String)>,
    pub(crate) calibration: Calibration,
    /// Number of the newest checkpoint of earlier generations: those are not for resuming (FAULTS F5).
    pub(crate) earlier_checkpoints: u64,
    /// Somebody outside has asked for a new epoch.
    pub(crate) compaction_requested: bool,
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
            Event::Rewind { from } => {
                let last = self.last_ordinal;
                self.path_version += 1;
                self.live.rewind(from, last);
                // A summary that tells of a branch that was left is of no use on the other.
                self.rolling = self.rolling.take().filter(|rolling| rolling.upto <= from);
                let band = self.epoch.iter().flat_map(|epoch| &epoch.band).max().copied().unwrap_or(0);
                self.condensed = self.condensed.take().filter(|_| band < from);
            }
            Event::Restore { ordinals } => {
                self.path_version += 1;
                ordinals.into_iter().for_each(|ordinal| self.live.restore(ordinal, ordinal));
            }
            Event::HostCompacted { floor } => {
                self.host_floor = floor;
                self.host_compacted = true;
            }
            Event::Epoch(epoch) => {
                self.host_compacted = false;
                self.compaction_requested = false;
                self.condensed.clone_from(&epoch.condensed);
                self.offered = None;
                self.answered_at = None;
                self.epoch = Some(epoch);
            }
            Event::Commit { key } => push_bounded(&mut self.commits, key, COMMITS_KEPT),
            Event::Reset { checkpoints, .. } => self.start_over(checkpoints),
            Event::Pin { chunk } => {
                if !self.pins.contains(&chunk) {
                    self.pins.push(chunk);
                }
            }
            Event::Spill { call, chunk } => push_bounded(&mut self.spills, (call, chunk), SPILLS_KEPT),
            Event::Calibration(calibration) => self.calibration = calibration,
            Event::AgentStarted(agent) => {
                self.agents.retain(|known| known.id != agent.id);
                self.agents.push(agent);
            }
            Event::Rolling(rolling) => self.rolling = Some(rolling),
            Event::Condensed { epoch, text } => {
                if self.epoch.as_ref().is_some_and(|running| running.n == epoch) {
                    self.condensed = Some(text);
                }
            }
            Event::Offered(mut offered) => {
                let before = self.offered.take().filter(|before| before.epoch == offered.epoch);
                offered.chunks.extend(before.into_iter().flat_map(|before| before.chunks));
                self.offered = Some(offered);
            }
            Event::Answered { at } => self.answered_at = Some(at),
            Event::ModelAsked { epoch } => self.model_asked = epoch,
            Event::CompactionRequested => self.compaction_requested = true,
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
        self.path_version += 1;
        let calls = seen.calls.iter().map(|call| name_hash(&call.id)).collect();
        let answers = seen.answers.iter().map(|answer| name_hash(&answer.call)).collect();
        let key = StoredKey(seen.key, seen.strong);
        self.learn_key(key.key(), seen.sight.part);
        self.keys.push(key);
        self.sights.push(Sighted { sight: seen.sight, calls, answers });
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
            // One that was cut off while it wrote has called nothing yet.
            let is_cut_off = seen.stopped.as_deref().is_some_and(|why| matches!(why, "aborted" | "error"));
            self.open_calls = if is_cut_off { Vec::new() } else { seen.calls };
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

impl State {
    /// The sight of a message of this generation.
    pub(crate) fn sight(&self, ordinal: u64) -> Option<&Sighted> {
        self.sights.get(usize::try_from(ordinal.checked_sub(1)?).ok()?)
    }

    /// Whether a message lies on the live path.
    pub(crate) fn is_on_path(&self, ordinal: u64) -> bool {
        self.live.holds_ordinal(ordinal)
    }

    /// Whether a message of the live path has not left the view: it is not older than the boundary, and its turn stayed.
    pub(crate) fn is_in_view(&self, ordinal: u64) -> bool {
        let kept = |epoch: &Epoch| ordinal >= epoch.boundary && !epoch.has_left(ordinal);
        self.is_on_path(ordinal) && self.epoch.as_ref().is_none_or(kept)
    }

    /// The messages that have not left the view, oldest first.
    pub(crate) fn in_view(&self) -> impl Iterator<Item = u64> {
        let first = self.epoch.as_ref().map_or(1, |epoch| epoch.boundary.max(1));
        (first..=self.last_ordinal).filter(|ordinal| self.is_in_view(*ordinal))
    }

    /// The chunk id of a message of this generation.
    pub(crate) fn chunk(&self, ordinal: u64) -> Option<ChunkId> {
        let fingerprint = u64::from_str_radix(&self.sight(ordinal)?.sight.fingerprint, 16).ok()?;
        Some(ChunkId { generation: self.live.generation, ordinal, fingerprint })
    }

    /// The second block of the next epoch: the rolling summary, and the condensed form of turns that matter a little.
    pub(crate) fn next_summary(&self, condensed: Option<&str>) -> Option<String> {
        let rolling = self.rolling.as_ref().map(|rolling| rolling.text.as_str());
        let parts: Vec<&str> = rolling.into_iter().chain(condensed).collect();
        (!parts.is_empty()).then(|| summary_block(&parts.join("\n\n")))
    }

    /// The chunk under which the whole result of a call was spilled.
    pub(crate) fn spilled(&self, call: &str) -> Option<&str> {
        let (_, chunk) = self.spills.iter().rev().find(|(known, _)| !call.is_empty() && known == call)?;
        Some(chunk)
    }

    /// What a person said last.
    pub(crate) fn last_request(&self) -> Option<String> {
        self.thread.iter().rev().find(|said| said.by == "user").map(|said| said.text.clone())
    }

    /// A clean generation: nothing of the old one counts any more; what it stored stays searchable.
    fn start_over(&mut self, checkpoints: u64) {
        self.known.start_over();
        let strong = self.keys.drain(..).filter(|key| key.1);
        self.earlier.extend(strong);
        let over = self.earlier.len().saturating_sub(EARLIER_KEPT);
        self.earlier.drain(..over);
        *self = Self {
            live: LivePath::new(self.live.generation.saturating_add(1)),
            seq: self.seq,
            known: std::mem::take(&mut self.known),
            earlier: std::mem::take(&mut self.earlier),
            path_version: self.path_version + 1,
            ledger: std::mem::take(&mut self.ledger),
            commits: std::mem::take(&mut self.commits),
            pins: std::mem::take(&mut self.pins),
            calibration: std::mem::take(&mut self.calibration),
            earlier_checkpoints: checkpoints.max(self.earlier_checkpoints),
            import: self.import,
            ..Self::default()
        };
    }

    /// What is not stored because it follows from the rest.
    fn complete(&mut self) {
        self.known = Known::default();
        self.earlier.iter().for_each(|key| self.known.push_earlier(key.key().hash));
        let none = Sighted::default();
        let mut index = Vec::with_capacity(self.keys.len());
        for (at, key) in self.keys.iter().enumerate() {
            let sighted = self.sights.get(at).unwrap_or(&none);
            index.push((key.key(), sighted.sight.part));
        }
        index.into_iter().for_each(|(key, part)| self.learn_key(key, part));
    }

    fn learn_key(&mut self, key: Key, part: Part) {
        self.known.push(Incoming { key, is_summary: part == Part::Summary });
        if !key.strong {
            *self.unnamed.entry(key.hash).or_default() += 1;
        }
    }

    /// How often a message with this key was seen; one that its host names counts once.
    pub(crate) fn occurrences(&self, key: Key) -> u64 {
        if key.strong { 0 } else { self.unnamed.get(&key.hash).copied().unwrap_or(0) }
    }
}

/// A message as pruning sees it, with hashes of the tool calls that it makes and answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Sighted {
    pub(crate) sight: Sight,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<u64>,
}

/// Stands for the id of a tool call; only compared within one session.
pub(crate) fn name_hash(name: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(name.as_bytes());
    hasher.finish()
}

fn push_bounded<T: PartialEq>(list: &mut Vec<T>, item: T, cap: usize) {
    list.retain(|known| *known != item);
    list.push(item);
    if list.len() > cap {
        list.remove(0);
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

    fn restore(snapshot: &str) -> Result<Self> {
        let mut state: Self = serde_json::from_str(snapshot)
            .map_err(|error| Error::Corrupt(format!("the snapshot of the session does not read: {error}")))?;
        state.complete();
        Ok(state)
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
