//! Prints how well [`clawback_core::ledger::compare`] does on the evaluation sets. `MISSES=1` prints every miss.
//! usage: cargo run -p clawback-core --example score_compare [DIR with eval/ and data/]
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clawback_core::ledger::{Comparison, compare};
use serde_json::Value;

fn main() {
    let root = std::env::args().nth(1).unwrap_or_else(|| "../shared".to_owned());
    let root = PathBuf::from(root);
    let misses = std::env::var_os("MISSES").is_some();
    own_pairs(misses);
    dedup(&root.join("eval/dedup_pairs.dev.jsonl"), misses);
    breaking_nli(&root.join("data/breaking_nli/data/dataset.jsonl"), misses);
    paraphrases(&root.join("data/paraphrase_sr"), misses);
}

fn rows(path: &Path) -> Vec<Value> {
    let Ok(text) = fs::read_to_string(path) else {
        println!("skipped, not there: {}", path.display());
        return Vec::new();
    };
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn name(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Duplicate => "duplicate",
        Comparison::Conflict => "conflict",
        Comparison::Distinct => "distinct",
    }
}

fn dedup(path: &Path, misses: bool) {
    let rows = rows(path);
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut asymmetric = 0;
    for row in &rows {
        let (a, b, label) = (field(row, "a"), field(row, "b"), field(row, "label"));
        let got = name(compare(a, b));
        let back = name(compare(b, a));
        asymmetric += usize::from(got != back);
        *counts.entry((label, got)).or_default() += 1;
        if misses && got != label {
            println!("   {} {}: {got} for {label}: {a} / {b}", field(row, "id"), field(row, "category"));
        }
    }
    let count = |label, got| counts.get(&(label, got)).copied().unwrap_or_default() as f64;
    let right = count("duplicate", "duplicate");
    let false_merges = count("conflict", "duplicate") + count("distinct", "duplicate");
    let missed = count("duplicate", "conflict") + count("duplicate", "distinct");
    let conflicts =
        count("conflict", "conflict") + count("conflict", "duplicate") + count("conflict", "distinct");
    println!(
        "dedup n={} f1={:.3} conflictsMerged={} conflictRecall={:.3} distinctMerged={} distinctAsConflict={} dupAsConflict={} asymmetric={asymmetric}",
        rows.len(),
        2.0 * right / (2.0 * right + false_merges + missed),
        count("conflict", "duplicate"),
        count("conflict", "conflict") / conflicts,
        count("distinct", "duplicate"),
        count("distinct", "conflict"),
        count("duplicate", "conflict"),
    );
}

/// The pairs of our own that stand beside the rules.
fn own_pairs(misses: bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ledger/compare/own_pairs.tsv");
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(label), Some(a), Some(b)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let got = name(compare(a, b));
        *counts.entry((label, got)).or_default() += 1;
        if misses && got != label {
            println!("   own: {got} for {label}: {a} / {b}");
        }
    }
    println!("own pairs {counts:?}");
}

fn breaking_nli(path: &Path, misses: bool) {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows(path) {
        let (a, b, label) = (field(row, "sentence1"), field(row, "sentence2"), field(row, "gold_label"));
        let got = name(compare(a, b));
        *counts.entry((label.to_owned(), got)).or_default() += 1;
        let wrong = matches!((label, got), ("contradiction", "duplicate") | ("entailment", "conflict"));
        let times = shown.entry(format!("{label} {}", field(row, "category"))).or_default();
        if wrong {
            *times += 1;
            if misses && *times <= 12 {
                println!("   {label} {}: {got}: {a} / {b}", field(row, "category"));
            }
        }
    }
    println!("breaking_nli {counts:?}");
}

fn paraphrases(dir: &Path, misses: bool) {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for file in ["paraphrase.sr.train.txt", "paraphrase.sr.test.txt"] {
        let Ok(text) = fs::read_to_string(dir.join(file)) else { continue };
        for line in text.lines() {
            let mut fields = line.trim_start_matches('\u{FEFF}').split('\t');
            let (Some(label), Some(a), Some(b)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let got = name(compare(a, b));
            *counts.entry((label.to_owned(), got)).or_default() += 1;
            if misses && (label == "0" && got == "duplicate" || label == "1" && got == "conflict") {
                println!("   {label} {got}: {a} / {b}");
            }
        }
    }
    println!("paraphrase_sr {counts:?}");
}
