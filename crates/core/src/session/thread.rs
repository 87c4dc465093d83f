//! The conversation in a few lines, from what the state keeps of it (seed 002 section 11).

use super::event::Said;
use super::state::State;
use crate::checkpoint::{Exchange, WorkStatus};
use crate::text::clip;

const TOPIC: usize = 100;
const GIST: usize = 120;
const EXCHANGES: usize = 8;
const REQUEST_TOKENS: u64 = 300;

/// What a checkpoint says of the conversation.
pub(crate) struct Thread {
    pub(crate) topic: String,
    pub(crate) first_user: String,
    pub(crate) last_user: String,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) active_request: Option<String>,
    pub(crate) next_action: String,
    pub(crate) status: WorkStatus,
}

pub(crate) fn topic(state: &State) -> Option<String> {
    users(state).last().map(|said| clip::ellipsize(&clip::one_line(&said.text), TOPIC).into_owned())
}

fn users(state: &State) -> impl DoubleEndedIterator<Item = &Said> {
    state.thread.iter().filter(|said| said.by == "user")
}

impl Thread {
    pub(crate) fn of(state: &State) -> Self {
        let last = users(state).last();
        Self {
            topic: topic(state).unwrap_or_default(),
            first_user: users(state).next().map(|said| said.text.clone()).unwrap_or_default(),
            last_user: last.map(|said| said.text.clone()).unwrap_or_default(),
            exchanges: state
                .thread
                .iter()
                .rev()
                .take(EXCHANGES)
                .rev()
                .map(|said| Exchange {
                    role: said.by.clone(),
                    gist: clip::ellipsize(&clip::one_line(&said.text), GIST).into_owned(),
                })
                .collect(),
            active_request: last
                .map(|said| clip::head_and_tail(&said.text, REQUEST_TOKENS, " [...] ").into_owned()),
            next_action: topic(state).unwrap_or_default(),
            status: WorkStatus::InProgress,
        }
    }
}
