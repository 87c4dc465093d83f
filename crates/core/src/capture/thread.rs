//! The conversation in a few lines: first and last request, key exchanges (seed 002 section 11.2), what is being worked
//! on, what comes next, and the active request (DESIGN 6.11). Pure functions of the messages.

use super::envelope::user_text;
use super::goal;
use super::prose::sentences;
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::message::{Message, Role};
use crate::text::clip;
use crate::text::pattern::{Pattern, static_regex};
use serde::{Deserialize, Serialize};

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkStatus {
    /// Tools are running or a request is unanswered.
    InProgress,
    /// Nothing is asked and nothing runs.
    Idle,
    /// The agent asked something.
    WaitingForUser,
}

/// One line of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// `user` or `agent`.
    pub role: String,
    /// First 120 graphemes.
    pub gist: String,
}

/// Key exchanges are at most this many (seed 002 section 11.2).
pub const MAX_EXCHANGES: usize = 8;
/// Graphemes of an exchange's gist.
pub const MAX_GIST: usize = 120;
/// Graphemes of each end of the summary and of the topic.
const MAX_ENDS: usize = 100;
/// Tokens of the active request that are kept word for word (DESIGN 6.11).
pub const MAX_REQUEST_TOKENS: u64 = 300;
/// A reply longer than this many bytes is a point of decision.
const LONG_REPLY: usize = 500;
/// Real messages that are looked at for the last substantive request.
const LOOK_BACK: usize = 12;
/// What stands where a request was cut.
const CUT: &str = " […] ";

static_regex! {
    /// An answer that asks for nothing by itself.
    static BARE = r"^(?:(?:yes|yeah|yep|yup|ok|okay|k|sure|fine|great|perfect|good|nice|cool|thanks|thank you|right|agreed|please|go|go ahead|go on|do it|do that|start|begin|continue|proceed|next|keep going|carry on|resume|lgtm|sounds good|looks good|works for me|ship it|y|let's go|do|all|all of (?:it|them|that|those)|everything|both|them|as (?:you )?(?:suggested|proposed|planned|described|discussed)|for me|and|it|now|then|sve|oba|tako|da|moze|vazi|u redu|hajde|ajde|nastavi|nastavite|kreni|uradi|uradi to|dalje|idemo|dobro|super|odlicno|hvala|jasno|no|nope|ne|nemoj|stop|stani|👍|✅|\+1|the (?:first|second|third|last)(?: one)?|prv[oaiu]|drug[oaiu]|option|opcija|[a-e]|\d)[\s,.!;:-]*)+$";
    static GOODBYE = r"^(?:hi|hello|hey|yo|bye|good (?:morning|night)|thanks?|thank you|hvala|cao|zdravo|are you (?:there|ok)|you (?:still )?there)\b[^?]{0,20}[.!?]*$";
    static NEXT_STEP = r"^(?:so |then |and |now )*(?:(?:the )?next(?: (?:step|task|thing|up|is|one))*|up next|sledec\w+(?: korak)?)\b\s*(?:is|:|,|-|je|i'll|i will)?\s*(\S.*)$";
    /// What an agent will not do is no step.
    static REFUSAL = r"\b(?:i'll|i will|i'm going to|let me|let's) (?:\w+ly )?(?:not|never)\b";
    static WILL = r"^(?:now |next |then |so |ok(?:ay)?,? |sada |zatim )*(?:i'll|i will|i'm going to|let me|let's)\s+(\S.*)$";
}

/// What a person typed of a message, if that is words.
fn words_of(message: &Message) -> Option<String> {
    user_text(message).filter(|text| !text.trim().is_empty())
}

/// Texts of the first real user message, and of the last one if that is another.
pub fn first_and_last(messages: &[Message]) -> Option<(String, Option<String>)> {
    let mut real = messages.iter().filter_map(words_of);
    Some((real.next()?, real.next_back()))
}

/// First and last real user message, at most 100 graphemes each, joined by ` ... `; one of them if they are the same.
pub fn summary(messages: &[Message]) -> String {
    let Some((first, last)) = first_and_last(messages) else { return String::new() };
    let first = gist(&first, MAX_ENDS);
    match last {
        Some(last) => format!("{first} ... {}", gist(&last, MAX_ENDS)),
        None => first,
    }
}

/// At most 8 lines: the first real user message, the last two exchanges, and the newest messages that answered a reply
/// of more than 500 bytes. In the order of the conversation.
pub fn key_exchanges(messages: &[Message]) -> Vec<Exchange> {
    let mut lines: Vec<Line> = Vec::new();
    let mut long = false;
    for message in messages {
        if let Some(text) = words_of(message) {
            lines.push(Line { user: true, text, decides: long });
            long = false;
        } else if message.role == Role::Assistant {
            let text = message.text();
            if text.trim().is_empty() {
                continue;
            }
            long = text.len() > LONG_REPLY;
            // Of several messages of a turn the last one is what was answered.
            match lines.last_mut().filter(|last| !last.user) {
                Some(last) => last.text = text,
                None => lines.push(Line { user: false, text, decides: false }),
            }
        }
    }
    let tail = lines.iter().enumerate().rev().filter(|(_, line)| line.user).nth(1).map_or(0, |(at, _)| at);
    let mut kept: Vec<usize> = (tail..lines.len()).collect();
    kept.extend(lines.iter().position(|line| line.user));
    kept.sort_unstable();
    kept.dedup();
    for (at, _) in lines.iter().enumerate().rev().filter(|(_, line)| line.user && line.decides) {
        if kept.len() >= MAX_EXCHANGES {
            break;
        }
        if !kept.contains(&at) {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let from = kept.len().saturating_sub(MAX_EXCHANGES);
    kept.get(from..)
        .unwrap_or_default()
        .iter()
        .filter_map(|at| lines.get(*at))
        .map(|line| Exchange {
            role: if line.user { "user" } else { "agent" }.to_owned(),
            gist: gist(&line.text, MAX_GIST),
        })
        .collect()
}

struct Line {
    user: bool,
    text: String,
    /// It answers a long reply.
    decides: bool,
}

fn gist(text: &str, max: usize) -> String {
    clip::ellipsize(clip::one_line(text).trim(), max).into_owned()
}

/// Gist of the newest substantive request, at most 100 graphemes; empty when nobody asked for anything.
pub fn topic(messages: &[Message]) -> String {
    last_requests(messages)
        .map(|(newest, asked)| gist(asked.as_deref().unwrap_or(&newest), MAX_ENDS))
        .unwrap_or_default()
}

/// What comes next. While a request is unanswered it is that request; a bare `continue` brings the last substantive
/// request along. After an answer: the agent's announced next step. Empty when nothing is known.
pub fn next_action(messages: &[Message]) -> String {
    let announced = announced(messages);
    if waits_for_agent(messages) {
        let Some((newest, asked)) = last_requests(messages) else { return String::new() };
        let request = match asked {
            Some(asked) if asked != newest => {
                let step = announced.as_deref().unwrap_or(&asked);
                format!("User: {} (about: {})", gist(&newest, MAX_GIST / 2), gist(step, MAX_GIST))
            }
            _ => format!("User asked: {}", gist(&newest, MAX_GIST)),
        };
        return request;
    }
    announced.map(|step| gist(&step, MAX_GIST)).unwrap_or_default()
}

/// The next step that the newest reply of the agent announces.
fn announced(messages: &[Message]) -> Option<String> {
    let reply = messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::Assistant)
        .map(Message::text)
        .find(|text| !text.trim().is_empty())?;
    let parts = sentences(&reply);
    let next = |pattern: &Pattern| {
        parts.iter().rev().take(12).filter(|part| !part.text.ends_with('?')).find_map(|part| {
            let seen = sense(&part.text);
            let found = pattern.captures(&seen)?.get(1)?;
            let head = words_before(&seen, found.start());
            let step = skip_words(&part.text, head).trim_end_matches(['.', ':', '!']).to_owned();
            let refuses = REFUSAL.is_match(&seen);
            // "Let me check - it looks like ...": what follows tells why.
            let named = [" - ", " – ", " — "]
                .iter()
                .fold(step.as_str(), |step, dash| step.split(dash).next().unwrap_or(step));
            (!refuses && named.word_count() >= 2).then_some(step)
        })
    };
    next(&NEXT_STEP).or_else(|| next(&WILL))
}

/// The user's latest substantive request, word for word up to 300 tokens, else its head and tail; a bare `continue` or
/// `yes, start` brings the last substantive request along (DESIGN 6.11). `None` when nobody asked for anything.
pub fn active_request(messages: &[Message]) -> Option<String> {
    let (newest, asked) = last_requests(messages)?;
    let text = match asked {
        Some(asked) if asked != newest => format!("{newest}\n(after: {asked})"),
        _ => newest,
    };
    Some(clip::head_and_tail(text.trim(), MAX_REQUEST_TOKENS, CUT).into_owned())
}

/// The newest real user message with words, and the newest one that asks for something by itself.
fn last_requests(messages: &[Message]) -> Option<(String, Option<String>)> {
    let mut real = messages.iter().rev().filter_map(words_of);
    let newest = real.next()?;
    if !is_bare(&newest) {
        return Some((newest.clone(), Some(newest)));
    }
    let asked = real.take(LOOK_BACK).find(|text| !is_bare(text) && goal::is_request(text));
    Some((newest, asked))
}

/// `yes`, `continue`, `the second one`, `thanks`: it asks for nothing by itself.
pub fn is_bare(text: &str) -> bool {
    let seen = sense(text.trim());
    seen.len() <= 120 && (BARE.is_match(&seen) || GOODBYE.is_match(&seen))
}

/// A real user message or a tool result is the newest: the agent's turn.
fn waits_for_agent(messages: &[Message]) -> bool {
    for message in messages.iter().rev() {
        match message.role {
            Role::Assistant => {
                return message.tool_calls().next().is_some()
                    || matches!(message.stop_reason.as_deref(), Some("aborted" | "error" | "length"));
            }
            Role::ToolResult => return true,
            Role::User if user_text(message).is_some() => return true,
            _ => {}
        }
    }
    false
}

/// How things stand: work is under way, the agent asked something, or nothing runs.
pub fn work_status(messages: &[Message]) -> WorkStatus {
    if waits_for_agent(messages) {
        return WorkStatus::InProgress;
    }
    let reply = messages.iter().rev().find(|message| message.role == Role::Assistant).map(Message::text);
    let asks = reply
        .is_some_and(|reply| sentences(&reply).iter().rev().take(2).any(|part| part.text.ends_with('?')));
    if asks { WorkStatus::WaitingForUser } else { WorkStatus::Idle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn talk(lines: &[(&str, &str)]) -> Vec<Message> {
        lines
            .iter()
            .map(|(role, text)| if *role == "u" { Message::user(text) } else { Message::assistant(text) })
            .collect()
    }

    #[test]
    fn key_exchanges_hold_the_first_the_last_two_and_the_points_of_decision() {
        let long = "x".repeat(600);
        let mut lines = vec![("u", "first request here")];
        for _ in 0..10 {
            lines.extend([("a", long.as_str()), ("u", "go with option B")]);
        }
        lines.extend([("a", "short"), ("u", "last one")]);
        let found = key_exchanges(&talk(&lines));
        assert_eq!(found.len(), MAX_EXCHANGES);
        assert_eq!(found.first().unwrap().gist, "first request here");
        assert_eq!(found.last().unwrap().gist, "last one");
        assert!(found.iter().filter(|line| line.gist == "go with option B").count() >= 4);
        assert!(key_exchanges(&[]).is_empty());
    }

    #[test]
    fn a_bare_answer_brings_the_last_substantive_request_along() {
        let messages = talk(&[
            ("u", "rename the flag to --lean everywhere"),
            ("a", "Found 4 places. Shall I?"),
            ("u", "yes, start"),
        ]);
        let request = active_request(&messages).unwrap();
        assert!(request.starts_with("yes, start") && request.contains("rename the flag"), "{request}");
        assert_eq!(topic(&messages), "rename the flag to --lean everywhere");
        assert!(next_action(&messages).contains("rename the flag"));
        assert_eq!(work_status(&messages), WorkStatus::InProgress);
    }

    #[test]
    fn do_it_all_asks_for_nothing_by_itself() {
        for bare in ["yeah, do it all", "ok do all of them please", "da, uradi sve", "yes, as you suggested"]
        {
            assert!(is_bare(bare), "{bare}");
        }
        assert!(!is_bare("do it all in rust") && !is_bare("all tests must pass"));
    }

    #[test]
    fn injected_messages_are_no_thread() {
        let messages = talk(&[
            ("u", "build a parser for logs"),
            ("u", "[Context: 82% | 164k/200k tokens]"),
            ("u", "<system-reminder>\nx\n</system-reminder>"),
        ]);
        assert_eq!(summary(&messages), "build a parser for logs");
        assert_eq!(active_request(&messages).as_deref(), Some("build a parser for logs"));
        assert_eq!(active_request(&[]), None);
    }

    #[test]
    fn a_long_request_keeps_head_and_tail() {
        let text = format!("HEAD {} TAIL", "word ".repeat(2_000));
        let request = active_request(&[Message::user(&text)]).unwrap();
        assert!(request.starts_with("HEAD") && request.ends_with("TAIL") && request.len() < 3_000);
    }

    #[test]
    fn status_is_told_from_the_last_message() {
        assert_eq!(work_status(&talk(&[("u", "do x please now"), ("a", "Done.")])), WorkStatus::Idle);
        assert_eq!(
            work_status(&talk(&[("u", "do x please now"), ("a", "Which one do you want?")])),
            WorkStatus::WaitingForUser
        );
        let call = Message::from_value(
            &json!({"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "read", "arguments": {}}]}),
        );
        assert_eq!(work_status(&[call]), WorkStatus::InProgress);
        assert_eq!(work_status(&[]), WorkStatus::Idle);
    }

    #[test]
    fn what_an_agent_refuses_is_no_next_action() {
        for reply in ["I will not do that.", "I'll never touch production.", "I'm going to not run it."] {
            assert_eq!(next_action(&talk(&[("u", "Delete the database."), ("a", reply)])), "", "{reply}");
        }
        let instead = "I won't do that. I will write a backup script instead.";
        assert_eq!(
            next_action(&talk(&[("u", "Delete the database."), ("a", instead)])),
            "write a backup script instead"
        );
    }

    #[test]
    fn the_announced_step_is_the_next_action_when_nothing_is_asked() {
        let messages = talk(&[
            ("u", "plan the work for me"),
            ("a", "Done.\n\nNext is WP14: create main-new.ts. It is big."),
        ]);
        assert_eq!(next_action(&messages), "WP14: create main-new.ts");
    }
}
