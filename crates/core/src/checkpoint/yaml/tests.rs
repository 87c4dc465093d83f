use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{Decision, Exchange, fixture};
use super::*;

const NASTY: &str = include_str!("../../../../../fixtures/yaml/nasty-strings.json");

/// Hostile input must be refused within this time; debug builds on a busy machine get some more.
const QUICK: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 100 });

fn nasty() -> Vec<String> {
    serde_json::from_str(NASTY).unwrap()
}

fn refused<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Err(Error::Corrupt(why)) => why,
        other => panic!("expected Corrupt, got {other:?}"),
    }
}

/// A body with the end mark that belongs to it: gets past the integrity check to the YAML itself.
fn signed(body: &str) -> String {
    let end = Integrity { bytes: body.len() as u64, hash: hex_digest(body.as_bytes()), state_seq: 0 };
    format!("{body}{}", end_block(&end))
}

#[test]
fn every_nasty_string_reads_back_in_every_place() {
    let strings = nasty();
    assert!(strings.len() >= 90);
    let mut checkpoint = fixture::checkpoint();
    checkpoint.constraints = strings.clone();
    checkpoint.open_items = strings.clone();
    checkpoint.decisions = strings
        .iter()
        .map(|text| Decision { id: text.clone(), what: text.clone(), when: text.clone() })
        .collect();
    checkpoint.thread.key_exchanges =
        strings.iter().map(|text| Exchange { role: text.clone(), gist: text.clone() }).collect();
    for text in &strings {
        checkpoint.goal = Some(text.clone());
        checkpoint.working.topic = text.clone();
        let (sealed, file) = seal(&checkpoint).unwrap();
        assert_eq!(parse(&file).unwrap(), sealed, "{text:?}");
        let tree: Value = read(&file, 0).unwrap();
        assert_eq!(tree, serde_json::to_value(&sealed).unwrap(), "{text:?}");
    }
}

#[test]
fn no_string_is_left_to_the_taste_of_a_reader() {
    for text in nasty() {
        let yaml = emit(&json!({"k": text})).unwrap();
        let value = yaml.strip_prefix("k: ").unwrap();
        assert!(value.starts_with('"') || value.starts_with("|-\n") || value.starts_with("|\n"), "{yaml}");
    }
}

#[test]
fn lines_of_text_are_a_block_where_that_is_safe() {
    assert_eq!(emit(&json!({"k": "first\nsecond\n"})).unwrap(), "k: |\n  first\n  second\n");
    assert_eq!(emit(&json!({"k": "first\nsecond"})).unwrap(), "k: |-\n  first\n  second\n");
    assert_eq!(emit(&json!({"k": "first\n  second"})).unwrap(), "k: \"first\\n  second\"\n");
}

#[test]
fn the_file_has_the_keys_in_the_order_of_the_schema_and_ends_in_integrity() {
    let file = format(&fixture::checkpoint()).unwrap();
    let keys: Vec<&str> = file
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_alphabetic()))
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(
        keys,
        [
            "schema",
            "schema_version",
            "meta",
            "active_request",
            "goal",
            "working",
            "constraints",
            "decisions",
            "tasks",
            "resources",
            "thread",
            "open_items",
            "learnings",
            "agents",
            "superseded",
            "integrity"
        ]
    );
    assert!(file.starts_with(
        "schema: \"openclaw/checkpoint\"\nschema_version: 1\nmeta:\n  checkpoint_id: \"cp_003\"\n"
    ));
}

#[test]
fn a_byte_order_mark_is_accepted_and_state_seq_is_kept() {
    let mut checkpoint = fixture::checkpoint();
    checkpoint.integrity = Some(Integrity { bytes: 9, hash: "stale".to_owned(), state_seq: 41 });
    let file = format(&checkpoint).unwrap();
    let read = parse(&format!("\u{feff}{file}")).unwrap();
    assert_eq!(read.integrity.as_ref().unwrap().state_seq, 41);
    assert_eq!(format(&read).unwrap(), file);
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let file = format(&fixture::checkpoint()).unwrap();
    for end in (0..file.len()).filter(|end| file.is_char_boundary(*end)) {
        refused(parse(file.get(..end).unwrap()));
    }
}

#[test]
fn an_edited_file_is_refused() {
    let file = format(&fixture::checkpoint()).unwrap();
    for edited in [
        file.replacen("60 s", "90 s", 1),
        file.replacen("state_seq: 0", "state_seq: 1", 1) + "extra: 1\n",
        format!("{file}\n"),
        file.replace('\n', "\r\n"),
        file.split("integrity:").next().unwrap().to_owned(),
        signed(&file),
    ] {
        refused(parse(&edited));
    }
}

#[test]
fn hostile_files_are_refused_quickly_also_with_a_valid_end_mark() {
    let mut bomb = "a0: &a0 [\"lol\", \"lol\"]\n".to_owned();
    for n in 1..30 {
        bomb.push_str(&format!(
            "a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}]\n",
            n - 1
        ));
    }
    let deep: String = (0..5_000).map(|n| format!("{}a:\n", " ".repeat(n % 60 + n / 60))).collect();
    let nested_maps: String = (0..100).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let good = format(&fixture::checkpoint()).unwrap();
    let body = good.split("integrity:").next().unwrap();
    for hostile in [
        bomb,
        "[".repeat(100_000) + "\n",
        "{a: ".repeat(50_000) + "\n",
        "- ".repeat(50_000) + "\n",
        deep,
        nested_maps,
        "x".repeat(MAX_BYTES + 1),
        format!("{body}superseded: 1\n"),
        format!("{body}---\na: 1\n"),
        "a: &x 1\nb: *x\n".to_owned(),
        "\u{0}\u{1}\n".to_owned(),
        "? ".repeat(50_000) + "\n",
        "a: \"".to_owned() + &"\\x".repeat(50_000) + "\n",
    ] {
        for text in [hostile.clone(), signed(&hostile)] {
            for parser in [parse as fn(&str) -> Result<Checkpoint>, parse_foreign] {
                let start = Instant::now();
                refused(parser(&text));
                assert!(start.elapsed() < QUICK, "{:?} for {:.40}", start.elapsed(), text);
            }
        }
    }
}

#[test]
fn our_own_files_hold_no_anchors_and_aliases() {
    let good = format(&fixture::checkpoint()).unwrap();
    let body = good.split("integrity:").next().unwrap();
    for extra in ["x: &a 1\n", "x: *a\n", "x: &a [*a]\n"] {
        refused(parse(&signed(&format!("{body}{extra}"))));
    }
    // A later version may add keys.
    assert!(parse(&signed(&format!("{body}added: \"later\"\n"))).is_ok());
}

#[test]
fn errors_name_the_line() {
    let why = refused(parse(&signed("schema: \"openclaw/checkpoint\"\nschema_version: [\n")));
    assert!(why.contains("line "), "{why}");
    let other = format(&fixture::checkpoint()).unwrap().replacen("schema_version: 1", "schema_version: 2", 1);
    let why = refused(parse(&signed(other.split("integrity:").next().unwrap())));
    assert!(why.contains("another version"), "{why}");
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let mut checkpoint = fixture::checkpoint();
    checkpoint.goal = Some("x".repeat(MAX_BYTES));
    assert!(matches!(format(&checkpoint), Err(Error::InvalidInput(_))));
}

const OLDER_LAYOUT: &str = r#"# comment
schema: "openclaw/checkpoint"
schema_version: 1
meta:
  checkpoint_id: "cp_003"
  session_key: telegram:user123
  created_at: "2026-02-24T15:30:00Z"
  trigger: "auto-80pct"              # auto-80pct | compaction | session-end
  compaction_count: 2
  token_usage:
    input_tokens: 162431
    context_window: 200000
    utilization: 0.81
  previous_checkpoint: null
working:
  topic: |
    Helping user plan a trip to Japan
  status: "in_progress"
  interrupted: false
  last_tool_call: null
  next_action: |
    User asked about visa requirements
decisions:
  - id: "d1"
    what: |
      User prefers budget options
    when: "2026-02-24T14:15:00Z"
resources:
  files_read: []
  tools_used:
    - "web_search"
    - 42
thread:
  summary: |
    Planning Japan trip.
  key_exchanges:
    - role: "user"
      gist: >-
        I want to go
        to Japan
open_items:
  - "Visa requirements"
"#;

#[test]
fn a_checkpoint_of_the_older_version_is_imported_leniently() {
    refused(parse(OLDER_LAYOUT));
    let read = parse_foreign(OLDER_LAYOUT).unwrap();
    assert_eq!(read.meta.session_key, "telegram:user123");
    assert_eq!(read.working.topic, "Helping user plan a trip to Japan");
    assert_eq!(read.decisions[0].what, "User prefers budget options");
    assert_eq!(read.resources.tools_used, ["web_search", "42"]);
    assert_eq!(read.thread.key_exchanges[0].gist, "I want to go to Japan");
    assert_eq!((read.open_items.len(), read.learnings.len()), (1, 0));
    assert_eq!(parse(&format(&read).unwrap()).unwrap().decisions, read.decisions);
    refused(parse_foreign("schema: \"other\"\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_reads_back(texts in proptest::collection::vec(any::<String>(), 1..8), lines in "[ \\-#:|>a\n\t]{0,24}") {
        let mut checkpoint = fixture::checkpoint();
        checkpoint.active_request = Some(lines.clone());
        checkpoint.learnings = vec![lines];
        checkpoint.open_items = texts;
        let (sealed, file) = seal(&checkpoint).unwrap();
        prop_assert_eq!(parse(&file).unwrap(), sealed);
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic(at in 0_usize..2_500, with in any::<char>()) {
        let file = format(&fixture::checkpoint()).unwrap();
        let damaged: String =
            file.chars().enumerate().map(|(index, c)| if index == at { with } else { c }).collect();
        prop_assert_eq!(parse(&damaged).is_ok(), damaged == file);
        let _ = parse_foreign(&damaged);
    }

    #[test]
    fn any_input_is_read_without_a_panic(text in any::<String>(), yaml in "[ \\-#:|>&*!%@'\"\\[\\]{},a1\n\t?<.]{0,80}") {
        for text in [text, yaml] {
            let _ = parse(&signed(&text));
            let _ = parse_foreign(&text);
        }
    }
}
