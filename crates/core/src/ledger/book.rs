//! The ledger: a set of facts. Joining two ledgers is set union (DESIGN section 4).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::clusters::Kept;
use super::compare::{Comparison, compare_prepared};
use super::fact::{Entry, Fact, Kind, Place, Resolution, Source, Supersession, TaskState};
use super::index::Known;
use super::live::LivePath;
use super::texts::{Texts, read};
use super::trust::{may_supersede, may_yield, meets, stands_beside};
use super::view::View;
use crate::capture::leaves_some;
use crate::text::{fold, normalize};

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is new.
    Added,
    /// A live entry says the same. A fact is written all the same where it adds trust or a task's state.
    Duplicate,
    /// It is new and replaces an older one.
    SupersededOlder,
}

impl Appended {
    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Duplicate => "duplicate",
            Self::SupersededOlder => "superseded-older",
        }
    }
}

/// What [`Ledger::propose`] decided: facts that are to be written and added.
#[derive(Debug, Clone, PartialEq)]
pub struct Ingested {
    /// The outcome.
    pub outcome: Appended,
    /// The facts that were new, in the order of writing.
    pub facts: Vec<Fact>,
}

/// Identity of a fact within the set. Most facts are entries: what the others take more room for stands apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum FactKey {
    Entry(Box<str>),
    /// Of the older, by the newer.
    Supersession(Box<(String, String, Place)>),
    /// Of an entry, there, in these words.
    Resolution(Box<(String, Place, String)>),
}

impl FactKey {
    fn of(fact: &Fact) -> Self {
        match fact {
            Fact::Entry(e) => Self::Entry(e.id.as_str().into()),
            Fact::Supersession(s) => Self::supersession(&s.older, &s.newer, s.place),
            Fact::Resolution(r) => Self::resolution(&r.entry, r.place, &r.how),
        }
    }

    fn supersession(older: &str, newer: &str, place: Place) -> Self {
        Self::Supersession(Box::new((older.to_owned(), newer.to_owned(), place)))
    }

    fn resolution(entry: &str, place: Place, how: &str) -> Self {
        Self::Resolution(Box::new((entry.to_owned(), place, how.to_owned())))
    }
}

/// A set of facts with an index for finding what a new entry repeats or contradicts. Cost of a new entry depends on
/// the entries that share its words, not on how many there are.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Boxed: the nodes of the tree are half empty.
    facts: BTreeMap<FactKey, Box<Fact>>,
    tombstones: BTreeSet<String>,
    /// Read when they are first asked for: a ledger that was restored may only be looked at.
    texts: OnceLock<Texts>,
    /// Ids that stored supersessions say each entry replaces.
    replaces: HashMap<String, BTreeSet<String>>,
    kept: Kept,
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// A ledger of these facts, in whatever order.
    pub fn from_facts(facts: impl IntoIterator<Item = Fact>) -> Self {
        let mut ledger = Self::new();
        for fact in facts {
            ledger.insert(fact);
        }
        ledger
    }

    /// Adds a fact; `false` if it was there already or is buried. Should two facts claim one id, the same of them wins
    /// whatever the order.
    pub fn insert(&mut self, fact: Fact) -> bool {
        if self.is_buried(&fact) {
            return false;
        }
        let key = FactKey::of(&fact);
        let present = self.facts.get(&key);
        if present.is_some_and(|present| rank(present) <= rank(&fact)) {
            return false;
        }
        if present.is_some() {
            self.kept.forget();
            self.texts.take();
        } else {
            self.kept.add(&fact);
            if let (Fact::Entry(entry), Some(texts)) = (&fact, self.texts.get_mut()) {
                texts.learn(entry);
            }
        }
        if let Fact::Supersession(s) = &fact {
            self.replaces.entry(s.newer.clone()).or_default().insert(s.older.clone());
        }
        self.facts.insert(key, Box::new(fact));
        true
    }

    /// Adds every fact and tombstone of `other`. Commutative, associative and idempotent.
    pub fn union(&mut self, other: &Self) {
        for id in &other.tombstones {
            self.bury(id);
        }
        for fact in other.facts() {
            self.insert(fact.clone());
        }
    }

    /// Removes an entry and what is said about it for good; its id stays as a tombstone, so that no union brings it
    /// back.
    pub fn bury(&mut self, id: &str) {
        self.kept.forget();
        self.tombstones.insert(id.to_owned());
        self.facts.retain(|_, fact| !buries(fact, id));
    }

    /// All facts, by kind of fact and id.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.values().map(Box::as_ref)
    }

    /// Ids that were removed for good.
    pub fn tombstones(&self) -> impl Iterator<Item = &str> {
        self.tombstones.iter().map(String::as_str)
    }

    /// The entry with this id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        match self.facts.get(&FactKey::Entry(id.into())).map(Box::as_ref) {
            Some(Fact::Entry(entry)) => Some(entry),
            _ => None,
        }
    }

    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there is no fact.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// What holds, what was replaced and what is settled on `live`. Kept until a fact is added; then only what is new at
    /// the end of the conversation is looked at.
    pub fn view(&self, live: &LivePath) -> Arc<View> {
        self.kept.view(self, live)
    }

    /// As [`Ledger::propose`], and adds the facts.
    pub fn ingest(&mut self, entry: Entry, live: &LivePath) -> Ingested {
        let mut ingested = self.propose(entry, live);
        ingested.facts.retain(|fact| self.insert(fact.clone()));
        ingested
    }

    /// Decides what a new entry means and gives the facts to write: the entry itself, unless a live one of its kind says the same and
    /// nothing said since contradicts that; supersessions of what it plainly contradicts, where its source may; the
    /// resolution of open work that it reports done. No facts, with outcome [`Appended::Duplicate`], for an id that is
    /// known and for what its source may not yield.
    pub fn propose(&self, entry: Entry, live: &LivePath) -> Ingested {
        if !may_yield(entry.source, entry.kind)
            || self.tombstones.contains(&entry.id)
            || self.entry(&entry.id).is_some()
        {
            return Ingested { outcome: Appended::Duplicate, facts: Vec::new() };
        }
        let text = read(&entry);
        let mut same: Option<&Entry> = None;
        let mut replaced: Vec<&Entry> = Vec::new();
        for id in self.related(&text) {
            let Some(other) = self.entry(id).filter(|e| meets(entry.kind, e.kind) && live.counts(e)) else {
                continue;
            };
            if other.place > entry.place || self.is_replaced(id, live) {
                continue;
            }
            let verdict = compare_prepared(&read(other).prepared, &text.prepared);
            match verdict.comparison {
                // Only people and the agent reopen what is settled; a model's list merely repeats it (FAULTS C12).
                Comparison::Duplicate
                    if other.kind == entry.kind
                        && (!reopens(entry.source) || self.settled(other, live).is_none()) =>
                {
                    same = same.max_by_place(other);
                }
                Comparison::Conflict
                    if verdict.supersedes()
                        && may_supersede(entry.source, other.source)
                        && !stands_beside(other, &entry) =>
                {
                    replaced.push(other)
                }
                _ => {}
            }
        }
        let reverses = replaced.iter().any(|other| same.is_some_and(|s| s.place < other.place));
        let stronger = same.is_some_and(|s| entry.source > s.source);
        let news = task_state(&entry) != same.and_then(task_state);
        if same.is_some() && !reverses && !stronger && !news {
            return Ingested { outcome: Appended::Duplicate, facts: Vec::new() };
        }
        let mut facts = vec![Fact::Entry(entry.clone())];
        let outcome = match (replaced.is_empty(), same) {
            (false, _) => Appended::SupersededOlder,
            (true, Some(_)) => Appended::Duplicate,
            (true, None) => Appended::Added,
        };
        facts.extend(replaced.into_iter().map(|older| {
            Fact::Supersession(Supersession {
                older: older.id.clone(),
                newer: entry.id.clone(),
                place: entry.place,
            })
        }));
        if entry.task == Some(TaskState::Done) {
            facts.extend(self.resolutions(&entry.text, &entry.text, entry.place, live));
        }
        Ingested { outcome, facts }
    }

    /// Settles the live open items and open tasks that `text` names ("deploy v2", "deploy v2 is done", "the login fix
    /// is merged"), as said at `place` in the words `how`. Gives the resolutions, which are added; none if nothing
    /// matches.
    pub fn resolve(&mut self, text: &str, how: &str, place: Place, live: &LivePath) -> Vec<Fact> {
        let mut facts = self.resolutions(text, how, place, live);
        facts.retain(|fact| self.insert(fact.clone()));
        facts
    }

    /// The facts of [`Ledger::resolve`], without adding them.
    pub fn resolutions(&self, text: &str, how: &str, place: Place, live: &LivePath) -> Vec<Fact> {
        let said = text;
        let text = Known::new(&without_completion(text));
        let mut out = Vec::new();
        for id in self.related(&text) {
            let Some(other) = self.entry(id) else { continue };
            let open =
                matches!(other.kind, Kind::OpenItem | Kind::Task) && other.task != Some(TaskState::Done);
            let stands = live.counts(other) && other.place <= place;
            if !open || !stands || self.is_replaced(id, live) || self.settled(other, live).is_some() {
                continue;
            }
            // Who reports one thing of several settles that thing only.
            let known = read(other);
            if compare_prepared(&known.prepared, &text.prepared).comparison == Comparison::Duplicate
                && !leaves_some(&other.text, said)
            {
                out.push(Fact::Resolution(Resolution {
                    entry: id.to_owned(),
                    how: how.to_owned(),
                    place,
                    withdrawn_by: None,
                }));
            }
        }
        out
    }

    /// Settles the entry with this id. Gives the resolution unless it was there or there is no such entry.
    pub fn resolve_id(&mut self, id: &str, how: &str, place: Place) -> Option<Fact> {
        self.entry(id)?;
        let fact = Fact::Resolution(Resolution {
            entry: id.to_owned(),
            how: how.to_owned(),
            place,
            withdrawn_by: None,
        });
        self.insert(fact.clone()).then_some(fact)
    }

    /// Supersessions of the entry with this id that count on `live`.
    pub(super) fn replacements<'a>(
        &'a self,
        id: &str,
        live: &'a LivePath,
    ) -> impl Iterator<Item = &'a Supersession> {
        let from = FactKey::supersession(id, "", Place::default());
        let id = id.to_owned();
        self.facts
            .range(from..)
            .map_while(move |(_, fact)| match &**fact {
                Fact::Supersession(s) if s.older == id => Some(s),
                _ => None,
            })
            .filter(|s| self.counts(s, live))
    }

    /// Ids that stored supersessions say this entry replaces, whether or not they count.
    pub(super) fn replaced_by(&self, id: &str) -> impl Iterator<Item = &str> {
        self.replaces.get(id).into_iter().flatten().map(String::as_str)
    }

    fn is_replaced(&self, id: &str, live: &LivePath) -> bool {
        self.replacements(id, live).next().is_some()
    }

    /// The last resolution of an entry on `live`, if it was not said again since.
    pub(super) fn settled(&self, entry: &Entry, live: &LivePath) -> Option<&Resolution> {
        self.resolutions_of(entry, live).last()
    }

    /// All resolutions of an entry on `live`, oldest first.
    pub(super) fn resolutions_of<'a>(
        &'a self,
        entry: &Entry,
        live: &LivePath,
    ) -> impl Iterator<Item = &'a Resolution> {
        let from = FactKey::resolution(&entry.id, Place::default(), "");
        let resolutions = self.facts.range(from..).map_while(move |(_, fact)| match &**fact {
            Fact::Resolution(r) if r.entry == entry.id => Some(r),
            _ => None,
        });
        resolutions.filter(|r| live.holds(&r.place) && r.place >= entry.place)
    }

    /// Whether a supersession counts on a path: both ends do, and the newer may.
    fn counts(&self, fact: &Supersession, live: &LivePath) -> bool {
        let Some(older) = self.entry(&fact.older) else { return false };
        match self.entry(&fact.newer) {
            Some(newer) => live.counts(newer) && may_supersede(newer.source, older.source),
            // The newer was buried; what it replaced stays replaced.
            None => self.tombstones.contains(&fact.newer) && live.holds(&fact.place),
        }
    }

    /// The entries that are as asked, oldest first.
    pub(super) fn entries_with(&self, asked: impl Fn(&Entry) -> bool) -> Vec<&Entry> {
        let mut found: Vec<&Entry> = self.entries().filter(|entry| asked(entry)).collect();
        found.sort_by(|a, b| (a.place, &a.id).cmp(&(b.place, &b.id)));
        found
    }

    /// Ids of the entries that may not be distinct from a text.
    pub(super) fn related(&self, text: &Known) -> impl Iterator<Item = &str> {
        self.texts().related(text)
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::of(self.entries()))
    }

    /// All entries, by id.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.facts().filter_map(|fact| match fact {
            Fact::Entry(entry) => Some(entry),
            _ => None,
        })
    }

    fn is_buried(&self, fact: &Fact) -> bool {
        match fact {
            Fact::Entry(e) => self.tombstones.contains(&e.id),
            Fact::Supersession(s) => self.tombstones.contains(&s.older),
            Fact::Resolution(r) => self.tombstones.contains(&r.entry),
        }
    }
}

fn buries(fact: &Fact, id: &str) -> bool {
    match fact {
        Fact::Entry(e) => e.id == id,
        Fact::Supersession(s) => s.older == id,
        Fact::Resolution(r) => r.entry == id,
    }
}

/// Any total order does; the smaller of two facts with one identity wins.
fn rank(fact: &Fact) -> (Place, String) {
    let place = match fact {
        Fact::Entry(e) => e.place,
        Fact::Supersession(s) => s.place,
        Fact::Resolution(r) => r.place,
    };
    (place, serde_json::to_string(fact).unwrap_or_default())
}

fn task_state(entry: &Entry) -> Option<TaskState> {
    (entry.kind == Kind::Task).then(|| entry.task.unwrap_or(TaskState::Open))
}

trait Latest<'a> {
    fn max_by_place(self, other: &'a Entry) -> Option<&'a Entry>;
}

impl<'a> Latest<'a> for Option<&'a Entry> {
    fn max_by_place(self, other: &'a Entry) -> Option<&'a Entry> {
        match self {
            Some(present) if (present.place, &present.id) >= (other.place, &other.id) => Some(present),
            _ => Some(other),
        }
    }
}

/// Whether a repetition from this source opens again what was settled.
pub(super) fn reopens(source: Source) -> bool {
    matches!(source, Source::User | Source::Assistant)
}

/// Words that report something done say nothing about what it is.
const COMPLETION: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "been",
    "now",
    "done",
    "finished",
    "complete",
    "completed",
    "resolved",
    "closed",
    "works",
    "working",
    "already",
    "successfully",
    "je",
    "su",
    "sada",
    "gotovo",
    "gotov",
    "gotova",
    "zavrseno",
    "zavrsen",
    "zavrsena",
    "reseno",
    "resen",
    "resena",
    "uradjeno",
    "uspesno",
    "vec",
    "ok",
    "okay",
];

fn without_completion(text: &str) -> String {
    let words = fold(&normalize(text));
    let kept: Vec<&str> = words
        .split(' ')
        .filter(|word| !COMPLETION.contains(&word.trim_matches(|c: char| !c.is_alphanumeric())))
        .collect();
    let kept = kept.join(" ");
    let kept = kept.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '.' | ',' | '!'));
    if kept.is_empty() { words } else { kept.to_owned() }
}

impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        self.facts == other.facts && self.tombstones == other.tombstones
    }
}

#[derive(Serialize)]
struct Stored<'a> {
    facts: Vec<&'a Fact>,
    tombstones: &'a BTreeSet<String>,
}

#[derive(Deserialize)]
struct StoredOwned {
    facts: Vec<Fact>,
    #[serde(default)]
    tombstones: BTreeSet<String>,
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored { facts: self.facts().collect(), tombstones: &self.tombstones }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredOwned::deserialize(deserializer)?;
        let mut ledger = Self { tombstones: stored.tombstones, ..Self::default() };
        for fact in stored.facts {
            ledger.insert(fact);
        }
        Ok(ledger)
    }
}
