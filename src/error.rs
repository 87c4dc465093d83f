//! The one place where errors of the core become errors of JavaScript.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A core error as a napi error. The stable code travels in front of the text, because a promise that is rejected
/// from Rust cannot carry a code of its own; `index.js` takes it off and puts it on as `error.code`.
pub(crate) fn to_js(error: clawback_core::Error) -> napi::Error {
    napi::Error::from_reason(format!("[clawback:{}] {error}", error.code()))
}

/// Runs the body of a sync export: errors get their code, a panic becomes an `Internal` error instead of the end of
/// the host's process (FAULTS I1).
pub(crate) fn guard<T>(export: &str, body: impl FnOnce() -> clawback_core::Result<T>) -> napi::Result<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.map_err(to_js),
        Err(panic) => Err(to_js(clawback_core::Error::from_panic(export, panic.as_ref()))),
    }
}
