//! Which entries of a tree are the conversation: the path from the root to the entry that was appended last.
//!
//! Built in a first pass that reads ids only. While it is built it holds about 60 bytes for each entry; afterwards
//! one bit for each line and one pair of numbers for each compaction.

use serde_json::{Map, Value};
use siphasher::sip::SipHasher13;
use std::collections::HashMap;
use std::hash::Hasher;

use super::fields::text;

struct Node {
    line: u64,
    parent: Option<u32>,
}

/// Collects the links of a tree in file order.
#[derive(Default)]
pub(super) struct PathBuilder {
    nodes: Vec<Node>,
    by_id: HashMap<u64, u32>,
    header: Option<u64>,
    seen_message: bool,
    relinked: u64,
    /// Entries that name another one as their parent. None at all: an export that lost its links, not a tree.
    linked: u64,
    first_kept: Vec<(u64, u64)>,
}

/// The lines of the live path.
#[derive(Default)]
pub(super) struct LivePath {
    bits: Vec<u64>,
    off_path: u64,
    relinked: u64,
    first_kept: HashMap<u64, u64>,
}

impl PathBuilder {
    /// Adds an entry. An entry can only follow one that was written before it, so there are no circles.
    pub(super) fn add(&mut self, line: u64, entry: &Map<String, Value>) {
        let kind = text(entry, "type").unwrap_or_default();
        let id = text(entry, "id").map(hash);
        if kind == "session" {
            self.header = self.header.or(id);
            return;
        }
        let previous = self.nodes.len().checked_sub(1).and_then(|last| u32::try_from(last).ok());
        let parent = match entry.get("parentId") {
            Some(Value::Null) => None,
            Some(Value::String(parent)) => self.parent(hash(parent), previous),
            // An id of a kind that is not known, or none at all: in file order.
            _ => previous,
        };
        let Ok(own) = u32::try_from(self.nodes.len()) else { return };
        if kind == "compaction"
            && let Some(kept) = text(entry, "firstKeptEntryId")
            && let Some(node) = self.by_id.get(&hash(kept)).and_then(|at| self.nodes.get(*at as usize))
        {
            self.first_kept.push((line, node.line));
        }
        self.nodes.push(Node { line, parent });
        if let Some(id) = id {
            self.by_id.insert(id, own);
        }
        self.seen_message |= kind == "message";
    }

    fn parent(&mut self, parent: u64, previous: Option<u32>) -> Option<u32> {
        if let Some(known) = self.by_id.get(&parent) {
            self.linked += 1;
            return Some(*known);
        }
        if self.header == Some(parent) {
            // OpenClaw hangs several entries below the header; before the first message they are no branches.
            return if self.seen_message { None } else { previous };
        }
        // The parent was on a damaged line, or is no entry (some exports name a tool call).
        self.relinked += u64::from(previous.is_some());
        previous
    }

    /// The path to the last entry, or with `live_only` false all entries.
    pub(super) fn finish(self, live_only: bool) -> LivePath {
        let mut path = LivePath {
            relinked: self.relinked,
            first_kept: self.first_kept.into_iter().collect(),
            ..LivePath::default()
        };
        if !live_only || self.linked == 0 {
            self.nodes.iter().for_each(|node| path.mark(node.line));
            return path;
        }
        let mut on_path: u64 = 0;
        let mut next = self.nodes.last();
        while let Some(node) = next {
            path.mark(node.line);
            on_path += 1;
            next = node.parent.and_then(|parent| self.nodes.get(parent as usize));
        }
        path.off_path = (self.nodes.len() as u64).saturating_sub(on_path);
        path
    }
}

impl LivePath {
    fn mark(&mut self, line: u64) {
        let word = (line / 64) as usize;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= 1 << (line % 64);
        }
    }

    /// The line holds an entry of the live path.
    pub(super) fn contains(&self, line: u64) -> bool {
        self.bits.get((line / 64) as usize).is_some_and(|bits| bits & (1 << (line % 64)) != 0)
    }

    /// The line of the first entry that the compaction on this line kept.
    pub(super) fn first_kept(&self, compaction: u64) -> Option<u64> {
        self.first_kept.get(&compaction).copied()
    }

    pub(super) fn off_path(&self) -> u64 {
        self.off_path
    }

    pub(super) fn relinked(&self) -> u64 {
        self.relinked
    }
}

/// 64 bits for an id: with a million entries the odds of two alike are 1 in 30 million.
fn hash(id: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(id.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn live(entries: &[Value]) -> (Vec<u64>, LivePath) {
        let mut builder = PathBuilder::default();
        for (at, entry) in entries.iter().enumerate() {
            builder.add(at as u64 + 1, entry.as_object().unwrap());
        }
        let path = builder.finish(true);
        ((1..=entries.len() as u64).filter(|line| path.contains(*line)).collect(), path)
    }

    fn entry(id: &str, parent: Value) -> Value {
        json!({"type": "message", "id": id, "parentId": parent})
    }

    #[test]
    fn only_the_path_to_the_last_entry_is_live() {
        let entries = [
            json!({"type": "session", "id": "s"}),
            entry("a", Value::Null),
            entry("b", json!("a")),
            entry("left", json!("b")),
            entry("c", json!("b")),
        ];
        let (lines, path) = live(&entries);
        assert_eq!(lines, [2, 3, 5]);
        assert_eq!((path.off_path(), path.relinked()), (1, 0));
    }

    #[test]
    fn an_unknown_parent_means_the_entry_before() {
        let entries = [entry("a", Value::Null), entry("b", json!("a")), entry("c", json!("tool-call-7"))];
        let (lines, path) = live(&entries);
        assert_eq!(lines, [1, 2, 3]);
        assert_eq!(path.relinked(), 1);
    }

    #[test]
    fn entries_below_the_header_are_branches_only_after_the_first_message() {
        let head = json!({"type": "session", "id": "s"});
        let model = json!({"type": "model_change", "id": "m", "parentId": "s"});
        let entries =
            [head, model, entry("a", json!("s")), entry("b", json!("a")), entry("anew", json!("s"))];
        assert_eq!(live(&entries[..4]).0, [2, 3, 4]);
        assert_eq!(live(&entries).0, [5]);
    }

    #[test]
    fn entries_without_any_link_are_in_file_order() {
        let flat = [entry("a", Value::Null), entry("b", Value::Null), entry("c", Value::Null)];
        assert_eq!(live(&flat).0, [1, 2, 3]);
        let head = json!({"type": "session", "id": "s"});
        assert_eq!(live(&[head, entry("a", json!("s")), entry("b", json!("s"))]).0, [2, 3]);
    }

    #[test]
    fn the_first_kept_entry_of_a_compaction_is_found() {
        let compaction = json!({"type": "compaction", "id": "c", "parentId": "b", "firstKeptEntryId": "b"});
        let (_, path) = live(&[entry("a", Value::Null), entry("b", json!("a")), compaction]);
        assert_eq!(path.first_kept(3), Some(2));
        assert_eq!(path.first_kept(2), None);
    }

    proptest! {
        #[test]
        fn any_links_end_and_contain_the_last_entry(
            links in proptest::collection::vec((0u8..12, proptest::option::of(0u8..12)), 1..40),
        ) {
            let entries: Vec<Value> =
                links.iter().map(|(id, parent)| entry(&id.to_string(), json!(parent.map(|p| p.to_string())))).collect();
            let (lines, path) = live(&entries);
            prop_assert_eq!(lines.last().copied(), Some(entries.len() as u64));
            let off_path = entries.len() - lines.len();
            prop_assert_eq!(path.off_path(), off_path as u64);
        }
    }
}
