//! Whole transcripts of every format.

use clawback_core::Error;
use clawback_core::transcript::{Batch, Event, FirstKept, Format, Options, Problem, Stats, TranscriptReader};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(name)
}

fn drain<R: std::io::Read + std::io::Seek>(reader: &mut TranscriptReader<R>, batch: usize) -> Batch {
    let mut all = Batch::default();
    while let Some(next) = reader.next_batch(batch, 1 << 20).unwrap() {
        assert!(next.events.len() <= batch.max(1));
        all.events.extend(next.events);
        all.problems.extend(next.problems);
        all.bytes_read = next.bytes_read;
        all.bytes_total = next.bytes_total;
    }
    all
}

fn read(name: &str) -> Batch {
    drain(&mut TranscriptReader::open(fixture(name)).unwrap(), 3)
}

fn read_bytes(bytes: &[u8]) -> Result<Batch, Error> {
    let source = Cursor::new(bytes.to_vec());
    TranscriptReader::from_source(source, "memory", Options::default())
        .map(|mut reader| drain(&mut reader, 7))
}

/// One word per event, and the texts of messages.
fn outline(batch: &Batch) -> Vec<String> {
    let one = |event: &Event| match event {
        Event::Header { format, version, .. } => format!("{format:?} {}", version.unwrap_or(0)),
        Event::Message { value, .. } => {
            let message = clawback_core::message::Message::from_value(value);
            format!("{}: {}", value["role"].as_str().unwrap(), message.text())
        }
        Event::Compaction { first_kept_line, tokens_before, .. } => {
            format!("compaction from {first_kept_line:?} of {tokens_before:?}")
        }
        Event::BranchSummary { summary, .. } => format!("branch: {summary}"),
        Event::ModelChange { model_id, .. } => format!("model {}", model_id.as_deref().unwrap_or("?")),
        Event::Usage { tokens, context_window, .. } => format!("usage {tokens:?} of {context_window:?}"),
        Event::ContextEdit { target_id, .. } => format!("edit {target_id}"),
        Event::Reset { .. } => "reset".to_owned(),
        Event::Other { kind, .. } => kind.clone(),
        Event::End(_) => "end".to_owned(),
    };
    batch.events.iter().map(one).collect()
}

fn stats(batch: &Batch) -> Stats {
    match batch.events.last() {
        Some(Event::End(stats)) => *stats,
        other => panic!("the last event is {other:?}"),
    }
}

#[test]
fn pi_v1_without_ids_is_read_in_order_and_its_compaction_resolved() {
    let batch = read("pi_v1.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "Pi 1",
            "model stub-small",
            "user: The timetable importer drops the last ferry of each day. Find out why.",
            "assistant: I will read the importer first.",
            "toolResult: for (let i = 0; i < rows.length - 1; i++) add(rows[i]);",
            "assistant: The loop stops one row early. Shall I fix the bound?",
            "user: Yes, and add a test for it.",
            "compaction from Some(6) of Some(1040)",
            "thinking_level_change",
            "assistant: The bound is fixed and the test passes.",
            "end"
        ]
    );
    assert!(batch.problems.is_empty());
    assert_eq!(batch.bytes_read, batch.bytes_total);
    let kept = batch.events.iter().find_map(|event| match event {
        Event::Compaction { first_kept, .. } => first_kept.clone(),
        _ => None,
    });
    assert_eq!(kept, Some(FirstKept::Index(5)));
}

#[test]
fn pi_v2_hook_messages_become_custom_ones() {
    assert_eq!(
        outline(&read("pi_v2.jsonl")),
        [
            "Pi 2",
            "model stub-small",
            "user: Rename the pier table.",
            "custom: Two migrations are pending.",
            "assistant: Renamed to `piers`.",
            "compaction from Some(4) of Some(300)",
            "end"
        ]
    );
}

#[test]
fn pi_v3_gives_the_live_path_and_counts_what_was_left() {
    let batch = read("pi_v3_branches.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "Pi 3",
            "model stub-small",
            "user: Cache the tide data.",
            "assistant: In Redis or in a file?",
            "branch: Redis was tried and left.",
            "user: In a file, please.",
            "custom",
            "custom: Tide data is public.",
            "assistant: ",
            "toolResult: ok",
            "edit b8",
            "compaction from None of Some(700)",
            "label",
            "system: Tools changed.",
            "assistant: Done.",
            "end"
        ]
    );
    assert_eq!(stats(&batch).off_path, 2);
    let options = Options { live_path_only: false, ..Options::default() };
    let all = drain(&mut TranscriptReader::open_with(fixture("pi_v3_branches.jsonl"), options).unwrap(), 100);
    assert!(outline(&all).contains(&"user: In Redis.".to_owned()));
    assert_eq!(stats(&all).off_path, 0);
}

#[test]
fn openclaw_with_drifted_links_and_kinds_stays_whole() {
    let batch = read("openclaw.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "OpenClaw 3",
            "model stub-large",
            "custom: Runtime: harbour",
            "user: Which berths are free?",
            "assistant: ",
            "toolResult: 4, 9",
            "pulse",
            "assistant: Berths 4 and 9.",
            "reset",
            "user: Book berth 9.",
            "end"
        ]
    );
    assert_eq!((stats(&batch).off_path, stats(&batch).relinked), (0, 1));
}

#[test]
fn messages_without_a_time_get_their_entrys() {
    let batch = read("openclaw.jsonl");
    let mut times = batch.events.iter().filter_map(|event| match event {
        Event::Message { value, timestamp, .. } => Some((value["timestamp"].as_i64(), *timestamp)),
        _ => None,
    });
    assert!(times.clone().all(|(inner, outer)| inner.is_some() && inner == outer));
    assert_eq!(times.next_back(), Some((Some(1_772_449_207_000), Some(1_772_449_207_000))));
}

#[test]
fn claude_sidechains_notes_and_compaction_are_told_apart() {
    let batch = read("claude.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "Claude 0",
            "summary",
            "user: Why does the lamp flicker?",
            "model stub-c",
            "assistant: ",
            "user: ",
            "custom: Caveat: put in by the program",
            "compaction from None of Some(150000)",
            "assistant: The loop has no delay.",
            "end"
        ]
    );
    assert_eq!(stats(&batch).off_path, 1);
}

#[test]
fn codex_calls_answers_and_usage_come_through_once() {
    let batch = read("codex.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "Codex 0",
            "session_meta",
            "model stub-x",
            "custom: <environment_context>\n<cwd>/srv/buoy</cwd>\n</environment_context>",
            "event_msg/user_message",
            "user: Count the buoys.",
            "assistant: ",
            "toolResult: wc: buoys.csv: No such file",
            "usage Some(1000) of Some(100000)",
            "compaction from None of None",
            "assistant: There is no such file.",
            "end"
        ]
    );
    let failed = batch.events.iter().find_map(|event| match event {
        Event::Message { value, .. } if value["role"] == "toolResult" => Some(value.clone()),
        _ => None,
    });
    let failed = failed.unwrap();
    assert_eq!((failed["isError"].clone(), failed["toolName"].clone()), (true.into(), "shell".into()));
}

#[test]
fn damaged_lines_are_reported_and_everything_else_is_read() {
    let batch = read("damaged.jsonl");
    assert_eq!(
        outline(&batch),
        [
            "Pi 3",
            "model stub-small",
            "user: Cache the tide data.",
            "user: In Redis.",
            "assistant: Half a face: :-.",
            "user: Half a face: \u{fffd} and a raw \u{fffd} byte.",
            "user: Still here.",
            "end"
        ]
    );
    let lines: Vec<u64> = batch.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [5, 6, 8, 9, 10, 11, 13]);
    let why = |line| batch.problems.iter().find(|problem| problem.line == line).unwrap().why.as_str();
    assert!(why(5).starts_with("not valid JSON"), "{}", why(5));
    assert!(why(6).starts_with("32 NUL bytes"));
    assert!(why(8).starts_with("half an entry"));
    assert!(why(9).starts_with("an array"));
    assert!(why(11).starts_with("a message entry without a message"));
    assert!(why(13).starts_with("cut off"));
    assert_eq!(stats(&batch).problems, 7);
}

#[test]
fn a_lost_header_is_no_reason_to_give_up() {
    let text = std::fs::read_to_string(fixture("pi_v3_branches.jsonl")).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    let batch = read_bytes(format!("{{\"type\":\"sess\n{rest}").as_bytes()).unwrap();
    assert_eq!(outline(&batch)[0], "Pi 3");
    assert_eq!(outline(&batch).len(), outline(&read("pi_v3_branches.jsonl")).len());
    assert_eq!(batch.problems.len(), 1);
}

#[test]
fn what_is_no_transcript_is_refused_by_name() {
    let refused = |bytes: &[u8]| {
        let error = read_bytes(bytes).unwrap_err();
        (error.code(), error.to_string())
    };
    let (code, words) = refused(&std::fs::read(fixture("unknown.jsonl")).unwrap());
    assert_eq!(code, "Unsupported");
    assert!(words.contains("line 1: an object with keys invoice, total, currency"), "{words}");
    let (code, words) = refused(b"# Notes\nnot JSON\n");
    assert_eq!(code, "Unsupported");
    assert!(words.contains("\"# Notes\""), "{words}");
    assert_eq!(refused(b"").0, "Corrupt");
    assert_eq!(refused(b"\n\n").0, "Corrupt");
    assert!(refused(b"SQLite format 3\0.....").1.contains("SQLite"));
    let open = |path: &Path| TranscriptReader::open(path).map(|_| ()).unwrap_err().code();
    assert_eq!(open(Path::new("/nonexistent/x.jsonl")), "NotFound");
    assert_eq!(open(&std::env::temp_dir()), "InvalidInput");
}

#[test]
fn a_line_above_the_limit_is_passed_over() {
    let text = std::fs::read_to_string(fixture("pi_v2.jsonl")).unwrap();
    let options = Options { max_line_bytes: 160, ..Options::default() };
    let source = Cursor::new(text.into_bytes());
    let batch = drain(&mut TranscriptReader::from_source(source, "memory", options).unwrap(), 5);
    let lines: Vec<u64> = batch.problems.iter().map(|problem| problem.line).collect();
    assert!(!lines.is_empty() && lines.len() < 6, "{lines:?}");
    assert!(batch.problems.iter().all(|Problem { why, .. }| why.contains("above the limit")));
}

#[test]
fn sixty_megabytes_are_read_in_batches_of_bounded_size() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, r#"{{"type":"session","version":3,"id":"big","cwd":"/"}}"#).unwrap();
    let filler = "tide ".repeat(3000);
    let mut parent = "null".to_owned();
    for at in 0..4000 {
        let message = format!(r#"{{"role":"user","content":"{at} {filler}"}}"#);
        let entry = format!(r#"{{"type":"message","id":"e{at}","parentId":{parent},"message":{message}}}"#);
        writeln!(file, "{entry}").unwrap();
        parent = format!("\"e{at}\"");
    }
    let mut reader = TranscriptReader::open(file.path()).unwrap();
    let (mut messages, mut last) = (0, 0);
    while let Some(batch) = reader.next_batch(1000, 1 << 20).unwrap() {
        assert!(batch.bytes_read - last < (1 << 20) + 20_000);
        last = batch.bytes_read;
        messages += batch.events.iter().filter(|event| matches!(event, Event::Message { .. })).count();
    }
    assert_eq!(messages, 4000);
    assert!(last > 60_000_000);
}

#[test]
fn events_are_camel_case_objects() {
    let batch = read("pi_v3_branches.jsonl");
    let json = serde_json::to_value(&batch).unwrap();
    assert_eq!(json["events"][0]["type"], "header");
    assert_eq!(json["events"][0]["sessionId"], "33333333-aaaa-4bbb-8ccc-000000000003");
    assert_eq!(json["events"][0]["format"], "pi");
    assert_eq!(json["events"][11]["type"], "compaction");
    assert_eq!(json["events"][11]["fromHook"], true);
    let end = json["events"].as_array().unwrap().last().unwrap();
    assert_eq!((end["type"].as_str(), end["offPath"].as_u64()), (Some("end"), Some(2)));
}

#[test]
fn public_transcripts_are_read_without_problems() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folders = [data.join("pi_mono_sessions"), data.join("agent_sessions_fixtures")];
    if folders.iter().any(|folder| !folder.is_dir()) {
        println!("skipped: ../shared/data is not here");
        return;
    }
    for file in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let batch = drain(&mut TranscriptReader::open(&path).unwrap(), 100);
        assert!(batch.problems.is_empty(), "{}: {:?}", path.display(), batch.problems);
        assert!(stats(&batch).messages > 0, "{}", path.display());
        let name = path.file_name().unwrap().to_string_lossy();
        let format = match &batch.events[0] {
            Event::Header { format, .. } => *format,
            other => panic!("{other:?}"),
        };
        let expected = match name.split('_').next().unwrap() {
            "claude" => Format::Claude,
            "codex" => Format::Codex,
            "openclaw" if name != "openclaw_schema_drift.jsonl" => Format::OpenClaw,
            _ => Format::Pi,
        };
        assert_eq!(format, expected, "{name}");
        println!("{name}: {:?}", stats(&batch));
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn a_transcript_with_random_damage_never_panics_and_ends(
        name in prop_oneof![
            Just("pi_v1.jsonl"), Just("pi_v3_branches.jsonl"), Just("openclaw.jsonl"),
            Just("claude.jsonl"), Just("codex.jsonl"), Just("damaged.jsonl"),
        ],
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..30),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(batch) = read_bytes(&bytes) {
            let header_first = matches!(batch.events.first(), Some(Event::Header { .. }));
            prop_assert!(header_first);
            prop_assert_eq!(stats(&batch).problems, batch.problems.len() as u64);
        }
    }
}
