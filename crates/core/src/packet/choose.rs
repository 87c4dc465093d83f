//! Which items are worth their tokens. Greedy by usefulness: weight of the section, nearness to the request or
//! freshness, novelty beside what was already taken, and less for each further item of the same section, so that a
//! long list cannot crowd out the others.

use super::gather::{Candidate, Words, overlap};
use super::section::{Section, Shape};

/// How much more an item on the subject of the request is worth than a fresh one on another.
const SUBJECT: f64 = 0.4;
/// Tokens of an ordinary bullet: longer ones must be worth it.
const ORDINARY: f64 = 14.0;
/// Telling words from which on a bullet says something of its own.
const TELLING: f64 = 5.0;

/// Indices of the chosen candidates, most useful first, so that the last may be given up first.
pub(super) fn choose(
    candidates: &[Candidate],
    request: &Words,
    room: u64,
    cost: impl Fn(&str) -> u64,
) -> Vec<usize> {
    let costs: Vec<u64> = candidates.iter().map(|candidate| cost_of(candidate, &cost)).collect();
    let headings = Section::ALL.map(|section| cost(section.heading()) + 1);
    let base: Vec<f64> = candidates
        .iter()
        .zip(&costs)
        .map(|(candidate, tokens)| first_worth(candidate, *tokens, request))
        .collect();
    let mut open: Vec<usize> = (0..candidates.len()).collect();
    let mut repeated = vec![0.0_f64; candidates.len()];
    let mut taken_of = [0_u32; Section::ALL.len()];
    let mut left = room;
    let mut chosen = Vec::new();
    loop {
        let price = |index: usize| -> Option<u64> {
            let section = candidates.get(index)?.section as usize;
            let heading = if *taken_of.get(section)? == 0 { *headings.get(section)? } else { 0 };
            Some(costs.get(index)? + heading)
        };
        let worth = |index: usize| -> f64 {
            let (Some(candidate), Some(base)) = (candidates.get(index), base.get(index)) else { return 0.0 };
            let taken = taken_of.get(candidate.section as usize).copied().unwrap_or_default();
            let said = repeated.get(index).copied().unwrap_or_default();
            base * (1.0 - 0.7 * said * said) / (1.0 + candidate.section.saturation() * f64::from(taken))
        };
        open.retain(|index| price(*index).is_some_and(|tokens| tokens <= left));
        // Ties go to the later place in the packet's order, which is the newer item of a section.
        let Some(best) = open.iter().copied().max_by(|a, b| worth(*a).total_cmp(&worth(*b))) else { break };
        left -= price(best).unwrap_or_default();
        open.retain(|index| *index != best);
        chosen.push(best);
        if let Some(candidate) = candidates.get(best) {
            if let Some(taken) = taken_of.get_mut(candidate.section as usize) {
                *taken += 1;
            }
            for index in &open {
                if let (Some(other), Some(said)) = (candidates.get(*index), repeated.get_mut(*index)) {
                    *said = said.max(overlap(&other.words, &candidate.words));
                }
            }
        }
    }
    chosen
}

/// Worth of a candidate as the first of its section, before anything else is said.
fn first_worth(candidate: &Candidate, tokens: u64, request: &Words) -> f64 {
    let section = candidate.section;
    let relevance = (overlap(&candidate.words, request) * 2.0).min(1.0);
    let near = candidate.recency.max(relevance);
    let age = section.lasting() + (1.0 - section.lasting()) * near;
    let (least, telling) = match section.shape() {
        Shape::Bullets => (ORDINARY, (candidate.words.len() as f64 / TELLING).min(1.0)),
        Shape::Joined(_) => (1.0, 1.0),
    };
    let dense = (ORDINARY / (tokens as f64).max(least)).powf(0.3);
    section.weight() * (1.0 + SUBJECT * relevance) * age * (0.4 + 0.6 * telling) * dense
}

/// Tokens of a candidate with its bullet and line break, or its separator.
fn cost_of(candidate: &Candidate, cost: impl Fn(&str) -> u64) -> u64 {
    match candidate.section.shape() {
        Shape::Bullets => cost(&format!("- {}\n", candidate.line)),
        Shape::Joined(separator) => cost(&format!("{}{separator}", candidate.line)),
    }
}
