//! What was dropped comes back: index, search, relevance, drop records, recover (seed 003).
//!
//! The index is derived: [`Library`] reads message bodies through [`crate::store::BodyFiles`], keeps what it can in
//! tantivy's files, and scans the rest. What it is not: a place where anything is stored.

pub mod analyze;
mod disk;
mod entry;
mod irregular;
mod library;
pub mod query;
pub mod rank;
mod tail;

pub use disk::Pass;
pub use library::{Filter, Found, Library, Request};
