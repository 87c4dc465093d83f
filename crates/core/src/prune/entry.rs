//! What pruning knows of a message.

use std::collections::BTreeSet;

/// One message of the array last synced, as pruning sees it: no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Ordinal of the message in the session; 0 if unknown.
    pub ordinal: u64,
    /// What kind of message it is.
    pub kind: EntryKind,
    /// Estimated tokens, before calibration.
    pub tokens: u64,
    /// Estimated tokens once distilled ([`super::distilled_tokens`]). Equal to `tokens` where distilling gains
    /// nothing; only results of tools are ever distilled.
    pub distilled_tokens: u64,
    /// Hashes of the ids of the tool calls that it makes.
    pub calls: Vec<u64>,
    /// Hashes of the ids of the tool calls that it answers. A user message with `tool_result` blocks answers too.
    pub answers: Vec<u64>,
    /// A packet or tail of clawback that came back in the array: never kept.
    pub ours: bool,
    /// It left with its turn although newer than the boundary: what is asked for has little to do with it (seed 003).
    pub left: bool,
}

/// What kind of message an [`Entry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A person's message (DESIGN 6.5).
    Person,
    /// In the user's role, but not typed by a person: a heartbeat, a system event, results of tools.
    Injected,
    /// The model's.
    Assistant,
    /// The answer of a tool.
    ToolResult,
    /// A host's raw summary of dropped history or of a branch: never kept.
    Summary,
    /// Anything else; it rides along with the turn in which it stands.
    Other,
}

/// The frozen view of an epoch: where it begins and what is shortened in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frozen {
    /// Index of the first message that may be kept. As [`super::cut`] makes it, it is the beginning of a turn.
    pub boundary: usize,
    /// Indices of the results that are shown shortened.
    pub distilled: BTreeSet<usize>,
    /// A packet or a summary stands before the kept messages. Then they need not begin with a person's: what a host that
    /// compacted within a turn has left of that turn counts as a turn, and stays.
    pub led: bool,
}

impl Frozen {
    /// Estimated tokens of message `index` in this view.
    pub fn cost(&self, entries: &[Entry], index: usize) -> u64 {
        entries
            .get(index)
            .map_or(0, |entry| if self.distilled.contains(&index) { entry.shortest() } else { entry.tokens })
    }

    /// Estimated tokens of the messages `kept` in this view.
    pub fn total(&self, entries: &[Entry], kept: &[usize]) -> u64 {
        kept.iter().map(|&index| self.cost(entries, index)).sum()
    }
}

impl Entry {
    /// Never in a view: a raw summary, clawback's own text, or of a turn that has left.
    pub(super) fn is_left_out(&self) -> bool {
        self.ours || self.left || self.kind == EntryKind::Summary
    }

    /// A person's message that can stand first. One that carries results of tools cannot: its calls would be missing.
    pub(super) fn opens_turn(&self) -> bool {
        self.kind == EntryKind::Person && self.answers.is_empty() && !self.ours
    }

    /// Tokens when shown as short as it can be.
    pub(super) fn shortest(&self) -> u64 {
        self.tokens.min(self.distilled_tokens)
    }

    /// Distilling makes it shorter.
    pub(super) fn is_bulky(&self) -> bool {
        self.kind == EntryKind::ToolResult && self.distilled_tokens < self.tokens
    }
}
