//! A changed mind, told as an order: what gets another value or choice holds with that, the old one does not, and work
//! that is done leaves what was chosen standing. In English and Serbian.

use crate::capture_support::heard as ledger;
use clawback_core::capture::{Kind, Source};
use clawback_core::ledger::{LivePath, Status, View};
use std::sync::Arc;

fn view(turns: &[&str]) -> Arc<View> {
    ledger(turns).view(&LivePath::new(0))
}

/// What is decided and demanded by people.
fn holds(turns: &[&str]) -> Vec<String> {
    let view = view(turns);
    let decides = |kind: Kind| matches!(kind, Kind::Decision | Kind::Constraint);
    let held = view.items.iter().filter(|item| item.is_active() && decides(item.entry.kind));
    let held = held.filter(|item| item.entry.source == Source::User);
    held.map(|item| item.entry.text.trim_end_matches('.').to_owned()).collect()
}

#[test]
fn an_order_with_another_value_or_choice_takes_the_place_of_the_old_one() {
    for (old, new) in [
        ("Set the upload limit to 10 MB.", "Make the upload limit 25 MB instead of 10."),
        ("Use MySQL for the order archive for now.", "Actually, switch the order archive to Postgres."),
        ("Use port 9000 for the metrics endpoint.", "Move the metrics endpoint to 9443."),
        ("Ok go with port 9000", "switch the port to 9443"),
        ("Set the workers to 4.", "bump workers to 8"),
        ("Use yarn.", "Switch to pnpm."),
        ("Use Mocha for the unit tests.", "Replace Mocha with Vitest."),
        ("Store the invoices in S3.", "Please move the invoices to GCS."),
        ("Use Python 3.11.", "Upgrade to Python 3.13."),
        ("Koristi Node 20.", "Pređi na Node 22."),
        ("Use Opus-2 for the digests.", "Hm, let us go back to Opus-1 for the digests."),
        ("Koristi Redis za keš.", "Ipak nemoj Redis, stavi Valkey."),
        ("Use SOAP for the partner API.", "Forget SOAP, we do gRPC."),
        (
            "Use port 9000 for the metrics endpoint.",
            "Port 9000 is taken, use port 9443 for the metrics endpoint.",
        ),
        ("Neka kapacitet bude 40 poziva u minutu.", "Podigni kapacitet na 90 poziva u minutu."),
        ("Користи Редис за кеш.", "Замени Редис са Валкеј."),
        ("Računi neka budu u evrima.", "Ipak vrati račune na dinare."),
        ("Sastanak neka ide petkom u 17h.", "Promenili smo, sastanak neka ide sredom u 9h, ne petkom."),
    ] {
        let between = ["u: now show me the readme", "a: Here it is."];
        let found = holds(&[
            &format!("u: {old}"),
            "a: Ok.",
            between[0],
            between[1],
            &format!("u: {new}"),
            "a: Done.",
        ]);
        assert!(found.iter().all(|text| text != old.trim_end_matches('.')), "{new}: {found:?}");
        assert_eq!(found.len(), 1, "{new}: {found:?}");
    }
}

#[test]
fn what_speaks_of_other_things_stays() {
    for (old, new) in [
        ("Set the read timeout to 30 s.", "Set the write timeout to 60 s."),
        ("Use Redis for the cache.", "Switch the order archive to Postgres."),
        ("Keep the archive for 30 days.", "Move the archive to GCS."),
        ("Koristi Node 20.", "Pređi na Python 3.13."),
        ("Use MySQL for the orders.", "switch to the release branch"),
        ("Store the invoices in S3.", "Replace the logo with the new one."),
    ] {
        let found = holds(&[&format!("u: {old}"), "a: Ok.", &format!("u: {new}"), "a: Done."]);
        assert!(found.iter().any(|text| text == old.trim_end_matches('.')), "{new}: {found:?}");
    }
}

#[test]
fn an_order_that_could_mean_several_replaces_none() {
    let found = holds(&[
        "u: Set the read timeout to 30 s.",
        "a: Ok.",
        "u: Set the write timeout to 40 s.",
        "a: Ok.",
        "u: raise the timeout to 90 s",
        "a: Done.",
    ]);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn work_that_replaces_no_decision_is_work_only() {
    for work in [
        "Replace the old logo with the new one.",
        "Move the parser to lib/parse.ts.",
        "Preimenuj tabelu u orders.",
    ] {
        assert_eq!(holds(&[&format!("u: {work}"), "a: Done."]), Vec::<String>::new(), "{work}");
    }
}

#[test]
fn an_order_for_a_time_that_recurs_and_what_is_appointed_is_decided() {
    for said in [
        "Send the summary to Marta on Fridays",
        "Pošalji pregled Marti svakog petka",
        "The release manager is now Marta",
        "Reviewer change: Marta reviews the importer from tomorrow",
        "Deadline moved: the pilot starts on May 3rd",
    ] {
        assert_eq!(holds(&[&format!("u: {said}.")]), [said], "{said}");
    }
    for said in
        ["The build is now green.", "It is now Friday.", "Config changed: why?", "The output is now 5 lines."]
    {
        assert_eq!(holds(&[&format!("u: {said}")]), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn an_open_question_waits_for_its_answer() {
    let view = view(&[
        "u: Open question: do we still need the old export? Remind me about it before the release.",
        "a: Done.",
    ]);
    let open: Vec<&str> = view.active(Kind::OpenItem).map(|item| item.entry.text.as_str()).collect();
    assert_eq!(open, ["do we still need the old export? Remind me about it before the release"]);
}

#[test]
fn work_that_was_a_decision_besides_is_explained_as_what_holds() {
    let turns = ["u: Use Mocha for the unit tests.", "a: Ok.", "u: Replace Mocha with Vitest.", "a: Done."];
    let known = ledger(&turns);
    let found = known.explain("Replace Mocha with Vitest", &LivePath::new(0)).unwrap();
    assert_eq!((found.status, found.by), (Status::Active, None));
    let old = known.explain("Use Mocha for the unit tests", &LivePath::new(0)).unwrap();
    assert_eq!(old.by.as_deref(), Some("Replace Mocha with Vitest."));
    let work = ledger(&["u: Rename the importer module.", "a: Done."]);
    let found = work.explain("Rename the importer module", &LivePath::new(0)).unwrap();
    assert!(matches!(found.status, Status::Resolved(_)) && found.by.is_none(), "{found:?}");
}

#[test]
fn a_few_words_put_one_choice_in_the_place_of_another() {
    for (old, new, held) in [
        ("Use Express for the admin API.", "Use Hono instead of Express.", "Use Hono instead of Express"),
        ("Use MySQL for the orders.", "Hm, let's go with MariaDB instead of MySQL.", "MariaDB"),
        ("Let's use Kubernetes.", "no. Kubernetes is overkill. Nomad.", "Let's use Nomad"),
        ("Koristi nginx za sajt.", "Ipak ćemo Caddy umesto nginx-a.", "Caddy"),
        ("Čuvaj logove 10 dana.", "Bolje 30 dana umesto 10.", "Čuvaj logove 30 dana"),
        ("Чувај логове 10 дана.", "Боље да чувамо логове 30 дана уместо 10.", "Чувај логове 30 дана"),
        ("Koristi rsync za kopije.", "Ne rsync, nego restic.", "Koristi restic za kopije"),
        ("Користи rsync за копије.", "Ипак не rsync, него restic.", "Користи restic за копије"),
    ] {
        let found = holds(&[&format!("u: {old}"), "a: OK.", &format!("u: {new}"), "a: OK."]);
        assert!(found.len() == 1 && found.iter().all(|text| text.contains(held)), "{new}: {found:?}");
    }
    for nothing in [
        "no. The header is too big. Thanks.",
        "Ne radi, nego puca.",
        "Bolje danas umesto sutra.",
        "back to work",
    ] {
        assert_eq!(
            holds(&["u: Use tabs.", "a: OK.", &format!("u: {nothing}")]),
            ["Use tabs"],
            "{nothing} changes nothing"
        );
    }
}

#[test]
fn what_held_before_holds_again_when_a_person_goes_back() {
    for (first, second, back, held) in [
        (
            "Use Webpack for the bundle",
            "Use Vite for the bundle",
            "Sorry, go back to Webpack.",
            "Use Webpack for the bundle",
        ),
        (
            "Set the page size to 20",
            "Set the page size to 50",
            "revert that, 20 was fine",
            "Set the page size to 20",
        ),
        ("Set the page size to 20", "Set the page size to 50", "undo that", "Set the page size to 20"),
        (
            "Koristi Webpack za paket",
            "Koristi Vite za paket",
            "Ipak vrati na Webpack.",
            "Koristi Webpack za paket",
        ),
        ("Postavi limit na 20", "Postavi limit na 50", "Poništi to.", "Postavi limit na 20"),
    ] {
        let found = holds(&[
            &format!("u: {first}"),
            "a: OK.",
            &format!("u: {second}"),
            "a: OK.",
            &format!("u: {back}"),
        ]);
        assert_eq!(found, [held], "{back}");
    }
    // Of two settings in one sentence each has its own history.
    let turns = [
        "u: Poll at most 4 times, delay 20 seconds.",
        "a: OK.",
        "u: Make the delay 90 seconds instead, and make it 9 polls.",
        "a: OK.",
        "u: wait no, back to 4 polls. 9 is too much.",
    ];
    assert_eq!(holds(&turns), ["Make the delay 90 seconds instead", "Poll at most 4 times"]);
}

#[test]
fn an_order_to_remove_ends_the_decision_to_keep() {
    for (kept, order) in [
        (
            "keep the old exporter around for reference",
            "after the tests pass, remoev the old exporter, and tidy the readme",
        ),
        ("Zadrži stari izvoz zbog poređenja.", "Obriši stari izvoz."),
    ] {
        assert_eq!(holds(&[&format!("u: {kept}"), "a: OK.", &format!("u: {order}")]), [""; 0], "{order}");
    }
    let kept = "keep the old exporter around for reference";
    assert_eq!(holds(&[&format!("u: {kept}"), "a: OK.", "u: remove the old tests"]), [kept]);
}

#[test]
fn another_value_is_given_to_what_was_said_last_and_to_nothing_else() {
    for (turns, held) in [
        (
            &[
                "u: The upload limit should be 5 MB. Nemoj da koristiš ORM.",
                "a: The upload limit is 5 MB now.",
                "u: one customer has 12 MB files. make it 20 then.",
                "a: Raised it.",
            ][..],
            &["Nemoj da koristiš ORM", "The upload limit should be 20 MB"][..],
        ),
        (
            &["u: Use port 8080.", "a: Ok.", "u: no, 9090", "a: Ok.", "u: hm, make it 9443"],
            &["Use port 9443"],
        ),
        (
            &["u: Termini moraju da traju 30 minuta.", "a: Važi.", "u: ipak stavi 45, Jelena ne stiže"],
            &["Termini moraju da traju 45 minuta"],
        ),
        (&["u: Use 4 workers.", "a: Ok. Should I set a limit of 3 retries?", "u: no, 5"], &["Use 4 workers"]),
    ] {
        let view = view(turns);
        let held_now = view.items.iter().filter(|item| item.is_active());
        let rules = held_now.filter(|item| matches!(item.entry.kind, Kind::Decision | Kind::Constraint));
        let mut texts: Vec<&str> = rules.map(|item| item.entry.text.trim_end_matches('.')).collect();
        texts.sort_unstable();
        let mut held = held.to_vec();
        held.sort_unstable();
        assert!(held.iter().all(|text| texts.contains(text)), "{turns:?}: {texts:?}");
        assert!(!texts.iter().any(|text| text.contains("make it") || text.contains("8080")), "{texts:?}");
    }
    let turns = [
        "u: Retry mails 3 times.",
        "a: Retries are in, 10 minutes apart.",
        "u: 10 minutes between the retries is too long. make it 2 minutes",
    ];
    let view = view(&turns);
    let texts: Vec<&str> = view.items.iter().map(|item| item.entry.text.as_str()).collect();
    assert!(
        texts.iter().any(|text| text.contains("between the retries") && text.contains("make it 2")),
        "{texts:?}"
    );
}
