//! Building a checkpoint from what the rooms above know: a pure function (seed 002 section 11, DESIGN sections 4 and
//! 5). Lists come in oldest first; caps give up the oldest, never the newest.

use super::schema::{
    Agent, Checkpoint, Decision, Exchange, Integrity, Meta, Resources, SCHEMA, SCHEMA_VERSION, Task, Thread,
    ToolCall, WorkStatus, Working,
};
use crate::ledger::TaskState;
use crate::text::clip;

/// Most decisions, constraints, tasks, open items and learnings, each.
pub const MAX_ITEMS: usize = 50;
/// Most files in each list.
pub const MAX_FILES: usize = 100;
/// Most tool names.
pub const MAX_TOOLS: usize = 100;
/// Most key exchanges.
pub const MAX_EXCHANGES: usize = 8;
/// Most tool failures.
pub const MAX_ERRORS: usize = 8;
/// Most running agents.
pub const MAX_AGENTS: usize = 50;
/// Graphemes of the topic and of each half of the thread summary (seed 002 section 11.2).
pub const TOPIC_GRAPHEMES: usize = 100;
/// Graphemes of a gist (seed 002 section 11.2).
pub const GIST_GRAPHEMES: usize = 120;
/// Graphemes of an item; the ledger keeps the whole text.
pub const ITEM_GRAPHEMES: usize = 1_000;
/// Bytes of any one text in the file. With the caps above and [`NAME_BYTES`], every file stays below
/// `yaml::MAX_BYTES`.
pub const TEXT_BYTES: usize = 4_096;
/// Bytes of a path or of the name of a tool or agent in the file.
pub const NAME_BYTES: usize = 1_024;

/// An item of the ledger's live view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its words.
    pub text: &'a str,
    /// ISO 8601.
    pub at: &'a str,
}

/// A task of the live view, finished ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskItem<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its state.
    pub state: TaskState,
}

/// What the conversation gives.
#[derive(Debug, Clone, Copy)]
pub struct ThreadInput<'a> {
    /// Last real user message.
    pub topic: &'a str,
    /// First real user message of the session.
    pub first_user: &'a str,
    /// Last real user message of the session.
    pub last_user: &'a str,
    /// Key exchanges, oldest first.
    pub exchanges: &'a [Exchange],
    /// Last tool failures, oldest first.
    pub errors: &'a [String],
    /// What comes next.
    pub next_action: &'a str,
    /// How things stand.
    pub status: WorkStatus,
    /// The host cut a turn in two.
    pub interrupted: bool,
}

/// All that a checkpoint is made of. Texts are redacted by whoever captured them.
#[derive(Debug, Clone)]
pub struct BuildInput<'a> {
    /// Taken over; the utilization is rounded, or computed when it is not a number above 0.
    pub meta: Meta,
    /// The latest substantive request.
    pub active_request: Option<&'a str>,
    /// The live goal.
    pub goal: Option<&'a str>,
    /// Live constraints, oldest first.
    pub constraints: &'a [Item<'a>],
    /// Live decisions, oldest first.
    pub decisions: &'a [Item<'a>],
    /// Tasks, oldest first.
    pub tasks: &'a [TaskItem<'a>],
    /// Live open items, oldest first.
    pub open_items: &'a [Item<'a>],
    /// Live learnings, oldest first.
    pub learnings: &'a [Item<'a>],
    /// The conversation.
    pub thread: ThreadInput<'a>,
    /// From the state file, never only from memory.
    pub last_tool_call: Option<ToolCall>,
    /// Files read, oldest first; those that were modified are taken out.
    pub files_read: &'a [String],
    /// Files written or edited, oldest first.
    pub files_modified: &'a [String],
    /// Tool names in the order of first use.
    pub tools_used: &'a [String],
    /// Running subagents and jobs.
    pub agents: &'a [Agent],
    /// Entries superseded so far.
    pub superseded: u64,
    /// The journal position that this covers.
    pub state_seq: u64,
}

/// The checkpoint of an input. The same input gives the same checkpoint.
pub fn build(input: &BuildInput<'_>) -> Checkpoint {
    let thread = &input.thread;
    let read: Vec<String> =
        input.files_read.iter().filter(|path| !input.files_modified.contains(path)).cloned().collect();
    Checkpoint {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        meta: meta(&input.meta),
        active_request: input.active_request.map(bounded).filter(|text| !text.is_empty()),
        goal: input.goal.map(item).filter(|text| !text.is_empty()),
        working: Working {
            topic: clip::ellipsize(&clip::one_line(thread.topic), TOPIC_GRAPHEMES).into_owned(),
            status: thread.status,
            interrupted: thread.interrupted,
            last_tool_call: input.last_tool_call.as_ref().map(|call| ToolCall {
                name: name(&call.name),
                params_summary: bounded(&call.params_summary),
            }),
            next_action: item(thread.next_action),
        },
        constraints: texts(input.constraints),
        decisions: last(input.decisions, MAX_ITEMS)
            .iter()
            .enumerate()
            .map(|(index, decision)| Decision {
                id: format!("d{}", index + 1),
                what: item(decision.text),
                when: decision.at.to_owned(),
            })
            .collect(),
        tasks: tasks(input.tasks),
        resources: Resources {
            files_read: names(last(&read, MAX_FILES)),
            files_modified: names(last(input.files_modified, MAX_FILES)),
            tools_used: names(last(input.tools_used, MAX_TOOLS)),
        },
        thread: Thread {
            summary: summary(thread.first_user, thread.last_user),
            key_exchanges: exchanges(thread.exchanges),
            errors: last(thread.errors, MAX_ERRORS).iter().map(|text| item(text)).collect(),
        },
        open_items: texts(input.open_items),
        learnings: texts(input.learnings),
        agents: last(input.agents, MAX_AGENTS)
            .iter()
            .map(|agent| Agent {
                id: name(&agent.id),
                task: agent.task.as_deref().map(item),
                started_at: agent.started_at.clone(),
            })
            .collect(),
        superseded: input.superseded,
        integrity: Some(Integrity { bytes: 0, hash: String::new(), state_seq: input.state_seq }),
    }
}

fn meta(given: &Meta) -> Meta {
    let mut meta = given.clone();
    let usage = &mut meta.token_usage;
    let share = usage.utilization;
    let share = if share.is_finite() && share > 0.0 {
        share
    } else if usage.context_window == 0 {
        0.0
    } else {
        usage.input_tokens as f64 / usage.context_window as f64
    };
    usage.utilization = (share * 100.0).round() / 100.0;
    meta
}

fn summary(first: &str, last: &str) -> String {
    let gist = |text: &str| clip::ellipsize(&clip::one_line(text), TOPIC_GRAPHEMES).into_owned();
    let (first, last) = (gist(first), gist(last));
    match (first.is_empty(), last.is_empty()) {
        (false, false) if first != last => format!("{first} ... {last}"),
        (true, _) => last,
        _ => first,
    }
}

/// The first exchange says what it is about, so it stays; of the others the newest.
fn exchanges(all: &[Exchange]) -> Vec<Exchange> {
    let gist = |exchange: &Exchange| Exchange {
        role: name(&exchange.role),
        gist: clip::ellipsize(&clip::one_line(&exchange.gist), GIST_GRAPHEMES).into_owned(),
    };
    match all.split_first() {
        Some((first, rest)) if all.len() > MAX_EXCHANGES => {
            std::iter::once(first).chain(last(rest, MAX_EXCHANGES - 1)).map(gist).collect()
        }
        _ => all.iter().map(gist).collect(),
    }
}

/// Of too many tasks the oldest finished ones go first, then the oldest.
fn tasks(all: &[TaskItem<'_>]) -> Vec<Task> {
    let mut surplus = all.len().saturating_sub(MAX_ITEMS);
    let unfinished: Vec<&TaskItem<'_>> = all
        .iter()
        .enumerate()
        .filter(|(index, task)| {
            let goes = surplus > 0 && task.state == TaskState::Done && index + 1 < all.len();
            surplus -= usize::from(goes);
            !goes
        })
        .map(|(_, task)| task)
        .collect();
    last(&unfinished, MAX_ITEMS)
        .iter()
        .map(|task| Task { what: item(task.text), state: task.state })
        .collect()
}

fn texts(items: &[Item<'_>]) -> Vec<String> {
    last(items, MAX_ITEMS).iter().map(|entry| item(entry.text)).collect()
}

fn names(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| name(text)).collect()
}

fn last<T>(items: &[T], count: usize) -> &[T] {
    items.get(items.len().saturating_sub(count)..).unwrap_or_default()
}

fn item(text: &str) -> String {
    bounded(&clip::ellipsize(text.trim(), ITEM_GRAPHEMES))
}

fn name(text: &str) -> String {
    cut_to_bytes(text, NAME_BYTES)
}

fn bounded(text: &str) -> String {
    cut_to_bytes(text, TEXT_BYTES)
}

/// A text that takes at most `max` bytes in the file, cut between graphemes.
fn cut_to_bytes(text: &str, max: usize) -> String {
    let written = |text: &str| text.chars().map(written_bytes).sum::<usize>();
    if text.len() <= max / 4 || written(text) <= max {
        return text.to_owned();
    }
    let mut room = max.saturating_sub(clip::ELLIPSIS.len());
    let mut kept = String::with_capacity(max);
    for grapheme in clip::graphemes(text) {
        let bytes = written(grapheme);
        if bytes > room {
            break;
        }
        room -= bytes;
        kept.push_str(grapheme);
    }
    kept + clip::ELLIPSIS
}

/// Bytes of a character in double quotes.
fn written_bytes(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' => 2,
        c if c.is_ascii_control() => 4,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => 6,
        c if c.is_control() => 4,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn items(texts: &[String]) -> Vec<Item<'_>> {
        texts.iter().map(|text| Item { text, at: "2026-02-24T14:15:00Z" }).collect()
    }

    fn numbered(count: usize) -> Vec<String> {
        (1..=count).map(|n| format!("item {n}")).collect()
    }

    fn empty_thread() -> ThreadInput<'static> {
        ThreadInput {
            topic: "",
            first_user: "",
            last_user: "",
            exchanges: &[],
            errors: &[],
            next_action: "",
            status: WorkStatus::Idle,
            interrupted: false,
        }
    }

    fn empty_input() -> BuildInput<'static> {
        BuildInput {
            meta: fixture::checkpoint().meta,
            active_request: None,
            goal: None,
            constraints: &[],
            decisions: &[],
            tasks: &[],
            open_items: &[],
            learnings: &[],
            thread: empty_thread(),
            last_tool_call: None,
            files_read: &[],
            files_modified: &[],
            tools_used: &[],
            agents: &[],
            superseded: 0,
            state_seq: 7,
        }
    }

    #[test]
    fn caps_give_up_the_oldest_and_never_the_newest() {
        let many = numbered(130);
        let many_items = items(&many);
        let built = build(&BuildInput {
            decisions: &many_items,
            open_items: &many_items,
            files_modified: &many,
            tools_used: &many,
            ..empty_input()
        });
        assert_eq!(built.decisions.len(), 50);
        assert_eq!(
            built.decisions.first().map(|d| (d.id.as_str(), d.what.as_str())),
            Some(("d1", "item 81"))
        );
        assert_eq!(
            built.decisions.last().map(|d| (d.id.as_str(), d.what.as_str())),
            Some(("d50", "item 130"))
        );
        assert_eq!((built.open_items.len(), built.open_items.last().unwrap().as_str()), (50, "item 130"));
        assert_eq!((built.resources.files_modified.len(), built.resources.tools_used.len()), (100, 100));
    }

    #[test]
    fn finished_tasks_go_before_unfinished_ones() {
        let names = numbered(60);
        let all: Vec<TaskItem<'_>> = names
            .iter()
            .enumerate()
            .map(|(index, text)| TaskItem {
                text,
                state: if index < 15 || index == 59 { TaskState::Done } else { TaskState::Open },
            })
            .collect();
        let built = build(&BuildInput { tasks: &all, ..empty_input() });
        assert_eq!(built.tasks.len(), 50);
        assert_eq!(built.tasks.iter().filter(|task| task.state == TaskState::Open).count(), 44);
        assert_eq!(built.tasks.last().unwrap().what, "item 60");
    }

    #[test]
    fn a_modified_file_is_not_listed_as_read() {
        let (read, modified) = (["a".to_owned(), "b".to_owned()], ["b".to_owned()]);
        let built = build(&BuildInput { files_read: &read, files_modified: &modified, ..empty_input() });
        assert_eq!(built.resources.files_read, ["a"]);
    }

    #[test]
    fn utilization_has_two_decimals_and_is_computed_when_not_given() {
        let mut input = empty_input();
        for (given, expected) in [(0.812_155, 0.81), (0.0, 0.81), (f64::NAN, 0.81), (0.5, 0.5)] {
            input.meta.token_usage.utilization = given;
            assert_eq!(build(&input).meta.token_usage.utilization, expected);
        }
        input.meta.token_usage.context_window = 0;
        input.meta.token_usage.utilization = f64::INFINITY;
        assert_eq!(build(&input).meta.token_usage.utilization, 0.0);
    }

    #[test]
    fn the_thread_is_first_and_last_words_and_eight_exchanges() {
        let exchanges: Vec<Exchange> = (0..20)
            .map(|n| Exchange { role: "user".to_owned(), gist: format!("{n} {}", "é".repeat(200)) })
            .collect();
        let thread = ThreadInput {
            first_user: "Plan the\ntrip",
            last_user: "Now the visa",
            topic: "Now the visa",
            exchanges: &exchanges,
            ..empty_thread()
        };
        let built = build(&BuildInput { thread, ..empty_input() });
        assert_eq!(built.thread.summary, "Plan the trip ... Now the visa");
        let kept: Vec<&str> =
            built.thread.key_exchanges.iter().map(|e| e.gist.split(' ').next().unwrap()).collect();
        assert_eq!(kept, ["0", "13", "14", "15", "16", "17", "18", "19"]);
        assert!(built.thread.key_exchanges.iter().all(|e| clip::graphemes(&e.gist).count() <= 120));
    }

    #[test]
    fn the_largest_possible_checkpoint_can_be_written_and_read() {
        let huge: Vec<String> = (0..200).map(|n| format!("{n}{}", "\u{7}\"🔥".repeat(3_000))).collect();
        let huge_items = items(&huge);
        let tasks: Vec<TaskItem<'_>> =
            huge.iter().map(|text| TaskItem { text, state: TaskState::Open }).collect();
        let built = build(&BuildInput {
            active_request: Some(&huge[0]),
            constraints: &huge_items,
            decisions: &huge_items,
            tasks: &tasks,
            open_items: &huge_items,
            learnings: &huge_items,
            files_read: &huge,
            files_modified: &huge[..100],
            tools_used: &huge,
            ..empty_input()
        });
        let text = super::super::yaml::format(&built).unwrap();
        assert_eq!(super::super::yaml::parse(&text).unwrap().decisions, built.decisions);
    }
}
