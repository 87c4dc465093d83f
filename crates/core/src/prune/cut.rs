//! Where a new epoch cuts.

use super::entry::{Entry, Frozen};
use super::layout::Layout;
use super::view::{seen, visible};
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
    /// How much each turn has to do with what is asked now, one for each of [`seen_turns`]; `None`: the newest count.
    pub relevance: Option<Vec<Relevance>>,
    /// Turns that are kept at most, where that is fewer than [`max_turns`].
    pub most_turns: Option<usize>,
    /// The caller wants the epoch whatever it frees. That is the caller's decision: the cut is the same, and a forced one
    /// touches the running turn no more than another.
    pub force: bool,
}

/// What relevance says of a turn (seed 003).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    /// 0..1; of two turns the higher one is kept.
    pub score: f64,
    /// What should become of it.
    pub verdict: Verdict,
    /// Pinned, or among the newest that always stay: it goes first.
    pub protected: bool,
}

/// What becomes of a turn (seed 003, Adaptive Drop Logic).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It stays, as far as there is room.
    Keep,
    /// It is condensed; the whole of it goes to cold storage.
    Condense,
    /// It goes to cold storage.
    Drop,
}

/// The view of a new epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The view.
    pub frozen: Frozen,
    /// Indices that were visible and are no longer, ascending.
    pub dropped: Vec<usize>,
    /// Where relevance chose: all that is newer than the boundary, older than the newest turn, and not kept.
    pub left: Vec<usize>,
    /// Those of them that are worth a condensed form: of the middle band, or relevant without room.
    pub condensed: Vec<usize>,
    /// Tokens of what is visible now. Above the target where the newest turn alone does not fit it.
    pub kept_tokens: u64,
    /// Tokens that the view became smaller by.
    pub freed: u64,
}

impl Cut {
    /// Nothing leaves a view of which nothing is counted.
    pub fn unchanged(frozen: Frozen) -> Self {
        Self { frozen, dropped: vec![], left: vec![], condensed: vec![], kept_tokens: 0, freed: 0 }
    }
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

/// The turns that are seen in a frozen view, oldest first, as indices of their messages.
pub fn seen_turns(entries: &[Entry], frozen: &Frozen, running: bool) -> Vec<Vec<usize>> {
    let layout = seen(entries, frozen, running);
    turns_of(&layout).into_iter().map(<[usize]>::to_vec).collect()
}

/// Where a new epoch cuts: the newest turns that fit the target, or the most relevant ones, at least the newest, at
/// most [`max_turns`]. Bulky results of kept older turns are distilled, those of the running turn are not, unless it
/// passes the hard limit: then its oldest results are, until the target is met, the newest result never. Where the
/// running turn is not in the array, the last turn is kept too, and its oldest results are distilled as far as it does
/// not fit the target.
///
/// What was out stays out and what was distilled stays distilled, so that a second cut changes nothing (FAULTS B10).
pub fn cut(entries: &[Entry], request: &CutRequest) -> Cut {
    let found = cut_once(entries, request);
    if found.left.is_empty() {
        return found;
    }
    // A result that came a turn late can make two turns one where the turn between them has left. Then age decides.
    let mut after = entries.to_vec();
    for index in &found.left {
        if let Some(entry) = after.get_mut(*index) {
            entry.left = true;
        }
    }
    let stayed = |index: &usize| found.dropped.binary_search(index).is_err();
    let expected: Vec<usize> =
        visible(entries, &request.frozen, request.running).into_iter().filter(stayed).collect();
    if visible(&after, &found.frozen, request.running) == expected {
        return found;
    }
    cut_once(entries, &CutRequest { relevance: None, ..request.clone() })
}

fn cut_once(entries: &[Entry], request: &CutRequest) -> Cut {
    let layout = seen(entries, &request.frozen, request.running);
    let turns = turns_of(&layout);
    let before = request.frozen.total(entries, &layout.shown);
    let Some((newest, older)) = turns.split_last() else {
        return Cut::unchanged(request.frozen.clone());
    };
    let target = request.target.min(request.hard);
    let mut frozen = request.frozen.clone();
    let stays = choose(entries, older, request, target, frozen.total(entries, newest));
    let mut kept: Vec<usize> = Vec::new();
    let (mut dropped, mut condensed) = (Vec::new(), Vec::new());
    for (at, (turn, stays)) in older.iter().zip(&stays).enumerate() {
        if *stays {
            kept.extend_from_slice(turn);
            continue;
        }
        dropped.extend_from_slice(turn);
        let relevance = request.relevance.as_ref().and_then(|all| all.get(at));
        if relevance.is_some_and(|relevance| relevance.verdict != Verdict::Drop) {
            condensed.extend_from_slice(turn);
        }
    }
    let bulky = |index: &usize| entries.get(*index).is_some_and(Entry::is_bulky);
    frozen.distilled.extend(kept.iter().copied().filter(bulky));
    kept.extend_from_slice(newest);
    let first = stays.iter().position(|stays| *stays).unwrap_or(older.len());
    // Where the turn begins, shown or not: a call before its first shown message may hold it together.
    frozen.boundary = layout.starts.get(first).or(kept.first()).copied().unwrap_or(frozen.boundary);
    shorten_newest(entries, newest, request, target, &mut frozen);
    frozen.distilled.retain(|index| kept.binary_search(index).is_ok());
    let kept_tokens = frozen.total(entries, &kept);
    let last = newest.first().copied().filter(|_| request.relevance.is_some()).unwrap_or(0);
    let left = (frozen.boundary..last).filter(|index| kept.binary_search(index).is_err()).collect();
    Cut { dropped, left, condensed, kept_tokens, freed: before.saturating_sub(kept_tokens), frozen }
}

/// The messages that are seen, turn by turn. Without any turn, all are one.
fn turns_of(layout: &Layout) -> Vec<&[usize]> {
    let mut turns = Vec::with_capacity(layout.starts.len());
    let mut rest = layout.shown.as_slice();
    for &next in layout.starts.iter().skip(1) {
        let (turn, others) = rest.split_at(rest.partition_point(|&index| index < next));
        turns.push(turn);
        rest = others;
    }
    if !rest.is_empty() {
        turns.push(rest);
    }
    turns
}

/// Which older turns stay. By age, the newest as long as they fit; by relevance, those that are protected, then those
/// that are relevant, the best first, each one that fits.
fn choose(
    entries: &[Entry],
    older: &[&[usize]],
    request: &CutRequest,
    target: u64,
    newest_tokens: u64,
) -> Vec<bool> {
    let cost = |turn: &[usize]| -> u64 {
        turn.iter().filter_map(|&index| entries.get(index)).map(cost_when_older).sum()
    };
    let most = max_turns(request.zone).min(request.most_turns.unwrap_or(usize::MAX)).saturating_sub(1);
    let mut order: Vec<usize> = (0..older.len()).rev().collect();
    if let Some(relevance) = &request.relevance {
        let of = |at: &usize| relevance.get(*at).copied().unwrap_or(UNKNOWN);
        order.retain(|at| of(at).protected || of(at).verdict == Verdict::Keep);
        order.sort_by(|a, b| {
            let (a, b) = (of(a), of(b));
            b.protected.cmp(&a.protected).then(b.score.total_cmp(&a.score))
        });
    }
    let mut stays = vec![false; older.len()];
    let (mut total, mut count) = (newest_tokens, 0);
    for at in order {
        let tokens = older.get(at).map_or(0, |turn| cost(turn));
        let fits = count < most && total.saturating_add(tokens) <= target;
        if fits && let Some(stays) = stays.get_mut(at) {
            *stays = true;
            (total, count) = (total + tokens, count + 1);
        } else if request.relevance.is_none() {
            break;
        }
    }
    stays
}

/// Of a turn that nobody has judged.
const UNKNOWN: Relevance = Relevance { score: 0.0, verdict: Verdict::Drop, protected: false };

/// Distils the newest turn's results as far as its limit asks for it.
fn shorten_newest(
    entries: &[Entry],
    newest: &[usize],
    request: &CutRequest,
    target: u64,
    frozen: &mut Frozen,
) {
    // Kept older turns have been distilled by now: they are within the target beside the newest.
    let limit = if request.running { request.hard } else { target };
    let total = frozen.total(entries, newest);
    if total <= limit {
        return;
    }
    let mut results: Vec<usize> = newest.iter().copied().filter(|index| is_result(entries, *index)).collect();
    if request.running {
        results.pop(); // the newest result stays whole
    }
    results.retain(|index| entries.get(*index).is_some_and(Entry::is_bulky));
    shorten(entries, &results, total, target, &mut frozen.distilled);
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
