//! A model's help for a session: what it is asked, and what of its answer is kept (seed 000, improvement 5; DESIGN
//! section 4). The model is called from JavaScript, between the two halves; no lock is held meanwhile.

use super::append::{self, Remembered};
use super::sinks::{Journal, Preview};
use super::state::State;
use super::{CheckpointRequest, Done, Outcome, Session, latest, make, now, observe, view};
use crate::capture::user_text;
use crate::checkpoint::{Checkpoint, Trigger};
use crate::enrich::check::{self, Lines, Quote};
use crate::enrich::{Enrichment, Prompt, digest, enrichment_prompt, parse_enrichment};
use crate::ledger::{Comparison, Kind, Place, Prepared, Source, Status, Vocabulary, compare_prepared};
use crate::message::{Message, Role};
use crate::store::Durability;
use crate::text::clip;
use crate::text::redact::redact_secrets;
use crate::{Error, Result};
use serde::Serialize;
use std::collections::HashSet;

/// Graphemes of an entry in a reason.
const SHOWN: usize = 80;

/// The first half of an enrichment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Started {
    /// What the model is asked; `None` when there is nothing to ask about.
    pub prompt: Option<Prompt>,
    /// What was known when it was asked; handed back with the answer.
    pub basis: String,
    /// Why the model need not be asked.
    pub reason: Option<String>,
}

/// An item of the answer that is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// The item.
    pub text: String,
    /// Why.
    pub why: String,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Enriched {
    /// A new checkpoint holds what was merged.
    pub written: bool,
    /// That checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Items that were not kept.
    pub rejected: Vec<Rejected>,
    /// Why nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Session {
    /// Captures the messages and words the question to the model. No call to a model happens here.
    pub fn start_enrichment(&self, messages: Vec<String>, done: Done<Started>) {
        let key = self.key.clone();
        self.write(move |journal| start(journal, messages, &key), done);
    }

    /// Checks a model's answer, merges what holds and writes a checkpoint. `basis` is that of [`Started`]. The same
    /// answer twice changes nothing.
    pub fn merge_enrichment(&self, answer: String, basis: String, done: Done<Enriched>) {
        let key = self.key.clone();
        self.write_as(Durability::Written, move |journal| merge(journal, &answer, &basis, &key), done);
    }
}

pub(crate) fn start(journal: &mut Journal<'_, '_>, messages: Vec<String>, key: &str) -> Result<Started> {
    let newest = latest(&mut journal.locked.reader())?;
    let before = journal.locked.state().last_ordinal;
    let interrupted = newest.as_ref().is_some_and(|checkpoint| checkpoint.working.interrupted);
    let request = request(newest.as_ref(), messages, false);
    make::take_in(journal, &request)?;
    let state = journal.locked.state();
    let basis = Basis { place: state.free_place(), interrupted: interrupted && state.last_ordinal == before };
    let said = conversation(state);
    let seq = journal.locked.seq();
    let draft = make::checkpoint(journal, &request, key, crate::packet::UNWRITTEN, None, seq);
    if said.is_empty()
        && draft.decisions.is_empty()
        && draft.open_items.is_empty()
        && draft.learnings.is_empty()
    {
        let reason = Some("nothing was said yet that a model could read".to_owned());
        return Ok(Started { prompt: None, basis: basis.text(), reason });
    }
    Ok(Started { prompt: Some(enrichment_prompt(&draft, &said).0), basis: basis.text(), reason: None })
}

/// What was said, as the state keeps it.
fn conversation(state: &State) -> Vec<Message> {
    let message = |said: &super::event::Said| match said.by.as_str() {
        "user" => Message::user(&said.text),
        _ => Message::assistant(&said.text),
    };
    state.thread.iter().map(message).collect()
}

/// The checkpoint call that repeats what the newest checkpoint was told.
fn request(newest: Option<&Checkpoint>, messages: Vec<String>, is_split_turn: bool) -> CheckpointRequest {
    let meta = newest.map(|checkpoint| &checkpoint.meta);
    CheckpointRequest {
        trigger: Trigger::Enrichment,
        session_file: meta.and_then(|meta| meta.session_file.clone()),
        channel: meta.and_then(|meta| meta.channel.clone()),
        agent_id: meta.and_then(|meta| meta.agent_id.clone()),
        compaction_count: meta.map(|meta| meta.compaction_count),
        input_tokens: meta.map_or(0, |meta| meta.token_usage.input_tokens),
        context_window: meta.map_or(0, |meta| meta.token_usage.context_window),
        utilization: meta.map(|meta| meta.token_usage.utilization),
        messages,
        is_split_turn,
        file_ops: None,
        agents: None,
    }
}

/// What was known when the model was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Basis {
    /// Entries from here on are newer than the question.
    place: Place,
    /// The newest checkpoint cut a turn in two, and nothing was said since.
    interrupted: bool,
}

impl Basis {
    fn text(self) -> String {
        let Place { generation, ordinal, position } = self.place;
        format!("{generation}-{ordinal}-{position}-{}", u8::from(self.interrupted))
    }

    fn parse(text: &str) -> Result<Self> {
        let parts: Vec<u64> = text.split('-').filter_map(|part| part.parse().ok()).collect();
        let [generation, ordinal, position, interrupted] = parts.as_slice() else {
            return Err(Error::InvalidInput("not the basis of an enrichment".to_owned()));
        };
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let place = Place { generation: small(*generation), ordinal: *ordinal, position: small(*position) };
        Ok(Self { place, interrupted: *interrupted == 1 })
    }
}

fn merge(journal: &mut Journal<'_, '_>, answer: &str, basis: &str, key: &str) -> Result<Enriched> {
    let basis = Basis::parse(basis)?;
    if journal.locked.state().live.generation != basis.place.generation {
        return Ok(nothing("the session was reset while the model was asked", Vec::new()));
    }
    let found = parse_enrichment(answer);
    let mut rejected = Vec::new();
    let before = journal.locked.seq();
    let mut judge = Judge::new(journal.locked.state(), basis.place);
    let items = items(found);
    if items.is_empty() {
        return Ok(nothing("the answer holds no items", rejected));
    }
    for (kind, text) in items {
        let text = redact_secrets(&text).into_owned();
        match judge.fault(journal, kind, &text)? {
            Some(why) => rejected.push(Rejected { text, why }),
            None => {
                let entry = Remembered { kind, source: Source::Enrichment, said: &text, at: None };
                append::entry(journal, entry)?;
            }
        }
    }
    if journal.locked.seq() == before {
        let all_known = if rejected.is_empty() {
            "everything in the answer is known already"
        } else {
            "nothing in the answer is new and holds"
        };
        return Ok(nothing(all_known, rejected));
    }
    let newest = latest(&mut journal.locked.reader())?;
    let request = request(newest.as_ref(), Vec::new(), basis.interrupted);
    Ok(match make::write(journal, &request, key)? {
        Outcome::Written { id, .. } => Enriched { written: true, id: Some(id), rejected, reason: None },
        Outcome::Skipped { reason, .. } => Enriched { reason: Some(reason), rejected, ..Enriched::default() },
    })
}

fn nothing(reason: &str, rejected: Vec<Rejected>) -> Enriched {
    Enriched { reason: Some(reason.to_owned()), rejected, ..Enriched::default() }
}

/// What a model's list may yield (DESIGN section 4): decisions, open items, learnings.
fn items(found: Enrichment) -> Vec<(Kind, String)> {
    let of = |kind: Kind| move |text: String| (kind, text);
    found
        .decisions
        .into_iter()
        .map(of(Kind::Decision))
        .chain(found.open_items.into_iter().map(of(Kind::OpenItem)))
        .chain(found.learnings.into_iter().map(of(Kind::Learning)))
        .collect()
}

/// Decides whether an item holds.
struct Judge {
    known: Vec<(Prepared, Known)>,
    basis: Place,
    /// What people said, as far as the state keeps it; made when the first quote comes.
    lines: Option<Lines>,
    /// Everything that was spoken of; `Some(None)` where it is not all stored.
    spoken: Option<Option<Vocabulary>>,
}

struct Known {
    kind: Kind,
    text: String,
    trust: Source,
    latest: Place,
    /// The words that replaced it.
    replaced: Option<String>,
}

impl Judge {
    fn new(state: &State, basis: Place) -> Self {
        let view = view::live(state);
        let known = view
            .items
            .iter()
            .filter(|item| item.entry.kind != Kind::Goal && !matches!(item.status, Status::Resolved(_)))
            .map(|item| {
                let replaced = view.replaced_by(item);
                let text = item.entry.text.clone();
                (
                    Prepared::new(&text),
                    Known { kind: item.entry.kind, text, trust: item.trust, latest: item.latest, replaced },
                )
            })
            .collect();
        Self { known, basis, lines: None, spoken: None }
    }

    /// Why an item is not kept.
    fn fault(&mut self, journal: &mut Journal<'_, '_>, kind: Kind, text: &str) -> Result<Option<String>> {
        if let Some(why) = check::instruction(text) {
            return Ok(Some(why.to_owned()));
        }
        if kind == Kind::Decision
            && let Some(why) = check::no_decision(text)
        {
            return Ok(Some(why.to_owned()));
        }
        for quote in check::quotes(text) {
            if !self.was_said(journal, &quote)? {
                return Ok(Some(format!("the user never said {:?}", clip::ellipsize(&quote.text, SHOWN))));
            }
        }
        let claimed = Quote { text: text.to_owned(), literal: false };
        if check::claims_leave(text) && !self.was_said(journal, &claimed)? {
            return Ok(Some("it claims a leave that the user never gave".to_owned()));
        }
        if let Some(why) = self.contradiction(kind, text) {
            return Ok(Some(why));
        }
        if kind == Kind::Decision { self.invention(journal, text) } else { Ok(None) }
    }

    /// Nobody spoke of what is said to be decided. Where not every message is stored nobody can tell.
    fn invention(&mut self, journal: &mut Journal<'_, '_>, text: &str) -> Result<Option<String>> {
        if self.spoken.is_none() {
            let mut spoken = Vocabulary::default();
            let state = journal.locked.state();
            self.known.iter().for_each(|(_, known)| spoken.add(&known.text));
            state.thread.iter().for_each(|said| spoken.add(&said.text));
            let (generation, last) = (state.live.generation, state.last_ordinal);
            let mut stored = 0;
            journal.locked.reader().scan_bodies(&mut |body| {
                if body.chunk_id.generation == generation {
                    stored += 1;
                    spoken.add(&body.text);
                }
                true
            })?;
            self.spoken = Some((stored >= last).then_some(spoken));
        }
        Ok(self.spoken.iter().flatten().find_map(|spoken| spoken.lacks(text)))
    }

    /// A contradiction of what a person said, or of something that came after the question; or the repetition of what was
    /// replaced.
    fn contradiction(&self, kind: Kind, text: &str) -> Option<String> {
        let prepared = Prepared::new(text);
        let (mut replaced, mut holds) = (None, false);
        for (other, known) in self.known.iter().filter(|(_, known)| meet(kind, known.kind)) {
            let shown = clip::ellipsize(&known.text, SHOWN);
            match (compare_prepared(other, &prepared).comparison, &known.replaced) {
                (Comparison::Duplicate, Some(by)) => replaced = Some((shown, by)),
                (Comparison::Duplicate, None) => holds = true,
                (Comparison::Conflict, None) if known.trust == Source::User => {
                    return Some(format!("it contradicts what the user said: {shown:?}"));
                }
                (Comparison::Conflict, None)
                    if known.latest >= self.basis && known.trust >= Source::Assistant =>
                {
                    return Some(format!("it contradicts something newer: {shown:?}"));
                }
                _ => {}
            }
        }
        let (old, by) = replaced.filter(|_| !holds)?;
        Some(format!("it was replaced: {old:?} by {:?}", clip::ellipsize(by, SHOWN)))
    }

    /// Whether a person said this: looked up in what the state keeps, then in the stored messages.
    fn was_said(&mut self, journal: &mut Journal<'_, '_>, quote: &Quote) -> Result<bool> {
        let state = journal.locked.state();
        let lines = self.lines.get_or_insert_with(|| {
            let mut lines = Lines::default();
            state.thread.iter().filter(|said| said.by == "user").for_each(|said| lines.add(&said.text));
            lines
        });
        if lines.hold(quote) {
            return Ok(true);
        }
        let generation = state.live.generation;
        let mut said = false;
        journal.locked.reader().scan_bodies(&mut |body| {
            said = body.role == "user"
                && body.chunk_id.generation == generation
                && user_text(&Message::user(&body.text)).is_some_and(|text| check::line_says(&text, quote));
            !said
        })?;
        Ok(said)
    }
}

/// Kinds that can contradict each other: what was decided, demanded or learned; what is to be done.
fn meet(kind: Kind, other: Kind) -> bool {
    let work = |kind: Kind| matches!(kind, Kind::Task | Kind::OpenItem);
    work(kind) == work(other)
}

/// Reads messages of JSON arrays: `InvalidInput` for what is no list.
pub fn read_messages(pieces: &[String]) -> Result<Vec<Message>> {
    make::messages(pieces)
}

/// Messages as the summary that a host's compaction stores: no session, no model, no disk. The summary before is merged
/// in, not appended, so that it does not grow from one compaction to the next (FAULTS C11). `max_tokens` of the whole
/// text; 2,000 if missing. Empty when nothing was said.
pub fn summarize(pieces: &[String], max_tokens: Option<u64>, previous: Option<&str>) -> Result<String> {
    let messages = make::messages(pieces)?;
    let carried = previous.map(digest::Carried::of).unwrap_or_default();
    let mut all = Vec::with_capacity(messages.len() + 1);
    if !carried.facts.trim().is_empty() {
        let mut summary = Message::user(&carried.facts);
        summary.role = Role::CompactionSummary;
        all.push(summary);
    }
    all.extend(messages.iter().cloned());
    let mut preview = Preview::new(State::default(), [0; 16], now());
    observe::observe(&mut preview, &all)?;
    let state = preview.into_state();
    let thread = super::thread::Thread::of(&state);
    let live = view::live(&state);
    let active =
        |kind: Kind| -> Vec<String> { live.active(kind).map(|item| item.entry.text.clone()).collect() };
    let tasks = digest::Tasks::of(live.items.iter().filter(|item| item.entry.kind == Kind::Task).filter_map(
        |item| {
            let text = item.entry.text.clone();
            match item.status {
                Status::Superseded(_) | Status::Withdrawn(_) => None,
                Status::Resolved(_) => Some((text, crate::ledger::TaskState::Done)),
                Status::Active => Some((text, item.task.unwrap_or(crate::ledger::TaskState::Open))),
            }
        },
    ));
    let mut seen = HashSet::new();
    let requests: Vec<String> = carried
        .requests
        .iter()
        .cloned()
        .chain(state.thread.iter().filter(|said| said.by == "user").map(|said| said.text.clone()))
        .filter(|text| seen.insert(text.clone()))
        .collect();
    let found = digest::Digest {
        goal: view::goal(&live).map(str::to_owned),
        constraints: active(Kind::Constraint),
        decisions: active(Kind::Decision),
        tasks,
        open_items: active(Kind::OpenItem),
        learnings: active(Kind::Learning),
        request: thread.active_request.or(carried.request),
        next_action: thread.next_action,
        requests,
        last_reply: state.thread.iter().rev().find(|said| said.by == "agent").map(|said| said.text.clone()),
        actions: digest::actions(&messages),
        errors: state.errors.clone(),
        files_modified: digest::joined(&carried.files_modified, &state.files_modified),
        files_read: digest::joined(&carried.files_read, &state.files_read),
        identifiers: digest::joined(&carried.identifiers, &digest::identifiers(&messages)),
    };
    Ok(digest::render(&found, max_tokens.unwrap_or(digest::DEFAULT_MAX_TOKENS)))
}
