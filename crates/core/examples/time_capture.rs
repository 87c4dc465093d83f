//! Times capture of one message of 4 kB, as median of many: `time_capture [ROUNDS]`.
#![allow(clippy::print_stdout, reason = "a command for developers")]

use clawback_core::capture::{Capturer, extract_decision};
use clawback_core::message::Message;
use std::time::Instant;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(300_usize);
    let prose = "I went through the log and rebuilt the timeline. At 09:12 the usage was at 48% and nothing had been pruned.\n\n- the cache is never invalidated\n- use `redb` instead of the old file\n\nSo: duplicate reads get replaced by a pointer. I'll keep the estimate alone. The budget must stay at 800 tokens, and never above it.\n\n";
    let text: String = prose.chars().cycle().take(4_096).collect();
    let time = |name: &str, run: &mut dyn FnMut()| {
        let mut times: Vec<u128> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        println!("{name}: median {} µs", times.get(rounds / 2).copied().unwrap_or(0) / 1_000);
    };
    let (user, agent) = (Message::user(&text), Message::assistant(&text));
    time("user message", &mut || drop(Capturer::default().take(&user)));
    time("agent message", &mut || drop(Capturer::default().take(&agent)));
    time("extract_decision", &mut || drop(extract_decision(&text, None)));
}
