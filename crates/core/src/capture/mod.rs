//! What a conversation says: what a person really typed, decisions, constraints, tasks, open items, files and tools
//! used, the thread. Mechanical rules on the shape of sentences; no model, no I/O (DESIGN sections 4, 6.5 and 6.6).

mod answer;
mod decision;
mod envelope;
mod injected;
mod lexicon;
mod options;
mod proposal;
mod prose;
mod sense;

pub use answer::extract_decision;
pub use decision::MAX_DECISION;
pub use envelope::{is_real_user_message, user_text};
