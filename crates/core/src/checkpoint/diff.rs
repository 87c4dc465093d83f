//! What became of each item between two checkpoints.

use serde::Serialize;

use super::schema::Checkpoint;
use crate::ledger::{Kind, TaskState};

/// How two texts of one kind relate; the ledger's comparison is handed in, so that there is one such rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They say the same.
    Same,
    /// Both cannot hold.
    Conflict,
    /// Neither.
    Distinct,
}

/// An item of one of the two checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `d3` for a decision, else the kind and the place in its list: `open_item 2`.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Its words.
    pub text: String,
    /// ISO 8601: the decision's own time, else the checkpoint's.
    pub at: String,
    /// Words of the newer item, for a superseded one.
    pub by: Option<String>,
}

/// The difference of two checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Difference {
    /// New in the newer.
    pub gained: Vec<Change>,
    /// In the older, and contradicted by something new.
    pub superseded: Vec<Change>,
    /// Tasks now finished, and open items that are no longer open.
    pub resolved: Vec<Change>,
    /// In the older only, without a reason that the two checkpoints show.
    pub lost: Vec<Change>,
}

struct Listed {
    change: Change,
    finished: bool,
}

/// Compares two checkpoints. `relate(older, newer)` is the ledger's comparison.
pub fn diff(older: &Checkpoint, newer: &Checkpoint, relate: impl Fn(&str, &str) -> Relation) -> Difference {
    let (before, after) = (listed(older), listed(newer));
    let of_kind = |list: &[Listed], kind: Kind| -> Vec<usize> {
        list.iter().enumerate().filter(|(_, item)| item.change.kind == kind).map(|(index, _)| index).collect()
    };
    let mut difference = Difference::default();
    let mut is_new = vec![true; after.len()];
    let mut unmatched = Vec::new();
    for item in &before {
        let rivals = of_kind(&after, item.change.kind);
        let text = &item.change.text;
        let same = rivals
            .iter()
            .copied()
            .find(|index| after.get(*index).is_some_and(|other| &other.change.text == text))
            .or_else(|| {
                rivals.iter().copied().find(|index| {
                    after.get(*index).is_some_and(|other| relate(text, &other.change.text) == Relation::Same)
                })
            });
        match same {
            Some(index) => {
                if let Some(flag) = is_new.get_mut(index) {
                    *flag = false;
                }
                let finished_now = after.get(index).is_some_and(|other| other.finished) && !item.finished;
                if finished_now {
                    difference.resolved.push(item.change.clone());
                }
            }
            None => unmatched.push(item),
        }
    }
    for item in unmatched {
        let by = after.iter().zip(&is_new).find(|(other, is_new)| {
            **is_new
                && other.change.kind == item.change.kind
                && (item.change.kind == Kind::Goal
                    || relate(&item.change.text, &other.change.text) == Relation::Conflict)
        });
        let change = item.change.clone();
        match by {
            Some((other, _)) => {
                difference.superseded.push(Change { by: Some(other.change.text.clone()), ..change });
            }
            None if change.kind == Kind::OpenItem && newer.open_items.len() < super::build::MAX_ITEMS => {
                difference.resolved.push(change);
            }
            // A finished task that makes room is no loss.
            None if item.finished => {}
            None => difference.lost.push(change),
        }
    }
    difference.gained =
        after.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(item, _)| item.change).collect();
    difference
}

fn listed(checkpoint: &Checkpoint) -> Vec<Listed> {
    let at = &checkpoint.meta.created_at;
    let plain = |kind: Kind, name: &str, texts: &[String]| -> Vec<Listed> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| Listed {
                change: Change {
                    id: format!("{name} {}", index + 1),
                    kind,
                    text: text.clone(),
                    at: at.clone(),
                    by: None,
                },
                finished: false,
            })
            .collect()
    };
    let goal: Vec<String> = checkpoint.goal.iter().cloned().collect();
    let mut all = plain(Kind::Goal, "goal", &goal);
    all.extend(plain(Kind::Constraint, "constraint", &checkpoint.constraints));
    all.extend(checkpoint.decisions.iter().map(|decision| Listed {
        change: Change {
            id: decision.id.clone(),
            kind: Kind::Decision,
            text: decision.what.clone(),
            at: decision.when.clone(),
            by: None,
        },
        finished: false,
    }));
    let tasks: Vec<String> = checkpoint.tasks.iter().map(|task| task.what.clone()).collect();
    all.extend(plain(Kind::Task, "task", &tasks).into_iter().zip(&checkpoint.tasks).map(
        |(mut item, task)| {
            item.finished = task.state == TaskState::Done;
            item
        },
    ));
    all.extend(plain(Kind::OpenItem, "open_item", &checkpoint.open_items));
    all.extend(plain(Kind::Learning, "learning", &checkpoint.learnings));
    all
}

#[cfg(test)]
mod tests {
    use super::super::{Decision, Task, fixture};
    use super::*;

    fn by_number(a: &str, b: &str) -> Relation {
        let bare = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        match (a == b, bare(a) == bare(b)) {
            (true, _) => Relation::Same,
            (_, true) => Relation::Conflict,
            _ => Relation::Distinct,
        }
    }

    #[test]
    fn each_item_is_gained_superseded_resolved_lost_or_carried() {
        let mut older = fixture::checkpoint();
        let decision = |id: &str, what: &str| Decision {
            id: id.to_owned(),
            what: what.to_owned(),
            when: "2026-02-24T14:15:00Z".to_owned(),
        };
        older.decisions =
            vec![decision("d1", "timeout 30 s"), decision("d2", "use NATS"), decision("d3", "gone")];
        older.open_items = vec!["call the bank".to_owned(), "visa".to_owned()];
        older.tasks = vec![Task { what: "deploy v2".to_owned(), state: TaskState::Open }];
        let mut newer = older.clone();
        newer.decisions = vec![decision("d1", "use NATS"), decision("d2", "timeout 60 s")];
        newer.open_items = vec!["visa".to_owned(), "hotel".to_owned()];
        newer.tasks = vec![Task { what: "deploy v2".to_owned(), state: TaskState::Done }];
        let difference = diff(&older, &newer, by_number);
        let texts = |list: &[Change]| list.iter().map(|change| change.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&difference.gained), ["timeout 60 s", "hotel"]);
        assert_eq!(texts(&difference.superseded), ["timeout 30 s"]);
        assert_eq!(difference.superseded[0].by.as_deref(), Some("timeout 60 s"));
        assert_eq!(texts(&difference.resolved), ["deploy v2", "call the bank"]);
        assert_eq!(texts(&difference.lost), ["gone"]);
        assert_eq!(diff(&older, &older, by_number), Difference::default());
    }
}
