//! The configuration and where its values come from.

use crate::bridge::promise;
use clawback_core::config::{Config, Loaded};
use clawback_core::{Error, session, store};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// What else the configuration is made from.
#[napi(object)]
pub struct ConfigSources {
    /// A file that is read where it exists.
    pub usual: Option<String>,
    /// The environment, or the part of it that begins with `CLAWBACK_`.
    pub env: HashMap<String, String>,
    /// The home directory, for `~`.
    pub home: Option<String>,
}

impl ConfigSources {
    /// The configuration from a file that must exist, or from the usual one, with the environment and what is given.
    pub(crate) fn load(&self, path: Option<&str>, given: Option<&Value>) -> clawback_core::Result<Loaded> {
        let variables: Vec<_> = self.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let usual = self.usual.as_deref().map(Path::new);
        store::load_config(path.map(Path::new), usual, &variables, given, self.home.as_deref())
    }

    /// The configuration of a session: the usual file, the environment, and what the caller gives in part, which must be right.
    /// A file or variable that is wrong is told and left out: it must not keep a host from starting.
    pub(crate) fn of_session(&self, json: Option<&str>) -> clawback_core::Result<(Config, Vec<String>)> {
        let given: Option<Value> = json
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| Error::InvalidInput(format!("config: {error}")))?;
        let home = self.home.as_deref();
        let (alone, unknown) = match &given {
            Some(given) => Config::from_value(given, home)?,
            None => Default::default(),
        };
        let (config, warnings) = match self.load(None, given.as_ref()) {
            Ok(loaded) => (loaded.config, loaded.warnings),
            Err(error) => {
                let why =
                    format!("{error}; file and environment are left out of this session's configuration");
                return Ok((alone, unknown.into_iter().map(|warning| warning.text).chain([why]).collect()));
            }
        };
        Ok((config, warnings.into_iter().map(|warning| warning.text).collect()))
    }
}

/// The effective configuration with the origin of each value, from a file that must exist, or from the usual one.
#[napi(catch_unwind, ts_return_type = "Promise<object>")]
pub fn read_config<'env>(
    env: &'env Env,
    path: Option<String>,
    sources: ConfigSources,
) -> napi::Result<Object<'env>> {
    let job = move || shown(&sources.load(path.as_deref(), None)?);
    promise(env, |done| session::in_background(job, done), |loaded| loaded)
}

fn shown(loaded: &Loaded) -> clawback_core::Result<Value> {
    serde_json::to_value(loaded)
        .map_err(|error| Error::Internal { where_: "readConfig".to_owned(), what: error.to_string() })
}
