//! The host's array on the store's thread: aligned with what is really known, its new messages captured.

use super::super::event::{Event, Part};
use super::super::observe::{Fresh, Sink, part, take_fresh};
use super::super::state::{Sighted, name_hash};
use super::super::{Journal, State, make};
use super::plan::is_of_the_disk;
use super::shared::Awaited;
use super::{Live, Mode, lock, state};
use crate::message::{self, Aligner, Alignment, Incoming, Key, Message, Slot};
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// One sync on its way to the store's thread.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// How much of the array before it stays in front.
    pub(super) keep: usize,
    /// The others.
    pub(super) incoming: Vec<Incoming>,
    /// The caller says that the array replaces what went before.
    pub(super) rewind: bool,
    /// The generation of the handle.
    pub(super) generation: u32,
    /// Texts: indices into `incoming`, and a JSON array of as many messages.
    pub(super) messages: Vec<(Vec<u32>, Arc<str>)>,
    /// Once it is complete: keeps this process's belief ahead until it is settled.
    pub(super) awaited: Option<Awaited>,
}

/// The array as the store's thread has settled it.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) slots: Vec<(Key, Slot)>,
    /// Estimated tokens of the array up to and with each message.
    sums: Vec<u64>,
    /// Messages without an ordinal (of an earlier generation), as pruning sees them.
    pub(super) strangers: HashMap<u64, Sighted>,
}

impl Settled {
    /// Estimated tokens of the whole array.
    pub(super) fn tokens(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// A message as pruning sees it.
    pub(super) fn sighted<'s>(&'s self, state: &'s State, at: &(Key, Slot)) -> Option<&'s Sighted> {
        match at {
            (_, Slot::Known(ordinal)) => state.sight(*ordinal),
            (key, _) => self.strangers.get(&key.hash),
        }
    }

    fn add_up(&mut self, state: &State) {
        let mut sum = self.tokens();
        let new: Vec<u64> = self
            .slots
            .iter()
            .skip(self.sums.len())
            .map(|slot| {
                sum += self.sighted(state, slot).map_or(0, |sighted| sighted.sight.tokens);
                sum
            })
            .collect();
        self.sums.extend(new);
    }
}

impl Live {
    /// Whether what this handle settled is gone from the disk: its files were deleted or set aside while it was open. Then
    /// the host's next array is taken in whole, and until then nothing of it leaves the view.
    pub(super) fn finds_lost(&self, state: &State) -> bool {
        let mut array = lock(&self.own.believed);
        let mut settled = lock(&self.own.settled);
        let newest = settled.slots.iter().rev().find_map(|(_, slot)| match slot {
            Slot::Known(ordinal) => Some(*ordinal),
            _ => None,
        });
        let is_reset = array.generation.is_some_and(|own| own < state.live.generation);
        if is_reset || newest.is_none_or(|newest| newest <= state.last_ordinal) {
            return false;
        }
        array.generation = Some(state.live.generation);
        let lost = std::mem::take(&mut *settled);
        drop((array, settled));
        self.own.figures().lose(lost.tokens());
        self.shared.restore(state);
        true
    }

    /// Settles every batch that is ready, in order. One that the disk does not take stays ready.
    pub(super) fn settle_ready(&self, journal: &mut Journal<'_, '_>) -> Result<()> {
        if self.finds_lost(state(journal)) {
            return Ok(());
        }
        loop {
            let next = self.own.figures().next_ready();
            let Some(batch) = next else { return Ok(()) };
            let result = self.settle(journal, &batch);
            match &result {
                Err(error) if is_of_the_disk(error) => self.own.figures().put_back(batch),
                _ => self.own.figures().let_go(),
            }
            self.shared.restore(state(journal));
            result?;
        }
    }

    /// The job of one sync. When it fails, the settled array is as before.
    fn settle(&self, journal: &mut Journal<'_, '_>, batch: &Batch) -> Result<()> {
        let generation = state(journal).live.generation;
        if batch.generation != generation {
            return Err(stale());
        }
        let found = align(journal, &lock(&self.own.settled), batch);
        let left: Vec<_> = lock(&self.own.settled).slots.get(found.keep..).unwrap_or_default().to_vec();
        let settled = self.settle_aligned(journal, batch, &found);
        let mut array = lock(&self.own.settled);
        if let Err(error) = &settled {
            self.own.figures().wants_all |= !is_of_the_disk(error);
            array.slots.truncate(found.keep);
            array.sums.truncate(found.keep);
            array.slots.extend(left);
        }
        array.add_up(state(journal));
        drop(array);
        if settled.is_ok() && batch.keep == 0 {
            self.own.figures().lost_tokens = 0;
        }
        self.measure(journal);
        settled?.map_or(Ok(()), Err)
    }

    /// Takes an array in as it was aligned. What of it did not read comes back.
    fn settle_aligned(
        &self,
        journal: &mut Journal<'_, '_>,
        batch: &Batch,
        found: &Alignment,
    ) -> Result<Option<Error>> {
        let first = found.keep.saturating_sub(batch.keep);
        let (mut texts, unreadable) = texts(&batch.messages);
        let rest = batch.incoming.get(first..).unwrap_or_default();
        follow_path(journal, found)?;
        let mut settled = lock(&self.own.settled);
        settled.slots.truncate(found.keep);
        settled.sums.truncate(found.keep);
        let mut next = state(journal).last_ordinal;
        let mut fresh = Vec::new();
        let mut ordinals: HashMap<u64, u64> = HashMap::new();
        let mut missing = false;
        for (index, (slot, message)) in (first..).zip(found.slots.iter().zip(rest)) {
            let text = texts.remove(&index);
            let slot = match (slot, text) {
                (Slot::New, _) if ordinals.contains_key(&message.key.hash) && message.key.strong => {
                    Slot::Known(ordinals.get(&message.key.hash).copied().unwrap_or(0))
                }
                (Slot::New, Some(text)) => {
                    next += 1;
                    ordinals.insert(message.key.hash, next);
                    fresh.push(Fresh { key: message.key, message: text });
                    Slot::Known(next)
                }
                (Slot::New, None) => {
                    missing = true;
                    Slot::Old
                }
                (Slot::Old, Some(text)) => {
                    settled.strangers.insert(message.key.hash, sighted(&text));
                    Slot::Old
                }
                (slot, _) => *slot,
            };
            settled.slots.push((message.key, slot));
        }
        drop(settled);
        if missing || unreadable.is_some() {
            // Next time everything is aligned anew, and what is missing is asked for again.
            self.own.figures().wants_all = true;
        }
        let last_before = state(journal).last_ordinal;
        take_fresh(journal, fresh)?;
        if found.host_compacted && self.takes_from_view(state(journal), last_before, found, rest) {
            let kept = lock(&self.own.settled);
            let floor = kept.slots.iter().filter_map(|(_, slot)| match slot {
                Slot::Known(ordinal) if may_stand_first(state(journal), *ordinal) => Some(*ordinal),
                _ => None,
            });
            let floor = floor.min().unwrap_or(last_before + 1);
            drop(kept);
            journal.append(vec![Event::HostCompacted { floor }])?;
        }
        Ok(unreadable)
    }

    /// Whether the host's compaction concerns the view. Hosts that read no more than the end of a long transcript move
    /// its head with every turn (OpenClaw: 8 bytes a token of the window); where all that went had left the view before,
    /// the frozen view stays.
    fn takes_from_view(
        &self,
        state: &State,
        known_before: u64,
        found: &Alignment,
        rest: &[Incoming],
    ) -> bool {
        let is_new_summary = |(message, slot): (&Incoming, &Slot)| message.is_summary && *slot == Slot::New;
        if self.options.mode != Mode::Prune || rest.iter().zip(&found.slots).any(is_new_summary) {
            return true;
        }
        let settled = lock(&self.own.settled);
        let known = settled.slots.iter().filter_map(|(_, slot)| match slot {
            Slot::Known(ordinal) if *ordinal <= known_before => Some(*ordinal),
            _ => None,
        });
        let view_begins = state.epoch.as_ref().map_or(0, |epoch| epoch.boundary);
        known.min().is_none_or(|oldest| oldest > view_begins)
    }
}

/// Why a handle of an earlier generation is refused.
pub(super) const STALE: &str = "the session was reset after this handle was opened; its messages are of an earlier generation. \
                                Open the session again";

/// A late write of an earlier generation (FAULTS F5).
pub(super) fn stale() -> Error {
    Error::InvalidInput(STALE.to_owned())
}

/// Whether what a host still had after a compaction may begin with this message. A summary is newer than what it stands
/// before, and a result that came twice is known by its first time, which may be gone with its call.
fn may_stand_first(state: &State, ordinal: u64) -> bool {
    let is_result = state.sight(ordinal).is_some_and(|seen| seen.sight.part == Part::ToolResult);
    !is_result && state.known.get(ordinal).is_some_and(|message| !message.is_summary)
}

fn align(journal: &Journal<'_, '_>, settled: &Settled, batch: &Batch) -> Alignment {
    let state = state(journal);
    Aligner {
        known: &state.known,
        on_path: &|ordinal| state.is_on_path(ordinal),
        previous: &settled.slots,
        host_floor: state.host_floor,
        rewind: batch.rewind,
    }
    .align(batch.keep, &batch.incoming)
}

/// What the alignment says about the live path goes into the journal.
fn follow_path(journal: &mut Journal<'_, '_>, found: &Alignment) -> Result<()> {
    let mut events = Vec::new();
    if let Some(from) = found.rewound_from {
        events.push(Event::Rewind { from });
    }
    if !found.restored.is_empty() {
        events.push(Event::Restore { ordinals: found.restored.clone() });
    }
    if events.is_empty() { Ok(()) } else { journal.append(events) }
}

/// The messages of a batch by their index. What does not read is left out, and said.
fn texts(pieces: &[(Vec<u32>, Arc<str>)]) -> (HashMap<usize, Message>, Option<Error>) {
    let mut found = HashMap::new();
    let mut trouble = None;
    for (indices, json) in pieces {
        match make::parse_messages(json) {
            Ok(messages) => {
                found.extend(indices.iter().map(|index| *index as usize).zip(messages));
            }
            Err(error) => trouble = Some(error),
        }
    }
    (found, trouble)
}

/// A message that is not captured, as pruning sees it.
fn sighted(message: &Message) -> Sighted {
    let mut sighted = Sighted::default();
    sighted.sight.part = part(message);
    sighted.sight.tokens = message::estimate_message_tokens(message);
    sighted.calls = message.tool_calls().map(|(id, _, _)| name_hash(id)).collect();
    sighted.answers = message.answered_calls().map(name_hash).collect();
    sighted
}
