//! Who may yield and replace what (the matrix of DESIGN section 4), and which kinds of entries meet.

use super::fact::{Entry, Kind, Source, TaskState};
use crate::capture::says_more;
use crate::text::fold;

/// Whether an entry of this kind may come from this source.
pub fn may_yield(source: Source, kind: Kind) -> bool {
    match source {
        Source::User | Source::Summary => true,
        Source::Enrichment => matches!(kind, Kind::Decision | Kind::OpenItem | Kind::Learning),
        Source::Assistant => matches!(kind, Kind::Decision | Kind::Task | Kind::OpenItem),
        Source::Tool => false,
    }
}

/// Whether what `newer` says may replace what `older` said.
pub fn may_supersede(newer: Source, older: Source) -> bool {
    match newer {
        Source::User => true,
        Source::Enrichment => older < Source::User,
        Source::Assistant => older <= Source::Assistant,
        Source::Summary => older <= Source::Summary,
        Source::Tool => false,
    }
}

/// Kinds whose entries can replace each other, as a number: what is decided and demanded; what is to be done; goals;
/// what was learned.
pub(super) fn family(kind: Kind) -> u8 {
    match kind {
        Kind::Constraint | Kind::Decision => 0,
        Kind::Task | Kind::OpenItem => 1,
        Kind::Goal => 2,
        Kind::Learning => 3,
    }
}

/// Whether an entry of one kind can replace one of another: within a family, and what is forbidden or decided ends work
/// that it rules out.
pub(super) fn meets(newer: Kind, older: Kind) -> bool {
    family(newer) == family(older) || family(newer) == 0 && family(older) == 1
}

/// Whether an entry stands beside a newer one that contradicts it. Finished work does beside a task, unless that plainly
/// undoes it; work that is to be done does beside a rule of the same message, and beside one that forbids it only in some
/// cases: `deploy with Ansible`, `never deploy on Friday`.
pub(super) fn stands_beside(older: &Entry, newer: &Entry) -> bool {
    const UNDOING: &[&str] =
        &["undo", "revert", "roll", "restore", "back", "vrati", "vratiti", "ponisti", "ponistiti"];
    let open = |entry: &Entry| entry.task != Some(TaskState::Done);
    if older.kind == Kind::Task && !open(older) {
        let undoes = || fold(&newer.text).split_whitespace().take(2).any(|word| UNDOING.contains(&word));
        return newer.kind == Kind::Task && open(newer) && !undoes();
    }
    let rules = newer.kind == Kind::Constraint && family(older.kind) == family(Kind::Task);
    let together =
        (older.place.generation, older.place.ordinal) == (newer.place.generation, newer.place.ordinal);
    rules && (together || says_more(&newer.text, &older.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [Source; 5] =
        [Source::Tool, Source::Summary, Source::Assistant, Source::Enrichment, Source::User];
    const KINDS: [Kind; 6] =
        [Kind::Goal, Kind::Constraint, Kind::Decision, Kind::Task, Kind::OpenItem, Kind::Learning];

    #[test]
    fn a_lower_source_never_replaces_a_higher_one() {
        for newer in SOURCES {
            for older in SOURCES.into_iter().filter(|older| *older > newer) {
                assert!(!may_supersede(newer, older), "{newer:?} {older:?}");
            }
        }
        assert!(
            may_supersede(Source::User, Source::User) && may_supersede(Source::Assistant, Source::Summary)
        );
    }

    #[test]
    fn a_tool_yields_and_replaces_nothing() {
        assert!(KINDS.into_iter().all(|kind| !may_yield(Source::Tool, kind)));
        assert!(SOURCES.into_iter().all(|older| !may_supersede(Source::Tool, older)));
    }
}
