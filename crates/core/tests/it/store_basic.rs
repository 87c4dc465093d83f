//! Open, append, read again, checkpoint.

use crate::store_support::*;
use clawback_core::store::{Body, ChunkId, Durability, OpenOptions, wait};
use serde_json::Map;

#[test]
fn what_was_appended_is_there_after_a_restart_once() {
    let temp = tempfile::tempdir().unwrap();
    {
        let store = store();
        let handle = open(&store, temp.path());
        assert_eq!(note(&handle, "one").unwrap(), 1);
        assert_eq!(note(&handle, "two").unwrap(), 2);
        assert_eq!(notes(&handle), ["one", "two"]);
    }
    let store = store();
    let handle = open(&store, temp.path());
    assert_eq!(notes(&handle), ["one", "two"]);
    assert_eq!(note(&handle, "three").unwrap(), 3);
    assert_eq!(notes(&handle), ["one", "two", "three"]);
}

#[test]
fn a_snapshot_and_the_lines_after_it_make_the_state() {
    let temp = tempfile::tempdir().unwrap();
    let first = store();
    let handle = open(&first, temp.path());
    note(&handle, "one").unwrap();
    wait(|done| handle.flush(done)).unwrap();
    note(&handle, "two").unwrap();
    let view = std::fs::read_to_string(home(temp.path()).join("view.json")).unwrap();
    assert!(view.contains("\"as_of_seq\":1") && !view.contains("two"), "{view}");
    let second = store();
    assert_eq!(notes(&open(&second, temp.path())), ["one", "two"]);
    let readable = std::fs::read_to_string(home(temp.path()).join("decisions.json")).unwrap();
    let readable: serde_json::Value = serde_json::from_str(&readable).unwrap();
    assert_eq!(readable, serde_json::json!({ "as_of_seq": 1, "items": ["one"] }));
}

#[test]
fn reading_a_session_that_does_not_exist_creates_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    assert!(notes(&handle).is_empty());
    assert!(!handle.read(|session| Ok(session.exists())).unwrap());
    assert!(handle.read(|session| session.latest_checkpoint(&inspect)).unwrap().is_none());
    wait(|done| handle.flush(done)).unwrap();
    wait(|done| handle.close(done)).unwrap();
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
    assert_eq!(note(&handle, "late").unwrap_err().code(), "Closed");
}

#[test]
fn two_registries_see_each_others_events() {
    let temp = tempfile::tempdir().unwrap();
    let (ours, theirs) = (store(), store());
    let (a, b) = (open(&ours, temp.path()), open(&theirs, temp.path()));
    for round in 0..20 {
        assert_eq!(note(&a, &format!("a{round}")).unwrap(), round * 2 + 1);
        assert_eq!(note(&b, &format!("b{round}")).unwrap(), round * 2 + 2);
        assert_eq!(notes(&a).len(), notes(&b).len());
    }
    assert_eq!(notes(&a), notes(&b));
}

#[test]
fn checkpoints_are_numbered_pointed_to_and_kept_by_group() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let triggers = ["manual", "epoch", "epoch", "epoch", "epoch", "epoch", "epoch", "epoch", "manual"];
    for (number, trigger) in (1..).zip(triggers) {
        assert_eq!(checkpoint(&handle, trigger).unwrap(), format!("cp_{number:03}"));
    }
    let latest = handle.read(|session| session.latest_checkpoint(&inspect)).unwrap().unwrap();
    assert_eq!(latest.id, "cp_009");
    assert_eq!(latest.bytes, yaml("cp_009", "manual", 1));
    let ids: Vec<String> = handle
        .read(|session| session.checkpoints(&inspect))
        .unwrap()
        .into_iter()
        .map(|file| file.id)
        .collect();
    assert_eq!(ids, ["cp_001", "cp_004", "cp_005", "cp_006", "cp_007", "cp_008", "cp_009"]);
}

#[test]
fn bodies_are_read_back_by_chunk_id_also_by_another_process() {
    let temp = tempfile::tempdir().unwrap();
    let (ours, theirs) = (store(), store());
    let (a, b) = (open(&ours, temp.path()), open(&theirs, temp.path()));
    let body = |ordinal: u64| Body {
        chunk_id: ChunkId { generation: 0, ordinal, fingerprint: ordinal * 7 },
        at: "2026-01-01T00:00:00.000Z".into(),
        role: "user".into(),
        tool: None,
        text: format!("text {ordinal}\nof two lines"),
        extra: Map::new(),
    };
    let bodies: Vec<Body> = (0..50).map(body).collect();
    a.run(Durability::Full, move |session| session.append_bodies(&bodies)).unwrap();
    let read = |ordinal: u64| b.read(move |session| session.body(body(ordinal).chunk_id));
    assert_eq!(read(7).unwrap(), body(7));
    assert_eq!(read(77).unwrap_err().code(), "NotFound");
    a.run(Durability::Written, move |session| session.append_bodies(&[body(77)])).unwrap();
    assert_eq!(read(77).unwrap(), body(77));
}

#[test]
fn a_panicking_job_is_an_error_and_the_next_one_works() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let panicked: clawback_core::Result<()> = handle.run(Durability::Written, |_| panic!("deliberate"));
    assert_eq!(panicked.unwrap_err().code(), "Internal");
    note(&handle, "two").unwrap();
    assert_eq!(notes(&handle), ["one", "two"]);
}

#[test]
fn a_directory_removed_under_us_is_made_again() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    std::fs::remove_dir_all(temp.path().join("context")).unwrap();
    assert!(notes(&handle).is_empty());
    assert_eq!(note(&handle, "two").unwrap(), 1);
    assert_eq!(notes(&handle), ["two"]);
}

#[test]
fn keys_and_directories_that_no_call_can_accept_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    for (dir, key) in [(temp.path(), ""), ("".as_ref(), "k"), ("~/x".as_ref(), "k")] {
        assert_eq!(store.open(dir, key, OpenOptions::default()).unwrap_err().code(), "InvalidInput");
    }
}

#[test]
fn sessions_are_listed_and_foreign_files_are_not() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    for key in ["b", "a", ".."] {
        let handle = store.open(temp.path(), key, OpenOptions::default()).unwrap();
        note(&handle, key).unwrap();
    }
    std::fs::write(temp.path().join("context/sessions/foreign"), "x").unwrap();
    std::fs::create_dir(temp.path().join("context/sessions/empty")).unwrap();
    let keys: Vec<String> =
        wait(|done| store.list(temp.path(), done)).unwrap().into_iter().map(|s| s.session_key).collect();
    assert_eq!(keys, ["..", "a", "b"]);
}

#[test]
fn a_call_after_the_registry_is_gone_is_answered() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    drop(store);
    assert_eq!(note(&handle, "two").unwrap_err().code(), "Closed");
}
