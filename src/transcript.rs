//! Reading a host's transcript, a batch at a time.

use crate::bridge::promise;
use clawback_core::session;
use clawback_core::transcript::TranscriptReader;
use clawback_core::{Error, Result};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// Most events of one batch.
const BATCH_EVENTS: usize = 256;
/// Most bytes of one batch: what crosses in one tick.
const BATCH_BYTES: usize = 256 << 10;

/// A transcript that is being read.
#[napi]
pub struct Transcript {
    reader: Arc<Mutex<TranscriptReader>>,
}

#[napi]
impl Transcript {
    /// The next events and problems in file order; null at the end. Calls are answered one after the other.
    #[napi(catch_unwind, ts_return_type = "Promise<object | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.reader);
        promise(env, |done| session::in_background(move || next_batch(&reader), done), |batch| batch)
    }
}

fn next_batch(reader: &Mutex<TranscriptReader>) -> Result<Option<Value>> {
    let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(batch) = reader.next_batch(BATCH_EVENTS, BATCH_BYTES)? else { return Ok(None) };
    serde_json::to_value(batch)
        .map(Some)
        .map_err(|error| Error::Corrupt(format!("not to be shown as JSON: {error}")))
}

/// Opens a transcript of Pi, OpenClaw, Claude Code or Codex and recognises its format. It is only read.
#[napi(catch_unwind, ts_return_type = "Promise<Transcript>")]
pub fn open_transcript<'env>(env: &'env Env, path: String) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| session::in_background(move || TranscriptReader::open(&path), done),
        |reader| Transcript { reader: Arc::new(Mutex::new(reader)) },
    )
}
