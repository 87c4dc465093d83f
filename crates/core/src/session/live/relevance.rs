//! The relevance pass of an epoch (seed 003; DESIGN 6.7): how much each older turn has to do with what is asked now, and
//! a short form of those that matter a little.

use super::super::observe::Sink;
use super::super::{Journal, State};
use super::plan::PlanRequest;
use super::sight::Sights;
use super::{Live, Mode, state};
use crate::pressure::Thresholds;
use crate::prune::{self, Cut, EntryKind, Relevance, Verdict};
use crate::recall::{condense, relevance};
use crate::text::time::millis;
use crate::text::tokens::estimate_tokens;
use std::collections::HashMap;

/// What a pass found.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// One for each turn, oldest first.
    pub(super) turns: Vec<Relevance>,
    /// By index of the entry: what its turn got.
    of: HashMap<usize, Relevance>,
    /// What was asked.
    pub(super) prompt: String,
    /// By index of the entry, where its body could be read.
    texts: HashMap<usize, String>,
}

/// Scores every turn of the view; `None` where relevance is off, the pressure is below its trigger, nothing is asked, or
/// no messages are kept to be compared.
pub(super) fn pass(
    live: &Live,
    journal: &mut Journal<'_, '_>,
    seen: &Sights,
    request: &PlanRequest,
    thresholds: &Thresholds,
) -> Option<Pass> {
    let config = &live.options.config;
    if !config.relevance || !config.cold_storage_enabled || live.options.mode != Mode::Prune {
        return None;
    }
    let prompt = request.asked(state(journal))?;
    let pressure = seen.pressure(state(journal), request.prompt.is_none(), thresholds);
    if pressure < config.curation_trigger_pct || prompt.trim().is_empty() {
        return None;
    }
    let turns = prune::seen_turns(&seen.entries, &seen.frozen, request.prompt.is_none());
    let mut pass = Pass { prompt, ..Pass::default() };
    let now = millis(journal.now()).unwrap_or(0);
    let mut times = HashMap::new();
    for index in turns.iter().flatten() {
        let body = chunk(state(journal), seen, *index).map(|chunk| journal.locked.reader().body(chunk));
        if let Some(Ok(body)) = body {
            times.insert(*index, millis(&body.at).unwrap_or(now));
            pass.texts.insert(*index, body.text);
        }
    }
    let all: Vec<usize> = turns.iter().flatten().copied().collect();
    let texts: Vec<&str> = all.iter().map(|index| pass.texts.get(index).map_or("", String::as_str)).collect();
    let similar: HashMap<usize, f64> =
        all.iter().copied().zip(relevance::similarities(&pass.prompt, &texts)).collect();
    let is_pinned = |index: &usize| {
        let chunk = chunk(state(journal), seen, *index).map(|chunk| chunk.to_string());
        chunk.is_some_and(|chunk| state(journal).pins.contains(&chunk))
    };
    let judged: Vec<relevance::Turn> = turns
        .iter()
        .map(|turn| relevance::Turn {
            similarity: turn.iter().filter_map(|index| similar.get(index)).copied().fold(0.0, f64::max),
            at_ms: turn.iter().filter_map(|index| times.get(index)).copied().max().unwrap_or(now),
            pinned: turn.iter().any(is_pinned),
            messages: turn.len() as u64,
        })
        .collect();
    pass.turns = relevance::judge(&judged, now, &relevance::Knobs::from(config));
    for (turn, relevance) in turns.iter().zip(&pass.turns) {
        pass.of.extend(turn.iter().map(|index| (*index, *relevance)));
    }
    Some(pass)
}

impl Pass {
    /// What the turn of this entry got.
    pub(super) fn of(&self, index: usize) -> Option<Relevance> {
        self.of.get(&index).copied()
    }

    /// Messages that stay because they match.
    pub(super) fn hits(&self, cut: &Cut) -> u64 {
        let stays = |index: &usize| cut.dropped.binary_search(index).is_err();
        let kept = self.of.iter().filter(|(index, found)| found.verdict == Verdict::Keep && stays(index));
        kept.count() as u64
    }

    /// Messages that were scored.
    pub(super) fn scored(&self) -> u64 {
        self.of.len() as u64
    }

    /// The middle band in a few sentences, behind what earlier epochs have left of theirs; at most `most` tokens.
    pub(super) fn condensed(&self, state: &State, seen: &Sights, cut: &Cut, most: u64) -> Option<String> {
        let says = |index: &&usize| {
            seen.entries.get(**index).is_some_and(|entry| match entry.kind {
                EntryKind::Person | EntryKind::Assistant => true,
                // A failure is worth a line; what a tool printed is not.
                EntryKind::ToolResult => state.sight(entry.ordinal).is_some_and(|seen| seen.sight.failed),
                EntryKind::Injected | EntryKind::Summary | EntryKind::Other => false,
            })
        };
        let texts = cut.condensed.iter().filter(says).filter_map(|index| self.texts.get(index));
        let band: Vec<&str> = texts.map(String::as_str).collect();
        let new = Some(condense(&band, most)).filter(|text| !text.is_empty());
        match (state.condensed.as_deref(), new) {
            (Some(before), Some(new)) => {
                let both = format!("{before}\n{new}");
                Some(if estimate_tokens(&both) <= most { both } else { condense(&[before, &new], most) })
            }
            (before, new) => new.or_else(|| before.map(str::to_owned)),
        }
    }
}

fn chunk(state: &State, seen: &Sights, index: usize) -> Option<crate::store::ChunkId> {
    let ordinal = seen.entries.get(index)?.ordinal;
    state.chunk(ordinal).filter(|_| ordinal > 0)
}
