//! How entries become the items of a view: in the order of the conversation each joins the one that says the same, and
//! replaces or contradicts others (DESIGN section 4). A session mostly grows at its end, so that what was made of the
//! entries before is kept, and only the new ones are taken.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::book::{Ledger, reopens};
use super::compare::{Comparison, compare_prepared};
use super::fact::{Entry, Fact, Kind, Place, Source, Status, TaskState};
use super::index::Known;
use super::live::LivePath;
use super::texts::read;
use super::trust::{family, may_supersede, meets, stands_beside};
use super::view::{Item, View};
use crate::text::fold;

/// What a ledger keeps of its last view. A copy begins without it.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Option<Grown>>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The clusters of one path, as far as they were taken.
#[derive(Debug)]
struct Grown {
    live: LivePath,
    clusters: Clusters,
    /// The last entry that was taken, and how many there were.
    last: Option<OrderKey>,
    taken: usize,
    /// Ids of entries that came since.
    coming: Vec<String>,
    /// As long as nothing came.
    view: Option<Arc<View>>,
}

impl Kept {
    /// A fact was added that was not there.
    pub(super) fn add(&mut self, fact: &Fact) {
        let slot = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(grown) = slot else { return };
        grown.view = None;
        match fact {
            Fact::Entry(entry) => grown.coming.push(entry.id.clone()),
            Fact::Supersession(s) if grown.has_passed(&s.older, &s.newer) => *slot = None,
            Fact::Supersession(_) | Fact::Resolution(_) => {}
        }
    }

    /// A fact was changed or removed.
    pub(super) fn forget(&mut self) {
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The view of `ledger`, whose facts were all added here or are to be read anew.
    pub(super) fn view(&self, ledger: &Ledger, live: &LivePath) -> Arc<View> {
        let mut slot: MutexGuard<'_, Option<Grown>> = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = Facts { ledger, live };
        let mut grown = match slot.take().filter(|grown| grown.live == *live) {
            Some(mut grown) => {
                let coming = std::mem::take(&mut grown.coming);
                let entries = facts.in_order(coming.iter().filter_map(|id| ledger.entry(id)));
                let goes_on = entries.first().is_none_or(|first| Some(&first.0) > grown.last.as_ref());
                if goes_on {
                    grown.take(facts, entries);
                    grown
                } else {
                    Grown::new(facts)
                }
            }
            None => Grown::new(facts),
        };
        let view = grown.view.get_or_insert_with(|| Arc::new(grown.clusters.view(facts)));
        let view = Arc::clone(view);
        *slot = Some(grown);
        view
    }
}

impl Grown {
    /// Whether a supersession would have counted when one of its entries was taken.
    fn has_passed(&self, older: &str, newer: &str) -> bool {
        let taken = |id: &str| self.clusters.of_entry.contains_key(id);
        taken(newer) || taken(older) && !self.coming.iter().any(|id| id == newer)
    }

    fn new(facts: Facts<'_>) -> Self {
        let mut grown = Self {
            live: facts.live.clone(),
            clusters: Clusters::default(),
            last: None,
            taken: 0,
            coming: Vec::new(),
            view: None,
        };
        grown.take(facts, facts.in_order(facts.ledger.entries()));
        grown
    }

    fn take(&mut self, facts: Facts<'_>, entries: Vec<(OrderKey, &Entry)>) {
        for (key, entry) in entries {
            self.clusters.take(facts, self.taken, &Arc::new(entry.clone()));
            self.taken += 1;
            self.last = Some(key);
        }
    }
}

/// Place, trust, kind, folded text, id: never arrival or clock.
type OrderKey = (Place, Source, Kind, String, String);

fn order_key(entry: &Entry) -> OrderKey {
    (entry.place, entry.source, entry.kind, fold(&entry.text), entry.id.clone())
}

/// Entries that say the same.
#[derive(Debug)]
struct Cluster {
    wording: Arc<Entry>,
    members: Vec<Arc<Entry>>,
    /// Order number of the last member.
    latest: usize,
    trust: Source,
    /// Number of the cluster that replaced it, or the id of a buried entry.
    replaced: Option<Result<usize, String>>,
    conflicts: BTreeSet<usize>,
}

/// The entries taken so far.
#[derive(Debug, Default)]
struct Clusters {
    list: Vec<Cluster>,
    of_entry: HashMap<String, usize>,
}

/// What the entries are looked at with.
#[derive(Clone, Copy)]
struct Facts<'a> {
    ledger: &'a Ledger,
    live: &'a LivePath,
}

impl<'a> Facts<'a> {
    /// Those of the entries that count, in the order of the conversation.
    fn in_order(self, entries: impl Iterator<Item = &'a Entry>) -> Vec<(OrderKey, &'a Entry)> {
        let mut counting: Vec<_> =
            entries.filter(|entry| self.live.counts(entry)).map(|entry| (order_key(entry), entry)).collect();
        counting.sort_by(|a, b| a.0.cmp(&b.0));
        counting
    }
}

impl Clusters {
    fn take(&mut self, facts: Facts<'_>, order: usize, entry: &Arc<Entry>) {
        let known = &*read(entry);
        let mut same: Option<usize> = None;
        let (mut replaced, mut contradicted) = (self.replaced_by_facts(facts, entry), Vec::new());
        for id in facts.ledger.related(known) {
            let Some(number) = self.of_entry.get(id).copied() else { continue };
            // Of a cluster its wording speaks.
            let stands = |c: &&Cluster| c.wording.id == id && c.replaced.is_none();
            let Some(cluster) = self.list.get(number).filter(stands) else { continue };
            if !meets(entry.kind, cluster.wording.kind) {
                continue;
            }
            let verdict = compare_prepared(&read(&cluster.wording).prepared, &known.prepared);
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
                        && !stands_beside(&cluster.wording, entry) =>
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
        self.join(facts, number, order, entry, known);
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
    fn replaced_by_facts(&self, Facts { ledger, live }: Facts<'_>, entry: &Entry) -> Vec<usize> {
        ledger
            .replaced_by(&entry.id)
            .filter(|older| ledger.replacements(older, live).any(|s| s.newer == entry.id))
            .filter_map(|older| self.of_entry.get(older).copied())
            .filter(|number| {
                self.list
                    .get(*number)
                    .is_some_and(|c| c.replaced.is_none() && may_supersede(entry.source, c.trust))
            })
            .collect()
    }

    fn join(
        &mut self,
        Facts { ledger, live }: Facts<'_>,
        number: usize,
        order: usize,
        entry: &Arc<Entry>,
        known: &Known,
    ) {
        self.of_entry.insert(entry.id.clone(), number);
        let buried = ledger.replacements(&entry.id, live).find(|s| ledger.entry(&s.newer).is_none());
        match self.list.get_mut(number) {
            Some(cluster) => {
                cluster.members.push(Arc::clone(entry));
                cluster.latest = order;
                cluster.trust = cluster.trust.max(entry.source);
                if !is_clearer(entry, known, cluster) {
                    return;
                }
                cluster.wording = Arc::clone(entry);
            }
            None => self.list.push(Cluster {
                wording: Arc::clone(entry),
                members: vec![Arc::clone(entry)],
                latest: order,
                trust: entry.source,
                replaced: buried.map(|s| Err(s.newer.clone())),
                conflicts: BTreeSet::new(),
            }),
        }
    }

    fn view(&self, facts: Facts<'_>) -> View {
        let wording = |number: &usize| self.list.get(*number).map(|c| c.wording.id.clone());
        let statuses: Vec<Status> = self
            .list
            .iter()
            .map(|cluster| match &cluster.replaced {
                Some(Ok(number)) => Status::Superseded(wording(number).unwrap_or_default()),
                Some(Err(id)) => Status::Superseded(id.clone()),
                None => settled(facts, cluster).unwrap_or(Status::Active),
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
                    entry: Arc::clone(&cluster.wording),
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
}

/// How a cluster was settled, if nobody entitled to reopen it said it again since.
fn settled(Facts { ledger, live }: Facts<'_>, cluster: &Cluster) -> Option<Status> {
    // What was taken back comes back only from those who are trusted as much.
    let reopened = |withdrawn_by: Option<Source>| {
        let again = |e: &&Arc<Entry>| reopens(e.source) && withdrawn_by.is_none_or(|by| e.source >= by);
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
        .flat_map(|e| ledger.resolutions_of(e, live))
        .map(|r| (r.place, r.how.clone(), r.withdrawn_by));
    done.into_iter()
        .chain(resolved)
        .filter(|(place, _, by)| Some(*place) >= reopened(*by))
        .max()
        .map(|(_, how, by)| if by.is_some() { Status::Withdrawn(how) } else { Status::Resolved(how) })
}

/// Most characters of a wording that may replace another because it says more.
const CLEAR_CHARS: usize = 200;

/// Whether a new wording says more than the present one, and not at length.
fn is_clearer(entry: &Entry, known: &Known, cluster: &Cluster) -> bool {
    let length = |e: &Entry| e.text.chars().count();
    let said = |k: &Known| k.signature.content();
    let standing = || read(&cluster.wording);
    length(entry) <= CLEAR_CHARS
        && (said(known) > said(&standing()) || length(&cluster.wording) > CLEAR_CHARS)
}
