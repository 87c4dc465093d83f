//! Token estimates against real counts, where the measuring data is at hand.

use clawback_core::message::Message;
use clawback_core::message::estimate_message_tokens;
use clawback_core::text::tokens::estimate_tokens;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The folder with measuring data beside the checkout, if there is one.
fn data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = root.ancestors().map(|folder| folder.join("shared/data")).find(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("skipped: no ../shared/data");
    }
    found
}

fn rows(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn error(got: u64, want: u64) -> f64 {
    got as f64 / want as f64 - 1.0
}

#[test]
fn estimates_meet_the_goals_against_o200k() {
    let Some(data) = data() else { return };
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut errors = Vec::new();
    for row in rows(&data.join("token_counts/samples.jsonl")) {
        let got = estimate_tokens(row["text"].as_str().unwrap());
        let want = row["tokens"]["o200k_base"].as_u64().unwrap();
        errors.push(error(got, want).abs());
        let kind = kinds.entry(row["kind"].as_str().unwrap().to_owned()).or_default();
        kind.0 += got;
        kind.1 += want;
    }
    errors.sort_by(f64::total_cmp);
    let (got, want) = kinds.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1));
    let median = errors[errors.len() / 2];
    let all = error(got, want);
    println!("sum {all:+.3}, median {median:.3}, worst text {:.3}", errors[errors.len() - 1]);
    for (kind, (got, want)) in &kinds {
        println!("{kind:18} {:+.3}", error(*got, *want));
    }
    assert!(all.abs() <= 0.05 && median <= 0.10);
    assert!(kinds.values().all(|(got, want)| error(*got, *want).abs() <= 0.20));
}

#[test]
fn messages_meet_the_goal_against_a_providers_own_counts() {
    let Some(data) = data() else { return };
    let mut sessions: HashMap<String, Vec<String>> = HashMap::new();
    let (mut got, mut want) = (0, 0);
    let mut errors = Vec::new();
    for row in rows(&data.join("token_counts/pi_usage_truth.jsonl")) {
        let name = row["session"].as_str().unwrap();
        let lines = sessions.entry(name.to_owned()).or_insert_with(|| {
            let text = std::fs::read_to_string(data.join("pi_mono_sessions").join(name)).unwrap();
            text.lines().map(str::to_owned).collect()
        });
        let estimate: u64 = row["lines"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|line| {
                let entry: Value = serde_json::from_str(&lines[line.as_u64().unwrap() as usize - 1]).ok()?;
                Some(estimate_message_tokens(&Message::from_value(entry.get("message")?)))
            })
            .sum();
        let truth = row["tokens"].as_u64().unwrap();
        if estimate > 0 {
            got += estimate;
            want += truth;
            errors.push((error(estimate, truth), truth, estimate));
        }
    }
    if std::env::var_os("SHOW").is_some() {
        for (error, truth, estimate) in &errors {
            println!("{truth} {estimate} {error:+.2}");
        }
    }
    errors.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    println!("sum {:+.3}, median {:.3}", error(got, want), errors[errors.len() / 2].0);
    assert!(error(got, want).abs() <= 0.05);
}
