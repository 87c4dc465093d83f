//! The facts of a ledger and their order.

use serde::{Deserialize, Serialize};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What the user wants in the end.
    Goal,
    /// What must or must not be done on the way.
    Constraint,
    /// A choice that was made.
    Decision,
    /// A piece of work with a state.
    Task,
    /// Something unanswered or left to do.
    OpenItem,
    /// Something learned about the user or the work.
    Learning,
}

impl Kind {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Constraint => "constraint",
            Self::Decision => "decision",
            Self::Task => "task",
            Self::OpenItem => "open_item",
            Self::Learning => "learning",
        }
    }
}

/// Where an entry counts: on every path of the session, or only on the branch it was said on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// On every path of the generation.
    Session,
    /// Only while its message lies on the live path.
    Branch,
}

/// Who said it. The order is the order of trust, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A tool's result: yields files, tools, errors and task resolutions only.
    Tool,
    /// A host's compaction or branch summary.
    Summary,
    /// The agent's own words.
    Assistant,
    /// A model's list, checked.
    Enrichment,
    /// A person's words.
    User,
}

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// To be done, or being done.
    Open,
    /// Finished.
    Done,
    /// Waiting for something.
    Blocked,
}

/// Place in the conversation. Facts are ordered by it, never by arrival or clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
pub struct Place {
    /// Generation of the session: `reset` starts the next one.
    pub generation: u32,
    /// Ordinal of the message within the generation.
    pub ordinal: u64,
    /// Position within the message, or after it for facts that came without a message.
    pub position: u32,
}

/// Something remembered. Never changed once written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Unique within the session.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// The words, redacted, one line or several.
    pub text: String,
    /// ISO 8601 time for people; never used for order.
    pub at: String,
    /// Who said it.
    pub source: Source,
    /// Place in the conversation.
    pub place: Place,
    /// 0..1; host summaries are low.
    pub confidence: f32,
    /// For tasks: the state in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskState>,
}

/// `newer` replaces `older`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supersession {
    /// Id of the entry that no longer holds.
    pub older: String,
    /// Id of the entry that replaced it.
    pub newer: String,
    /// Place of the message that replaced it.
    pub place: Place,
}

/// An entry is settled: a task done, an open item answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// Id of the entry.
    pub entry: String,
    /// In which words, or by what.
    pub how: String,
    /// Place of the message that settled it.
    pub place: Place,
}

/// One fact of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// Something remembered.
    Entry(Entry),
    /// Something replaced.
    Supersession(Supersession),
    /// Something settled.
    Resolution(Resolution),
}

/// Status of an entry in a view; computed, never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    Active,
    /// Replaced by the entry with this id.
    Superseded(String),
    /// Settled, in these words.
    Resolved(String),
}
