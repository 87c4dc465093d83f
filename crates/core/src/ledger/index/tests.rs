use super::super::compare::{Comparison, compare_prepared};
use super::*;

/// Texts of many constructions, in two languages.
fn texts() -> Vec<&'static str> {
    let pairs = include_str!("../compare/own_pairs.tsv").lines().filter(|line| !line.starts_with('#'));
    pairs.flat_map(|line| line.split('\t').skip(1).take(2)).collect()
}

/// Adds the texts one by one; each that is not distinct from a later one must be among the later one's candidates. How
/// many pairs are related, and how many were looked at.
fn related_and_looked_at(lines: &[String]) -> (usize, usize) {
    related_and_looked_at_among(lines, Known::new)
}

fn related_and_looked_at_among(lines: &[String], read: impl Fn(&str) -> Known) -> (usize, usize) {
    let known: Vec<Known> = lines.iter().map(|line| read(line)).collect();
    let mut index = Index::default();
    let (mut related, mut looked_at) = (0, 0);
    for (slot, newer) in (0..).zip(&known) {
        let candidates = index.candidates(&newer.signature);
        looked_at += candidates.len();
        for (at, older) in (0..slot).zip(&known) {
            let verdict = compare_prepared(&older.prepared, &newer.prepared);
            if verdict.comparison != Comparison::Distinct {
                related += 1;
                assert!(candidates.contains(&at), "{:?} / {:?}", lines[at as usize], lines[slot as usize]);
            }
        }
        index.add(slot, &newer.signature);
    }
    (related, looked_at)
}

#[test]
fn whatever_is_not_distinct_is_a_candidate_and_little_else_is() {
    let lines: Vec<String> = texts().into_iter().map(str::to_owned).collect();
    let (related, looked_at) = related_and_looked_at(&lines);
    let pairs = lines.len() * lines.len() / 2;
    assert!(related > 100 && looked_at < pairs / 100, "{related} related, {looked_at} of {pairs} looked at");
}

#[test]
fn words_that_share_a_key_hide_nothing() {
    let lines: Vec<String> = texts().into_iter().map(str::to_owned).collect();
    for mask in [0xff00_0000, 0xffc0_0000, 0xfff0_0000] {
        let (related, _) = related_and_looked_at_among(&lines, |line| {
            let Known { prepared, signature } = Known::new(line);
            Known { prepared, signature: signature.blurred(mask) }
        });
        assert!(related > 100);
    }
}

#[test]
fn a_clause_that_many_texts_share_is_no_reason_to_look_at_them_all() {
    let shared = [", as the design already says", ", and run the tests", "; ping Mara when it is done"];
    let mut lines: Vec<String> =
        shared.iter().map(|clause| clause.trim_start_matches([',', ';', ' ']).to_owned()).collect();
    for (at, text) in texts().into_iter().enumerate().filter(|(at, _)| at % 3 != 2) {
        let (first, second) = (shared[at % 3], shared[at / 3 % 3]);
        lines.push(if at % 5 == 0 { format!("{text}{first}{second}") } else { format!("{text}{first}") });
    }
    let (related, looked_at) = related_and_looked_at(&lines);
    let pairs = lines.len() * lines.len() / 2;
    assert!(related > 100 && looked_at < pairs / 8, "{related} related, {looked_at} of {pairs} looked at");
}
