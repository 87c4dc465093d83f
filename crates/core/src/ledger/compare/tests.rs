//! Pairs of our own in English and Serbian, written before they were tried, and the faults that made the rules.

use super::*;

#[test]
fn own_pairs_are_told_apart() {
    let rows: Vec<(&str, &str, &str)> = include_str!("own_pairs.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?, fields.next()?, fields.next()?))
        })
        .collect();
    assert!(rows.len() >= 180);
    let mut missed = 0;
    for (label, older, newer) in &rows {
        let got = compare(older, newer);
        let wanted = match *label {
            "duplicate" => Comparison::Duplicate,
            "conflict" => Comparison::Conflict,
            _ => Comparison::Distinct,
        };
        // A missed duplicate costs a line; a merge that should not be costs a decision.
        assert!(got != Comparison::Duplicate || wanted == got, "merged: {older} / {newer}");
        missed += usize::from(got != wanted);
    }
    assert!(missed * 12 <= rows.len(), "{missed} of {} wrong", rows.len());
}

#[test]
fn polarity_numbers_and_direction_are_never_merged() {
    for (older, newer) in [
        ("Use Redis for the session cache", "Do not use Redis for the session cache"),
        ("Set request timeout to 30s for the importer", "Set request timeout to 60s for the importer"),
        ("Delete rows older than 7 days", "Delete rows older than 70 days"),
        ("Listen on port 80", "Listen on port 8080"),
        ("Switch from Postgres to SQLite", "Switch from SQLite to Postgres"),
        ("use 30 s", "use 60 s"),
    ] {
        assert_eq!(compare(older, newer), Comparison::Conflict, "{older} / {newer}");
    }
}

#[test]
fn a_bare_not_contradicts_nothing() {
    assert_eq!(compare("Not enough disk on host a", "Not enough RAM on host b"), Comparison::Distinct);
}

#[test]
fn only_a_plain_contradiction_replaces() {
    let verdict = |older: &str, newer: &str| compare_prepared(&Prepared::new(older), &Prepared::new(newer));
    assert!(verdict("Use 30 s for the timeout", "Use 60 s for the timeout").supersedes());
    assert!(
        verdict("Koristimo Postgres za podatke", "Koristimo SQLite umesto Postgresa za podatke").explicit
    );
    assert!(!verdict("Use Kafka for the event stream", "Use Kafka for the audit trail").supersedes());
}

#[test]
fn reports_of_other_things_are_distinct_and_a_plan_replaces_no_report() {
    assert_eq!(
        compare(
            "src/parser.ts created (tokens and trees) - 885 lines",
            "src/printer.ts created (layout) - 1508 lines"
        ),
        Comparison::Distinct
    );
    let verdict = |older: &str, newer: &str| compare_prepared(&Prepared::new(older), &Prepared::new(newer));
    assert!(
        !verdict("Old importer preserved: main.ts and its tests still work", "Delete the old importer")
            .supersedes()
    );
    assert!(verdict("Keep the old importer", "Delete the old importer").supersedes());
}

#[test]
fn odd_texts_are_no_trouble() {
    for text in [
        "",
        " ",
        "---",
        "not",
        "ne",
        "的",
        "🙂🙂",
        "'s",
        "n't",
        "- [ ]",
        "to from to",
        "0",
        "-",
        "BE",
        "1M",
        "Nišu",
    ] {
        assert_eq!(compare(text, text), Comparison::Duplicate);
        assert_ne!(compare(text, "Use Redis for the cache"), Comparison::Duplicate);
    }
}

#[test]
fn long_texts_are_duplicates_only_when_what_is_not_read_is_the_same_too() {
    let long = "keep the queue in Postgres and never in Redis ".repeat(400);
    assert_eq!(compare(&long, &long), Comparison::Duplicate);
    assert_eq!(compare(&long, &format!("{long} for 30 days")), Comparison::Distinct);
    assert_eq!(compare(&format!("{long} for 60 days"), &format!("{long} for 30 days")), Comparison::Distinct);
}

#[test]
fn a_first_look_tells_apart_only_what_is_distinct_word_by_word() {
    let texts: Vec<Prepared> = include_str!("own_pairs.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split('\t').skip(1).take(2))
        .map(Prepared::new)
        .collect();
    let keys = Keys { across: false };
    let mut told_apart = 0;
    for a in &texts {
        for b in texts.iter().filter(|b| b.serbian == a.serbian) {
            let (seen, read) =
                (relate(a.whole(), b.whole(), keys), relate::word_by_word(a.whole(), b.whole(), keys));
            assert_eq!((seen.outcome, seen.apart), (read.outcome, read.apart), "{} / {}", a.plain, b.plain);
            told_apart += usize::from(seen != read);
        }
    }
    assert!(told_apart > 0 || texts.is_empty());
}

#[test]
fn a_direction_that_one_side_leaves_half_open_reads_the_same_from_both_sides() {
    let (a, b) = ("not , from redis to staging", "from staging redis");
    assert_eq!(compare(a, b), compare(b, a));
    assert_eq!(compare("Move from Redis to Kafka", "Move from Kafka to Redis"), Comparison::Conflict);
}
