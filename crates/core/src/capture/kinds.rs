//! What can be said, by whom, and where it counts.

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
