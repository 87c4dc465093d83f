//! A model's help for a live session, asked for in `maintain` and never in a plan: the rolling summary of what left the
//! view (seed 004, DESIGN 6.12) and an enrichment, each once per epoch. What is made enters with the next epoch; where the
//! model fails, what left the view is simply gone from it. Also what is past its time.

use super::super::event::{Event, Part, Rolling};
use super::super::observe::Sink;
use super::super::{Done, Journal, enrich};
use super::{Live, state};
use crate::enrich::{Prompt, Spoken, check_summary, condense_prompt, rolling_prompt, summary_tokens};
use crate::store::{ChunkId, Durability};
use crate::{Error, Result};
use serde::Serialize;
use std::collections::HashSet;

/// A summary of fewer tokens is not worth a call.
const LEAST_TOKENS: u64 = 64;
/// How the basis of a condensed form begins.
const BAND: &str = "band-";
/// Of more messages than both these the middle is not read.
const FIRST_MESSAGES: usize = 20;
const NEWEST_MESSAGES: usize = 220;

/// A question for the model, and what was known when it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The question.
    pub prompt: Prompt,
    /// Handed back with the answer.
    pub basis: String,
}

/// What a model is asked in this epoch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Questions {
    /// For the rolling summary; none where nothing new left the view.
    pub summary: Option<Asked>,
    /// For what the epoch let go of the middle band (seed 003).
    pub condensed: Option<Asked>,
    /// For the enrichment of the epoch's checkpoint.
    pub enrichment: Option<Asked>,
}

impl Live {
    /// What the model is to be asked. Empty before the first epoch and after the first call within an epoch, whatever
    /// became of the questions: a model that fails is not asked again and again.
    pub fn questions(&self, done: Done<Questions>) {
        let live = self.clone();
        self.write(Durability::Written, move |journal| live.ask(journal), done);
    }

    /// Takes a summary or a condensed form in, checked; false where nothing of it is left, or the session went another
    /// way meanwhile. It is shown from the next epoch on.
    pub fn merge_summary(&self, answer: String, basis: String, done: Done<bool>) {
        self.write(Durability::Written, move |journal| merge(journal, &answer, &basis), done);
    }

    /// Lets go of what left the view and is past its time. Gives how many messages.
    pub fn expire(&self, done: Done<u64>) {
        self.write(Durability::Written, expire, done);
    }

    fn ask(&self, journal: &mut Journal<'_, '_>) -> Result<Questions> {
        let Some((epoch, boundary)) = state(journal).epoch.as_ref().map(|epoch| (epoch.n, epoch.boundary))
        else {
            return Ok(Questions::default());
        };
        if state(journal).model_asked >= epoch {
            return Ok(Questions::default());
        }
        let summary = self.summary(journal, boundary)?;
        let condensed = self.condensed(journal, epoch);
        let started = enrich::start(journal, Vec::new(), self.session.key())?;
        let basis = started.basis;
        let enrichment = started.prompt.map(|prompt| Asked { prompt, basis });
        journal.append(vec![Event::ModelAsked { epoch }])?;
        Ok(Questions { summary, condensed, enrichment })
    }

    /// The question for the summary of what lies before `boundary` and is in no summary yet.
    fn summary(&self, journal: &mut Journal<'_, '_>, boundary: u64) -> Result<Option<Asked>> {
        let config = &self.options.config.context_management.rolling_summary;
        let thresholds = self.limits(None).thresholds(&self.knobs());
        let most = summary_tokens(thresholds.tokens(thresholds.target)).min(config.summary_max_tokens);
        let known = state(journal);
        let told = |ordinal| known.sight(ordinal).map_or(0, |sighted| sighted.sight.tokens);
        let history: u64 = (1..=known.last_ordinal).filter(|o| known.is_on_path(*o)).map(told).sum();
        // In a small window less than the threshold leaves the view, and is missed no less.
        let threshold = config.trigger_threshold.min(thresholds.tokens(thresholds.trigger));
        if !config.enabled || history < threshold {
            return Ok(None);
        }
        let first = known.rolling.as_ref().map_or(1, |rolling| rolling.upto).max(1);
        let says = |ordinal: &u64| {
            known.is_on_path(*ordinal)
                && known.sight(*ordinal).is_some_and(|sighted| match sighted.sight.part {
                    Part::Person | Part::Assistant | Part::Summary => true,
                    Part::ToolResult => sighted.sight.failed,
                    Part::Injected | Part::Ours | Part::Other => false,
                })
        };
        let gone: Vec<u64> = (first..boundary).filter(says).collect();
        if gone.is_empty() || most < LEAST_TOKENS {
            return Ok(None);
        }
        let previous = known.rolling.as_ref().map(|rolling| rolling.text.clone());
        let basis = format!("{}-{boundary}-{most}", known.live.generation);
        let middle = FIRST_MESSAGES..gone.len().saturating_sub(NEWEST_MESSAGES).max(FIRST_MESSAGES);
        let chunks: Vec<ChunkId> = gone
            .iter()
            .enumerate()
            .filter(|(at, _)| !middle.contains(at))
            .filter_map(|(_, ordinal)| known.chunk(*ordinal))
            .collect();
        let bodies = bodies(journal, chunks);
        let spoken: Vec<Spoken<'_>> = bodies.iter().map(|(role, text)| Spoken { role, text }).collect();
        if spoken.iter().all(|said| said.text.trim().is_empty()) {
            return Ok(None);
        }
        let prompt = rolling_prompt(previous.as_deref(), &spoken, most);
        Ok(Some(Asked { prompt, basis }))
    }

    /// The question for a better form of the middle band than extraction has made of it.
    fn condensed(&self, journal: &mut Journal<'_, '_>, epoch: u64) -> Option<Asked> {
        let most = self.options.config.summary_target_tokens;
        let known = state(journal);
        let band = known.epoch.as_ref().map(|epoch| epoch.band.clone()).filter(|band| !band.is_empty())?;
        let before = known.condensed.clone().unwrap_or_default();
        let basis = format!("{BAND}{}-{epoch}-{most}", known.live.generation);
        let chunks = band.iter().filter_map(|ordinal| known.chunk(*ordinal)).collect();
        let mut bodies = bodies(journal, chunks);
        bodies.insert(0, ("compactionSummary".to_owned(), before));
        let spoken: Vec<Spoken<'_>> = bodies.iter().map(|(role, text)| Spoken { role, text }).collect();
        Some(Asked { prompt: condense_prompt(&spoken, most), basis })
    }
}

/// Role and text of stored messages. A body that is damaged or was never stored is not summarised.
fn bodies(journal: &mut Journal<'_, '_>, chunks: Vec<ChunkId>) -> Vec<(String, String)> {
    let mut reader = journal.locked.reader();
    chunks
        .into_iter()
        .filter_map(|chunk| reader.body(chunk).ok())
        .map(|body| (body.role, body.text))
        .collect()
}

fn merge(journal: &mut Journal<'_, '_>, answer: &str, basis: &str) -> Result<bool> {
    if let Some(basis) = basis.strip_prefix(BAND) {
        return merge_condensed(journal, answer, basis);
    }
    let [generation, upto, most] = figures(basis)?;
    let known = state(journal);
    let same = u64::from(known.live.generation) == generation
        && known.rolling.as_ref().is_none_or(|rolling| rolling.upto < upto)
        && upto <= known.last_ordinal + 1;
    let Some(text) = check_summary(answer, most).filter(|_| same) else { return Ok(false) };
    journal.append(vec![Event::Rolling(Rolling { text, upto })])?;
    Ok(true)
}

fn merge_condensed(journal: &mut Journal<'_, '_>, answer: &str, basis: &str) -> Result<bool> {
    let [generation, epoch, most] = figures(basis)?;
    let known = state(journal);
    let same = u64::from(known.live.generation) == generation
        && known.condensed.is_some()
        && known.epoch.as_ref().is_some_and(|running| running.n == epoch);
    let Some(text) = check_summary(answer, most).filter(|_| same) else { return Ok(false) };
    journal.append(vec![Event::Condensed { epoch, text }])?;
    Ok(true)
}

/// The figures of a basis: generation, place, tokens.
fn figures(basis: &str) -> Result<[u64; 3]> {
    let parts: Vec<u64> = basis.split('-').filter_map(|part| part.parse().ok()).collect();
    parts.try_into().map_err(|_| Error::InvalidInput("not the basis of a summary".to_owned()))
}

fn expire(journal: &mut Journal<'_, '_>) -> Result<u64> {
    let known = state(journal);
    let mut keep: HashSet<ChunkId> = known.pins.iter().filter_map(|pin| pin.parse().ok()).collect();
    keep.extend(known.in_view().filter_map(|ordinal| known.chunk(ordinal)));
    let now = journal.now().to_owned();
    Ok(journal.locked.expire(&now, &keep, None)?.chunks)
}
