//! Checkpoints: schema, YAML, building, retention.

pub mod schema;

pub use schema::*;
