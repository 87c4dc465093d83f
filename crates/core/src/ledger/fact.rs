//! The facts of a ledger and their order.

use serde::{Deserialize, Serialize};

pub use crate::capture::{Kind, Scope, Source, TaskState};

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

impl Entry {
    /// The id of an entry of this kind: its place is its own.
    pub fn id_at(kind: Kind, place: Place) -> String {
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

/// An entry is settled: a task done, an open item answered, a decision taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// Id of the entry.
    pub entry: String,
    /// In which words, or by what.
    pub how: String,
    /// Place of the message that settled it.
    pub place: Place,
    /// Who took it back; a less trusted source does not bring it back by saying it again. Missing for what was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn_by: Option<Source>,
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
    /// Taken back, in these words: nobody wants it any more, and it was not done.
    Withdrawn(String),
}
