//! Stand-ins until capture and ledger land.
#![allow(unreachable_pub, clippy::all)]
#![allow(missing_docs)]
use crate::ledger::*;
use crate::message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    Added,
    Duplicate,
    SupersededOlder,
}
impl Appended {
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Duplicate => "duplicate",
            Self::SupersededOlder => "superseded-older",
        }
    }
}
pub struct Candidate(pub Entry);
impl Candidate {
    pub fn new(kind: Kind, scope: Scope, text: String, source: Source, place: Place, at: String) -> Self {
        let id = format!("{:?}{}-{}-{}", kind, place.generation, place.ordinal, place.position);
        Self(Entry { id, kind, scope, text, at, source, place, confidence: 1.0, task: None })
    }
}
pub struct Ingested {
    pub appended: Appended,
    pub facts: Vec<Fact>,
}
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ledger {
    pub facts: Vec<Fact>,
}
impl Ledger {
    pub fn insert(&mut self, fact: Fact) {
        self.facts.push(fact)
    }
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.facts.iter().filter_map(|f| if let Fact::Entry(e) = f { Some(e) } else { None })
    }
    pub fn resolved(&self, id: &str) -> Option<&str> {
        self.facts.iter().find_map(|f| match f {
            Fact::Resolution(r) if r.entry == id => Some(r.how.as_str()),
            _ => None,
        })
    }
    pub fn ingest(&self, c: Candidate) -> Ingested {
        let n = crate::text::normalize(&c.0.text);
        if self.entries().any(|e| e.kind == c.0.kind && crate::text::normalize(&e.text) == n) {
            return Ingested { appended: Appended::Duplicate, facts: vec![] };
        }
        Ingested { appended: Appended::Added, facts: vec![Fact::Entry(c.0)] }
    }
    pub fn resolve(&self, text: &str, how: &str, _s: Source, place: Place) -> Vec<Fact> {
        let n = crate::text::normalize(text);
        self.entries()
            .filter(|e| crate::text::normalize(&e.text) == n && self.resolved(&e.id).is_none())
            .map(|e| Fact::Resolution(Resolution { entry: e.id.clone(), how: how.into(), place }))
            .collect()
    }
    pub fn next_position(&self, generation: u32, ordinal: u64) -> u32 {
        self.entries()
            .filter(|e| e.place.generation == generation && e.place.ordinal == ordinal)
            .map(|e| e.place.position + 1)
            .max()
            .unwrap_or(0)
    }
}
pub struct Captured {
    pub position: u32,
}
impl Captured {
    pub fn into_candidate(self, place: Place, at: String) -> Candidate {
        Candidate::new(Kind::Decision, Scope::Session, String::new(), Source::User, place, at)
    }
}
pub struct Capturer;
impl Capturer {
    pub fn restore(_: &Value) -> Self {
        Self
    }
    pub fn feed(&mut self, _: &Message) -> Vec<Captured> {
        vec![]
    }
    pub fn save(&self) -> Value {
        Value::Null
    }
}
#[derive(Default)]
pub struct Effect {
    pub read: Vec<String>,
    pub modified: Vec<String>,
}
pub mod capture {
    use super::*;
    pub fn tool_use(name: &str, arguments: &Value) -> Effect {
        let mut e = Effect::default();
        for key in ["path", "file_path", "filePath", "file"] {
            if let Some(p) = arguments.get(key).and_then(Value::as_str) {
                if name.contains("write") || name.contains("edit") {
                    e.modified.push(p.into())
                } else {
                    e.read.push(p.into())
                }
            }
        }
        e
    }
    pub fn error_line(message: &Message) -> Option<String> {
        message
            .is_error
            .then(|| failure_line(message.tool_name.as_deref().unwrap_or("tool"), &message.text()))
    }
    pub fn failure_line(name: &str, said: &str) -> String {
        format!("{name}: {}", crate::text::clip::ellipsize(&crate::text::clip::one_line(said), 200))
    }
    pub use crate::capture::user_text;
}
