//! All sessions of the process, and the handles on them.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::locked::{Locked, Reader};
use super::logs::{self, Log, LogPlace, LogQueue};
use super::names;
use super::open::Address;
use super::pool::Pool;
use super::session::{Finish, Job, Outcome, Session, caught};
use super::sessions::{self, SessionSummary};
use super::state::SessionState;
use crate::{Error, Result};

/// What a resolved call means (STORE.md, "What a resolved promise means").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Written: survives the death of the process; a power cut may take the last 250 ms.
    #[default]
    Written,
    /// Synced: survives a power cut too.
    Full,
}

/// Gives the current time as ISO 8601.
pub type Clock = Arc<dyn Fn() -> String + Send + Sync>;

/// Settings of a registry. The defaults are those of STORE.md.
#[derive(Clone)]
pub struct Settings {
    /// Threads that do file work, at most.
    pub threads: usize,
    /// Sessions that are open at once, at most.
    pub max_open: usize,
    /// Events not asked to be durable are made so after this time.
    pub sync_after: Duration,
    /// Snapshots are written when a session was idle for this time.
    pub snapshot_after: Duration,
    /// Descriptors and memory are given back when a session was idle for this time.
    pub release_after: Duration,
    /// Gives `at` of events and `createdAt` of sessions.
    pub clock: Clock,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 4,
            max_open: 256,
            sync_after: Duration::from_millis(200),
            snapshot_after: Duration::from_secs(10),
            release_after: Duration::from_secs(600),
            clock: Arc::new(|| jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Options of one handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOptions {
    /// How long a job waits for another process's lock before it ends with `Locked`.
    pub lock_patience: Duration,
    /// Go on without locks where the file system has none: only one process may use the directory.
    pub single_process: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { lock_patience: Duration::from_secs(5), single_process: false }
    }
}

/// Device and inode of a directory.
type DirId = (u64, u64);

/// What sessions need of the process.
pub(super) struct Services<S> {
    pub(super) pool: Pool,
    pub(super) settings: Settings,
    logs: Arc<LogQueue>,
    sessions: Mutex<Sessions<S>>,
    dice: AtomicU64,
}

struct Sessions<S> {
    known: HashMap<Address, Weak<Session<S>>>,
    /// Open ones in the order of opening, with the directory's device and inode.
    open: Vec<(Arc<Session<S>>, Option<DirId>)>,
}

impl<S: SessionState> Services<S> {
    fn sessions(&self) -> MutexGuard<'_, Sessions<S>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of a job.
    pub(super) fn now(&self) -> String {
        (self.settings.clock)()
    }

    /// 0..1, different each time and in each process; nothing depends on its quality.
    pub(super) fn jitter(&self) -> f64 {
        let step = self.dice.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (step ^ (step >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32;
        mixed as f64 / f64::from(u32::MAX)
    }

    /// Puts the session that was not used for longest away where too many are open.
    pub(super) fn make_place(self: &Arc<Self>, newcomer: &Arc<Session<S>>) {
        let candidates: Vec<Arc<Session<S>>> = {
            let sessions = self.sessions();
            if sessions.open.len() < self.settings.max_open {
                return;
            }
            let used =
                |session: &Session<S>| *session.last_used.lock().unwrap_or_else(PoisonError::into_inner);
            let mut open: Vec<_> = sessions.open.iter().map(|(session, _)| Arc::clone(session)).collect();
            open.retain(|session| !Arc::ptr_eq(session, newcomer));
            // One that waits for its turn may go too, if it must be: it opens again when its turn comes.
            open.sort_by_cached_key(|session| (session.is_busy(), used(session)));
            open
        };
        for session in candidates {
            if session.release_if_idle(self) {
                self.no_longer_open(&session);
                if self.sessions().open.len() < self.settings.max_open {
                    return;
                }
            }
        }
    }

    pub(super) fn now_open(&self, session: &Arc<Session<S>>, id: Option<DirId>) {
        let mut sessions = self.sessions();
        sessions.open.retain(|(open, _)| !Arc::ptr_eq(open, session));
        sessions.open.push((Arc::clone(session), id));
    }

    pub(super) fn no_longer_open(&self, session: &Arc<Session<S>>) {
        let mut sessions = self.sessions();
        let gone = sessions.open.iter().position(|(open, _)| Arc::ptr_eq(open, session));
        let gone = gone.map(|index| sessions.open.remove(index));
        drop(sessions);
        drop(gone);
    }

    /// Another session object for the same directory and key that was open before this one.
    pub(super) fn twin_of(&self, session: &Arc<Session<S>>) -> Option<Arc<Session<S>>> {
        let (id, candidates) = {
            let sessions = self.sessions();
            let (_, id) = sessions.open.iter().find(|(open, _)| Arc::ptr_eq(open, session))?;
            let id = (*id)?;
            let mut before: Vec<_> = sessions.open.iter().filter(|(_, other)| *other == Some(id)).collect();
            before.retain(|(open, _)| open.address.key == session.address.key);
            let until = before.iter().position(|(open, _)| Arc::ptr_eq(open, session))?;
            before.truncate(until);
            (id, before.into_iter().map(|(open, _)| Arc::clone(open)).collect::<Vec<_>>())
        };
        candidates.into_iter().find(|open| open.is_same_place(id))
    }
}

/// All sessions of a process: meant to live in a `static`.
pub struct Registry<S: SessionState> {
    services: Arc<Services<S>>,
}

impl<S: SessionState> fmt::Debug for Registry<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("settings", &self.services.settings).finish_non_exhaustive()
    }
}

impl<S: SessionState> Default for Registry<S> {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl<S: SessionState> Registry<S> {
    /// Starts nothing yet: threads come with the first job.
    pub fn new(settings: Settings) -> Self {
        let mut seed = [0; 8];
        let seed = getrandom::fill(&mut seed).map_or(0, |()| u64::from_le_bytes(seed));
        Self {
            services: Arc::new(Services {
                pool: Pool::new(settings.threads),
                settings,
                logs: Arc::default(),
                sessions: Mutex::new(Sessions { known: HashMap::new(), open: Vec::new() }),
                dice: AtomicU64::new(seed),
            }),
        }
    }

    /// A handle on a session. Touches no file: the first job opens the directory. `InvalidInput` for an empty key, an
    /// empty directory, or one that starts with `~`.
    pub fn open(&self, state_dir: &Path, key: &str, options: OpenOptions) -> Result<Handle<S>> {
        names::dir_name(key)?;
        let address = Address {
            state_dir: checked_state_dir(state_dir)?,
            key: key.to_owned(),
            single_process: options.single_process,
        };
        let mut sessions = self.services.sessions();
        let session = match sessions.known.get(&address).and_then(Weak::upgrade) {
            Some(session) => session,
            None => {
                if sessions.known.len().is_power_of_two() {
                    sessions.known.retain(|_, session| session.strong_count() > 0);
                }
                let session = Arc::new(Session::new(address.clone()));
                sessions.known.insert(address, Arc::downgrade(&session));
                session
            }
        };
        drop(sessions);
        session.count_handle(true);
        Ok(Handle {
            view: Arc::new(View {
                session,
                services: Arc::clone(&self.services),
                closed: AtomicBool::new(false),
                options,
            }),
        })
    }

    /// Runs any file work on the store's threads.
    pub fn background<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T> + Send + 'static,
        done: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let answer = Answer::new(done);
        self.services.pool.run(Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| Err(caught(&*panic)));
            answer.give(result);
        }));
    }

    /// All sessions below a state directory (see [`SessionSummary`]).
    pub fn list(&self, state_dir: &Path, done: impl FnOnce(Result<Vec<SessionSummary>>) + Send + 'static) {
        let state_dir = checked_state_dir(state_dir);
        self.background(move || sessions::list(&state_dir?), done);
    }

    /// Shows the lines of an activity log, oldest first, as `job` wants them, on one of the store's threads.
    pub fn read_logs<T: Send + 'static>(
        &self,
        place: LogPlace,
        job: impl FnOnce(&LogReader) -> Result<T> + Send + 'static,
        done: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let checked = match &place {
            LogPlace::Below(path) | LogPlace::At(path) => checked_state_dir(path),
        };
        self.background(move || checked.and_then(|_| job(&LogReader { place })), done);
    }

    /// Calls `done` once every activity line queued so far was written or given up.
    pub fn logs_written(&self, done: impl FnOnce() + Send + 'static) {
        self.services.logs.when_written(&self.services.pool, Box::new(done));
    }

    /// Sessions whose directory is open now.
    pub fn open_count(&self) -> usize {
        self.services.sessions().open.len()
    }
}

impl<S: SessionState> Drop for Registry<S> {
    fn drop(&mut self) {
        self.services.pool.close();
        let mut sessions = self.services.sessions();
        let (known, open) = (std::mem::take(&mut sessions.known), std::mem::take(&mut sessions.open));
        drop(sessions);
        known.values().filter_map(Weak::upgrade).for_each(|session| session.abandon());
        drop(open);
    }
}

/// The activity logs of one place.
#[derive(Debug)]
pub struct LogReader {
    place: LogPlace,
}

impl LogReader {
    /// Shows the lines of a log, rotated ones first, until `visit` returns `false`.
    pub fn lines(&self, log: Log, visit: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        logs::read(&self.place, log, visit)
    }
}

fn checked_state_dir(state_dir: &Path) -> Result<PathBuf> {
    if state_dir.as_os_str().is_empty() {
        return Err(Error::InvalidInput("the state directory is empty".into()));
    }
    if state_dir.starts_with("~") {
        return Err(Error::InvalidInput(format!(
            "{} starts with ~, which only a shell expands; give the whole path",
            state_dir.display()
        )));
    }
    if state_dir.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::InvalidInput("the state directory has a NUL character in it".into()));
    }
    std::path::absolute(state_dir)
        .map_err(|error| Error::InvalidInput(format!("{}: {error}", state_dir.display())))
}

/// A handle on a session: a counted view on what the whole process shares. Clones are the same view.
pub struct Handle<S: SessionState> {
    view: Arc<View<S>>,
}

struct View<S: SessionState> {
    session: Arc<Session<S>>,
    services: Arc<Services<S>>,
    closed: AtomicBool,
    options: OpenOptions,
}

impl<S: SessionState> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Self { view: Arc::clone(&self.view) }
    }
}

impl<S: SessionState> fmt::Debug for Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("address", &self.view.session.address).finish_non_exhaustive()
    }
}

impl<S: SessionState> Drop for View<S> {
    fn drop(&mut self) {
        if !*self.closed.get_mut() {
            self.session.count_handle(false);
        }
    }
}

impl<S: SessionState> Handle<S> {
    /// Queues a job that runs under the session's lock, after all jobs queued before it. `done` gets its result, on one
    /// of the store's threads, no lock held; it must not wait for anything. A panic of the job is an `Internal` error.
    pub fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Locked<'_, S>) -> Result<T> + Send + 'static,
        durability: Durability,
        done: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.submit_within(self.view.options.lock_patience, job, durability, done);
    }

    /// The same, waiting at most `patience` for the lock of another process.
    pub fn submit_within<T: Send + 'static>(
        &self,
        patience: Duration,
        job: impl FnOnce(&mut Locked<'_, S>) -> Result<T> + Send + 'static,
        durability: Durability,
        done: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let answer = Answer::new(done);
        if let Err(error) = self.check_open() {
            return answer.give(Err(error));
        }
        let run = Box::new(move |access: Result<&mut Locked<'_, S>>| {
            let (result, outcome) = guarded(access, job);
            let finish: Finish = Box::new(move |synced: Result<()>| {
                answer.give(result.and_then(|value| synced.map(|()| value)));
            });
            (finish, outcome)
        });
        let full = durability == Durability::Full;
        self.queue(Job::Locked { run, full, since: Instant::now(), patience });
    }

    /// The same, waiting for the result. Not for threads that must not block.
    pub fn run<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut Locked<'_, S>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        wait(|done| self.submit(job, durability, done))
    }

    /// Queues a job that needs no lock: it reads what every process has written so far. It runs in its turn; if jobs
    /// before it wait for the lock of another process for longer than `patience`, it runs before them and
    /// [`Reader::is_behind`] says so. It creates nothing: a session that does not exist reads as empty.
    pub fn submit_read<T: Send + 'static>(
        &self,
        patience: Duration,
        job: impl FnOnce(&mut Reader<'_, S>) -> Result<T> + Send + 'static,
        done: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let answer = Answer::new(done);
        if let Err(error) = self.check_open() {
            return answer.give(Err(error));
        }
        let run = Box::new(move |access: Result<&mut Reader<'_, S>>| {
            let (result, outcome) = guarded(access, job);
            let finish: Finish = Box::new(move |_| answer.give(result));
            (finish, outcome)
        });
        self.queue(Job::Read { run, until: Instant::now() + patience });
    }

    /// The same, waiting for the result.
    pub fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Reader<'_, S>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        wait(|done| self.submit_read(self.view.options.lock_patience, job, done))
    }

    /// Makes everything durable and writes the snapshots. Creates nothing.
    pub fn flush(&self, done: impl FnOnce(Result<()>) + Send + 'static) {
        let answer = Answer::new(done);
        if let Err(error) = self.check_open() {
            return answer.give(Err(error));
        }
        self.queue_flush(answer);
    }

    /// Queues lines for an activity log: JSON objects without line breaks. They are
    /// written on one of the store's threads, under no lock of a session, and never fail the caller.
    pub fn log(&self, place: &LogPlace, log: Log, lines: &[String]) {
        let services = &self.view.services;
        services.logs.push(&services.pool, place, log, lines);
    }

    /// Flushes and closes this view; the last view of a session also gives its memory and descriptors back. Closing
    /// twice is fine; any other call after it is `Closed`.
    pub fn close(&self, done: impl FnOnce(Result<()>) + Send + 'static) {
        let answer = Answer::new(done);
        if self.view.closed.swap(true, Ordering::AcqRel) {
            return answer.give(Ok(()));
        }
        let last = self.view.session.count_handle(false) == 0;
        self.queue_flush(answer);
        if last {
            self.queue(Job::Release { done: Box::new(|_| ()) });
        }
    }

    fn queue_flush(&self, answer: Answer<()>) {
        // Whoever closes may remove the directory: activity lines come first.
        let services = Arc::clone(&self.view.services);
        let done: Finish = Box::new(move |result| {
            services.logs.when_written(&services.pool, Box::new(move || answer.give(result)));
        });
        self.queue(Job::Flush { done, since: Instant::now(), patience: self.view.options.lock_patience });
    }

    fn queue(&self, job: Job<S>) {
        self.view.session.submit(job, &self.view.services);
    }

    fn check_open(&self) -> Result<()> {
        if self.view.closed.load(Ordering::Acquire) {
            return Err(Error::Closed(format!("the session {:?} was closed", self.view.session.address.key)));
        }
        Ok(())
    }
}

/// Waits for the answer of a call.
pub fn wait<T: Send + 'static>(call: impl FnOnce(Box<dyn FnOnce(Result<T>) + Send>)) -> Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    call(Box::new(move |result| {
        let _ = sender.send(result);
    }));
    receiver.recv().unwrap_or_else(|_| Err(Error::Closed("the store was shut down".into())))
}

fn guarded<A, T>(access: Result<A>, job: impl FnOnce(A) -> Result<T>) -> (Result<T>, Outcome) {
    match access {
        Err(error) => (Err(error), Outcome::Ended),
        Ok(access) => match catch_unwind(AssertUnwindSafe(|| job(access))) {
            Ok(result) => (result, Outcome::Ended),
            Err(panic) => (Err(caught(&*panic)), Outcome::Panicked),
        },
    }
}

/// A callback that is called exactly once, whatever happens to the job.
struct Answer<T>(Option<Box<dyn FnOnce(Result<T>) + Send>>);

impl<T> Answer<T> {
    fn new(done: impl FnOnce(Result<T>) + Send + 'static) -> Self {
        Self(Some(Box::new(done)))
    }

    fn give(mut self, result: Result<T>) {
        self.call(result);
    }

    fn call(&mut self, result: Result<T>) {
        if let Some(done) = self.0.take()
            && catch_unwind(AssertUnwindSafe(|| done(result))).is_err()
        {
            tracing::error!("a callback panicked");
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if self.0.is_some() {
            let lost = if std::thread::panicking() {
                Error::Internal { where_: "store".into(), what: "a panic cut the job short".into() }
            } else {
                Error::Closed("the store was shut down before the job ran".into())
            };
            self.call(Err(lost));
        }
    }
}
