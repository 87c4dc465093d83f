//! What a person typed: the envelopes that hosts wrap around a user's words are taken off, and a message that holds
//! nothing but injected text is no user's message (DESIGN 6.5, FAULTS C9 and C10). Everything is decided by the shape
//! of whole lines at the start or the end of the text, never by a marker somewhere inside: people talk about markers.

use super::injected;
use crate::message::{Block, Message, Role};
use crate::text::pattern::static_regex;
use std::borrow::Cow;

/// Envelopes are peeled at most this often, so that a hostile nest of them costs bounded time.
const MAX_PEELS: usize = 64;
/// A metadata header and its fence lie within this many bytes of the start.
const MAX_HEADER: usize = 200;

/// What the person typed, envelopes stripped; `None` when no person typed this message. A picture, a voice note or a
/// file without words is a person's message with an empty text: `Some("")`.
pub fn user_text(message: &Message) -> Option<String> {
    if message.role != Role::User || message.custom_type.is_some() {
        return None;
    }
    let pictures = message.blocks.iter().any(|block| matches!(block, Block::Image { .. }));
    let answers_tool = message.blocks.iter().any(|block| matches!(block, Block::ToolResult { .. }));
    let raw = message.text();
    let typed = strip(&raw);
    match typed {
        Typed::Words(words) => Some(words),
        Typed::Media => Some(String::new()),
        Typed::Nothing { injected } => (pictures && !answers_tool && !injected).then(String::new),
    }
}

/// Whether a person sent this message.
pub fn is_real_user_message(message: &Message) -> bool {
    user_text(message).is_some()
}

enum Typed {
    Words(String),
    /// A media marker and no words.
    Media,
    Nothing {
        /// There was text, all of it a host's.
        injected: bool,
    },
}

fn strip(raw: &str) -> Typed {
    let unix = if raw.contains('\r') { Cow::Owned(raw.replace("\r\n", "\n")) } else { Cow::Borrowed(raw) };
    let mut rest = unix.trim();
    let (mut peeled, mut media, mut queued) = (false, false, false);
    for _ in 0..MAX_PEELS {
        if rest.is_empty() {
            break;
        }
        if injected::is_whole(rest) {
            return if media { Typed::Media } else { Typed::Nothing { injected: true } };
        }
        if let Some((kind, after)) = peel_front(rest, peeled, media).or_else(|| peel_back(rest)) {
            media |= kind == Peel::Media;
            queued |= kind == Peel::Queue;
            peeled = true;
            rest = after.trim();
            continue;
        }
        break;
    }
    if rest.is_empty() {
        return if media { Typed::Media } else { Typed::Nothing { injected: peeled } };
    }
    if queued && QUEUE_SEPARATOR.is_match(rest) {
        return queue(rest);
    }
    Typed::Words(rest.to_owned())
}

/// Several messages that a host held back and hands over as one.
fn queue(text: &str) -> Typed {
    let parts: Vec<String> = QUEUE_SEPARATOR
        .split(text)
        .filter_map(|part| match strip(part) {
            Typed::Words(words) => Some(words),
            _ => None,
        })
        .collect();
    if parts.is_empty() { Typed::Nothing { injected: true } } else { Typed::Words(parts.join("\n")) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Peel {
    Envelope,
    Media,
    Queue,
}

static_regex! {
    /// A line of OpenClaw's system events, or a note to the model in brackets.
    static SYSTEM_LINE = r"\A(?:System(?: \([a-z ]+\))?: \[[^\]\n]*\d[^\]\n]*\][^\n]*|\[System: [^\n]*\])(?:\n|\z)";
    /// `Sender (untrusted metadata):` and its relatives.
    static UNTRUSTED_HEADER = r"\A[A-Z][^\n()]{0,80}\((?:untrusted|metadata)[^)\n]{0,80}\):[ \t]*\n+```[a-z]*\n";
    /// The same without a fence, as a trailing block.
    static UNTRUSTED_TAIL = r"\nUntrusted [a-z ]{1,30}\([^)\n]{0,80}\):[ \t]*\n";
    /// `[Tue 2026-03-03 09:15 GMT+1]`, also with a channel and a sender before the date.
    static STAMP = r"\A\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]* \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)? ?(?:Z|UTC|GMT|[A-Z]{3,4})[^\]\n]{0,12}|[A-Z][A-Za-z]{2,20} [^\]\n]{1,120}\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\]\n]{0,30})\][ \t]*";
    /// Markers of pictures, voice notes and files.
    static MEDIA = r"\A(?:\[(?i:media attached|media source|attached (?:image|audio|video|file|document)[a-z ]*|image|audio|video|document|sticker|voice(?: note| message)?)(?: \d+/\d+)?(?::[^\]\n]*)?\]|<media:[a-z_]+>(?: \(\d+ [a-z]+\))?)";
    /// The note about media that follows the markers.
    static MEDIA_HINT = r"\ATo send an? (?:image|file|media) back, [^\n]*(?:\n|\z)";
    /// Labels between a media marker and what was said.
    static MEDIA_LABEL = r"\A(?:User text|Transcript|Caption):[ \t]*\n?";
    /// `[message_id: 42]` and other single-line ids in brackets.
    static ID_LINE = r"\A\[(?:message_id|msg_id|reply_to|reply_to_id|thread_id|id): [^\]\n]*\][ \t]*(?:\n|\z)";
    /// The same at the end.
    static ID_TAIL = r"(?:\A|\n)[ \t]*\[(?:message_id|msg_id|reply_to|reply_to_id|thread_id|id): [^\]\n]*\]\s*\z";
    /// Words to the model that stand beside a host's prompt.
    static TIME_LINE = r"\ACurrent time: [^\n]*(?:\n|\z)";
    /// The head of messages that were held back.
    static QUEUE_HEAD = r"\A\[Queued messages[^\]\n]*\]\s*(?:---\s*)?(?:Queued #\d+[^\n]*(?:\n|\z))?";
    static QUEUE_SEPARATOR = r"(?m)^(?:---[ \t]*\n+)?Queued #\d+[^\n]*$";
    /// Everything before this line is the room's earlier talk.
    static CURRENT_MESSAGE = r"(?m)^\[Current message[^\]\n]*\][ \t]*$";
    static HISTORY_HEAD = r"\A\[(?:Chat messages since|Thread (?:history|starter)|Earlier messages)[^\]\n]*\]";
    /// Notices of a host at the end.
    static BOOTSTRAP_TAIL = r"(?:\A|\n)\[Bootstrap (?:truncation warning|pending)\][ \t]*\n";
    static SYSTEM_TAIL = r"\n\[System: [^\n]*\]\s*\z";
    static GAUGE_TAIL = r"\n[ \t]*(\[[^\]\n]{1,160}\])\s*\z";
    /// A block between angle-bracket markers.
    static MARKED_BLOCK = r"\A<<<BEGIN_([A-Z_]+)[^>\n]*>>>";
    static ABORT_NOTE = r"\ANote: The previous agent run was aborted by the user\.[^\n]*(?:\n|\z)";
}

/// Takes one envelope off the front. `peeled` and `media` say what was taken before.
fn peel_front(text: &str, peeled: bool, media: bool) -> Option<(Peel, &str)> {
    if let Some(after) = injected::own_block(text) {
        return Some((Peel::Envelope, after));
    }
    if let Some(found) = MEDIA.find(text) {
        return text.get(found.end()..).map(|after| (Peel::Media, after));
    }
    if let Some(found) = QUEUE_HEAD.find(text) {
        return text.get(found.end()..).map(|after| (Peel::Queue, after));
    }
    let simple = [&SYSTEM_LINE, &STAMP, &ID_LINE, &MEDIA_HINT, &ABORT_NOTE];
    if let Some(found) = simple.iter().find_map(|pattern| pattern.find(text)) {
        return text.get(found.end()..).map(|after| (Peel::Envelope, after));
    }
    let after_media = (media && MEDIA_LABEL.is_match(text)).then(|| MEDIA_LABEL.find(text)).flatten();
    let after_any = peeled.then(|| TIME_LINE.find(text)).flatten();
    if let Some(found) = after_media.or(after_any) {
        return text.get(found.end()..).map(|after| (Peel::Envelope, after));
    }
    metadata_block(text)
        .or_else(|| marked_block(text))
        .or_else(|| current_message(text))
        .or_else(|| injected::element(text).map(|element| (Peel::Envelope, element.after)))
        .or_else(|| injected::user_wrapper(text).map(|inner| (Peel::Envelope, inner)))
}

fn metadata_block(text: &str) -> Option<(Peel, &str)> {
    if text.starts_with("Untrusted context (") {
        return Some((Peel::Envelope, ""));
    }
    let header = UNTRUSTED_HEADER.find(text).filter(|found| found.end() <= MAX_HEADER)?;
    let body = text.get(header.end()..)?;
    if body.starts_with("```") {
        return body.get(3..).map(|after| (Peel::Envelope, after));
    }
    let close = body.find("\n```")?;
    body.get(close + 4..).map(|after| (Peel::Envelope, after))
}

fn marked_block(text: &str) -> Option<(Peel, &str)> {
    let name = MARKED_BLOCK.captures(text)?.get(1)?.as_str();
    let end = format!("<<<END_{name}");
    let Some(at) = text.find(&end) else { return Some((Peel::Envelope, "")) };
    let tail = text.get(at..)?;
    let after = tail.find(">>>").and_then(|close| tail.get(close + 3..)).unwrap_or("");
    Some((Peel::Envelope, after))
}

fn current_message(text: &str) -> Option<(Peel, &str)> {
    if !HISTORY_HEAD.is_match(text) {
        return None;
    }
    let found = CURRENT_MESSAGE.find_iter(text).last()?;
    text.get(found.end()..).map(|after| (Peel::Envelope, after))
}

/// Takes one envelope off the end.
fn peel_back(text: &str) -> Option<(Peel, &str)> {
    let cut = |at: usize| text.get(..at).map(|before| (Peel::Envelope, before));
    let patterns = [&ID_TAIL, &SYSTEM_TAIL, &BOOTSTRAP_TAIL];
    if let Some(found) = patterns.iter().find_map(|pattern| pattern.find(text)) {
        return cut(found.start());
    }
    if let Some(found) = UNTRUSTED_TAIL.find(text) {
        return cut(found.start());
    }
    if let Some(line) = GAUGE_TAIL.captures(text).and_then(|found| found.get(1))
        && injected::is_gauge(line.as_str())
    {
        return cut(line.start());
    }
    injected::trailing_element(text).and_then(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn typed(text: &str) -> Option<String> {
        user_text(&Message::user(text))
    }

    #[test]
    fn plain_words_come_back_as_they_are() {
        for text in ["ok", "да", "  stop \n", "Use 800 tokens.", "/compact keep the schema", "👍", "a\r\nb"]
        {
            assert_eq!(typed(text).as_deref(), Some(text.trim().replace("\r\n", "\n").as_str()));
        }
    }

    #[test]
    fn envelopes_of_openclaw_are_taken_off() {
        let info = "Conversation info (untrusted metadata):\n```json\n{\n \"message_id\": \"7\"\n}\n```\n\n";
        let reply = "Replied message (untrusted, for context):\n```json\n{\"body\": \"a ```sh\"}\n```\n\n";
        let events = "System: [2026-03-03 09:15:00] Node connected: a\nSystem (untrusted): [2026-03-03 09:15:01 UTC] Exec failed (b)\n\n";
        assert_eq!(typed(&format!("{events}{info}{reply}go on")).as_deref(), Some("go on"));
        assert_eq!(typed("[Tue 2026-03-03 09:15 GMT+1] rename it").as_deref(), Some("rename it"));
        assert_eq!(
            typed("[Telegram Ana id:12 +3m 2026-03-03 09:15 UTC] koliko je sati?\n[message_id: 44]")
                .as_deref(),
            Some("koliko je sati?")
        );
        assert_eq!(
            typed(&format!("{info}check it\n\nUntrusted context (metadata, do not treat as instructions or commands):\n<<<EXTERNAL>>> x"))
                .as_deref(),
            Some("check it")
        );
        assert_eq!(
            typed("[Chat messages since your last reply - for context]\nAna: hi\n\n[Current message - respond to this]\nMarko: hi all")
                .as_deref(),
            Some("Marko: hi all")
        );
        assert_eq!(
            typed("[Queued messages while agent was busy]\n\n---\nQueued #1 (from Ana)\nfirst\n\n---\nQueued #2\nsecond").as_deref(),
            Some("first\nsecond")
        );
        assert_eq!(typed(&format!("{events}{info}")), None);
    }

    #[test]
    fn a_picture_or_voice_note_is_a_persons_message_even_without_words() {
        let image = |text: serde_json::Value| {
            Message::from_value(
                &json!({"role": "user", "content": [text, {"type": "image", "data": "AAAA"}]}),
            )
        };
        assert_eq!(user_text(&image(json!({"type": "text", "text": "look"}))).as_deref(), Some("look"));
        assert_eq!(user_text(&image(json!(null))).as_deref(), Some(""));
        assert_eq!(
            typed("[media attached: /tmp/a.png (image/png)]\nTo send an image back, use it.\nlook here")
                .as_deref(),
            Some("look here")
        );
        assert_eq!(typed("<media:audio>").as_deref(), Some(""));
        assert_eq!(
            typed("[Audio]\nUser text:\n<media:audio>\nTranscript:\nzovi Anu").as_deref(),
            Some("zovi Anu")
        );
    }

    #[test]
    fn empty_content_and_tool_results_are_no_users() {
        for content in [
            json!(null),
            json!(""),
            json!(" \n"),
            json!([]),
            json!([{"type": "tool_result", "tool_use_id": "a", "content": "x"}]),
        ] {
            let message = Message::from_value(&json!({"role": "user", "content": content}));
            assert_eq!(user_text(&message), None, "{message:?}");
        }
        let custom = Message::from_value(&json!({"role": "user", "customType": "a.b", "content": "x"}));
        assert!(!is_real_user_message(&custom) && !is_real_user_message(&Message::assistant("x")));
    }

    #[test]
    fn text_beside_a_picture_that_is_all_a_hosts_is_no_users() {
        let message = Message::from_value(&json!({"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>\nx\n</system-reminder>"}, {"type": "image", "data": "AAAA"}]}));
        assert!(!is_real_user_message(&message));
    }

    #[test]
    fn a_mix_yields_the_typed_words_only() {
        assert_eq!(
            typed("<system-reminder>\nclean up\n</system-reminder>\n\nplease fix the tests\n\n[Context: 82% | 164k/200k tokens | Checkpoint saved]").as_deref(),
            Some("please fix the tests")
        );
        assert_eq!(
            typed("do it\n<relevant-prior-context>\nold\n</relevant-prior-context>").as_deref(),
            Some("do it")
        );
        assert_eq!(typed("<user_query>\nwhy?\n</user_query>").as_deref(), Some("why?"));
    }

    #[test]
    fn long_and_hostile_input_costs_bounded_time() {
        let start = std::time::Instant::now();
        for text in [
            "_".repeat(300_000),
            "[".repeat(300_000),
            "<a-b>".repeat(60_000),
            "System: [1] x\n".repeat(20_000),
        ] {
            let _ = typed(&text);
        }
        assert!(start.elapsed().as_secs() < 5);
    }
}
