//! Checkpoints: schema, YAML, building, comparing, when to write. Pure; files are the store's.

pub mod build;
pub mod diff;
pub mod policy;
pub mod schema;
pub mod yaml;

pub use schema::*;

#[cfg(test)]
pub(crate) mod fixture;
