//! Messages in order go in, candidates for the ledger come out. The state between calls is small and can be stored, so
//! that work per message is proportional to the message (DESIGN promise 3).

use super::answer;
use super::captured::{Captured, MAX_PER_MESSAGE, Withdrawn};
use super::envelope::user_text;
use super::kinds::{Kind, Source, TaskState};
use super::open::{self, Open};
use super::report::Reports;
use super::sense::{CountWords, sense};
use super::withdraw::Before;
use super::{agent, chosen, injected, lexicon, pasted, person, statement, thread};
use crate::message::{Message, Role};
use crate::text::clip;
use crate::text::pattern::static_regex;
use serde::{Deserialize, Serialize};
use std::cell::LazyCell;

/// Of a long reply, this many bytes of its end are kept for the answer that follows: some 4,000 tokens.
const REPLY_BYTES: usize = 16_000;
/// Confidence of a decision that a person's answer made.
const ANSWERED: f32 = 0.9;
/// Pasted errors that are watched at once.
const MAX_ERRORS: usize = 8;
/// Things said last that are remembered, so that they can be taken back.
const MAX_SAID: usize = 8;
/// Graphemes of a message in which it says that it only wants to look.
const MAX_RULE: usize = 600;
/// An answer of at most so many words asks for nothing besides.
const SHORT_ANSWER: usize = 8;
/// So many open steps in one message are a list of what is left.
const LIST: usize = 2;
/// Steps that are remembered as left.
const MAX_STEPS: usize = 48;
/// Pasted errors are open items of this confidence; they settle in their own way.
const PASTED: f32 = 0.6;
/// Confidence that work is done because the agent says so.
const REPORTED: f32 = 0.6;

/// Reads a conversation message by message. Equal states and equal messages give equal results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capturer {
    /// What the agent said last since the last real user message.
    last_reply: Option<String>,
    /// Work that the person asked for, until the agent reports it done, or worked on it and the person goes on.
    asked: Vec<Open>,
    /// The agent called tools since the newest real user message.
    worked: bool,
    /// Steps that the agent, or a host's summary, listed last as not done yet.
    listed: Vec<Open>,
    /// Errors that the person pasted and that are not fixed yet.
    errors: Vec<Pasted>,
    /// What the newest message of the person said, and the agent decided since: what `undo that` takes back.
    said: Vec<String>,
    /// What the person asked last, if it was which of several.
    asked_which: Option<String>,
    /// Rules of a person for one answer only: they end when something is to be changed.
    for_now: Vec<String>,
    /// The first substantive request was seen.
    has_goal: bool,
}

/// An error that a person pasted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Pasted {
    text: String,
    /// The agent announced or reported a fix; the person has not answered yet.
    mended: bool,
}

impl Capturer {
    /// What one message says, by the matrix of DESIGN section 4: tool results, injected messages and clawback's own
    /// text yield nothing here. At most 24 candidates, in the order of the message.
    pub fn take(&mut self, message: &Message) -> Vec<Captured> {
        self.take_typed(message, user_text(message).as_deref())
    }

    /// The same where it is known what a person typed of the message: what [`user_text`] gives.
    pub(crate) fn take_typed(&mut self, message: &Message, typed: Option<&str>) -> Vec<Captured> {
        let mut out = match message.role {
            Role::User => match typed {
                Some(text) => self.person(text),
                None => injected_summary(&message.text())
                    .map(|summary| self.summary(&summary))
                    .unwrap_or_default(),
            },
            Role::Assistant => self.agent(message),
            Role::CompactionSummary => self.summary(&message.text()),
            Role::BranchSummary => agent::read_summary(&message.text()),
            _ => Vec::new(),
        };
        // A request that follows a summary with a goal is not the first one.
        if message.role == Role::CompactionSummary {
            self.has_goal |= out.iter().any(|found| found.kind == Kind::Goal);
        }
        out.truncate(MAX_PER_MESSAGE);
        for (position, found) in out.iter_mut().enumerate() {
            found.position = u32::try_from(position).unwrap_or(u32::MAX);
        }
        out
    }

    fn person(&mut self, text: &str) -> Vec<Captured> {
        let mut settled = self.settled_by_person(text);
        if self.worked && self.replied() && !complains(text) {
            let (over, left): (Vec<Open>, Vec<Open>) =
                std::mem::take(&mut self.asked).into_iter().partition(|asked| !asked.goal && !asked.left);
            self.asked = left;
            settled.extend(gone_on(over));
        }
        if !self.for_now.is_empty() && person::orders_change(text) {
            let over = Withdrawn::Said(std::mem::take(&mut self.for_now));
            settled.push(Captured::withdrawal("something is to be changed now", Source::User, over));
        }
        let before = Before { said: &self.said, reply: self.last_reply.as_deref() };
        let person::Heard { found: mut said, error, left } = person::read(text, !self.has_goal, &before);
        if let Some(text) = error
            && self.errors.iter().all(|known| known.text != text)
        {
            self.errors.push(Pasted { text, mended: false });
        }
        let more = self.errors.len().saturating_sub(MAX_ERRORS);
        self.errors.drain(..more);
        let reply = self.last_reply.take().unwrap_or_default();
        let decided = answer::extract_decision(&reply, Some(text)).and_then(|decided| {
            if lexicon::names_nothing(&sense(&decided)) {
                chosen::framed(&decided, &reply, self.asked_which.as_deref())
            } else {
                Some(decided)
            }
        });
        let answers = chosen::numbered(&reply, text);
        let short = text.word_count() <= SHORT_ANSWER;
        if !self.has_goal && (short && decided.is_some() || !answers.is_empty()) {
            // An answer is no first request.
            said.retain(|found| found.kind != Kind::Goal);
        }
        let decided = decided.filter(|_| answers.is_empty());
        said.splice(0..0, answers);
        self.asked_which = chosen::subject(text).map(|_| text.to_owned());
        self.has_goal |= said.iter().any(|found| found.kind == Kind::Goal);
        said.extend(settled);
        let out = match decided {
            None => said,
            // What the person's own sentence says in full needs no second entry, and the answer needs no part of itself.
            Some(decided)
                if said.iter().any(|found| {
                    found.is_entry() && found.kind != Kind::Goal && found.text.contains(decided.as_str())
                        || text.contains(decided.as_str())
                            && decided.contains(found.text.trim_end_matches(['.', '!']))
                }) =>
            {
                said
            }
            Some(decided) => {
                let answered = if answer::goes_on(&decided) {
                    Captured::task(&decided, TaskState::Open, Source::User, ANSWERED)
                } else {
                    Captured::new(Kind::Decision, &decided, Source::User, ANSWERED)
                };
                let rest = said.into_iter().filter(|found| {
                    !found.is_entry() || !decided.contains(found.text.trim_end_matches(['.', '!']))
                });
                std::iter::once(answered).chain(rest).collect()
            }
        };
        let goal = out.iter().find(|found| found.kind == Kind::Goal).map(|goal| goal.text.clone());
        let asks = |found: &&Captured| {
            // A question waits for its answer, whatever work is done meanwhile.
            let asks = found.text.contains('?');
            let open = found.kind == Kind::OpenItem && found.confidence > PASTED && !asks;
            found.is_entry() && (open || found.task == Some(TaskState::Open))
        };
        // What is dropped is not waited for: that it is gone is no report of it as done.
        let dropped = |open: &Open| out.iter().any(|found| found.takes_back(&open.text));
        self.asked.retain(|asked| (!asked.goal || asked.left) && !dropped(asked));
        self.listed.retain(|listed| !dropped(listed));
        self.asked.extend(out.iter().filter(asks).map(|found| Open {
            goal: found.kind == Kind::Task && goal.as_ref().is_some_and(|goal| goal.contains(&found.text)),
            item: found.kind == Kind::OpenItem,
            left: left.contains(&found.text),
            ..Open::new(&found.text, Source::User)
        }));
        keep_newest(&mut self.asked, MAX_SAID);
        let whole = LazyCell::new(|| sense(clip::first_graphemes(text, MAX_RULE)));
        let for_now = |found: &&Captured| {
            let rules = found.kind == Kind::Constraint && found.is_entry();
            rules && statement::is_for_now(&sense(&found.text), &whole)
        };
        self.for_now.extend(out.iter().filter(for_now).map(|found| found.text.clone()));
        keep_newest(&mut self.for_now, MAX_SAID);
        self.worked = false;
        let said: Vec<String> =
            out.iter().filter(|found| holds(found)).map(|found| found.text.clone()).collect();
        if !said.is_empty() || !thread::is_bare(text) {
            self.said = said;
        }
        out
    }

    fn agent(&mut self, message: &Message) -> Vec<Captured> {
        let text = message.text();
        if text.trim().is_empty() {
            self.worked |= message.tool_calls().next().is_some();
            return Vec::new();
        }
        self.last_reply = Some(clip::last_bytes(&text, REPLY_BYTES).to_owned());
        if matches!(message.stop_reason.as_deref(), Some("aborted" | "error")) {
            return Vec::new();
        }
        let works = message.tool_calls().next().is_some();
        self.worked |= works;
        let awaited = !(self.asked.is_empty() && self.listed.is_empty());
        let heard = agent::read(&text, works, awaited);
        let settled = open::settle(&mut self.asked, &mut self.listed, &heard.reports);
        let mut out = self.refreshed(heard.found, Source::Assistant);
        self.said
            .extend(out.iter().filter(|found| found.kind == Kind::Decision).map(|found| found.text.clone()));
        keep_newest(&mut self.said, MAX_SAID);
        // What is reported done of work that is not done as a whole is told with that work.
        let open = || self.asked.iter().chain(&self.listed);
        out.retain(|found| {
            found.task != Some(TaskState::Done)
                || !open().any(|open| open::leaves_some(&open.text, &found.text))
        });
        out.extend(settled.into_iter().map(|open| reported(open, &heard.reports)));
        if heard.done {
            let errors = std::mem::take(&mut self.errors).into_iter();
            out.extend(errors.map(|error| mended(error.text, Source::Assistant)));
        } else if self.errors.iter().any(|error| !error.mended) && pasted::mends(&text) {
            self.errors.iter_mut().for_each(|error| error.mended = true);
        }
        out
    }

    fn summary(&mut self, text: &str) -> Vec<Captured> {
        let found = agent::read_summary(text);
        self.refreshed(found, Source::Summary)
    }

    /// A newer list of what is left takes the place of the one before: what it does not name any more is not left.
    fn refreshed(&mut self, mut found: Vec<Captured>, source: Source) -> Vec<Captured> {
        let open = found.iter().filter(|found| found.task == Some(TaskState::Open));
        let left: Vec<Open> = open.map(|found| Open::new(&found.text, source)).collect();
        let mut gone = Vec::new();
        if left.len() >= LIST {
            // A summary does not speak for what the agent said after it was written.
            self.listed.retain(|old| {
                let stays = old.item || old.source > source || left.iter().any(|step| step.text == old.text);
                if !stays {
                    gone.push(old.text.clone());
                }
                stays
            });
        }
        self.listed.extend(left);
        let items = found.iter().filter(|found| found.kind == Kind::OpenItem);
        self.listed.extend(items.map(|found| Open { item: true, ..Open::new(&found.text, source) }));
        keep_newest(&mut self.listed, MAX_STEPS);
        if !gone.is_empty() {
            found.insert(
                0,
                Captured::withdrawal("a newer list of what is left", source, Withdrawn::Said(gone)),
            );
        }
        found
    }

    /// The agent's last words close its turn: they ask nothing.
    fn replied(&self) -> bool {
        self.last_reply.as_deref().is_some_and(|reply| !reply.trim_end().ends_with(['?', ':']))
    }

    /// Pasted errors that are over: the person says so, or goes on to something else after the agent told the fix.
    fn settled_by_person(&mut self, text: &str) -> Vec<Captured> {
        if self.errors.is_empty() {
            return Vec::new();
        }
        let all = pasted::says_fixed(text);
        let goes_on = !pasted::says_broken(text);
        let (over, open) =
            std::mem::take(&mut self.errors).into_iter().partition(|error| all || goes_on && error.mended);
        self.errors = open;
        self.errors.iter_mut().for_each(|error| error.mended = false);
        let over: Vec<Pasted> = over;
        over.into_iter().map(|error| mended(error.text, Source::User)).collect()
    }
}

/// The person is not content with what was done, or wants it to go on.
fn complains(text: &str) -> bool {
    let seen = sense(text);
    CONTENT_NOT.is_match(&seen) || pasted::says_broken(text)
}

static_regex! {
    static CONTENT_NOT = r"^(?:(?:no|nope|nah|wait|stop|hold on|hm+|but|why|wtf|huh|ne|cekaj|stani|zasto|ali)\b|\?)|\b(?:not|n't|nothing|wrong|missing|forgot|broken|instead|what about|should have|supposed to|continue|go on|keep going|proceed|carry on|resume|finish|rest of|remaining|nastavi\w*|dalje|zavrsi\w*|ne radi|nije|nisi|nisu|fali|pogresno|umesto|ostatak|dovrsi\w*)\b|n't\b";
}

/// Of a list that grows at its end, the newest stay.
fn keep_newest<T>(list: &mut Vec<T>, most: usize) {
    list.drain(..list.len().saturating_sub(most));
}

/// It can be taken back.
fn holds(found: &Captured) -> bool {
    found.is_entry()
        && !matches!(found.kind, Kind::Goal | Kind::Learning)
        && found.task != Some(TaskState::Done)
}

/// Work that is over. Whether what was only started is finished nobody says, but it is not what is asked for any more.
fn gone_on(over: Vec<Open>) -> Vec<Captured> {
    let (started, worked_on): (Vec<Open>, Vec<Open>) =
        over.into_iter().partition(|open| answer::starts(&open.text));
    let mut out: Vec<Captured> = worked_on.into_iter().map(|open| settled(open, Source::User)).collect();
    if !started.is_empty() {
        let started = started.into_iter().map(|open| open.text).collect();
        let how = "the work went on to something else";
        out.push(Captured::withdrawal(how, Source::User, Withdrawn::Said(started)));
    }
    out
}

/// Work that a reply reports done.
fn reported(open: Open, reports: &Reports) -> Captured {
    let how = reports.nothing_left.as_ref().or(reports.bare.as_ref());
    match how {
        Some(how) if open.item => {
            Captured { resolves: Some(open.text), ..mended(how.clone(), Source::Assistant) }
        }
        _ => settled(open, Source::Assistant),
    }
}

/// Work that is settled; of an open item, which was no work, only that is told.
fn settled(open: Open, source: Source) -> Captured {
    if open.item { mended(open.text, source) } else { done(open.text, source) }
}

/// An error that is over. It was no work: only that it is over is told.
fn mended(text: String, source: Source) -> Captured {
    let over = Captured::withdrawal(&text, source, Withdrawn::Said(Vec::new()));
    Captured { resolves: Some(text), ..over }
}

/// Work that is settled.
fn done(text: String, source: Source) -> Captured {
    let mut done = Captured::task(&text, TaskState::Done, source, REPORTED);
    done.resolves = Some(text);
    done
}

/// The inside of a host's summary that comes in the user's role; clawback's own packet is no source.
fn injected_summary(text: &str) -> Option<String> {
    let text = text.trim();
    if injected::own_block(text).is_some() {
        return None;
    }
    injected::summary_body(text).map(str::to_owned)
}

/// Everything that the messages say, oldest first: index of the message and candidate.
pub fn capture(messages: &[Message]) -> Vec<(usize, Captured)> {
    let mut capturer = Capturer::default();
    messages
        .iter()
        .enumerate()
        .flat_map(|(at, message)| capturer.take(message).into_iter().map(move |found| (at, found)))
        .collect()
}
