//! What left the view, looked at from outside a live session: the command line's side of cold storage, and the activity
//! logs read for tuning.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use serde::Serialize;

use super::event::Event;
use super::observe::Sink;
use super::{Done, SESSIONS, Session};
use crate::checkpoint::policy::inspect;
use crate::config::Config;
use crate::observe::{self, Activity, Histogram, Percentiles, Suggestion, suggest};
use crate::store::{ChunkId, DropRecord, Durability, Log};
use crate::{Error, Result};

/// Which drops are wanted.
#[derive(Debug, Clone, Default)]
pub struct DropQuery {
    /// Only with this reason.
    pub reason: Option<String>,
    /// ISO 8601: only from this time on.
    pub since: Option<String>,
    /// Only the newest so many.
    pub limit: Option<usize>,
}

/// One drop in seed 003's form, without its content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropView {
    /// The message.
    pub chunk_id: String,
    /// The session's key.
    pub session_id: String,
    /// ISO 8601.
    pub timestamp: String,
    /// The host's role.
    pub role: String,
    /// Tokens of the message.
    pub tokens: u64,
    /// Why it left.
    pub drop_reason: String,
    /// 0..1, where a score decided.
    pub relevance_score: Option<f64>,
    /// What was asked then.
    pub prompt_at_drop: Option<String>,
    /// ISO 8601.
    pub recoverable_until: String,
    /// The epoch with which it left.
    pub epoch: u64,
}

impl From<DropRecord> for DropView {
    fn from(record: DropRecord) -> Self {
        Self {
            chunk_id: record.chunk_id.to_string(),
            session_id: record.session_id,
            timestamp: record.timestamp,
            role: record.role,
            tokens: record.tokens,
            drop_reason: record.drop_reason.to_string(),
            relevance_score: record.relevance_score,
            prompt_at_drop: record.prompt_at_drop,
            recoverable_until: record.recoverable_until,
            epoch: record.epoch,
        }
    }
}

/// Drops of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DropPage {
    /// The newest ones that were asked for, oldest first.
    pub drops: Vec<DropView>,
    /// How many fit the query.
    pub total: u64,
    /// Lines that could not be read.
    pub damaged: u64,
}

/// One stored message in seed 003's form: its drop record where it left the view, and its content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColdChunk {
    /// The message.
    pub chunk_id: String,
    /// The session's key.
    pub session_id: String,
    /// ISO 8601 time of the drop; of the message where it never left the view.
    pub timestamp: String,
    /// The text as it was stored.
    pub content: String,
    /// Tokens of the message in the view: what its drop freed.
    pub tokens: u64,
    /// Tokens of `content` alone, as a search counts them.
    pub content_tokens: u64,
    /// ISO 8601 time of the message itself, as a search tells it.
    pub said_at: String,
    /// Why it left; null where it never did.
    pub drop_reason: Option<String>,
    /// 0..1, where a score decided.
    pub relevance_score: Option<f64>,
    /// What was asked then.
    pub prompt_at_drop: Option<String>,
    /// ISO 8601; null where it never left.
    pub recoverable_until: Option<String>,
    /// The host's role.
    pub role: String,
    /// Name of the tool, for its results.
    pub tool: Option<String>,
    /// The epoch with which it left.
    pub epoch: Option<u64>,
}

/// What a look at every file of a session found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Events in the journal.
    pub journal_lines: u64,
    /// Journal lines that are damaged or missing.
    pub bad_lines: u64,
    /// Stored messages that have not expired.
    pub bodies: u64,
    /// Lines of message bodies that are damaged.
    pub damaged_bodies: u64,
    /// Messages that can be brought back.
    pub cold_chunks: u64,
    /// Lines of drop records that are damaged.
    pub damaged_drops: u64,
    /// Drop records whose message is not stored.
    pub drops_without_body: u64,
    /// Bytes of message bodies.
    pub body_bytes: u64,
    /// Files in quarantine.
    pub quarantined: u64,
    /// What was found and repaired, or could not be.
    pub problems: Vec<String>,
}

/// Figures of the activity logs and what they suggest.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneReport {
    /// What the logs say.
    pub activity: Activity,
    /// Scores of what was dropped.
    pub score_histogram: Histogram,
    /// The same at a few ranks.
    pub scores: Option<Percentiles>,
    /// Tokens that epochs freed.
    pub savings: Option<Percentiles>,
    /// Tokens that relevance passes freed.
    pub curation_savings: Option<Percentiles>,
    /// Hours between leaving and coming back.
    pub recovered_after: Option<Percentiles>,
    /// One for each knob.
    pub suggestions: Vec<Suggestion>,
}

impl Session {
    /// The session's drops.
    pub fn drops(&self, query: DropQuery, done: Done<DropPage>) {
        self.read(
            move |reader| {
                let mut page = DropPage::default();
                let mut newest = VecDeque::new();
                let limit = query.limit.unwrap_or(usize::MAX);
                page.damaged = reader.drops(&mut |record| {
                    let reason =
                        query.reason.as_deref().is_none_or(|reason| reason == record.drop_reason.as_str());
                    let since = query.since.as_deref().is_none_or(|since| since <= record.timestamp.as_str());
                    if reason && since {
                        page.total += 1;
                        newest.push_back(record);
                        if newest.len() > limit {
                            newest.pop_front();
                        }
                    }
                    true
                })?;
                page.drops = newest.into_iter().map(DropView::from).collect();
                Ok(page)
            },
            done,
        );
    }

    /// One stored message, whether it left the view or not. `InvalidInput` for what is no id; `NotFound`, also once it has
    /// expired; `Corrupt`.
    pub fn cold_chunk(&self, chunk_id: &str, done: Done<ColdChunk>) {
        let chunk: ChunkId = match chunk_id.parse() {
            Ok(chunk) => chunk,
            Err(error) => return done(Err(error)),
        };
        let key = self.key.clone();
        self.read(
            move |reader| {
                let body = reader.body(chunk)?;
                let record = reader.drop_of(chunk)?;
                let tokens = record
                    .as_ref()
                    .map_or_else(|| crate::text::tokens::estimate_tokens(&body.text), |record| record.tokens);
                let of = |field: fn(&DropRecord) -> String| record.as_ref().map(field);
                Ok(ColdChunk {
                    chunk_id: chunk.to_string(),
                    session_id: key,
                    timestamp: of(|record| record.timestamp.clone()).unwrap_or_else(|| body.at.clone()),
                    content_tokens: crate::text::tokens::estimate_tokens(&body.text),
                    said_at: body.at,
                    content: body.text,
                    tokens,
                    drop_reason: of(|record| record.drop_reason.to_string()),
                    relevance_score: record.as_ref().and_then(|record| record.relevance_score),
                    prompt_at_drop: record.as_ref().and_then(|record| record.prompt_at_drop.clone()),
                    recoverable_until: of(|record| record.recoverable_until.clone()),
                    role: body.role,
                    tool: body.tool,
                    epoch: record.as_ref().map(|record| record.epoch),
                })
            },
            done,
        );
    }

    /// Reads every file of the session and changes nothing. `NotFound` where it does not exist.
    pub fn inspect(&self, done: Done<Inspection>) {
        self.read(
            |reader| {
                if !reader.exists() {
                    return Err(Error::NotFound("the session does not exist".into()));
                }
                let mut found = Inspection::default();
                let mut stored = HashSet::new();
                found.damaged_bodies = reader.scan_bodies(&mut |body| {
                    stored.insert(body.chunk_id);
                    true
                })?;
                found.bodies = stored.len() as u64;
                let mut missing = HashSet::new();
                found.damaged_drops = reader.drops(&mut |record| {
                    if !stored.contains(&record.chunk_id) {
                        missing.insert(record.chunk_id);
                    }
                    true
                })?;
                found.drops_without_body = missing.len() as u64;
                found.cold_chunks = reader.cold_chunks()?;
                let figures = reader.figures()?;
                found.journal_lines = figures.journal_lines;
                found.bad_lines = figures.bad_lines;
                found.body_bytes = figures.body_bytes;
                found.quarantined = figures.quarantined as u64;
                found.problems = figures.problems;
                Ok(found)
            },
            done,
        );
    }

    /// Takes the lock once: damaged lines and checkpoints are set aside, damaged snapshots go to quarantine and are
    /// rebuilt, the older layout is imported, left-over temporary files go.
    pub fn repair(&self, done: Done<()>) {
        self.write_as(Durability::Full, |journal| journal.locked.mend(&inspect), done);
    }

    /// Asks whoever holds the session live to compact at its next plan. Survives the process.
    pub fn request_compaction(&self, done: Done<()>) {
        self.write_as(Durability::Full, |journal| journal.append(vec![Event::CompactionRequested]), done);
    }
}

/// Reads the activity logs of a state directory, or those that LOG_PATH names, of one session or of all, and judges the
/// knobs by them.
pub fn tune(state_dir: &Path, session: Option<String>, knobs: Config, done: Done<TuneReport>) {
    SESSIONS.read_logs(
        super::log_place(state_dir, &knobs),
        move |logs| {
            let mut activity = Activity::default();
            for log in Log::ALL {
                logs.lines(log, &mut |line| {
                    activity.add(log, line, session.as_deref());
                    true
                })?;
            }
            Ok(report(activity, &knobs))
        },
        done,
    );
}

fn report(activity: Activity, knobs: &Config) -> TuneReport {
    TuneReport {
        score_histogram: Histogram::of(&activity.drop_scores),
        scores: Percentiles::of(&activity.drop_scores),
        savings: Percentiles::of(&activity.savings),
        curation_savings: Percentiles::of(&activity.curation_savings),
        recovered_after: Percentiles::of(&activity.recovered_after),
        suggestions: suggest(&activity, knobs),
        activity,
    }
}

/// Calls `done` once every activity line queued so far was written or given up.
pub fn logs_written(done: Done<()>) {
    SESSIONS.logs_written(move || done(Result::Ok(())));
}

/// Begins to keep the process's diagnostics for [`drain_diagnostics`].
pub fn keep_diagnostics() {
    observe::install(super::now);
}

/// What the core has said since the last call, oldest first; the newest 1,000 lines are kept.
pub fn drain_diagnostics() -> Vec<observe::LogLine> {
    observe::drain(super::now)
}
