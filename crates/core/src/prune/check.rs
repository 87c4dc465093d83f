//! The rules of a view, told from the view alone: for tests and debug checks.

use super::entry::{Entry, EntryKind};
use super::layout::lay_out;
use std::collections::BTreeMap;

/// What is wrong with the view `kept` of `entries`, in words; empty when nothing is. Checked are the order of the
/// indices, pairs of calls and results in both directions, results that come twice, messages that never belong into a
/// view, the first message, and that something is left. `led`: a packet or a summary stands before them.
pub fn violations(entries: &[Entry], kept: &[usize], running: bool, led: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    if !kept.is_sorted_by(|one, next| one < next) {
        wrong.push("indices are not ascending".to_owned());
    }
    let messages: Vec<(usize, &Entry)> =
        kept.iter().filter_map(|&index| Some((index, entries.get(index)?))).collect();
    if messages.len() != kept.len() {
        wrong.push("an index is outside of the array".to_owned());
    }
    for (index, _) in messages.iter().filter(|(_, entry)| entry.is_left_out()) {
        wrong.push(format!("message {index} is a raw summary or clawback's own"));
    }
    check_pairs(entries, &messages, running, &mut wrong);
    check_first(entries, &messages, led, &mut wrong);
    wrong
}

fn check_pairs(entries: &[Entry], messages: &[(usize, &Entry)], running: bool, wrong: &mut Vec<String>) {
    let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for &(index, entry) in messages {
        for id in &entry.answers {
            if open.get_mut(id).and_then(Vec::pop).is_none() {
                wrong
                    .push(format!("message {index} answers call {id}, which no message before it waits for"));
            }
        }
        if entry.kind == EntryKind::ToolResult && entry.answers.is_empty() {
            wrong.push(format!("message {index} is a result of no call"));
        }
        for &id in &entry.calls {
            open.entry(id).or_default().push(index);
        }
    }
    let from = messages.first().map_or(0, |&(index, _)| index);
    let settled = match lay_out(entries, from, running, true).starts.last() {
        _ if !running => usize::MAX,
        Some(&newest) => newest,
        None => 0,
    };
    for (id, callers) in open {
        for index in callers.into_iter().filter(|&index| index < settled) {
            wrong.push(format!("message {index} makes call {id}, which has no result"));
        }
    }
}

fn check_first(entries: &[Entry], messages: &[(usize, &Entry)], led: bool, wrong: &mut Vec<String>) {
    let speaks = entries.iter().any(Entry::opens_turn);
    match messages.first() {
        Some((index, first)) if speaks && !led && !first.opens_turn() => {
            wrong.push(format!("message {index} stands first and is no person's"));
        }
        None if speaks => wrong.push("nothing is left".to_owned()),
        _ => {}
    }
}
