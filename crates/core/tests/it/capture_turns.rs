//! Plain conversations in which people order, forbid, allow, answer and change their minds, in English and Serbian.

use Kind::{Constraint, Decision, Goal, OpenItem};
use clawback_core::capture::{Captured, capture};
use clawback_core::ledger::{Kind, Source};
use clawback_core::message::Message;

/// What the turns of a person say, each acknowledged by the agent.
fn heard(turns: &[&str]) -> Vec<Captured> {
    let messages: Vec<Message> =
        turns.iter().flat_map(|turn| [Message::user(turn), Message::assistant("Ok, done.")]).collect();
    capture(&messages)
        .into_iter()
        .map(|(_, found)| found)
        .filter(|found| found.source == Source::User)
        .collect()
}

fn of(kind: Kind, found: &[Captured]) -> Vec<&str> {
    found.iter().filter(|found| found.kind == kind).map(|found| found.text.trim_end_matches('.')).collect()
}

/// What a turn says within a session whose goal is known.
fn said(turn: &str) -> Vec<(Kind, String)> {
    let found = heard(&["Build the importer for the warehouse.", turn]);
    let later = found.into_iter().filter(|found| !found.text.contains("importer for the warehouse"));
    later.map(|found| (found.kind, found.text.trim_end_matches('.').to_owned())).collect()
}

#[test]
fn a_changed_mind_is_captured_as_what_now_holds() {
    for (turn, kind, text) in [
        ("I changed my mind: use Redis.", Decision, "use Redis"),
        ("We've changed our minds about the store, use SQLite.", Decision, "use SQLite"),
        ("Ok, I have changed my mind. Keep the old parser.", Decision, "Keep the old parser"),
        ("Scratch that, store the files in S3.", Decision, "store the files in S3"),
        ("Never mind what I said, use tabs.", Decision, "use tabs"),
        ("I changed my mind: never write to the audit table.", Constraint, "never write to the audit table"),
        ("Forget that, use Postgres for the sessions.", Decision, "use Postgres for the sessions"),
        ("Predomislio sam se: koristi Redis.", Decision, "koristi Redis"),
        ("Predomislili smo se, zadrži stari parser.", Decision, "zadrži stari parser"),
        ("Ispravka: nemoj da brišeš stare tabele.", Constraint, "nemoj da brišeš stare tabele"),
        ("Predomislila sam se oko baze, koristi SQLite.", Decision, "koristi SQLite"),
    ] {
        assert!(said(turn).contains(&(kind, text.to_owned())), "{turn}: {:?}", said(turn));
        assert!(of(Goal, &heard(&["Build a shop.", turn])) == ["Build a shop"], "{turn}");
    }
}

#[test]
fn the_goal_is_the_first_real_request_and_no_rule_or_choice() {
    for (turns, goal) in [
        (&["Build a shop.", "Do not use Redis."][..], "Build a shop"),
        (&["Do not use Redis.", "Build a shop for used bikes."], "Build a shop for used bikes"),
        (&["Use pnpm for all packages in here.", "Fix the login page."], "Fix the login page"),
        (
            &["Set the request timeout to 60 s.", "Find out why the build is slow."],
            "Find out why the build is slow",
        ),
        (&["Koristi Redis za keš.", "Napravi prodavnicu."], "Napravi prodavnicu"),
        (&["Nikad ne diraj folder migrations/.", "Popravi izveštaj za maj."], "Popravi izveštaj za maj"),
        (
            &["Hi! Always keep the dates in UTC.", "Can you port the billing job?"],
            "Can you port the billing job?",
        ),
        (&["Build a shop. Do not use Redis.", "I changed my mind: use Redis."], "Build a shop"),
        (&["Napravi mi blog. Koristi SQLite za bazu.", "Ne, koristi Postgres."], "Napravi mi blog"),
    ] {
        assert_eq!(of(Goal, &heard(turns)), [goal], "{turns:?}");
    }
    assert_eq!(of(Goal, &heard(&["Use Redis for the cache.", "Do not edit the generated files."])), [""; 0]);
}

#[test]
fn a_goal_changes_where_a_person_says_so() {
    for turn in [
        "New goal: write the user manual.",
        "Forget that, now write the user manual.",
        "Forget the shop, write the user manual instead.",
        "Let's switch to writing the user manual.",
        "Ok, let's move on to the user manual.",
        "Zaboravi to, sada napiši priručnik.",
        "Novi cilj: priručnik za korisnike.",
        "I changed my mind: build a blog instead of a shop.",
    ] {
        let found = heard(&["Build a shop.", turn]);
        assert_eq!(of(Goal, &found).len(), 2, "{turn}: {found:?}");
    }
    for turn in ["Let's switch to Postgres for the sessions.", "Hajde da pređemo na Postgres."] {
        assert_eq!(of(Goal, &heard(&["Build a shop.", turn])), ["Build a shop"], "{turn}");
        assert_eq!(of(Decision, &heard(&["Build a shop.", turn])).len(), 1, "{turn}");
    }
}

#[test]
fn a_choice_and_a_rule_in_one_sentence_are_two_entries() {
    for (turn, wanted) in [
        (
            "Set the request timeout to 60 s, and never touch migrations/.",
            [(Decision, "Set the request timeout to 60 s"), (Constraint, "never touch migrations/")],
        ),
        ("Don't use Moment; use date-fns.", [(Constraint, "Don't use Moment"), (Decision, "use date-fns")]),
        (
            "Nemoj da koristiš Redis, koristi Memcached.",
            [(Constraint, "Nemoj da koristiš Redis"), (Decision, "koristi Memcached")],
        ),
        (
            "Postavi broj pokušaja na 5 i nikad ne šalji mejlove vikendom.",
            [(Decision, "Postavi broj pokušaja na 5"), (Constraint, "nikad ne šalji mejlove vikendom")],
        ),
    ] {
        let wanted: Vec<(Kind, String)> =
            wanted.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
        assert_eq!(said(turn), wanted, "{turn}");
    }
    assert_eq!(said("Do not push to main, and never rename the columns.").len(), 2);
    for turn in ["Ne koristi Redis.", "Ne diraj stare tabele.", "Ne šaljite mejlove vikendom."] {
        assert_eq!(said(turn), [(Constraint, turn.trim_end_matches('.').to_owned())]);
    }
    assert_eq!(said("Ne radi prijava na sajt."), []);
    for whole in [
        "use pnpm, not npm",
        "add a test for the empty file, run it and commit",
        "never delete rows, mark them as gone",
        "keep the parser and the lexer in one crate",
    ] {
        assert_eq!(said(whole).len(), 1, "{whole}: {:?}", said(whole));
    }
}

#[test]
fn a_permission_is_kept_beside_what_it_lifts() {
    for turn in [
        "You may edit migrations/ now.",
        "You can change the public API from now on.",
        "It is fine to touch the generated files now.",
        "Feel free to rename the columns.",
        "New dependencies are allowed now.",
        "Sada smeš da menjaš migrations/.",
        "Možeš opet da diraš folder migrations/.",
    ] {
        assert_eq!(of(Constraint, &heard(&["Build a shop.", turn])).len(), 1, "{turn}: {:?}", said(turn));
    }
    for turn in [
        "You can see it in the logs.",
        "You can find the file in docs/.",
        "Is it ok to edit migrations/ now?",
        "you can run the tests with make",
        "Možeš to da vidiš u logu.",
    ] {
        assert_eq!(said(turn), [], "{turn}");
    }
}

#[test]
fn what_leads_in_is_no_part_of_what_is_said() {
    for (turn, kind, text) in [
        (
            "Ana agrees with you: use SQLite instead of Redis for the session store.",
            Decision,
            "use SQLite instead of Redis for the session store",
        ),
        ("Marko i ja smo se složili: koristi Kafku za događaje.", Decision, "koristi Kafku za događaje"),
        ("One thing I forgot: never log the tokens.", Constraint, "never log the tokens"),
        (
            "There is one thing to remember for later: we still have to ask Jovan about the logo",
            OpenItem,
            "we still have to ask Jovan about the logo",
        ),
        (
            "We still need to ask the lawyers about the licence.",
            OpenItem,
            "We still need to ask the lawyers about the licence",
        ),
        ("Još treba da pitamo Jovana za logo.", OpenItem, "Još treba da pitamo Jovana za logo"),
        ("Session store: use SQLite.", Decision, "Session store: use SQLite"),
    ] {
        assert_eq!(said(turn), [(kind, text.to_owned())], "{turn}");
    }
    for turn in ["One option: use Redis.", "I tried it like this: use the old flag."] {
        assert_eq!(said(turn), [], "{turn}");
    }
}

#[test]
fn an_answer_describes_and_rules_only_where_it_orders() {
    for turn in [
        "No, cron never starts two",
        "Yes, the job always runs at night.",
        "No. The exporter never writes to disk.",
        "Ne, posao se nikad ne pokreće dvaput.",
    ] {
        assert_eq!(said(turn), [], "{turn}");
    }
    for turn in [
        "No, never start two of them at once.",
        "Yes, the job must run at night only.",
        "Ne, nemoj da diraš bazu.",
    ] {
        assert_eq!(said(turn).iter().map(|said| said.0).collect::<Vec<_>>(), [Constraint], "{turn}");
    }
}

#[test]
fn what_we_use_for_something_is_a_decision_and_no_goal() {
    for text in ["We use SQLite for the ledger.", "We use tabs everywhere.", "Mi koristimo pnpm za pakete."] {
        let found = heard(&["Build the importer.", text]);
        let decided = found.iter().filter(|said| said.kind == Decision).count();
        assert_eq!(decided, 1, "{text}: {found:?}");
    }
    for text in ["We use this function for three things, why is it slow?", "We use it for tests."] {
        assert!(heard(&[text]).iter().all(|said| said.kind != Decision), "{text}");
    }
}

#[test]
fn a_line_of_an_agent_that_is_left_to_do_is_an_open_item() {
    let reply = "The reader works.\nTODO: handle empty files\nTODO(ana): write the docs for it\n\n- FIXME: the cache \
                 is never cleared\n\n```ts\n// TODO: in code\n```\nI have put a TODO: comment into it.";
    let found = capture(&[Message::user("Add the importer."), Message::assistant(reply)]);
    let open: Vec<&str> =
        found.iter().filter(|(_, said)| said.kind == OpenItem).map(|(_, said)| said.text.as_str()).collect();
    assert_eq!(open, ["handle empty files", "write the docs for it", "the cache is never cleared"]);
}

#[test]
fn what_is_never_done_is_a_rule_and_no_preference() {
    for text in [
        "never log the request bodies",
        "i nikada ne briši poslednju kopiju",
        "We never log the request bodies",
        "И никад не бриши последњу копију",
    ] {
        assert_eq!(said(text), [(Constraint, text.to_owned())], "{text}");
    }
    assert_eq!(
        said("I never work on Sundays").iter().map(|said| said.0).collect::<Vec<_>>(),
        [Kind::Learning]
    );
}

#[test]
fn an_answer_and_a_question_where_things_stand_are_no_goal() {
    for text in ["Thanks. What is left?", "Šta je ostalo?", "yes, the second one", "2", "da, drugi"] {
        assert_eq!(of(Goal, &heard(&[text])), [""; 0], "{text}");
    }
    let messages = [
        Message::user("Which bundler?"),
        Message::assistant("Options:\n1. vite\n2. parcel\nWhich one do you want?"),
        Message::user("yes, the second one"),
    ];
    let found: Vec<Captured> = capture(&messages).into_iter().map(|(_, found)| found).collect();
    assert_eq!(of(Decision, &found), ["bundler: parcel"]);
    assert_eq!(of(Goal, &found), [""; 0]);
}
