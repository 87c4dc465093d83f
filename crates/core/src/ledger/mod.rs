//! What is remembered: facts that never change once written, and the view that is computed from them (DESIGN
//! section 4). Merging two ledgers is set union.

pub mod fact;

pub use fact::{Entry, Fact, Kind, Place, Resolution, Scope, Source, Status, Supersession, TaskState};
