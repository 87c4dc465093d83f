//! Scores capture on evaluation rows in JSON lines: `score_capture DIR [--set=tuning] [--half=odd|even] [--misses]`. Reads the
//! sets of `fixtures/quality` (one at a time) and those of the scorer that belongs to other rows. `--half` takes every second
//! row, so that rules can be made with one half and be judged by the other. Says so and ends when nothing is there.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command for developers")]

use clawback_core::capture::{extract_decision, user_text};
use clawback_core::message::Message;
use serde_json::Value;
use std::collections::HashMap;

/// What is asked of the command line.
struct Asked {
    directory: String,
    /// `tuning` reads `tuning_replies.jsonl`; empty reads `replies.jsonl`, and `decision_extraction.*.jsonl` beside it.
    set: String,
    /// 0 for odd rows, 1 for even ones.
    half: Option<usize>,
    misses: bool,
}

impl Asked {
    fn rows(&self, own: &str, other: &str) -> Vec<Value> {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return Vec::new() };
        let mine =
            if self.set.is_empty() { format!("{own}.jsonl") } else { format!("{}_{own}.jsonl", self.set) };
        entries
            .flatten()
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name == mine || name.starts_with(&format!("{other}.")) && name.ends_with(".jsonl")
            })
            .flat_map(|entry| {
                std::fs::read_to_string(entry.path())
                    .unwrap_or_default()
                    .lines()
                    .filter_map(|line| serde_json::from_str(line).ok())
                    .enumerate()
                    .filter(|(at, _)| self.half.is_none_or(|half| at % 2 == half))
                    .map(|(_, row)| row)
                    .collect::<Vec<Value>>()
            })
            .collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let lead = regex::Regex::new(r"(?i)^(?:final decision[^:]*:|decision:|plan:|approach:|odluka:|одлука:|agreed:|going with|choosing|chose|so:|i'll|we'll|let's|i will|we will|i'm going to|we're going to|i've|the (?:approach|plan|fix|solution) is)\s*").unwrap();
    let marks = regex::Regex::new(r"^\s*(?:(?:[-*>+]|\d+[.)]|#+)\s+)+").unwrap();
    let text = text.trim().replace('’', "'");
    let text = marks.replace(&text, "").replace(['*', '`', '_', '|'], "");
    let text = lead.replace(text.trim(), "").into_owned();
    let text = lead.replace(&text, "").to_lowercase();
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn overlap(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let mut left: HashMap<&str, i32> = HashMap::new();
    a.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let same = b
        .iter()
        .filter(|word| {
            let count = left.entry(word.as_str()).or_default();
            *count -= 1;
            *count >= 0
        })
        .count();
    2.0 * same as f64 / (a.len() + b.len()).max(1) as f64
}

fn extraction(name: &str, rows: &[Value], least: f64, misses: bool) {
    let (mut ok, mut wrong, mut missed, mut false_on_null, mut nulls) = (0, 0, 0, 0, 0);
    for row in rows {
        let got = extract_decision(row["reply"].as_str().unwrap_or(""), row["user_reply"].as_str());
        let none = row["expected"].is_null() || row["label"] == "none";
        let told = |what: &str, got: &str| {
            if misses {
                println!("  {} {}: {what} {got:?} for {}", row["id"], row["category"], row["expected"]);
            }
        };
        nulls += usize::from(none);
        match got {
            Some(got) if none => {
                false_on_null += 1;
                told("FALSE", &got);
            }
            None if none => {}
            None => {
                missed += 1;
                told("missed", "");
            }
            Some(got) => {
                let targets = std::iter::once(&row["expected"])
                    .chain(row["acceptable"].as_array().into_iter().flatten());
                let kept =
                    row["must"].as_array().into_iter().flatten().filter_map(Value::as_str).all(|must| {
                        let fold = |text: &str| words(text).join(" ");
                        fold(&got).contains(&fold(must))
                    });
                if kept && targets.filter_map(Value::as_str).any(|target| overlap(&got, target) >= least) {
                    ok += 1;
                } else {
                    wrong += 1;
                    told("WRONG", &got);
                }
            }
        }
    }
    let p = f64::from(ok) / f64::from((ok + false_on_null + wrong).max(1));
    let r = f64::from(ok) / f64::from((ok + missed + wrong).max(1));
    println!(
        "{name}: n={} p={p:.3} r={r:.3} f1={:.3} ok={ok} wrong={wrong} missed={missed} falseOnNull={false_on_null}/{nulls}",
        rows.len(),
        2.0 * p * r / (p + r).max(1e-9)
    );
}

fn users(rows: &[Value], misses: bool) {
    let (mut errors, mut clean, mut real) = (0, 0, 0);
    for row in rows {
        let got = user_text(&Message::user(row["text"].as_str().unwrap_or("")));
        let want = row["label"] == "user";
        if want != got.is_some() {
            errors += 1;
            if misses {
                println!("  {} {}: {got:?}", row["id"], row["category"]);
            }
        }
        if let Some(text) = row["clean"].as_str() {
            real += 1;
            if got.as_deref().map(str::trim) == Some(text.trim()) {
                clean += 1;
            } else if misses {
                println!("  {} {}: text {got:?}", row["id"], row["category"]);
            }
        }
    }
    println!("users: n={} errors={errors} clean={clean}/{real}", rows.len());
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(directory) = arguments.get(1).filter(|path| std::path::Path::new(path).is_dir()) else {
        println!("no evaluation rows here: nothing is scored");
        return;
    };
    let option = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let asked = Asked {
        directory: directory.clone(),
        set: option("--set=").unwrap_or("").to_owned(),
        half: option("--half=").map(|half| usize::from(half == "even")),
        misses: arguments.iter().any(|argument| argument == "--misses"),
    };
    extraction("decisions", &asked.rows("replies", "decision_extraction"), 0.7, asked.misses);
    extraction("confirmed", &asked.rows("confirmed", "confirmed_pairs"), 0.5, asked.misses);
    extraction("pairs", &asked.rows("real", "real_pi_pairs"), 0.5, asked.misses);
    users(&asked.rows("users", "user_messages"), asked.misses);
}
