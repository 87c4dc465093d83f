//! Several sources to one configuration, with where each value came from.

use super::knob::{KNOBS, Knob, folded};
use super::read::{checked, from_text, invalid, mapping};
use super::schema::Config;
use crate::Result;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Prefix of the environment's names.
const PREFIX: &str = "CLAWBACK_";
/// Where a host's own file keeps seed 004's block; what else stands in such a file is the host's.
const HOST_PATH: [&str; 2] = ["agents", "defaults"];

/// The sources, the weakest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layers<'a> {
    /// A YAML file: its name for messages, and its text.
    pub file: Option<(&'a str, &'a str)>,
    /// The environment, or a part of it.
    pub env: &'a [(String, String)],
    /// What the caller gives: any part of the configuration.
    pub given: Option<&'a Value>,
    /// The home directory, for `~`.
    pub home: Option<&'a str>,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "source", content = "name")]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The file of this name.
    File(String),
    /// The variable of this name.
    Env(String),
    /// The caller.
    Option,
}

/// A key that nobody knows; it has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The key as it was written, with its groups.
    pub key: String,
    /// The known key that is most like it.
    pub nearest: Option<String>,
    /// The whole message.
    pub text: String,
}

/// The effective configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// Where each came from, by the knob's path.
    pub origins: BTreeMap<&'static str, Origin>,
    /// Keys that nobody knows.
    pub warnings: Vec<Warning>,
}

/// A value that a source sets.
struct Setting {
    knob: &'static Knob,
    value: Value,
}

impl Loaded {
    /// Merges the sources.
    ///
    /// # Errors
    /// `InvalidInput` for what is no YAML, for a value of the wrong kind or out of range, and for values that contradict
    /// each other.
    pub fn new(layers: &Layers<'_>) -> Result<Self> {
        let mut tree = serde_json::to_value(Config::default()).unwrap_or_default();
        let mut origins: BTreeMap<_, _> = KNOBS.iter().map(|knob| (knob.path, Origin::Default)).collect();
        let mut warnings = Vec::new();
        let mut apply =
            |settings: Vec<Setting>, source: &str, origin: &dyn Fn(&Knob) -> Origin| -> Result<()> {
                for Setting { knob, value } in settings {
                    let value = checked(knob, &value, source, layers.home)?;
                    if let Some(place) = tree.pointer_mut(&format!("/{}", knob.path.replace('.', "/"))) {
                        *place = value;
                        origins.insert(knob.path, origin(knob));
                    }
                }
                Ok(())
            };
        if let Some((name, text)) = layers.file {
            let settings = settings(&mapping(name, text)?, name, &mut warnings)?;
            apply(settings, name, &|_: &Knob| Origin::File(name.to_owned()))?;
        }
        warnings.extend(layers.env.iter().filter_map(|(name, _)| misspelt(name)));
        apply(from_env(layers.env), "environment", &|knob: &Knob| {
            Origin::Env(format!("{PREFIX}{}", knob.upper))
        })?;
        if let Some(given) = layers.given {
            apply(settings(given, "option config", &mut warnings)?, "option config", &|_: &Knob| {
                Origin::Option
            })?;
        }
        let config: Config = serde_json::from_value(tree)
            .map_err(|cause| invalid("all sources", &format!("cannot be put together: {cause}")))?;
        consistent(&config)?;
        Ok(Self { config, origins, warnings })
    }
}

/// Values that are in range each, and make no sense together.
fn consistent(config: &Config) -> Result<()> {
    let wrong = |why: String| Err(invalid("values together", &why));
    if config.compaction_trigger_pct >= config.max_context_pct {
        return wrong(format!(
            "compactionTriggerPct {} must be below maxContextPct {}",
            config.compaction_trigger_pct, config.max_context_pct
        ));
    }
    if config.relevance_cutoff > config.threshold_keep {
        return wrong(format!(
            "relevanceCutoff {} must not be above thresholdKeep {}",
            config.relevance_cutoff, config.threshold_keep
        ));
    }
    let sum = config.context_management.budget.sum();
    if sum > 1.0 + 1e-9 {
        return wrong(format!(
            "the ratios of contextManagement.budget add up to {sum:.2}; at most 1 is possible"
        ));
    }
    Ok(())
}

fn from_env(env: &[(String, String)]) -> Vec<Setting> {
    let find = |knob: &'static Knob| {
        let value = &env.iter().find(|(name, _)| name.strip_prefix(PREFIX) == Some(knob.upper))?.1;
        (!value.trim().is_empty()).then(|| Setting { knob, value: from_text(knob, value) })
    };
    KNOBS.iter().filter_map(find).collect()
}

/// What a tree of values sets; unknown keys become warnings.
fn settings(tree: &Value, source: &str, warnings: &mut Vec<Warning>) -> Result<Vec<Setting>> {
    let mut found = Vec::new();
    match tree {
        Value::Null => {}
        Value::Object(fields) => {
            let host = HOST_PATH.iter().try_fold(fields, |fields, name| fields.get(*name)?.as_object());
            if let Some(host) = host {
                let ours: Map<String, Value> = host
                    .iter()
                    .filter(|(key, _)| folded(key) == "contextmanagement")
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect();
                walk("", &ours, source, &mut found, warnings)?;
            } else {
                walk("", fields, source, &mut found, warnings)?;
            }
        }
        _ => return Err(invalid(source, "a mapping of names to values is needed")),
    }
    Ok(found)
}

fn walk(
    group: &str,
    fields: &Map<String, Value>,
    source: &str,
    found: &mut Vec<Setting>,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
    for (key, value) in fields {
        let name = folded(key);
        let here =
            |path: &'static str| path.rsplit_once('.').map_or(("", path), |(above, last)| (above, last));
        let knob = KNOBS.iter().find(|knob| knob.group() == group && folded(knob.name()) == name);
        // seed 003's files are flat: the upper-case name finds a knob in any group
        let knob = knob.or_else(|| KNOBS.iter().find(|knob| group.is_empty() && folded(knob.upper) == name));
        let below = groups().find(|&path| here(path).0 == group && folded(here(path).1) == name);
        match (knob, below, value) {
            (_, _, Value::Null) if knob.is_some() || below.is_some() => {}
            (Some(knob), ..) => found.push(Setting { knob, value: value.clone() }),
            (_, Some(below), Value::Object(fields)) => walk(below, fields, source, found, warnings)?,
            (_, Some(below), _) => {
                return Err(invalid(source, &format!("{below} is {value}: a mapping is needed")));
            }
            _ => warnings.push(unknown(group, key, source)),
        }
    }
    Ok(())
}

/// The groups of the configuration.
/// How alike a variable must be to a known one to be taken for a slip: other programs may have variables of this prefix.
const ALIKE: f64 = 0.75;

/// The warning for a variable that nobody reads and that is nearly one that is read.
fn misspelt(variable: &str) -> Option<Warning> {
    let name = variable.strip_prefix(PREFIX)?;
    if KNOBS.iter().any(|knob| knob.upper == name) {
        return None;
    }
    let likeness = |knob: &Knob| strsim::normalized_damerau_levenshtein(&folded(knob.upper), &folded(name));
    let (likeness, knob) =
        KNOBS.iter().map(|knob| (likeness(knob), knob)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let nearest = format!("{PREFIX}{}", knob.upper);
    let key: String = variable.chars().take(100).collect();
    let text = format!("configuration, environment: {key:?} has no effect; did you mean {nearest}?");
    (likeness >= ALIKE).then_some(Warning { key, nearest: Some(nearest), text })
}

fn groups() -> impl Iterator<Item = &'static str> {
    [
        "contextManagement",
        "contextManagement.budget",
        "contextManagement.rollingSummary",
        "contextManagement.semanticHistory",
    ]
    .into_iter()
}

fn unknown(group: &str, key: &str, source: &str) -> Warning {
    let name = folded(key);
    let nearest = KNOBS
        .iter()
        .flat_map(|knob| [(folded(knob.name()), knob.path), (folded(knob.upper), knob.path)])
        .chain(groups().map(|path| (folded(path.rsplit('.').next().unwrap_or(path)), path)))
        .map(|(known, path)| (strsim::normalized_damerau_levenshtein(&known, &name), path))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, path)| path.to_owned());
    let shown: String = key.chars().take(100).collect();
    let key = if group.is_empty() { shown } else { format!("{group}.{shown}") };
    let hint = nearest.as_ref().map(|path| format!("; did you mean {path}?")).unwrap_or_default();
    let text = format!("configuration, {source}: unknown key {key:?} has no effect{hint}");
    Warning { key, nearest, text }
}

#[cfg(test)]
mod tests;
