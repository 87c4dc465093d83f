//! Panics on purpose, for the test that shows that none of them ends the process (FAULTS I1).

use crate::bridge::promise;
use crate::error::guard;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

/// Set to `1` by the tests; without it the exports below refuse.
const SWITCH: &str = "CLAWBACK_TEST_FAULTS";

fn check() -> clawback_core::Result<()> {
    match std::env::var(SWITCH).as_deref() {
        Ok("1") => Ok(()),
        _ => Err(clawback_core::Error::Unsupported(format!("only for tests: {SWITCH} is not set"))),
    }
}

/// Panics in a sync export.
#[napi(js_name = "__panicSync", catch_unwind, skip_typescript)]
#[allow(clippy::panic, reason = "this is what the test is about")]
pub fn panic_sync() -> napi::Result<()> {
    guard("__panicSync", || {
        check()?;
        panic!("on purpose, in a sync export")
    })
}

/// Panics in a job on one of our threads.
#[napi(js_name = "__panicJob", catch_unwind, skip_typescript)]
#[allow(clippy::panic, reason = "this is what the test is about")]
pub fn panic_job<'env>(env: &'env Env, state_dir: String, session_key: String) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| match check() {
            Err(error) => done(Err(error)),
            Ok(()) => clawback_core::session::provoke_panic(state_dir.as_ref(), &session_key, done),
        },
        |()| (),
    )
}
