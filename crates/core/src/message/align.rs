//! Aligning the host's array of messages with what is known (DESIGN section 3, Alignment): what is new, what was
//! rewound, whether the host compacted. It is an alignment of sequences, not a set: "continue" said twice is two
//! messages, while a message that the host itself names (by tool call or time) is one, whatever became of its text.

use super::Key;
use std::collections::{HashMap, HashSet};

/// New messages in front of a kept end that are looked past: summaries and what a host puts beside them.
const HEAD_LOOKED_PAST: usize = 8;

/// What a message of the array is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The known message with this ordinal; messages count from 1.
    Known(u64),
    /// Not seen before.
    New,
    /// Of an earlier generation: never captured again.
    Old,
}

/// A message of the host's array by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incoming {
    /// Its light key.
    pub key: Key,
    /// A host's own summary of dropped history: it stands in front of what it follows.
    pub is_summary: bool,
}

/// The messages of the running generation, by ordinal, and the names of earlier ones.
#[derive(Debug, Clone, Default)]
pub struct Known {
    messages: Vec<Incoming>,
    named: HashMap<u64, u64>,
    earlier: HashSet<u64>,
}

impl Known {
    /// Adds the next message and returns its ordinal.
    pub fn push(&mut self, message: Incoming) -> u64 {
        self.messages.push(message);
        let ordinal = self.messages.len() as u64;
        if message.key.strong {
            self.named.entry(message.key.hash).or_insert(ordinal);
        }
        ordinal
    }

    /// Number of messages, which is the newest ordinal.
    pub fn len(&self) -> u64 {
        self.messages.len() as u64
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The message with this ordinal.
    pub fn get(&self, ordinal: u64) -> Option<Incoming> {
        self.messages.get(usize::try_from(ordinal.checked_sub(1)?).ok()?).copied()
    }

    /// The ordinal of a message that its host names.
    pub fn named(&self, key: Key) -> Option<u64> {
        if key.strong { self.named.get(&key.hash).copied() } else { None }
    }

    /// A new generation: what was known stays known by name only.
    pub fn start_over(&mut self) {
        self.earlier.extend(self.named.keys());
        self.messages.clear();
        self.named.clear();
    }

    /// Adds a name of an earlier generation.
    pub fn push_earlier(&mut self, hash: u64) {
        self.earlier.insert(hash);
    }

    /// Whether an earlier generation had this message.
    pub fn is_of_earlier_generation(&self, key: Key) -> bool {
        key.strong && self.earlier.contains(&key.hash)
    }

    fn lookup(&self, key: Key) -> Option<Slot> {
        match self.named(key) {
            Some(ordinal) => Some(Slot::Known(ordinal)),
            None => self.is_of_earlier_generation(key).then_some(Slot::Old),
        }
    }
}

/// What an array says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// How much of the previous array stays in front.
    pub keep: usize,
    /// What each message after that is.
    pub slots: Vec<Slot>,
    /// The live path ends before this ordinal: everything from it on is rewound.
    pub rewound_from: Option<u64>,
    /// Messages that the rewind takes off the path.
    pub rewound: u64,
    /// Known messages that are on the path again, ascending.
    pub restored: Vec<u64>,
    /// The head of what was visible is gone: the host compacted.
    pub host_compacted: bool,
}

impl Alignment {
    /// Messages to capture.
    pub fn added(&self) -> usize {
        self.slots.iter().filter(|slot| **slot == Slot::New).count()
    }
}

/// What alignment goes by.
pub struct Aligner<'a> {
    /// What is known.
    pub known: &'a Known,
    /// Whether a message lies on the live path.
    pub on_path: &'a dyn Fn(u64) -> bool,
    /// The array as it was, with what each of its messages is.
    pub previous: &'a [(Key, Slot)],
    /// The first message that the host still had after its last compaction that is known; 0 or 1: none was seen.
    pub host_floor: u64,
    /// The caller says that this array replaces what went before (a branch, an edit).
    pub rewind: bool,
}

impl std::fmt::Debug for Aligner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Aligner").field("previous", &self.previous.len()).finish_non_exhaustive()
    }
}

impl Aligner<'_> {
    /// Aligns the array whose first `keep` messages are those of the previous one and whose others are `incoming`.
    pub fn align(&self, keep: usize, incoming: &[Incoming]) -> Alignment {
        let keep = keep.min(self.previous.len());
        let more = incoming
            .iter()
            .zip(self.previous.iter().skip(keep))
            .take_while(|(new, (old, _))| new.key == *old)
            .count();
        let rest = incoming.get(more..).unwrap_or_default();
        let keep = keep + more;
        let last_kept = self.last_known(keep);
        let mut result = if self.previous.len() == keep && !self.previous.is_empty() {
            Alignment { slots: self.appended(last_kept, rest), ..Alignment::default() }
        } else {
            self.changed(keep, last_kept, rest)
        };
        result.keep = keep;
        let mut restored: Vec<u64> = result
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Known(ordinal) => Some(*ordinal),
                _ => None,
            })
            .filter(|ordinal| {
                !(self.on_path)(*ordinal) || result.rewound_from.is_some_and(|from| *ordinal >= from)
            })
            .collect();
        restored.sort_unstable();
        restored.dedup();
        result.restored = restored;
        result
    }

    /// The last message of the line among those that stay in front. A summary came after what it stands before: behind it
    /// alone begins what the host still had.
    fn last_known(&self, keep: usize) -> u64 {
        let kept = self.previous.get(..keep).unwrap_or_default();
        let known = |(_, slot): &(Key, Slot)| match slot {
            Slot::Known(ordinal) => Some(*ordinal).filter(|ordinal| !self.is_summary(*ordinal)),
            _ => None,
        };
        let behind_summaries = if kept.is_empty() { 0 } else { self.host_floor.saturating_sub(1) };
        kept.iter().rev().find_map(known).unwrap_or(behind_summaries)
    }

    fn is_summary(&self, ordinal: u64) -> bool {
        self.known.get(ordinal).is_some_and(|message| message.is_summary)
    }

    /// The next message of the live path that is no summary.
    fn next_on_path(&self, ordinal: u64) -> Option<u64> {
        (ordinal + 1..=self.known.len()).find(|next| self.is_in_line(*next))
    }

    fn is_in_line(&self, ordinal: u64) -> bool {
        (self.on_path)(ordinal) && self.known.get(ordinal).is_some_and(|message| !message.is_summary)
    }

    /// Slots of messages that follow the message `last`.
    fn appended(&self, last: u64, rest: &[Incoming]) -> Vec<Slot> {
        let mut last = last;
        let mut going_on = true;
        rest.iter()
            .map(|message| {
                if let Some(slot) = self.known.lookup(message.key) {
                    if let Slot::Known(ordinal) = slot {
                        last = last.max(ordinal);
                    }
                    return slot;
                }
                let next = if message.key.strong || !going_on { None } else { self.next_on_path(last) };
                match next.filter(|next| self.known.get(*next).is_some_and(|known| known.key == message.key))
                {
                    Some(next) => {
                        last = next;
                        Slot::Known(next)
                    }
                    None => {
                        going_on = going_on && message.key.strong;
                        Slot::New
                    }
                }
            })
            .collect()
    }

    /// The array lost something, or is the first one.
    fn changed(&self, keep: usize, last_kept: u64, rest: &[Incoming]) -> Alignment {
        let line: Vec<u64> =
            (last_kept + 1..=self.known.len()).filter(|ordinal| self.is_in_line(*ordinal)).collect();
        if rest.is_empty() {
            // An empty array says nothing about what went before; a shorter one is a rewind.
            return if keep == 0 && !self.rewind {
                Alignment::default()
            } else {
                self.rewound(Vec::new(), &line, None)
            };
        }
        let mut slots: Vec<Slot> =
            rest.iter().map(|message| self.known.lookup(message.key).unwrap_or(Slot::New)).collect();
        let named = slots.iter().any(|slot| matches!(slot, Slot::Known(_)));
        if named {
            self.fill_between(&line, rest, &mut slots);
        } else {
            self.align_unnamed(&line, rest, &mut slots);
        }
        let place = |ordinal: u64| line.binary_search(&ordinal).ok();
        let matched: HashSet<usize> = slots
            .iter()
            .filter_map(|slot| if let Slot::Known(ordinal) = slot { place(*ordinal) } else { None })
            .collect();
        let last =
            slots.iter().rev().find_map(|slot| if let Slot::Known(o) = slot { place(*o) } else { None });
        let Some(last) = last else {
            if keep > 0 || self.rewind {
                return self.rewound(slots, &line, None);
            }
            let host_compacted = line.iter().any(|ordinal| *ordinal >= self.host_floor);
            return Alignment { slots, host_compacted, ..Alignment::default() };
        };
        let gone: Vec<u64> = line
            .iter()
            .take(last)
            .enumerate()
            .filter(|(index, ordinal)| !matched.contains(index) && **ordinal >= self.host_floor)
            .map(|(_, ordinal)| *ordinal)
            .collect();
        let new_summary = rest.iter().zip(&slots).any(|(m, slot)| m.is_summary && *slot == Slot::New);
        let was_visible = |ordinal: &u64| {
            self.previous.is_empty() || self.previous.iter().any(|(_, slot)| *slot == Slot::Known(*ordinal))
        };
        let head_gone = keep == 0 && !matched.contains(&0);
        let mut result = self.rewound(slots, &line, Some((last, &matched)));
        result.host_compacted = (head_gone || new_summary) && gone.iter().any(was_visible);
        result
    }

    /// The end of the line after `last` that the array does not have any more leaves the path.
    fn rewound(&self, slots: Vec<Slot>, line: &[u64], kept: Option<(usize, &HashSet<usize>)>) -> Alignment {
        let (from, empty) = (kept.map_or(0, |(last, _)| last + 1), HashSet::new());
        let matched = kept.map_or(&empty, |(_, matched)| matched);
        let gone: Vec<u64> = line
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(index, _)| !matched.contains(index))
            .map(|(_, ordinal)| *ordinal)
            .collect();
        Alignment {
            slots,
            rewound_from: gone.first().copied(),
            rewound: gone.len() as u64,
            ..Alignment::default()
        }
    }

    /// Messages without a name that stand beside a named one, as they do in the line.
    fn fill_between(&self, line: &[u64], rest: &[Incoming], slots: &mut [Slot]) {
        let fits = |place: Option<usize>, index: usize| {
            let ordinal = *line.get(place?)?;
            let same = self.known.get(ordinal)?.key == rest.get(index)?.key;
            same.then_some(ordinal)
        };
        let place = |slot: Option<&Slot>| match slot {
            Some(Slot::Known(ordinal)) => line.binary_search(ordinal).ok(),
            _ => None,
        };
        for index in 0..slots.len() {
            if slots.get(index) == Some(&Slot::New) {
                let before = match index.checked_sub(1) {
                    Some(before) => place(slots.get(before)).map(|at| at + 1),
                    None => Some(0),
                };
                if let (Some(ordinal), Some(slot)) = (fits(before, index), slots.get_mut(index)) {
                    *slot = Slot::Known(ordinal);
                }
            }
        }
        for index in (0..slots.len()).rev() {
            if slots.get(index) == Some(&Slot::New) {
                let after = place(slots.get(index + 1)).and_then(|at| at.checked_sub(1));
                if let Some(ordinal) = fits(after, index)
                    && !slots.contains(&Slot::Known(ordinal))
                    && let Some(slot) = slots.get_mut(index)
                {
                    *slot = Slot::Known(ordinal);
                }
            }
        }
    }

    /// Nobody has a name: the same start, or a kept end behind something new.
    fn align_unnamed(&self, line: &[u64], rest: &[Incoming], slots: &mut [Slot]) {
        let keys: Vec<Key> = line.iter().filter_map(|o| self.known.get(*o)).map(|m| m.key).collect();
        let new: Vec<Key> = rest.iter().map(|message| message.key).collect();
        let start = keys.iter().zip(&new).take_while(|(known, new)| known == new).count();
        for (slot, ordinal) in slots.iter_mut().zip(line.iter().take(start)) {
            *slot = Slot::Known(*ordinal);
        }
        let beyond = keys.get(start..).unwrap_or_default();
        let head_is_summary = rest.get(start).is_some_and(|message| message.is_summary);
        if beyond.is_empty() || (start > 0 && !head_is_summary) {
            return;
        }
        for skipped in start..new.len().min(start + HEAD_LOOKED_PAST) {
            let end = new.get(skipped..).unwrap_or_default();
            let (length, stop) = overlap(beyond, end);
            // One short text that happens to come again is no kept end.
            if length >= 2 || (length == 1 && (head_is_summary || length == end.len())) {
                let first = start + stop - length;
                for (slot, ordinal) in
                    slots.iter_mut().skip(skipped).zip(line.iter().skip(first).take(length))
                {
                    *slot = Slot::Known(*ordinal);
                }
                return;
            }
        }
    }
}

/// The longest start of `incoming` that is an end of `known`, or all of it where it stands anywhere in `known`: its
/// length, and where in `known` it ends. One pass over both.
pub(super) fn overlap(known: &[Key], incoming: &[Key]) -> (usize, usize) {
    let mut borders = vec![0usize; incoming.len()];
    let mut length = 0usize;
    for index in 1..incoming.len() {
        while length > 0 && incoming.get(index) != incoming.get(length) {
            length = borders.get(length - 1).copied().unwrap_or(0);
        }
        if incoming.get(index) == incoming.get(length) {
            length += 1;
        }
        if let Some(border) = borders.get_mut(index) {
            *border = length;
        }
    }
    let mut matched = 0usize;
    for (index, key) in known.iter().enumerate() {
        while matched > 0 && incoming.get(matched) != Some(key) {
            matched = borders.get(matched - 1).copied().unwrap_or(0);
        }
        if incoming.get(matched) == Some(key) {
            matched += 1;
        }
        if matched == incoming.len() {
            return (matched, index + 1);
        }
    }
    (matched, known.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use proptest::prelude::*;

    /// `12` is the message of second 12, `"a"` one without a time, `"S"` a summary, `"S12"` one with a time.
    fn message(word: &str) -> Incoming {
        let mut message = Message::user(word);
        message.timestamp = word.trim_start_matches('S').parse().ok();
        Incoming { key: message.key(), is_summary: word.starts_with('S') }
    }

    fn messages(words: &str) -> Vec<Incoming> {
        words.split_whitespace().map(message).collect()
    }

    struct Session {
        known: Known,
        off: Vec<u64>,
        array: Vec<(Key, Slot)>,
        host_floor: u64,
    }

    impl Session {
        fn new() -> Self {
            Self { known: Known::default(), off: Vec::new(), array: Vec::new(), host_floor: 0 }
        }

        fn sync(&mut self, words: &str) -> Alignment {
            self.sync_with(words, false)
        }

        fn sync_with(&mut self, words: &str, rewind: bool) -> Alignment {
            let incoming = messages(words);
            let off = self.off.clone();
            let found = Aligner {
                known: &self.known,
                on_path: &|ordinal| !off.contains(&ordinal),
                previous: &self.array,
                host_floor: self.host_floor,
                rewind,
            }
            .align(0, &incoming);
            if let Some(from) = found.rewound_from {
                self.off.extend(from..=self.known.len());
            }
            self.off.retain(|ordinal| !found.restored.contains(ordinal));
            self.array.truncate(found.keep);
            for (message, slot) in incoming.iter().skip(found.keep).zip(&found.slots) {
                let slot = match slot {
                    Slot::New => Slot::Known(self.known.push(*message)),
                    other => *other,
                };
                self.array.push((message.key, slot));
            }
            found
        }

        fn restart(&mut self) {
            self.array.clear();
        }
    }

    fn figures(found: &Alignment) -> (usize, u64, bool) {
        (found.added(), found.rewound, found.host_compacted)
    }

    fn check(arrays: &[(&str, (usize, u64, bool))]) {
        let mut session = Session::new();
        for (words, expected) in arrays {
            if *words == "restart" {
                session.restart();
                continue;
            }
            assert_eq!(figures(&session.sync(words)), *expected, "{words}");
        }
    }

    const RESTART: (&str, (usize, u64, bool)) = ("restart", (0, 0, false));

    #[test]
    fn a_longer_array_brings_its_end() {
        check(&[("1 2", (2, 0, false)), ("1 2 3", (1, 0, false)), ("1 2 3", (0, 0, false))]);
        check(&[("a b", (2, 0, false)), ("a b a b", (2, 0, false)), ("a b a b a", (1, 0, false))]);
    }

    #[test]
    fn the_whole_history_after_a_restart_changes_nothing() {
        check(&[("1 2 3", (3, 0, false)), RESTART, ("1 2 3 4", (1, 0, false))]);
        check(&[("a ok b ok", (4, 0, false)), RESTART, ("a ok b ok c", (1, 0, false))]);
    }

    #[test]
    fn a_changed_tail_is_a_rewind() {
        check(&[("1 2 3 4", (4, 0, false)), ("1 2 5", (1, 2, false))]);
        check(&[("a b c d", (4, 0, false)), ("a b e", (1, 2, false)), ("a b e f", (1, 0, false))]);
        check(&[("1 2 3", (3, 0, false)), ("1 2", (0, 1, false)), ("1 2 4", (1, 0, false))]);
        check(&[("a b c", (3, 0, false)), RESTART, ("a b", (0, 1, false))]);
    }

    #[test]
    fn a_rewound_branch_that_comes_back_is_known() {
        let mut session = Session::new();
        session.sync("1 2 3 4");
        assert_eq!(session.sync("1 2 5 6").rewound, 2);
        let back = session.sync("1 2 3 4 7");
        assert_eq!((back.added(), back.rewound, back.restored), (1, 2, vec![3, 4]));
    }

    #[test]
    fn a_head_that_is_gone_is_a_compaction_of_the_host() {
        check(&[("1 2 3 4 5", (5, 0, false)), ("S9 4 5", (1, 0, true)), ("S9 4 5 6", (1, 0, false))]);
        check(&[("1 2 3 4 5", (5, 0, false)), ("4 5 6", (1, 0, true)), RESTART, ("4 5 6", (0, 0, true))]);
        check(&[("a b c d e", (5, 0, false)), ("S d e", (1, 0, true)), ("S d e f", (1, 0, false))]);
        check(&[("a b c d e", (5, 0, false)), ("S e", (1, 0, true))]);
        check(&[("0 1 2 3 4 5", (6, 0, false)), ("0 S9 4 5", (1, 0, true))]);
    }

    #[test]
    fn a_rewind_to_a_summary_takes_off_what_the_host_still_had_and_nothing_before_it() {
        let (known, rewound) = (("S9 1", (1, 0, false)), ("S9 2", (1, 1, false)));
        check(&[("1", (1, 0, false)), known, rewound, RESTART, ("S9 2", (0, 0, false))]);
        for (first, compacted, rewound) in [("1 2 3 4 5", "S9 4 5", "S9 7"), ("a b c d e", "S d e", "S f")] {
            let mut session = Session::new();
            session.sync(first);
            assert!(session.sync(compacted).host_compacted);
            session.host_floor = 4;
            let found = session.sync(rewound);
            assert_eq!((figures(&found), found.rewound_from), ((1, 2, false), Some(4)), "{rewound}");
        }
    }

    #[test]
    fn a_single_message_that_the_host_left_out_is_no_compaction() {
        check(&[("1 2 3 4 5", (5, 0, false)), ("1 2 4 5", (0, 0, false)), ("1 2 4 5 6", (1, 0, false))]);
    }

    #[test]
    fn an_array_that_shares_nothing_is_a_new_transcript_unless_the_caller_knows_better() {
        check(&[("1 2 3", (3, 0, false)), ("7 8", (2, 0, true))]);
        let mut session = Session::new();
        session.sync("1 2 3");
        assert_eq!(figures(&session.sync_with("7 8", true)), (2, 3, false));
    }

    #[test]
    fn a_result_that_comes_twice_and_a_shortened_one_are_one_message() {
        check(&[("1 2 2 3", (4, 0, false)), ("1 2 2 3 4", (1, 0, false))]);
    }

    #[test]
    fn an_empty_array_says_nothing() {
        check(&[("1 2 3", (3, 0, false)), ("", (0, 0, false))]);
    }

    #[test]
    fn messages_of_an_earlier_generation_are_never_new() {
        let mut session = Session::new();
        session.sync("1 2 3");
        session.known.start_over();
        session.array.clear();
        let found = session.sync("1 2 3 4");
        assert_eq!(found.slots, [Slot::Old, Slot::Old, Slot::Old, Slot::New]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn appending_in_any_steps_knows_each_message_once(
            words in prop::collection::vec(prop_oneof!["[a-c]", "[1-9][0-9]{2}"], 1..40), steps in prop::collection::vec(1usize..6, 1..12),
            restarts in prop::collection::vec(any::<bool>(), 12),
        ) {
            // Names are unique: a host does not give two messages the same time.
            let mut seen = HashSet::new();
            let words: Vec<String> = words.into_iter().filter(|word| word.len() == 1 || seen.insert(word.clone())).collect();
            let mut session = Session::new();
            let mut length = 0;
            for (step, restart) in steps.iter().zip(&restarts) {
                let before = length;
                length = (length + step).min(words.len());
                let found = session.sync(&words.iter().take(length).cloned().collect::<Vec<_>>().join(" "));
                prop_assert_eq!(figures(&found), (length - before, 0, false));
                if *restart { session.restart(); }
            }
        }
    }
}
