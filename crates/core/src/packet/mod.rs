//! The packet: what an agent reads after its context was dropped (seed 002 section 8.2, DESIGN 6.1 and 6.11). A pure
//! function of the checkpoint, so the same checkpoint gives the same bytes (FAULTS B8); at most `max_tokens` whatever
//! the input, by leaving out whole items of least use and saying how many and where they are.

mod choose;
mod files;
mod gather;
mod layout;
mod neutral;
mod root;
mod section;
mod tasks;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::checkpoint::Checkpoint;
use crate::text::tokens::estimate_tokens;

pub(crate) use neutral::{defuse, neutralise};

use gather::{Candidate, words};
use layout::Head;
pub(crate) use neutral::quotable;
use root::Root;
use section::Section;

/// First line of every packet. It is how a packet is recognised when it comes back as a message.
pub const FIRST_LINE: &str = "[Post-compaction checkpoint restore]";
/// Last line of every packet.
pub const LAST_LINE: &str = "</checkpoint-data>";
/// Tokens of a packet unless told otherwise.
pub const DEFAULT_MAX_TOKENS: u64 = 700;
/// The smallest packet that a host gives (DESIGN section 3, View); below it, every token goes to the record.
const LEAST_USEFUL_TOKENS: u64 = 150;
/// Below this many tokens the frame is cut to what must be said, so that the record gets the room.
const ROOMY_TOKENS: u64 = 220;
/// A token stands for at most this many UTF-16 units: hosts and people who count characters find the limit kept too.
const UNITS_PER_TOKEN: u64 = 4;
/// Tokens by which the line about what is left out may become shorter with one more item.
const LINE_ABOUT_THE_REST: u64 = 24;
/// Tokens by which the sum of an item and the rest may be above the whole.
const ROUNDING: u64 = 2;
/// How many left-out items are tried in the room that the first choice left.
const SECOND_TRIES: usize = 24;

/// The id of a checkpoint that is in no file: files count from 1.
pub const UNWRITTEN: &str = "cp_000";
/// What stands in the packet instead.
const LIVE: &str = "live";

/// How a packet is made.
#[derive(Debug, Clone)]
pub struct RenderOptions {
    /// Most tokens of the whole text, fence included.
    pub max_tokens: u64,
    /// The active request stands in the kept messages or in the prompt: it and the next action are left out
    /// (DESIGN section 3, View).
    pub request_is_visible: bool,
    /// The last three compactions in a row freed less than 10 % each: with more than 3 compactions the packet warns
    /// (DESIGN 6.3).
    pub compactions_free_little: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { max_tokens: DEFAULT_MAX_TOKENS, request_is_visible: false, compactions_free_little: false }
    }
}

impl RenderOptions {
    /// The defaults with a limit in tokens, where one is given.
    pub fn with_limit(max_tokens: Option<u64>) -> Self {
        Self { max_tokens: max_tokens.unwrap_or(DEFAULT_MAX_TOKENS), ..Self::default() }
    }
}

/// A rendered packet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Packet {
    /// What is injected. Empty when `max_tokens` does not even hold the frame (about 50).
    pub text: String,
    /// Estimated tokens of the text.
    pub tokens: u64,
    /// Items of the checkpoint that are not in the text, by section. Sections that are whole do not appear.
    pub omitted: BTreeMap<String, u64>,
}

/// Renders a checkpoint. Never more than `max_tokens` tokens by our estimate, nor four UTF-16 units per token.
pub fn render(checkpoint: &Checkpoint, options: &RenderOptions) -> Packet {
    let pointer = match checkpoint.meta.checkpoint_id.as_str() {
        UNWRITTEN => LIVE.to_owned(),
        id => layout::safe_id(id),
    };
    let limit = options.max_tokens;
    let root = Root::of(&checkpoint.resources);
    let mut head = Head::of(checkpoint, options, &pointer, cost);
    let (candidates, beyond) = gather::candidates(checkpoint, &root, &head.texts());
    head.set_items(root, beyond);
    let request = words(&format!(
        "{} {} {}",
        checkpoint.active_request.as_deref().unwrap_or_default(),
        checkpoint.working.next_action,
        checkpoint.working.topic
    ));
    let mut chosen = fit(&head, &candidates, &request, limit);
    let mut text = layout::assemble(&head, &candidates, &chosen);
    // Estimates of parts do not add up exactly; the whole text has the last word.
    while cost(&text) > limit && (chosen.pop().is_some() || head.shrink()) {
        text = layout::assemble(&head, &candidates, &chosen);
    }
    if cost(&text) > limit {
        text.clear();
        chosen.clear();
        head.shrink_to_nothing();
    } else {
        fill(&mut chosen, &mut text, &head, &candidates, limit);
    }
    Packet { tokens: estimate_tokens(&text), text, omitted: omitted(&head, &candidates, &chosen) }
}

fn is_tight(limit: u64) -> bool {
    limit < ROOMY_TOKENS
}

fn fit(head: &Head, candidates: &[Candidate], request: &gather::Words, limit: u64) -> Vec<usize> {
    // The line about what is left out is paid for in full before anything is chosen.
    let bare = cost(&layout::assemble(head, candidates, &[]));
    let length: u64 = candidates.iter().map(|candidate| units(&candidate.line)).sum();
    if length <= limit.saturating_mul(UNITS_PER_TOKEN) {
        let everything: Vec<usize> = (0..candidates.len()).collect();
        if cost(&layout::assemble(head, candidates, &everything)) <= limit {
            return everything;
        }
    }
    choose::choose(candidates, request, limit.saturating_sub(bare), is_tight(limit), cost)
}

/// Tries left-out items in the room that remains, newest of each section first.
fn fill(chosen: &mut Vec<usize>, text: &mut String, head: &Head, candidates: &[Candidate], limit: u64) {
    let mut spare: Vec<usize> = (0..candidates.len()).filter(|index| !chosen.contains(index)).collect();
    let worth = |index: usize| {
        candidates.get(index).map_or(0.0, |candidate| candidate.section.weight() * candidate.recency)
    };
    spare.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
    let mut room = limit.saturating_sub(cost(text));
    let gate = choose::Gate::new(candidates, is_tight(limit));
    for index in spare.into_iter().take(SECOND_TRIES) {
        let Some(candidate) = candidates.get(index) else { continue };
        // With the last of its section, the line about what is left out becomes shorter.
        let is_last = layout::left_out(head, candidates, chosen)
            .any(|(section, count)| section == candidate.section && count == 1);
        let room_with_it = room + ROUNDING + if is_last { LINE_ABOUT_THE_REST } else { 0 };
        let is_first = choose::shown(candidate.section, candidates, chosen) == 0;
        let heading = if is_first { cost(candidate.section.heading()) } else { 0 };
        let constraints = choose::shown(Section::Constraints, candidates, chosen);
        let may_fit = choose::cost_of(candidate, cost) + heading <= room_with_it;
        if !may_fit || !gate.lets(candidate.section, constraints) {
            continue;
        }
        chosen.push(index);
        let longer = layout::assemble(head, candidates, chosen);
        let tokens = cost(&longer);
        if tokens <= limit {
            *text = longer;
            room = limit - tokens;
        } else {
            chosen.pop();
        }
    }
}

fn omitted(head: &Head, candidates: &[Candidate], chosen: &[usize]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for key in head.dropped() {
        *counts.entry((*key).to_owned()).or_default() += 1;
    }
    for (section, count) in layout::left_out(head, candidates, chosen) {
        *counts.entry(section.key().to_owned()).or_default() += count;
    }
    counts
}

/// Tokens of a text for the limit: our estimate, or its length where that is more.
fn cost(text: &str) -> u64 {
    estimate_tokens(text).max(units(text).div_ceil(UNITS_PER_TOKEN))
}

/// UTF-16 units of a text.
fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

#[cfg(test)]
mod tests;
