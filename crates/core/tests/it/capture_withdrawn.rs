//! Orders that are taken back, in English and Serbian: what they name, or what was said last, no longer holds; the rest
//! does.

use crate::capture_support::heard;
use clawback_core::capture::{Capturer, Kind, Source};
use clawback_core::ledger::{Fact, Ledger, LivePath, Place, Status};
use clawback_core::message::Message;

/// What holds after these turns (`u: ...`, `a: ...`) of a session whose goal is known, without goals.
fn after(turns: &[&str]) -> Vec<String> {
    let view = heard(turns).view(&LivePath::new(0));
    let held = view.items.iter().filter(|item| item.is_active() && item.entry.kind != Kind::Goal);
    held.map(|item| item.entry.text.trim_end_matches('.').to_owned()).collect()
}

#[test]
fn what_is_named_no_longer_holds_and_the_rest_does() {
    for (said, withdrawal) in [
        ("Use Redis for the cache.", "forget the Redis idea"),
        ("Use Redis for the cache.", "Never mind about Redis."),
        ("Use Redis for the cache.", "You know what, scrap the Redis plan."),
        ("Koristi Redis za keš.", "Ne, ipak odustajemo od Redisa."),
        ("Koristi Redis za keš.", "zaboravi na Redis"),
        ("Користи Редис за кеш.", "Одустани од идеје за Редис."),
        ("Never touch the migrations folder.", "Never mind the migrations folder rule."),
        ("Sve rute moraju imati verziju.", "Pravilo o verziji više ne važi."),
        ("All amounts must be in cents.", "The cents requirement no longer applies."),
        ("Keširaj odgovore 10 minuta.", "Nema više potrebe za keširanjem odgovora, batali to."),
    ] {
        let found = after(&[
            &format!("u: {said}"),
            "a: Ok.",
            "u: Store the uploads in S3.",
            "a: Ok.",
            &format!("u: {withdrawal}"),
        ]);
        assert!(found.iter().all(|text| text != said.trim_end_matches('.')), "{withdrawal}: {found:?}");
        assert!(found.contains(&"Store the uploads in S3".to_owned()), "{withdrawal}: {found:?}");
    }
}

#[test]
fn what_was_said_last_no_longer_holds() {
    for withdrawal in [
        "undo that",
        "Scratch that.",
        "ok, please revert your last change",
        "never mind",
        "Actually, don't.",
        "ne, ipak ne treba",
        "Poništi to.",
        "врати на старо",
        "batali to",
        "Nema potrebe.",
    ] {
        let found = after(&[
            "u: Set the page size to 50.",
            "a: Ok.",
            "u: Use tabs in all files.",
            "a: Ok.",
            &format!("u: {withdrawal}"),
        ]);
        assert_eq!(found, ["Set the page size to 50"], "{withdrawal}");
    }
}

#[test]
fn a_no_to_a_question_takes_nothing_else_back() {
    for (question, no) in
        [("Should I add a test as well?", "no need"), ("Da dodam i testove?", "ne, ipak ne treba")]
    {
        let found = after(&["u: Use tabs in all files.", &format!("a: Ok. {question}"), &format!("u: {no}")]);
        assert_eq!(found, ["Use tabs in all files"], "{no}");
    }
    let found = after(&[
        "u: Use tabs in all files.",
        "a: Ok.",
        "u: how big is the cache?",
        "a: 40 MB.",
        "u: undo that",
    ]);
    assert_eq!(found, ["Use tabs in all files"], "nothing was said last");
}

#[test]
fn an_alternative_takes_the_place_of_what_was_said() {
    for (said, instead, held) in [
        ("Use Redis for the cache.", "Use Memcached instead.", "Use Memcached instead"),
        ("Koristi Redis za keš.", "Koristi Memcached umesto toga.", "Koristi Memcached umesto toga"),
        ("Use tabs.", "Scratch that, use spaces.", "use spaces"),
        (
            "Use snake_case for JSON.",
            "Wait, no. camelCase instead.",
            "camelCase, instead of \"Use snake_case for JSON\"",
        ),
        ("Use Redis for the cache.", "Don't use Redis.", "Don't use Redis"),
        ("Koristi Redis za keš.", "Nemoj da koristiš Redis za keš.", "Nemoj da koristiš Redis za keš"),
        (
            "Nikad ne diraj config.yaml.",
            "Sada smeš da menjaš config.yaml.",
            "Sada smeš da menjaš config.yaml",
        ),
    ] {
        assert_eq!(after(&[&format!("u: {said}"), "a: Ok.", &format!("u: {instead}")]), [held]);
    }
}

#[test]
fn what_is_rather_to_be_done_leaves_what_is_of_another_kind() {
    for (said, rather) in [
        ("Nemoj da koristiš nikakav ORM.", "ipak stavi tajmaut na 45 sekundi"),
        ("Ne koristi Redis.", "ipak dodaj i testove za parser"),
        ("Немој да мењаш миграције.", "ипак подигни лимит на 20"),
        ("Koristi Redis za keš.", "ipak dodaj testove za parser"),
        ("Don't log the tokens.", "Use Memcached instead."),
    ] {
        let found = after(&[&format!("u: {said}"), "a: Ok.", &format!("u: {rather}")]);
        assert!(found.contains(&said.trim_end_matches('.').to_owned()), "{rather}: {found:?}");
    }
    for (said, rather) in [
        ("Koristi Redis za keš.", "ipak koristi Memcached"),
        ("Ubaci limit od 10 poziva.", "ipak ubaci limit od 20 poziva"),
    ] {
        let found = after(&[&format!("u: {said}"), "a: Ok.", &format!("u: {rather}")]);
        assert!(!found.contains(&said.trim_end_matches('.').to_owned()), "{rather}: {found:?}");
    }
}

#[test]
fn what_is_allowed_again_ends_the_ban_that_says_just_that() {
    for (ban, allowed) in [
        (
            "don't touch the legacy folder for now, Marko works there",
            "Marko is through, you can touch legacy again.",
        ),
        (
            "config.prod.yaml ne diraj dok Petar ne završi deploy",
            "Petar je završio, možeš da menjaš config.prod.yaml",
        ),
        ("Do not deploy to production until the tests are green.", "the tests are green now, deploy"),
        ("Фолдер api не дирај, Ана га преправља", "Ана је готова, api фолдер је опет слободан"),
    ] {
        let ban = ban.trim_end_matches('.');
        let turns = [format!("u: {ban}"), "a: Ok.".to_owned(), format!("u: {allowed}")];
        let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
        assert!(after(&turns[..1]).iter().any(|text| text == ban), "{ban}: {:?}", after(&turns[..1]));
        assert!(after(&turns).iter().all(|text| text != ban), "{allowed}: {:?}", after(&turns));
    }
}

#[test]
fn what_is_named_first_may_be_ordered_or_forbidden() {
    for said in [
        "za logovanje koristi JWT",
        "u testovima koristi vitest",
        "За базу узми Postgres",
        "for the login use JWT",
        "For the key, use the job id",
        "api folder ne diraj",
        "u folder migracije nemoj da pišeš",
        "Миграције не дирај",
    ] {
        assert_eq!(after(&[&format!("u: {said}")]), [said]);
    }
    for said in ["for personal use only", "ako nešto ne valja javi mi", "on kaže da ne diraj"] {
        assert_eq!(after(&[&format!("u: {said}")]), [""; 0], "{said}");
    }
}

#[test]
fn why_something_is_dropped_is_neither_goal_nor_decision() {
    for dropped in [
        "forget the VAT check, the accountant does that by hand.",
        "great. forget the VAT check, the accountant does that by hand.",
        "scrap the progress bar, the logs are enough",
        "drop it, nobody uses it",
        "never mind the Windows support, nobody here uses it",
        "I changed my mind about the batching: the throughput is terrible.",
        "zaboravi podršku za Windows, niko je ne koristi",
        "zaboravi to, računovođa to radi ručno",
        "заборави извоз, рачуновођа то ради ручно",
    ] {
        let view = heard(&["u: Store the uploads in S3.", "a: Ok.", &format!("u: {dropped}")]);
        let view = view.view(&LivePath::new(0));
        let goal = view.items.iter().rev().find(|item| item.is_active() && item.entry.kind == Kind::Goal);
        assert!(goal.is_none_or(|goal| goal.entry.text.contains("importer")), "{dropped}: {goal:?}");
        let decided = view.items.iter().filter(|item| {
            item.is_active() && item.entry.kind == Kind::Decision && !item.entry.text.contains("S3")
        });
        assert_eq!(decided.count(), 0, "{dropped}");
    }
    for (changed, held) in [
        ("scrap the nightly job, use a webhook", "use a webhook"),
        ("Forget the polling idea, we use webhooks", "we use webhooks"),
        ("I changed my mind: the default port is 9443", "the default port is 9443"),
        ("Predomislio sam se: rok je petak", "rok je petak"),
    ] {
        let found = after(&[&format!("u: {changed}")]);
        assert!(found.iter().any(|text| text == held), "{changed}: {found:?}");
    }
}

#[test]
fn half_of_a_sentence_stays_when_the_other_half_changes() {
    for first in [
        "u: Use a retry limit of 5 attempts, and keep the cache in SQLite",
        "a: I'll use a retry limit of 5 attempts, and keep the cache in SQLite.",
    ] {
        let found = after(&["u: hello there", first, "u: Use a retry limit of 8 attempts instead of 5"]);
        assert_eq!(found, ["keep the cache in SQLite", "Use a retry limit of 8 attempts instead of 5"]);
    }
}

#[test]
fn a_person_states_a_decision_as_such() {
    for said in [
        "Decision: the retry limit is 5 attempts.",
        "We decided that the retry limit is 5 attempts.",
        "Odluka: najviše 5 pokušaja po zahtevu.",
        "Odlučili smo da fajlovi idu u S3.",
    ] {
        assert_eq!(after(&[&format!("u: {said}")]).len(), 1, "{said}");
    }
}

#[test]
fn the_agent_does_not_bring_back_what_a_person_took_back() {
    let found = after(&[
        "u: Use Redis for the cache.",
        "a: Ok.",
        "u: forget the Redis idea",
        "a: Decision: Use Redis for the cache.",
    ]);
    assert_eq!(found, [""; 0]);
    let found = after(&[
        "u: Use Redis for the cache.",
        "a: Ok.",
        "u: forget the Redis idea",
        "a: Ok.",
        "u: Use Redis for the cache.",
    ]);
    assert_eq!(found, ["Use Redis for the cache"]);
}

#[test]
fn a_lower_source_takes_nothing_back() {
    let (mut ledger, live) = (Ledger::new(), LivePath::new(0));
    let place = |ordinal| Place { generation: 0, ordinal, position: 0 };
    for captured in Capturer::default().take(&Message::user("Use Redis for the cache.")) {
        for fact in ledger.hear(captured, place(0), "", &live) {
            ledger.insert(fact);
        }
    }
    let mut withdrawal = Capturer::default().take(&Message::user("forget the Redis idea")).remove(0);
    for source in [Source::Assistant, Source::Summary, Source::Enrichment, Source::Tool] {
        withdrawal.source = source;
        assert_eq!(ledger.hear(withdrawal.clone(), place(1), "", &live), [], "{source:?}");
    }
    withdrawal.source = Source::User;
    assert!(matches!(ledger.hear(withdrawal, place(1), "", &live).as_slice(), [Fact::Resolution(_)]));
}

/// The agent calls a tool, then reports.
fn worked(report: &str) -> [Message; 2] {
    let call = serde_json::json!({"role": "assistant", "content": [
        {"type": "toolCall", "id": "1", "name": "edit", "arguments": {"path": "a.ts"}}]});
    [Message::from_value(&call), Message::assistant(report)]
}

/// Open work at the end of these messages.
fn open_work(messages: &[Message]) -> Vec<String> {
    let (mut capturer, mut ledger, live) = (Capturer::default(), Ledger::new(), LivePath::new(0));
    for (message, ordinal) in messages.iter().zip(0..) {
        for captured in capturer.take(message) {
            let place = Place { generation: 0, ordinal, position: captured.position };
            for fact in ledger.hear(captured, place, "", &live) {
                ledger.insert(fact);
            }
        }
    }
    let view = ledger.view(&live);
    view.active(Kind::Task).map(|item| item.entry.text.trim_end_matches('.').to_owned()).collect()
}

#[test]
fn work_is_over_when_the_person_goes_on_after_it_and_not_when_they_complain() {
    let talk = |next: &str, report: &str| {
        let mut messages = vec![
            Message::user("Write the importer for the warehouse."),
            Message::user("Make the header a bit darker."),
        ];
        messages.extend(worked(report));
        messages.push(Message::user(next));
        open_work(&messages)
    };
    let header = "Make the header a bit darker".to_owned();
    for next in [
        "Great. Add a footer to every page.",
        "what does the log say?",
        "Odlično, dodaj podnožje na svaku stranu.",
    ] {
        assert!(!talk(next, "The header has the colour #222 now.").contains(&header), "{next}");
    }
    for next in
        ["no, that is still too light", "you forgot the mobile header", "continue", "i dalje je svetlo"]
    {
        assert!(talk(next, "The header has the colour #222 now.").contains(&header), "{next}");
    }
    assert!(talk("Add a footer.", "How dark should it be?").contains(&header), "the agent asked");
}

#[test]
fn a_newer_list_of_what_is_left_takes_the_place_of_the_older() {
    let list = |items: &[&str]| {
        Message::assistant(&format!(
            "Remaining:\n{}",
            items.iter().map(|item| format!("- {item}\n")).collect::<String>()
        ))
    };
    let messages = [
        Message::user("Write the importer for the warehouse."),
        list(&["Read the CSV files", "Map the columns", "Write the report"]),
        Message::user("sounds good"),
        list(&["Write the report", "Publish the package"]),
    ];
    let open = open_work(&messages);
    assert!(
        !open.contains(&"Map the columns".to_owned()) && open.contains(&"Write the report".to_owned()),
        "{open:?}"
    );
    assert!(open.contains(&"Publish the package".to_owned()));
}

#[test]
fn what_was_taken_back_is_not_done() {
    let (mut capturer, mut ledger, live) = (Capturer::default(), Ledger::new(), LivePath::new(0));
    for (text, ordinal) in
        ["Write the importer for the warehouse.", "Add a dark mode to the report.", "never mind"]
            .iter()
            .zip(0..)
    {
        for captured in capturer.take(&Message::user(text)) {
            let place = Place { generation: 0, ordinal, position: captured.position };
            for fact in ledger.hear(captured, place, "", &live) {
                ledger.insert(fact);
            }
        }
    }
    let view = ledger.view(&live);
    let item = view.items.iter().find(|item| item.entry.text.contains("dark mode")).unwrap();
    assert!(matches!(item.status, Status::Withdrawn(_)), "{:?}", item.status);
}

#[test]
fn what_was_forbidden_is_allowed_again() {
    for (ban, permission) in [
        ("Don't push to the release branch.", "OK you can push to the release branch now."),
        ("Ne diraj deploy.yaml.", "Sad smeš da menjaš deploy.yaml."),
        ("Ne diraj deploy.yaml.", "Možeš sad da diraš deploy.yaml."),
        ("Не дирај deploy.yaml.", "Можеш сад да дираш deploy.yaml."),
    ] {
        let found = after(&[&format!("u: {ban}"), "a: Ok.", &format!("u: {permission}")]);
        assert_eq!(found, [permission.trim_end_matches('.')], "{permission}");
    }
}

#[test]
fn a_rule_for_one_answer_ends_when_something_is_to_be_changed() {
    for (rule, next) in [
        ("Don't touch any code, just explain how the queue works.", "ok now move it to a worker"),
        ("Do not edit any files. Just show me the plan.", "Good, now write the worker for the queue."),
        ("Nemoj ništa da menjaš, samo objasni kako radi red.", "ok, sad prepravi to na radnike"),
    ] {
        let asked = ["u: Use tabs.", "a: Ok.", &format!("u: {rule}"), "a: It polls."];
        let rule = rule.split('.').next().unwrap();
        let meanwhile: Vec<&str> = asked.iter().copied().chain(["u: and how does the cache work?"]).collect();
        assert!(after(&meanwhile).iter().any(|text| text == rule), "{rule}");
        let changed: Vec<String> =
            asked.iter().map(|turn| (*turn).to_owned()).chain([format!("u: {next}")]).collect();
        let found = after(&changed.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(
            found.iter().all(|text| text != rule) && found.contains(&"Use tabs".to_owned()),
            "{next}: {found:?}"
        );
    }
}

#[test]
fn what_was_said_of_one_thing_is_taken_back_and_the_rest_stays() {
    for (said, withdrawal, held) in [
        (
            "Use npm for the build. Do not use Yarn.",
            "Forget what I said about Yarn.",
            &["Use npm for the build"][..],
        ),
        ("Nikad ne objavljuj nedeljom. Koristi npm.", "Zaboravi ono za nedelju.", &["Koristi npm"]),
    ] {
        let found = after(&[&format!("u: {said}"), "a: Ok.", &format!("u: {withdrawal}")]);
        assert_eq!(found, held, "{withdrawal}");
    }
}

#[test]
fn a_rule_beside_work_leaves_it_and_one_that_forbids_it_does_not() {
    let found = after(&["u: Publish with Helm. Never publish on Sunday.", "a: Ok."]);
    assert_eq!(found, ["Publish with Helm", "Never publish on Sunday"]);
    let found = after(&["u: Add the PDF export.", "a: Ok.", "u: Never export on Sunday.", "a: Ok."]);
    assert_eq!(found.len(), 2, "{found:?}");
    let found = after(&["u: Add the PDF export.", "a: Ok.", "u: Don't add the PDF export."]);
    assert_eq!(found, ["Don't add the PDF export"]);
}
