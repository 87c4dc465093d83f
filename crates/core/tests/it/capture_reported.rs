//! What an agent reports as done ends the work that it names, and no other; in English and Serbian.

use crate::capture_support::heard;
use clawback_core::capture::{Kind, TaskState};
use clawback_core::ledger::{Fact, LivePath};

/// What is still to be done or answered after these turns.
fn left(turns: &[&str]) -> Vec<String> {
    let view = heard(turns).view(&LivePath::new(0));
    let open = view.items.iter().filter(|item| item.is_active());
    let open = open.filter(|item| matches!(item.entry.kind, Kind::Task | Kind::OpenItem));
    open.map(|item| item.entry.text.trim_end_matches('.').to_owned()).collect()
}

#[test]
fn steps_that_the_agent_listed_end_with_its_report_of_them() {
    let listed =
        "a: Remaining:\n1. Delete old code (`lexer.ts`, `cli.ts`)\n2. Rename `lexer-new.ts` -> `lexer.ts`";
    let report =
        "a: ### Cleanup\n- Removed `lexer.ts` (old), `cli.ts` (old)\n- Renamed `lexer-new.ts` -> `lexer.ts`";
    assert_eq!(left(&[listed, "u: yes please", report]), [""; 0]);
    assert_eq!(left(&[listed, "u: yes please", "a: Renamed `lexer-new.ts` -> `lexer.ts`."]).len(), 1);
    let open = "a: The index works. Paging and the docs are still open.";
    assert_eq!(
        left(&[open, "u: finish both", "a: Paging is implemented and the docs are written."]),
        [""; 0]
    );
    assert_eq!(left(&[open, "u: finish both", "a: Sve je gotovo."]), [""; 0]);
    assert_eq!(left(&[open, "u: finish both", "a: Paging is implemented."]).len(), 1);
}

#[test]
fn a_report_of_one_thing_leaves_the_others_open() {
    let order = "u: Please do these:\n- add input checks\n- write tests for the lexer\n- publish the package";
    for (report, open) in [
        ("I added the input checks and wrote the tests for the lexer.", &["publish the package"][..]),
        ("Published the package.", &["add input checks", "write tests for the lexer"]),
        ("All three are done.", &[]),
        ("Done.", &[]),
    ] {
        let found = left(&[order, &format!("a: {report}"), "u: next: what is left?"]);
        assert_eq!(found, open, "{report}");
    }
    let order = "u: Fix the search, add a clear button and write docs.";
    assert_eq!(
        left(&[order, "a: Fixed the search."]),
        [order.trim_start_matches("u: ").trim_end_matches('.')]
    );
    assert_eq!(
        left(&[order, "a: Fixed the search.", "u: go on", "a: Added the clear button and wrote the docs."]),
        [""; 0]
    );
    let order = "u: Dodaj izvoz u CSV i obriši stare logove.";
    assert_eq!(
        left(&[order, "a: Dodao sam izvoz u CSV.", "u: dobro", "a: Stari logovi su obrisani."]),
        [""; 0]
    );
    assert_eq!(left(&[order, "a: Dodao sam izvoz u CSV."]).len(), 1);
}

#[test]
fn of_a_list_of_what_is_left_each_thing_ends_by_itself() {
    let listed = "u: Still to do: retry for failed mails, an admin page, and the tax check";
    for (turns, open) in [
        (&["a: Noted."][..], &["retry for failed mails", "an admin page", "the tax check"][..]),
        (
            &["a: Noted.", "u: forget the tax check, the accountant does that by hand", "a: Dropped."],
            &["retry for failed mails", "an admin page"],
        ),
        (
            &["a: Ok.", "u: Add a log line to the parser.", "a: Done."],
            &["retry for failed mails", "an admin page", "the tax check"],
        ),
        (&["a: Ok.", "u: Add a log line to the parser.", "a: Everything is done."], &[]),
        (&["a: The admin page is done."], &["retry for failed mails", "the tax check"]),
    ] {
        let turns: Vec<&str> = std::iter::once(listed).chain(turns.iter().copied()).collect();
        assert_eq!(left(&turns), open, "{turns:?}");
    }
    let listed = "u: Treba još: izvoz u PDF, pretraga pacijenata i prijava lekara";
    let turns = [listed, "a: Pretraga pacijenata je gotova.", "u: izvoz u PDF ipak ne treba", "a: Važi."];
    assert_eq!(left(&turns), ["prijava lekara"]);
    let turns = ["u: TODO: dodaj straničenje, popravi futer, napiši uputstvo", "a: Zabeleženo."];
    assert_eq!(left(&turns).len(), 3);
}

#[test]
fn what_was_dropped_is_no_finished_work() {
    for turns in [
        [
            "u: Still to do: an admin page, the tax check",
            "a: Ok.",
            "u: forget the tax check",
            "a: Dropped the tax check.",
        ],
        [
            "u: Treba još: izvoz, provera poreza",
            "a: Ok.",
            "u: provera poreza nam ne treba",
            "a: Izbačena je provera poreza.",
        ],
    ] {
        let ledger = heard(&turns);
        let done = ledger.facts().filter(|fact| match fact {
            Fact::Entry(entry) => entry.task == Some(TaskState::Done),
            Fact::Resolution(over) => over.withdrawn_by.is_none(),
            Fact::Supersession(_) => false,
        });
        assert_eq!(done.filter(|fact| !format!("{fact:?}").contains("importer")).count(), 0, "{turns:?}");
        assert_eq!(left(&turns).len(), 1, "{turns:?}");
    }
}

#[test]
fn an_open_item_that_is_over_is_no_finished_work() {
    let view = heard(&["u: We still need to ask the lawyers about the licence.", "a: Done.", "u: thanks"])
        .view(&LivePath::new(0));
    let tasks = view.items.iter().filter(|item| item.entry.kind == Kind::Task);
    assert!(tasks.into_iter().all(|item| !item.entry.text.contains("lawyers")));
}
