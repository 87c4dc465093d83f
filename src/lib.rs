//! The Node-API surface of clawback: converts, calls the core, maps errors. No logic lives here.
//!
//! Sync exports are pure. Whatever touches a file is a promise, settled by the core's own threads; messages and
//! checkpoints cross as plain objects or JSON text, and only once.

#![allow(unreachable_pub, reason = "napi exports its functions itself; nothing links against this crate")]

mod archive;
mod bridge;
mod checkpoint;
mod enrich;
mod config;
mod error;
mod faults;
mod input;
mod pressure;
mod recall;
mod session;
mod state;
mod text;
mod transcript;
