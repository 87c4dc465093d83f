//! The session: messages and facts in, checkpoints and packet out, through the core's own surface.

use clawback_core::Result;
use clawback_core::checkpoint::{Checkpoint, Trigger};
use clawback_core::session::{
    Appended, CheckpointRequest, FileOps, OpenOptions, Outcome, Session, SessionView, ToolReport,
    agent_ended_by_key,
};
use clawback_core::store::wait;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

fn open(dir: &Path) -> Session {
    Session::open(dir, "agent:main:main", OpenOptions::default()).unwrap()
}

fn request(trigger: Trigger, messages: &[Value]) -> CheckpointRequest {
    CheckpointRequest {
        trigger,
        session_file: None,
        channel: None,
        agent_id: None,
        compaction_count: None,
        input_tokens: 164_000,
        context_window: 200_000,
        utilization: None,
        messages: if messages.is_empty() { vec![] } else { vec![json!(messages).to_string()] },
        is_split_turn: false,
        file_ops: None,
        agents: None,
    }
}

fn write(session: &Session, request: CheckpointRequest) -> Outcome {
    wait(|done| session.write_checkpoint(request, done)).unwrap()
}

fn latest(session: &Session) -> Checkpoint {
    wait(|done| session.read_latest_checkpoint(done)).unwrap().unwrap()
}

fn view(session: &Session) -> SessionView {
    wait(|done| session.read_state(done)).unwrap()
}

fn decide(session: &Session, what: &str) -> Result<Appended> {
    wait(|done| session.append_decision(what.to_owned(), None, done))
}

fn user(at: i64, text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": at})
}

fn agent(at: i64, text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop", "timestamp": at})
}

fn call(at: i64, id: &str, name: &str, arguments: Value) -> Value {
    json!({"role": "assistant", "timestamp": at, "stopReason": "toolUse",
           "content": [{"type": "toolCall", "id": id, "name": name, "arguments": arguments}]})
}

fn result(at: i64, id: &str, text: &str, failed: bool) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "tool", "isError": failed, "timestamp": at,
           "content": [{"type": "text", "text": text}]})
}

fn talk() -> Vec<Value> {
    vec![
        user(1, "Build a nightly export for the shop. Never edit files in migrations/."),
        call(2, "c1", "read", json!({"path": "src/export.ts"})),
        result(3, "c1", "export {}", false),
        call(4, "c2", "edit", json!({"path": "src/lost.ts"})),
        result(5, "c2", "no such file", true),
        call(6, "c3", "write", json!({"path": "src/csv.ts", "content": "x"})),
        result(7, "c3", "written", false),
        agent(8, "Should I write the export as CSV with semicolons?"),
        user(9, "yes"),
        agent(10, "Done: the export is written as CSV with semicolons."),
        user(11, "And now the import."),
    ]
}

#[test]
fn files_are_those_of_calls_that_succeeded() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    write(&session, request(Trigger::Manual, &talk()));
    let seen = latest(&session);
    assert_eq!(seen.resources.files_read, ["src/export.ts"]);
    assert_eq!(seen.resources.files_modified, ["src/csv.ts"]);
    assert_eq!(seen.resources.tools_used, ["read", "edit", "write"]);
    assert_eq!(seen.working.last_tool_call.unwrap().name, "write");
    assert!(seen.thread.errors.iter().any(|line| line.contains("no such file")));
}

#[test]
fn an_answered_question_is_a_decision_and_the_newest_request_is_the_active_one() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    write(&session, request(Trigger::Compaction, &talk()));
    let seen = latest(&session);
    assert!(seen.decisions.iter().any(|decision| decision.what.contains("CSV with semicolons")), "{seen:?}");
    assert!(seen.constraints.iter().any(|constraint| constraint.contains("migrations/")), "{seen:?}");
    assert_eq!(seen.active_request.as_deref(), Some("And now the import."));
    assert!(seen.goal.unwrap().contains("nightly export"));
    assert_eq!(seen.meta.compaction_count, 1);
}

#[test]
fn a_summary_does_not_replace_the_users_goal() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let mut messages = talk();
    messages.push(json!({"role": "compactionSummary", "timestamp": 12,
        "summary": "## Goal\nWrite some tests for the parser\n\n## Key Decisions\n- **Use vitest**: it is there"}));
    write(&session, request(Trigger::Compaction, &messages));
    assert!(latest(&session).goal.unwrap().contains("nightly export"));
}

#[test]
fn looking_at_a_checkpoint_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let built = wait(|done| session.build_checkpoint(request(Trigger::Manual, &talk()), done)).unwrap();
    assert_eq!(built.meta.checkpoint_id, "cp_001");
    assert!(!built.decisions.is_empty());
    assert!(!dir.path().join("context").exists());
    write(&session, request(Trigger::Manual, &talk()));
    let seq = view(&session).journal_seq;
    let built =
        wait(|done| session.build_checkpoint(request(Trigger::Manual, &[user(12, "more")]), done)).unwrap();
    assert_eq!(built.active_request.as_deref(), Some("more"));
    assert_eq!(view(&session).journal_seq, seq);
}

#[test]
fn ten_checkpoints_in_a_row_carry_every_live_decision_and_no_replaced_one() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let topics = [
        "importer",
        "exporter",
        "gateway",
        "scheduler",
        "mailer",
        "indexer",
        "parser",
        "worker",
        "proxy",
        "cache",
    ];
    for (round, topic) in topics.iter().enumerate() {
        decide(&session, &format!("Set the {topic} timeout to {} seconds", 30 + round)).unwrap();
        if round >= 5 {
            let earlier = topics[round - 5];
            let outcome =
                decide(&session, &format!("Set the {earlier} timeout to {} seconds", 90 + round)).unwrap();
            assert_eq!(outcome, Appended::SupersededOlder, "{earlier}");
        }
        write(&session, request(Trigger::Manual, &[]));
    }
    let shown: Vec<String> = latest(&session).decisions.into_iter().map(|decision| decision.what).collect();
    for (round, topic) in topics.iter().enumerate() {
        let (holds, replaced) = if round < 5 { (95 + round, Some(30 + round)) } else { (30 + round, None) };
        assert!(shown.contains(&format!("Set the {topic} timeout to {holds} seconds")), "{topic}: {shown:?}");
        if let Some(old) = replaced {
            assert!(
                !shown.contains(&format!("Set the {topic} timeout to {old} seconds")),
                "{topic}: {shown:?}"
            );
        }
    }
    assert_eq!(latest(&session).superseded, 5);
}

#[test]
fn an_open_item_is_settled_once() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let add = |item: &str| wait(|done| session.append_open_item(item.to_owned(), done)).unwrap();
    let settle = |item: &str| wait(|done| session.resolve_open_item(item.to_owned(), done)).unwrap();
    assert_eq!(add("Rotate the staging credentials"), Appended::Added);
    assert_eq!(add("- rotate the **staging credentials**"), Appended::Duplicate);
    assert!(settle("rotate the staging credentials"));
    assert!(!settle("rotate the staging credentials"));
    assert!(!settle("paint the shed"));
    write(&session, request(Trigger::Manual, &[]));
    assert!(latest(&session).open_items.is_empty());
}

#[test]
fn a_session_of_another_process_is_read_from_disk() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    write(&session, request(Trigger::Manual, &talk()));
    let before = view(&session);
    wait(|done| session.close(done)).unwrap();
    // Closing gave the memory back: this handle reads everything anew.
    assert_eq!(view(&open(dir.path())), before);
}

#[test]
fn a_session_whose_journal_was_lost_is_rebuilt_from_its_newest_checkpoint() {
    for damage in [None, Some(&b""[..]), Some(&b"\x00\xff no journal\n at all"[..])] {
        let dir = tempfile::tempdir().unwrap();
        let session = open(dir.path());
        decide(&session, "Keep the queue in Postgres").unwrap();
        write(&session, request(Trigger::Manual, &talk()));
        let journal = walk(dir.path()).into_iter().find(|file| file.ends_with("journal.jsonl")).unwrap();
        let home = tempfile::tempdir().unwrap();
        copy(&dir.path().join("context"), &home.path().join("context"));
        let lost = home.path().join(journal.strip_prefix(dir.path()).unwrap());
        match damage {
            None => std::fs::remove_file(&lost).unwrap(),
            Some(bytes) => std::fs::write(&lost, bytes).unwrap(),
        }
        let again = open(home.path());
        let kept =
            |session: &Session| view(session).decisions.iter().any(|item| item.text.contains("Postgres"));
        assert!(kept(&again), "read: {damage:?}");
        decide(&again, "Retry failed uploads three times").unwrap();
        assert!(kept(&again), "written: {damage:?}");
        write(&again, request(Trigger::Manual, &[]));
        let seen = latest(&again);
        assert!(seen.decisions.iter().any(|decision| decision.what.contains("Postgres")), "{damage:?}");
        assert!(seen.constraints.iter().any(|constraint| constraint.contains("migrations/")), "{damage:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { std::fs::copy(&path, &target).map(|_| ()).unwrap() }
    }
}

#[test]
fn running_agents_are_listed_until_their_own_session_says_that_they_ended() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let mut with_agent = request(Trigger::Manual, &[]);
    with_agent.agents = Some(vec![clawback_core::checkpoint::Agent {
        id: "agent:main:sub:1".into(),
        task: None,
        started_at: None,
    }]);
    write(&session, with_agent);
    assert_eq!(latest(&session).agents.len(), 1);
    let ended = |key: &str| wait(|done| agent_ended_by_key(dir.path(), key, done)).unwrap();
    assert!(ended("agent:main:sub:1"));
    assert!(!ended("agent:main:sub:1"));
    assert!(!ended("agent:main:nobody"));
    write(&session, request(Trigger::Manual, &[]));
    assert!(latest(&session).agents.is_empty());
}

#[test]
fn an_unchanged_automatic_checkpoint_is_skipped_and_a_new_decision_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    decide(&session, "Keep the queue in Postgres").unwrap();
    assert!(matches!(write(&session, request(Trigger::Auto80Pct, &[])), Outcome::Written { .. }));
    assert!(matches!(write(&session, request(Trigger::Auto80Pct, &[])), Outcome::Skipped { .. }));
    decide(&session, "Retry failed uploads three times").unwrap();
    assert!(matches!(write(&session, request(Trigger::Auto80Pct, &[])), Outcome::Written { .. }));
}

#[test]
fn a_hosts_file_lists_are_taken_over_and_secrets_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let mut with_files =
        request(Trigger::Compaction, &[user(1, "my key is sk-proj-abcdefghijklmnopqrstuvwx1234567890")]);
    with_files.file_ops = Some(FileOps { read: vec!["a.md".into()], modified: vec!["b.md".into()] });
    write(&session, with_files);
    let report = ToolReport {
        name: "bash".into(),
        params: json!({"command": "curl -H 'Authorization: Bearer abcdefghijklmnop123456'"}),
        is_error: false,
        error_text: None,
    };
    wait(|done| session.record_tool_use(report, done)).unwrap();
    write(&session, request(Trigger::Manual, &[]));
    let seen = latest(&session);
    assert_eq!(
        (seen.resources.files_read, seen.resources.files_modified),
        (vec!["a.md".into()], vec!["b.md".into()])
    );
    for file in walk(dir.path()) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("abcdefghijklmnop"), "{}", file.display());
    }
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn the_older_layout_is_taken_over_once_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("context/state/agent_main_main");
    let checkpoints = dir.path().join("context/checkpoints/agent_main_main");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::create_dir_all(&checkpoints).unwrap();
    std::fs::write(state.join("decisions.json"), r#"[{"what": "Use pnpm", "when": "2026-01-02T03:04:05Z"}]"#)
        .unwrap();
    std::fs::write(state.join("open_items.json"), r#"["Ask Ana about the logo"]"#).unwrap();
    let yaml = "schema: \"openclaw/checkpoint\"\nschema_version: 1\nmeta:\n  checkpoint_id: \"cp_003\"\n  session_key: \"agent:main:main\"\n  created_at: \"2026-01-01T00:00:00Z\"\n  trigger: \"compaction\"\n  compaction_count: 1\n  token_usage:\n    input_tokens: 1\n    context_window: 2\n    utilization: 0.5\nworking:\n  topic: |\n    t\n  status: \"idle\"\n  interrupted: false\n  last_tool_call: null\n  next_action: |\n    n\ndecisions:\n  - id: \"d1\"\n    what: |\n      Ship on Fridays\n    when: \"2026-01-01T00:00:00Z\"\n";
    std::fs::write(checkpoints.join("cp_003.yaml"), yaml).unwrap();
    let session = open(dir.path());
    decide(&session, "Answer in English").unwrap();
    let seen = view(&session);
    let texts: Vec<&str> = seen.decisions.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["Ship on Fridays", "Use pnpm", "Answer in English"]);
    assert_eq!(seen.open_items.len(), 1);
    decide(&session, "Answer in Serbian too").unwrap();
    assert_eq!(view(&session).decisions.len(), 4);
    assert_eq!(std::fs::read_to_string(checkpoints.join("cp_003.yaml")).unwrap(), yaml);
    // Another key that the old rule gave the same directory gets nothing of it.
    let other = Session::open(dir.path(), "agent/main/main", OpenOptions::default()).unwrap();
    decide(&other, "Nothing of the other").unwrap();
    assert_eq!(view(&other).decisions.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However a conversation is handed over, in pieces, overlapping or all at once again, the same is remembered.
    #[test]
    fn any_split_of_a_conversation_gives_the_same_state(cuts in prop::collection::vec(0usize..=11, 0..4), strong in any::<bool>()) {
        let messages: Vec<Value> = talk().into_iter().map(|mut message| {
            if !strong && let Some(fields) = message.as_object_mut() { fields.remove("timestamp"); }
            message
        }).collect();
        let whole = tempfile::tempdir().unwrap();
        let at_once = open(whole.path());
        write(&at_once, request(Trigger::Manual, &messages));
        let pieces = tempfile::tempdir().unwrap();
        let in_pieces = open(pieces.path());
        let mut cuts = cuts;
        cuts.sort_unstable();
        for cut in cuts {
            write(&in_pieces, request(Trigger::Manual, &messages[..cut]));
        }
        write(&in_pieces, request(Trigger::Manual, &messages));
        write(&in_pieces, request(Trigger::Manual, &messages));
        let (a, b) = (latest(&at_once), latest(&in_pieces));
        let texts = |checkpoint: &Checkpoint| -> Vec<String> { checkpoint.decisions.iter().map(|d| d.what.clone()).collect() };
        prop_assert_eq!(texts(&a), texts(&b));
        prop_assert_eq!((&a.constraints, &a.tasks, &a.open_items, &a.goal), (&b.constraints, &b.tasks, &b.open_items, &b.goal));
        prop_assert_eq!((&a.resources, &a.thread, &a.active_request), (&b.resources, &b.thread, &b.active_request));
    }
}

/// What holds after the turns of a person, each acknowledged by the agent: goal, and decisions with constraints.
fn holds(turns: &[&str]) -> (Option<String>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path());
    let messages: Vec<Value> = (1i64..)
        .zip(turns)
        .flat_map(|(at, turn)| [user(2 * at, turn), agent(2 * at + 1, "Ok, done.")])
        .collect();
    write(&session, request(Trigger::Manual, &messages));
    let seen = view(&session);
    let items = seen.decisions.iter().chain(&seen.constraints);
    (
        seen.goal,
        items
            .filter(|item| item.status == "active")
            .map(|item| item.text.trim_end_matches('.').to_owned())
            .collect(),
    )
}

#[test]
fn a_changed_mind_wins_in_a_plain_conversation() {
    for (turns, goal, wanted) in [
        (
            &["Build a shop.", "Do not use Redis.", "I changed my mind: use Redis."][..],
            "Build a shop",
            &["use Redis"][..],
        ),
        (
            &[
                "Build a shop.",
                "Set the request timeout to 60 s, and never touch migrations/.",
                "Use 90 s for the request timeout instead of 60 s.",
            ],
            "Build a shop",
            &["Use 90 s for the request timeout instead of 60 s", "never touch migrations/"],
        ),
        (
            &["Napravi prodavnicu.", "Use Redis.", "Do not use Redis, use Memcached."],
            "Napravi prodavnicu",
            &["use Memcached", "Do not use Redis"],
        ),
        (
            &["Build a shop.", "Never touch migrations/.", "You may edit migrations/ now."],
            "Build a shop",
            &["You may edit migrations/ now"],
        ),
    ] {
        let (named, holds) = holds(turns);
        assert_eq!(named.as_deref().map(|goal| goal.trim_end_matches('.')), Some(goal), "{turns:?}");
        assert_eq!(holds, wanted, "{turns:?}");
    }
}
