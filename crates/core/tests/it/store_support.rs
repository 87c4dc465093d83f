//! A small state for the store's tests: it remembers every event's text.

use clawback_core::store::{
    CheckpointInfo, Content, Durability, Group, Handle, Line, Locked, OpenOptions, Readable, Registry,
    SessionState, Settings,
};
use clawback_core::{Error, Result};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Notes(pub(crate) Vec<String>);

impl SessionState for Notes {
    fn apply(&mut self, line: &Line) {
        if let Some(text) = line.fields.get("text").and_then(Value::as_str) {
            self.0.push(text.to_owned());
        }
    }

    fn restore(snapshot: &str) -> Result<Self> {
        let texts = serde_json::from_str(snapshot).map_err(|error| Error::Corrupt(error.to_string()))?;
        Ok(Self(texts))
    }

    fn snapshot(&self) -> Value {
        json!(self.0)
    }

    fn readable(&self) -> Vec<Readable> {
        vec![Readable { file: "decisions.json", content: Content::Items(json!(self.0)) }]
    }
}

pub(crate) type Store = Registry<Notes>;

/// A registry whose sessions are put away almost at once, and one that keeps them.
pub(crate) fn store() -> Store {
    Registry::new(Settings { snapshot_after: Duration::from_secs(60), ..Settings::default() })
}

pub(crate) fn open(store: &Store, dir: &Path) -> Handle<Notes> {
    store.open(dir, "agent:main:main", OpenOptions::default()).unwrap()
}

pub(crate) fn fields(text: &str) -> Map<String, Value> {
    Map::from_iter([("text".to_owned(), text.into())])
}

pub(crate) fn note(handle: &Handle<Notes>, text: &str) -> Result<u64> {
    let text = text.to_owned();
    handle.run(Durability::Written, move |session| session.append("note", fields(&text)))
}

pub(crate) fn notes(handle: &Handle<Notes>) -> Vec<String> {
    handle.read(|session| Ok(session.state().0.clone())).unwrap()
}

/// The session's directory.
pub(crate) fn home(dir: &Path) -> std::path::PathBuf {
    let name = clawback_core::store::dir_name("agent:main:main").unwrap();
    dir.join("context/sessions").join(name)
}

/// A checkpoint file of the tests: JSON is YAML too.
pub(crate) fn yaml(id: &str, trigger: &str, seq: u64) -> Vec<u8> {
    format!("{{\"id\": \"{id}\", \"trigger\": \"{trigger}\", \"seq\": {seq}}}\n").into_bytes()
}

pub(crate) fn inspect(bytes: &[u8]) -> Result<CheckpointInfo> {
    let bad = || Error::Corrupt("not a checkpoint".into());
    let value: Value = serde_json::from_slice(bytes).map_err(|_| bad())?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned).ok_or_else(bad);
    let trigger = text("trigger")?;
    Ok(CheckpointInfo {
        id: text("id")?,
        created_at: String::new(),
        group: if trigger == "epoch" { Group::Frequent } else { Group::Rare },
        trigger,
        state_seq: value.get("seq").and_then(Value::as_u64).ok_or_else(bad)?,
    })
}

pub(crate) fn write_checkpoint(session: &mut Locked<'_, Notes>, trigger: &str) -> Result<String> {
    session.write_checkpoint(&mut |id, _, seq| Ok(yaml(id, trigger, seq)), &inspect).map(|written| written.id)
}

pub(crate) fn checkpoint(handle: &Handle<Notes>, trigger: &'static str) -> Result<String> {
    handle.run(Durability::Full, move |session| write_checkpoint(session, trigger))
}
