//! Dropped messages that clearly match what is asked now, offered in the tail of the turn (seed 004, semantic history;
//! seed 003, Recovery). The search holds no lock; what it finds is looked at once more under the lock, so that within an
//! epoch nothing is offered twice.

use super::super::event::{Event, Offered, Part};
use super::super::observe::Sink;
use super::super::{Done, Journal, SESSIONS, State, view};
use super::plan::{ContextPlan, PlanRequest};
use super::sight::Sights;
use super::{Live, PLAN_PATIENCE, state};
use crate::Result;
use crate::capture::user_text;
use crate::message::Message;
use crate::pressure::Limits;
use crate::recall::query::Query;
use crate::recall::{Filter, Prior, PriorLimits, Request, prior_context, share};
use crate::store::{Body, BodyFiles, ChunkId, Durability};
use crate::text::fold::fold;
use crate::text::tokens::estimate_tokens;
use std::collections::{HashMap, HashSet};

/// Hits that are looked at: what is still in the view is among them.
const LOOKED_AT: usize = 64;
/// Different things that a prompt must ask for, before anything can match it clearly.
const LEAST_CONCEPTS: usize = 3;
/// What a tool has given is offered only from this score on: a file that was read may have changed since, and a long one
/// has every word.
const LEAST_OF_TOOLS: f64 = 0.8;
/// Bytes that are not indexed yet and are read for a plan, at most.
const MOST_SCANNED: u64 = 4 << 20;
/// Tokens that rounding and the blank line before what is offered may add: the same request, planned again, must not find
/// itself at the hard limit because of it.
const JOINT_TOKENS: u64 = 8;
/// How a line of a stored message begins that stands for a tool call.
const TOOL_CALL: &str = "[tool call ";

/// What is looked for, for one turn.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    turn: u64,
    epoch: u64,
    generation: u32,
    prompt: String,
    limits: PriorLimits,
}

/// A message that may come back, and how well it matches, 0..1.
type Match = (ChunkId, f64);

impl Live {
    /// What to look for in this turn; `None` where it was done, where nothing has left the view, or nothing is asked.
    pub(super) fn seek(
        &self,
        state: &State,
        plan: &ContextPlan,
        request: &PlanRequest,
        limits: &Limits,
        turn: u64,
    ) -> Option<Sought> {
        let config = &self.options.config;
        let history = &config.context_management.semantic_history;
        let epoch = state.epoch.as_ref().filter(|epoch| epoch.boundary > 0 || !epoch.left.is_empty())?;
        if !history.enabled || !config.cold_storage_enabled {
            return None;
        }
        let prompt = match &request.prompt {
            Some(prompt) => user_text(&Message::user(prompt))?,
            None => state.last_request()?,
        };
        let concepts = Query::new(&prompt).concepts;
        if concepts.iter().filter(|concept| !concept.whole).count() < LEAST_CONCEPTS {
            return None;
        }
        let mut figures = self.own.figures();
        if figures.sought.replace((turn, epoch.n)) == Some((turn, epoch.n)) {
            return None;
        }
        drop(figures);
        let bootstrap = limits.context_window as f64 * config.context_management.budget.bootstrap_ratio;
        let mut room = PriorLimits {
            chunks: usize::try_from(history.max_retrieved_chunks).unwrap_or(usize::MAX),
            min_score: history.min_relevance_score,
            ..PriorLimits::new(bootstrap as u64)
        };
        room.tokens = match limits.context_window {
            0 => history.max_retrieved_tokens,
            _ => {
                let thresholds = limits.thresholds(&self.knobs());
                let free = thresholds.tokens(thresholds.hard).saturating_sub(plan.tokens_after);
                let free = (free as f64 / state.calibration.ratio()) as u64;
                room.tokens.min(history.max_retrieved_tokens).min(free.saturating_sub(JOINT_TOKENS))
            }
        };
        let generation = state.live.generation;
        (room.chunks > 0 && room.tokens > 0).then_some(Sought {
            turn,
            epoch: epoch.n,
            generation,
            prompt,
            limits: room,
        })
    }

    /// Looks for it, and gives the plan with what was found in its tail. Whatever fails here costs only that.
    pub(super) fn offer(&self, sought: Sought, plan: ContextPlan, done: Done<ContextPlan>) {
        let (searcher, live) = (self.clone(), self.clone());
        let wanted = sought.clone();
        SESSIONS.background(
            move || searcher.matching(&wanted),
            Box::new(move |found: Result<Vec<Match>>| {
                let found = match found {
                    Ok(found) if !found.is_empty() => found,
                    Ok(_) => return done(Ok(plan)),
                    Err(error) => {
                        tracing::warn!(%error, "what left the view was not searched");
                        return done(Ok(plan));
                    }
                };
                let writer = live.clone();
                live.session.write_within(
                    PLAN_PATIENCE,
                    Durability::Written,
                    move |journal| writer.offer_job(journal, &sought, &found),
                    Box::new(move |offered: Result<Option<Offer>>| match offered {
                        Ok(Some(offer)) => done(Ok(with_tail(plan, &offer))),
                        Ok(None) => done(Ok(plan)),
                        Err(error) => {
                            tracing::warn!(%error, "what was found is not offered");
                            done(Ok(plan));
                        }
                    }),
                );
            }),
        );
    }

    fn matching(&self, sought: &Sought) -> Result<Vec<Match>> {
        let Some(files) = BodyFiles::of(self.session.state_dir(), self.session.key())? else {
            return Ok(Vec::new());
        };
        // After a first import everything waits for the index: the host must not wait for that.
        if self.session.library.pending(&files)? > MOST_SCANNED {
            return Ok(Vec::new());
        }
        let request = Request {
            query: Query::new(&sought.prompt),
            filter: Filter::default(),
            scores: HashMap::new(),
            limit: LOOKED_AT,
            generation: Some(sought.generation),
        };
        let found = self.session.library.search(&files, &request)?;
        let matches = found.into_iter().map(|found| (found.chunk, f64::from(found.similarity)));
        Ok(matches.filter(|(_, score)| *score >= sought.limits.min_score).collect())
    }

    fn offer_job(
        &self,
        journal: &mut Journal<'_, '_>,
        sought: &Sought,
        found: &[Match],
    ) -> Result<Option<Offer>> {
        let known = state(journal);
        let same = known.live.generation == sought.generation
            && known.epoch.as_ref().is_some_and(|epoch| epoch.n == sought.epoch);
        if !same {
            return Ok(None);
        }
        if let Some(offered) = known.offered.as_ref().filter(|offered| offered.turn == sought.turn) {
            return Ok(Some(Offer::of(known, &offered.text))); // another process was first
        }
        let offered: HashSet<ChunkId> = known
            .offered
            .iter()
            .flat_map(|offered| &offered.chunks)
            .filter_map(|chunk| chunk.parse().ok())
            .collect();
        let out: Vec<Match> = found.iter().copied().filter(|(chunk, _)| has_left(known, *chunk)).collect();
        let (asked, query) = (fold(&sought.prompt), Query::new(&sought.prompt));
        let mut offers = HashMap::new();
        let mut priors = Vec::new();
        for (chunk, score) in out {
            if offered.contains(&chunk) || journal.locked.reader().is_expired(chunk)? {
                continue;
            }
            // A body that is damaged is not offered.
            let Ok(body) = journal.locked.reader().body(chunk) else { continue };
            let said: Vec<&str> = body.text.lines().filter(|line| !line.starts_with(TOOL_CALL)).collect();
            let text = said.join("\n");
            if text.trim().is_empty() || fold(&text) == asked {
                continue; // the same words again say nothing new
            }
            let is_all = said.len() == body.text.lines().count();
            let score = if is_all { score } else { score * share(&query, &body.text, &text) };
            if body.role == "toolResult" && score < LEAST_OF_TOOLS {
                continue;
            }
            let since = replaced_since(state(journal), chunk.ordinal);
            priors.push(Prior { chunk, source: source(&body), score, text, since });
            offers.insert(chunk, (estimate_tokens(&body.text), score));
        }
        let Some(block) = prior_context(&sought.prompt, &priors, &offered, &sought.limits) else {
            return Ok(None);
        };
        let chunks = block.chunks.iter().map(ToString::to_string).collect();
        let (turn, epoch, text) = (sought.turn, sought.epoch, block.text.clone());
        journal.append(vec![Event::Offered(Offered { epoch, turn, text, chunks })])?;
        let now = journal.now().to_owned();
        for chunk in block.chunks {
            if let Some((tokens, score)) = offers.get(&chunk) {
                let matched = Some((*score, sought.limits.min_score));
                self.session.log_recovery(&mut journal.locked.reader(), chunk, *tokens, matched, &now)?;
            }
        }
        let mut figures = self.own.figures();
        let line = figures.tail.take().filter(|(of, _)| *of == turn).map(|(_, line)| line);
        figures.tail = Some((turn, joined(line, &block.text)));
        Ok(Some(Offer::of(state(journal), &block.text)))
    }
}

/// What a plan's tail takes along.
struct Offer {
    text: String,
    /// Calibrated tokens.
    tokens: u64,
}

impl Offer {
    fn of(state: &State, text: &str) -> Self {
        Self { text: text.to_owned(), tokens: state.calibration.history_tokens(estimate_tokens(text)) }
    }
}

/// The turn that a plan is for, by its first message.
pub(super) fn turn(state: &State, seen: &Sights, request: &PlanRequest) -> u64 {
    match &request.prompt {
        Some(_) => state.last_ordinal + 1,
        None => seen.last_person().map_or(0, |(_, entry)| entry.ordinal),
    }
}

/// What was offered in this turn before: by an earlier process, or another one.
pub(super) fn offered(state: &State, turn: u64) -> Option<&str> {
    let epoch = state.epoch.as_ref()?.n;
    let offered = state.offered.as_ref().filter(|offered| (offered.epoch, offered.turn) == (epoch, turn))?;
    Some(&offered.text)
}

/// The tail: the gauge line, then what was found.
pub(super) fn joined(line: Option<String>, block: &str) -> String {
    line.map_or_else(|| block.to_owned(), |line| format!("{line}\n\n{block}"))
}

fn with_tail(mut plan: ContextPlan, offer: &Offer) -> ContextPlan {
    plan.tokens_after += offer.tokens;
    plan.tail = Some(joined(plan.tail.take(), &offer.text));
    plan
}

/// Somebody said it or a tool gave it, on the live path, and it is not in the view.
fn has_left(state: &State, chunk: ChunkId) -> bool {
    let told = state.sight(chunk.ordinal).is_some_and(|seen| match seen.sight.part {
        Part::Person | Part::Assistant | Part::ToolResult => true,
        Part::Injected | Part::Ours | Part::Summary | Part::Other => false,
    });
    told && state.chunk(chunk.ordinal) == Some(chunk)
        && state.is_on_path(chunk.ordinal)
        && !state.is_in_view(chunk.ordinal)
}

/// What replaced something that a message said, newest first: offered alone, the message would bring back what is over.
fn replaced_since(state: &State, ordinal: u64) -> Option<String> {
    let view = view::live(state);
    let says = |id: &String| state.ledger.entry(id).is_some_and(|entry| entry.place.ordinal == ordinal);
    let said = view.items.iter().rev().filter(|item| item.members.iter().any(says));
    let newer: Vec<String> = said.filter_map(|item| view.replaced_by(item)).take(2).collect();
    (!newer.is_empty()).then(|| newer.join("; "))
}

fn source(body: &Body) -> String {
    let who = body.tool.as_deref().unwrap_or(&body.role);
    format!("{who}, {}", body.at.get(..16).unwrap_or(&body.at).replace('T', " "))
}
