//! One drop: seed 003's record, its content by reference.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::store::chunk::ChunkId;
use crate::store::line;
use crate::text::clip::{ellipsize, one_line};
use crate::text::redact::redact_secrets;
use crate::text::time::millis;
use crate::{Error, Result};

/// Graphemes of the prompt that are kept with a drop: enough to see for what it was irrelevant.
const PROMPT_GRAPHEMES: usize = 200;

/// Why a message left the view.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// Older than the newest turns that fit the target of an epoch.
    Epoch,
    /// Scored at or below the cutoff (seed 003).
    LowRelevance,
    /// The host compacted its own history.
    HostCompaction,
    /// The view was above the hard limit.
    HardLimit,
    /// A bulky tool result: a shortened text stands in its place.
    Distilled,
    /// Above a cap of the ledger or a budget.
    Cap,
    /// Handed over by the host before it entered the view.
    Spill,
    /// Archived at the end of the session.
    SessionEnd,
    /// A reason that another version knows.
    Other(String),
}

impl DropReason {
    /// The word in the files.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Epoch => "epoch",
            Self::LowRelevance => "low_relevance",
            Self::HostCompaction => "host_compaction",
            Self::HardLimit => "hard_limit",
            Self::Distilled => "distilled",
            Self::Cap => "cap",
            Self::Spill => "spill",
            Self::SessionEnd => "session_end",
            Self::Other(word) => word,
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for DropReason {
    fn from(word: &str) -> Self {
        match word {
            "epoch" => Self::Epoch,
            "low_relevance" => Self::LowRelevance,
            "host_compaction" => Self::HostCompaction,
            "hard_limit" => Self::HardLimit,
            "distilled" => Self::Distilled,
            "cap" => Self::Cap,
            "spill" => Self::Spill,
            "session_end" => Self::SessionEnd,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// That a message left the view: seed 003's record. Keyed by chunk id and epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct DropRecord {
    /// The message's body.
    pub chunk_id: ChunkId,
    /// The epoch with which it left.
    pub epoch: u64,
    /// The session's key.
    pub session_id: String,
    /// ISO 8601 time of the drop.
    pub timestamp: String,
    /// The host's role of the message.
    pub role: String,
    /// Tokens of the message as it was counted in the view.
    pub tokens: u64,
    /// Why.
    pub drop_reason: DropReason,
    /// 0..1, where a score decided.
    pub relevance_score: Option<f64>,
    /// What was asked when it left. Redacted, one line and clipped to 200 graphemes when it is stored, whatever is
    /// given.
    pub prompt_at_drop: Option<String>,
    /// ISO 8601 time up to which it can be brought back.
    pub recoverable_until: String,
}

impl DropRecord {
    /// The record as a sealed line. `InvalidInput` for a `recoverable_until` that is no time.
    pub(super) fn to_line(&self) -> Result<Vec<u8>> {
        if millis(&self.recoverable_until).is_none() {
            return Err(Error::InvalidInput(format!(
                "recoverable_until is {:?}; it must be an ISO 8601 time",
                self.recoverable_until
            )));
        }
        let mut object = Map::with_capacity(11);
        object.insert("chunk_id".into(), self.chunk_id.to_string().into());
        object.insert("epoch".into(), self.epoch.into());
        object.insert("session_id".into(), self.session_id.as_str().into());
        object.insert("timestamp".into(), self.timestamp.as_str().into());
        object.insert("role".into(), self.role.as_str().into());
        object.insert("tokens".into(), self.tokens.into());
        object.insert("drop_reason".into(), self.drop_reason.as_str().into());
        // A score that is no number is none.
        let score = self.relevance_score.map_or(Value::Null, Value::from);
        object.insert("relevance_score".into(), score);
        let prompt = self.prompt_at_drop.as_deref().map(short_prompt);
        object.insert("prompt_at_drop".into(), prompt.map_or(Value::Null, Value::from));
        object.insert("recoverable_until".into(), self.recoverable_until.as_str().into());
        line::within_limit(line::seal(object)?)
    }

    /// Reads a record's line. `None`: damaged, or another kind of line.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let object = line::unseal(bytes)?;
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let number = |name: &str| object.get(name).and_then(Value::as_u64);
        Some(Self {
            chunk_id: text("chunk_id")?.parse().ok()?,
            epoch: number("epoch")?,
            session_id: text("session_id")?.to_owned(),
            timestamp: text("timestamp")?.to_owned(),
            role: text("role").unwrap_or_default().to_owned(),
            tokens: number("tokens")?,
            drop_reason: text("drop_reason")?.into(),
            relevance_score: object.get("relevance_score").and_then(Value::as_f64),
            prompt_at_drop: text("prompt_at_drop").map(str::to_owned),
            recoverable_until: text("recoverable_until")?.to_owned(),
        })
    }
}

fn short_prompt(prompt: &str) -> String {
    ellipsize(&one_line(&redact_secrets(prompt)), PROMPT_GRAPHEMES).into_owned()
}

/// What a line of cold storage says, as far as the index needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// A drop, recoverable until a time in milliseconds.
    Drop { chunk: ChunkId, epoch: u64, until: i64 },
    /// The chunk expired.
    Tombstone(ChunkId),
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    chunk_id: std::borrow::Cow<'a, str>,
    epoch: Option<u64>,
    recoverable_until: Option<std::borrow::Cow<'a, str>>,
    expired_at: Option<std::borrow::Cow<'a, str>>,
}

/// Reads just that of a sealed line. `None`: damaged, or a kind of line that another version writes.
pub(super) fn entry(bytes: &[u8]) -> Option<Entry> {
    let whole = line::checked(bytes)?;
    let head: Head<'_> = serde_json::from_slice(whole).ok()?;
    let chunk = head.chunk_id.parse().ok()?;
    if head.expired_at.is_some() {
        return Some(Entry::Tombstone(chunk));
    }
    // A time that cannot be read must not make anything expire.
    let until = millis(&head.recoverable_until?).unwrap_or(i64::MAX);
    Some(Entry::Drop { chunk, epoch: head.epoch?, until })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record() -> DropRecord {
        DropRecord {
            chunk_id: ChunkId { generation: 1, ordinal: 4, fingerprint: 9 },
            epoch: 3,
            session_id: "agent:main:main".into(),
            timestamp: "2026-02-02T22:55:00Z".into(),
            role: "user".into(),
            tokens: 1_500,
            drop_reason: DropReason::LowRelevance,
            relevance_score: Some(0.15),
            prompt_at_drop: Some("journal search".into()),
            recoverable_until: "2026-03-02T22:55:00Z".into(),
        }
    }

    #[test]
    fn a_record_reads_back_with_every_field_of_the_seed() {
        let line = record().to_line().unwrap();
        assert_eq!(DropRecord::parse(&line), Some(record()));
        let value: Value = serde_json::from_slice(&line).unwrap();
        for field in [
            "chunk_id",
            "session_id",
            "timestamp",
            "tokens",
            "drop_reason",
            "relevance_score",
            "prompt_at_drop",
            "recoverable_until",
        ] {
            assert!(value.get(field).is_some(), "{field}");
        }
        let until = millis("2026-03-02T22:55:00Z").unwrap();
        assert_eq!(entry(&line), Some(Entry::Drop { chunk: record().chunk_id, epoch: 3, until }));
    }

    #[test]
    fn the_prompt_is_redacted_and_clipped_whoever_gives_it() {
        let key = format!("sk-ant-api03-{}", "a1B2".repeat(20));
        let long = "words ".repeat(500);
        let record = DropRecord { prompt_at_drop: Some(format!("use {key}\nand {long}")), ..record() };
        let read = DropRecord::parse(&record.to_line().unwrap()).unwrap().prompt_at_drop.unwrap();
        assert!(!read.contains(&key) && !read.contains('\n'), "{read}");
        assert!(read.chars().count() <= PROMPT_GRAPHEMES + 1, "{}", read.len());
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let record = DropRecord { recoverable_until: "in a month".into(), ..record() };
        assert_eq!(record.to_line().unwrap_err().code(), "InvalidInput");
    }

    #[test]
    fn reasons_of_other_versions_are_kept() {
        for word in ["epoch", "low_relevance", "spill", "something_new"] {
            assert_eq!(DropReason::from(word).as_str(), word);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (DropRecord::parse(&bytes), entry(&bytes));
        }
    }
}
