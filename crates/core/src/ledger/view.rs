//! The view: what holds on a path, computed from the facts and from nothing else (DESIGN section 4). The same facts in
//! any order give the same view.

use std::sync::Arc;

use super::book::Ledger;
use super::compare::{Comparison, compare_prepared};
use super::fact::{Entry, Kind, Place, Source, Status, TaskState};
use super::index::Known;
use super::live::LivePath;
use super::texts::read;

/// Most decisions that a snapshot or checkpoint carries (DESIGN section 4).
pub const MAX_DECISIONS: usize = 50;
/// Most open items that a snapshot or checkpoint carries.
pub const MAX_OPEN_ITEMS: usize = 50;

/// Entries that say the same, as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The clearest wording.
    pub entry: Arc<Entry>,
    /// Ids of all entries that say it, oldest first.
    pub members: Vec<String>,
    /// Where it was said last.
    pub latest: Place,
    /// Who said it, at its most trusted.
    pub trust: Source,
    /// Whether it holds.
    pub status: Status,
    /// For tasks: the state in which it was said last.
    pub task: Option<TaskState>,
    /// Ids ([`Item::entry`]) of items that hold as well and contradict it.
    pub conflicts: Vec<String>,
}

impl Item {
    /// Whether it holds.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }
}

/// What holds, what was replaced and what is settled; newest last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// All items of the path, whatever their status, in the order in which they were said last.
    pub items: Vec<Item>,
}

/// Where an entry came from and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Id of the entry that was found.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Who said it.
    pub source: Source,
    /// What became of it.
    pub status: Status,
    /// The words that replaced it, or in which it was settled.
    pub by: Option<String>,
}

impl View {
    /// Items of this kind that hold, newest last.
    pub fn active(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &Item> {
        self.items.iter().filter(move |item| item.entry.kind == kind && item.is_active())
    }

    /// The item that this entry is part of.
    pub fn item_of(&self, id: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.members.iter().any(|member| member == id))
    }

    /// The words that replaced an item, or took it back.
    pub fn replaced_by(&self, item: &Item) -> Option<String> {
        match &item.status {
            Status::Superseded(by) => {
                Some(self.item_of(by).map_or_else(|| by.clone(), |newer| newer.entry.text.clone()))
            }
            Status::Withdrawn(by) => Some(by.clone()),
            Status::Active | Status::Resolved(_) => None,
        }
    }

    /// How many items were replaced.
    pub fn superseded(&self) -> usize {
        self.items.iter().filter(|item| matches!(item.status, Status::Superseded(_))).count()
    }

    /// At most `cap` items of this kind, newest last: the oldest resolved ones are left out first, then the oldest
    /// superseded ones, then the oldest that hold. The newest stays whatever the cap.
    pub fn within(&self, kind: Kind, cap: usize) -> Vec<&Item> {
        let mut items: Vec<&Item> = self.items.iter().filter(|item| item.entry.kind == kind).collect();
        let mut excess = items.len().saturating_sub(cap.max(1));
        let newest = items.last().map(|item| item.entry.id.clone());
        let classes: [fn(&Status) -> bool; 3] = [
            |s| matches!(s, Status::Resolved(_) | Status::Withdrawn(_)),
            |s| matches!(s, Status::Superseded(_)),
            |s| matches!(s, Status::Active),
        ];
        for class in classes {
            items.retain(|item| {
                let leaves = excess > 0 && class(&item.status) && Some(&item.entry.id) != newest.as_ref();
                excess -= usize::from(leaves);
                !leaves
            });
        }
        items
    }
}

impl Ledger {
    /// Where the entry that `text` names (its id, its words in whatever form, or some of them in a row) came from and what
    /// became of it on `live`; `None` if there is none.
    pub fn explain(&self, text: &str, live: &LivePath) -> Option<Explanation> {
        let view = self.view(live);
        let asked = Known::new(text);
        let members = view.items.iter().rev().flat_map(|item| item.members.iter().map(move |id| (item, id)));
        let likeness = |id: &str| match self.entry(id).map(read) {
            _ if id == text => 4,
            Some(known) if known.prepared.says_literally(&asked.prepared) => 3,
            Some(known)
                if compare_prepared(&known.prepared, &asked.prepared).comparison == Comparison::Duplicate =>
            {
                2
            }
            Some(known) => u8::from(known.prepared.quotes(&asked.prepared)),
            None => 0,
        };
        // The newest of the most alike: members come newest first.
        let (item, id, _) = members
            .map(|(item, id)| (item, id, likeness(id)))
            .filter(|(.., l)| *l > 0)
            .reduce(|best, next| {
                // Work that is done may have been a decision besides, which holds.
                let holds = next.2 == best.2 && next.0.is_active() && !best.0.is_active();
                let same = next.0.entry.place == best.0.entry.place;
                if next.2 > best.2 || holds && same { next } else { best }
            })?;
        let entry = self.entry(id)?;
        let by = match &item.status {
            Status::Active => None,
            Status::Superseded(newer) => {
                Some(self.entry(newer).map_or_else(|| newer.clone(), |e| e.text.clone()))
            }
            // Work that was reported done in its own words was settled by nothing else.
            Status::Resolved(how) | Status::Withdrawn(how) => (*how != entry.text).then(|| how.clone()),
        };
        Some(Explanation {
            id: id.clone(),
            text: entry.text.clone(),
            source: entry.source,
            status: item.status.clone(),
            by,
        })
    }
}
