//! What was dropped comes back: index, search, relevance, drop records, recover (seed 003).

pub mod analyze;
mod irregular;
pub mod query;
pub mod rank;
