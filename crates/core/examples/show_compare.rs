//! Prints how two texts compare: `show_compare < PAIRS`, lines of `older<TAB>newer`; or `show_compare FILE.jsonl ...` with rows of
//! `a`, `b` and `label`: each miss, and the figures. `READ=1` prints how each text was read.
#![allow(clippy::print_stdout, reason = "a command for developers")]

use clawback_core::ledger::{Prepared, compare_prepared};
use serde_json::Value;
use std::collections::BTreeMap;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let read = std::env::var_os("READ").is_some();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for row in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            let (a, b) = (Prepared::new(field("a")), Prepared::new(field("b")));
            let found = compare_prepared(&a, &b);
            let told = format!("{:?}", found.comparison).to_lowercase();
            if told != field("label") {
                println!(
                    "{} {told} for {} ({}) {:.2} | {} | {}",
                    field("id"),
                    field("label"),
                    field("category"),
                    found.agreement,
                    field("a"),
                    field("b")
                );
                if read {
                    println!("    {a}\n    {b}");
                }
            }
            *counts.entry((field("label").to_owned(), told)).or_default() += 1;
        }
        let n = |label: &str, told: &str| {
            counts.get(&(label.to_owned(), told.to_owned())).copied().unwrap_or(0) as f64
        };
        let of = |label: &str| {
            ["duplicate", "conflict", "distinct"].iter().map(|told| n(label, told)).sum::<f64>()
        };
        let told =
            ["duplicate", "conflict", "distinct"].iter().map(|label| n(label, "duplicate")).sum::<f64>();
        let (precision, recall) =
            (n("duplicate", "duplicate") / told, n("duplicate", "duplicate") / of("duplicate"));
        println!("{file}: {counts:?}");
        println!(
            "  F1 {:.3} (p {precision:.2} r {recall:.2}), conflicts seen {:.2}, merged {}, distinct as conflict {}, right {:.2}",
            2.0 * precision * recall / (precision + recall),
            n("conflict", "conflict") / of("conflict"),
            n("conflict", "duplicate"),
            n("distinct", "conflict"),
            (n("duplicate", "duplicate") + n("conflict", "conflict") + n("distinct", "distinct"))
                / counts.values().sum::<usize>() as f64
        );
    }
    if !files.is_empty() {
        return;
    }
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Some((older, newer)) = line.split_once('\t') else { continue };
        let (a, b) = (Prepared::new(older), Prepared::new(newer));
        let verdict = compare_prepared(&a, &b);
        println!(
            "{:?} {:.2}{}{} | {older} | {newer}",
            verdict.comparison,
            verdict.agreement,
            if verdict.explicit { " explicit" } else { "" },
            if verdict.supersedes() { " REPLACES" } else { "" },
        );
        if read {
            println!("    {a}\n    {b}");
        }
    }
}
