//! A new epoch: checkpoint, drop records, shortened results, packet, and the journal line that makes it so
//! (STORE.md, Epoch). It begins under the session's lock, so that of two processes one begins it and the other finds it.

use super::super::event::{Epoch, Event, Part, Replaced};
use super::super::observe::Sink;
use super::super::{Journal, State, latest, make, view};
use super::plan::{PlanRequest, is_of_the_disk};
use super::sight::{Sights, block_tokens, sights, sights_from};
use super::{Live, Mode, activity, distill, lock, relevance, state};
use crate::checkpoint::Trigger;
use crate::enrich::check_summary;
use crate::ledger::{Scope, Status};
use crate::packet::{self, RenderOptions};
use crate::pressure::{Limits, Thresholds, Zone};
use crate::prune::{self, CutRequest, EntryKind, Frozen};
use crate::store::{DropReason, DropRecord};
use crate::{Error, Result};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Share of usable that an epoch must free, unless it is pressing.
const MIN_GAIN: f64 = 0.10;
/// Tokens of a packet: at least and at most (DESIGN section 3, View).
const PACKET_MIN: u64 = 150;
/// An entry whose first so many characters stand in the packet counts as shown.
const SHOWN_CHARS: usize = 40;

/// Why an epoch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The host dropped the head of what was visible.
    HostCompacted,
    /// The caller or the command line asks for it.
    Asked,
    /// The host's compaction is answered.
    Compaction,
    /// A rewind took away what the view begins with or what the packet shows.
    Rewound,
    /// The hard limit.
    HardLimit,
    /// Pressure crossed the trigger between two turns.
    Trigger,
}

/// What the packet may take of this usable window, in tokens.
pub(super) fn packet_limit(thresholds: &Thresholds) -> u64 {
    packet::DEFAULT_MAX_TOKENS.min(PACKET_MIN.max(thresholds.usable / 8))
}

/// Whether a rewind has taken the view's first message or something that the packet shows.
pub(super) fn is_void(state: &State, epoch: &Epoch) -> bool {
    let boundary_gone =
        epoch.boundary > 0 && epoch.boundary <= state.last_ordinal && !state.is_on_path(epoch.boundary);
    let counts = |id: &String| state.ledger.entry(id).is_some_and(|entry| state.live.counts(entry));
    boundary_gone || epoch.shown.iter().any(|id| !counts(id))
}

/// Begins the next epoch, if it is worth it.
pub(super) fn begin(
    live: &Live,
    journal: &mut Journal<'_, '_>,
    cause: Cause,
    request: &PlanRequest,
    limits: &Limits,
) -> Result<()> {
    let thresholds = limits.thresholds(&live.knobs());
    let seen = if cause == Cause::Rewound {
        // What is left may be short: the view may reach back to the beginning again.
        sights_from(state(journal), &lock(&live.own.settled), 0)
    } else {
        sights(state(journal), &lock(&live.own.settled))
    };
    let mut pass = None;
    let cut = if live.options.mode == Mode::Prune {
        pass = relevance::pass(live, journal, &seen, request, &thresholds);
        let cut = choose(live, journal, &seen, cause, request, &thresholds, pass.as_ref());
        let gain = state(journal).calibration.history_tokens(cut.freed) as f64;
        if cause == Cause::Trigger && gain < MIN_GAIN * thresholds.usable as f64 {
            return Ok(());
        }
        cut
    } else {
        prune::Cut::unchanged(seen.frozen.clone())
    };
    let replaced = distill::texts(journal, &seen, &cut.frozen)?;
    let changes = !cut.dropped.is_empty() || shortens(&seen, &replaced);
    if matches!(cause, Cause::HardLimit | Cause::Compaction) && !changes {
        live.own.figures().red_after_epoch |= cause == Cause::HardLimit;
        return Ok(()); // nothing can be done, and nothing is written over and over
    }
    let number = state(journal).epoch.as_ref().map_or(0, |epoch| epoch.n) + 1;
    let trigger = match cause {
        Cause::HostCompacted | Cause::Compaction => Trigger::Compaction,
        _ => Trigger::Epoch,
    };
    let condensed = match &pass {
        Some(pass) => condensed(live, journal, pass, &seen, &cut),
        None => state(journal).condensed.clone(),
    };
    let shortened = replaced.len() + cut.condensed.len();
    let checkpoint = checkpoint(live, journal, cause, trigger)?;
    let gone = gone_ordinals(&seen, &cut.dropped, state(journal), cause);
    let mut drops = drop_records(live, journal, &gone, number, cause, request);
    if let Some(pass) = &pass {
        score(&mut drops, pass, &seen);
    }
    match journal.locked.append_drops(&drops) {
        // At the hard limit the host's own transcript has to do: the session must go on (STORE.md, Errors).
        Err(error) if cause == Cause::HardLimit && is_of_the_disk(&error) => {
            let why = live.in_words(&error);
            live.own.figures().warn(format!("messages leave the context without being stored: {why}"));
        }
        other => other?,
    }
    let boundary = seen.entries.iter().skip(cut.frozen.boundary).find(|entry| entry.ordinal > 0);
    let boundary = boundary.map_or(state(journal).last_ordinal + 1, |entry| entry.ordinal);
    let (packet, shown) = render(live, journal, &seen, &cut.frozen, request, packet_limit(&thresholds))?;
    let epoch = Epoch {
        n: number,
        boundary: if seen.offset + cut.frozen.boundary == 0 { 0 } else { boundary },
        packet,
        summary: state(journal).next_summary(condensed.as_deref()),
        left: left_ordinals(&seen, &cut, boundary),
        band: ordinals(&seen, &cut.condensed).collect(),
        condensed,
        replaced,
        dropped: drops.len() as u64,
        at: state(journal).last_ordinal,
        checkpoint,
        shown,
    };
    journal.append(vec![Event::Epoch(epoch)])?;
    journal.locked.sync()?;
    let after = sights(state(journal), &lock(&live.own.settled));
    let shown = after.shown(Mode::Prune, request.prompt.is_none());
    let tokens_after = state(journal).calibration.history_tokens(after.view_tokens(&shown));
    let pressure = thresholds.pressure(tokens_after);
    let tokens_before = tokens_after + state(journal).calibration.history_tokens(cut.freed);
    let now = journal.now();
    activity::epoch(
        live,
        &activity::Begun { now, cause, tokens_before, tokens_after, shortened, drops: &drops },
    );
    if let Some(pass) = &pass {
        activity::curation(live, now, pass, &cut, tokens_before.saturating_sub(tokens_after));
    }
    let mut figures = live.own.figures();
    figures.red_after_epoch = thresholds.zone(pressure) >= Zone::Red;
    figures.checkpoint_saved = true;
    // What was reported of the view before it is no longer true (FAULTS E6).
    (figures.host, figures.tail) = (None, None);
    drop(figures);
    let red = live.own.figures().red_after_epoch;
    live.own.warn(live.shared.latch(|latch| latch.observe(red, pressure, request.now_ms)));
    Ok(())
}

/// Whether a result is shortened that is not yet. One whose body does not read stays whole, however often it is tried.
fn shortens(seen: &Sights, replaced: &[Replaced]) -> bool {
    let known = seen.frozen.distilled.iter().filter_map(|index| seen.entries.get(*index));
    let known: HashSet<u64> = known.map(|entry| entry.ordinal).collect();
    replaced.iter().any(|replaced| !known.contains(&replaced.ordinal))
}

/// The epoch's checkpoint. Where the host does what a checkpoint was just written for, that one is it.
fn checkpoint(
    live: &Live,
    journal: &mut Journal<'_, '_>,
    cause: Cause,
    trigger: Trigger,
) -> Result<Option<String>> {
    let known = state(journal);
    if cause == Cause::HostCompacted
        && let Some(answered) = known.checkpoint.as_ref().filter(|written| written.trigger == trigger)
        && known.answered_at.is_some_and(|at| is_all_summary(known, at))
    {
        return Ok(Some(answered.id.clone()));
    }
    let written = make::write(journal, &live.request(trigger), live.session.key())?;
    Ok(written.id().map(str::to_owned))
}

/// Whether nobody has said anything after this message: what came is the host's own summary.
fn is_all_summary(state: &State, at: u64) -> bool {
    let is_summary = |ordinal: u64| {
        state.sight(ordinal).is_some_and(|seen| matches!(seen.sight.part, Part::Summary | Part::Ours))
    };
    (at + 1..=state.last_ordinal).all(is_summary)
}

/// The host compacts: a checkpoint of what is known, and its packet, which the host keeps in place of what it drops. The
/// epoch begins when that has happened.
pub(super) fn answer(
    live: &Live,
    journal: &mut Journal<'_, '_>,
    request: &PlanRequest,
    limits: &Limits,
) -> Result<String> {
    make::write(journal, &live.request(Trigger::Compaction), live.session.key())?;
    let at = state(journal).last_ordinal;
    journal.append(vec![Event::Answered { at }])?;
    let seen = sights(state(journal), &lock(&live.own.settled));
    let limit = packet_limit(&limits.thresholds(&live.knobs()));
    let (packet, _) = render(live, journal, &seen, &seen.frozen, request, limit)?;
    Ok(packet.unwrap_or_default())
}

/// The middle band in short, made harmless as a model's summary is.
fn condensed(
    live: &Live,
    journal: &Journal<'_, '_>,
    pass: &relevance::Pass,
    seen: &Sights,
    cut: &prune::Cut,
) -> Option<String> {
    let most = live.options.config.summary_target_tokens;
    let known = state(journal);
    if !live.options.config.summarize_medium_chunks {
        return None;
    }
    let text = pass.condensed(known, seen, cut, most)?;
    check_summary(&text, most)
}

/// Writes down with which score messages left. At or below the cutoff, that is why.
fn score(drops: &mut [DropRecord], pass: &relevance::Pass, seen: &Sights) {
    let index: HashMap<u64, usize> =
        seen.entries.iter().enumerate().map(|(index, entry)| (entry.ordinal, index)).collect();
    for record in drops {
        let found = index.get(&record.chunk_id.ordinal).and_then(|index| pass.of(*index));
        record.relevance_score = found.map(|found| found.score);
        if found.is_some_and(|found| found.verdict == prune::Verdict::Drop && !found.protected) {
            record.drop_reason = DropReason::LowRelevance;
        }
    }
}

fn ordinals(seen: &Sights, indices: &[usize]) -> impl Iterator<Item = u64> {
    indices
        .iter()
        .filter_map(|index| seen.entries.get(*index))
        .map(|entry| entry.ordinal)
        .filter(|ordinal| *ordinal > 0)
}

/// What has left of the messages that are newer than the boundary, now and before.
fn left_ordinals(seen: &Sights, cut: &prune::Cut, boundary: u64) -> Vec<u64> {
    let before = seen.entries.iter().filter(|entry| entry.left).map(|entry| entry.ordinal);
    let all: BTreeSet<u64> = before.chain(ordinals(seen, &cut.left)).filter(|o| *o > boundary).collect();
    all.into_iter().collect()
}

fn choose(
    live: &Live,
    journal: &Journal<'_, '_>,
    seen: &Sights,
    cause: Cause,
    request: &PlanRequest,
    thresholds: &Thresholds,
    pass: Option<&relevance::Pass>,
) -> prune::Cut {
    let state = state(journal);
    let calibration = &state.calibration;
    let running = request.prompt.is_none();
    let zone = thresholds.zone(seen.pressure(state, running, thresholds));
    let carried = state.condensed.as_deref().filter(|_| pass.is_none());
    let summary = state.next_summary(carried).as_deref().map_or(0, block_tokens);
    let config = &live.options.config;
    let condensed =
        pass.filter(|_| config.summarize_medium_chunks).map_or(0, |_| config.summary_target_tokens);
    let blocks = packet_limit(thresholds) + summary + condensed;
    let summarised = state.rolling.is_some();
    let window = config.context_management.rolling_summary.window_size;
    let uncalibrated = |tokens: u64| (tokens as f64 / calibration.ratio().max(0.1)) as u64;
    let room = |share: f64| uncalibrated(thresholds.tokens(share)).saturating_sub(blocks);
    let tail = live.own.figures().tail.as_ref().map_or(0, |(_, tail)| block_tokens(tail));
    prune::cut(
        &seen.entries,
        &CutRequest {
            zone,
            target: room(thresholds.target),
            hard: room(thresholds.hard).saturating_sub(tail),
            // What the host has left of a turn is led by the packet that is about to be made.
            frozen: Frozen { led: seen.frozen.led || cause == Cause::HostCompacted, ..seen.frozen.clone() },
            running,
            relevance: pass.map(|pass| pass.turns.clone()),
            // Once a summary stands for the rest, only so many turns stay word for word (seed 004).
            most_turns: usize::try_from(window).ok().filter(|_| summarised),
            force: !matches!(cause, Cause::Trigger),
        },
    )
}

/// Ordinals of the messages that leave: those of the cut, and those that the host itself has dropped.
fn gone_ordinals(seen: &Sights, dropped: &[usize], state: &State, cause: Cause) -> Vec<u64> {
    let mut gone: BTreeSet<u64> = ordinals(seen, dropped).collect();
    if cause == Cause::HostCompacted {
        let here: HashSet<u64> = seen.entries.iter().map(|entry| entry.ordinal).collect();
        let before = state.in_view().take_while(|ordinal| *ordinal < state.host_floor);
        gone.extend(before.filter(|ordinal| !here.contains(ordinal)));
    }
    gone.into_iter().collect()
}

fn drop_records(
    live: &Live,
    journal: &Journal<'_, '_>,
    gone: &[u64],
    epoch: u64,
    cause: Cause,
    request: &PlanRequest,
) -> Vec<DropRecord> {
    let state = state(journal);
    let prompt = request.asked(state);
    let reason = match cause {
        Cause::HostCompacted => DropReason::HostCompaction,
        Cause::HardLimit => DropReason::HardLimit,
        _ => DropReason::Epoch,
    };
    records(live, state, gone, epoch, &reason, prompt.as_deref(), journal.now())
}

/// The session ends: what is still in the view is archived.
pub(super) fn archive(live: &Live, journal: &mut Journal<'_, '_>) -> Result<()> {
    let state = state(journal);
    let left: Vec<u64> = state.in_view().collect();
    let epoch = state.epoch.as_ref().map_or(0, |epoch| epoch.n) + 1;
    let now = journal.now().to_owned();
    let drops = records(live, state, &left, epoch, &DropReason::SessionEnd, None, &now);
    journal.locked.append_drops(&drops)?;
    activity::drops(live, &drops);
    Ok(())
}

fn records(
    live: &Live,
    state: &State,
    gone: &[u64],
    epoch: u64,
    reason: &DropReason,
    prompt: Option<&str>,
    now: &str,
) -> Vec<DropRecord> {
    if !live.options.config.cold_storage_enabled {
        return Vec::new();
    }
    let days = i64::try_from(live.options.config.recoverable_for_days).unwrap_or(i64::from(u16::MAX));
    let until = now
        .parse::<jiff::Timestamp>()
        .and_then(|at| at.checked_add(jiff::SignedDuration::from_hours(24 * days)))
        .map_or_else(|_| now.to_owned(), |at| format!("{at:.3}"));
    gone.iter()
        .filter_map(|ordinal| {
            let sighted = state.sight(*ordinal)?;
            Some(DropRecord {
                chunk_id: state.chunk(*ordinal)?,
                epoch,
                session_id: live.session.key().to_owned(),
                timestamp: now.to_owned(),
                role: role_of(sighted.sight.part).to_owned(),
                tokens: sighted.sight.tokens,
                drop_reason: reason.clone(),
                relevance_score: None,
                prompt_at_drop: prompt.map(str::to_owned),
                recoverable_until: until.clone(),
            })
        })
        .collect()
}

fn role_of(part: Part) -> &'static str {
    match part {
        Part::Person | Part::Injected | Part::Ours => "user",
        Part::Assistant => "assistant",
        Part::ToolResult => "toolResult",
        Part::Summary => "compactionSummary",
        Part::Other => "custom",
    }
}

/// The packet of the newest checkpoint, and the ids of the branch's entries that it shows.
fn render(
    live: &Live,
    journal: &mut Journal<'_, '_>,
    seen: &Sights,
    frozen: &Frozen,
    request: &PlanRequest,
    limit: u64,
) -> Result<(Option<String>, Vec<String>)> {
    let Some(checkpoint) = latest(&mut journal.locked.reader())? else {
        return Err(Error::Internal { where_: "epoch".into(), what: "its checkpoint is not there".into() });
    };
    let kept = prune::visible(&seen.entries, frozen, request.prompt.is_none());
    let person_is_kept = kept
        .iter()
        .any(|index| seen.entries.get(*index).is_some_and(|entry| entry.kind == EntryKind::Person));
    let options = RenderOptions {
        request_is_visible: person_is_kept || request.prompt.is_some(),
        compactions_free_little: live.shared.latch(|latch| latch.frees_little()),
        ..RenderOptions::with_limit(Some(limit))
    };
    let text = packet::render(&checkpoint, &options).text;
    let state = state(journal);
    let begin = |text: &str| text.chars().take(SHOWN_CHARS).collect::<String>();
    let shown = view::live(state)
        .items
        .iter()
        .filter(|item| item.status == Status::Active && text.contains(&begin(&item.entry.text)))
        .filter(|item| {
            item.members
                .iter()
                .all(|id| state.ledger.entry(id).is_some_and(|entry| entry.scope == Scope::Branch))
        })
        .map(|item| item.entry.id.clone())
        .collect();
    Ok((Some(text).filter(|text| !text.is_empty()), shown))
}
