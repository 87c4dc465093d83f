//! Where a new epoch cuts.

use super::entry::{Entry, Frozen};
use super::layout::Layout;
use super::view::seen;
use crate::pressure::Zone;
use std::collections::BTreeSet;

/// What a new epoch is asked for. Tokens are estimates before calibration, as in [`Entry`].
#[derive(Debug, Clone)]
pub struct CutRequest {
    /// How full the context is.
    pub zone: Zone,
    /// Tokens for the kept messages, the packet and all else already taken off.
    pub target: u64,
    /// The hard limit for the kept messages, in tokens.
    pub hard: u64,
    /// The view until now; what it does not show stays out.
    pub frozen: Frozen,
    /// The running turn is in the array; false when it comes as a prompt of its own.
    pub running: bool,
    /// The caller wants the epoch whatever it frees. That is the caller's decision: the cut is the same, and a forced one
    /// touches the running turn no more than another.
    pub force: bool,
}

/// The view of a new epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The view.
    pub frozen: Frozen,
    /// Indices that were visible and are no longer, ascending.
    pub dropped: Vec<usize>,
    /// Tokens of what is visible now. Above the target where the newest turn alone does not fit it.
    pub kept_tokens: u64,
    /// Tokens that the view became smaller by.
    pub freed: u64,
}

/// How many turns an epoch keeps at most.
pub fn max_turns(zone: Zone) -> usize {
    match zone {
        Zone::Green => 8,
        Zone::Yellow => 5,
        Zone::Red => 3,
        Zone::Compact => 1,
    }
}

/// Where a new epoch cuts: the newest turns that fit the target, at least one, at most [`max_turns`]. Bulky results of
/// kept older turns are distilled, those of the running turn are not, unless it passes the hard limit: then its oldest
/// results are, until the target is met, the newest result never. Where the running turn is not in the array, the last
/// turn is kept too, and its oldest results are distilled as far as it does not fit the target.
///
/// What was out stays out and what was distilled stays distilled, so that a second cut changes nothing (FAULTS B10).
pub fn cut(entries: &[Entry], request: &CutRequest) -> Cut {
    let layout = seen(entries, &request.frozen, request.running);
    let mut frozen = choose(entries, &layout, request);
    // A boundary between turns separates no pair, so what is left is the end of what was there.
    let begin = layout.shown.partition_point(|&index| index < frozen.boundary);
    let (dropped, kept) = layout.shown.split_at(begin);
    frozen.distilled.retain(|index| kept.binary_search(index).is_ok());
    let kept_tokens = frozen.total(entries, kept);
    let before = request.frozen.total(entries, &layout.shown);
    Cut { dropped: dropped.to_vec(), kept_tokens, freed: before.saturating_sub(kept_tokens), frozen }
}

fn choose(entries: &[Entry], layout: &Layout, request: &CutRequest) -> Frozen {
    let mut frozen = request.frozen.clone();
    let Some(&newest) = layout.starts.last().or(layout.shown.first()) else { return frozen };
    let older = layout.shown.partition_point(|&index| index < newest);
    let (older, newest_turn) = layout.shown.split_at(older);

    let target = request.target.min(request.hard);
    let mut total = frozen.total(entries, newest_turn);
    frozen.boundary = newest;
    let mut end = older.len();
    for &start in layout.starts.iter().rev().skip(1).take(max_turns(request.zone) - 1) {
        let begin = older.partition_point(|&index| index < start);
        let turn = older.get(begin..end).unwrap_or_default();
        let shortest = turn.iter().filter_map(|&index| entries.get(index)).map(cost_when_older).sum::<u64>();
        if total.saturating_add(shortest) > target {
            break;
        }
        total += shortest;
        end = begin;
        frozen.boundary = start;
    }
    let bulky = |index: &usize| entries.get(*index).is_some_and(Entry::is_bulky);
    frozen.distilled.extend(older.iter().skip(end).copied().filter(bulky));

    let limit = if request.running { request.hard } else { target };
    if total > limit {
        let mut results: Vec<usize> =
            newest_turn.iter().copied().filter(|index| is_result(entries, *index)).collect();
        if request.running {
            results.pop(); // the newest result stays whole
        }
        results.retain(bulky);
        shorten(entries, &results, total, target, &mut frozen.distilled);
    }
    frozen
}

/// Distils `results`, oldest first, until `total` is at most `target`.
fn shorten(
    entries: &[Entry],
    results: &[usize],
    mut total: u64,
    target: u64,
    distilled: &mut BTreeSet<usize>,
) {
    for &index in results {
        if total <= target {
            return;
        }
        if let Some(entry) = entries.get(index)
            && distilled.insert(index)
        {
            total = total.saturating_sub(entry.tokens - entry.shortest());
        }
    }
}

fn cost_when_older(entry: &Entry) -> u64 {
    if entry.is_bulky() { entry.distilled_tokens } else { entry.tokens }
}

fn is_result(entries: &[Entry], index: usize) -> bool {
    entries.get(index).is_some_and(|entry| !entry.answers.is_empty())
}
