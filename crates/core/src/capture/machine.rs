//! Text that a scheduler, a hook or a tool puts into the user's role: a label of machines at the very start, and no person
//! who speaks after it. A sentence that goes on after a label in brackets is somebody's talk about it (FAULTS C9).

use super::injected::talks;
use crate::text::pattern::static_regex;

/// Labels in brackets are no longer than this.
const MAX_TAG: usize = 160;

static_regex! {
    static TAG = r"\A\[([^\]\n]{3,160})\][ \t]*";
    /// What speaks in a label, by itself.
    static SPEAKER = r"(?i)^(?:cron(?:job)?|scheduled?|scheduler|timer|triggers?|triggered|automated|automation|automatic|(?:\w+[-_])?hooks?|webhooks?|tools?|function|exec|command|shell|bash|stdout|stderr|background|process|task|job|reminder|event|notification|output|results?|subagent|heartbeat|watcher|monitor|poller|workflow|pipeline)$";
    /// A label of one such word may be a person's: these are not.
    static LONE_SPEAKER = r"(?i)^(?:cron|cron[-_]?job|hook|webhook|heartbeat|scheduler|scheduled|timer|exec|automation|automated|tool[-_](?:result|output|response|error)s?|stdout|stderr)$";
    static SECOND = r"(?i)^(?:results?|output|response|errors?|report|feedback|event|task|job|run|message|prompt|reminder|trigger(?:ed)?|notification|completed?|finished|exited|failed|fired|done|started|status|call|process|command|update|of)$";
    /// The name of a job and a colon.
    static NAMED = r#"\A["`'\x{201c}]?[\w./@-]+["`'\x{201d}]?(?: \([^)\n]{1,60}\))?:\s"#;
    /// A word of [`LABEL`] or [`HOOK`].
    static EVENT = r"\A(?:(?i:cron|scheduled|automated|this is an automated|background|webhook|timer|trigger|job|system: |hook|heartbeat|watcher)\b)";
    /// How machines name a job: quoted, as an identifier, by its schedule, at an exact time.
    static IDENTIFIED = r#"\A[^\n]{0,80}?(?:["`'\x{201c}][\w ./:@-]{2,60}["`'\x{201d}]|\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b|(?:[\d*/,-]+ ){4}[\d*/,?-]+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\bpid \d+|#\d+)[^\n]{0,120}"#;
    static HAPPENED = r"\A[^\n]*?(?:\b(?:fired|triggered|exited|completed|finished|ran|started|failed|is due|due|succeeded|timed out|stopped|received|woke)\b|:\s|:\n|\)\n)";
    static AUTOMATED = r"(?i)\A(?:this is an )?automated (?:message|notification|reminder|prompt|alert|task|run|trigger|report)\b[^\n]{0,40}[:.\n]";
    static SYSTEM_SPEAKER = r#"\ASystem(?: \([a-z ]+\))?: (?:cron|hook|scheduled|scheduler|timer|job|reminder|background|exec|tool|webhook|heartbeat)\b"#;
    /// `PostToolUse:Edit hook additional context: ...`.
    static EVENT_HOOK = r"\A(?:(?:Pre|Post)[A-Z]\w+|UserPromptSubmit|Session[A-Z]\w+|Subagent[A-Z]\w+|[a-z]+:[a-z]+)(?::[\w:*|.-]+)? hook\b(?: [a-z-]+){0,5}(?: \([^)\n]*\))?:";
    static HOOK = r"(?i)\A(?:[A-Z]\w+|(?:pre|post|commit|update|after|before)-[a-z-]+)(?::[\w*|.-]+)? hook (?:[a-z-]+ ){0,3}(?:feedback|output|results?|context|error|success|message|warning|report|failed|denied|blocked)(?: from [^\n:]{1,60}| \([^)\n]*\))?:\s";
    static TOOL = r"(?i)\A(?:(?:tool|function|command|shell|bash|exec|terminal|process)(?: call| use)?(?: [`'\x22]?[\w./:-]+[`'\x22]?)? (?:results?|output|response|error|returned|completed|finished)(?: \([^)\n]*\)| (?:for|from|of) [^\n:]{1,60})?:|(?:output|results?) (?:of|from) (?:the )?(?:tool|command|function|call(?:ing)?)\b[^\n]{0,80}:|called the \w+ tool\b|calling the \w+ tool\b)";
    static EXIT_CODE = r"\A(?:(?i:process exited with code|command exited with code|exit code):? -?\d+[.]?|\[exit(?: code)?:? -?\d+\])[ \t]*\n";
    static JSON_TYPE = r#"\A\[?\s*\{\s*"(?:type|role|event)"\s*:\s*"(?:tool_result|tool_use|tool|function|function_call_output|function_call|tool_call|hook|cron|webhook|system)[\w.:-]*""#;
    static JSON_KEY = r#""(?:exit_?[cC]ode|stdout|stderr|tool_use_id|tool_call_id|hook_event_name|is_error|duration_ms|exitCode|isError|toolCallId)"\s*:"#;
    static PAIR_PART = r"^(?:tools?|use|results?|output|errors?|functions?|calls?|response|scheduled|schedule|task|cron|job|triggers?|event|hooks?|background|exec|command|webhook|notification|automation|automated|message|stdout|stderr|bash|shell)$";
}

/// Whether the whole text is what a machine says.
pub(super) fn speaks(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'[') => tagged(text) || EXIT_CODE.is_match(text) && !talks(text) || is_json(text),
        Some(b'{') => is_json(text),
        _ => {
            EVENT_HOOK.is_match(text)
                || (HOOK.is_match(text)
                    || TOOL.is_match(text)
                    || EXIT_CODE.is_match(text)
                    || SYSTEM_SPEAKER.is_match(text)
                    || AUTOMATED.is_match(text)
                    || EVENT.is_match(text) && IDENTIFIED.is_match(text) && HAPPENED.is_match(text))
                    && !talks(text)
        }
    }
}

/// `[Scheduled task: weekly] ...`, `[hook:lint] ...`, `[cron] job: ...`; not `[cron] entries are doubled`.
fn tagged(text: &str) -> bool {
    let Some(found) = TAG.captures(text) else { return false };
    let (Some(whole), Some(tag)) = (found.get(0), found.get(1)) else { return false };
    let tag = tag.as_str();
    let mut words = tag.split([' ', ':', '\u{b7}', '|', '#', '=', ',', '\t']).filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let after = text.get(whole.end()..).unwrap_or("");
    let goes_on = after.starts_with(char::is_lowercase);
    if !second.is_empty() && SPEAKER.is_match(first) {
        let structured = tag.len() <= MAX_TAG && tag.contains([':', '\u{b7}', '|', '#', '=']);
        if structured {
            return !(goes_on && talks(text));
        }
        return (SPEAKER.is_match(second) || SECOND.is_match(second)) && (!goes_on || NAMED.is_match(after));
    }
    second.is_empty()
        && LONE_SPEAKER.is_match(first)
        && (after.starts_with(['\n', '{']) || NAMED.is_match(after))
}

/// The record of a call: typed as one, or with two of its fields.
fn is_json(text: &str) -> bool {
    text.ends_with(['}', ']']) && (JSON_TYPE.is_match(text) || JSON_KEY.find_iter(text).take(2).count() == 2)
}

/// `tool_result`, `scheduled-task`, `hook-output`: every part is a machine's word.
pub(super) fn is_element(name: &str) -> bool {
    let parts = || name.split(['-', '_', ':', '.', ' ']);
    parts().count() >= 2 && parts().all(|part| PAIR_PART.is_match(part))
}

#[cfg(test)]
mod tests {
    use crate::capture::user_text;
    use crate::message::Message;

    #[test]
    fn schedulers_hooks_and_tools_are_no_persons() {
        for text in [
            "[Scheduled task: tide-table] Fetch the tides and write them down.",
            "[cron] water-plants: read the sensor and log it",
            "[Timer triggered] Look into the inbox",
            "Cron job \"feed-fish\" fired at 2026-05-02T07:00:00Z.\nOpen the valve.",
            "Scheduled run of rotate-keys (15 3 * * *): rotate and report",
            "Automated reminder: the certificate is renewed today",
            "PostToolUse:Write hook additional context: the linter changed 2 lines",
            "Stop hook feedback:\n- [./lint.sh]: 1 error remains",
            "pre-commit hook output:\ntrailing blanks removed",
            "[hook:format] 3 files changed",
            "[Tool result: grep]\nsrc/a.rs:1: fn main() {}",
            "Tool output (list_files):\na.txt",
            "Exit code: 2\nOutput:\nno such file",
            "{\"exit_code\":1,\"stdout\":\"\",\"stderr\":\"boom\"}",
            "[{\"type\": \"tool_result\", \"tool_use_id\": \"t4\", \"content\": \"ok\"}]",
            "<tool_result>\nok\n</tool_result>",
            "<scheduled-task id=\"4\">\nSweep.\n</scheduled-task>",
            "Background task \"build-docs\" (pid 12) finished with code 0.",
        ] {
            assert_eq!(user_text(&Message::user(text)), None, "{text}");
        }
    }

    #[test]
    fn people_who_write_about_machines_are_heard() {
        for text in [
            "[cron] lines in the journal are doubled",
            "[hook] calls are slow, make them async",
            "[Tool result] blocks should be folded in the viewer",
            "[Tool result: grep] is cut off, why?",
            "cron job for the tides should run at 4",
            "Cron job \"feed-fish\" fired twice, can you look?",
            "Stop hook feedback shows up twice in my terminal",
            "PostToolUse hooks should run for Write too",
            "Tool output is cut after 200 lines, raise the limit",
            "Exit code: 2 when I run make",
            "Scheduled task for Friday: buy paint",
            "Background task list needs a new icon",
            "{\"stdout\": true} is not what I expected",
            "Automated tests should run on every push",
            "<task-list>\n<task-item></task-item>\n</task-list>\nis not rendered",
        ] {
            assert_eq!(user_text(&Message::user(text)).as_deref(), Some(text));
        }
    }
}
