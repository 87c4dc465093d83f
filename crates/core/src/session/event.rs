//! What the journal of a session says, one event a line.

use crate::capture::Capturer;
use crate::checkpoint::policy::Last;
use crate::checkpoint::{Agent, ToolCall, Trigger};
use crate::ledger::{Entry, Fact, Resolution, Supersession};
use crate::pressure::Calibration;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of the journal. Unknown kinds of newer versions are skipped when read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub(crate) enum Event {
    /// Something remembered.
    Entry(Entry),
    /// Something replaced.
    Supersession(Supersession),
    /// Something settled.
    Resolution(Resolution),
    /// A tool was used.
    Tool(ToolUse),
    /// The last tool call, in one line.
    LastToolCall(ToolCall),
    /// A message was captured. It comes after the facts that it yields, so that a torn append is captured again.
    Message(Seen),
    /// What capture carries from one message to the next.
    Capture(Capturer),
    /// All running subagents and jobs.
    Agents(Vec<Agent>),
    /// One of them ended.
    AgentEnded(String),
    /// A checkpoint was written.
    Checkpoint(Written),
    /// The older layout's files are being taken in, or have been.
    Import { done: bool },
    /// The live path ends before this ordinal: a branch, an edit, a retry.
    Rewind { from: u64 },
    /// Rewound messages are on the live path again.
    Restore { ordinals: Vec<u64> },
    /// The host compacted; the first message that it still had.
    HostCompacted { floor: u64 },
    /// A new epoch: what the model sees until the next one. It is written after bodies, drop records and checkpoint.
    Epoch(Epoch),
    /// The last line of a `commit`.
    Commit { key: String },
    /// A clean generation; the number of the newest checkpoint of the earlier ones.
    Reset { reason: String, checkpoints: u64 },
    /// Never dropped by relevance, never expires.
    Pin { chunk: String },
    /// The whole of a tool result that the host was given a short copy of.
    Spill { call: String, chunk: String },
    /// What was learned from the host's figures.
    Calibration(Calibration),
    /// A subagent or job runs.
    AgentStarted(Agent),
    /// A model wrote what left the view; it is shown from the next epoch on.
    Rolling(Rolling),
    /// A model condensed what an epoch let go of the middle band; it is shown from the next one on.
    Condensed { epoch: u64, text: String },
    /// Dropped messages were offered because they match what is asked in this turn.
    Offered(Offered),
    /// A compaction of the host was answered with the newest checkpoint, when this was the newest message.
    Answered { at: u64 },
    /// The model was asked in this epoch.
    ModelAsked { epoch: u64 },
    /// Somebody outside asks for a new epoch at the next plan (`clawback compact --now`).
    CompactionRequested,
}

/// A tool and what it did to files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ToolUse {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) modified: Vec<String>,
    /// The failure in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// A message that was captured: its key, and what the thread needs of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) ordinal: u64,
    /// [`crate::message::Key`] in hex.
    pub(crate) key: String,
    /// What pruning needs to know of it.
    #[serde(default)]
    pub(crate) sight: Sight,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) strong: bool,
    pub(crate) role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) said: Option<Said>,
    /// How many positions its facts may take.
    #[serde(default)]
    pub(crate) positions: u32,
    /// Tool calls that this message makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<Call>,
    /// Tool calls that this message answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<Answer>,
    /// Why the agent stopped, where it did not simply finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<String>,
}

/// A message as pruning sees it, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// What part it plays.
    pub(crate) part: Part,
    /// Estimated tokens.
    pub(crate) tokens: u64,
    /// Fingerprint of its first body, in hex: with generation and ordinal it is the chunk id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) fingerprint: String,
    /// A tool failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) failed: bool,
    /// Tokens that the provider reported for the call that this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<u64>,
}

/// The part that a message plays in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    /// A person typed it.
    Person,
    /// In the user's role, but not typed.
    Injected,
    /// The model.
    Assistant,
    /// The answer of a tool.
    ToolResult,
    /// A host's own summary.
    Summary,
    /// What clawback itself injected and the host kept.
    Ours,
    /// Anything else; it rides along.
    #[default]
    Other,
}

/// An epoch: the frozen view (DESIGN section 3).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Epoch {
    /// Epochs count from 1.
    pub(crate) n: u64,
    /// The first message that is kept; 0: everything.
    pub(crate) boundary: u64,
    /// The first message of the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) packet: Option<String>,
    /// The rolling summary, a second frozen block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    /// Messages newer than the boundary that have left, ascending: what is asked for has little to do with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left: Vec<u64>,
    /// What stands, within the summary, for turns that matter a little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) condensed: Option<String>,
    /// The messages of which a model may make a better one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) band: Vec<u64>,
    /// Older tool results that are shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced: Vec<Replaced>,
    /// Messages that left with this epoch.
    #[serde(default)]
    pub(crate) dropped: u64,
    /// The newest message when it began.
    pub(crate) at: u64,
    /// Its checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) checkpoint: Option<String>,
    /// Ids of the entries that the packet shows: a rewind that takes one away begins a new epoch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) shown: Vec<String>,
}

impl Epoch {
    /// Whether a message newer than the boundary has left with its turn.
    pub(crate) fn has_left(&self, ordinal: u64) -> bool {
        self.left.binary_search(&ordinal).is_ok()
    }
}

/// Dropped messages that stand in the tail of a turn (seed 004, semantic history).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Offered {
    /// The epoch: within one, no message is offered twice.
    pub(crate) epoch: u64,
    /// The turn, by its first message.
    pub(crate) turn: u64,
    /// The block, so that the turn's requests stay the same after a restart.
    pub(crate) text: String,
    /// Their chunk ids.
    pub(crate) chunks: Vec<String>,
}

/// The rolling summary of what left the view (seed 004), checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rolling {
    pub(crate) text: String,
    /// The first message that is not in it.
    pub(crate) upto: u64,
}

/// A message whose text is replaced in the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Replaced {
    pub(crate) ordinal: u64,
    pub(crate) text: String,
}

/// A tool call, and what it does to files if it succeeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) effect: ToolUse,
}

/// The end of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) call: String,
    pub(crate) failed: bool,
}

/// What a person or the agent said, cut for the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    /// `user` or `agent`.
    pub(crate) by: String,
    pub(crate) text: String,
}

/// A checkpoint that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) id: String,
    pub(crate) trigger: Trigger,
    /// Hash of its live content, for the skip rule.
    pub(crate) content: String,
    pub(crate) input_tokens: u64,
    pub(crate) context_window: u64,
    /// Host compactions after this checkpoint.
    pub(crate) compactions: u64,
}

impl Written {
    /// What the skip rule needs to know of it.
    pub(crate) fn as_last(&self) -> Last<'_> {
        Last { input_tokens: self.input_tokens, content: &self.content }
    }
}

impl From<Fact> for Event {
    fn from(fact: Fact) -> Self {
        match fact {
            Fact::Entry(entry) => Self::Entry(entry),
            Fact::Supersession(supersession) => Self::Supersession(supersession),
            Fact::Resolution(resolution) => Self::Resolution(resolution),
        }
    }
}

impl Event {
    /// The kind and the fields of the journal line.
    pub(crate) fn into_line(self) -> (String, Map<String, Value>) {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut fields)) => {
                let kind = match fields.remove("kind") {
                    Some(Value::String(kind)) => kind,
                    _ => String::new(),
                };
                (kind, fields)
            }
            // An event is made of strings, numbers and lists: serde has no way to fail on it.
            _ => (String::new(), Map::new()),
        }
    }

    /// Reads a journal line; `None` for kinds and shapes that this version does not know.
    pub(crate) fn from_line(kind: &str, fields: &Map<String, Value>) -> Option<Self> {
        let data = fields.get("data").cloned().unwrap_or(Value::Null);
        let mut object = Map::new();
        object.insert("kind".to_owned(), Value::String(kind.to_owned()));
        object.insert("data".to_owned(), data);
        serde_json::from_value(Value::Object(object)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_reads_back_from_its_line() {
        let event =
            Event::Tool(ToolUse { name: "read".into(), read: vec!["a.ts".into()], ..ToolUse::default() });
        let (kind, fields) = event.clone().into_line();
        assert_eq!(kind, "tool");
        assert_eq!(Event::from_line(&kind, &fields), Some(event));
    }

    #[test]
    fn a_kind_of_a_newer_version_is_skipped() {
        assert_eq!(Event::from_line("hologram", &Map::new()), None);
    }
}
