//! A model's help for a live session, asked for in `maintain` and never in a plan: the rolling summary of what left the
//! view (seed 004, DESIGN 6.12) and an enrichment, each once per epoch. What is made enters with the next epoch; where the
//! model fails, what left the view is simply gone from it. Also what is past its time.

use super::super::event::{Event, Part, Rolling};
use super::super::observe::Sink;
use super::super::{Done, Journal, enrich};
use super::{Live, state};
use crate::enrich::{Prompt, Spoken, check_summary, rolling_prompt, summary_tokens};
use crate::store::{ChunkId, Durability};
use crate::{Error, Result};
use serde::Serialize;
use std::collections::HashSet;

/// A summary of fewer tokens is not worth a call.
const LEAST_TOKENS: u64 = 64;
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

    /// Takes a summary in, checked; false where nothing of it is left, or the session went another way meanwhile. It is
    /// shown from the next epoch on.
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
        let started = enrich::start(journal, Vec::new(), self.session.key())?;
        let basis = started.basis;
        let enrichment = started.prompt.map(|prompt| Asked { prompt, basis });
        journal.append(vec![Event::ModelAsked { epoch }])?;
        Ok(Questions { summary, enrichment })
    }

    /// The question for the summary of what lies before `boundary` and is in no summary yet.
    fn summary(&self, journal: &mut Journal<'_, '_>, boundary: u64) -> Result<Option<Asked>> {
        let thresholds = self.limits(None).thresholds(&self.knobs());
        let most = summary_tokens(thresholds.tokens(thresholds.target));
        let known = state(journal);
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
        let mut reader = journal.locked.reader();
        // A body that is damaged or was never stored is not summarised.
        let bodies: Vec<(String, String)> = chunks
            .into_iter()
            .filter_map(|chunk| reader.body(chunk).ok())
            .map(|body| (body.role, body.text))
            .collect();
        let spoken: Vec<Spoken<'_>> = bodies.iter().map(|(role, text)| Spoken { role, text }).collect();
        if spoken.iter().all(|said| said.text.trim().is_empty()) {
            return Ok(None);
        }
        let prompt = rolling_prompt(previous.as_deref(), &spoken, most);
        Ok(Some(Asked { prompt, basis }))
    }
}

fn merge(journal: &mut Journal<'_, '_>, answer: &str, basis: &str) -> Result<bool> {
    let parts: Vec<u64> = basis.split('-').filter_map(|part| part.parse().ok()).collect();
    let [generation, upto, most] = parts.as_slice() else {
        return Err(Error::InvalidInput("not the basis of a summary".to_owned()));
    };
    let known = state(journal);
    let same = u64::from(known.live.generation) == *generation
        && known.rolling.as_ref().is_none_or(|rolling| rolling.upto < *upto)
        && *upto <= known.last_ordinal + 1;
    let Some(text) = check_summary(answer, *most).filter(|_| same) else { return Ok(false) };
    journal.append(vec![Event::Rolling(Rolling { text, upto: *upto })])?;
    Ok(true)
}

fn expire(journal: &mut Journal<'_, '_>) -> Result<u64> {
    let known = state(journal);
    let first = known.epoch.as_ref().map_or(1, |epoch| epoch.boundary.max(1));
    let mut keep: HashSet<ChunkId> = known.pins.iter().filter_map(|pin| pin.parse().ok()).collect();
    let visible = (first..=known.last_ordinal).filter(|ordinal| known.is_on_path(*ordinal));
    keep.extend(visible.filter_map(|ordinal| known.chunk(ordinal)));
    let now = journal.now().to_owned();
    Ok(journal.locked.expire(&now, &keep, None)?.chunks)
}
