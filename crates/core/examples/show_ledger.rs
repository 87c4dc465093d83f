//! Prints what is remembered of conversations: `show_ledger [FILE]`, a session in JSON lines, or turns on standard input
//! (`u: ...`, `a: ...`, an empty line between conversations).
#![allow(clippy::print_stdout, reason = "a command for developers")]

use clawback_core::capture::Capturer;
use clawback_core::ledger::{Fact, Ledger, LivePath, Place, Status};
use clawback_core::message::Message;
use serde_json::Value;
use std::io::Read;

fn main() {
    match std::env::args().nth(1) {
        Some(path) => match std::fs::read_to_string(path) {
            Ok(text) => show(&of_session(&text)),
            Err(cause) => println!("no session here: {cause}"),
        },
        None => {
            let mut text = String::new();
            if std::io::stdin().read_to_string(&mut text).is_ok() {
                text.split("\n\n")
                    .filter(|talk| !talk.trim().is_empty())
                    .for_each(|talk| show(&of_turns(talk)));
            }
        }
    }
}

fn of_turns(text: &str) -> Vec<Message> {
    let turn = |line: &str| match line.split_once(": ") {
        Some(("a", said)) => Message::assistant(&said.replace("\\n", "\n")),
        Some(("u", said)) => Message::user(&said.replace("\\n", "\n")),
        _ => Message::user(line),
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(turn).collect()
}

fn of_session(text: &str) -> Vec<Message> {
    let message = |line: &str| {
        let entry: Value = serde_json::from_str(line).ok()?;
        let value = match entry.get("type")?.as_str()? {
            "message" => entry.get("message")?.clone(),
            "compaction" => {
                serde_json::json!({"role": "compactionSummary", "summary": entry.get("summary")?})
            }
            _ => return None,
        };
        Some(Message::from_value(&value))
    };
    text.lines().filter_map(message).collect()
}

fn show(messages: &[Message]) {
    let (mut capturer, mut ledger, live) = (Capturer::default(), Ledger::new(), LivePath::new(0));
    for (message, ordinal) in messages.iter().zip(0..) {
        for captured in capturer.take(message) {
            let place = Place { generation: 0, ordinal, position: captured.position };
            for fact in ledger.hear(captured, place, "", &live) {
                if let Fact::Resolution(resolution) = &fact {
                    let text = ledger.entry(&resolution.entry).map_or("", |entry| &entry.text);
                    println!("  [{ordinal}] {:?} settles {text:?}", resolution.how);
                }
                ledger.insert(fact);
            }
        }
    }
    for item in &ledger.view(&live).items {
        let state = match &item.status {
            Status::Active => "+".to_owned(),
            Status::Superseded(by) => format!("- ({by})"),
            Status::Resolved(_) => "✓".to_owned(),
            Status::Withdrawn(_) => "x".to_owned(),
        };
        let entry = &item.entry;
        println!("{state} {} {:?}/{:?} {}", entry.id, entry.source, entry.kind, entry.text);
    }
    println!();
}
