//! The few threads that do all file work of the process (STORE.md, "Lock" 4). They sleep when there is nothing to do
//! and end when that lasts.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread waits for work before it ends.
const LINGER: Duration = Duration::from_secs(10);

/// A timer due within this time is handed on by a thread that takes other work.
const SOON: Duration = Duration::from_millis(10);

/// Something to be done on one of the threads.
pub(super) type Task = Box<dyn FnOnce() + Send>;

/// A task that is due later.
struct Timer {
    due: Instant,
    number: u64,
    task: Task,
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timer {}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timer {
    /// The heap gives the greatest first: that is the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.number).cmp(&(self.due, self.number))
    }
}

#[derive(Default)]
struct Plan {
    ready: VecDeque<Task>,
    timers: BinaryHeap<Timer>,
    threads: usize,
    idle: usize,
    numbers: u64,
    closed: bool,
}

struct Shared {
    plan: Mutex<Plan>,
    changed: Condvar,
    max_threads: usize,
}

/// The pool. Clones share the threads.
#[derive(Clone)]
pub(super) struct Pool(Arc<Shared>);

impl Pool {
    /// At most `max_threads` threads, started when they are needed.
    pub(super) fn new(max_threads: usize) -> Self {
        Self(Arc::new(Shared {
            plan: Mutex::default(),
            changed: Condvar::new(),
            max_threads: max_threads.max(1),
        }))
    }

    /// Runs a task as soon as a thread is free, after those that came before it.
    pub(super) fn run(&self, task: Task) {
        let mut plan = self.0.plan();
        plan.ready.push_back(task);
        self.0.see_to_threads(plan, self);
    }

    /// Runs a task at `due` or soon after.
    pub(super) fn run_at(&self, due: Instant, task: Task) {
        let mut plan = self.0.plan();
        plan.numbers += 1;
        let number = plan.numbers;
        plan.timers.push(Timer { due, number, task });
        self.0.see_to_threads(plan, self);
    }

    /// Whether nothing will run any more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.plan().closed
    }

    /// Drops what waits and lets the threads end.
    pub(super) fn close(&self) {
        let mut plan = self.0.plan();
        plan.closed = true;
        let dropped = (std::mem::take(&mut plan.ready), std::mem::take(&mut plan.timers));
        drop(plan);
        drop(dropped); // a task may own the last handle of something: not under the mutex
        self.0.changed.notify_all();
    }

    fn work(&self) {
        loop {
            let task = {
                let mut plan = self.0.plan();
                let waiting_since = Instant::now();
                loop {
                    if plan.closed {
                        plan.threads -= 1;
                        return;
                    }
                    let now = Instant::now();
                    while plan.timers.peek().is_some_and(|timer| timer.due <= now) {
                        if let Some(timer) = plan.timers.pop() {
                            plan.ready.push_back(timer.task);
                        }
                    }
                    if let Some(task) = plan.ready.pop_front() {
                        // Whoever waits may not know of a timer that only this thread was going to see to.
                        let soon = plan.timers.peek().is_some_and(|timer| timer.due < now + SOON);
                        if plan.idle > 0 && (soon || !plan.ready.is_empty()) {
                            self.0.changed.notify_one();
                        }
                        break task;
                    }
                    // As long as something is due some day, one thread stays to see to it.
                    let may_end = plan.threads > 1 || plan.timers.is_empty();
                    let waited = now.duration_since(waiting_since);
                    if may_end && waited >= LINGER {
                        plan.threads -= 1;
                        return;
                    }
                    let mut pause = if may_end { LINGER - waited } else { Duration::from_secs(3600) };
                    if let Some(timer) = plan.timers.peek() {
                        pause = pause.min(timer.due.duration_since(now));
                    }
                    plan.idle += 1;
                    plan = self.0.changed.wait_timeout(plan, pause).unwrap_or_else(PoisonError::into_inner).0;
                    plan.idle -= 1;
                }
            };
            if catch_unwind(AssertUnwindSafe(task)).is_err() {
                tracing::error!("a store task panicked; its thread goes on");
            }
        }
    }
}

impl Shared {
    /// No thread can be had: late is better than never, so the caller does what is ready.
    fn work_here<'a>(&'a self, mut plan: MutexGuard<'a, Plan>) {
        while let Some(task) = plan.ready.pop_front() {
            drop(plan);
            let _ = catch_unwind(AssertUnwindSafe(task));
            plan = self.plan();
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes a thread, or starts one where none waits.
    fn see_to_threads(&self, mut plan: MutexGuard<'_, Plan>, pool: &Pool) {
        let wanted = plan.ready.len().max(usize::from(!plan.timers.is_empty()));
        let start = plan.idle < wanted
            && plan.threads < self.max_threads
            && (plan.idle == 0 || plan.ready.len() > plan.idle);
        if start {
            plan.threads += 1;
        }
        let idle = plan.idle;
        drop(plan);
        if idle > 0 {
            self.changed.notify_one();
        }
        if start {
            let pool = pool.clone();
            let spawned =
                std::thread::Builder::new().name("clawback-store".into()).spawn(move || pool.work());
            if let Err(error) = spawned {
                tracing::error!(%error, "a store thread could not be started");
                let mut plan = self.plan();
                plan.threads -= 1;
                if plan.threads == 0 {
                    self.work_here(plan);
                }
            }
        }
    }
}
