//! What is remembered: facts that never change once written, and the view that is computed from them (DESIGN
//! section 4). Merging two ledgers is set union.

pub mod book;
mod clusters;
pub mod compare;
pub mod fact;
mod hear;
mod index;
pub mod live;
pub mod merge;
mod texts;
pub mod trust;
pub mod view;

pub use book::{Appended, Ingested, Ledger};
pub use compare::{
    Comparison, Prepared, Verdict, Vocabulary, compare, compare_prepared, is_semantic_duplicate,
};
pub use fact::{Entry, Fact, Kind, Place, Resolution, Scope, Source, Status, Supersession, TaskState};
pub use live::LivePath;
pub use merge::{Merged, merge_items};
pub use trust::{may_supersede, may_yield};
pub use view::{Explanation, Item, View};

#[cfg(test)]
mod tests;
