//! Search in what was said, and what was dropped brought back (seed 003; API.md `recall` and `recover`).
//!
//! Searching holds no lock and does not stand in the session's queue: a plan never waits for it. What was synced before
//! a question is found, for the question first waits for its turn in the queue.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::{Done, SESSIONS, Session, State, import, now};
use crate::observe::{Recovered, RecoverySource};
use crate::prune::whole_of;
use crate::recall::query::Query;
use crate::recall::{
    Collector, DEFAULT_LIMIT, DEFAULT_MAX_TOKENS, Filter, Found, Library, MAX_LIMIT, Pass, RecallHit,
    Request, Waiter, scores,
};
use crate::store::{self, Body, BodyFiles, ChunkId, Log, Reader};
use crate::text::clip::first_tokens;
use crate::text::time::hours_between;
use crate::text::tokens::estimate_tokens;
use crate::{Error, Result};

/// Bytes of new messages that are worth a pass of the index while the session runs. What is less is scanned.
const WORTH_INDEXING: u64 = 512 << 10;
/// The same when the session is closed.
const WORTH_AT_CLOSE: u64 = 16 << 10;
/// Found for each hit that is wanted: some may be too long or have expired.
const SPARE: usize = 3;

/// What is sought.
#[derive(Debug, Clone, Default)]
pub struct RecallRequest {
    /// Any text.
    pub query: String,
    /// Hits at most; 10 if missing.
    pub limit: Option<usize>,
    /// Tokens of all hits together; 2,000 if missing.
    pub max_tokens: Option<u64>,
    /// Also in other sessions, and in older generations of this one.
    pub all: bool,
    /// Only messages of this role.
    pub role: Option<String>,
    /// Only results of this tool.
    pub tool: Option<String>,
    /// Only messages from this ISO 8601 time on.
    pub since: Option<String>,
    /// Only messages up to this ISO 8601 time.
    pub until: Option<String>,
    /// The host's own scores, 0..1, by chunk id.
    pub scores: HashMap<String, f64>,
}

/// A message that came back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// The message; `text` is this page of it.
    #[serde(flatten)]
    pub hit: RecallHit,
    /// Tokens of the whole message.
    pub total_tokens: u64,
    /// Where the next page begins; `None`: this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

impl Session {
    /// The messages that answer a question best, best first. `InvalidInput` for bounds that are no times,
    /// `Unsupported` where cold storage is off.
    pub fn recall(&self, request: RecallRequest, done: Done<Vec<RecallHit>>) {
        if let Err(error) = self.keeps_bodies("recall") {
            return done(Err(error));
        }
        let session = self.clone();
        self.read(
            |reader| Ok(import::readable_state(reader, now())?.live.generation),
            Box::new(move |generation| match generation {
                Ok(generation) => {
                    let (searcher, last) = (session.clone(), session);
                    let job = move || searcher.search(&request, generation);
                    SESSIONS.background(
                        job,
                        Box::new(move |found: Result<Vec<RecallHit>>| match found {
                            Ok(hits) => last.finish(hits, done),
                            Err(error) => done(Err(error)),
                        }),
                    );
                }
                Err(error) => done(Err(error)),
            }),
        );
        self.index_soon();
    }

    fn keeps_bodies(&self, call: &str) -> Result<()> {
        if self.options.keeps_bodies {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "{call}: cold storage is off (COLD_STORAGE_ENABLED), so no messages are kept to be found"
        )))
    }

    fn search(&self, request: &RecallRequest, generation: u32) -> Result<Vec<RecallHit>> {
        let filter = Filter::new(
            request.role.clone(),
            request.tool.clone(),
            request.since.as_deref(),
            request.until.as_deref(),
        )?;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        let scored = |(id, score): (&String, &f64)| {
            let chunk: ChunkId = id.parse().ok()?;
            score.is_finite().then_some((chunk, *score as f32))
        };
        let wanted = Request {
            query: Query::new(&request.query),
            filter,
            scores: request.scores.iter().filter_map(scored).collect(),
            limit: limit.saturating_mul(SPARE),
            generation: (!request.all).then_some(generation),
        };
        let files = if request.all {
            BodyFiles::all(&self.state_dir)?
        } else {
            BodyFiles::of(&self.state_dir, &self.key)?.into_iter().collect()
        };
        let mut found: Vec<(Found, &BodyFiles)> = Vec::new();
        for files in &files {
            match self.library.search(files, &wanted) {
                Ok(hits) => found.extend(hits.into_iter().map(|hit| (hit, files))),
                // One damaged chat must not hide the others.
                Err(error) if request.all && files.key() != self.key => {
                    tracing::warn!(%error, session = files.key(), "a session cannot be searched");
                }
                Err(error) => return Err(error),
            }
        }
        found.sort_by(|(a, _), (b, _)| b.rank.total_cmp(&a.rank));
        let order: Vec<Found> = found.iter().map(|(found, _)| *found).collect();
        let chunks: HashSet<ChunkId> = order.iter().map(|found| found.chunk).collect();
        let mut collector = Collector::new(limit, request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS));
        for ((hit, files), score) in found.into_iter().zip(scores(&order)) {
            if collector.is_full() {
                break;
            }
            let body = files.at(hit.spot)?.filter(|body| body.chunk_id == hit.chunk);
            // The short copy of a spilled result says nothing beside the whole.
            let whole = body.as_ref().and_then(|body| whole_of(&body.text));
            if let Some(body) = body.filter(|_| whole.is_none_or(|whole| !chunks.contains(&whole))) {
                collector.offer(files.key(), body, score, &wanted.query);
            }
        }
        Ok(collector.hits())
    }

    /// Says of each hit of this session what became of it; those that expired, or were never written down, are no hits.
    fn finish(&self, hits: Vec<RecallHit>, done: Done<Vec<RecallHit>>) {
        if hits.is_empty() {
            return done(Ok(hits));
        }
        let key = self.key.clone();
        self.read(
            move |reader| {
                let mut kept = Vec::with_capacity(hits.len());
                for mut hit in hits {
                    if hit.session_key == key && !tell_fate(reader, &mut hit)? {
                        continue;
                    }
                    kept.push(hit);
                }
                Ok(kept)
            },
            done,
        );
    }

    /// One message of this session, whole or in pages: `offset` is the `next_offset` of the page before. Logged; changes
    /// nothing. `InvalidInput` for what is no chunk id, `NotFound` for one that this session does not hold (any more),
    /// `Unsupported` where cold storage is off.
    pub fn recover(&self, chunk_id: &str, offset: u64, max_tokens: Option<u64>, done: Done<Page>) {
        let chunk: ChunkId = match self.keeps_bodies("recover").and_then(|()| chunk_id.parse()) {
            Ok(chunk) => chunk,
            Err(error) => return done(Err(error)),
        };
        let session = self.clone();
        self.read(
            move |reader| {
                if reader.is_expired(chunk)? {
                    return Err(Error::NotFound(format!("the stored message {chunk} has expired")));
                }
                let mut page = page(&session.key, reader.body(chunk)?, offset, max_tokens);
                tell_fate(reader, &mut page.hit)?;
                session.log_recovery(reader, chunk, page.hit.tokens, None, &now())?;
                Ok(page)
            },
            done,
        );
    }

    /// Logs that a message came back, if that is wanted: by itself, with its score and the least one, 0..1, or because it
    /// was asked for.
    pub(super) fn log_recovery(
        &self,
        reader: &mut Reader<'_, State>,
        chunk: ChunkId,
        tokens: u64,
        matched: Option<(f64, f64)>,
        at: &str,
    ) -> Result<()> {
        if !self.logs.recoveries {
            return Ok(());
        }
        let record = reader.drop_of(chunk)?;
        let record = record.as_ref();
        let line = Recovered {
            timestamp: at,
            chunk_id: &chunk.to_string(),
            session_id: &self.key,
            source: if matched.is_some() { RecoverySource::Auto } else { RecoverySource::Manual },
            drop_reason: record.map(|record| record.drop_reason.as_str()),
            score_at_drop: record.and_then(|record| record.relevance_score),
            relevance_score: matched.map(|(score, _)| score),
            threshold_used: matched.map(|(_, least)| least),
            tokens,
            hours_since_drop: record.and_then(|record| hours_between(&record.timestamp, at)),
        };
        self.log(Log::Recovery, &[line.to_line()]);
        Ok(())
    }

    /// Sees to the index in the background, where there is enough that is new. Waits for nothing.
    pub fn index_soon(&self) {
        self.index(WORTH_INDEXING, Box::new(|_| ()));
    }

    /// Indexes what is new before the session is closed, where it is worth it. Errors are no reason not to close.
    pub fn index_at_close(&self, done: Done<()>) {
        self.index(WORTH_AT_CLOSE, done);
    }

    fn index(&self, worth: u64, done: Done<()>) {
        if !self.options.keeps_bodies {
            return done(Ok(()));
        }
        let (library, state_dir, key) = (Arc::clone(&self.library), self.state_dir.clone(), self.key.clone());
        if let Some(done) = self.library.claim(&self.key, Box::new(move || done(Ok(())))) {
            pass(library, state_dir.into(), key, worth, done);
        }
    }
}

/// One pass of the index after the other, each a task of its own, so that others get their turn.
fn pass(library: Arc<Library>, state_dir: Arc<Path>, key: String, worth: u64, done: Waiter) {
    let (of_job, dir_of_job, key_of_job) = (Arc::clone(&library), Arc::clone(&state_dir), key.clone());
    let job = move || {
        let Some(files) = BodyFiles::of(&dir_of_job, &key_of_job)? else { return Ok(Pass::Done) };
        of_job.check();
        if of_job.pending(&files)? < worth {
            return Ok(Pass::Done);
        }
        let pass = of_job.index(&files);
        store::give_back();
        pass
    };
    SESSIONS.background(
        job,
        Box::new(move |result: Result<Pass>| match result {
            Ok(Pass::More) => pass(library, state_dir, key, 1, done),
            other => {
                library.release(&key);
                if let Err(error) = other {
                    tracing::warn!(%error, session = %key, "the search index was not brought up to date");
                }
                done();
            }
        }),
    );
}

/// Why the message left the view and until when it can be brought back. False: it expired, or is of no message.
fn tell_fate(reader: &mut Reader<'_, State>, hit: &mut RecallHit) -> Result<bool> {
    let chunk: ChunkId = hit.chunk_id.parse()?;
    if reader.is_expired(chunk)? || is_leftover(reader.state(), chunk) {
        return Ok(false);
    }
    if let Some(dropped) = reader.drop_of(chunk)? {
        let pinned = reader.state().pins.contains(&hit.chunk_id);
        hit.drop_reason = Some(dropped.drop_reason.to_string());
        hit.recoverable_until = (!pinned).then_some(dropped.recoverable_until);
    }
    Ok(true)
}

/// The body of a message whose journal line was not written, because the disk was full, and whose place another message
/// has taken: it came again under its own.
fn is_leftover(state: &State, chunk: ChunkId) -> bool {
    let is_another = |known: ChunkId| known.generation == chunk.generation && known != chunk;
    state.chunk(chunk.ordinal).is_some_and(is_another)
}

/// `offset` and `next_offset` count as JavaScript counts, in UTF-16 units, so that pages put together are the text.
fn page(key: &str, body: Body, offset: u64, max_tokens: Option<u64>) -> Page {
    let total_tokens = estimate_tokens(&body.text);
    let start = byte_of(&body.text, offset);
    let rest = body.text.get(start..).unwrap_or_default();
    let mut text = max_tokens.map_or(rest, |max| first_tokens(rest, max));
    if text.is_empty() {
        // Less than a sign fits: one sign, so that whoever pages on comes to an end.
        text = rest.chars().next().and_then(|sign| rest.get(..sign.len_utf8())).unwrap_or_default();
    }
    let more = text.len() < rest.len();
    let units = |text: &str| text.encode_utf16().count() as u64;
    let next_offset = more.then(|| units(body.text.get(..start).unwrap_or_default()) + units(text));
    let hit = RecallHit {
        chunk_id: body.chunk_id.to_string(),
        session_key: key.to_owned(),
        role: body.role,
        tokens: estimate_tokens(text),
        text: text.to_owned(),
        passage: None,
        score: 1.0,
        timestamp: body.at,
        drop_reason: None,
        recoverable_until: None,
    };
    Page { hit, total_tokens, next_offset }
}

/// The byte at which the sign with this UTF-16 offset begins; an offset within a sign is that sign's.
fn byte_of(text: &str, offset: u64) -> usize {
    let mut units = 0;
    for (at, sign) in text.char_indices() {
        units += sign.len_utf16() as u64;
        if units > offset {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Map;

    fn body(text: &str) -> Body {
        Body {
            chunk_id: ChunkId { generation: 0, ordinal: 1, fingerprint: 2 },
            at: "2026-01-01T00:00:00Z".into(),
            role: "user".into(),
            tool: None,
            text: text.into(),
            extra: Map::new(),
        }
    }

    proptest! {
        #[test]
        fn pages_put_together_are_the_message(text in "\\PC{0,80}", max in 0u64..12) {
            let (mut whole, mut offset, mut pages) = (String::new(), 0, 0);
            loop {
                let page = page("k", body(&text), offset, Some(max));
                prop_assert_eq!(page.total_tokens, estimate_tokens(&text));
                whole.push_str(&page.hit.text);
                pages += 1;
                prop_assert!(pages < 200);
                match page.next_offset {
                    Some(next) => offset = next,
                    None => break,
                }
            }
            prop_assert_eq!(whole, text);
        }
    }

    #[test]
    fn without_a_limit_the_whole_message_comes_back() {
        let text = "long ".repeat(5_000);
        let page = page("k", body(&text), 0, None);
        assert_eq!((page.hit.text, page.next_offset), (text, None));
    }
}
