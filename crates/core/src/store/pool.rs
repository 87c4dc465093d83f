//! The few threads that do all file work of the process (STORE.md, "Lock" 4). They sleep when there is nothing to do
//! and end when that lasts. Of those that sleep, the one that worked last is woken: work that comes piece by piece stays
//! on one thread, whose caches are warm, and the memory that a thread keeps (compiled patterns, the allocator's) is not
//! there four times.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread waits for work before it ends.
const LINGER: Duration = Duration::from_secs(10);

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
    /// Threads that sleep and were not woken, the one that worked last at the end.
    idle: Vec<Sleeper>,
    numbers: u64,
    closed: bool,
}

/// A thread that sleeps.
struct Sleeper {
    woken: Arc<Condvar>,
    /// When it wakes by itself.
    until: Instant,
}

impl Plan {
    /// The thread that worked last, to be woken once the plan is free.
    fn waken(&mut self) -> Option<Arc<Condvar>> {
        self.idle.pop().map(|sleeper| sleeper.woken)
    }

    /// Whether a timer is due before any thread that sleeps will look.
    fn is_timer_unseen(&self) -> bool {
        self.timers.peek().is_some_and(|timer| self.idle.iter().all(|sleeper| timer.due < sleeper.until))
    }
}

struct Shared {
    plan: Mutex<Plan>,
    max_threads: usize,
}

/// The pool. Clones share the threads.
#[derive(Clone)]
pub(super) struct Pool(Arc<Shared>);

impl Pool {
    /// At most `max_threads` threads, started when they are needed.
    pub(super) fn new(max_threads: usize) -> Self {
        Self(Arc::new(Shared { plan: Mutex::default(), max_threads: max_threads.max(1) }))
    }

    /// Runs a task as soon as a thread is free, after those that came before it.
    pub(super) fn run(&self, task: Task) {
        let mut plan = self.0.plan();
        plan.ready.push_back(task);
        self.0.see_to_threads(plan, self);
    }

    /// The same, called by a task as the last thing that it does: its own thread is about to look for work, and where
    /// nothing else waits nobody is woken.
    pub(super) fn go_on(&self, task: Task) {
        let mut plan = self.0.plan();
        plan.ready.push_back(task);
        if plan.ready.len() > 1 {
            self.0.see_to_threads(plan, self);
        }
    }

    /// Runs a task at `due` or soon after. Called by a task as the last thing that it does.
    pub(super) fn run_at(&self, due: Instant, task: Task) {
        let mut plan = self.0.plan();
        plan.numbers += 1;
        let number = plan.numbers;
        plan.timers.push(Timer { due, number, task });
        if plan.threads == 0 {
            self.0.see_to_threads(plan, self);
        }
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
        plan.idle.drain(..).for_each(|sleeper| sleeper.woken.notify_one());
        drop(plan);
        drop(dropped); // a task may own the last handle of something: not under the mutex
    }

    fn work(&self) {
        let woken = Arc::new(Condvar::new());
        loop {
            let (task, other) = {
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
                        // Whoever sleeps may not know of a timer that only this thread was going to see to.
                        let wanted = !plan.ready.is_empty() || plan.is_timer_unseen();
                        break (task, if wanted { plan.waken() } else { None });
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
                    plan.idle.push(Sleeper { woken: Arc::clone(&woken), until: now + pause });
                    plan = woken.wait_timeout(plan, pause).unwrap_or_else(PoisonError::into_inner).0;
                    plan.idle.retain(|sleeper| !Arc::ptr_eq(&sleeper.woken, &woken));
                }
            };
            if let Some(other) = other {
                other.notify_one();
            }
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
        let for_timers = plan.threads == 0 && !plan.timers.is_empty();
        let wanted = plan.ready.len().max(usize::from(for_timers));
        let start = wanted > plan.idle.len() && plan.threads < self.max_threads;
        if start {
            plan.threads += 1;
        }
        let sleeper = plan.waken();
        drop(plan);
        if let Some(sleeper) = sleeper {
            sleeper.notify_one();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, mpsc};
    use std::thread::{ThreadId, current, yield_now};

    /// A pool whose threads have all been started.
    fn with_threads(count: usize) -> Pool {
        let pool = Pool::new(count);
        let together = Arc::new(Barrier::new(count));
        for _ in 0..count {
            let together = Arc::clone(&together);
            pool.run(Box::new(move || _ = together.wait()));
        }
        pool
    }

    fn all_sleep(pool: &Pool) {
        loop {
            let plan = pool.0.plan();
            if plan.ready.is_empty() && plan.idle.len() == plan.threads {
                return;
            }
            drop(plan);
            yield_now();
        }
    }

    #[test]
    fn work_that_comes_piece_by_piece_stays_on_one_thread() {
        let pool = with_threads(4);
        let mut seen: Vec<ThreadId> = Vec::new();
        for _ in 0..20 {
            all_sleep(&pool);
            let (sender, receiver) = mpsc::channel();
            pool.run(Box::new(move || sender.send(current().id()).unwrap()));
            seen.push(receiver.recv().unwrap());
        }
        seen.dedup();
        assert_eq!(seen.len(), 1);
        pool.close();
    }

    #[test]
    fn a_timer_is_seen_to_while_the_thread_that_heard_of_it_works() {
        let pool = with_threads(2);
        all_sleep(&pool);
        let (rang, rings) = mpsc::channel();
        let (sender, receiver) = mpsc::channel();
        let inner = pool.clone();
        pool.run(Box::new(move || {
            inner.run_at(Instant::now() + Duration::from_millis(5), Box::new(move || rang.send(()).unwrap()));
            // Only the other thread can ring it.
            inner.go_on(Box::new(move || sender.send(rings.recv()).unwrap()));
        }));
        assert_eq!(receiver.recv().unwrap(), Ok(()));
        pool.close();
    }
}
