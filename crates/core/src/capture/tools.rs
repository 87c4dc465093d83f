//! Which files a tool call reads and changes, for any host's tool names (DESIGN section 4: tool results yield files,
//! tools and errors). Told by the words of the tool's name and by arguments that look like paths; shell commands are
//! read only where the meaning is certain.

use super::injected::SHORTENED;
use super::shell;
use crate::message::{Block, Message, Role};
use crate::text::clip;
use crate::text::pattern::{Pattern, static_regex};
use serde_json::Value;

/// Longest error line, in graphemes.
const MAX_ERROR: usize = 160;
/// A path longer than this is something else.
const MAX_PATH: usize = 400;
/// No call names more files than this.
const MAX_PATHS: usize = 100;

/// A tool call: its tool and the files that it touches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolUse {
    /// The tool's name, as the host gives it.
    pub tool: String,
    /// Files that were read.
    pub read: Vec<String>,
    /// Files that were written, edited, moved to or from, or deleted.
    pub modified: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Move,
    Shell,
    None,
}

static_regex! {
    /// What a name of a tool says that it does; parts of camelCase and snake_case names.
    static WRITES = r"^(?:write|edit|create|patch|apply|replace|str|insert|append|delete|remove|update|save|modify|multiedit|notebookedit|overwrite|put|touch|mkdir|rm|format|fix)$";
    static MOVES = r"^(?:move|rename|mv|copy|cp)$";
    static READS = r"^(?:read|view|cat|open|show|get|load|head|tail|notebookread|fetch|peek|inspect)$";
    static SHELLS = r"^(?:bash|shell|exec|terminal|command|run|sh|zsh|powershell|execute|process)$";
    /// Names of arguments that hold a file's path.
    static PATH_KEY = r"(?i)^(?:(?:absolute|relative|target|source|src|dest|destination|old|new|from|to|input|output|notebook|full)?_?(?:file_?)?(?:path|file|filename|filepath|uri)s?|from|to|source|destination|dest|file_?paths?|filenames?)$";
    static FILE_IN_PATCH = r"(?m)^(?:\*\*\* (?:Update|Add|Delete) File: (.+)|\*\*\* Move to: (.+)|\+\+\+ (?:b/)?([^\t\n]+)|--- (?:a/)?([^\t\n]+))$";
    /// A line of a failure worth keeping.
    static ERROR_LINE = r"(?:\b[A-Z]\w*(?:Error|Exception)\b|\berror(?:\[\w+\])?:|\bError:|\bERROR\b|\bFATAL\b|\bfatal:|\bpanicked at\b|\bE[A-Z]{4,}\b|\b[Nn]o such file|[Pp]ermission denied|[Cc]ommand not found|\bnot found\b|\b[Ff]ailed\b|\bFAIL\b|\bcannot\b|\b[Tt]imed out\b|\bexit(?:ed with)? code [1-9])";
}

/// Tool, files read and files changed by one call. A call that failed (`is_error`) changed nothing: its files count
/// as read at most, and only where the tool reads.
pub fn tool_use(name: &str, arguments: &Value, is_error: bool) -> ToolUse {
    let mut found = ToolUse { tool: name.to_owned(), ..ToolUse::default() };
    if is_error {
        return found;
    }
    let access = access(name, arguments);
    match access {
        Access::Shell => {
            let directory = ["workdir", "cwd", "working_directory", "workingDirectory"]
                .iter()
                .find_map(|key| arguments.get(*key))
                .and_then(Value::as_str);
            let touched = shell::files(&command(arguments), directory);
            found.read = touched.read;
            found.modified = touched.modified;
        }
        Access::Read => paths(arguments, &mut found.read),
        Access::Write | Access::Move => {
            paths(arguments, &mut found.modified);
            patched(arguments, &mut found.modified);
        }
        Access::None => {}
    }
    for list in [&mut found.read, &mut found.modified] {
        list.retain(|path| is_path(path));
        let mut seen = std::collections::HashSet::new();
        list.retain(|path| seen.insert(path.clone()));
        list.truncate(MAX_PATHS);
    }
    let ToolUse { read, modified, .. } = &mut found;
    read.retain(|path| !modified.contains(path));
    found
}

/// What kind of access a tool's name says; an editor with a `command` argument says it there.
fn access(name: &str, arguments: &Value) -> Access {
    let words = name_words(name);
    let has = |pattern: &Pattern| words.iter().any(|word| pattern.is_match(word));
    // `search_files`, `list_dir`, `grep`: they look at many files and read none.
    if words.iter().any(|word| {
        matches!(
            word.as_str(),
            "search"
                | "grep"
                | "glob"
                | "find"
                | "list"
                | "ls"
                | "web"
                | "url"
                | "memory"
                | "todo"
                | "browser"
                | "http"
                | "message"
                | "skill"
        )
    }) {
        return Access::None;
    }
    if let Some(command) = arguments.get("command").and_then(Value::as_str)
        && words.iter().any(|word| matches!(word.as_str(), "editor" | "edit" | "str"))
    {
        return if command == "view" { Access::Read } else { Access::Write };
    }
    if has(&MOVES) {
        Access::Move
    } else if has(&WRITES) {
        Access::Write
    } else if has(&SHELLS) {
        Access::Shell
    } else if has(&READS) {
        Access::Read
    } else {
        Access::None
    }
}

/// `readFile`, `read_file`, `Read` and `fs.read` have the word `read`.
fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn command(arguments: &Value) -> String {
    let field = ["command", "cmd", "script", "code", "input"].iter().find_map(|key| arguments.get(*key));
    match field {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => {
            shell::of_words(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>())
        }
        _ => arguments.as_str().unwrap_or("").to_owned(),
    }
}

/// Path-like arguments, also in lists of edits.
fn paths(arguments: &Value, out: &mut Vec<String>) {
    let Some(fields) = arguments.as_object() else { return };
    for (key, value) in fields {
        match value {
            Value::String(path) if PATH_KEY.is_match(key) => out.push(path.clone()),
            Value::Array(items) => {
                for item in items {
                    match item {
                        Value::String(path) if PATH_KEY.is_match(key) => out.push(path.clone()),
                        Value::Object(_) => paths(item, out),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if out.len() > MAX_PATHS {
            return;
        }
    }
}

/// Files that a patch names.
fn patched(arguments: &Value, out: &mut Vec<String>) {
    let text = ["patch", "input", "diff", "patchText"]
        .iter()
        .find_map(|key| arguments.get(*key))
        .unwrap_or(arguments);
    let Some(text) = text.as_str() else { return };
    for found in FILE_IN_PATCH.captures_iter(text).take(MAX_PATHS) {
        if let Some(path) = (1..=4).find_map(|group| found.get(group)) {
            out.push(path.as_str().trim().to_owned());
        }
    }
}

fn is_path(path: &str) -> bool {
    let path = path.trim();
    !path.is_empty()
        && path.len() <= MAX_PATH
        && path != "/dev/null"
        && path != "-"
        && !path.contains('\n')
        && !path.contains("://")
}

/// One line that says why a tool failed; `None` when it did not fail. At most 160 graphemes, the tool's name first.
pub fn error_line(message: &Message) -> Option<String> {
    let (failed, text) = match message.role {
        Role::ToolResult | Role::BashExecution => (message.is_error, message.text()),
        Role::User => message.blocks.iter().find_map(|block| match block {
            Block::ToolResult { text, is_error: true, .. } => Some((true, text.clone())),
            _ => None,
        })?,
        _ => return None,
    };
    if !failed || text.starts_with(SHORTENED) {
        return None; // what clawback shortened was read when it was whole
    }
    Some(failure_line(message.tool_name.as_deref(), &text))
}

/// What a failed tool said, in one line of at most 160 graphemes, the tool's name first.
pub fn failure_line(tool: Option<&str>, text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines().find(|line| ERROR_LINE.is_match(line)).or_else(|| lines().next_back());
    let told = told.unwrap_or("failed without a word");
    let line = match tool {
        Some(tool) => format!("{tool}: {told}"),
        None => told.to_owned(),
    };
    clip::ellipsize(&clip::one_line(&line), MAX_ERROR).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(name: &str, arguments: Value, read: &[&str], modified: &[&str]) {
        let found = tool_use(name, &arguments, false);
        assert_eq!(
            (found.read, found.modified),
            (
                read.iter().map(|s| (*s).to_owned()).collect(),
                modified.iter().map(|s| (*s).to_owned()).collect()
            ),
            "{name} {arguments}"
        );
    }

    #[test]
    fn names_and_arguments_of_many_hosts() {
        check("read", json!({"path": "a.ts", "offset": 3}), &["a.ts"], &[]);
        check("Read", json!({"file_path": "/x/a.ts"}), &["/x/a.ts"], &[]);
        check("readFile", json!({"filePath": "a"}), &["a"], &[]);
        check("write", json!({"path": "b.ts", "content": "x"}), &[], &["b.ts"]);
        check(
            "MultiEdit",
            json!({"file_path": "b.ts", "edits": [{"old_string": "a", "new_string": "b"}]}),
            &[],
            &["b.ts"],
        );
        check("edit_files", json!({"edits": [{"path": "a"}, {"path": "b"}]}), &[], &["a", "b"]);
        check("str_replace_based_edit_tool", json!({"command": "view", "path": "a"}), &["a"], &[]);
        check("str_replace_editor", json!({"command": "str_replace", "path": "a"}), &[], &["a"]);
        check("move_file", json!({"source": "a", "destination": "b"}), &[], &["a", "b"]);
        check(
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: b.rs\n+x"}),
            &[],
            &["src/a.rs", "b.rs"],
        );
        check("grep", json!({"pattern": "x", "path": "src"}), &[], &[]);
        check("web_fetch", json!({"url": "https://a.b/c"}), &[], &[]);
        check("bash", json!({"command": "cat a.txt > b.txt"}), &["a.txt"], &["b.txt"]);
        check("shell", json!({"command": ["bash", "-lc", "sed -i s/a/b/ c.txt"]}), &[], &["c.txt"]);
        check("shell", json!({"command": ["cat", "a.rs"], "workdir": "/w"}), &["/w/a.rs"], &[]);
        check("read", json!("not an object"), &[], &[]);
    }

    #[test]
    fn a_failed_call_touched_nothing() {
        assert_eq!(tool_use("write", &json!({"path": "a"}), true).modified, Vec::<String>::new());
    }

    #[test]
    fn the_line_that_says_why_is_kept() {
        let failed = |text: &str| {
            Message::from_value(
                &json!({"role": "toolResult", "toolName": "bash", "isError": true, "content": [{"type": "text", "text": text}]}),
            )
        };
        assert_eq!(
            error_line(&failed("node:fs:443\n  return x\n\nError: ENOENT: no such file, open 'a'\n  at y"))
                .as_deref(),
            Some("bash: Error: ENOENT: no such file, open 'a'")
        );
        assert_eq!(error_line(&failed("one\ntwo\n")).as_deref(), Some("bash: two"));
        assert_eq!(error_line(&Message::user("Error: x")), None);
        let fine =
            Message::from_value(&json!({"role": "toolResult", "toolName": "bash", "content": "0 errors"}));
        assert_eq!(error_line(&fine), None);
    }
}
