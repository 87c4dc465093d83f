//! What was dropped comes back: index, search, relevance, drop records, recover (seed 003).
//!
//! The index is derived: [`Library`] reads message bodies through [`crate::store::BodyFiles`], keeps what it can in
//! tantivy's files, and scans the rest. What it is not: a place where anything is stored.

pub mod analyze;
mod answer;
mod condense;
mod disk;
mod entry;
mod excerpt;
mod files;
mod irregular;
mod library;
mod prior;
pub mod query;
pub mod rank;
pub mod relevance;
mod tail;

pub use answer::{
    Collector, DEFAULT_LIMIT, DEFAULT_MAX_TOKENS, MAX_LIMIT, PASSAGE_TOKENS, RecallHit, scores,
};
pub use condense::condense;
pub use disk::Pass;
pub use excerpt::excerpt;
pub use library::{Filter, Found, Library, Request, Waiter};
pub use prior::{Prior, PriorBlock, PriorLimits, prior_context, share};
