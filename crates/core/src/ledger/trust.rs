//! Who may yield and replace what (the matrix of DESIGN section 4), and which kinds of entries meet.

use super::fact::{Entry, Kind, Source, TaskState};
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

/// A task to be done beside one that was done: finished work stands, unless the new task plainly undoes it.
pub(super) fn plans_after_done(older: &Entry, newer: &Entry) -> bool {
    const UNDOING: &[&str] =
        &["undo", "revert", "roll", "restore", "back", "vrati", "vratiti", "ponisti", "ponistiti"];
    let done = older.kind == Kind::Task && older.task == Some(TaskState::Done);
    let open = newer.kind == Kind::Task && newer.task != Some(TaskState::Done);
    done && open && !fold(&newer.text).split_whitespace().take(2).any(|word| UNDOING.contains(&word))
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
