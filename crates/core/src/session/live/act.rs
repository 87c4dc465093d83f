//! What a host does with a session besides planning: compaction, commits, generations, agents, spilled results.

use super::super::append;
use super::super::event::Event;
use super::super::observe::{self, Sink};
use super::super::{Agent, Done, Journal, Preview, Session, State, import, latest, make, view};
use super::epoch::{self, Cause};
use super::plan::{PlanRequest, is_of_the_disk};
use super::settle::{STALE, stale};
use super::sight::sights;
use super::{Live, Mode, lock, state};
use crate::checkpoint::policy::{content_hash, inspect};
use crate::checkpoint::{Checkpoint, Trigger};
use crate::message::Message;
use crate::packet;
use crate::pressure::Limits;
use crate::store::{self, ChunkId, Durability};
use crate::text::redact::redact_secrets;
use crate::{Error, Result};

/// Why the host compacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A threshold of the host was passed.
    Threshold,
    /// A budget was passed.
    Budget,
    /// The provider refused the request.
    Overflow,
    /// A person asked for it.
    Manual,
}

impl Reason {
    /// The reason of this name; `InvalidInput` for any other.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "threshold" => Ok(Self::Threshold),
            "budget" => Ok(Self::Budget),
            "overflow" => Ok(Self::Overflow),
            "manual" => Ok(Self::Manual),
            other => Err(Error::InvalidInput(format!(
                "reason {other:?} is unknown; there are threshold, budget, overflow and manual"
            ))),
        }
    }

    /// The request was refused or a person waits: what the thresholds say does not count.
    fn is_pressing(self) -> bool {
        matches!(self, Self::Overflow | Self::Manual)
    }
}

/// What [`Live::compact`] goes by.
#[derive(Debug, Clone)]
pub struct CompactRequest {
    /// Why.
    pub reason: Reason,
    /// Also where the thresholds do not ask for it.
    pub force: bool,
    /// Room for history alone, in tokens.
    pub budget: Option<u64>,
    /// Tokens of the request as the host counts them.
    pub current_tokens: Option<u64>,
    /// Epoch milliseconds.
    pub now_ms: u64,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    /// The view became smaller.
    pub compacted: bool,
    /// Why, or why not.
    pub reason: String,
    /// Tokens before, as the host counts them where it said so.
    pub tokens_before: u64,
    /// Tokens after, in the same measure.
    pub tokens_after: u64,
    /// The packet.
    pub summary: String,
}

impl Live {
    /// Answers a compaction of the host: a new epoch in mode `prune`, the packet as summary in mode `compact`.
    pub fn compact(&self, request: CompactRequest, done: Done<Compacted>) {
        let live = self.clone();
        self.write(Durability::Written, move |journal| live.compact_job(journal, &request), done);
    }

    fn compact_job(&self, journal: &mut Journal<'_, '_>, request: &CompactRequest) -> Result<Compacted> {
        let limits = self.limits(request.budget);
        let thresholds = limits.thresholds(&self.knobs());
        let before = self.view_tokens(journal);
        let counted = request.current_tokens.filter(|tokens| *tokens > 0);
        let shift = counted.map_or(0, |tokens| tokens.saturating_sub(before));
        let refused = |reason: &str| Compacted {
            compacted: false,
            reason: reason.to_owned(),
            tokens_before: before + shift,
            tokens_after: before + shift,
            summary: String::new(),
        };
        if lock(&self.own.settled).slots.is_empty() {
            return Ok(refused("nothing to compact: the session has no messages here yet"));
        }
        if self.options.mode == Mode::Complement {
            make::write(journal, &self.request(Trigger::Compaction), self.session.key())?;
            return Ok(refused("nothing to compact: in complement mode the host compacts its own history"));
        }
        if self.options.mode == Mode::Prune
            && !request.force
            && !request.reason.is_pressing()
            && limits.context_window > 0
            && before <= thresholds.tokens(thresholds.target)
        {
            return Ok(refused("already under target"));
        }
        let plan = PlanRequest { budget: request.budget, prompt: None, force: true, now_ms: request.now_ms };
        let failed = |error: Error| match is_of_the_disk(&error) {
            true => Ok(refused(&format!("could not be stored: {error}"))),
            false => Err(error),
        };
        if self.options.mode == Mode::Compact {
            return self.answer(journal, &plan, &limits, before, shift).or_else(failed);
        }
        let epoch_before = state(journal).epoch.as_ref().map_or(0, |epoch| epoch.n);
        if let Err(error) = epoch::begin(self, journal, Cause::Compaction, &plan, &limits) {
            return failed(error);
        }
        self.measure(journal);
        let epoch = state(journal).epoch.clone().filter(|epoch| epoch.n > epoch_before);
        let Some(epoch) = epoch else {
            return Ok(refused("nothing to compact: the newest turn alone is what is left"));
        };
        let summary = epoch.packet.unwrap_or_default();
        let after = self.view_tokens(journal);
        let compacted = after < before;
        Ok(Compacted {
            compacted,
            reason: if compacted {
                "compacted"
            } else {
                "nothing to compact: the view did not become smaller"
            }
            .to_owned(),
            tokens_before: before + shift,
            tokens_after: after + shift,
            summary,
        })
    }

    /// Mode `compact`: the host drops what it will, and keeps the packet in its place.
    fn answer(
        &self,
        journal: &mut Journal<'_, '_>,
        plan: &PlanRequest,
        limits: &Limits,
        before: u64,
        shift: u64,
    ) -> Result<Compacted> {
        let summary = epoch::answer(self, journal, plan, limits)?;
        let thresholds = limits.thresholds(&self.knobs());
        // The host keeps the newest messages itself, about as many as a view of ours would.
        let kept = super::sight::block_tokens(&summary) + thresholds.tokens(thresholds.target);
        Ok(Compacted {
            compacted: true,
            reason: "compacted".to_owned(),
            tokens_before: before + shift,
            tokens_after: kept.min(before) + shift,
            summary,
        })
    }

    /// Calibrated tokens of the view.
    fn view_tokens(&self, journal: &Journal<'_, '_>) -> u64 {
        let state = state(journal);
        let seen = sights(state, &lock(&self.own.settled));
        state.calibration.history_tokens(seen.view_tokens(&seen.shown(self.options.mode, true)))
    }

    /// Takes the messages of a turn in, all or nothing, once per key. `true`: committed; `false`: it was before.
    pub fn commit(&self, pieces: Vec<String>, key: String, done: Done<bool>) {
        let live = self.clone();
        self.write_whatever(
            Durability::Full,
            move |journal| {
                // Opened again, the session would take it for a part of the new generation.
                if live.is_stale(state(journal)) {
                    return Err(stale());
                }
                // What was synced before and the disk did not take yet comes before it, or nothing does.
                live.settle_ready(journal)?;
                let key = redact_secrets(&key).into_owned();
                if state(journal).commits.contains(&key) {
                    return Ok(false);
                }
                let mut messages = Vec::new();
                for piece in &pieces {
                    messages.extend(make::parse_messages(piece)?);
                }
                observe::observe(journal, &messages)?;
                journal.append(vec![Event::Commit { key }])?;
                live.shared.restore(state(journal));
                Ok(true)
            },
            done,
        );
    }

    /// A handle of an earlier generation is as good as closed.
    pub(super) fn check_generation(&self, state: &State) -> Result<()> {
        if self.is_stale(state) { Err(Error::Closed(STALE.to_owned())) } else { Ok(()) }
    }

    fn is_stale(&self, state: &State) -> bool {
        lock(&self.own.believed).generation.is_some_and(|own| own != state.live.generation)
    }

    /// The packet of what is known now; `None` where nothing is.
    pub fn packet(&self, max_tokens: Option<u64>, done: Done<Option<packet::Packet>>) {
        let live = self.clone();
        self.session.read(
            move |reader| {
                live.check_generation(reader.state())?;
                let newest = latest(reader)?;
                let (preview, seq) = Preview::of(reader)?;
                let state = preview.state();
                if state.last_ordinal == 0 && view::live(state).items.is_empty() && newest.is_none() {
                    return Ok(None);
                }
                let request = live.request(Trigger::Epoch);
                let id = newest
                    .as_ref()
                    .map_or(packet::UNWRITTEN, |newest| newest.meta.checkpoint_id.as_str())
                    .to_owned();
                let now = make::checkpoint(&preview, &request, live.session.key(), &id, None, seq);
                // The file itself, where it says the same: then the packet is the same, byte for byte.
                let same = |newest: &Checkpoint| content_hash(newest) == content_hash(&now);
                let checkpoint = newest.filter(same).unwrap_or(now);
                let packet = packet::render(&checkpoint, &packet::RenderOptions::with_limit(max_tokens));
                Ok(Some(packet).filter(|packet| !packet.text.is_empty()))
            },
            done,
        );
    }

    /// A clean generation: no packet, no entries. What was stored stays searchable on request; late writes of handles
    /// of the earlier one are refused.
    pub fn reset(&self, reason: String, now_ms: u64, done: Done<()>) {
        let live = self.clone();
        self.write_whatever(
            Durability::Full,
            move |journal| {
                live.reset_job(journal, &reason)?;
                live.shared.latch(|latch| latch.limits_changed(now_ms));
                Ok(())
            },
            done,
        );
    }

    fn reset_job(&self, journal: &mut Journal<'_, '_>, reason: &str) -> Result<()> {
        let files = journal.locked.reader().checkpoints(&inspect)?;
        let newest = files.iter().filter_map(|file| store::checkpoint_number(&file.id)).max().unwrap_or(0);
        let reason = redact_secrets(reason).into_owned();
        journal.append(vec![Event::Reset { reason, checkpoints: newest }])?;
        self.shared.restore(state(journal));
        self.own.adopt(state(journal).live.generation);
        Ok(())
    }

    /// The session ends: a last checkpoint, what is left is archived. `new`, `reset` and `deleted` begin a clean
    /// generation; after any other reason the session can be resumed. Closes the handle.
    pub fn end(&self, reason: String, done: Done<()>) {
        let live = self.clone();
        let closing = self.clone();
        self.write_whatever(
            Durability::Full,
            move |journal| {
                // A session that was reset meanwhile has ended already.
                if live.is_stale(state(journal)) {
                    return Ok(());
                }
                if state(journal).last_ordinal > 0 {
                    make::write(journal, &live.request(Trigger::SessionEnd), live.session.key())?;
                    epoch::archive(&live, journal)?;
                }
                if matches!(reason.as_str(), "new" | "reset" | "deleted") {
                    live.reset_job(journal, &reason)?;
                }
                Ok(())
            },
            Box::new(move |ended| closing.close(Box::new(move |closed| done(ended.and(closed))))),
        );
    }

    /// A child session begins with what is known here; it is named as a child, so that its end can be told here.
    pub fn fork(&self, child_key: &str, done: Done<()>) {
        let child = match Session::open(self.session.state_dir(), child_key, self.options.open) {
            Ok(child) => child,
            Err(error) => return done(Err(error)),
        };
        let live = self.clone();
        let parent = self.session.key().to_owned();
        self.session.read(
            move |reader| {
                live.check_generation(reader.state())?;
                let (preview, seq) = Preview::of(reader)?;
                let request = live.request(Trigger::Manual);
                Ok(make::checkpoint(&preview, &request, live.session.key(), packet::UNWRITTEN, None, seq))
            },
            Box::new(move |known| match known {
                Err(error) => done(Err(error)),
                Ok(checkpoint) => child.write(
                    move |journal| {
                        journal.locked.set_parent(&parent)?;
                        if journal.state().ledger.is_empty() {
                            import::take_checkpoint(journal, &checkpoint)?;
                        }
                        Ok(())
                    },
                    done,
                ),
            }),
        );
    }

    /// A subagent or job runs: it appears in the packet until it ends.
    pub fn agent_started(&self, agent: &Agent, done: Done<()>) {
        let agent = make::redacted_agent(agent);
        let child = Session::open(self.session.state_dir(), &agent.id, self.options.open);
        let parent = self.session.key().to_owned();
        self.write(
            Durability::Written,
            move |journal| journal.append(vec![Event::AgentStarted(agent)]),
            Box::new(move |started| match (started, child) {
                (Ok(()), Ok(child)) => child.write(move |journal| journal.locked.set_parent(&parent), done),
                (started, _) => done(started),
            }),
        );
    }

    /// It ended.
    pub fn agent_ended(&self, id: String, done: Done<()>) {
        self.write(Durability::Written, move |journal| append::agent_ended(journal, &id).map(|_| ()), done);
    }

    /// Stores the whole of a message, durably, and gives a copy's text of at most `max_tokens`, with the chunk id.
    pub fn spill(&self, json: String, max_tokens: u64, done: Done<(String, String)>) {
        self.write(
            Durability::Full,
            move |journal| {
                if !journal.keeps_bodies {
                    return Err(Error::Unsupported(
                        "spill needs cold storage, which is switched off".to_owned(),
                    ));
                }
                let message = make::parse_messages(&json)?
                    .into_iter()
                    .next()
                    .ok_or_else(|| Error::InvalidInput("spill: a message is needed".to_owned()))?;
                let call = message.tool_call_id.clone().unwrap_or_default();
                let known = state(journal).spilled(&call).map(str::to_owned);
                let mut whole = None;
                let chunk = match known {
                    Some(chunk) => {
                        let given = observe::stored(journal, &message, 0, 0);
                        whole = super::distill::spilled(journal, &given).map(|body| body.text);
                        chunk
                    }
                    None => {
                        // Ordinal 0: the message itself has not been seen yet, and will come short.
                        let body = observe::stored(journal, &message, 0, 0);
                        let chunk = body.chunk_id.to_string();
                        journal.append_bodies(&[body])?;
                        journal.append(vec![Event::Spill { call, chunk: chunk.clone() }])?;
                        chunk
                    }
                };
                Ok((super::distill::shortened(&message, whole, max_tokens, &chunk), chunk))
            },
            done,
        );
    }

    /// Never dropped by relevance, never expires.
    pub fn pin(&self, target: PinTarget, done: Done<()>) {
        self.write(
            Durability::Written,
            move |journal| {
                let chunk = match target {
                    PinTarget::Chunk(id) => {
                        let chunk: ChunkId = id.parse()?;
                        journal.locked.reader().body(chunk)?;
                        chunk
                    }
                    PinTarget::Message(json) => find(journal, &json)?,
                };
                journal.append(vec![Event::Pin { chunk: chunk.to_string() }])
            },
            done,
        );
    }
}

/// What is pinned.
#[derive(Debug, Clone)]
pub enum PinTarget {
    /// A chunk id.
    Chunk(String),
    /// A JSON array with one message.
    Message(String),
}

/// The chunk of a message that is known.
fn find(journal: &Journal<'_, '_>, json: &str) -> Result<ChunkId> {
    let state = state(journal);
    let unknown = || Error::NotFound("this message is not known to the session; sync it first".to_owned());
    let message: Message = make::parse_messages(json)?.into_iter().next().ok_or_else(unknown)?;
    let key = message.key();
    let newest = (1..=state.last_ordinal)
        .rev()
        .find(|ordinal| state.known.get(*ordinal).is_some_and(|known| known.key == key));
    let ordinal = state.known.named(key).or(newest).ok_or_else(unknown)?;
    state.chunk(ordinal).ok_or_else(unknown)
}
