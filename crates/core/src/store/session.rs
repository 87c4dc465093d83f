//! One session in this process: a queue of jobs, worked off in order by one thread at a time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::locked::{Locked, Reader};
use super::memory;
use super::open::{Address, Open, Taken};
use super::pool::Task;
use super::registry::Services;
use super::state::SessionState;
use crate::{Error, Result};

/// Jobs done under one taking of the lock, at most.
const BATCH_JOBS: usize = 256;
/// Time for which the lock is kept while more jobs wait: others want it too (FAULTS H6).
const BATCH_TIME: Duration = Duration::from_millis(2);
/// Pause after a full batch, in which another process can take the lock.
const GAP: Duration = Duration::from_micros(200);
const FIRST_WAIT: Duration = Duration::from_micros(200);
const LONGEST_WAIT: Duration = Duration::from_millis(5);
/// Bytes of a snapshot whose writing took many times as much memory for a moment.
const LARGE_SNAPSHOT: usize = 1 << 20;

/// What is left of a job when it ran: tell the caller, once it is known whether the batch became durable.
pub(super) type Finish = Box<dyn FnOnce(Result<()>) + Send>;
type LockedRun<S> = Box<dyn FnOnce(Result<&mut Locked<'_, S>>) -> (Finish, Outcome) + Send>;
type ReadRun<S> = Box<dyn FnOnce(Result<&mut Reader<'_, S>>) -> (Finish, Outcome) + Send>;

/// Whether the job ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Ended,
    Panicked,
}

/// One job.
pub(super) enum Job<S> {
    /// Under the lock.
    Locked { run: LockedRun<S>, full: bool, since: Instant, patience: Duration },
    /// Without it: in its turn, or out of turn once its patience is over.
    Read { run: ReadRun<S>, until: Instant },
    /// Make everything durable and write the snapshots, if there is anything to write.
    Flush { done: Finish, since: Instant, patience: Duration },
    /// Give memory and descriptors back.
    Release { done: Finish },
}

struct Inbox<S> {
    jobs: VecDeque<Job<S>>,
    /// A thread works on the session, or is about to.
    scheduled: bool,
    /// The earliest timer that will look after the session.
    timer: Option<Instant>,
    wait: Duration,
}

/// Everything that belongs to one session.
pub(super) struct Session<S> {
    pub(super) address: Address,
    inbox: Mutex<Inbox<S>>,
    open: Mutex<Option<Open<S>>>,
    /// Another address of the same directory was there first.
    twin: OnceLock<Weak<Session<S>>>,
    /// Handles that were not closed.
    pub(super) handles: AtomicUsize,
    pub(super) last_used: Mutex<Instant>,
    logged_read_only: Mutex<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a panic in a job.
pub(super) fn caught(panic: &(dyn std::any::Any + Send)) -> Error {
    Error::from_panic("store", panic)
}

impl<S: SessionState> Session<S> {
    pub(super) fn new(address: Address) -> Self {
        Self {
            address,
            inbox: Mutex::new(Inbox {
                jobs: VecDeque::new(),
                scheduled: false,
                timer: None,
                wait: FIRST_WAIT,
            }),
            open: Mutex::new(None),
            twin: OnceLock::new(),
            handles: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
            logged_read_only: Mutex::new(false),
        }
    }

    /// Puts a job at the end of the queue.
    pub(super) fn submit(self: &Arc<Self>, job: Job<S>, services: &Arc<Services<S>>) {
        if let Some(twin) = self.twin.get().and_then(Weak::upgrade) {
            return twin.submit(job, services);
        }
        let mut inbox = lock(&self.inbox);
        inbox.jobs.push_back(job);
        let idle = !std::mem::replace(&mut inbox.scheduled, true);
        drop(inbox);
        if services.pool.is_closed() {
            return self.abandon();
        }
        if idle {
            services.pool.run(self.task(services));
        }
    }

    /// The registry is gone: nobody will do these jobs, and whoever waits for one is told so.
    pub(super) fn abandon(&self) {
        let jobs = std::mem::take(&mut lock(&self.inbox).jobs);
        drop(jobs); // the mutex is free again: callbacks may come back here
    }

    fn task(self: &Arc<Self>, services: &Arc<Services<S>>) -> Task {
        let (session, services) = (Arc::clone(self), Arc::clone(services));
        Box::new(move || session.work(&services))
    }

    /// Works on the session for a while. Only one thread at a time comes here.
    fn work(self: &Arc<Self>, services: &Arc<Services<S>>) {
        let mut open = lock(&self.open);
        let worked = catch_unwind(AssertUnwindSafe(|| self.work_on(&mut open, services)));
        let next = worked.unwrap_or_else(|panic| {
            // State and files may disagree now: read them again next time. Dropping gives the lock back.
            *open = None;
            tracing::error!(error = %caught(&*panic), "the store panicked; the session is read again");
            Next::Again
        });
        if open.is_none() {
            services.no_longer_open(self);
        }
        drop(open);
        match next {
            Next::Again => self.go_on(services),
            // The session stays scheduled.
            Next::Wait(pause) => services.pool.run_at(Instant::now() + pause, self.task(services)),
        }
    }

    /// Another round if there are jobs, else timers for upkeep.
    fn go_on(self: &Arc<Self>, services: &Arc<Services<S>>) {
        let upkeep = lock(&self.open).as_ref().map(|open| self.next_upkeep(open, services));
        let mut inbox = lock(&self.inbox);
        if !inbox.jobs.is_empty() {
            drop(inbox);
            return services.pool.go_on(self.task(services));
        }
        inbox.scheduled = false;
        let Some(due) = upkeep else { return };
        if inbox.timer.is_some_and(|set| set <= due) {
            return;
        }
        inbox.timer = Some(due);
        drop(inbox);
        let (session, services_too) = (Arc::downgrade(self), Arc::clone(services));
        // What is only idle must not be kept alive by its timer once nobody can reach it; the list of open sessions
        // holds it as long as it is open.
        services.pool.run_at(
            due,
            Box::new(move || {
                if let Some(session) = session.upgrade() {
                    session.wake(due, &services_too);
                }
            }),
        );
    }

    /// A timer is due: work unless somebody does already.
    fn wake(self: &Arc<Self>, due: Instant, services: &Arc<Services<S>>) {
        let mut inbox = lock(&self.inbox);
        if inbox.timer == Some(due) {
            inbox.timer = None;
        }
        if std::mem::replace(&mut inbox.scheduled, true) {
            return;
        }
        drop(inbox);
        self.work(services);
    }

    fn next_upkeep(&self, open: &Open<S>, services: &Services<S>) -> Instant {
        let used = *lock(&self.last_used);
        let mut due = used + services.settings.release_after;
        if let Some(since) = open.unsynced_since {
            due = due.min(since + services.settings.sync_after);
        }
        if open.is_snapshot_behind() {
            due = due.min(used + services.settings.snapshot_after);
        }
        due
    }

    fn work_on(self: &Arc<Self>, slot: &mut Option<Open<S>>, services: &Arc<Services<S>>) -> Next {
        if slot.as_ref().is_some_and(|open| !open.is_in_place()) {
            tracing::info!(session = %self.address.key, "the session's directory is gone or replaced; opening anew");
            *slot = None;
        }
        let Some(first) = lock(&self.inbox).jobs.pop_front() else {
            return self.upkeep(slot, services);
        };
        *lock(&self.last_used) = Instant::now();
        match first {
            Job::Read { run, .. } => {
                self.read(slot, run, false, services);
                Next::Again
            }
            Job::Release { done } => {
                let result = self.release(slot, services);
                done(result);
                Next::Again
            }
            Job::Flush { done, .. } if !slot.as_ref().is_some_and(Open::is_anything_pending) => {
                done(Ok(()));
                Next::Again
            }
            job @ (Job::Locked { .. } | Job::Flush { .. }) => {
                lock(&self.inbox).jobs.push_front(job);
                self.locked_batch(slot, services)
            }
        }
    }

    /// Opens the directory if it is not open. `Ok(None)`: it does not exist and is not to be made.
    fn ensure_open<'o>(
        self: &Arc<Self>,
        slot: &'o mut Option<Open<S>>,
        make: bool,
        services: &Arc<Services<S>>,
    ) -> Result<Option<&'o mut Open<S>>> {
        if slot.is_none() {
            services.make_place(self);
            *slot = Open::find(&self.address, make)?;
            if let Some(open) = slot.as_ref() {
                services.now_open(self, open.dir.id()?);
            }
        }
        Ok(slot.as_mut())
    }

    fn read(
        self: &Arc<Self>,
        slot: &mut Option<Open<S>>,
        run: ReadRun<S>,
        behind: bool,
        services: &Arc<Services<S>>,
    ) {
        let now = services.now();
        let opened = self.ensure_open(slot, false, services).and_then(|open| match open {
            Some(open) => open.refresh(&self.address, &now).map(|()| Some(open)),
            None => Ok(None),
        });
        let (finish, outcome) = match opened {
            Ok(open) => run(Ok(&mut Reader { open, behind, nothing: None })),
            Err(error) => run(Err(error)),
        };
        if outcome == Outcome::Panicked {
            *slot = None;
        }
        finish(Ok(()));
    }

    /// Takes the lock and does jobs until the queue is empty or the time is over.
    fn locked_batch(self: &Arc<Self>, slot: &mut Option<Open<S>>, services: &Arc<Services<S>>) -> Next {
        let now = services.now();
        let taken = catch_unwind(AssertUnwindSafe(|| {
            let open = self.ensure_open(slot, true, services)?;
            open.map_or(Ok(None), |open| {
                if !open.is_loaded_under_lock() && self.hand_over_to_twin(services) {
                    return Ok(None);
                }
                open.take_lock(&self.address, &now).map(Some)
            })
        }));
        // A panic here would come again at once for the same job: it must not stay in front.
        let taken = taken.unwrap_or_else(|panic| {
            *slot = None;
            Err(caught(&*panic))
        });
        match taken {
            Ok(Some(Taken::Yes)) => {}
            Ok(Some(Taken::Busy)) => return self.busy(slot, services),
            Ok(None) => {
                *slot = None;
                return Next::Again;
            }
            Err(error) => {
                self.fail_first(error);
                return Next::Again;
            }
        }
        let Some(open) = slot.as_mut() else { return Next::Again };
        lock(&self.inbox).wait = FIRST_WAIT;
        let started = Instant::now();
        let mut finishes: Vec<(Finish, bool)> = Vec::new();
        let mut outcome = Outcome::Ended;
        let mut heavy = false;
        let mut more = true;
        while more && outcome == Outcome::Ended {
            let Some(job) = self.next_for_batch() else { break };
            let finish = match job {
                Job::Locked { run, full, .. } => {
                    let mut locked = Locked { open, address: &self.address, now: services.now() };
                    let (finish, ended) = run(Ok(&mut locked));
                    outcome = ended;
                    (finish, full)
                }
                Job::Read { run, .. } => {
                    let (finish, ended) =
                        run(Ok(&mut Reader { open: Some(open), behind: false, nothing: None }));
                    outcome = ended;
                    (finish, false)
                }
                Job::Flush { done, .. } => {
                    let flushed = open.sync_or_rewrite().and_then(|()| open.snapshot());
                    heavy |= open.written.view_bytes >= LARGE_SNAPSHOT;
                    let finish: Finish = Box::new(move |_| done(flushed));
                    (finish, false)
                }
                Job::Release { done } => (done, false),
            };
            finishes.push(finish);
            more = finishes.len() < BATCH_JOBS && started.elapsed() < BATCH_TIME;
        }
        // A session that is never idle must not wait for its timer.
        let due = open.unsynced_since.is_some_and(|since| since.elapsed() >= services.settings.sync_after);
        let wanted = due || finishes.iter().any(|(_, full)| *full);
        let synced = if wanted { open.sync_or_rewrite() } else { Ok(()) };
        if let Err(error) = open.rotate_if_large() {
            open.note(format!("the journal could not be rotated: {error}"));
        }
        open.release_lock();
        if outcome == Outcome::Panicked {
            *slot = None;
        }
        self.note_writable();
        for (finish, full) in finishes {
            finish(if full { synced.clone() } else { Ok(()) });
        }
        if heavy {
            memory::give_back();
        }
        if lock(&self.inbox).jobs.is_empty() { Next::Again } else { Next::Wait(GAP) }
    }

    fn next_for_batch(&self) -> Option<Job<S>> {
        let mut inbox = lock(&self.inbox);
        if matches!(inbox.jobs.front(), Some(Job::Release { .. })) {
            return None; // outside the lock
        }
        inbox.jobs.pop_front()
    }

    /// Another process has the lock: give up those who waited long enough, come back later for the others.
    fn busy(self: &Arc<Self>, slot: &mut Option<Open<S>>, services: &Arc<Services<S>>) -> Next {
        let now = Instant::now();
        let (mut late, mut late_flushes, mut impatient) = (Vec::new(), Vec::new(), Vec::new());
        let mut inbox = lock(&self.inbox);
        let jobs = std::mem::take(&mut inbox.jobs);
        for job in jobs {
            match job {
                Job::Locked { run, since, patience, .. } if now.duration_since(since) >= patience => {
                    late.push((run, now.duration_since(since)));
                }
                Job::Flush { done, since, patience } if now.duration_since(since) >= patience => {
                    late_flushes.push((done, now.duration_since(since)));
                }
                Job::Read { run, until } if until <= now => impatient.push(run),
                job => inbox.jobs.push_back(job),
            }
        }
        let wait = inbox.wait;
        inbox.wait = (wait * 2).min(LONGEST_WAIT);
        let empty = inbox.jobs.is_empty();
        drop(inbox);
        let path = slot.as_ref().map(|open| open.dir.path().join(super::lock::NAME)).unwrap_or_default();
        let too_long = |waited: Duration| Error::Locked {
            path: path.clone(),
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        };
        for (run, waited) in late {
            let (finish, _) = run(Err(too_long(waited)));
            finish(Ok(()));
        }
        late_flushes.into_iter().for_each(|(done, waited)| done(Err(too_long(waited))));
        for run in impatient {
            self.read(slot, run, true, services);
        }
        // Between half and the whole: processes that met once do not meet every time.
        if empty { Next::Again } else { Next::Wait(wait.mul_f64(0.5 + services.jitter() / 2.0)) }
    }

    /// The session cannot be opened or locked: the first job gets the error, the next one tries again.
    fn fail_first(&self, error: Error) {
        if matches!(error, Error::ReadOnly { .. })
            && !std::mem::replace(&mut *lock(&self.logged_read_only), true)
        {
            tracing::warn!(session = %self.address.key, %error, "the session is read-only");
        }
        let job = lock(&self.inbox).jobs.pop_front();
        let finish = match job {
            Some(Job::Locked { run, .. }) => run(Err(error)).0,
            Some(Job::Read { run, .. }) => run(Err(error)).0,
            Some(Job::Flush { done, .. }) => return done(Err(error)),
            Some(Job::Release { done }) => done,
            None => return,
        };
        finish(Ok(()));
    }

    fn note_writable(&self) {
        *lock(&self.logged_read_only) = false;
    }

    /// Nothing to do: sync what waits, write snapshots, give descriptors back, each in its time.
    fn upkeep(self: &Arc<Self>, slot: &mut Option<Open<S>>, services: &Arc<Services<S>>) -> Next {
        let Some(open) = slot.as_mut() else { return Next::Again };
        let (now, used) = (Instant::now(), *lock(&self.last_used));
        let settings = &services.settings;
        if open.unsynced_since.is_some_and(|since| now >= since + settings.sync_after)
            && let Err(error) = open.sync()
        {
            tracing::warn!(%error, "a sync in the background failed");
            let rescued = self.under_lock(open, services, |open| open.rewrite_after_failed_sync());
            if !matches!(rescued, Some(Ok(()))) {
                open.note(format!("events of the last moments may not survive a power cut: {error}"));
            }
        }
        if now >= used + settings.release_after {
            if self.release(slot, services).is_err() {
                *slot = None;
            }
            return Next::Again;
        }
        if open.is_snapshot_behind() && now >= used + settings.snapshot_after {
            match self.under_lock(open, services, Open::snapshot) {
                Some(Ok(())) if open.written.view_bytes >= LARGE_SNAPSHOT => memory::give_back(),
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    open.note(format!("snapshots could not be written: {error}"));
                    open.give_up_snapshot();
                }
                // Somebody else is at work; there is no hurry.
                None => *lock(&self.last_used) = now,
            }
        }
        Next::Again
    }

    /// Writes what is to be written and lets go.
    fn release(self: &Arc<Self>, slot: &mut Option<Open<S>>, services: &Arc<Services<S>>) -> Result<()> {
        let Some(mut open) = slot.take() else { return Ok(()) };
        let synced = open.sync();
        if open.is_snapshot_behind() && open.info.is_some() {
            // The journal has it all: snapshots only make opening faster.
            if let Some(Err(error)) = self.under_lock(&mut open, services, Open::snapshot) {
                tracing::warn!(%error, "snapshots could not be written at the end");
            }
        }
        synced
    }

    /// Runs a step under the lock if it is free; `None`: it is not.
    fn under_lock(
        &self,
        open: &mut Open<S>,
        services: &Services<S>,
        step: impl FnOnce(&mut Open<S>) -> Result<()>,
    ) -> Option<Result<()>> {
        match open.take_lock(&self.address, &services.now()) {
            Ok(Taken::Yes) => {
                let done = step(open);
                open.release_lock();
                Some(done)
            }
            Ok(Taken::Busy) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// To make room for another session: lets go if no thread is at work here.
    pub(super) fn release_if_idle(self: &Arc<Self>, services: &Arc<Services<S>>) -> bool {
        let Ok(mut open) = self.open.try_lock() else { return false };
        if let Err(error) = self.release(&mut open, services) {
            tracing::warn!(%error, "a session was put away with an error");
        }
        true
    }

    /// Whether the same directory is open under another address: then all jobs go there.
    fn hand_over_to_twin(self: &Arc<Self>, services: &Arc<Services<S>>) -> bool {
        let Some(twin) = services.twin_of(self) else { return false };
        let _ = self.twin.set(Arc::downgrade(&twin));
        let jobs = std::mem::take(&mut lock(&self.inbox).jobs);
        jobs.into_iter().for_each(|job| twin.submit(job, services));
        true
    }

    /// Whether its address leads to this directory now.
    pub(super) fn is_same_place(&self, id: (u64, u64)) -> bool {
        let found = self.address.find();
        found.ok().flatten().and_then(|dir| dir.id().ok()).flatten() == Some(id)
    }

    /// Jobs that wait or run now.
    pub(super) fn is_busy(&self) -> bool {
        lock(&self.inbox).scheduled
    }

    /// One handle more or less.
    pub(super) fn count_handle(&self, up: bool) -> usize {
        if up {
            self.handles.fetch_add(1, Ordering::AcqRel) + 1
        } else {
            self.handles.fetch_sub(1, Ordering::AcqRel).saturating_sub(1)
        }
    }
}

/// What comes after a round of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Look whether there are jobs.
    Again,
    /// Come back after this pause.
    Wait(Duration),
}
