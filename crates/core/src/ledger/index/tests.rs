use super::super::compare::{Comparison, compare_prepared};
use super::*;

/// Texts of many constructions, in two languages.
fn texts() -> Vec<&'static str> {
    let pairs = include_str!("../compare/own_pairs.tsv").lines().filter(|line| !line.starts_with('#'));
    pairs.flat_map(|line| line.split('\t').skip(1).take(2)).collect()
}

#[test]
fn whatever_is_not_distinct_is_a_candidate_and_little_else_is() {
    let lines = texts();
    let known: Vec<Known> = lines.iter().map(|line| Known::new(line)).collect();
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
    let pairs = known.len() * known.len() / 2;
    assert!(related > 100 && looked_at < pairs / 100, "{related} related, {looked_at} of {pairs} looked at");
}
