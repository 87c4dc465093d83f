//! The handle on a live session: the host's array comes in, a plan goes out (DESIGN sections 3 and 7, API.md
//! `ContextSession`).
//!
//! Two threads meet here. The host's thread calls [`Live::sync`] and [`Live::gauge`], which look only at memory: they
//! align the array with what this process believes is known. Everything else is a job on the store's threads, under
//! the session's lock, where the same alignment is done again on what is really known, so that two processes agree.

mod act;
mod activity;
mod distill;
mod epoch;
mod figures;
mod help;
mod lasting;
mod plan;
mod prior;
mod relevance;
mod settle;
mod shared;
mod sight;
mod unfinished;

use super::{CheckpointRequest, Done, Journal, OpenOptions, Session, State, import};
use crate::checkpoint::Trigger;
use crate::config::{self, Config};
use crate::message::{Aligner, Incoming, Key, Slot};
use crate::pressure::{HostUsage, Knobs, Limits, Measure, MeasureSource, Outcome as Settlement, Zone};
use crate::store::Durability;
use crate::{Error, Result};
use figures::Figures;
use settle::{Batch, Settled};
use shared::Shared;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use act::{CompactRequest, Compacted, PinTarget, Reason};
pub use help::{Asked, Questions};
pub use lasting::{Explained, Health};
pub use plan::{ContextPlan, PlanRequest, Replace};

/// How long a plan waits for another process's lock before it answers from memory (STORE.md, Lock).
const PLAN_PATIENCE: Duration = Duration::from_millis(200);

/// How a session treats the host's context (DESIGN section 3, Modes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// clawback chooses what the model sees.
    #[default]
    Prune,
    /// No plan: the host compacts, and clawback answers it.
    Compact,
    /// The host works as ever; checkpoint and packet only.
    Complement,
}

impl Mode {
    /// The mode of this name; `InvalidInput` for any other.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "prune" => Ok(Self::Prune),
            "compact" => Ok(Self::Compact),
            "complement" => Ok(Self::Complement),
            other => Err(Error::InvalidInput(format!(
                "mode {other:?} is unknown; there are prune, compact and complement"
            ))),
        }
    }
}

/// How a live session is opened.
#[derive(Debug, Clone, Default)]
pub struct LiveOptions {
    /// The model's limits.
    pub limits: Limits,
    /// How the host's context is treated.
    pub mode: Mode,
    /// Everything that can be configured.
    pub config: Config,
    /// The host's agent, for checkpoints.
    pub agent_id: Option<String>,
    /// `telegram`, ...
    pub channel: Option<String>,
    /// The host's transcript.
    pub session_file: Option<String>,
    /// How files are opened and written.
    pub open: OpenOptions,
}

/// What a sync found, in this process's memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Indices, counted from the first key that was handed over, of messages whose text is wanted.
    pub wanted: Vec<u32>,
    /// New messages.
    pub added: u64,
    /// Messages that left the live path.
    pub rewound: u64,
    /// The host dropped the head of what was visible.
    pub host_compacted: bool,
    /// Names this sync for [`Live::hand_over`]; 0: the array is the same as before, there is nothing to hand over.
    pub ticket: u64,
}

/// A handle. Cheap to clone; all clones share one array.
#[derive(Debug, Clone)]
pub struct Live {
    session: Session,
    shared: Arc<Shared>,
    own: Arc<Own>,
    options: Arc<LiveOptions>,
}

/// The host's array as its own thread knows it.
#[derive(Debug, Default)]
struct Array {
    slots: Vec<(Key, Slot)>,
    /// The generation in which the handle was opened, or which it began.
    generation: Option<u32>,
}

/// What belongs to one handle.
#[derive(Debug, Default)]
struct Own {
    /// The array as the host's thread last gave it.
    believed: Mutex<Array>,
    /// The array as the store's thread has settled it.
    settled: Mutex<Settled>,
    figures: Mutex<Figures>,
    limits: Mutex<Limits>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Opens a session and restores what is known of it. `done` gets the handle.
    pub fn open(state_dir: &Path, key: &str, mut options: LiveOptions, done: Done<Self>) {
        options.open.keeps_bodies = options.config.cold_storage_enabled;
        if options.config.durability == config::Durability::Full {
            options.open.durability = Durability::Full;
        }
        let opened = Session::open(state_dir, key, options.open).map(|session| Self {
            shared: shared::of(state_dir, key),
            own: Arc::new(Own { limits: Mutex::new(options.limits), ..Own::default() }),
            session: session.with_logs(&options.config),
            options: Arc::new(options),
        });
        let live = match opened {
            Ok(live) => live,
            Err(error) => return done(Err(error)),
        };
        let session = live.session.clone();
        session.read(
            move |reader| {
                let state = import::readable_state(reader, super::now())?;
                live.shared.restore(&state);
                live.own.adopt(state.live.generation);
                Ok(live)
            },
            done,
        );
    }

    /// Something for the host's user: it comes out of the next plan.
    pub fn warn(&self, warning: String) {
        self.own.warn(Some(warning));
    }

    /// The session below the handle.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The model was switched, or its limits were learned. Missing figures stay.
    pub fn set_limits(&self, change: impl FnOnce(&mut Limits), now_ms: u64) {
        change(&mut lock(&self.own.limits));
        self.shared.latch(|latch| latch.limits_changed(now_ms));
    }

    /// The thresholds that are configured.
    fn knobs(&self) -> Knobs {
        Knobs::from(&self.options.config)
    }

    /// The limits that hold now, with the overhead that was learned where none was given.
    fn limits(&self, budget: Option<u64>) -> Limits {
        let mut limits = *lock(&self.own.limits);
        if limits.overhead == 0 {
            limits.overhead = self.shared.belief(|belief| belief.calibration.overhead()).unwrap_or(0);
        }
        limits.budget = budget;
        limits
    }

    /// The host's array: its first `keep` messages are those of the last sync, `incoming` are the others. Looks only at
    /// memory. The texts of the wanted messages are handed over by [`Live::hand_over`], in order of the tickets.
    pub fn sync(&self, keep: usize, incoming: Vec<Incoming>, rewind: bool) -> Synced {
        let mut array = lock(&self.own.believed);
        let before = array.slots.len();
        if keep == 0 && std::mem::take(&mut self.own.figures().wants_all) {
            array.slots.clear();
        }
        let (found, generation) = self.shared.belief(|belief| {
            let on_path = |ordinal: u64| belief.live.holds_ordinal(ordinal);
            let found = Aligner {
                known: &belief.known,
                on_path: &on_path,
                previous: &array.slots,
                host_floor: belief.host_floor,
                rewind,
            }
            .align(keep, &incoming);
            let first = found.keep.saturating_sub(keep);
            let rest = incoming.get(first..).unwrap_or_default();
            let slots = belief.take(&found, rest);
            array.slots.truncate(found.keep);
            array.slots.extend(rest.iter().map(|message| message.key).zip(slots));
            (found, belief.live.generation)
        });
        if found.keep == before && array.slots.len() == before && before > 0 {
            return Synced::default(); // the same array again: nothing to do
        }
        let first = found.keep.saturating_sub(keep);
        let wanted = (first..)
            .zip(&found.slots)
            .filter(|(_, slot)| !matches!(slot, Slot::Known(_)))
            .map(|(index, _)| u32::try_from(index).unwrap_or(u32::MAX))
            .collect();
        let expected = *array.generation.get_or_insert(generation);
        let batch = Batch { keep, incoming, rewind, generation: expected, ..Batch::default() };
        Synced {
            wanted,
            added: found.added() as u64,
            rewound: found.rewound,
            host_compacted: found.host_compacted,
            ticket: self.own.figures().queue(batch),
        }
    }

    /// Whether the next sync must hand over the whole array, because this process has lost track of it.
    pub fn wants_all(&self) -> bool {
        self.own.figures().wants_all
    }

    /// Texts of messages that a sync wanted: a JSON array of `indices.len()` messages. `last`: there are no more, the
    /// batch is queued for the store's threads.
    pub fn hand_over(&self, ticket: u64, indices: Vec<u32>, json: String, last: bool) {
        let mut figures = self.own.figures();
        figures.hand_over(ticket, indices, json.into());
        if !last {
            return;
        }
        if !figures.ready(ticket, || self.shared.awaits()) {
            return;
        }
        drop(figures);
        let (live, settled) = (self.clone(), self.clone());
        self.session.write_as(
            Durability::Written,
            move |journal| live.settle_ready(journal),
            Box::new(move |result| settled.settled(result)),
        );
    }

    /// What is on its way goes before other work.
    fn settle_first(&self, journal: &mut Journal<'_, '_>) {
        if !self.finds_lost(state(journal)) && !self.own.figures().is_settled() {
            let settled = self.settle_ready(journal);
            self.settled(settled);
        }
    }

    fn settled(&self, result: Result<()>) {
        match result {
            Ok(()) => {
                self.own.figures().disk_takes_it();
                self.session.index_soon();
            }
            // It stays ready, and goes with the next job that gets through.
            Err(error) if plan::is_of_the_disk(&error) => {
                let words = self.in_words(&error);
                let mut figures = self.own.figures();
                figures.waits_for_disk = Some(words.clone());
                figures.warn(words);
            }
            Err(error) => self.own.figures().trouble(&error),
        }
    }

    /// How full the context is, its zone and the gauge line. Writes nothing.
    pub fn gauge(&self, usage: Option<HostUsage>, now_ms: u64) -> Gauge {
        let limits = self.limits(None);
        let gauge = figures::gauge(self, usage, &limits);
        self.own.figures().host = usage;
        if gauge.measure.source != MeasureSource::Unknown {
            // With a plan of our own, the host is asked only when the view is still red after an epoch.
            let counts = match self.options.mode {
                Mode::Prune => self.own.figures().red_after_epoch,
                Mode::Compact => true,
                Mode::Complement => false,
            };
            let red = counts && gauge.measure.zone >= Zone::Red;
            self.own.warn(self.shared.latch(|latch| latch.observe(red, gauge.pressure, now_ms)));
        }
        gauge
    }

    /// Whether the host should compact now; stays true until [`Live::compaction_started`] or back-off.
    pub fn should_compact(&self, now_ms: u64) -> bool {
        self.options.mode != Mode::Complement && self.shared.latch(|latch| latch.should_compact(now_ms))
    }

    /// The host has begun to compact.
    pub fn compaction_started(&self, now_ms: u64) {
        self.own.figures().tokens_at_compaction = None;
        let before = figures::gauge(self, None, &self.limits(None)).measure.tokens;
        self.own.figures().tokens_at_compaction = Some(before);
        self.shared.latch(|latch| latch.started(now_ms));
    }

    /// What became of it.
    pub fn compaction_settled(&self, ok: bool, tokens_after: Option<u64>, reason: Option<&str>, now_ms: u64) {
        let tokens_before = self.own.figures().tokens_at_compaction.take().filter(|tokens| *tokens > 0);
        let outcome = Settlement { ok, tokens_before, tokens_after, reason };
        self.own.warn(self.shared.latch(|latch| latch.settled(&outcome, now_ms)));
    }

    /// A checkpoint of what is known now, durably.
    pub fn checkpoint(&self, mut request: CheckpointRequest, done: Done<super::Outcome>) {
        self.complete(&mut request);
        let (session, live) = (self.session.clone(), self.clone());
        let settled = move |journal: &mut Journal<'_, '_>| {
            live.settle_ready(journal)?;
            live.check_generation(state(journal))
        };
        let written: Done<()> = Box::new(move |rest| match rest {
            Ok(()) => session.write_checkpoint(request, done),
            Err(error) => done(Err(error)),
        });
        self.session.write_as(Durability::Written, settled, written);
    }

    /// Fills in what the handle knows and the caller did not say.
    fn complete(&self, request: &mut CheckpointRequest) {
        let options = &self.options;
        request.agent_id = request.agent_id.take().or_else(|| options.agent_id.clone());
        request.channel = request.channel.take().or_else(|| options.channel.clone());
        request.session_file = request.session_file.take().or_else(|| options.session_file.clone());
        if request.context_window == 0 {
            let measure = figures::gauge(self, None, &self.limits(None)).measure;
            request.context_window = lock(&self.own.limits).context_window;
            request.input_tokens = request.input_tokens.max(measure.tokens);
        }
    }

    /// A request for a checkpoint with this trigger and nothing else said.
    fn request(&self, trigger: Trigger) -> CheckpointRequest {
        let mut request = CheckpointRequest::new(trigger);
        self.complete(&mut request);
        request
    }

    /// Queues work of the handle's own generation under the session's lock, behind everything that was synced.
    fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut Journal<'_, '_>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        let live = self.clone();
        let own = move |journal: &mut Journal<'_, '_>| {
            live.check_generation(state(journal))?;
            job(journal)
        };
        self.write_whatever(durability, own, done);
    }

    /// The same where the generation does not matter.
    fn write_whatever<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut Journal<'_, '_>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        let live = self.clone();
        self.session.write_as(
            durability,
            move |journal| {
                live.settle_first(journal);
                job(journal)
            },
            done,
        );
    }

    /// Everything acknowledged and queued so far is durable.
    pub fn flush(&self, done: Done<()>) {
        let live = self.clone();
        self.settle_rest(Box::new(move |rest| {
            let session = live.session.clone();
            session.handle.flush(move |result| {
                let trouble = live.own.figures().take_trouble();
                done(rest.and(result).and(trouble.map_or(Ok(()), Err)));
            });
        }));
    }

    /// Flushes and gives the handle back. Closing twice is fine.
    pub fn close(&self, done: Done<()>) {
        let session = self.session.clone();
        self.settle_rest(Box::new(move |rest| {
            let index = session.clone();
            session.close(Box::new(move |closed| {
                index.index_at_close(Box::new(move |_| done(rest.and(closed))));
            }));
        }));
    }

    /// Settles what is on its way, and what could not be settled before.
    fn settle_rest(&self, done: Done<()>) {
        if self.own.figures().is_settled() {
            return done(Ok(()));
        }
        let live = self.clone();
        self.session.write_as(Durability::Written, move |journal| live.settle_ready(journal), done);
    }
}

/// What [`Live::gauge`] says.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// Tokens, window, zone.
    pub measure: Measure,
    /// The line for the model; none below 0.70.
    pub line: Option<String>,
    /// Share of usable, 0..1 and above.
    pub pressure: f64,
}

impl Own {
    fn figures(&self) -> MutexGuard<'_, Figures> {
        lock(&self.figures)
    }

    fn warn(&self, warning: Option<String>) {
        if let Some(warning) = warning {
            self.figures().warnings.push(warning);
        }
    }

    /// The handle belongs to the generation in which it was opened.
    fn adopt(&self, generation: u32) {
        *lock(&self.believed) = Array { slots: Vec::new(), generation: Some(generation) };
        *lock(&self.settled) = Settled::default();
        self.figures().start_over();
    }
}

/// A job's view of the state, for rooms that only read.
fn state<'a>(journal: &'a Journal<'_, '_>) -> &'a State {
    journal.locked.state()
}
