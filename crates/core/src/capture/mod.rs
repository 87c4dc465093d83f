//! What a conversation says: what a person really typed, decisions, constraints, tasks, open items, files and tools
//! used, the thread. Mechanical rules on the shape of sentences; no model, no I/O (DESIGN sections 4, 6.5 and 6.6).

mod envelope;
mod injected;

pub use envelope::{is_real_user_message, user_text};
