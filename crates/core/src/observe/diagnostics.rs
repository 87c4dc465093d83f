//! What the core says through `tracing`, kept for `drainLogs()`: the newest lines of the process, in a bounded ring.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Lines that are kept until they are drained.
const RING: usize = 1_000;
/// Bytes of one message or field.
const MAX_TEXT: usize = 2_000;

/// One diagnostic (API.md, `LogLine`).
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    /// ISO 8601.
    pub at: String,
    /// `error`, `warn`, `info` or `debug`.
    pub level: &'static str,
    /// What happened.
    pub message: String,
    /// Whatever else was said about it.
    pub fields: Map<String, Value>,
}

#[derive(Debug, Default)]
struct Ring {
    lines: VecDeque<LogLine>,
    lost: u64,
}

impl Ring {
    fn push(&mut self, line: LogLine) {
        if self.lines.len() >= RING {
            self.lines.pop_front();
            self.lost += 1;
        }
        self.lines.push_back(line);
    }

    fn drain(&mut self, now: impl FnOnce() -> String) -> Vec<LogLine> {
        let mut lines: Vec<LogLine> = self.lines.drain(..).collect();
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let fields = Map::from_iter([("lines".to_owned(), lost.into())]);
            let message = "older diagnostics were dropped before anybody asked".to_owned();
            lines.insert(0, LogLine { at: now(), level: "warn", message, fields });
        }
        lines
    }
}

static KEPT: Mutex<Ring> = Mutex::new(Ring { lines: VecDeque::new(), lost: 0 });

fn kept() -> MutexGuard<'static, Ring> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens to the core's diagnostics from now on; `clock` gives ISO 8601 times. A second call, or a process that has its
/// own listener already, changes nothing. Returns whether this one listens.
pub fn install(clock: fn() -> String) -> bool {
    tracing::subscriber::set_global_default(Listener { clock }).is_ok()
}

/// Takes all lines kept so far, oldest first. Where older ones had to go, the first line says how many.
pub fn drain(clock: fn() -> String) -> Vec<LogLine> {
    kept().drain(clock)
}

/// The listener: events of ours only, no spans.
#[derive(Debug)]
struct Listener {
    clock: fn() -> String,
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::DEBUG && metadata.target().starts_with("clawback")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = LogLine {
            at: (self.clock)(),
            level: level_name(event.metadata().level()),
            message: String::new(),
            fields: Map::new(),
        };
        event.record(&mut line);
        kept().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn level_name(level: &Level) -> &'static str {
    match *level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        _ => "debug",
    }
}

fn clipped(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)
}

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let mut text = String::new();
        let _ = write!(text, "{value:?}");
        self.record_str(field, &text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message = clipped(value).to_owned();
        } else {
            self.fields.insert(field.name().to_owned(), clipped(value).into());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> LogLine {
        LogLine { at: String::new(), level: "info", message: number.to_string(), fields: Map::new() }
    }

    #[test]
    fn the_ring_keeps_the_newest_and_says_what_it_lost() {
        let mut ring = Ring::default();
        (0..RING + 5).for_each(|number| ring.push(line(number)));
        let lines = ring.drain(|| "now".into());
        assert_eq!(lines.len(), RING + 1);
        assert_eq!(lines.first().unwrap().fields.get("lines"), Some(&5.into()));
        assert_eq!(lines.last().unwrap().message, (RING + 4).to_string());
        assert_eq!(ring.drain(String::new), []);
    }

    #[test]
    fn an_event_becomes_a_line_with_its_fields() {
        let listener = Listener { clock: || "2026-02-02T22:55:00Z".into() };
        tracing::subscriber::with_default(listener, || {
            tracing::warn!(target: "clawback_core::test", bytes = 7, path = "a/b", "cut off {}", "a line");
            tracing::warn!(target: "other_crate", "not ours");
        });
        let lines = drain(String::new);
        let found: Vec<_> = lines.iter().filter(|line| line.message == "cut off a line").collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].level, found[0].fields.get("bytes"), found[0].fields.get("path")),
            ("warn", Some(&7.into()), Some(&"a/b".into()))
        );
        assert!(lines.iter().all(|line| line.message != "not ours"));
    }
}
