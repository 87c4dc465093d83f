//! The settled array as pruning sees it.

use super::super::State;
use super::super::event::Part;
use super::super::state::Sighted;
use super::Mode;
use super::settle::Settled;
use crate::message::{Key, Slot};
use crate::pressure::Thresholds;
use crate::prune::{self, Entry, EntryKind, Frozen, distilled_tokens};
use crate::text::tokens::estimate_tokens;
use std::collections::HashMap;

/// The array as far as the running epoch reaches back, and its frozen view. What left with an earlier epoch is not
/// looked at again, so that the work follows the view and not the history.
pub(super) struct Sights {
    /// Index in the array of the first entry.
    pub(super) offset: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) frozen: Frozen,
    /// Estimated tokens of the packet and the summary.
    pub(super) blocks_tokens: u64,
    /// Estimated tokens of replaced texts, by index.
    replaced: HashMap<usize, u64>,
}

impl Sights {
    /// The index in the host's array of an entry.
    pub(super) fn index(&self, entry: usize) -> Option<u32> {
        u32::try_from(self.offset + entry).ok()
    }

    /// The newest message that is neither ours nor a summary.
    pub(super) fn last_entry(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| !entry.ours && entry.kind != EntryKind::Summary)
    }

    /// The newest message of a person: its index in the host's array, and itself.
    pub(super) fn last_person(&self) -> Option<(usize, &Entry)> {
        let at = self.entries.iter().rposition(|entry| entry.kind == EntryKind::Person)?;
        Some((self.offset + at, self.entries.get(at)?))
    }

    /// Calibrated share of usable that the view takes, 0..1 and above.
    pub(super) fn pressure(&self, state: &State, running: bool, thresholds: &Thresholds) -> f64 {
        let tokens = self.view_tokens(&self.shown(Mode::Prune, running));
        thresholds.pressure(state.calibration.history_tokens(tokens))
    }

    /// Estimated tokens of a message as the model sees it in this epoch.
    pub(super) fn tokens_in_view(&self, index: usize) -> u64 {
        self.replaced
            .get(&index)
            .copied()
            .unwrap_or_else(|| self.entries.get(index).map_or(0, |entry| entry.tokens))
    }

    /// Entries that the model sees. `running`: the running turn is in the array.
    pub(super) fn shown(&self, mode: Mode, running: bool) -> Vec<usize> {
        match mode {
            Mode::Prune => prune::visible(&self.entries, &self.frozen, running),
            Mode::Compact | Mode::Complement => (0..self.entries.len()).collect(),
        }
    }

    /// Estimated tokens of the view of these entries: they themselves, packet and summary.
    pub(super) fn view_tokens(&self, shown: &[usize]) -> u64 {
        shown.iter().map(|index| self.tokens_in_view(*index)).sum::<u64>() + self.blocks_tokens
    }
}

/// Tokens around a text that is a message of its own.
const FRAME_TOKENS: u64 = 5;

/// Estimated tokens of a text as a message.
pub(super) fn block_tokens(text: &str) -> u64 {
    estimate_tokens(text) + FRAME_TOKENS
}

pub(super) fn sights(state: &State, settled: &Settled) -> Sights {
    sights_from(state, settled, state.epoch.as_ref().map_or(0, |epoch| epoch.boundary))
}

/// The same, looking at everything from the message `first` on; 0: at the whole array.
pub(super) fn sights_from(state: &State, settled: &Settled, first: u64) -> Sights {
    let nobody = Sighted::default();
    let offset = begin(&settled.slots, first);
    let seen = settled.slots.get(offset..).unwrap_or_default();
    let mut newest = 0;
    let entries: Vec<Entry> = seen
        .iter()
        .map(|at| {
            let ordinal = if let (_, Slot::Known(ordinal)) = at { *ordinal } else { 0 };
            let mut entry = entry(ordinal, settled.sighted(state, at).unwrap_or(&nobody));
            entry.left = state.epoch.as_ref().is_some_and(|epoch| epoch.has_left(ordinal));
            if ordinal > newest {
                newest = if entry.kind == EntryKind::Summary { newest } else { ordinal };
            } else if entry.kind == EntryKind::ToolResult {
                // It came twice, or its host uses ids of calls again: the stored body may be another's.
                (entry.ordinal, entry.distilled_tokens) = (0, entry.tokens);
            }
            entry
        })
        .collect();
    let (mut frozen, mut replaced, mut blocks_tokens) = (Frozen::default(), HashMap::new(), 0);
    if let Some(epoch) = &state.epoch {
        frozen.boundary = boundary(&entries, first);
        frozen.led = epoch.packet.is_some() || epoch.summary.is_some();
        let texts: HashMap<u64, &str> =
            epoch.replaced.iter().map(|replaced| (replaced.ordinal, replaced.text.as_str())).collect();
        for (index, entry) in entries.iter().enumerate() {
            if let Some(text) = texts.get(&entry.ordinal).filter(|_| entry.ordinal > 0) {
                frozen.distilled.insert(index);
                replaced.insert(index, block_tokens(text));
            }
        }
        blocks_tokens =
            [&epoch.packet, &epoch.summary].into_iter().flatten().map(|text| block_tokens(text)).sum();
    }
    Sights { offset, entries, frozen, blocks_tokens, replaced }
}

/// Where in the array the message `first` stands. If it is not there: behind the last message that is older. Messages
/// that came twice have the ordinal of their first time, so that alone says little.
fn begin(slots: &[(Key, Slot)], first: u64) -> usize {
    if first == 0 {
        return 0;
    }
    let ordinal = |slot: &Slot| if let Slot::Known(ordinal) = slot { *ordinal } else { 0 };
    let there = slots.iter().rposition(|(_, slot)| ordinal(slot) == first);
    there.unwrap_or_else(|| {
        let mut newest = 0;
        let mut after = 0;
        for (index, (_, slot)) in slots.iter().enumerate() {
            if ordinal(slot) > newest {
                newest = ordinal(slot);
                after = if newest < first { index + 1 } else { after };
            }
        }
        after
    })
}

/// The index of the first message that may be kept. Summaries stand in front of what they follow, whatever their
/// ordinal.
pub(super) fn boundary(entries: &[Entry], ordinal: u64) -> usize {
    if ordinal == 0 {
        return 0;
    }
    let is_kept = |entry: &Entry| entry.ordinal >= ordinal && entry.kind != EntryKind::Summary && !entry.ours;
    entries.iter().position(is_kept).unwrap_or(entries.len())
}

fn entry(ordinal: u64, sighted: &Sighted) -> Entry {
    let kind = match sighted.sight.part {
        Part::Person => EntryKind::Person,
        Part::Injected | Part::Ours => EntryKind::Injected,
        Part::Assistant => EntryKind::Assistant,
        Part::ToolResult => EntryKind::ToolResult,
        Part::Summary => EntryKind::Summary,
        Part::Other => EntryKind::Other,
    };
    let tokens = sighted.sight.tokens;
    Entry {
        ordinal,
        kind,
        tokens,
        distilled_tokens: if kind == EntryKind::ToolResult {
            distilled_tokens(tokens, sighted.sight.failed).min(tokens)
        } else {
            tokens
        },
        calls: sighted.calls.clone(),
        answers: sighted.answers.clone(),
        ours: sighted.sight.part == Part::Ours,
        left: false,
    }
}
