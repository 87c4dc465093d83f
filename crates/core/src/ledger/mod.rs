//! What is remembered: facts that never change once written, and the view that is computed from them (DESIGN
//! section 4). Merging two ledgers is set union.

pub mod compare;
pub mod fact;
mod index;
pub mod merge;

pub use compare::{Comparison, Prepared, Verdict, compare, compare_prepared, is_semantic_duplicate};
pub use merge::{Merged, merge_items};
pub use fact::{Entry, Fact, Kind, Place, Resolution, Scope, Source, Status, Supersession, TaskState};
