//! What a conversation says: what a person really typed, decisions, constraints, tasks, open items, files and tools
//! used, the thread. Mechanical rules on the shape of sentences; no model, no I/O (DESIGN sections 4, 6.5 and 6.6).

mod act;
mod agent;
mod another;
mod answer;
mod captured;
mod capturer;
mod clause;
mod decision;
mod envelope;
mod goal;
mod injected;
mod kinds;
mod label;
mod laid_out;
mod lexicon;
mod machine;
mod open;
mod opener;
mod options;
mod pasted;
mod person;
mod pick;
mod proposal;
mod prose;
mod report;
mod section;
mod sense;
mod settled;
mod shell;
mod statement;
mod table;
pub mod thread;
mod tools;
mod walk;
mod withdraw;

pub use answer::extract_decision;
pub use captured::{Captured, Change, MAX_CAPTURED, MAX_GOAL, Withdrawn};
pub use capturer::{Capturer, capture};
pub use decision::MAX_DECISION;
pub use envelope::{is_real_user_message, user_text};
pub use injected::{SHORTENED, is_ours};
pub use kinds::{Kind, Scope, Source, TaskState};
pub(crate) use open::leaves_some;
pub use tools::{ToolUse, error_line, failure_line, tool_use};
