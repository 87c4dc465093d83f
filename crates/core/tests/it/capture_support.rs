//! A conversation as the ledger hears it.

use clawback_core::capture::Capturer;
use clawback_core::ledger::{Ledger, LivePath, Place};
use clawback_core::message::Message;

/// What is known after these turns (`u: ...`, `a: ...`) of a session whose goal is known.
pub(crate) fn heard(turns: &[&str]) -> Ledger {
    let turns = ["u: Write the importer.", "a: Done."].iter().chain(turns);
    let (mut capturer, mut ledger, live) = (Capturer::default(), Ledger::new(), LivePath::new(0));
    for (turn, ordinal) in turns.zip(0..) {
        let message = match turn.split_once(": ") {
            Some(("a", said)) => Message::assistant(said),
            Some((_, said)) => Message::user(said),
            None => Message::user(turn),
        };
        for captured in capturer.take(&message) {
            let place = Place { generation: 0, ordinal, position: captured.position };
            for fact in ledger.hear(captured, place, "", &live) {
                ledger.insert(fact);
            }
        }
    }
    ledger
}
