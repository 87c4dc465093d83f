//! Search and recovery through the session: what is found, what never is, and an index that may be lost at any time.

use clawback_core::checkpoint::Trigger;
use clawback_core::session::recall::{Page, RecallRequest};
use clawback_core::session::{CheckpointRequest, OpenOptions, Session};
use clawback_core::store::wait;
use clawback_core::text::tokens::estimate_tokens;
use clawback_core::{Result, recall::RecallHit};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn open(dir: &Path, key: &str) -> Session {
    Session::open(dir, key, OpenOptions::default()).unwrap()
}

fn message(at: i64, text: &str) -> Value {
    let role = if at % 2 == 0 { "user" } else { "assistant" };
    json!({"role": role, "content": text, "timestamp": 1_700_000_000_000 + at * 60_000})
}

/// Stores messages of a session, numbered on from `from`.
fn say(session: &Session, from: i64, texts: &[String]) {
    let messages: Vec<Value> = (from..).zip(texts).map(|(at, text)| message(at, text)).collect();
    let mut request = CheckpointRequest::new(Trigger::Manual);
    request.messages = vec![json!(messages).to_string()];
    wait(|done| session.write_checkpoint(request, done)).unwrap();
}

fn ask(session: &Session, query: &str, change: impl FnOnce(&mut RecallRequest)) -> Result<Vec<RecallHit>> {
    let mut request = RecallRequest { query: query.to_owned(), ..RecallRequest::default() };
    change(&mut request);
    wait(|done| session.recall(request, done))
}

fn found(session: &Session, query: &str) -> Vec<String> {
    ask(session, query, |_| ()).unwrap().into_iter().map(|hit| hit.text).collect()
}

fn recover(session: &Session, id: &str) -> Result<Page> {
    wait(|done| session.recover(id, 0, None, done))
}

fn index_now(session: &Session) {
    wait(|done| session.index_at_close(done)).unwrap();
}

/// Messages with a word of their own each, long enough to be worth an index.
fn numbered(from: usize, count: usize) -> Vec<String> {
    let filler = "the build ran and the tests were green again after the change of the day ".repeat(2);
    (from..from + count).map(|n| format!("{filler} marker{n}x {filler}")).collect()
}

fn index_of(dir: &Path) -> PathBuf {
    dir.join("context").join("index")
}

fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files.extend(files_below(&entry.path()))
        } else {
            files.push(entry.path())
        }
    }
    files
}

#[test]
fn j1_and_identifiers_and_other_spellings_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    let texts = [
        "今天玩成语接龙游戏",
        "restart svc-a.v2 before noon",
        "Koristićemo keš za sesije",
        "see src/db/pool.rs",
        "lunch was good",
    ]
    .map(str::to_owned);
    say(&session, 0, &texts);
    for (query, text) in [
        ("成语接龙", 0),
        ("svc-a.v2", 1),
        ("restarted services", 1),
        ("кеш за сесију", 2),
        ("pool.rs", 3),
        ("dbPool", 3),
    ] {
        assert_eq!(found(&session, query).first(), Some(&texts[text]), "{query}");
    }
    assert!(found(&session, "zebra").is_empty());
}

#[test]
fn what_is_indexed_and_what_is_not_yet_are_found_alike() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &numbered(0, 200));
    let before = ask(&session, "marker7x build", |_| ()).unwrap();
    index_now(&session);
    assert!(index_of(dir.path()).is_dir());
    let after = ask(&session, "marker7x build", |_| ()).unwrap();
    assert_eq!(before, after);
    say(&session, 200, &numbered(200, 3));
    assert!(found(&session, "marker7x")[0].contains("marker7x"));
    assert!(found(&session, "marker201x")[0].contains("marker201x"));
    index_now(&session);
    say(&session, 203, &numbered(203, 200));
    index_now(&session);
    assert_eq!(
        ask(&session, "marker400x", |_| ()).unwrap().len(),
        ask(&session, "marker5x", |_| ()).unwrap().len()
    );
}

#[cfg(unix)]
#[test]
fn the_index_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &numbered(0, 200));
    index_now(&session);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&index_of(dir.path())), 0o700);
    let files = files_below(&index_of(dir.path()));
    assert!(files.len() > 3);
    assert!(files.iter().all(|file| mode(file) == 0o600));
}

#[test]
fn a_lost_or_damaged_index_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let texts = numbered(0, 200);
    let first = open(dir.path(), "a");
    say(&first, 0, &texts);
    index_now(&first);
    drop(first);
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("removed", |index| fs::remove_dir_all(index).unwrap()),
        ("garbage in every file", |index| {
            files_below(index).iter().for_each(|file| fs::write(file, b"garbage").unwrap());
        }),
        ("every file cut in half", |index| {
            for file in files_below(index) {
                let bytes = fs::read(&file).unwrap();
                fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
            }
        }),
        ("one file missing", |index| {
            let files = files_below(index);
            let gone =
                files.iter().find(|file| file.extension().is_some_and(|ext| ext == "idx" || ext == "term"));
            fs::remove_file(gone.or(files.first()).unwrap()).unwrap();
        }),
        ("a byte flipped in every data file", |index| {
            for file in files_below(index) {
                let mut bytes = fs::read(&file).unwrap();
                if !file.ends_with("meta.json") && bytes.len() > 40 {
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 0x55;
                    fs::write(&file, bytes).unwrap();
                }
            }
        }),
    ];
    for (what, damage) in damages {
        damage(&index_of(dir.path()));
        // A new process would open it anew.
        let session = open(dir.path(), "a");
        if what != "a byte flipped in every data file" {
            assert!(
                found(&session, "marker77x").first().is_some_and(|text| *text == texts[77]),
                "{what}: scan"
            );
        }
        index_now(&session);
        assert!(
            found(&session, "marker78x").first().is_some_and(|text| *text == texts[78]),
            "{what}: rebuilt"
        );
        assert!(index_of(dir.path()).join("v1").join("meta.json").exists(), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_index_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &numbered(0, 200));
    std::os::unix::fs::symlink(elsewhere.path(), index_of(dir.path())).unwrap();
    index_now(&session);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert!(found(&session, "marker3x")[0].contains("marker3x"));
}

#[test]
fn other_sessions_are_found_only_when_asked_for_and_skew_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, other) = (open(dir.path(), "mine"), open(dir.path(), "other"));
    say(&mine, 0, &["the port is 8080".to_owned(), "port and starboard".to_owned()]);
    let alone = ask(&mine, "port 8080", |_| ()).unwrap();
    say(&other, 0, &(0..50).map(|n| format!("the port is {n}")).collect::<Vec<_>>());
    assert_eq!(ask(&mine, "port 8080", |_| ()).unwrap(), alone);
    let all = ask(&mine, "port", |request| (request.all, request.limit) = (true, Some(100))).unwrap();
    assert!(
        all.iter().any(|hit| hit.session_key == "other") && all.iter().any(|hit| hit.session_key == "mine")
    );
    let foreign = all.iter().find(|hit| hit.session_key == "other").unwrap();
    let leaked = recover(&mine, &foreign.chunk_id);
    assert_eq!(leaked.unwrap_err().code(), "NotFound");
}

#[test]
fn hits_keep_their_limits() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    let long = format!("{} the answer is 42 {}", "begin ".repeat(3_000), "end ".repeat(3_000));
    say(&session, 0, &[long.clone(), "an answer".to_owned(), "more about the answer".to_owned()]);
    for max in [20, 100, 2_000] {
        let hits = ask(&session, "the answer is 42", |request| request.max_tokens = Some(max)).unwrap();
        assert!(hits.iter().map(|hit| hit.tokens).sum::<u64>() <= max, "{max}");
        assert!(hits[0].text.contains("answer"), "{max}: {}", hits[0].text);
        assert!(hits.iter().all(|hit| hit.tokens == estimate_tokens(&hit.text)));
        assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
    }
    assert_eq!(ask(&session, "answer", |request| request.limit = Some(1)).unwrap().len(), 1);
    assert!(ask(&session, "answer", |request| request.limit = Some(0)).unwrap().is_empty());
    let hits = ask(&session, "the answer is 42", |_| ()).unwrap();
    let whole = recover(&session, &hits[0].chunk_id).unwrap();
    assert_eq!(whole.hit.text, long);
    assert_eq!(whole.next_offset, None);
}

#[test]
fn filters_narrow_and_bad_bounds_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &(0..10).map(|n| format!("port {n}")).collect::<Vec<_>>());
    let of = |change: fn(&mut RecallRequest)| ask(&session, "port", change).unwrap();
    assert!(of(|r| r.role = Some("user".into())).iter().all(|hit| hit.role == "user"));
    assert_eq!(of(|r| r.role = Some("user".into())).len(), 5);
    assert!(of(|r| r.tool = Some("bash".into())).is_empty());
    assert_eq!(of(|r| r.since = Some("2023-11-14T22:20:20Z".into())).len(), 3);
    assert_eq!(of(|r| r.until = Some("2023-11-14T22:13:20Z".into())).len(), 1);
    let error = ask(&session, "port", |r| r.since = Some("yesterday".into())).unwrap_err();
    assert_eq!(error.code(), "InvalidInput");
}

#[test]
fn a_hosts_scores_count() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &["the cat sat".to_owned(), "a feline rested".to_owned()]);
    let id = ask(&session, "feline", |_| ()).unwrap()[0].chunk_id.clone();
    let hits = ask(&session, "pet", |request| _ = request.scores.insert(id.clone(), 0.8)).unwrap();
    assert_eq!(hits[0].chunk_id, id);
    assert!((hits[0].score - 0.8).abs() < 1e-6);
}

#[test]
fn recovering_names_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    for (id, code) in [("../../x", "InvalidInput"), ("c0-1-00000000000000aa", "NotFound")] {
        assert_eq!(recover(&session, id).unwrap_err().code(), code, "{id}");
    }
    say(&session, 0, &["hello there".to_owned()]);
    assert_eq!(recover(&session, "c0-1-00000000000000aa").unwrap_err().code(), "NotFound");
    let id = ask(&session, "hello", |_| ()).unwrap()[0].chunk_id.clone();
    assert_eq!(recover(&session, &id).unwrap(), recover(&session, &id).unwrap());
}

#[test]
fn without_cold_storage_there_is_nothing_to_find() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions { keeps_bodies: false, ..OpenOptions::default() };
    let session = Session::open(dir.path(), "a", options).unwrap();
    assert_eq!(ask(&session, "x", |_| ()).unwrap_err().code(), "Unsupported");
    assert_eq!(recover(&session, "c0-1-00000000000000aa").unwrap_err().code(), "Unsupported");
}

#[test]
fn searching_while_indexing_and_storing_fails_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let session = open(dir.path(), "a");
    say(&session, 0, &numbered(0, 100));
    std::thread::scope(|scope| {
        for worker in 0..3_usize {
            let session = session.clone();
            scope.spawn(move || {
                for round in 0..6 {
                    if worker == 0 {
                        let at = 100 + round * 50;
                        say(&session, i64::try_from(at).unwrap(), &numbered(at, 50));
                        index_now(&session);
                    } else {
                        assert!(found(&session, "marker42x")[0].contains("marker42x"));
                    }
                }
            });
        }
    });
    for n in [0, 99, 100, 399] {
        assert!(found(&session, &format!("marker{n}x"))[0].contains(&format!("marker{n}x")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_query_is_answered(query in "\\PC{0,200}", max in 0u64..400, limit in 0usize..20) {
        thread_local! {
            static SESSION: (tempfile::TempDir, Session) = {
                let dir = tempfile::tempdir().unwrap();
                let session = open(dir.path(), "a");
                say(&session, 0, &["one two three AND (OR) \"x\":*".to_owned(), "čćž 今天 svc-a.v2".to_owned()]);
                (dir, session)
            };
        }
        SESSION.with(|(_, session)| {
            let hits = ask(session, &query, |request| (request.max_tokens, request.limit) = (Some(max), Some(limit))).unwrap();
            assert!(hits.len() <= limit);
            assert!(hits.iter().map(|hit| hit.tokens).sum::<u64>() <= max);
        });
    }
}
