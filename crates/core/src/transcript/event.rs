//! What a transcript says, in one shape for all formats.

use serde::Serialize;
use serde_json::Value;

/// The family of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Session JSONL of the Pi coding agent, and of hosts that write the same entries.
    Pi,
    /// The same entries, with marks that only OpenClaw leaves.
    OpenClaw,
    /// Claude Code's JSONL (best effort: in file order, branches are not told apart).
    Claude,
    /// Codex' rollout JSONL (best effort).
    Codex,
}

/// One thing that a transcript says, in the order of the conversation. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// Always the first event, also where the file lost its first line.
    Header {
        /// Where the format was recognised.
        line: u64,
        /// The family.
        format: Format,
        /// Version of the entries; 1 where a Pi header names none, `None` where the format has no versions.
        version: Option<u64>,
        /// The host's id of the session.
        session_id: Option<String>,
        /// Working directory of the session.
        cwd: Option<String>,
        /// Epoch milliseconds.
        timestamp: Option<i64>,
        /// The session that this one was forked from.
        parent_session: Option<String>,
    },
    /// A message as the host's model saw it.
    Message {
        /// Its line.
        line: u64,
        /// The entry's id, where the format has ids.
        id: Option<String>,
        /// The host's message object; `timestamp` is added where only the entry carries one.
        value: Value,
        /// Epoch milliseconds.
        timestamp: Option<i64>,
    },
    /// The host replaced what came before by a summary.
    Compaction {
        /// Its line.
        line: u64,
        /// The entry's id.
        id: Option<String>,
        /// The host's summary, empty where it is not in the file.
        summary: String,
        /// The first entry that stayed, as the file names it; `None`: nothing before this line stayed.
        first_kept: Option<FirstKept>,
        /// The line of that entry, where it exists. Messages from there on are still in the context.
        first_kept_line: Option<u64>,
        /// Tokens of the request before it.
        tokens_before: Option<u64>,
        /// Made by an extension rather than by the host.
        from_hook: bool,
        /// Epoch milliseconds.
        timestamp: Option<i64>,
    },
    /// Summary of a branch that was left.
    BranchSummary {
        /// Its line.
        line: u64,
        /// The entry's id.
        id: Option<String>,
        /// The host's summary.
        summary: String,
        /// Branch point or abandoned leaf, as the host's version has it.
        from_id: Option<String>,
        /// Epoch milliseconds.
        timestamp: Option<i64>,
    },
    /// Another model answers from here on.
    ModelChange {
        /// Its line.
        line: u64,
        /// The provider.
        provider: Option<String>,
        /// The model.
        model_id: Option<String>,
    },
    /// How full the context was, where a format says so apart from messages.
    Usage {
        /// Its line.
        line: u64,
        /// Tokens of the last request with its answer.
        tokens: Option<u64>,
        /// The model's window in tokens.
        context_window: Option<u64>,
    },
    /// A message was replaced (`{content}`) or left out (`null`) in the model's view; history keeps it.
    ContextEdit {
        /// Its line.
        line: u64,
        /// Id of the message's entry.
        target_id: String,
        /// `null` or an object with `content`.
        replacement: Value,
    },
    /// The conversation started anew in the same file.
    Reset {
        /// Its line.
        line: u64,
    },
    /// An entry that carries no conversation, or of a kind that is not known.
    Other {
        /// Its line.
        line: u64,
        /// The entry's kind.
        kind: String,
    },
    /// Always the last event.
    End(Stats),
}

/// The first entry that a compaction kept: by id, or (Pi v1) by position among the readable entries, header included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FirstKept {
    /// Pi v2 and later.
    Id(String),
    /// Pi v1.
    Index(u64),
}

/// Counts over the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Lines, blank and damaged ones included.
    pub lines: u64,
    /// Readable entries on the live path.
    pub entries: u64,
    /// Messages among them.
    pub messages: u64,
    /// Entries that lie on branches which were left, or in side conversations; not delivered.
    pub off_path: u64,
    /// Entries whose parent is not in the file; they are taken to follow the entry before them.
    pub relinked: u64,
    /// Problems reported.
    pub problems: u64,
}

/// A line that could not be read as it stands. Reading goes on behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong and what was done.
    pub why: String,
}

/// Some of a transcript.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// In the order of the conversation.
    pub events: Vec<Event>,
    /// Damaged lines met on the way.
    pub problems: Vec<Problem>,
    /// How far the file is read, in bytes.
    pub bytes_read: u64,
    /// The file's length in bytes when it was opened.
    pub bytes_total: u64,
}
