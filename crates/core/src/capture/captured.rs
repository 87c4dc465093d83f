//! One thing that a conversation says, before the ledger compares it with what is known.

use super::act;
use super::kinds::{Kind, Scope, Source, TaskState};
use super::sense::sense;
use crate::text::clip;
use crate::text::pattern::static_regex;
use serde::{Deserialize, Serialize};

/// Longest captured text, in graphemes.
pub const MAX_CAPTURED: usize = 300;
/// Longest goal, in graphemes: the first request says more than a line.
pub const MAX_GOAL: usize = 400;
/// A text of more bytes is cut before it is read.
const MAX_START: usize = 4 * MAX_GOAL;
/// No message yields more than this.
pub(super) const MAX_PER_MESSAGE: usize = 24;

/// A candidate for the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Captured {
    /// What it is.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// The words, one line, not yet redacted.
    pub text: String,
    /// Who said it.
    pub source: Source,
    /// 0..1: how plainly it was said; host summaries are low.
    pub confidence: f32,
    /// For tasks: the state in which it was said.
    pub task: Option<TaskState>,
    /// What it replaces, in the speaker's words (`instead of X` gives `X`).
    pub replaces: Option<String>,
    /// The entry settles an earlier task or open item that is worded like this.
    pub resolves: Option<String>,
    /// It takes back what was said earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdraws: Option<Withdrawn>,
    /// Position within the message, ascending.
    pub position: u32,
}

/// What is taken back, as far as the words tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Withdrawn {
    /// `Undo that`: what was said right before, in these words. The capture is no entry.
    Said(Vec<String>),
    /// `Forget the Redis idea`: whatever is about this. The capture is no entry.
    Topic(String),
    /// `Forget what I said about Redis`: whatever was said of this, for it or against it. The capture is no entry.
    Talk(String),
    /// `Use Memcached instead`: what it takes the place of, most likely said right before, in these words. The capture is
    /// an entry.
    Instead(Vec<String>),
    /// `Ipak koristi Memcached`: the same, only where both choose among things of a kind or open alike.
    Rather(Vec<String>),
    /// `Remove the retry logic`, `we no longer need the export`: what says hardly more than this. The capture is an
    /// entry besides.
    Thing(String),
    /// `Delete the old files`: what keeps them. The capture is no entry.
    Removed(String),
    /// `You can touch legacy again`: what forbids just that. The capture is no entry.
    Allowed(String),
    /// `Raise the limit to 250`, `replace Jest with Vitest`: what is named gets another value or choice. The capture is an
    /// entry, and where it is work that takes the place of a decision, that too.
    Change(Change),
    /// `Make it 20 then`: what was said right before, in these words, gets another value. The capture is an entry and says
    /// it with that.
    Value(String),
    /// `Ne age, nego gpg`: as a change, and an entry only where something is changed.
    Swap(Change),
    /// `Back to Kafka`: what was said of it before holds again. Where nothing was, the capture is an entry if it changes
    /// something else by its own words.
    BackTo {
        /// What holds again.
        name: String,
        /// What the words change in any case.
        change: Option<Change>,
    },
}

/// An order that changes something, as far as its words tell; each part may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What gets another value: `the limit`.
    pub what: String,
    /// What it had or was: `Jest`.
    pub old: String,
    /// What it is to have or be: `250`, `Vitest`.
    pub new: String,
}

static_regex! {
    static BRANCH_CUE = r"\b(?:this branch|for now|in this (?:file|module|commit|pr|change)|just (?:this once|here)|temporarily|until (?:then|tomorrow|the (?:release|merge))|za sada|privremeno|na ovoj grani|u ovom fajlu)\b";
    static SESSION_CUE = r"\b(?:whole (?:session|project)|across branches|session-wide|project-wide|everywhere|from now on|always|never|in general|globally|svuda|uvek|nikad\w*|ubuduce|od sada|u celom projektu)\b";
    /// A word of the patterns below.
    static REPLACE_CUE = r"instead|rather than|in place of|umesto|replac|switch|mov|migrat|chang|prelaz|prebac|menja";
    static INSTEAD_OF = r"\b(?:instead of|rather than|in place of|umesto|replaces?|replacing)\s+(?:using |the |our |a |an )?([^,.;:!?()]{2,60})";
    static FROM_TO = r"\b(?:from|sa|s)\s+([^,.;:!?()]{2,40}?)\s+(?:to|na)\s";
    /// Points at something named elsewhere.
    static NO_NAME = r"^(?:that|this|it|them|those|these|toga?|njega|nje|njih|ovoga?|te)$";
    static SWITCHES = r"\b(?:switch\w*|mov(?:e|es|ed|ing)|migrat\w+|chang\w+|prelaz\w+|prebac\w+|menja\w+)\b";
}

impl Captured {
    /// A candidate with what the words themselves tell: scope and what it replaces.
    pub(super) fn new(kind: Kind, text: &str, source: Source, confidence: f32) -> Self {
        let limit = if kind == Kind::Goal { MAX_GOAL } else { MAX_CAPTURED };
        let line = clip::one_line(start_of(text));
        let line = line.trim().trim_end_matches([';', ',']).trim_end();
        let seen = sense(line);
        let wide = matches!(kind, Kind::Goal | Kind::Constraint | Kind::Learning);
        let scope = if BRANCH_CUE.is_match(&seen) {
            Scope::Branch
        } else if wide || SESSION_CUE.is_match(&seen) {
            Scope::Session
        } else {
            Scope::Branch
        };
        let replaces = matches!(kind, Kind::Decision | Kind::Constraint | Kind::Goal | Kind::Learning)
            .then(|| replaced(line, &seen))
            .flatten();
        Self {
            kind,
            scope,
            text: clip::ellipsize(line, limit).into_owned(),
            source,
            confidence,
            task: None,
            replaces,
            resolves: None,
            withdraws: None,
            position: 0,
        }
    }

    /// Words that only take something back.
    pub(super) fn withdrawal(text: &str, source: Source, what: Withdrawn) -> Self {
        Self { withdraws: Some(what), ..Self::new(Kind::Decision, text, source, 0.9) }
    }

    /// Whether it is to be remembered itself, and not only takes something back.
    pub fn is_entry(&self) -> bool {
        use Withdrawn::{Allowed, Removed, Said, Talk, Topic};
        !matches!(self.withdraws, Some(Said(_) | Topic(_) | Talk(_) | Removed(_) | Allowed(_)))
    }

    /// Whether it takes back work, of which it names all.
    pub(super) fn takes_back(&self, work: &str) -> bool {
        use Withdrawn::{Talk, Thing, Topic};
        let Some(Topic(name) | Talk(name) | Thing(name)) = &self.withdraws else { return false };
        let (named, work) = (act::objects(name), act::objects(work));
        !work.is_empty() && work.iter().all(|word| act::names(&named, word))
    }

    /// A piece of work in its state.
    pub(super) fn task(text: &str, state: TaskState, source: Source, confidence: f32) -> Self {
        Self { task: Some(state), ..Self::new(Kind::Task, text, source, confidence) }
    }
}

/// Enough of a long text for the longest entry.
fn start_of(text: &str) -> &str {
    if text.len() <= MAX_START { text } else { clip::first_graphemes(text, 2 * MAX_GOAL) }
}

/// What a text says that it replaces: `Y instead of X`, `replacing X with Y`, `switch from X to Y`.
fn replaced(line: &str, seen: &str) -> Option<String> {
    if !REPLACE_CUE.is_match(seen) {
        return None;
    }
    let found = INSTEAD_OF
        .captures(line)
        .or_else(|| SWITCHES.is_match(seen).then(|| FROM_TO.captures(line)).flatten())
        .and_then(|found| found.get(1))?;
    let old = found.as_str();
    let end = [" with ", " by ", " sa "].iter().filter_map(|mark| old.find(mark)).min().unwrap_or(old.len());
    let old = old.get(..end)?.trim();
    (!NO_NAME.is_match(&sense(old))).then(|| old.to_owned())
}
