//! Conversations for the tests of pruning: written by hand, and random ones.

use super::{CutRequest, Entry, EntryKind, Frozen, violations, visible};
use crate::pressure::Zone;
use proptest::prelude::*;
use std::collections::HashSet;

pub(super) const ZONES: [Zone; 4] = [Zone::Green, Zone::Yellow, Zone::Red, Zone::Compact];

fn entry(kind: EntryKind, tokens: u64) -> Entry {
    let (calls, answers) = (Vec::new(), Vec::new());
    Entry { ordinal: 0, kind, tokens, distilled_tokens: tokens, calls, answers, ours: false, left: false }
}

pub(super) fn person() -> Entry {
    entry(EntryKind::Person, 20)
}

pub(super) fn injected() -> Entry {
    entry(EntryKind::Injected, 30)
}

pub(super) fn reply() -> Entry {
    entry(EntryKind::Assistant, 100)
}

pub(super) fn summary() -> Entry {
    entry(EntryKind::Summary, 500)
}

pub(super) fn other() -> Entry {
    entry(EntryKind::Other, 40)
}

pub(super) fn packet() -> Entry {
    Entry { ours: true, ..entry(EntryKind::Injected, 700) }
}

pub(super) fn calls(ids: &[u64]) -> Entry {
    Entry { calls: ids.to_vec(), ..entry(EntryKind::Assistant, 60) }
}

pub(super) fn result(id: u64) -> Entry {
    Entry { answers: vec![id], ..entry(EntryKind::ToolResult, 80) }
}

/// A result of 5,000 tokens, 250 when distilled.
pub(super) fn bulky(id: u64) -> Entry {
    Entry { answers: vec![id], distilled_tokens: 250, ..entry(EntryKind::ToolResult, 5_000) }
}

/// `count` turns of a request, a call with a bulky result, and a reply.
pub(super) fn turns(count: u64) -> Vec<Entry> {
    (0..count).flat_map(|turn| [person(), calls(&[turn]), bulky(turn), reply()]).collect()
}

pub(super) fn request(zone: Zone, target: u64) -> CutRequest {
    CutRequest {
        zone,
        target,
        hard: target * 3,
        frozen: Frozen::default(),
        running: true,
        relevance: None,
        most_turns: None,
        force: false,
    }
}

/// What is seen from the beginning; every rule is checked.
pub(super) fn view(entries: &[Entry], running: bool) -> Vec<usize> {
    checked(entries, &Frozen::default(), running)
}

/// What is seen; every rule is checked.
pub(super) fn checked(entries: &[Entry], frozen: &Frozen, running: bool) -> Vec<usize> {
    let kept = visible(entries, frozen, running);
    assert_eq!(violations(entries, &kept, running, frozen.led), Vec::<String>::new(), "{entries:#?}");
    kept
}

/// The newest message of a person that can open a turn.
pub(super) fn newest_person(entries: &[Entry]) -> Option<usize> {
    entries
        .iter()
        .rposition(|entry| entry.kind == EntryKind::Person && entry.answers.is_empty() && !entry.ours)
}

/// One step of a random conversation. Numbers choose among the calls that were made.
#[derive(Debug, Clone)]
enum Step {
    Person,
    Reply,
    Injected,
    Other,
    Summary,
    Packet,
    /// Parallel calls.
    Calls(usize),
    /// A call under an id that was used before.
    CallAgain(usize),
    /// The result of one waiting call.
    Result(usize, u64),
    /// The results of all waiting calls, newest first.
    Results(u64),
    /// Results in one message of the user's role, with a person's words or without.
    UserResults {
        several: bool,
        person: bool,
    },
    /// A result that came already, or of a call that never was.
    Stray(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Person),
        4 => Just(Step::Reply),
        1 => Just(Step::Injected),
        1 => Just(Step::Other),
        1 => Just(Step::Summary),
        1 => Just(Step::Packet),
        5 => (1usize..4).prop_map(Step::Calls),
        1 => any::<usize>().prop_map(Step::CallAgain),
        3 => (any::<usize>(), 1u64..6_000).prop_map(|(which, tokens)| Step::Result(which, tokens)),
        5 => (1u64..6_000).prop_map(Step::Results),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(several, person)| Step::UserResults { several, person }),
        1 => (0u64..40).prop_map(Step::Stray),
    ]
}

/// A random conversation of up to `len` steps: parallel calls, results late, reversed, twice or never, results in the
/// user's role, ids used again, summaries, injected texts and packets anywhere.
pub(super) fn conversation(len: usize) -> impl Strategy<Value = Vec<Entry>> {
    proptest::collection::vec(step(), 0..len).prop_map(|steps| play(&steps))
}

/// Plays a conversation that no result reaches after the person has spoken again.
pub(super) fn punctual(len: usize) -> impl Strategy<Value = Vec<Entry>> {
    proptest::collection::vec(step(), 0..len).prop_map(|steps| {
        let mut open = HashSet::new();
        let mut entries = play(&steps);
        entries.retain(|entry| {
            if entry.kind == EntryKind::Person && entry.answers.is_empty() {
                open.clear();
            }
            let waited = entry.answers.iter().all(|id| open.contains(id));
            open.extend(entry.calls.iter().copied());
            waited
        });
        entries
    })
}

fn play(steps: &[Step]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut waiting: Vec<u64> = Vec::new();
    let mut next = 0u64;
    let sized = |id: u64, tokens: u64| Entry {
        tokens,
        distilled_tokens: if tokens > 500 { 250 } else { tokens },
        ..result(id)
    };
    for step in steps {
        match *step {
            Step::Person => entries.push(person()),
            Step::Reply => entries.push(reply()),
            Step::Injected => entries.push(injected()),
            Step::Other => entries.push(other()),
            Step::Summary => entries.push(summary()),
            Step::Packet => entries.push(packet()),
            Step::Calls(count) => {
                let ids: Vec<u64> = (next..next + count as u64).collect();
                next += count as u64;
                waiting.extend(&ids);
                entries.push(calls(&ids));
            }
            Step::CallAgain(which) if next > 0 => {
                let id = which as u64 % next;
                waiting.push(id);
                entries.push(calls(&[id]));
            }
            Step::Result(which, tokens) if !waiting.is_empty() => {
                let id = waiting.remove(which % waiting.len());
                entries.push(sized(id, tokens));
            }
            Step::Results(tokens) => entries.extend(waiting.drain(..).rev().map(|id| sized(id, tokens))),
            Step::UserResults { several, person: speaks } if !waiting.is_empty() => {
                let count = if several { waiting.len() } else { 1 };
                let kind = if speaks { EntryKind::Person } else { EntryKind::Injected };
                entries.push(Entry { kind, answers: waiting.drain(..count).collect(), ..injected() });
            }
            Step::Stray(id) => entries.push(result(id)),
            Step::CallAgain(_) | Step::Result(..) | Step::UserResults { .. } => {}
        }
    }
    entries
}
