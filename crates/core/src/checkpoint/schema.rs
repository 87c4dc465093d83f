//! The checkpoint as it stands in the YAML file: schema v1 of seed 002 section 5.3 with DESIGN section 5. Keys and
//! their order are a compatibility surface.

use serde::{Deserialize, Serialize};

pub use crate::capture::thread::{Exchange, WorkStatus};

use crate::error::{Error, Result};

/// The value of `schema`.
pub const SCHEMA: &str = "openclaw/checkpoint";
/// The value of `schema_version`.
pub const SCHEMA_VERSION: u32 = 1;

/// A checkpoint: what an agent needs to go on after its context was dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When, why, for whom.
    pub meta: Meta,
    /// The user's latest substantive request, word for word up to 300 tokens.
    #[serde(default)]
    pub active_request: Option<String>,
    /// What the user wants in the end.
    #[serde(default)]
    pub goal: Option<String>,
    /// What is being done.
    pub working: Working,
    /// What must or must not be done.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// Choices made, oldest first.
    #[serde(default)]
    pub decisions: Vec<Decision>,
    /// Work with its state, oldest first.
    #[serde(default)]
    pub tasks: Vec<Task>,
    /// Files and tools.
    #[serde(default)]
    pub resources: Resources,
    /// The conversation in a few lines.
    #[serde(default)]
    pub thread: Thread,
    /// Unanswered or left to do, oldest first.
    #[serde(default)]
    pub open_items: Vec<String>,
    /// Learned about user and work, oldest first.
    #[serde(default)]
    pub learnings: Vec<String>,
    /// Subagents and jobs that were running.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// How many entries were superseded so far.
    #[serde(default)]
    pub superseded: u64,
    /// Over the bytes before it; filled when formatting, verified when parsing.
    #[serde(default)]
    pub integrity: Option<Integrity>,
}

impl Checkpoint {
    /// Takes over a host's object, given as JSON. Optional keys may be missing; keys of later versions are ignored.
    ///
    /// # Errors
    /// `InvalidInput`, with the key where there is one, when it is no checkpoint.
    pub fn from_json(text: &str) -> Result<Self> {
        // The place of a fault in a text that nobody has seen helps nobody: it is told of the object.
        serde_json::from_str(text)
            .or_else(|_| serde_json::from_str(text).and_then(serde_json::from_value::<Self>))
            .map_err(|cause| Error::InvalidInput(format!("not a checkpoint: {cause}")))
    }
}

/// Metadata of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// `cp_001`, ...
    pub checkpoint_id: String,
    /// The host's key of the session.
    pub session_key: String,
    /// The host's transcript, where it has one.
    #[serde(default)]
    pub session_file: Option<String>,
    /// ISO 8601, UTC.
    pub created_at: String,
    /// Why it was written.
    pub trigger: Trigger,
    /// Host compactions of this session so far.
    #[serde(default)]
    pub compaction_count: u64,
    /// How full the context was.
    pub token_usage: TokenUsage,
    /// The one before, for walking back.
    #[serde(default)]
    pub previous_checkpoint: Option<String>,
    /// `telegram`, ...
    #[serde(default)]
    pub channel: Option<String>,
    /// The host's agent.
    #[serde(default)]
    pub agent_id: Option<String>,
}

/// Why a checkpoint is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Trigger {
    /// Usage passed 80 % of the window.
    #[serde(rename = "auto-80pct")]
    Auto80Pct,
    /// The host compacts.
    #[serde(rename = "compaction")]
    Compaction,
    /// clawback's own view drops old turns.
    #[serde(rename = "epoch")]
    Epoch,
    /// The session ends.
    #[serde(rename = "session-end")]
    SessionEnd,
    /// A model's list was merged in.
    #[serde(rename = "enrichment")]
    Enrichment,
    /// Asked for by a person or a program.
    #[serde(rename = "manual")]
    Manual,
}

impl Trigger {
    const ALL: [Self; 6] =
        [Self::Auto80Pct, Self::Compaction, Self::Epoch, Self::SessionEnd, Self::Enrichment, Self::Manual];

    /// The trigger of that name, else `InvalidInput` with the names that there are.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|trigger| trigger.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|trigger| trigger.name()).collect();
            Error::InvalidInput(format!("unknown trigger {name:?}; use one of {}", names.join(", ")))
        })
    }

    /// As written in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto80Pct => "auto-80pct",
            Self::Compaction => "compaction",
            Self::Epoch => "epoch",
            Self::SessionEnd => "session-end",
            Self::Enrichment => "enrichment",
            Self::Manual => "manual",
        }
    }
}

/// Tokens at the time of the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the whole request.
    pub input_tokens: u64,
    /// The model's window in tokens.
    pub context_window: u64,
    /// The first divided by the second, 0..1, two decimals.
    pub utilization: f64,
}

/// What is being done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Working {
    /// Gist of the last real user message.
    pub topic: String,
    /// How things stand.
    pub status: WorkStatus,
    /// A turn was cut in two by the host's compaction.
    pub interrupted: bool,
    /// The last tool call, from the state file.
    pub last_tool_call: Option<ToolCall>,
    /// What comes next: from the newest real user message or the agent's announcement.
    pub next_action: String,
}

/// A tool call in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments in one line, redacted.
    pub params_summary: String,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `d1`, ... within this checkpoint.
    pub id: String,
    /// The choice.
    pub what: String,
    /// ISO 8601 time for people.
    pub when: String,
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The work.
    pub what: String,
    /// Its state: `open`, `done` or `blocked`.
    pub state: crate::ledger::TaskState,
}

/// Files and tools used during the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// Read and not modified.
    #[serde(default)]
    pub files_read: Vec<String>,
    /// Written or edited.
    #[serde(default)]
    pub files_modified: Vec<String>,
    /// Names of tools, in the order of first use.
    #[serde(default)]
    pub tools_used: Vec<String>,
}

/// The conversation in a few lines (seed 002 section 11.2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thread {
    /// First and last real user message, 100 graphemes each.
    #[serde(default)]
    pub summary: String,
    /// At most 8.
    #[serde(default)]
    pub key_exchanges: Vec<Exchange>,
    /// Last tool failures, newest last.
    #[serde(default)]
    pub errors: Vec<String>,
}

/// A running subagent or job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The host's id of it.
    pub id: String,
    /// What it was asked to do.
    #[serde(default)]
    pub task: Option<String>,
    /// ISO 8601.
    #[serde(default)]
    pub started_at: Option<String>,
}

/// End mark of the file: a cut file is never taken for a whole one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrity {
    /// Bytes before this block.
    pub bytes: u64,
    /// SHA-256 of them, in hex.
    pub hash: String,
    /// The journal position that the checkpoint covers.
    pub state_seq: u64,
}
