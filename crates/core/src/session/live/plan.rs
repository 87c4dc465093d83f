//! The plan: what the model sees of the host's array (DESIGN section 3, Epoch and View). No model call; a new epoch
//! only when it is due, else the frozen view and what was appended to it.

use super::super::event::{Epoch, Event};
use super::super::observe::{Sink, remembered};
use super::super::{Journal, State};
use super::activity;
use super::epoch::{self, Cause};
use super::prior::{self, Sought};
use super::sight::{Sights, block_tokens, sights};
use super::{Done, Live, Mode, PLAN_PATIENCE, lock, state, unfinished};
use crate::message::{Key, Slot};
use crate::pressure::{Limits, Zone};
use crate::prune::{Entry, EntryKind};
use crate::store::Durability;
use crate::{Error, Result};
use serde::Serialize;

/// What a plan goes by.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// Room for history alone, in tokens.
    pub budget: Option<u64>,
    /// The running request, where it is not in the array.
    pub prompt: Option<String>,
    /// A new epoch now, to the target of this budget.
    pub force: bool,
    /// Epoch milliseconds.
    pub now_ms: u64,
}

/// What the model sees (API.md, `ContextPlan`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContextPlan {
    /// Epochs count from 1; 0 before the first.
    pub epoch: u64,
    /// The zone of the view.
    pub zone: Option<Zone>,
    /// The first message.
    pub packet: Option<String>,
    /// The last message.
    pub tail: Option<String>,
    /// Indices into the array last synced, ascending.
    pub keep: Vec<u32>,
    /// Kept messages whose text is replaced.
    pub replace: Vec<Replace>,
    /// Calibrated tokens of the whole array.
    pub tokens_before: u64,
    /// Calibrated tokens of the view.
    pub tokens_after: u64,
    /// Messages of the array that are not in the view.
    pub dropped_messages: u64,
    /// The checkpoint of the epoch.
    pub checkpoint_id: Option<String>,
    /// What the host's user should know.
    pub warnings: Vec<String>,
}

/// A kept message whose text is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replace {
    /// Index into the array last synced.
    pub index: u32,
    /// Its text.
    pub text: String,
}

impl PlanRequest {
    /// The request beside the array: a prompt that the array holds already, as the request of its running turn, is none.
    /// Taken for a new turn, it would end the running one, and results that the model has not seen yet would be shortened.
    fn beside(&self, state: &State, seen: &Sights) -> Self {
        let is_running = seen.last_entry().is_some_and(|entry| !ends_a_turn(entry));
        let is_asked = || {
            let asked = self.prompt.as_deref().and_then(remembered).zip(state.last_request());
            asked.is_some_and(|(prompt, last)| prompt.split_whitespace().eq(last.split_whitespace()))
        };
        let prompt = self.prompt.clone().filter(|_| !(is_running && is_asked()));
        Self { prompt, ..self.clone() }
    }

    /// What is asked now: the prompt, or what a person said last.
    pub(super) fn asked(&self, state: &State) -> Option<String> {
        self.prompt.clone().or_else(|| state.last_request())
    }
}

impl Live {
    /// Plans. Where another process holds the lock for longer than 200 ms, or nothing can be written, the plan is
    /// made of what is in memory, with a warning.
    pub fn plan(&self, request: PlanRequest, done: Done<ContextPlan>) {
        let (live, from_memory) = (self.clone(), self.clone());
        let request_too = request.clone();
        self.session.write_within(
            PLAN_PATIENCE,
            Durability::Written,
            move |journal| live.plan_job(journal, &request),
            Box::new(move |planned| match planned {
                Ok((plan, Some(sought))) => from_memory.offer(sought, plan, done),
                Ok((plan, None)) => done(Ok(plan)),
                Err(error) if is_of_the_disk(&error) => {
                    from_memory.plan_from_memory(request_too, &error, done)
                }
                Err(error) => done(Err(error)),
            }),
        );
    }

    /// The plan, and what is to be looked for before it is given.
    fn plan_job(
        &self,
        journal: &mut Journal<'_, '_>,
        request: &PlanRequest,
    ) -> Result<(ContextPlan, Option<Sought>)> {
        let limits = self.limits(request.budget);
        let mut trouble = Vec::new();
        self.settle_first(journal);
        self.check_generation(state(journal))?;
        if self.is_behind() {
            return Ok((self.view_of_memory(state(journal), request, &limits), None));
        }
        let mut seen = sights(state(journal), &lock(&self.own.settled));
        let request = &request.beside(state(journal), &seen);
        if let Some(cause) = self.due(state(journal), &seen, request, &limits) {
            match epoch::begin(self, journal, cause, request, &limits) {
                Ok(()) => self.measure(journal),
                Err(error) if is_of_the_disk(&error) => {
                    trouble.push(self.in_words(&error));
                }
                Err(error) => return Err(error),
            }
            seen = sights(state(journal), &lock(&self.own.settled));
        }
        let mut plan = self.view(state(journal), &seen, request, &limits, 0);
        self.keep_calibration(journal)?;
        if trouble.is_empty() {
            plan.warnings.extend(self.over_the_limit(&plan, request, &limits));
        }
        trouble.retain(|known| !plan.warnings.contains(known));
        plan.warnings.extend(trouble);
        if activity::health_is_due(self, request.now_ms) {
            let cold_chunks = journal.locked.reader().cold_chunks().unwrap_or_default();
            activity::health(self, &plan, journal.now(), request.now_ms, cold_chunks);
        }
        let turn = prior::turn(state(journal), &seen, request);
        let sought = match prior::offered(state(journal), turn) {
            Some(_) => None,
            None => self.seek(state(journal), &plan, request, &limits, turn),
        };
        Ok((plan, sought))
    }

    /// What it means for the host's user that the disk takes nothing: the same words wherever that is noticed, and no path
    /// but one that says which disk.
    pub(super) fn in_words(&self, error: &Error) -> String {
        let place = self.session.state_dir().join("context");
        let cannot = match error {
            Error::NoSpace { .. } => format!("the disk of {} is full", place.display()),
            Error::ReadOnly { .. } => format!("{} cannot be written", place.display()),
            Error::Io { cause, .. } => format!("{} cannot be written ({cause})", place.display()),
            Error::Locked { .. } => {
                return "planned from memory: another process holds the session's lock; what is new is stored with the \
                        next plan"
                    .to_owned();
            }
            other => return format!("planned from memory: {other}"),
        };
        format!(
            "{cannot}: what is said now is kept in memory and stored as soon as that is possible; until then nothing \
             leaves the context"
        )
    }

    /// What is said of a view that is above the hard limit although everything was done.
    fn over_the_limit(&self, plan: &ContextPlan, request: &PlanRequest, limits: &Limits) -> Option<String> {
        let thresholds = limits.thresholds(&self.knobs());
        let above = thresholds.pressure(plan.tokens_after) >= thresholds.hard;
        let turn = if request.prompt.is_some() { "last" } else { "running" };
        (above && self.options.mode == Mode::Prune && limits.context_window > 0).then(|| {
            format!(
                "the {turn} turn alone holds {} of {} usable tokens: its longest tool results are shortened, and its {} \
                 messages stay until a new turn begins",
                plan.tokens_after,
                thresholds.usable,
                plan.keep.len()
            )
        })
    }

    fn plan_from_memory(&self, request: PlanRequest, why: &Error, done: Done<ContextPlan>) {
        let warning = self.in_words(why);
        let live = self.clone();
        self.session.handle.submit_read(
            std::time::Duration::ZERO,
            move |reader| {
                let mut plan = live.view_of_memory(reader.state(), &request, &live.limits(request.budget));
                if !plan.warnings.contains(&warning) {
                    plan.warnings.push(warning);
                }
                Ok(plan)
            },
            done,
        );
    }

    /// Whether the host's array holds what is not settled, and what will not be with the jobs under way.
    fn is_behind(&self) -> bool {
        let believed = lock(&self.own.believed);
        let settled = lock(&self.own.settled);
        let last = |slots: &[(Key, Slot)]| (slots.len(), slots.last().map(|(key, _)| *key));
        let figures = self.own.figures();
        !figures.is_settled() || figures.is_handed_over() && last(&believed.slots) != last(&settled.slots)
    }

    /// The frozen view, and everything that is not settled yet: what nobody has looked at stays.
    fn view_of_memory(&self, state: &State, request: &PlanRequest, limits: &Limits) -> ContextPlan {
        let seen = sights(state, &lock(&self.own.settled));
        let unsettled = self.own.figures().unsettled_tokens();
        let mut plan = self.view(state, &seen, request, limits, unsettled);
        let (believed, settled) = (lock(&self.own.believed), lock(&self.own.settled));
        let same = believed.slots.iter().zip(&settled.slots).take_while(|(ours, theirs)| ours.0 == theirs.0);
        let same = u32::try_from(same.count()).unwrap_or(u32::MAX);
        let end = u32::try_from(believed.slots.len()).unwrap_or(u32::MAX);
        plan.keep.retain(|index| *index < same);
        plan.replace.retain(|replace| replace.index < same);
        plan.keep.extend(same..end);
        plan.dropped_messages = u64::from(end).saturating_sub(plan.keep.len() as u64);
        plan
    }

    /// The view of the settled array in the running epoch. `unsettled`: estimated tokens of what is in the array besides.
    fn view(
        &self,
        state: &State,
        seen: &Sights,
        request: &PlanRequest,
        limits: &Limits,
        unsettled: u64,
    ) -> ContextPlan {
        let planned = self.options.mode == Mode::Prune;
        let keep = seen.shown(self.options.mode, request.prompt.is_none());
        let before_the_first = Epoch::default();
        let epoch = state.epoch.as_ref().unwrap_or(&before_the_first);
        let replace = if planned { replaced(epoch, seen, &keep) } else { Vec::new() };
        let settled = lock(&self.own.settled);
        let (in_array, array_tokens) = (settled.slots.len(), settled.tokens() + unsettled);
        drop(settled);
        let tail = self.tail(state, seen, request, limits);
        let view_tokens = seen.view_tokens(&keep) + tail.as_deref().map_or(0, block_tokens) + unsettled;
        let calibrated = |tokens| state.calibration.history_tokens(tokens);
        let tokens_after = calibrated(view_tokens);
        let thresholds = limits.thresholds(&self.knobs());
        let pressure = thresholds.pressure(tokens_after);
        let mut figures = self.own.figures();
        let mut warnings = std::mem::take(&mut figures.warnings);
        drop(figures);
        if planned && limits.context_window == 0 {
            warnings
                .push("the context window is unknown: nothing leaves the view until it is told".to_owned());
        }
        ContextPlan {
            epoch: epoch.n,
            zone: Some(if limits.context_window == 0 { Zone::Green } else { thresholds.zone(pressure) }),
            packet: if self.options.mode == Mode::Compact { None } else { blocks(epoch) },
            tail,
            dropped_messages: (in_array - keep.len()) as u64,
            keep: keep.iter().filter_map(|index| seen.index(*index)).collect(),
            replace,
            tokens_before: calibrated(array_tokens),
            tokens_after,
            checkpoint_id: epoch.checkpoint.clone(),
            warnings,
        }
    }

    /// The gauge line and what was offered: one per turn, so that the turn's requests stay the same.
    fn tail(&self, state: &State, seen: &Sights, request: &PlanRequest, limits: &Limits) -> Option<String> {
        let turn = prior::turn(state, seen, request);
        let figures = self.own.figures();
        if let Some((of, line)) = &figures.tail
            && *of == turn
        {
            return Some(line.clone());
        }
        let usage = figures.host;
        drop(figures);
        let gauge = super::figures::gauge(self, usage, limits).line;
        // In the other modes the host itself says what became of them.
        let cut_off = (self.options.mode == Mode::Prune)
            .then(|| unfinished::note(state, seen, request.prompt.is_some()))
            .flatten();
        let line = match cut_off {
            Some(note) => Some(prior::joined(gauge, &note)),
            None => gauge,
        };
        let tail = match prior::offered(state, turn) {
            Some(block) => Some(prior::joined(line, block)),
            None => line,
        };
        self.own.figures().tail = tail.clone().map(|tail| (turn, tail));
        tail
    }

    /// Whether a new epoch is due, and why.
    fn due(&self, state: &State, seen: &Sights, request: &PlanRequest, limits: &Limits) -> Option<Cause> {
        if lock(&self.own.settled).slots.is_empty() && !(request.force || state.host_compacted) {
            return None;
        }
        if self.options.mode != Mode::Prune {
            return (state.host_compacted && state.last_ordinal > 0).then_some(Cause::HostCompacted);
        }
        if state.host_compacted && state.last_ordinal > 0 {
            return Some(Cause::HostCompacted);
        }
        if request.force || state.compaction_requested {
            return Some(Cause::Asked);
        }
        if state.epoch.as_ref().is_some_and(|epoch| epoch::is_void(state, epoch)) {
            return Some(Cause::Rewound);
        }
        if limits.context_window == 0 {
            return None; // nothing is triggered by what is unknown (FAULTS E7)
        }
        let thresholds = limits.thresholds(&self.knobs());
        let pressure = |tokens| thresholds.pressure(state.calibration.history_tokens(tokens));
        let view = seen.view_tokens(&seen.shown(Mode::Prune, request.prompt.is_none()));
        let tail = self.tail(state, seen, request, limits).as_deref().map_or(0, block_tokens);
        if pressure(view + tail) >= thresholds.hard {
            return Some(Cause::HardLimit);
        }
        // The trigger goes by what stays: a tail that an offer has made longer since would begin an epoch for a request that
        // was planned without one.
        let at_boundary = request.prompt.is_some() || is_turn_boundary(seen);
        (at_boundary && pressure(view) >= thresholds.trigger).then_some(Cause::Trigger)
    }

    /// What was learned from the host's figures goes to disk with the plan, when it has changed.
    fn keep_calibration(&self, journal: &mut Journal<'_, '_>) -> Result<()> {
        let stored = state(journal).calibration.calls();
        let newer = self
            .shared
            .belief(|belief| (belief.calibration.calls() > stored).then(|| belief.calibration.clone()));
        newer.map_or(Ok(()), |learned| journal.append(vec![Event::Calibration(learned)]))
    }
}

/// Packet and summary, in front of everything.
fn blocks(epoch: &Epoch) -> Option<String> {
    match (&epoch.packet, &epoch.summary) {
        (Some(packet), Some(summary)) => Some(format!("{packet}\n\n{summary}")),
        (packet, summary) => packet.clone().or_else(|| summary.clone()),
    }
}

fn replaced(epoch: &Epoch, seen: &Sights, keep: &[usize]) -> Vec<Replace> {
    let mut replaced: Vec<Replace> = keep
        .iter()
        .filter(|index| seen.frozen.distilled.contains(index))
        .filter_map(|index| {
            let ordinal = seen.entries.get(*index)?.ordinal;
            let text = epoch.replaced.iter().find(|replaced| replaced.ordinal == ordinal)?.text.clone();
            Some(Replace { index: seen.index(*index)?, text })
        })
        .collect();
    replaced.sort_by_key(|replaced| replaced.index);
    replaced
}

/// Between two turns: the newest message is a person's, or an answer that asks for nothing more.
fn is_turn_boundary(seen: &Sights) -> bool {
    let is_asked = |entry: &Entry| matches!(entry.kind, EntryKind::Person | EntryKind::Injected);
    seen.last_entry().is_some_and(|entry| is_asked(entry) || ends_a_turn(entry))
}

/// An answer that asks for nothing more.
fn ends_a_turn(entry: &Entry) -> bool {
    entry.kind == EntryKind::Assistant && entry.calls.is_empty()
}

/// Another process holds the lock, or the disk does not take it: the host goes on.
pub(super) fn is_of_the_disk(error: &Error) -> bool {
    matches!(
        error,
        Error::Locked { .. }
            | Error::NoSpace { .. }
            | Error::ReadOnly { .. }
            | Error::Io { .. }
            | Error::LockUnsupported { .. }
    )
}
