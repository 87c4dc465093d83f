//! Text: normalising, folding, words, cutting, token estimates, redaction. Pure functions; nothing here does I/O.

pub mod clip;
#[allow(dead_code, unused_imports, unused_macros, reason = "the first rooms that use it are in the making")]
pub(crate) mod pattern;
pub mod tokens;
pub mod wellformed;
