//! The activity logs below `context/logs/`: lines of JSON for people and tools such as `jq`, shared by all sessions and
//! processes of a state directory. They are size-capped and rotated (FAULTS H13), and nothing depends on them: what
//! cannot be logged is said once through `tracing`, and the call goes on.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dir::Dir;
use super::lock::Lock;
use super::pool::Pool;
use crate::{Error, Result};

/// The folder below `context/`.
const FOLDER: &str = "logs";
/// A file is rotated above this size, in bytes.
const MAX_BYTES: u64 = 2 << 20;
/// Rotated files that are kept: `<name>.jsonl.1` is the newest.
const KEPT: u32 = 2;
/// Lines that may wait to be written. Above that the newest are left out: a full disk must not fill the memory.
const MAX_WAITING: usize = 10_000;

/// One of the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Log {
    /// Epochs and compactions.
    Compaction,
    /// Relevance passes.
    Curation,
    /// Messages that left the view.
    Drops,
    /// Messages that came back.
    Recovery,
    /// How full the context is.
    Health,
}

impl Log {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Compaction, Self::Curation, Self::Drops, Self::Recovery, Self::Health];

    /// Its file below `context/logs/`.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction.jsonl",
            Self::Curation => "curation.jsonl",
            Self::Drops => "drops.jsonl",
            Self::Recovery => "recovery.jsonl",
            Self::Health => "context-health.jsonl",
        }
    }
}

/// Where the logs lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogPlace {
    /// In `context/logs/` of this state directory. One that is gone was removed on purpose: it is not made again.
    Below(PathBuf),
    /// In this directory (LOG_PATH); it is made where it is missing.
    At(PathBuf),
}

impl LogPlace {
    fn open(&self) -> Result<Option<Dir>> {
        match self {
            Self::Below(state_dir) => {
                let context = Dir::open_host(state_dir)?.map(|host| host.child("context")).transpose()?;
                context.flatten().map(|context| context.child(FOLDER)).transpose().map(Option::flatten)
            }
            Self::At(path) => Dir::open_host(path),
        }
    }

    fn make(&self) -> Result<Option<Dir>> {
        match self {
            Self::Below(state_dir) => {
                let context = Dir::open_host(state_dir)?.map(|host| host.child("context")).transpose()?;
                context.flatten().map(|context| context.make_child(FOLDER)).transpose()
            }
            Self::At(path) => Dir::make_host(path).map(Some),
        }
    }
}

enum Waiting {
    Lines { place: LogPlace, log: Log, bytes: Vec<u8> },
    Told(Box<dyn FnOnce() + Send>),
}

/// What waits to be logged, in order. One thread at a time works it off, holding no lock of a session.
#[derive(Default)]
pub(super) struct LogQueue {
    waiting: Mutex<VecDeque<Waiting>>,
    busy: AtomicBool,
    complained: AtomicBool,
}

impl LogQueue {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues lines, each a JSON object without its line break.
    pub(super) fn push(
        self: &std::sync::Arc<Self>,
        pool: &Pool,
        place: &LogPlace,
        log: Log,
        lines: &[String],
    ) {
        let mut bytes = Vec::new();
        for line in lines.iter().filter(|line| !line.contains('\n')) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        if bytes.is_empty() {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.len() >= MAX_WAITING {
            drop(waiting);
            return self.complain("too many lines wait");
        }
        waiting.push_back(Waiting::Lines { place: place.clone(), log, bytes });
        drop(waiting);
        self.see_to(pool);
    }

    /// Calls `told` once everything queued so far was written, or could not be.
    pub(super) fn when_written(self: &std::sync::Arc<Self>, pool: &Pool, told: Box<dyn FnOnce() + Send>) {
        self.waiting().push_back(Waiting::Told(told));
        self.see_to(pool);
    }

    fn see_to(self: &std::sync::Arc<Self>, pool: &Pool) {
        if self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let queue = std::sync::Arc::clone(self);
        pool.run(Box::new(move || queue.work()));
    }

    fn work(&self) {
        loop {
            let next = self.waiting().pop_front();
            match next {
                Some(Waiting::Lines { place, log, bytes }) => {
                    // A panic must not leave the queue without anybody who works it off.
                    let written = catch_unwind(AssertUnwindSafe(|| append(&place, log, &bytes)));
                    if let Err(error) =
                        written.unwrap_or_else(|panic| Err(Error::from_panic("logs", &*panic)))
                    {
                        self.complain(&error.to_string());
                    }
                }
                Some(Waiting::Told(told)) => told(),
                None => {
                    self.busy.store(false, Ordering::Release);
                    // Something may have come between the look and the sign.
                    if self.waiting().is_empty() || self.busy.swap(true, Ordering::AcqRel) {
                        return;
                    }
                }
            }
        }
    }

    fn complain(&self, why: &str) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "activity logs are incomplete");
        }
    }
}

/// Appends whole lines with one write call, rotating first where the file is full.
fn append(place: &LogPlace, log: Log, bytes: &[u8]) -> Result<()> {
    let Some(logs) = place.make()? else { return Ok(()) };
    let name = log.file_name();
    if logs.stat(name)?.is_some_and(|found| found.len >= MAX_BYTES) {
        rotate(&logs, name)?;
    }
    let file = logs.open_append(name)?;
    let len = logs.file_meta(&file, name)?.map_or(0, |meta| meta.len);
    let torn = len > 0 && logs.read_from(&file, name, len - 1, 1)? != b"\n";
    if torn {
        // What is left of a line stays a line of its own, which readers skip.
        return logs.write_once(&file, name, &[b"\n", bytes].concat());
    }
    logs.write_once(&file, name, bytes)
}

/// Under a lock of its own: two processes that rotate at once would throw a file away. Who does not get it leaves the
/// rotation to the other.
fn rotate(logs: &Dir, name: &str) -> Result<()> {
    let mut lock = Lock::open(logs, true)?;
    if !lock.try_take(logs)? {
        return Ok(());
    }
    let rotated = rotate_locked(logs, name);
    lock.release();
    rotated
}

fn rotate_locked(logs: &Dir, name: &str) -> Result<()> {
    if logs.stat(name)?.is_none_or(|found| found.len < MAX_BYTES) {
        return Ok(()); // another process was faster
    }
    logs.unlink(&format!("{name}.{KEPT}"))?;
    for number in (1..KEPT).rev() {
        let from = format!("{name}.{number}");
        if logs.stat(&from)?.is_some() {
            logs.rename(&from, &format!("{name}.{}", number + 1))?;
        }
    }
    logs.rename(name, &format!("{name}.1"))
}

/// Shows the lines of a log, oldest first, until `visit` returns `false`.
pub(super) fn read(place: &LogPlace, log: Log, visit: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
    let Some(logs) = place.open()? else { return Ok(()) };
    let name = log.file_name();
    let rotated = (1..=KEPT).rev().map(|number| format!("{name}.{number}"));
    for name in rotated.chain([name.to_owned()]) {
        let Some(bytes) = logs.read(&name)? else { continue };
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if !visit(line) {
                return Ok(());
            }
        }
    }
    Ok(())
}
