//! The view: what holds on a path, computed from the facts and from nothing else (DESIGN section 4). The same facts in
//! any order give the same view.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::book::{Ledger, reopens};
use super::compare::{Comparison, compare_prepared};
use super::fact::{Entry, Kind, Place, Source, Status, TaskState};
use super::index::{Index, Known, Slot};
use super::live::LivePath;
use super::trust::{family, may_supersede, meets, plans_after_done};
use crate::text::fold;

/// Most decisions that a snapshot or checkpoint carries (DESIGN section 4).
pub const MAX_DECISIONS: usize = 50;
/// Most open items that a snapshot or checkpoint carries.
pub const MAX_OPEN_ITEMS: usize = 50;

/// Entries that say the same, as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The clearest wording.
    pub entry: Entry,
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

    pub(super) fn of(ledger: &Ledger, live: &LivePath) -> Self {
        let mut entries: Vec<(OrderKey<'_>, &Entry, &Arc<Known>)> = ledger
            .facts()
            .filter_map(|fact| match fact {
                super::Fact::Entry(entry) if live.counts(entry) => Some(entry),
                _ => None,
            })
            .filter_map(|entry| Some((order_key(entry), entry, ledger.known(&entry.id)?)))
            .collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut clusters = Clusters {
            ledger,
            live,
            list: Vec::new(),
            of_entry: HashMap::new(),
            index: Index::default(),
            wordings: Vec::new(),
        };
        for (order, (_, entry, known)) in entries.into_iter().enumerate() {
            clusters.take(order, entry, known);
        }
        clusters.finish()
    }
}

/// Place, trust, kind, folded text, id: never arrival or clock.
type OrderKey<'a> = (Place, Source, Kind, String, &'a str);

fn order_key(entry: &Entry) -> OrderKey<'_> {
    (entry.place, entry.source, entry.kind, fold(&entry.text), &entry.id)
}

/// Entries that say the same.
struct Cluster<'a> {
    wording: &'a Entry,
    known: &'a Arc<Known>,
    members: Vec<&'a Entry>,
    /// Order number of the last member.
    latest: usize,
    trust: Source,
    /// Number of the cluster that replaced it, or the id of a buried entry.
    replaced: Option<Result<usize, String>>,
    conflicts: BTreeSet<usize>,
}

struct Clusters<'a> {
    ledger: &'a Ledger,
    live: &'a LivePath,
    list: Vec<Cluster<'a>>,
    of_entry: HashMap<&'a str, usize>,
    index: Index,
    /// The cluster and entry of each slot of the index. A wording that was overtaken stays in the index, unused.
    wordings: Vec<(usize, &'a str)>,
}

impl<'a> Clusters<'a> {
    fn take(&mut self, order: usize, entry: &'a Entry, known: &'a Arc<Known>) {
        let mut same: Option<usize> = None;
        let (mut replaced, mut contradicted) = (self.replaced_by_facts(entry), Vec::new());
        for slot in self.index.candidates(&known.signature) {
            let Some(&(number, id)) = self.wordings.get(slot as usize) else { continue };
            let Some(cluster) = self.list.get(number).filter(|c| c.wording.id == id && c.replaced.is_none())
            else {
                continue;
            };
            if !meets(entry.kind, cluster.wording.kind) {
                continue;
            }
            let verdict = compare_prepared(&cluster.known.prepared, &known.prepared);
            match verdict.comparison {
                Comparison::Duplicate if cluster.wording.kind == entry.kind => {
                    let later = |n: usize| self.list.get(n).is_none_or(|c| c.latest < cluster.latest);
                    if same.is_none_or(later) {
                        same = Some(number);
                    }
                }
                Comparison::Conflict
                    if verdict.supersedes()
                        && may_supersede(entry.source, cluster.trust)
                        && !plans_after_done(cluster.wording, entry) =>
                {
                    replaced.push(number)
                }
                Comparison::Conflict if family(cluster.wording.kind) == family(entry.kind) => {
                    contradicted.push(number)
                }
                _ => {}
            }
        }
        let number = same.filter(|n| !replaced.contains(n)).unwrap_or(self.list.len());
        self.join(number, order, entry, known);
        for other in replaced.into_iter().filter(|other| *other != number) {
            if let Some(cluster) = self.list.get_mut(other) {
                cluster.replaced = cluster.replaced.take().or(Some(Ok(number)));
            }
        }
        for other in contradicted.into_iter().filter(|other| *other != number) {
            for (from, to) in [(other, number), (number, other)] {
                if let Some(cluster) = self.list.get_mut(from) {
                    cluster.conflicts.insert(to);
                }
            }
        }
    }

    /// Clusters that stored supersessions by `entry` replace. A stored fact about an entry that was said again since
    /// replaces what is older than itself only.
    fn replaced_by_facts(&self, entry: &Entry) -> Vec<usize> {
        self.ledger
            .replaced_by(&entry.id)
            .filter(|older| self.ledger.replacements(older, self.live).any(|s| s.newer == entry.id))
            .filter_map(|older| self.of_entry.get(older).copied())
            .filter(|number| {
                self.list
                    .get(*number)
                    .is_some_and(|c| c.replaced.is_none() && may_supersede(entry.source, c.trust))
            })
            .collect()
    }

    fn join(&mut self, number: usize, order: usize, entry: &'a Entry, known: &'a Arc<Known>) {
        self.of_entry.insert(&entry.id, number);
        let buried =
            self.ledger.replacements(&entry.id, self.live).find(|s| self.ledger.entry(&s.newer).is_none());
        match self.list.get_mut(number) {
            Some(cluster) => {
                cluster.members.push(entry);
                cluster.latest = order;
                cluster.trust = cluster.trust.max(entry.source);
                if !is_clearer(entry, known, cluster) {
                    return;
                }
                cluster.wording = entry;
                cluster.known = known;
            }
            None => self.list.push(Cluster {
                wording: entry,
                known,
                members: vec![entry],
                latest: order,
                trust: entry.source,
                replaced: buried.map(|s| Err(s.newer.clone())),
                conflicts: BTreeSet::new(),
            }),
        }
        if let Ok(slot) = Slot::try_from(self.wordings.len()) {
            self.index.add(slot, &known.signature);
            self.wordings.push((number, &entry.id));
        }
    }

    fn finish(self) -> View {
        let wording = |number: &usize| self.list.get(*number).map(|c| c.wording.id.clone());
        let statuses: Vec<Status> = self
            .list
            .iter()
            .map(|cluster| match &cluster.replaced {
                Some(Ok(number)) => Status::Superseded(wording(number).unwrap_or_default()),
                Some(Err(id)) => Status::Superseded(id.clone()),
                None => self.settled(cluster).unwrap_or(Status::Active),
            })
            .collect();
        let holds = |number: &usize| statuses.get(*number) == Some(&Status::Active);
        let mut items: Vec<(usize, Item)> = self
            .list
            .iter()
            .zip(&statuses)
            .map(|(cluster, status)| {
                let conflicts = cluster
                    .conflicts
                    .iter()
                    .filter(|n| *status == Status::Active && holds(n))
                    .filter_map(wording);
                let item = Item {
                    entry: cluster.wording.clone(),
                    members: cluster.members.iter().map(|e| e.id.clone()).collect(),
                    latest: cluster.members.last().map(|e| e.place).unwrap_or_default(),
                    trust: cluster.trust,
                    status: status.clone(),
                    task: cluster.members.last().and_then(|e| e.task),
                    conflicts: conflicts.collect(),
                };
                (cluster.latest, item)
            })
            .collect();
        items.sort_by_key(|(latest, _)| *latest);
        View { items: items.into_iter().map(|(_, item)| item).collect() }
    }

    /// How a cluster was settled, if nobody entitled to reopen it said it again since.
    fn settled(&self, cluster: &Cluster<'_>) -> Option<Status> {
        // What was taken back comes back only from those who are trusted as much.
        let reopened = |withdrawn_by: Option<Source>| {
            let again = |e: &&&Entry| reopens(e.source) && withdrawn_by.is_none_or(|by| e.source >= by);
            cluster.members.iter().rev().find(again).or(cluster.members.first()).map(|e| e.place)
        };
        let done = cluster
            .members
            .iter()
            .rev()
            .find(|e| e.task == Some(TaskState::Done))
            .map(|e| (e.place, e.text.clone(), None));
        let resolved = cluster
            .members
            .iter()
            .flat_map(|e| self.ledger.resolutions_of(e, self.live))
            .map(|r| (r.place, r.how.clone(), r.withdrawn_by));
        done.into_iter()
            .chain(resolved)
            .filter(|(place, _, by)| Some(*place) >= reopened(*by))
            .max()
            .map(|(_, how, by)| if by.is_some() { Status::Withdrawn(how) } else { Status::Resolved(how) })
    }
}

/// Most characters of a wording that may replace another because it says more.
const CLEAR_CHARS: usize = 200;

/// Whether a new wording says more than the present one, and not at length.
fn is_clearer(entry: &Entry, known: &Known, cluster: &Cluster<'_>) -> bool {
    let length = |e: &Entry| e.text.chars().count();
    let said = |k: &Known| k.signature.content();
    length(entry) <= CLEAR_CHARS
        && (said(known) > said(cluster.known) || length(cluster.wording) > CLEAR_CHARS)
}

impl Ledger {
    /// Where the entry that `text` names (its id, or its words in whatever form) came from and what became of it on
    /// `live`; `None` if there is none.
    pub fn explain(&self, text: &str, live: &LivePath) -> Option<Explanation> {
        let view = self.view(live);
        let asked = Known::new(text);
        let members = view.items.iter().rev().flat_map(|item| item.members.iter().map(move |id| (item, id)));
        let likeness = |id: &str| match self.known(id) {
            _ if id == text => 3,
            Some(known) if known.prepared.says_literally(&asked.prepared) => 2,
            Some(known) => u8::from(
                compare_prepared(&known.prepared, &asked.prepared).comparison == Comparison::Duplicate,
            ),
            None => 0,
        };
        // The newest of the most alike: members come newest first.
        let (item, id, _) = members
            .map(|(item, id)| (item, id, likeness(id)))
            .filter(|(.., l)| *l > 0)
            .reduce(|best, next| if next.2 > best.2 { next } else { best })?;
        let entry = self.entry(id)?;
        let by = match &item.status {
            Status::Active => None,
            Status::Superseded(newer) => {
                Some(self.entry(newer).map_or_else(|| newer.clone(), |e| e.text.clone()))
            }
            Status::Resolved(how) | Status::Withdrawn(how) => Some(how.clone()),
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
