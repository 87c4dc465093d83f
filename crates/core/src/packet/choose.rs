//! Which items are worth their tokens. First each section that matters gets its floor, so that none is crowded out;
//! the rest of the room goes to what is most useful for its length, wherever it stands: weight of the section,
//! nearness to the request or freshness, novelty beside what was already taken, and less for each further item of
//! the same section.

use std::collections::BTreeSet;

use super::files;
use super::gather::{Candidate, Words, overlap, share};
use super::section::{Section, Shape};

/// How much more an item on the subject of the request is worth than a fresh one on another.
const SUBJECT: f64 = 0.4;
/// Tokens of a short bullet: longer ones must be worth it.
const ORDINARY: f64 = 12.0;
/// How much length counts: 0 not at all, 1 in full.
const LENGTH: f64 = 0.5;
/// Telling words from which on a bullet says something of its own.
const TELLING: f64 = 3.0;
/// Of so many standing items one is of the oldest third, if it is any good.
const ONE_EARLY_IN: usize = 4;
/// How much more it is then worth.
const EARLY: f64 = 1.6;

/// Indices of the chosen candidates, most useful first, so that the last may be given up first.
pub(super) fn choose(
    candidates: &[Candidate],
    request: &Words,
    room: u64,
    tight: bool,
    cost: impl Fn(&str) -> u64,
) -> Vec<usize> {
    let gate = Gate::new(candidates, tight);
    let mut choice = Choice::new(candidates, request, room, &cost);
    for section in Section::ALL {
        if !gate.lets(section, choice.taken(Section::Constraints)) {
            continue;
        }
        let mut floor = (room as f64 * section.floor()) as u64;
        while let Some((best, price)) =
            choice.best(|candidate, price| candidate.section == section && price <= floor)
        {
            floor = floor.saturating_sub(price);
            choice.take(best, price);
        }
        // Where the room is so small that a share of it holds nothing, what matters most still comes before the rest.
        if section.comes_first()
            && choice.taken(section) == 0
            && let Some((best, price)) = choice.best(|candidate, _| candidate.section == section)
        {
            choice.take(best, price);
        }
    }
    loop {
        let constraints = choice.taken(Section::Constraints);
        let best = choice.best(|candidate, _| gate.lets(candidate.section, constraints));
        let Some((best, price)) = best else { return choice.chosen };
        choice.take(best, price);
    }
}

/// Files and tools stand only beside a constraint, if there is any, and in a tight packet only beside all of them: they
/// would look like all there is to know.
pub(super) struct Gate {
    /// So many constraints must be shown first.
    constraints: usize,
}

impl Gate {
    pub(super) fn new(candidates: &[Candidate], tight: bool) -> Self {
        let all = candidates.iter().filter(|candidate| candidate.section == Section::Constraints).count();
        Self { constraints: if tight { all } else { all.min(1) } }
    }

    /// Whether items of a section may stand beside so many constraints.
    pub(super) fn lets(&self, section: Section, constraints: usize) -> bool {
        section.comes_first() || constraints >= self.constraints
    }
}

/// How many of the chosen are of a section.
pub(super) fn shown(section: Section, candidates: &[Candidate], chosen: &[usize]) -> usize {
    let chosen = chosen.iter().filter_map(|index| candidates.get(*index));
    chosen.filter(|candidate| candidate.section == section).count()
}

struct Choice<'a> {
    candidates: &'a [Candidate],
    /// Each word with a candidate that has it, by word. A file is not said again by others of its directory, nor by the
    /// talk about it, so that files are not here.
    having: Vec<(u64, usize)>,
    costs: Vec<u64>,
    /// Of modified files.
    directory: Vec<Option<&'a str>>,
    headings: [u64; Section::ALL.len()],
    base: Vec<f64>,
    /// Largest share of a candidate's words that one chosen item says already.
    repeated: Vec<f64>,
    open: Vec<usize>,
    taken_of: [usize; Section::ALL.len()],
    early_of: [usize; Section::ALL.len()],
    directories: BTreeSet<&'a str>,
    left: u64,
    chosen: Vec<usize>,
}

impl<'a> Choice<'a> {
    fn new(candidates: &'a [Candidate], request: &Words, room: u64, cost: &impl Fn(&str) -> u64) -> Self {
        let costs: Vec<u64> = candidates.iter().map(|candidate| cost_of(candidate, cost)).collect();
        let talk = candidates.iter().enumerate().filter(|(_, candidate)| !candidate.section.is_files());
        let mut having: Vec<(u64, usize)> = talk
            .flat_map(|(index, candidate)| candidate.words.iter().map(move |word| (*word, index)))
            .collect();
        having.sort_unstable();
        Self {
            candidates,
            having,
            headings: Section::ALL.map(|section| cost(section.heading()) + 1),
            base: candidates
                .iter()
                .zip(&costs)
                .map(|(candidate, tokens)| first_worth(candidate, *tokens, request))
                .collect(),
            costs,
            directory: candidates
                .iter()
                .map(|candidate| {
                    let is_modified = candidate.section == Section::FilesModified;
                    is_modified.then(|| files::directory(&candidate.line))
                })
                .collect(),
            repeated: vec![0.0; candidates.len()],
            open: (0..candidates.len()).collect(),
            taken_of: Default::default(),
            early_of: Default::default(),
            directories: BTreeSet::new(),
            left: room,
            chosen: Vec::new(),
        }
    }

    /// The best of those that fit and are wanted, with its price. Ties go to the later place in the packet's order,
    /// which is the newer item of a section.
    fn best(&self, is_wanted: impl Fn(&Candidate, u64) -> bool) -> Option<(usize, u64)> {
        self.open
            .iter()
            .filter_map(|index| {
                let candidate = self.candidates.get(*index)?;
                let price = self.price(*index, candidate)?;
                let fits = price <= self.left && is_wanted(candidate, price);
                fits.then(|| (*index, price, self.worth(*index, candidate)))
            })
            .max_by(|a, b| a.2.total_cmp(&b.2))
            .map(|(index, price, _)| (index, price))
    }

    /// How many of a section were taken.
    fn taken(&self, section: Section) -> usize {
        self.taken_of.get(section as usize).copied().unwrap_or_default()
    }

    fn price(&self, index: usize, candidate: &Candidate) -> Option<u64> {
        let section = candidate.section;
        let heading = if self.taken(section) == 0 { *self.headings.get(section as usize)? } else { 0 };
        let cost = *self.costs.get(index)?;
        // A directory is named once.
        let named = self.directory.get(index)?.filter(|directory| self.directories.contains(directory));
        let saved =
            named.map_or(0, |directory| cost * directory.len() as u64 / (candidate.line.len() as u64 + 2));
        Some((cost - saved).max(1) + heading)
    }

    fn worth(&self, index: usize, candidate: &Candidate) -> f64 {
        let section = candidate.section;
        let base = self.base.get(index).copied().unwrap_or_default();
        let taken = self.taken(section);
        let early = self.early_of.get(section as usize).copied().unwrap_or_default();
        let said = self.repeated.get(index).copied().unwrap_or_default();
        let due = if section.stands() && candidate.is_early() && (early + 1) * ONE_EARLY_IN <= taken + 1 {
            EARLY
        } else {
            1.0
        };
        base * due * (1.0 - 0.7 * said * said) / (1.0 + section.saturation() * taken as f64)
    }

    fn take(&mut self, best: usize, price: u64) {
        self.left = self.left.saturating_sub(price);
        self.open.retain(|index| *index != best);
        self.chosen.push(best);
        let Some(candidate) = self.candidates.get(best) else { return };
        let section = candidate.section as usize;
        if let Some(taken) = self.taken_of.get_mut(section) {
            *taken += 1;
        }
        if candidate.is_early()
            && let Some(early) = self.early_of.get_mut(section)
        {
            *early += 1;
        }
        self.directories.extend(self.directory.get(best).copied().flatten());
        let mut shared = vec![0; self.candidates.len()];
        for word in &candidate.words {
            let from = self.having.partition_point(|(other, _)| other < word);
            let with_it = self.having.iter().skip(from).take_while(|(other, _)| other == word);
            with_it.for_each(|(_, index)| shared.get_mut(*index).into_iter().for_each(|count| *count += 1));
        }
        for ((other, said), count) in self.candidates.iter().zip(&mut self.repeated).zip(shared) {
            *said = said.max(share(count, &other.words));
        }
    }
}

/// Worth of a candidate as the first of its section, before anything else is said.
fn first_worth(candidate: &Candidate, tokens: u64, request: &Words) -> f64 {
    let section = candidate.section;
    let relevance = (overlap(&candidate.words, request) * 2.0).min(1.0);
    let near = candidate.recency.max(relevance);
    let age = section.lasting() + (1.0 - section.lasting()) * near;
    let (least, telling) = match section.shape() {
        Shape::Bullets => (ORDINARY / 2.0, (candidate.words.len() as f64 / TELLING).min(1.0)),
        Shape::Joined(_) => (ORDINARY, 1.0),
    };
    let dense = (ORDINARY / (tokens as f64).max(least)).powf(LENGTH);
    section.weight() * candidate.standing * (1.0 + SUBJECT * relevance) * age * (0.4 + 0.6 * telling) * dense
}

/// Tokens of a candidate with its bullet and line break, or its separator.
pub(super) fn cost_of(candidate: &Candidate, cost: impl Fn(&str) -> u64) -> u64 {
    match candidate.section.shape() {
        Shape::Bullets => cost(&format!("- {}\n", candidate.line)),
        Shape::Joined(separator) => cost(&format!("{}{separator}", candidate.line)),
    }
}
