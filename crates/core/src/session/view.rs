//! What is remembered, as callers see it.

use super::state::State;
use crate::checkpoint::ToolCall;
use crate::ledger::{Item, Kind, Source, Status, View};
use serde::Serialize;
use std::sync::Arc;

/// Items of one kind that are shown, at most (DESIGN section 4).
pub(crate) const ITEMS_SHOWN: usize = 50;
/// Files and tools that are shown, at most.
const NAMES_SHOWN: usize = 100;

/// `SessionState` of API.md.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// What the user wants in the end.
    pub goal: Option<String>,
    /// Choices, oldest first; superseded ones say by what.
    pub decisions: Vec<ItemView>,
    /// What must or must not be done.
    pub constraints: Vec<ItemView>,
    /// Work.
    pub tasks: Vec<ItemView>,
    /// Unanswered or left to do.
    pub open_items: Vec<ItemView>,
    /// Learned.
    pub learnings: Vec<ItemView>,
    /// Files and tools.
    pub resources: ResourcesView,
    /// The conversation.
    pub thread: ThreadView,
    /// The last tool call.
    pub last_tool_call: Option<ToolCallView>,
    /// Journal position of this view.
    pub journal_seq: u64,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemView {
    /// Unique within the session.
    pub id: String,
    /// The words.
    pub text: String,
    /// ISO 8601.
    pub at: String,
    /// `user`, `enrichment`, `assistant`, `summary` or `tool`.
    pub source: Source,
    /// `active`, `superseded` or `resolved`.
    pub status: &'static str,
    /// What superseded or resolved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Files and tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesView {
    /// Read, not modified.
    pub files_read: Vec<String>,
    /// Written or edited.
    pub files_modified: Vec<String>,
    /// In the order of first use.
    pub tools_used: Vec<String>,
}

/// The conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadView {
    /// Gist of the last real user message.
    pub topic: Option<String>,
    /// Last tool failures, newest last.
    pub errors: Vec<String>,
}

/// A tool call in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallView {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub params_summary: String,
}

impl From<ToolCall> for ToolCallView {
    fn from(call: ToolCall) -> Self {
        Self { name: call.name, params_summary: call.params_summary }
    }
}

/// What holds, what was replaced and what is settled.
pub(crate) fn live(state: &State) -> Arc<View> {
    state.ledger.view(&state.live)
}

/// What the user wants in the end: the newest goal in a person's words; a summary's only where no person named one.
pub(crate) fn goal(view: &View) -> Option<&str> {
    let newest =
        |by_user: bool| view.active(Kind::Goal).rfind(|goal| (goal.trust == Source::User) == by_user);
    newest(true).or_else(|| newest(false)).map(|goal| goal.entry.text.as_str())
}

pub(crate) fn session_view(state: &State) -> SessionView {
    let view = live(state);
    let items =
        |kind: Kind| view.within(kind, ITEMS_SHOWN).into_iter().map(|item| show(&view, item)).collect();
    SessionView {
        goal: goal(&view).map(str::to_owned),
        decisions: items(Kind::Decision),
        constraints: items(Kind::Constraint),
        tasks: items(Kind::Task),
        open_items: items(Kind::OpenItem),
        learnings: items(Kind::Learning),
        resources: ResourcesView {
            files_read: newest(&state.files_read),
            files_modified: newest(&state.files_modified),
            tools_used: newest(&state.tools_used),
        },
        thread: ThreadView { topic: super::thread::topic(state), errors: state.errors.clone() },
        last_tool_call: state.last_tool_call.clone().map(ToolCallView::from),
        journal_seq: state.seq,
    }
}

fn show(view: &View, item: &Item) -> ItemView {
    let (status, by) = match &item.status {
        Status::Active => ("active", None),
        Status::Superseded(newer) => (
            "superseded",
            view.item_of(newer).map(|newer| newer.entry.text.clone()).or_else(|| Some(newer.clone())),
        ),
        Status::Resolved(how) | Status::Withdrawn(how) => ("resolved", Some(how.clone())),
    };
    ItemView {
        id: item.entry.id.clone(),
        text: item.entry.text.clone(),
        at: item.entry.at.clone(),
        source: item.trust,
        status,
        by,
    }
}

fn newest(names: &[String]) -> Vec<String> {
    names.iter().skip(names.len().saturating_sub(NAMES_SHOWN)).cloned().collect()
}
