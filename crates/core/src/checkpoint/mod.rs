//! Checkpoints: schema, YAML, building, comparing, retention. Pure; files are the store's.

pub mod build;
pub mod diff;
pub mod retain;
pub mod schema;
pub mod yaml;

pub use schema::*;

#[cfg(test)]
pub(crate) mod fixture;
