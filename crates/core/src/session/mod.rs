//! The one place where the rooms are put together: a session's state, what goes in, what comes out.
//!
//! Every call queues its work on the store's threads and answers through `done`, once, from one of them.

mod append;
mod archive;
mod enrich;
mod event;
mod import;
pub mod live;
mod make;
mod observe;
pub mod recall;
mod sinks;
mod state;
mod thread;
mod view;

use crate::checkpoint::diff::{Difference, Relation, diff};
use crate::checkpoint::policy::inspect;
use crate::checkpoint::{self, Agent, Checkpoint, ToolCall, Trigger};
use crate::config::Config;
use crate::ledger::{Comparison, Kind, Prepared, Source, compare_prepared};
use crate::recall::Library;
use crate::store::{self, Log, LogPlace, Registry};
use crate::text::redact::redact_secrets;
use crate::{Error, Result, packet};
use append::Remembered;
use serde::Serialize;
use serde_json::Value;
use sinks::{Journal, Preview};
use state::State;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

pub use crate::ledger::Appended;
pub use crate::store::{Durability, SessionSummary};
pub use archive::{
    ColdChunk, DropPage, DropQuery, DropView, Inspection, TuneReport, drain_diagnostics, keep_diagnostics,
    logs_written, tune,
};
pub use enrich::{Enriched, Rejected, Started, read_messages, summarize};
pub use view::SessionView;

/// Answers a call: once, from one of the store's threads.
pub type Done<T> = Box<dyn FnOnce(Result<T>) + Send>;

static SESSIONS: LazyLock<Registry<State>> = LazyLock::new(Registry::default);

/// How a session is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// What an acknowledged append survives.
    pub durability: Durability,
    /// How long to wait for another process's lock.
    pub lock_timeout: Duration,
    /// Run without locks where the file system has none.
    pub single_process: bool,
    /// Bodies of messages are kept (`COLD_STORAGE_ENABLED`).
    pub keeps_bodies: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            durability: Durability::Written,
            lock_timeout: Duration::from_secs(5),
            single_process: false,
            keeps_bodies: true,
        }
    }
}

/// A tool call as a host reports it.
#[derive(Debug, Clone)]
pub struct ToolReport {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub params: Value,
    /// It failed.
    pub is_error: bool,
    /// What it said when it failed.
    pub error_text: Option<String>,
}

/// Files that a host has counted itself.
#[derive(Debug, Clone, Default)]
pub struct FileOps {
    /// Read.
    pub read: Vec<String>,
    /// Written or edited.
    pub modified: Vec<String>,
}

/// What a checkpoint call is given (API.md, `CheckpointInput`).
#[derive(Debug, Clone)]
pub struct CheckpointRequest {
    /// Why.
    pub trigger: Trigger,
    /// The host's transcript.
    pub session_file: Option<String>,
    /// `telegram`, ...
    pub channel: Option<String>,
    /// The host's agent.
    pub agent_id: Option<String>,
    /// The host's compactions so far, where it counts them.
    pub compaction_count: Option<u64>,
    /// Tokens of the whole request.
    pub input_tokens: u64,
    /// The model's window in tokens.
    pub context_window: u64,
    /// 0..1; computed if missing.
    pub utilization: Option<f64>,
    /// JSON arrays of messages that together are the conversation, or a part of it.
    pub messages: Vec<String>,
    /// The host cuts a turn in two.
    pub is_split_turn: bool,
    /// Files that the host has counted itself.
    pub file_ops: Option<FileOps>,
    /// Running subagents and jobs; replaces what was known.
    pub agents: Option<Vec<Agent>>,
}

impl CheckpointRequest {
    /// Nothing but the trigger.
    pub fn new(trigger: Trigger) -> Self {
        Self {
            trigger,
            session_file: None,
            channel: None,
            agent_id: None,
            compaction_count: None,
            input_tokens: 0,
            context_window: 0,
            utilization: None,
            messages: Vec::new(),
            is_split_turn: false,
            file_ops: None,
            agents: None,
        }
    }
}

/// What became of a checkpoint call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// Written, durably.
    Written {
        /// Always true.
        written: bool,
        /// `cp_001`, ...
        id: String,
        /// Where it is.
        path: PathBuf,
    },
    /// Left out: nothing has changed.
    Skipped {
        /// Always false.
        written: bool,
        /// Why.
        reason: String,
    },
}

impl Outcome {
    /// The id of what was written.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Written { id, .. } => Some(id),
            Self::Skipped { .. } => None,
        }
    }
}

/// One checkpoint on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointSummary {
    /// `cp_001`, ...
    pub id: String,
    /// ISO 8601; empty for a damaged file.
    pub created_at: String,
    /// Why it was written; null for a damaged file.
    pub trigger: Option<Trigger>,
    /// Size of the file.
    pub bytes: u64,
    /// It parses and matches its hash.
    pub valid: bool,
}

/// A session: a cheap view on what the whole process shares.
#[derive(Debug, Clone)]
pub struct Session {
    handle: store::Handle<State>,
    state_dir: PathBuf,
    key: String,
    options: OpenOptions,
    library: Arc<Library>,
    logs: Arc<Logs>,
}

/// Where a session's activity is logged, and what of it that is not its live handle's.
#[derive(Debug)]
struct Logs {
    place: LogPlace,
    recoveries: bool,
}

/// Where the activity logs lie: where LOG_PATH says, else in the state directory.
fn log_place(state_dir: &Path, config: &Config) -> LogPlace {
    match &config.log_path {
        Some(path) => LogPlace::At(path.into()),
        None => LogPlace::Below(state_dir.to_owned()),
    }
}

impl Session {
    /// A view on the session `key` below `state_dir`. Touches no file. `InvalidInput` for an empty key or directory.
    pub fn open(state_dir: &Path, key: &str, options: OpenOptions) -> Result<Self> {
        let store_options = store::OpenOptions {
            lock_patience: options.lock_timeout,
            single_process: options.single_process,
        };
        Ok(Self {
            handle: SESSIONS.open(state_dir, key, store_options)?,
            state_dir: state_dir.to_owned(),
            key: key.to_owned(),
            options,
            library: Library::of(state_dir),
            logs: Arc::new(Logs { place: LogPlace::Below(state_dir.to_owned()), recoveries: true }),
        })
    }

    /// Logs as it is configured.
    fn with_logs(mut self, config: &Config) -> Self {
        let place = log_place(&self.state_dir, config);
        self.logs = Arc::new(Logs { place, recoveries: config.log_recovery });
        self
    }

    /// Queues lines for an activity log. Never fails.
    fn log(&self, log: Log, lines: &[String]) {
        self.handle.log(&self.logs.place, log, lines);
    }

    /// The session's key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The host's state directory.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// Remembers a decision; `when` is ISO 8601, now if missing.
    pub fn append_decision(&self, what: String, when: Option<String>, done: Done<Appended>) {
        self.remember(Kind::Decision, what, when, done);
    }

    /// Remembers something that is open.
    pub fn append_open_item(&self, item: String, done: Done<Appended>) {
        self.remember(Kind::OpenItem, item, None, done);
    }

    /// Remembers something learned.
    pub fn append_learning(&self, learning: String, done: Done<Appended>) {
        self.remember(Kind::Learning, learning, None, done);
    }

    /// Settles an open item; false if nothing matches.
    pub fn resolve_open_item(&self, item: String, done: Done<bool>) {
        self.write(move |journal| append::resolve(journal, &item), done);
    }

    /// Records a tool call.
    pub fn record_tool_use(&self, report: ToolReport, done: Done<()>) {
        self.write(move |journal| append::tool_use(journal, report), done);
    }

    /// Records the last tool call in one line.
    pub fn write_last_tool_call(&self, name: String, params_summary: String, done: Done<()>) {
        self.write(move |journal| append::last_tool_call(journal, &name, &params_summary), done);
    }

    /// The last tool call, whichever process made it.
    pub fn read_last_tool_call(&self, done: Done<Option<ToolCall>>) {
        self.read(|reader| Ok(import::readable_state(reader, now())?.last_tool_call.clone()), done);
    }

    /// Everything that is remembered.
    pub fn read_state(&self, done: Done<SessionView>) {
        self.read(|reader| Ok(view::session_view(import::readable_state(reader, now())?.as_ref())), done);
    }

    /// The checkpoint that would be written now. Writes nothing.
    pub fn build_checkpoint(&self, request: CheckpointRequest, done: Done<Checkpoint>) {
        let key = self.key.clone();
        self.read(
            move |reader| {
                let latest = latest(reader)?;
                let (mut preview, seq) = Preview::of(reader)?;
                make::take_in(&mut preview, &request)?;
                let number = latest
                    .as_ref()
                    .and_then(|latest| store::checkpoint_number(&latest.meta.checkpoint_id))
                    .unwrap_or(0);
                let id = store::checkpoint_id(number + 1);
                let previous = latest.as_ref().map(|latest| latest.meta.checkpoint_id.as_str());
                Ok(make::checkpoint(&preview, &request, &key, &id, previous, seq))
            },
            done,
        );
    }

    /// Captures the messages, then writes a checkpoint durably, unless nothing has changed (DESIGN 6.3).
    pub fn write_checkpoint(&self, request: CheckpointRequest, done: Done<Outcome>) {
        let key = self.key.clone();
        let done = self.then_name_parent(&request, done);
        let job = move |journal: &mut Journal<'_, '_>| {
            make::take_in(journal, &request)?;
            make::write(journal, &request, &key)
        };
        // The checkpoint and all that it says are durable when the job ends; its own note may follow.
        self.write_as(Durability::Written, job, done);
    }

    /// The newest valid checkpoint.
    pub fn read_latest_checkpoint(&self, done: Done<Option<Checkpoint>>) {
        self.read(latest, done);
    }

    /// One checkpoint. `InvalidInput` for what is no id, `NotFound`, `Corrupt`.
    pub fn read_checkpoint(&self, id: String, done: Done<Checkpoint>) {
        self.read(move |reader| parse(&reader.checkpoint(&id, &inspect)?.bytes), done);
    }

    /// All checkpoints on disk, oldest first.
    pub fn list_checkpoints(&self, done: Done<Vec<CheckpointSummary>>) {
        self.read(
            |reader| {
                let files = reader.checkpoints(&inspect)?;
                Ok(files
                    .into_iter()
                    .map(|file| CheckpointSummary {
                        valid: file.info.is_some(),
                        created_at: file
                            .info
                            .as_ref()
                            .map(|info| info.created_at.clone())
                            .unwrap_or_default(),
                        trigger: file.info.and_then(|info| Trigger::from_name(&info.trigger).ok()),
                        id: file.id,
                        bytes: file.bytes,
                    })
                    .collect())
            },
            done,
        );
    }

    /// The packet of the newest checkpoint; `None` if there is none.
    pub fn read_checkpoint_for_injection(&self, max_tokens: Option<u64>, done: Done<Option<String>>) {
        self.read(
            move |reader| {
                let options = packet::RenderOptions::with_limit(max_tokens);
                let text = latest(reader)?.map(|checkpoint| packet::render(&checkpoint, &options).text);
                // A limit that does not hold even the frame gives no packet at all.
                Ok(text.filter(|text| !text.is_empty()))
            },
            done,
        );
    }

    /// Makes everything durable, writes the snapshots and gives memory and descriptors back.
    pub fn close(&self, done: Done<()>) {
        self.handle.close(done);
    }

    /// Running agents that are sessions themselves are told their parent, one after the other, before `done`: never two
    /// sessions are locked at once.
    fn then_name_parent(&self, request: &CheckpointRequest, done: Done<Outcome>) -> Done<Outcome> {
        let mut done = done;
        for agent in request.agents.iter().flatten() {
            let Ok(child) = Session::open(&self.state_dir, &agent.id, self.options) else { continue };
            let parent = self.key.clone();
            let next = done;
            done = Box::new(move |outcome| {
                if outcome.is_err() {
                    return next(outcome);
                }
                child.write(
                    move |journal| journal.locked.set_parent(&parent),
                    Box::new(move |named| next(named.and(outcome))),
                );
            });
        }
        done
    }

    /// The host's own code speaks for its user: it was told, or it has matched an answer.
    fn remember(&self, kind: Kind, said: String, at: Option<String>, done: Done<Appended>) {
        let source = Source::User;
        self.write(move |journal| append::entry(journal, Remembered { kind, source, said: &said, at }), done);
    }

    fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal<'_, '_>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        self.write_as(self.options.durability, job, done);
    }

    fn write_as<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut Journal<'_, '_>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        self.write_within(self.options.lock_timeout, durability, job, done);
    }

    /// The same, waiting at most `patience` for another process's lock.
    fn write_within<T: Send + 'static>(
        &self,
        patience: Duration,
        durability: Durability,
        job: impl FnOnce(&mut Journal<'_, '_>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        let keeps_bodies = self.options.keeps_bodies;
        self.handle.submit_within(
            patience,
            move |locked| {
                let mut journal = Journal::new(locked, keeps_bodies)?;
                import::earlier(&mut journal)?;
                job(&mut journal)
            },
            durability,
            done,
        );
    }

    fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut store::Reader<'_, State>) -> Result<T> + Send + 'static,
        done: Done<T>,
    ) {
        self.handle.submit_read(self.options.lock_timeout, job, done);
    }
}

/// A subagent ended. Its own session names its parent, in which it stops being listed as running. False if nobody
/// started it or it has ended before.
pub fn agent_ended_by_key(state_dir: &Path, child_key: &str, done: Done<bool>) {
    let child = match Session::open(state_dir, child_key, OpenOptions::default()) {
        Ok(child) => child,
        Err(error) => return done(Err(error)),
    };
    let (state_dir, child_key) = (state_dir.to_owned(), redact_secrets(child_key).into_owned());
    child.read(
        |reader| Ok(reader.info().and_then(|info| info.parent.clone())),
        Box::new(move |parent: Result<Option<String>>| match parent {
            Err(error) => done(Err(error)),
            Ok(None) => done(Ok(false)),
            Ok(Some(parent)) => match Session::open(&state_dir, &parent, OpenOptions::default()) {
                Ok(parent) => parent.write(move |journal| append::agent_ended(journal, &child_key), done),
                Err(error) => done(Err(error)),
            },
        }),
    );
}

/// All sessions of a state directory.
pub fn list_sessions(state_dir: &Path, done: Done<Vec<SessionSummary>>) {
    SESSIONS.list(state_dir, done);
}

/// What one checkpoint has that the other has not, by the ledger's comparison.
pub fn diff_checkpoints(older: &Checkpoint, newer: &Checkpoint) -> Difference {
    // Each text is compared with many others, and read once.
    let read = RefCell::<HashMap<String, Rc<Prepared>>>::default();
    let prepared = |text: &str| {
        let mut read = read.borrow_mut();
        Rc::clone(read.entry(text.to_owned()).or_insert_with(|| Rc::new(Prepared::new(text))))
    };
    diff(older, newer, |older, newer| match compare_prepared(&prepared(older), &prepared(newer)).comparison {
        Comparison::Duplicate => Relation::Same,
        Comparison::Conflict => Relation::Conflict,
        Comparison::Distinct => Relation::Distinct,
    })
}

/// Runs work that is too long for the caller's thread on the store's threads.
pub fn in_background<T: Send + 'static>(job: impl FnOnce() -> Result<T> + Send + 'static, done: Done<T>) {
    SESSIONS.background(job, done);
}

/// Panics in a job, for the test that shows that the process lives on.
#[allow(clippy::panic, reason = "this is what the test is about")]
pub fn provoke_panic(state_dir: &Path, key: &str, done: Done<()>) {
    match Session::open(state_dir, key, OpenOptions::default()) {
        Ok(session) => session.write(|_| panic!("on purpose, in a job"), done),
        Err(error) => done(Err(error)),
    }
}

/// The newest valid checkpoint of this generation: those of earlier ones are not for resuming (FAULTS F5).
fn latest(reader: &mut store::Reader<'_, State>) -> Result<Option<Checkpoint>> {
    let earlier = reader.state().earlier_checkpoints;
    let newest = reader.latest_checkpoint(&inspect)?.map(|stored| parse(&stored.bytes)).transpose()?;
    Ok(newest.filter(|newest| {
        store::checkpoint_number(&newest.meta.checkpoint_id).is_none_or(|number| number > earlier)
    }))
}

fn parse(bytes: &[u8]) -> Result<Checkpoint> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::Corrupt("the checkpoint is not UTF-8; it was damaged on disk".to_owned()))?;
    checkpoint::yaml::parse(text)
}

fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
