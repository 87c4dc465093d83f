//! Prints what is captured from a session in JSON lines: `show_capture FILE [FIRST LAST]`, with the line of each message.
#![allow(clippy::print_stdout, reason = "a command for developers")]

use clawback_core::capture::Capturer;
use clawback_core::message::Message;
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(text) = arguments.get(1).and_then(|path| std::fs::read_to_string(path).ok()) else {
        println!("no session here: nothing is shown");
        return;
    };
    let number = |at: usize| arguments.get(at).and_then(|number| number.parse::<usize>().ok());
    let (first, last) = (number(2).unwrap_or(0), number(3).unwrap_or(usize::MAX));
    let mut capturer = Capturer::default();
    for (at, line) in text.lines().enumerate() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let field = |name: &str| entry.get(name).cloned().unwrap_or_default();
        let value = match field("type").as_str() {
            Some("message") => field("message"),
            Some("compaction") => {
                serde_json::json!({"role": "compactionSummary", "summary": field("summary")})
            }
            _ => continue,
        };
        for found in capturer.take(&Message::from_value(&value)) {
            if (first..=last).contains(&(at + 1)) {
                let more: Vec<String> = [
                    found.replaces.map(|old| format!("replaces {old:?}")),
                    found.resolves.map(|old| format!("resolves {old:?}")),
                ]
                .into_iter()
                .flatten()
                .collect();
                println!(
                    "{:5} {:?} {:?}{} {:.2} {} {}",
                    at + 1,
                    found.source,
                    found.kind,
                    found.task.map(|task| format!("/{task:?}")).unwrap_or_default(),
                    found.confidence,
                    found.text,
                    more.join(" ")
                );
            }
        }
    }
}
