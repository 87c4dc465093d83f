//! From a job of the core to a promise of JavaScript.

use crate::error::to_js;
use clawback_core::Result;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred};

/// Settles the promise; called once, from any thread.
pub(crate) type Done<T> = Box<dyn FnOnce(Result<T>) + Send>;

type Settle<J> = Box<dyn FnOnce(Env) -> napi::Result<J> + Send>;

/// A promise for what `start` hands to its callback. `start` itself only queues work: files, locks and big texts
/// are for the core's own threads. `convert` runs on the JavaScript thread.
pub(crate) fn promise<'env, T, J>(
    env: &'env Env,
    start: impl FnOnce(Done<T>),
    convert: impl FnOnce(T) -> J + Send + 'static,
) -> napi::Result<Object<'env>>
where
    T: Send + 'static,
    J: ToNapiValue + 'static,
{
    let (deferred, promise): (JsDeferred<J, Settle<J>>, Object<'env>) = env.create_deferred()?;
    start(Box::new(move |result| match result {
        Ok(value) => deferred.resolve(Box::new(move |_| Ok(convert(value)))),
        Err(error) => deferred.reject(to_js(error)),
    }));
    Ok(promise)
}
