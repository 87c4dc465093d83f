//! The ledger's laws: union, order, rewinds, trust, and what ten checkpoints keep.

use proptest::prelude::*;

use super::*;

fn entry(id: &str, text: &str, source: Source, ordinal: u64) -> Entry {
    Entry {
        id: id.to_owned(),
        kind: Kind::Decision,
        scope: Scope::Branch,
        text: text.to_owned(),
        at: String::new(),
        source,
        place: Place { generation: 0, ordinal, position: 0 },
        confidence: 1.0,
        task: None,
    }
}

fn of_kind(kind: Kind, entry: Entry) -> Entry {
    Entry { kind, ..entry }
}

fn active(ledger: &Ledger, live: &LivePath) -> Vec<String> {
    ledger.view(live).items.iter().filter(|i| i.is_active()).map(|i| i.entry.text.clone()).collect()
}

const TEXTS: [&str; 10] = [
    "Use Redis for the session cache",
    "Do not use Redis for the session cache",
    "Use Memcached for the session cache",
    "- **use redis** for the session cache",
    "Set the request timeout to 30s",
    "Set the request timeout to 60 seconds",
    "Set the request timeout to 1 minute",
    "Write the migration guide",
    "Користимо Redis за keš sesija",
    "Keep the legacy endpoint",
];

const SOURCES: [Source; 4] = [Source::Summary, Source::Assistant, Source::Enrichment, Source::User];

prop_compose! {
    fn any_entry()(text in 0usize..10, source in 0usize..4, ordinal in 0u64..4, position in 0u32..2, kind in 0u8..4) -> Entry {
        let kind = [Kind::Decision, Kind::Decision, Kind::Constraint, Kind::OpenItem][usize::from(kind)];
        let mut made = of_kind(kind, entry("", TEXTS[text], SOURCES[source], ordinal));
        made.place.position = position;
        made.id = format!("{text}-{source}-{ordinal}-{position}-{kind:?}");
        made
    }
}

/// Facts as two or more processes might have stored them: entries, supersessions, resolutions.
fn any_facts() -> impl Strategy<Value = Vec<Fact>> {
    (
        prop::collection::vec(any_entry(), 1..6),
        prop::collection::vec((0usize..6, 0usize..6, 0u64..5, any::<bool>()), 0..3),
    )
        .prop_map(|(entries, links)| {
            let mut facts: Vec<Fact> = entries.iter().cloned().map(Fact::Entry).collect();
            for (a, b, ordinal, resolves) in links {
                let place = Place { generation: 0, ordinal, position: 0 };
                let (older, newer) = (&entries[a % entries.len()], &entries[b % entries.len()]);
                if resolves {
                    facts.push(Fact::Resolution(Resolution {
                        entry: older.id.clone(),
                        how: "done".into(),
                        place,
                        withdrawn_by: (ordinal % 2 == 0).then_some(Source::User),
                    }));
                } else if older.id != newer.id && older.place < newer.place {
                    facts.push(Fact::Supersession(Supersession {
                        older: older.id.clone(),
                        newer: newer.id.clone(),
                        place: newer.place,
                    }));
                }
            }
            facts
        })
}

#[test]
fn the_same_words_twice_in_a_list_are_both_said_again_by_its_repetition() {
    for list in [["disable keš", "keš", "keš"], ["from staging", "cache instead of staging", "from staging"]]
    {
        let list = list.map(str::to_owned);
        assert_eq!(merge_items(&list, &list).items, list);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn union_is_commutative_associative_and_idempotent(facts in any_facts(), cut in 0usize..9, cut2 in 0usize..9, buried in any::<bool>()) {
        let (cut, cut2) = (cut.min(facts.len()), cut2.min(facts.len()));
        let mut a = Ledger::from_facts(facts[..cut].to_vec());
        let b = Ledger::from_facts(facts[cut.min(cut2)..].to_vec());
        let c = Ledger::from_facts(facts[cut2..].to_vec());
        if buried && let Some(Fact::Entry(e)) = facts.first() {
            a.bury(&e.id);
        }
        let join = |x: &Ledger, y: &Ledger| { let mut out = x.clone(); out.union(y); out };
        prop_assert_eq!(join(&a, &b), join(&b, &a));
        prop_assert_eq!(join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
        prop_assert_eq!(join(&a, &a), a);
    }

    #[test]
    fn any_order_and_any_split_give_the_same_view(facts in any_facts(), shuffled in any::<prop::sample::Index>(), mask in any::<u8>()) {
        let live = LivePath::new(0);
        let straight = Ledger::from_facts(facts.clone());
        let mut turned = facts.clone();
        turned.rotate_left(shuffled.index(facts.len()));
        turned.reverse();
        prop_assert_eq!(Ledger::from_facts(turned).view(&live), straight.view(&live));
        let (left, right): (Vec<_>, Vec<_>) = facts.into_iter().enumerate().partition(|(i, _)| mask >> (i % 8) & 1 == 1);
        let mut joined = Ledger::from_facts(right.into_iter().map(|(_, f)| f));
        joined.union(&Ledger::from_facts(left.into_iter().map(|(_, f)| f)));
        prop_assert_eq!(joined.view(&live), straight.view(&live));
    }

    #[test]
    fn a_view_that_grew_is_the_view_made_anew(mut facts in any_facts(), more in any_facts(), looks in any::<u16>(), sorted in any::<bool>(), buried in 0usize..20) {
        let live = LivePath::new(0);
        let mut ledger = Ledger::new();
        facts.extend(more);
        if sorted {
            facts.sort_by_key(|fact| match fact {
                Fact::Entry(e) => (e.place, 0),
                Fact::Supersession(s) => (s.place, 1),
                Fact::Resolution(r) => (r.place, 2),
            });
        }
        for (at, fact) in facts.into_iter().enumerate() {
            ledger.insert(fact.clone());
            if let (true, Fact::Entry(entry)) = (at == buried, &fact) {
                ledger.bury(&entry.id);
            }
            if looks >> (at % 16) & 1 == 1 {
                // A copy keeps nothing.
                prop_assert_eq!(ledger.view(&live), ledger.clone().view(&live));
            }
        }
    }

    #[test]
    fn rewind_and_return_gives_the_view_back(facts in any_facts(), from in 0u64..4) {
        let ledger = Ledger::from_facts(facts);
        let mut live = LivePath::new(0);
        let before = ledger.view(&live);
        live.rewind(from, 9);
        let rewound = ledger.view(&live);
        prop_assert!(rewound.items.iter().all(|i| i.members.iter().all(|m| ledger.entry(m).is_some_and(|e| e.place.ordinal < from))));
        live.restore(from, 9);
        prop_assert_eq!(ledger.view(&live), before);
    }

    #[test]
    fn a_lower_source_never_replaces_a_higher_one(facts in any_facts()) {
        let ledger = Ledger::from_facts(facts);
        let view = ledger.view(&LivePath::new(0));
        for item in &view.items {
            if let Status::Superseded(by) = &item.status {
                let newer = view.item_of(by).map(|i| i.trust);
                prop_assert!(newer >= Some(item.trust), "{item:?}");
            }
        }
    }

    #[test]
    fn what_was_said_last_on_a_subject_holds(picks in prop::collection::vec(0usize..7, 1..6)) {
        let mut ledger = Ledger::new();
        let live = LivePath::new(0);
        for (ordinal, pick) in (0u64..).zip(&picks) {
            ledger.ingest(entry(&format!("e{ordinal}"), TEXTS[*pick], Source::User, ordinal), &live);
        }
        let newest = TEXTS[*picks.last().unwrap()];
        let held = active(&ledger, &live);
        prop_assert!(held.iter().any(|text| compare(text, newest) == Comparison::Duplicate), "{newest} not in {held:?}");
    }
}

#[test]
fn a_changed_mind_wins_and_a_rewind_takes_it_back() {
    let mut ledger = Ledger::new();
    let mut live = LivePath::new(0);
    let first =
        ledger.ingest(entry("a", "Set the request timeout to 30s for the importer", Source::User, 1), &live);
    assert_eq!(first.outcome, Appended::Added);
    let again =
        ledger.ingest(entry("b", "request timeout for the importer: 30 seconds", Source::User, 2), &live);
    assert_eq!((again.outcome, again.facts.len()), (Appended::Duplicate, 0));
    let changed =
        ledger.ingest(entry("c", "Set the request timeout to 60s for the importer", Source::User, 3), &live);
    assert_eq!((changed.outcome, changed.facts.len()), (Appended::SupersededOlder, 2));
    assert_eq!(active(&ledger, &live), ["Set the request timeout to 60s for the importer"]);
    let explained = ledger.explain("set the request timeout to 30s for the importer", &live).unwrap();
    assert_eq!(explained.status, Status::Superseded("c".into()));
    assert_eq!(explained.by.as_deref(), Some("Set the request timeout to 60s for the importer"));
    let part = ledger.explain("request timeout to 60s", &live).unwrap();
    assert_eq!((part.id.as_str(), part.status), ("c", Status::Active));
    assert_eq!(ledger.explain("the importer", &live), None);
    live.rewind(3, 3);
    assert_eq!(active(&ledger, &live), ["Set the request timeout to 30s for the importer"]);
}

#[test]
fn back_to_the_first_choice() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    for (ordinal, text) in (1..).zip([
        "Use Redis for the cache layer",
        "Use Memcached for the cache layer",
        "Use Redis for the cache layer",
    ]) {
        ledger.ingest(entry(&format!("e{ordinal}"), text, Source::User, ordinal), &live);
    }
    assert_eq!(active(&ledger, &live), ["Use Redis for the cache layer"]);
}

#[test]
fn an_agent_does_not_overrule_a_person() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    ledger.ingest(entry("a", "Do not use Redis for the session cache", Source::User, 1), &live);
    let said = ledger.ingest(entry("b", "Use Redis for the session cache", Source::Assistant, 2), &live);
    assert_eq!(said.outcome, Appended::Added);
    let view = ledger.view(&live);
    assert!(view.items.iter().all(Item::is_active));
    assert_eq!(view.items[1].conflicts, ["a"]);
    assert!(ledger.ingest(entry("c", "Use NATS", Source::Tool, 3), &live).facts.is_empty());
}

#[test]
fn unrelated_negations_do_not_meet() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    for (id, text) in [("a", "Not enough disk on host a"), ("b", "Not enough RAM on host b")] {
        assert_eq!(ledger.ingest(entry(id, text, Source::User, 1), &live).outcome, Appended::Added);
    }
}

#[test]
fn finished_work_stays_finished_until_someone_reopens_it() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    let item = |id: &str, source, ordinal| of_kind(Kind::OpenItem, entry(id, "Deploy v2", source, ordinal));
    ledger.ingest(item("a", Source::Assistant, 1), &live);
    let place = Place { generation: 0, ordinal: 2, position: 0 };
    assert_eq!(ledger.resolve("deploy v2 is done", "deploy v2 is done", place, &live).len(), 1);
    assert!(active(&ledger, &live).is_empty());
    assert_eq!(ledger.ingest(item("b", Source::Summary, 3), &live).outcome, Appended::Duplicate);
    ledger.insert(Fact::Entry(item("c", Source::Summary, 4)));
    assert!(active(&ledger, &live).is_empty(), "a summary repeats old plans");
    ledger.ingest(item("d", Source::User, 5), &live);
    assert_eq!(active(&ledger, &live), ["Deploy v2"]);
}

#[test]
fn a_task_that_is_reported_done_is_resolved() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    let task = |id: &str, text: &str, state, ordinal| Entry {
        task: Some(state),
        ..of_kind(Kind::Task, entry(id, text, Source::Assistant, ordinal))
    };
    ledger.ingest(task("a", "Fix the login bug on iOS", TaskState::Open, 1), &live);
    ledger.ingest(task("b", "Fix the login bug on Android", TaskState::Open, 1), &live);
    ledger.ingest(task("c", "Fixed the login bug on iOS", TaskState::Done, 2), &live);
    assert_eq!(active(&ledger, &live), ["Fix the login bug on Android"]);
}

#[test]
fn finished_work_is_not_replaced_by_the_next_task() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    let task = |id: &str, text: &str, state, ordinal| Entry {
        task: Some(state),
        ..of_kind(Kind::Task, entry(id, text, Source::Assistant, ordinal))
    };
    ledger.ingest(task("a", "Enable the audit log", TaskState::Done, 1), &live);
    let next = ledger.ingest(task("b", "Disable the audit log", TaskState::Open, 2), &live);
    assert_eq!(next.outcome, Appended::Added);
    let undone = ledger.ingest(task("c", "Revert: disable the audit log", TaskState::Open, 3), &live);
    assert_ne!(undone.outcome, Appended::Added);
}

#[test]
fn caps_spare_the_newest_and_what_holds() {
    let mut ledger = Ledger::new();
    let live = LivePath::new(0);
    for ordinal in 0..6 {
        ledger.insert(Fact::Entry(entry(
            &format!("e{ordinal}"),
            &format!("Handle topic{ordinal} alone"),
            Source::User,
            ordinal,
        )));
    }
    ledger.resolve_id("e4", "settled", Place { generation: 0, ordinal: 9, position: 0 });
    let view = ledger.view(&live);
    let ids = |cap| view.within(Kind::Decision, cap).iter().map(|i| i.entry.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(5), ["e0", "e1", "e2", "e3", "e5"]);
    assert_eq!(ids(2), ["e3", "e5"]);
    assert_eq!(ids(0), ["e5"]);
}

#[test]
fn ten_checkpoints_carry_every_live_decision() {
    let subjects = [
        "search index",
        "mail relay",
        "invoice export",
        "login page",
        "audit trail",
        "image resizer",
        "rate limiter",
        "job runner",
        "report builder",
        "chat widget",
    ];
    let live = LivePath::new(0);
    let mut stored: Vec<Fact> = Vec::new();
    let mut expected: Vec<String> = Vec::new();
    for (round, subject) in (0u64..).zip(subjects) {
        // Each round starts from what was stored, as a new process does.
        let mut ledger = Ledger::from_facts(stored.clone());
        let said = [
            format!("Set the timeout of the {subject} to {}s", 10 + round),
            format!("Set the timeout of the {subject} to {} minutes", 2 + round),
            format!("Keep the {subject} in its own package"),
        ];
        for (position, text) in (0u32..).zip(&said) {
            let mut new = entry(&format!("r{round}-{position}"), text, Source::User, round);
            new.place.position = position;
            stored.extend(ledger.ingest(new, &live).facts);
        }
        expected.extend(said[1..].iter().cloned());
        assert_eq!(active(&ledger, &live), expected, "round {round}");
    }
}

#[test]
fn twelve_cycles_of_rewording_do_not_grow() {
    let mut items: Vec<String> =
        vec!["Use pnpm workspaces for the monorepo".into(), "Store timestamps in UTC".into()];
    let reworded: Vec<String> =
        vec!["- **Use pnpm workspaces for the monorepo**".into(), "Timestamps are stored in UTC.".into()];
    for _ in 0..12 {
        items = merge_items(&items, &reworded).items;
    }
    assert_eq!(items.len(), 2);
}

#[test]
fn a_ledger_reads_back() {
    let mut ledger = Ledger::from_facts([
        Fact::Entry(entry("a", "Use Redis", Source::User, 1)),
        Fact::Entry(entry("b", "Use Kafka", Source::User, 2)),
    ]);
    ledger.bury("a");
    let text = serde_json::to_string(&ledger).unwrap();
    let back: Ledger = serde_json::from_str(&text).unwrap();
    assert_eq!(back, ledger);
    assert!(
        !ledger.insert(Fact::Entry(entry("a", "Use Redis", Source::User, 1))),
        "a buried id stays buried"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn the_index_gives_exactly_the_pairwise_result(a in items(), b in items()) {
        let (by_index, by_pairs) = merge::merge_both_ways(&a, &b);
        prop_assert_eq!(by_index, by_pairs);
    }

    #[test]
    fn merging_a_list_with_itself_changes_nothing(a in items()) {
        prop_assert_eq!(merge_items(&a, &a).items, a);
    }

    #[test]
    fn comparison_is_symmetric(a in item(), b in item()) {
        let (a, b) = (Prepared::new(&a), Prepared::new(&b));
        let outcome = |x: &Prepared, y: &Prepared| compare_prepared(x, y).comparison;
        prop_assert_eq!(outcome(&a, &b), outcome(&b, &a));
        prop_assert_eq!(outcome(&a, &a), Comparison::Duplicate);
    }
}

fn item() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "use",
        "the",
        "cache",
        "redis",
        "memcached",
        "not",
        "for",
        "sessions",
        "in",
        "staging",
        "30s",
        "60s",
        "before",
        "after",
        "deploy",
        "from",
        "to",
        "enable",
        "disable",
        "tests",
        "ne",
        "koristimo",
        "za",
        "keš",
        "instead of",
        ",",
        "without",
        "and",
        "three",
        "5",
        "add",
        "remove",
        "state",
    ]);
    prop::collection::vec(words, 1..7).prop_map(|words| words.join(" "))
}

fn items() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(item(), 0..4)
}

#[test]
fn what_differs_in_two_values_is_kept_beside_the_other() {
    for (older, newer) in [
        ("Use port 8080 for service 1", "Use port 9090 for service 2"),
        ("Set the timeout to 30 s for module 1", "Set the timeout to 60 s for module 2"),
    ] {
        let merged = merge_items(&[older.to_owned()], &[newer.to_owned()]);
        assert_eq!(merged.items, [older, newer]);
    }
    let merged =
        merge_items(&["Set the timeout to 30 s".to_owned()], &["Set the timeout to 60 s".to_owned()]);
    assert_eq!(merged.superseded.len(), 1);
}
