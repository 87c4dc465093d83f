//! The core of clawback: what a conversation says is written down before the host's compaction drops it, and given
//! back in a packet of at most 700 tokens.
//!
//! The crate knows nothing of Node. Rooms import only from rooms above them in this list (DESIGN section 2); only
//! `store` and, for its derived index, `recall` touch the file system; `transcript` reads from it.

pub mod error;
pub mod text;
pub mod message;
pub mod config;
pub mod store;
pub mod transcript;
pub mod capture;
pub mod ledger;
pub mod checkpoint;
pub mod packet;
pub mod pressure;
pub mod prune;
pub mod recall;
pub mod enrich;
pub mod observe;
pub mod session;

pub use error::{Error, Result};
