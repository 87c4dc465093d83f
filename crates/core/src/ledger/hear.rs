//! What a conversation says becomes facts: entries, what they settle, and what is taken back (DESIGN section 4).

use super::book::Ledger;
use super::compare::{Changed, Comparison, Prepared, compare_prepared};
use super::fact::{Entry, Fact, Kind, Place, Resolution, Source, Supersession, TaskState};
use super::live::LivePath;
use super::texts::read;
use super::trust::may_supersede;
use crate::capture::{Captured, Change, Withdrawn, exchanged, forbids, keeps, lifts};
use crate::text::fold;

/// A thing that is named names what says hardly more than it.
const HARDLY_MORE: f32 = 0.5;
/// More entries than this are not all meant by one name.
const MOST_MEANT: usize = 3;

/// Words after a name that say what kind of thing was said, in folded form.
const SAYINGS: &[&str] = &[
    "idea",
    "ideas",
    "plan",
    "plans",
    "thing",
    "things",
    "stuff",
    "approach",
    "request",
    "suggestion",
    "decision",
    "proposal",
    "part",
    "bit",
    "business",
    "ideja",
    "ideje",
    "ideju",
    "plana",
    "stvar",
    "stvari",
    "predlog",
    "predloga",
    "odluke",
    "odluku",
    "pristup",
    "pristupa",
    "deo",
    "dela",
    "pricu",
    "price",
];
/// The same for demands, which forbid as well as they order.
const DEMANDS: &[&str] = &[
    "rule",
    "rules",
    "requirement",
    "requirements",
    "constraint",
    "constraints",
    "restriction",
    "restrictions",
    "ban",
    "limitation",
    "instruction",
    "instructions",
    "pravilo",
    "pravila",
    "zabrana",
    "zabrane",
    "zabranu",
    "ogranicenje",
    "ogranicenja",
    "zahtev",
    "zahteva",
    "uslov",
    "uslova",
];

impl Ledger {
    /// The facts to write for one thing said at `place`, `at` being its time for people: what it settles or takes back,
    /// and the entry itself with what it replaces.
    pub fn hear(&self, captured: Captured, place: Place, at: &str, live: &LivePath) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(settled) = &captured.resolves {
            facts = self.resolutions(settled, &captured.text, place, live);
        }
        if let Some(what) = &captured.withdraws {
            let withdrawn = self.withdrawn(what, captured.source, place, live);
            facts.extend(withdrawn.iter().map(|entry| {
                Fact::Resolution(Resolution {
                    entry: entry.id.clone(),
                    how: captured.text.clone(),
                    place,
                    withdrawn_by: Some(captured.source),
                })
            }));
            if matches!(what, Withdrawn::Said(_)) && captured.source == Source::User {
                facts.extend(self.restored(&withdrawn, place, at, live));
            }
        }
        if !captured.is_entry() {
            return facts;
        }
        let entry = Entry {
            id: Entry::id_at(captured.kind, place),
            kind: captured.kind,
            scope: captured.scope,
            text: captured.text.clone(),
            at: at.to_owned(),
            source: captured.source,
            place,
            confidence: captured.confidence,
            task: captured.task,
        };
        match &captured.withdraws {
            Some(place @ (Withdrawn::Instead(said) | Withdrawn::Rather(said))) => {
                let plainly = matches!(place, Withdrawn::Instead(_));
                let replaced: Vec<&Entry> =
                    self.taken_place_of(&entry, said, plainly, live).into_iter().collect();
                facts.extend(self.decided_by(&entry, &replaced, live));
                facts.extend(self.replacing(entry, &replaced, live));
            }
            Some(Withdrawn::Change(change)) => facts.extend(self.changing(entry, change, live)),
            Some(Withdrawn::Value(said)) => facts.extend(self.revaluing(entry, said, live)),
            Some(Withdrawn::Swap(change)) => facts.extend(self.swapping(entry, change, live)),
            Some(Withdrawn::BackTo { name, change }) => {
                facts.extend(self.going_back(entry, name, change.as_ref(), live));
            }
            _ => facts.extend(self.replacing(entry, &[], live)),
        }
        facts
    }

    /// An order that gives something another value or choice.
    fn changing(&self, entry: Entry, change: &Change, live: &LivePath) -> Vec<Fact> {
        let replaced = self.changed_by(&entry, change, live);
        let mut facts = self.decided_by(&entry, &replaced, live);
        // What work takes the place of is told with the decision.
        let decides = entry.kind == Kind::Task;
        facts.extend(self.replacing(entry, if decides { &[] } else { &replaced }, live));
        facts
    }

    /// Words that decide only where they change something; where what was said can be said with the other choice, so.
    fn swapping(&self, entry: Entry, change: &Change, live: &LivePath) -> Vec<Fact> {
        let replaced = self.changed_by(&entry, change, live);
        let Some(older) = replaced.last() else { return Vec::new() };
        let text = exchanged(&older.text, &change.old, &change.new).unwrap_or_else(|| entry.text.clone());
        self.replacing(Entry { text, ..entry }, &replaced, live)
    }

    /// What was said in these words is said once more with another value.
    fn revaluing(&self, entry: Entry, said: &str, live: &LivePath) -> Vec<Fact> {
        let text = Prepared::new(said);
        let found = self.entries_with(|older| {
            self.may_be_taken(older, entry.source, entry.place, live)
                && read(older).prepared.says_literally(&text)
        });
        let Some(older) = found.last() else { return self.replacing(entry, &[], live) };
        let (id, kind, scope) = (Entry::id_at(older.kind, entry.place), older.kind, older.scope);
        self.replacing(Entry { id, kind, scope, task: older.task, ..entry }, &[older], live)
    }

    /// What was said of a thing before something else took its place holds again.
    fn going_back(&self, entry: Entry, name: &str, change: Option<&Change>, live: &LivePath) -> Vec<Fact> {
        let thing = Name::new(name);
        let gone = |older: &Entry| {
            matches!(older.kind, Kind::Decision | Kind::Constraint)
                && older.place < entry.place
                && live.counts(older)
                && may_supersede(entry.source, older.source)
                && self.replacements(&older.id, live).next().is_some()
        };
        let found =
            self.entries_with(|older| gone(older) && thing.share_of(&read(older).prepared, true).is_some());
        let Some(older) = found.last() else {
            return change.map_or_else(Vec::new, |change| self.changing(entry, change, live));
        };
        let newer: Vec<&Entry> = self
            .replacements(&older.id, live)
            .filter_map(|s| self.entry(&s.newer))
            .filter(|newer| self.may_be_taken(newer, entry.source, entry.place, live))
            .collect();
        let again = Entry {
            id: Entry::id_at(older.kind, entry.place),
            kind: older.kind,
            scope: older.scope,
            text: older.text.clone(),
            task: None,
            ..entry
        };
        self.replacing(again, &newer, live)
    }

    /// What the withdrawn entries had taken the place of holds again: said once more in the same words.
    fn restored(&self, withdrawn: &[&Entry], place: Place, at: &str, live: &LivePath) -> Vec<Fact> {
        let decides = |entry: &&Entry| matches!(entry.kind, Kind::Decision | Kind::Constraint);
        let older = |newer: &Entry| {
            let ids = self.replaced_by(&newer.id).filter_map(|id| self.entry(id));
            let stood = |older: &&Entry| {
                let mut by = self.replacements(&older.id, live).map(|s| s.newer.as_str());
                by.all(|id| withdrawn.iter().any(|gone| gone.id == id))
            };
            ids.filter(decides).filter(stood).max_by_key(|older| older.place)
        };
        let found = withdrawn.iter().copied().filter(decides).filter_map(older);
        let again = |older: &Entry| Entry {
            id: Entry::id_at(older.kind, place),
            at: at.to_owned(),
            source: Source::User,
            place,
            ..older.clone()
        };
        found.max_by_key(|older| older.place).map(again).map(Fact::Entry).into_iter().collect()
    }

    /// The facts to write for an entry, `older` being what its words say it takes the place of.
    fn replacing(&self, entry: Entry, older: &[&Entry], live: &LivePath) -> Vec<Fact> {
        let (newer, place) = (entry.id.clone(), entry.place);
        let mut facts = self.propose(entry, live).facts;
        if !facts.iter().any(|fact| matches!(fact, Fact::Entry(entry) if entry.id == newer)) {
            return facts;
        }
        for older in older {
            let (older, newer) = (older.id.clone(), newer.clone());
            let fact = Fact::Supersession(Supersession { older, newer, place });
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        facts
    }

    /// Work that puts one choice in the place of another is a decision besides: it holds when the work is done. Nothing,
    /// where no decision or demand is replaced.
    fn decided_by(&self, work: &Entry, older: &[&Entry], live: &LivePath) -> Vec<Fact> {
        if work.kind != Kind::Task || work.source != Source::User {
            return Vec::new();
        }
        let decision = Entry {
            id: Entry::id_at(Kind::Decision, work.place),
            kind: Kind::Decision,
            task: None,
            ..work.clone()
        };
        let decides = |entry: &Entry| matches!(entry.kind, Kind::Decision | Kind::Constraint);
        let facts = self.replacing(decision, older, live);
        let replaces = facts.iter().any(|fact| match fact {
            Fact::Supersession(s) => self.entry(&s.older).is_some_and(decides),
            _ => false,
        });
        if replaces { facts } else { Vec::new() }
    }

    /// The entry that `newer`, said to hold instead, most likely replaces: what was said right before, or another choice
    /// among things of its kind. Words that say `plainly` that they take a place take that of the one thing said before; a
    /// ban only gives way to what contradicts it.
    fn taken_place_of(
        &self,
        newer: &Entry,
        said: &[String],
        plainly: bool,
        live: &LivePath,
    ) -> Option<&Entry> {
        let text = Prepared::new(&newer.text);
        let said: Vec<Prepared> = said.iter().map(|text| Prepared::new(text)).collect();
        let likeness = |known: &Prepared| -> u8 {
            let last = said.iter().any(|said| known.says_literally(said));
            match (last, known.chooses_beside(&text), known.opens_like(&text)) {
                (true, true, _) => 4,
                (false, true, true) => 3,
                (true, _, true) => 2,
                (true, ..) if plainly && said.len() == 1 => 1,
                _ => 0,
            }
        };
        let found = self.entries_with(|entry| {
            !forbids(&entry.text)
                && self.may_be_taken(entry, newer.source, newer.place, live)
                && likeness(&read(entry).prepared) > 0
        });
        found.into_iter().max_by_key(|entry| (likeness(&read(entry).prepared), entry.place))
    }

    /// The decisions and demands that an order gives another value or choice: all that say one thing of what it names.
    /// None where it could mean several.
    fn changed_by(&self, newer: &Entry, change: &Change, live: &LivePath) -> Vec<&Entry> {
        let change = Changed::new(&change.what, &change.old, &change.new);
        let of = |entry: &&Entry| read(entry).prepared.changed_by(&change);
        let found = self.entries_with(|entry| {
            matches!(entry.kind, Kind::Decision | Kind::Constraint)
                && self.may_be_taken(entry, newer.source, newer.place, live)
                && of(&entry).is_some()
        });
        let Some(best) = found.iter().filter_map(of).max_by_key(|meant| meant.likeness) else {
            return Vec::new();
        };
        let (alike, others): (Vec<&Entry>, Vec<&Entry>) =
            found.into_iter().partition(|entry| of(entry).is_some_and(|meant| meant == best));
        let rivals = others.iter().filter_map(of).any(|meant| meant.likeness == best.likeness);
        if rivals { Vec::new() } else { alike }
    }

    /// Whether an entry holds and this source may take it back.
    fn may_be_taken(&self, entry: &Entry, by: Source, place: Place, live: &LivePath) -> bool {
        entry.place < place
            && may_supersede(by, entry.source)
            && entry.task != Some(TaskState::Done)
            && !matches!(entry.kind, Kind::Goal | Kind::Learning)
            && live.counts(entry)
            && self.replacements(&entry.id, live).next().is_none()
            && self.settled(entry, live).is_none()
    }

    /// The entries that hold and that somebody takes back, where they may.
    fn withdrawn(&self, what: &Withdrawn, by: Source, place: Place, live: &LivePath) -> Vec<&Entry> {
        let holds = |entry: &Entry| self.may_be_taken(entry, by, place, live);
        match what {
            Withdrawn::Said(texts) => {
                let said: Vec<Prepared> = texts.iter().map(|text| Prepared::new(text)).collect();
                let is_said = |known: &Prepared| {
                    said.iter().any(|said| compare_prepared(known, said).comparison == Comparison::Duplicate)
                };
                self.entries_with(|entry| holds(entry) && is_said(&read(entry).prepared))
            }
            Withdrawn::Topic(said) | Withdrawn::Talk(said) => {
                let (name, demand) = named(said);
                let name = Name::new(&name);
                let one_side = !demand && !matches!(what, Withdrawn::Talk(_));
                let about = |entry: &Entry| name.share_of(&read(entry).prepared, one_side);
                let mut found = self.entries_with(|entry| holds(entry) && about(entry).is_some());
                if found.len() > MOST_MEANT {
                    let mainly = |entry: &&Entry| about(entry).is_some_and(|share| share >= HARDLY_MORE);
                    let newest = found.last().copied();
                    found.retain(mainly);
                    if found.is_empty() {
                        found.extend(newest);
                    }
                }
                found
            }
            Withdrawn::Thing(name) => {
                let name = Name::new(&named(name).0);
                let share = |entry: &Entry| name.share_of(&read(entry).prepared, true);
                self.entries_with(|entry| {
                    holds(entry) && share(entry).is_some_and(|share| share >= HARDLY_MORE)
                })
            }
            Withdrawn::Removed(removed) => self.entries_with(|entry| {
                matches!(entry.kind, Kind::Decision | Kind::Constraint)
                    && keeps(&entry.text, removed)
                    && holds(entry)
            }),
            Withdrawn::Allowed(allowed) => self.entries_with(|entry| {
                matches!(entry.kind, Kind::Decision | Kind::Constraint)
                    && lifts(&entry.text, allowed)
                    && holds(entry)
            }),
            Withdrawn::Instead(_)
            | Withdrawn::Rather(_)
            | Withdrawn::Change(_)
            | Withdrawn::Value(_)
            | Withdrawn::Swap(_)
            | Withdrawn::BackTo { .. } => Vec::new(),
        }
    }
}

/// A name in both languages: a word alone does not tell its own.
struct Name {
    read: Prepared,
    in_serbian: Prepared,
}

impl Name {
    fn new(name: &str) -> Self {
        Self { read: Prepared::new(name), in_serbian: Prepared::in_serbian(name) }
    }

    fn share_of(&self, text: &Prepared, same_side: bool) -> Option<f32> {
        text.about(&self.read, same_side).or_else(|| text.about(&self.in_serbian, same_side))
    }
}

/// A name without what kind of thing it names, and whether that is a demand.
fn named(name: &str) -> (String, bool) {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let mut demand = false;
    let is =
        |word: &str, list: &[&str]| list.contains(&fold(word).trim_matches(|c: char| !c.is_alphanumeric()));
    while words.len() > 1 {
        let last = words.last().copied().unwrap_or_default();
        if is(last, DEMANDS) {
            demand = true;
        } else if !is(last, SAYINGS) {
            break;
        }
        words.pop();
    }
    // Serbian puts them first: "ideje za Redis", "pravila o logovima".
    let first = words.first().copied().unwrap_or_default();
    if words.len() > 1 && (is(first, SAYINGS) || is(first, DEMANDS)) {
        demand |= is(first, DEMANDS);
        words.remove(0);
    }
    (words.join(" "), demand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_from_the_kind_of_thing_it_names() {
        assert_eq!(named("Redis idea"), ("Redis".to_owned(), false));
        assert_eq!(named("no-comments rule"), ("no-comments".to_owned(), true));
        assert_eq!(named("ideje za Redis"), ("za Redis".to_owned(), false));
        assert_eq!(named("idea"), ("idea".to_owned(), false));
    }
}
