//! Tasks as a plan has them: "WP14: ..." is one task however often it is worded, and of many finished ones the numbers
//! say enough.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::checkpoint::Task;
use crate::ledger::TaskState;
use crate::text::pattern::static_regex;

static_regex! {
    /// A series and a number, or a range of them, near the start of a task: "WP3", "Step 2", "T1-T4". Groups: the
    /// series, the first number, the last number.
    static LABEL = r"\A(?:\W*\p{Ll}+ ){0,2}\W*(\p{Lu}{1,5}|\p{Lu}\p{Ll}{2,10}(?:[ #-]|\b))[ #-]*(\d{1,3})(?:\s*(?:-|–|—|\.\.|to)\s*(?:\p{Lu}{1,5}|\p{Lu}\p{Ll}{2,10} ?)?(\d{1,3}))?(?:\W|\z)";
}

/// So many finished numbers of one series are shown as ranges; fewer keep their words.
const MANY: usize = 5;
/// The newest finished ones keep their words: what was done last is built upon next.
const NEWEST: usize = 3;
/// A plan has fewer tasks than this; more come from elsewhere and are taken as they are.
const MOST: usize = 1_000;
/// A longer range is a year or a size, not a series of tasks.
const LONGEST_RANGE: u32 = 100;

/// The tasks of a checkpoint as the packet shows them, each list oldest first.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) open: Vec<String>,
    pub(super) blocked: Vec<String>,
    pub(super) done: Vec<String>,
}

impl Tasks {
    /// Newer words on a number replace older ones; what was finished after it was opened is not open.
    pub(super) fn of(all: &[Task]) -> Self {
        let are_few = all.len() <= MOST;
        let labels: Vec<Option<Label>> =
            all.iter().map(|task| Label::of(&task.what).filter(|_| are_few)).collect();
        let mut newest: BTreeMap<(&str, u32), usize> = BTreeMap::new();
        let mut furthest: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
        for (index, (task, label)) in all.iter().zip(&labels).enumerate() {
            let Some(label) = label else { continue };
            for number in label.numbers.clone() {
                newest.insert((&label.series, number), index);
            }
            if task.state == TaskState::Done {
                let (number, place) = furthest.entry(&label.series).or_default();
                *number = (*number).max(*label.numbers.end());
                *place = index;
            }
        }
        let mut tasks = Self::default();
        let mut finished: BTreeMap<&str, Finished> = BTreeMap::new();
        for (index, (task, label)) in all.iter().zip(&labels).enumerate() {
            let is_current = |label: &Label| {
                label.numbers.clone().any(|number| {
                    newest.get(&(label.series.as_str(), number)).is_none_or(|last| *last == index)
                })
            };
            match (task.state, label) {
                (TaskState::Done, label) => {
                    if let Some(label) = label {
                        let done = finished.entry(&label.series).or_default();
                        done.entries.push(index);
                        done.numbers.extend(label.numbers.clone());
                    }
                }
                (_, Some(label)) if !is_current(label) => {}
                // The plan went past it since.
                (TaskState::Open, Some(label))
                    if furthest
                        .get(label.series.as_str())
                        .is_some_and(|(number, place)| number > label.numbers.end() && *place > index) => {}
                (TaskState::Blocked, _) => tasks.blocked.push(task.what.clone()),
                (TaskState::Open, _) => tasks.open.push(task.what.clone()),
            }
        }
        for (index, (task, label)) in all.iter().zip(&labels).enumerate() {
            if task.state != TaskState::Done {
                continue;
            }
            match label.as_ref().and_then(|label| Some((label, finished.get(label.series.as_str())?))) {
                Some((label, done)) if done.numbers.len() >= MANY => {
                    let older = done.entries.len().saturating_sub(NEWEST);
                    let (earlier, newest) = done.entries.split_at(older);
                    if newest.contains(&index) {
                        tasks.done.push(task.what.clone());
                    } else if earlier.last() == Some(&index) {
                        let worded = |number: &u32| {
                            newest.iter().any(|at| {
                                let label = labels.get(*at).and_then(Option::as_ref);
                                label.is_some_and(|label| label.numbers.contains(number))
                            })
                        };
                        let rest: BTreeSet<u32> =
                            done.numbers.iter().copied().filter(|number| !worded(number)).collect();
                        if !rest.is_empty() {
                            tasks.done.push(ranges(&label.shown, &rest));
                        }
                    }
                }
                _ => tasks.done.push(task.what.clone()),
            }
        }
        tasks
    }
}

/// What is finished of a numbered plan.
#[derive(Debug, Default)]
struct Finished {
    /// Indices of the tasks.
    entries: Vec<usize>,
    numbers: BTreeSet<u32>,
}

/// Where a task stands in a numbered plan.
struct Label {
    /// For comparing.
    series: String,
    /// As written.
    shown: String,
    numbers: RangeInclusive<u32>,
}

impl Label {
    fn of(text: &str) -> Option<Self> {
        let found = LABEL.captures(text)?;
        let number = |group: usize| found.get(group).and_then(|digits| digits.as_str().parse::<u32>().ok());
        let shown = found.get(1)?.as_str();
        let first = number(2)?;
        let last = number(3).filter(|last| *last > first && *last - first <= LONGEST_RANGE).unwrap_or(first);
        Some(Self {
            series: shown.trim_matches([' ', '#', '-']).to_lowercase(),
            shown: shown.to_owned(),
            numbers: first..=last,
        })
    }
}

/// "WP1-WP4, WP7".
fn ranges(series: &str, numbers: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *number => *end = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let run = |(start, end): &(u32, u32)| {
        if start == end { format!("{series}{start}") } else { format!("{series}{start}-{series}{end}") }
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(all: &[(&str, TaskState)]) -> Tasks {
        let all: Vec<Task> =
            all.iter().map(|(what, state)| Task { what: (*what).to_owned(), state: *state }).collect();
        Tasks::of(&all)
    }

    #[test]
    fn many_finished_numbers_become_ranges() {
        let got = tasks(&[
            ("Step 1: schema", TaskState::Done),
            ("Step 2-4: readers", TaskState::Done),
            ("Pack the release", TaskState::Done),
            ("Step 7", TaskState::Done),
            ("Step 8: writers", TaskState::Done),
            ("Step 9: tests", TaskState::Done),
            ("Step 10: docs", TaskState::Open),
        ]);
        let newest = ["Step 7", "Step 8: writers", "Step 9: tests"];
        assert_eq!(got.done[..2], ["Step 1-Step 4", "Pack the release"]);
        assert_eq!(got.done[2..], newest);
        assert_eq!(got.open, ["Step 10: docs"]);
    }

    #[test]
    fn few_finished_numbers_keep_their_words() {
        let got = tasks(&[("T1: schema", TaskState::Done), ("T2: readers", TaskState::Done)]);
        assert_eq!(got.done, ["T1: schema", "T2: readers"]);
    }

    #[test]
    fn what_was_finished_later_is_not_open_and_newer_words_replace_older_ones() {
        let got = tasks(&[
            ("T3: write the parser", TaskState::Open),
            ("T4: tests", TaskState::Open),
            ("T1-T3", TaskState::Done),
            ("T4: tests for the parser", TaskState::Open),
            ("T5: wait for the key", TaskState::Blocked),
        ]);
        assert_eq!(got.open, ["T4: tests for the parser"]);
        assert_eq!(got.blocked, ["T5: wait for the key"]);
    }

    #[test]
    fn a_number_that_is_opened_again_is_open() {
        let got = tasks(&[("T3: parser", TaskState::Done), ("T3: parser fails on tabs", TaskState::Open)]);
        assert_eq!(got.open, ["T3: parser fails on tabs"]);
    }

    #[test]
    fn tasks_without_numbers_and_other_series_are_left_alone() {
        let got = tasks(&[
            ("Raise the limit to 30", TaskState::Open),
            ("B2: other series", TaskState::Open),
            ("A3: first", TaskState::Done),
            ("ask about port 8081", TaskState::Open),
        ]);
        assert_eq!(got.open, ["Raise the limit to 30", "B2: other series", "ask about port 8081"]);
    }
}
