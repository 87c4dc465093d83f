//! What an order changes: which earlier text it gives another value or choice. Such an order says itself that something is
//! to be otherwise, so that less needs to agree than between two statements.

use super::frame::Frame;
use super::prepare::{Prepared, Token};

/// More words beside the subject, and the older speaks of more than it.
const MOST_BESIDE: usize = 3;

/// An order that changes something, ready for comparison.
pub(in super::super) struct Changed {
    /// In the language of its words, and in Serbian: a word alone does not tell its own.
    readings: [Reading; 2],
}

struct Reading {
    what: Prepared,
    old: Prepared,
    new: Prepared,
}

/// How a text is changed by an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Meant {
    /// How surely it is meant, more is surer.
    pub(in super::super) likeness: u8,
    /// What it has now: equal for texts that say the same of it.
    had: Vec<u64>,
}

impl Changed {
    pub(in super::super) fn new(what: &str, old: &str, new: &str) -> Self {
        let read = |read: fn(&str) -> Prepared| Reading { what: read(what), old: read(old), new: read(new) };
        Self { readings: [read(Prepared::new), read(Prepared::in_serbian)] }
    }
}

impl Prepared {
    /// Whether an order changes what this text says; not where the text says it already.
    pub(in super::super) fn changed_by(&self, change: &Changed) -> Option<Meant> {
        change.readings.iter().filter_map(|reading| self.changed(reading)).max_by_key(|meant| meant.likeness)
    }

    fn changed(&self, Reading { what, old, new }: &Reading) -> Option<Meant> {
        let whole = self.whole();
        let new_keys: Vec<u64> = new.whole().tokens.iter().filter(|t| !t.light).map(|t| t.alt).collect();
        if new_keys.is_empty() || whole.negative {
            return None;
        }
        let names = named(what);
        let has = |key: &u64| whole.tokens.iter().any(|t| t.alt == *key);
        let about = || self.speaks_of(what) && self.about(what, true).is_some();
        let meant = |likeness: u8, had: Vec<u64>| Some(Meant { likeness, had });
        // "from SQLite", "replace Jest": what it has is named, and it is what was chosen.
        let chosen = named(old);
        if !chosen.is_empty() && (names.is_empty() || about()) {
            let beside =
                whole.tokens.iter().filter(|t| !t.light && t.class == 0 && !chosen.contains(&t.alt)).count();
            if chosen.iter().all(has) && beside <= MOST_BESIDE && self.chooses(&chosen) {
                return meant(4, chosen);
            }
        }
        let values: Vec<&Token> = whole.tokens.iter().filter(|t| t.value.is_some()).collect();
        // "14 days instead of 7": the one value that it has is named.
        let value_of = |text: &Self| text.whole().tokens.iter().find_map(|t| t.value.clone());
        if let (Some(value), [had]) = (value_of(old), values.as_slice()) {
            let beside = telling(self).iter().filter(|key| !names.contains(key)).count();
            let named = had.value.as_ref() == Some(&value) && value_of(new).is_some();
            let fits = (names.is_empty() || about()) && beside <= MOST_BESIDE && self.segments.len() == 1;
            if named && fits {
                return meant(3, vec![had.alt]);
            }
        }
        if let Some(value) = new.whole().tokens.iter().find_map(|t| t.value.as_ref()) {
            let [had] = values.as_slice() else { return None };
            let other =
                had.value.as_ref().is_some_and(|old| old != value && old.dimension == value.dimension);
            let named = named(new);
            let subject = if names.is_empty() { &named } else { &names };
            let words: Vec<u64> = telling(self);
            let beside = words.iter().filter(|key| !subject.contains(key) && !named.contains(key)).count();
            let says = if names.is_empty() { named.iter().all(|key| words.contains(key)) } else { about() };
            if other && !subject.is_empty() && says && beside <= MOST_BESIDE && self.segments.len() == 1 {
                return meant(3, vec![had.alt]);
            }
            // "go with 8080": nothing says of what.
            let bare = words.is_empty()
                && had.value.as_ref().is_some_and(|old| old.amount.len() == value.amount.len());
            return if other && bare { meant(1, vec![had.alt]) } else { None };
        }
        if names.is_empty() {
            let kinds = |text: &Self| {
                text.whole().tokens.iter().filter_map(|t| Some((t.kind?, t.alt))).collect::<Vec<_>>()
            };
            let (ours, theirs) = (kinds(self), kinds(new));
            return match ours.as_slice() {
                [(_, had)] if self.chooses_beside(new) && theirs.len() == 1 => meant(2, vec![*had]),
                _ => None,
            };
        }
        let choices = self.segments.iter().flat_map(Frame::all_of);
        let had =
            choices.filter_map(|frame| frame.other_choice(&names, &new_keys)).find(|had| had.len() <= 2)?;
        if self.segments.len() == 1 { meant(3, had) } else { None }
    }

    /// Every word of a name is here; one that was read as part of a phrase is told by its spelling.
    fn speaks_of(&self, name: &Self) -> bool {
        let has = |named: &Token| {
            self.whole().tokens.iter().any(|t| t.alt == named.alt)
                || self.plain.split(' ').any(|word| *word == *named.word)
        };
        name.whole().tokens.iter().filter(|t| t.heavy()).all(has)
    }

    /// Some reading of it answers a question with just this.
    fn chooses(&self, choice: &[u64]) -> bool {
        let lone = telling(self).iter().all(|key| choice.contains(key));
        lone || self.segments.iter().flat_map(Frame::all_of).any(|frame| frame.chooses_just(choice))
    }
}

/// Keys, across languages, of the words that tell something, without verbs that open a clause and without values.
fn telling(text: &Prepared) -> Vec<u64> {
    let verb = |t: &Token| t.class != 0 && t.slot == super::prepare::Slot::Head;
    let mut keys: Vec<u64> =
        text.whole().tokens.iter().filter(|t| t.heavy() && !verb(t)).map(|t| t.alt).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The same of a name, in which no word is a verb.
fn named(name: &Prepared) -> Vec<u64> {
    name.whole().tokens.iter().filter(|t| t.heavy()).map(|t| t.alt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(older: &str, (what, old, new): (&str, &str, &str)) -> bool {
        Prepared::new(older).changed_by(&Changed::new(what, old, new)).is_some()
    }

    #[test]
    fn an_order_changes_what_speaks_of_the_same_thing() {
        for (older, change) in [
            ("Neka limit bude 40 poziva u minutu", ("limit", "", "90")),
            ("Set workers to 3", ("workers", "", "6")),
            ("Koristi Node 20", ("", "", "Node 22")),
            ("Use yarn for the packages", ("", "", "pnpm")),
            ("Store the archive in S3", ("archive", "", "GCS")),
            ("Use Jest for the unit tests", ("", "Jest", "Vitest")),
            ("Koristi Redis za keš", ("", "Redis", "Valkey")),
            ("go with 9000", ("port", "", "9443")),
            ("Čuvaj kopije 7 dana", ("", "7 dana", "14 dana")),
            ("Keep the logs for 2 weeks", ("", "2 weeks", "3 weeks")),
        ] {
            assert!(meant(older, change), "{older} {change:?}");
        }
    }

    #[test]
    fn an_order_leaves_what_speaks_of_other_things_or_says_it_already() {
        for (older, change) in [
            ("Set the read timeout to 30 s", ("write timeout", "", "60 s")),
            ("Keep the archive for 30 days", ("archive", "", "GCS")),
            ("Store the archive in S3", ("archive", "", "S3")),
            ("Set workers to 3", ("workers", "", "3")),
            ("Rotate the archive keys by hand", ("archive", "", "GCS")),
            ("Do not use Jest", ("", "Jest", "Vitest")),
            ("Use tabs", ("", "", "pnpm")),
            ("Čuvaj kopije 7 dana", ("", "9 dana", "14 dana")),
            ("Koristi Node 20", ("", "", "Python 3.13")),
        ] {
            assert!(!meant(older, change), "{older} {change:?}");
        }
    }
}
