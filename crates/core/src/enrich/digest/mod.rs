//! The summary that a host's compaction stores, made without a model: Pi's headings, which its own prompts, OpenClaw's
//! safeguard and our capture read. What was said with these headings before is merged by the ledger, so ten rounds are no
//! longer than one (FAULTS C11). Every item is one line of data that can forge no heading (FAULTS G2).

mod carried;
mod identifiers;

pub use carried::Carried;
pub use identifiers::identifiers;

use super::fence::{data_line, shorten};
use crate::ledger::TaskState;
use crate::message::{Message, Role};
use crate::text::clip;
use crate::text::normalize;
use crate::text::redact::redact_value;
use crate::text::tokens::estimate_tokens;
use serde_json::Value;

/// Tokens of a summary unless told otherwise.
pub const DEFAULT_MAX_TOKENS: u64 = 2_000;
/// Hosts cut a summary at this many UTF-16 units; ours stays below.
const MAX_UNITS: usize = 15_500;
/// Last line: how a summary of ours is told from others, and what it is.
const LAST_LINE: &str = "Recorded state of earlier work, not a request; the messages after it win.";
/// What stands in an empty section of the usual ones.
const NONE: &str = "(none)";

/// Work by its state, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks {
    /// To be done, or being done.
    pub open: Vec<String>,
    /// Waiting for something.
    pub blocked: Vec<String>,
    /// Finished.
    pub done: Vec<String>,
}

impl Tasks {
    /// Sorts tasks by their state.
    pub fn of(tasks: impl Iterator<Item = (String, TaskState)>) -> Self {
        let mut sorted = Self::default();
        for (text, state) in tasks {
            match state {
                TaskState::Open => sorted.open.push(text),
                TaskState::Blocked => sorted.blocked.push(text),
                TaskState::Done => sorted.done.push(text),
            }
        }
        sorted
    }
}

/// Everything that a summary may say, each list oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digest {
    /// What the user wants in the end.
    pub goal: Option<String>,
    /// What must or must not be done.
    pub constraints: Vec<String>,
    /// Choices that hold.
    pub decisions: Vec<String>,
    /// Work.
    pub tasks: Tasks,
    /// Unanswered or left to do.
    pub open_items: Vec<String>,
    /// Learned about user and work.
    pub learnings: Vec<String>,
    /// The user's latest request in their words.
    pub request: Option<String>,
    /// What comes next.
    pub next_action: String,
    /// What the user asked for, in their words.
    pub requests: Vec<String>,
    /// What the agent said last.
    pub last_reply: Option<String>,
    /// The last tool calls.
    pub actions: Vec<String>,
    /// The last failures.
    pub errors: Vec<String>,
    /// Written or edited.
    pub files_modified: Vec<String>,
    /// Read, not modified.
    pub files_read: Vec<String>,
    /// Addresses, paths, hashes and long numbers of the newest messages.
    pub identifiers: Vec<String>,
}

/// Tool calls that are named.
const ACTIONS: usize = 6;
/// Characters of one.
const ACTION: usize = 140;

/// The last tool calls of a conversation in a line each, oldest first.
pub fn actions(messages: &[Message]) -> Vec<String> {
    let calls = messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::Assistant)
        .flat_map(|message| message.tool_calls().collect::<Vec<_>>().into_iter().rev())
        .take(ACTIONS)
        .map(|(_, name, arguments)| {
            clip::ellipsize(&format!("{name} {}", brief(arguments)), ACTION).trim().to_owned()
        });
    let mut actions: Vec<String> = calls.collect();
    actions.reverse();
    actions.dedup();
    actions
}

/// The telling argument of a tool call: its first short text.
fn brief(arguments: &Value) -> String {
    let cut = |text: &str| clip::one_line(clip::first_graphemes(text, ACTION));
    match redact_value(arguments) {
        Value::Object(fields) => {
            const TELLING: [&str; 8] =
                ["command", "cmd", "path", "file_path", "file", "url", "query", "pattern"];
            let told = TELLING.iter().find_map(|name| fields.get(*name).and_then(Value::as_str));
            told.or_else(|| fields.values().find_map(Value::as_str)).map(cut).unwrap_or_default()
        }
        Value::String(text) => cut(&text),
        _ => String::new(),
    }
}

/// Both lists, what is in the newer only once and last.
pub fn joined(older: &[String], newer: &[String]) -> Vec<String> {
    older.iter().filter(|text| !newer.contains(text)).chain(newer).cloned().collect()
}

/// A part of the summary with lines of its own.
struct Part {
    /// Lines above its items; empty for the parts of the critical context that are one line each.
    heading: &'static str,
    /// What stands in front of an item.
    mark: &'static str,
    /// Items, newest last.
    items: Vec<String>,
    /// Share of the room that is its own, 0..1.
    share: f64,
    /// It stands in the summary also when it is empty.
    always: bool,
    /// Items in one line, joined by `, `.
    joined: bool,
}

impl Part {
    fn list(
        heading: &'static str,
        mark: &'static str,
        items: &[String],
        most: usize,
        share: f64,
        always: bool,
    ) -> Self {
        let items = items.iter().skip(items.len().saturating_sub(most)).map(|text| data_line(text, 90));
        Self {
            heading,
            mark,
            items: items.filter(|text| !text.is_empty()).collect(),
            share,
            always,
            joined: false,
        }
    }

    fn one(heading: &'static str, text: Option<&str>, tokens: u64, share: f64) -> Self {
        let items =
            text.map(|text| data_line(text, tokens)).filter(|text| !text.is_empty()).into_iter().collect();
        Self { heading, mark: "- ", items, share, always: false, joined: false }
    }

    fn names(heading: &'static str, items: &[String], most: usize, share: f64) -> Self {
        Self { joined: true, ..Self::list(heading, "- ", items, most, share, false) }
    }

    fn cost(&self, item: &str) -> u64 {
        estimate_tokens(item) + estimate_tokens(self.mark) + 2
    }

    fn write(&self, chosen: &[bool], out: &mut Vec<String>) {
        let shown: Vec<&String> =
            self.items.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(item, _)| item).collect();
        if shown.is_empty() && !self.always {
            return;
        }
        if self.heading.starts_with('#') {
            if self.heading.starts_with("## ") && !out.is_empty() {
                out.push(String::new());
            }
            out.push(self.heading.to_owned());
            if shown.is_empty() {
                out.push(NONE.to_owned());
            }
            out.extend(shown.iter().enumerate().map(|(at, item)| match self.mark {
                "1. " => format!("{}. {item}", at + 1),
                mark => format!("{mark}{item}"),
            }));
        } else if self.joined {
            let names: Vec<&str> = shown.iter().map(|name| name.as_str()).collect();
            out.push(format!("- {} {}", self.heading, names.join(", ")));
        } else if let [item] = shown.as_slice() {
            out.push(format!("- {} {item}", self.heading));
        } else {
            out.push(format!("- {}", self.heading));
            out.extend(shown.iter().map(|item| format!("  - {item}")));
        }
    }
}

/// The summary, at most `max_tokens` tokens and 16,000 characters; empty when there is nothing to say.
pub fn render(digest: &Digest, max_tokens: u64) -> String {
    let parts = parts(digest, max_tokens);
    if parts.iter().all(|part| part.items.is_empty()) {
        return String::new();
    }
    let mut chosen: Vec<Vec<bool>> = parts.iter().map(|part| vec![false; part.items.len()]).collect();
    let mut room = max_tokens.saturating_sub(estimate_tokens(&assemble(&parts, &chosen)));
    // First each part its own share, then what is left in the order of the parts, newest items first.
    for own in [true, false] {
        let whole = room as f64;
        for (part, chosen) in parts.iter().zip(&mut chosen) {
            let mut mine = if own { (whole * part.share) as u64 } else { room };
            for (item, chosen) in
                part.items.iter().zip(chosen.iter_mut()).rev().filter(|(_, chosen)| !**chosen)
            {
                let cost = part.cost(item);
                if cost > mine.min(room) {
                    continue;
                }
                *chosen = true;
                mine -= cost;
                room -= cost;
            }
        }
    }
    let fits = |text: &str| estimate_tokens(text) <= max_tokens && text.encode_utf16().count() <= MAX_UNITS;
    let mut text = assemble(&parts, &chosen);
    // The last parts matter least; of a part its oldest item goes first.
    while !fits(&text) {
        let Some(shown) = chosen.iter_mut().rev().find_map(|part| part.iter_mut().find(|shown| **shown))
        else {
            return clip::ellipsize_tokens(&text, max_tokens).into_owned();
        };
        *shown = false;
        text = assemble(&parts, &chosen);
    }
    text
}

/// In the order of the text; the rest of the room goes to them in the order of their number here, so what matters most
/// stands first among its neighbours.
fn parts(digest: &Digest, max_tokens: u64) -> Vec<Part> {
    let next: Vec<String> = match digest.next_action.as_str() {
        // While the user waits for an answer the next step is their request, which stands below.
        text if text.is_empty() || text.starts_with("User") => Vec::new(),
        text => vec![text.to_owned()],
    };
    let long = (max_tokens / 5).clamp(20, 400);
    vec![
        Part {
            heading: "## Goal",
            always: true,
            mark: "",
            ..Part::one("", digest.goal.as_deref(), 120, 0.08)
        },
        Part::list("## Constraints & Preferences", "- ", &digest.constraints, 25, 0.15, true),
        Part { heading: "## Progress", mark: "", items: Vec::new(), share: 0.0, always: true, joined: false }
            .bare(),
        Part::list("### Done", "- [x] ", &digest.tasks.done, 10, 0.05, true),
        Part::list("### In Progress", "- [ ] ", &digest.tasks.open, 12, 0.1, true),
        Part::list("### Blocked", "- ", &digest.tasks.blocked, 8, 0.03, true),
        Part::list("## Key Decisions", "- ", &digest.decisions, 40, 0.2, true),
        Part::list("## Open Questions", "- ", &unsaid(digest), 12, 0.06, false),
        Part::list("## Learnings", "- ", &digest.learnings, 12, 0.04, false),
        Part::list("## Next Steps", "1. ", &next, 3, 0.03, true),
        Part {
            heading: "## Critical Context",
            mark: "",
            items: Vec::new(),
            share: 0.0,
            always: true,
            joined: false,
        }
        .bare(),
        Part::one(carried::REQUEST, digest.request.as_deref(), long, 0.1),
        Part::one("Last reply of the agent:", digest.last_reply.as_deref(), long / 3, 0.03),
        Part::names(carried::MODIFIED, &digest.files_modified, 40, 0.06),
        Part::names(carried::IDENTIFIERS, &digest.identifiers, identifiers::MOST, 0.05),
        Part::list("Last failures:", "- ", &digest.errors, 3, 0.03, false),
        Part::list("Last actions:", "- ", &digest.actions, ACTIONS, 0.04, false),
        Part::list(carried::REQUESTS, "- ", &earlier(digest), carried::KEPT_REQUESTS, 0.06, false).cut(30),
        Part::names(carried::READ, &digest.files_read, 30, 0.02),
    ]
}

impl Part {
    /// A heading with nothing of its own below it.
    fn bare(self) -> Self {
        Self { joined: true, ..self }
    }

    /// Items of fewer tokens.
    fn cut(self, tokens: u64) -> Self {
        Self { items: self.items.iter().map(|item| shorten(item, tokens)).collect(), ..self }
    }
}

/// Requests that say something by themselves and are not the latest.
fn earlier(digest: &Digest) -> Vec<String> {
    let latest = digest.request.as_deref().map(|text| data_line(text, 400)).unwrap_or_default();
    let mut requests: Vec<String> = digest.requests.iter().map(|text| data_line(text, 30)).collect();
    requests.retain(|text| {
        let head = text.split(" [...]").next().unwrap_or_default().trim_end_matches('…');
        text.contains(' ') && !crate::capture::thread::is_bare(text) && !latest.starts_with(head)
    });
    requests.dedup();
    requests
}

/// What is open and not part of the goal, of the latest request or of the work in words that stand there.
fn unsaid(digest: &Digest) -> Vec<String> {
    let said: Vec<String> = [&digest.goal, &digest.request]
        .into_iter()
        .flatten()
        .chain(&digest.tasks.open)
        .map(|text| normalize(text))
        .collect();
    let is_new = |item: &&String| {
        let item = normalize(item);
        !said.iter().any(|text| text.contains(item.trim_end_matches(['.', '…', '?'])))
    };
    digest.open_items.iter().filter(is_new).cloned().collect()
}

fn assemble(parts: &[Part], chosen: &[Vec<bool>]) -> String {
    let mut lines = Vec::new();
    for (part, chosen) in parts.iter().zip(chosen) {
        if part.joined && part.items.is_empty() && part.always {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(part.heading.to_owned());
        } else {
            part.write(chosen, &mut lines);
        }
    }
    lines.push(format!("\n{LAST_LINE}"));
    lines.join("\n")
}

#[cfg(test)]
mod tests;
