//! How full the context is, as far as memory knows: what the last job counted, and an estimate of what still waits.

use super::super::make;
use super::settle::Batch;
use super::shared::Awaited;
use super::sight::sights;
use super::{Gauge, Journal, Live, Mode, lock, state};
use crate::Error;
use crate::message;
use crate::pressure::{
    HostUsage, Knobs, Limits, Measure, MeasureInput, MeasureSource, call_tokens, gauge_line, host_figure,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of waiting messages that are read for an estimate; more are counted by their length.
const READ_BYTES: usize = 256 << 10;
/// Bytes of a message's JSON that stand for one token where they are not read.
const BYTES_PER_TOKEN: u64 = 4;
/// Bytes of texts that wait in memory until they can be written.
const READY_BYTES: usize = 64 << 20;
/// Warnings that are kept until a plan takes them along.
const WARNINGS_KEPT: usize = 20;

/// What the gauge goes by.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Estimated tokens of the view: packet, summary, kept messages.
    pub(super) view_tokens: u64,
    /// What the provider reported last for a view that is still the same, and an estimate of what came after it.
    pub(super) reported: Option<(u64, u64)>,
    /// Anything was ever synced.
    pub(super) anything: bool,
    /// The view was still red after its newest epoch.
    pub(super) red_after_epoch: bool,
    /// Usage, 0..1, at the newest checkpoint of this handle.
    pub(super) checkpoint_saved: bool,
    /// Tokens when the host began to compact.
    pub(super) tokens_at_compaction: Option<u64>,
    /// The host's newest figure.
    pub(super) host: Option<HostUsage>,
    /// For the next plan.
    pub(super) warnings: Vec<String>,
    /// The whole array must be handed over again.
    pub(super) wants_all: bool,
    /// Estimated tokens of the part of the array that is gone from the disk, until it is taken in again.
    pub(super) lost_tokens: u64,
    /// When the last line of the health log was written, in epoch milliseconds.
    pub(super) health_logged_ms: u64,
    /// The turn and the epoch for which what left the view was last searched.
    pub(super) sought: Option<(u64, u64)>,
    /// The tail of the running turn: its first message, the text.
    pub(super) tail: Option<(u64, String)>,
    /// Why what is ready is not settled yet: the disk took nothing the last time it was tried.
    pub(super) waits_for_disk: Option<String>,
    trouble: Option<Error>,
    tickets: u64,
    /// Batches whose texts are still being handed over.
    waiting: BTreeMap<u64, Batch>,
    /// Batches that are complete. Each job settles them all, in order: what one could not for want of a lock or of
    /// room, the next one does.
    ready: VecDeque<Batch>,
    /// Messages of the batch that a job is settling: they are in the view once they are measured.
    in_hand: Vec<Arc<str>>,
}

impl Figures {
    /// Another generation: nothing that was counted holds.
    pub(super) fn start_over(&mut self) {
        let (waiting, ready) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ready));
        *self = Self { tickets: self.tickets, waiting, ready, ..Self::default() };
    }

    pub(super) fn queue(&mut self, batch: Batch) -> u64 {
        self.tickets += 1;
        self.waiting.insert(self.tickets, batch);
        self.tickets
    }

    pub(super) fn hand_over(&mut self, ticket: u64, indices: Vec<u32>, json: Arc<str>) {
        if let Some(batch) = self.waiting.get_mut(&ticket)
            && !indices.is_empty()
        {
            batch.messages.push((indices, json));
        }
    }

    /// The batch of this ticket is complete. False if there is none.
    pub(super) fn ready(&mut self, ticket: u64, awaits: impl FnOnce() -> Awaited) -> bool {
        let Some(mut batch) = self.waiting.remove(&ticket) else { return false };
        batch.awaited = Some(awaits());
        self.ready.push_back(batch);
        true
    }

    pub(super) fn next_ready(&mut self) -> Option<Batch> {
        let next = self.ready.pop_front();
        self.in_hand =
            next.iter().flat_map(|batch| &batch.messages).map(|(_, json)| Arc::clone(json)).collect();
        next
    }

    /// The batch that was taken is settled, or cannot be.
    pub(super) fn let_go(&mut self) {
        self.in_hand.clear();
    }

    /// It could not be settled now. More than fits in memory is let go of, and asked for again.
    pub(super) fn put_back(&mut self, batch: Batch) {
        self.let_go();
        self.ready.push_front(batch);
        let bytes: usize =
            self.ready.iter().flat_map(|batch| &batch.messages).map(|(_, json)| json.len()).sum();
        if bytes > READY_BYTES {
            self.ready.clear();
            self.wants_all = true;
        }
    }

    /// What was settled is gone from the disk, and with it what was about to follow.
    pub(super) fn lose(&mut self, tokens: u64) {
        let (waiting, _) = self.waiting_tokens();
        self.ready.clear();
        self.wants_all = true;
        self.lost_tokens = tokens.saturating_add(waiting);
        self.view_tokens = self.lost_tokens;
        self.warn(
            "what was stored of this session is gone from the disk: its messages are taken in again with the next sync, \
             and until then all of them stay in the view"
                .to_owned(),
        );
    }

    /// Nothing is on its way whose texts are still being handed over.
    pub(super) fn is_handed_over(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Estimated tokens of what is in the array and not settled.
    pub(super) fn unsettled_tokens(&self) -> u64 {
        self.waiting_tokens().0.saturating_add(self.lost_tokens)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.ready.is_empty()
    }

    /// An error of a queued sync: it comes out of the next plan, flush or health.
    pub(super) fn trouble(&mut self, error: &Error) {
        self.warn(error.to_string());
        self.trouble = Some(error.clone());
    }

    pub(super) fn take_trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) && self.warnings.len() < WARNINGS_KEPT {
            self.warnings.push(warning);
        }
    }

    /// What waited for the disk is settled: what was about to be said of it is over.
    pub(super) fn disk_takes_it(&mut self) {
        if let Some(over) = self.waits_for_disk.take() {
            self.warnings.retain(|warning| *warning != over);
        }
    }

    /// Tokens of what waits: read as far as it is short, else by its length. And what the provider reported in it.
    fn waiting_tokens(&self) -> (u64, Option<(u64, u64)>) {
        let (mut tokens, mut read) = (0u64, 0usize);
        let mut reported = None;
        let batches = self.ready.iter().chain(self.waiting.values());
        let waiting = batches.flat_map(|batch| &batch.messages).map(|(_, json)| json);
        for json in self.in_hand.iter().chain(waiting) {
            if read + json.len() > READ_BYTES {
                tokens = tokens.saturating_add(json.len() as u64 / BYTES_PER_TOKEN);
                continue;
            }
            read += json.len();
            for message in make::parse_messages(json).unwrap_or_default() {
                let cost = message::estimate_message_tokens(&message);
                tokens = tokens.saturating_add(cost);
                reported = after(reported, call_tokens(&message), cost);
            }
        }
        (tokens, reported)
    }
}

/// What the provider reported last, and an estimate of what came after it, with one more message.
fn after(reported: Option<(u64, u64)>, call: Option<u64>, cost: u64) -> Option<(u64, u64)> {
    match call {
        Some(call) => Some((call, 0)),
        None => reported.map(|(call, after)| (call, after.saturating_add(cost))),
    }
}

/// The gauge: the host's figure, else the provider's, else an estimate, else unknown. Looks only at memory.
pub(super) fn gauge(live: &Live, usage: Option<HostUsage>, limits: &Limits) -> Gauge {
    let figures = live.own.figures();
    let (waiting, waiting_reported) = figures.waiting_tokens();
    let view = figures.view_tokens.saturating_add(waiting);
    let anything = figures.anything || waiting > 0;
    let (settled, saved) = (figures.reported, figures.checkpoint_saved);
    drop(figures);
    let window = usage
        .and_then(|usage| usage.context_window)
        .filter(|window| window.is_finite() && *window >= 1.0)
        .map_or(limits.context_window, |window| window as u64);
    let limits = Limits { context_window: window, ..*limits };
    let fits = |(call, after): (u64, u64)| (call <= window).then_some(call.saturating_add(after));
    let reported = match (waiting_reported, settled) {
        (Some(newest), _) => fits(newest),
        (None, Some((call, after))) => fits((call, after.saturating_add(waiting))),
        (None, None) => None,
    };
    let host = usage.and_then(|usage| host_figure(&usage, window));
    if let Some(host) = host.filter(|_| anything) {
        live.shared.belief(|belief| belief.calibration.observe(host, view));
    }
    let estimate = live.shared.belief(|belief| belief.calibration.tokens(view, limits.overhead));
    let (tokens, source) = match (host, reported) {
        (Some(host), _) => (host, MeasureSource::Host),
        (None, Some(reported)) => (reported, MeasureSource::Usage),
        (None, None) if anything => (estimate, MeasureSource::Estimate),
        (None, None) => (0, MeasureSource::Unknown),
    };
    measured(tokens, source, &limits, &live.knobs(), saved)
}

fn measured(tokens: u64, source: MeasureSource, limits: &Limits, knobs: &Knobs, saved: bool) -> Gauge {
    let window = limits.context_window;
    let unknown = window == 0 || source == MeasureSource::Unknown;
    if unknown {
        let nothing =
            crate::pressure::measure(&MeasureInput { context_window: window, ..MeasureInput::default() });
        return Gauge { measure: Measure { tokens, ..nothing }, line: None, pressure: 0.0 };
    }
    let thresholds = limits.thresholds(knobs);
    let pressure = thresholds.pressure(tokens.saturating_sub(limits.overhead));
    let measure = Measure {
        tokens,
        context_window: window,
        utilization: tokens as f64 / window as f64,
        zone: thresholds.zone(pressure),
        source,
    };
    Gauge { line: gauge_line(&measure, saved), measure, pressure }
}

impl Live {
    /// Counts the settled array and the view of it. On the store's thread.
    pub(super) fn measure(&self, journal: &Journal<'_, '_>) {
        let state = state(journal);
        let settled = lock(&self.own.settled);
        let view = sights(state, &settled);
        let epoch_at = state.epoch.as_ref().map_or(0, |epoch| epoch.at).max(state.host_floor);
        let mut reported: Option<(u64, u64)> = None;
        for entry in &view.entries {
            let Some(sighted) = state.sight(entry.ordinal) else { continue };
            reported = match sighted.sight.usage {
                // What was reported before an epoch counted messages that are gone (FAULTS E6).
                Some(_) if entry.ordinal <= epoch_at => None,
                call => after(reported, call, entry.tokens),
            };
        }
        let view_tokens = view.view_tokens(&view.shown(Mode::Prune, true));
        let anything = !settled.slots.is_empty();
        drop(settled);
        let mut figures = self.own.figures();
        (figures.view_tokens, figures.reported) = (view_tokens, reported);
        figures.let_go();
        figures.anything |= anything;
    }
}
