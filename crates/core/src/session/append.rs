//! Facts that come without a message: the state functions of seeds 000 and 002.

use super::event::{Event, ToolUse};
use super::observe::{Sink, params_summary};
use super::{Appended, ToolReport};
use crate::checkpoint::ToolCall;
use crate::ledger::{Entry, Kind, Scope, Source, TaskState};
use crate::text::{clip, redact};
use crate::{Error, Result, capture};

/// Longest text of one entry, in graphemes.
const MAX_TEXT: usize = 2_000;
/// Longest name of a tool, in graphemes.
const MAX_NAME: usize = 200;

/// An entry as its caller words it.
pub(crate) struct Remembered<'a> {
    pub(crate) kind: Kind,
    pub(crate) source: Source,
    pub(crate) said: &'a str,
    /// ISO 8601; now, if missing.
    pub(crate) at: Option<String>,
}

/// Remembers one entry.
pub(crate) fn entry(sink: &mut impl Sink, remembered: Remembered<'_>) -> Result<Appended> {
    let Remembered { kind, source, said, at } = remembered;
    let text = entry_text(said)?;
    let at = match at {
        None => sink.now().to_owned(),
        Some(at) => iso(&at)?,
    };
    let place = sink.state().free_place();
    let entry = Entry {
        id: Entry::id_at(kind, place),
        kind,
        scope: Scope::Session,
        text,
        at,
        source,
        place,
        confidence: 1.0,
        task: (kind == Kind::Task).then_some(TaskState::Open),
    };
    let proposed = sink.state().ledger.propose(entry, &sink.state().live);
    if !proposed.facts.is_empty() {
        sink.append(proposed.facts.into_iter().map(Event::from).collect())?;
    }
    Ok(proposed.outcome)
}

/// Settles what `said` names among the open items and tasks; false if nothing matches.
pub(crate) fn resolve(sink: &mut impl Sink, said: &str) -> Result<bool> {
    let text = entry_text(said)?;
    let place = sink.state().free_place();
    let facts = sink.state().ledger.resolutions(&text, "resolved", place, &sink.state().live);
    if facts.is_empty() {
        return Ok(false);
    }
    sink.append(facts.into_iter().map(Event::from).collect())?;
    Ok(true)
}

/// Records a tool call: name, files, failure; it is also the last tool call.
pub(crate) fn tool_use(sink: &mut impl Sink, report: ToolReport) -> Result<()> {
    let name = name_of(&report.name)?;
    let params = redact::redact_value(&report.params);
    let effect = capture::tool_use(&name, &params, report.is_error);
    let error = report.is_error.then(|| {
        let said = redact::redact_secrets(report.error_text.as_deref().unwrap_or("failed")).into_owned();
        capture::failure_line(Some(&name), &said)
    });
    sink.append(vec![
        Event::Tool(ToolUse { name: name.clone(), read: effect.read, modified: effect.modified, error }),
        Event::LastToolCall(ToolCall { params_summary: params_summary(&params), name }),
    ])
}

/// A running agent ended; false if it was not known as running.
pub(crate) fn agent_ended(sink: &mut impl Sink, id: &str) -> Result<bool> {
    let id = redact::redact_secrets(id).into_owned(); // as it was stored
    if !sink.state().agents.iter().any(|agent| agent.id == id) {
        return Ok(false);
    }
    sink.append(vec![Event::AgentEnded(id)])?;
    Ok(true)
}

/// Records the last tool call, as its caller words it.
pub(crate) fn last_tool_call(sink: &mut impl Sink, name: &str, params: &str) -> Result<()> {
    let name = name_of(name)?;
    let params_summary = clip::ellipsize(&redact::redact_secrets(params), MAX_TEXT).into_owned();
    sink.append(vec![Event::LastToolCall(ToolCall { name, params_summary })])
}

fn entry_text(said: &str) -> Result<String> {
    let text = said.trim();
    if text.is_empty() {
        return Err(Error::InvalidInput("nothing to remember: the text is empty".to_owned()));
    }
    Ok(clip::ellipsize(&redact::redact_secrets(text), MAX_TEXT).into_owned())
}

fn name_of(name: &str) -> Result<String> {
    let name = clip::one_line(name);
    if name.is_empty() {
        return Err(Error::InvalidInput("a tool call needs the tool's name".to_owned()));
    }
    Ok(clip::ellipsize(&name, MAX_NAME).into_owned())
}

/// An ISO 8601 time as it is stored: UTC, milliseconds. A day, or a time without a zone, is taken as UTC.
fn iso(text: &str) -> Result<String> {
    let civil = |text: &str| jiff::tz::TimeZone::UTC.to_timestamp(text.parse()?);
    let at = text.parse::<jiff::Timestamp>().or_else(|_| civil(text)).map_err(|_| {
        Error::InvalidInput(format!(
            "not an ISO 8601 time: {:?}; use for instance 2026-02-25T14:15:00Z",
            clip::ellipsize(text, 60)
        ))
    })?;
    Ok(format!("{at:.3}"))
}
