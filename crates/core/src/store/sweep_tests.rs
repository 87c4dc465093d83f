//! Every step of the store is made to fail once, with each errno and with a panic: whatever was acknowledged is there
//! once afterwards, and the next call works.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::fail::{self, Action};
use super::*;
use crate::{Error, Result};

#[derive(Debug, Default)]
struct Notes(Vec<String>);

impl SessionState for Notes {
    fn apply(&mut self, line: &Line) {
        self.0.extend(line.fields.get("text").and_then(Value::as_str).map(str::to_owned));
    }

    fn restore(snapshot: &str) -> Result<Self> {
        serde_json::from_str(snapshot).map(Self).map_err(|error| Error::Corrupt(error.to_string()))
    }

    fn snapshot(&self) -> Value {
        json!(self.0)
    }

    fn readable(&self) -> Vec<Readable> {
        vec![Readable { file: "decisions.json", content: Content::Items(json!(self.0)) }]
    }
}

fn open(dir: &Path) -> (Registry<Notes>, Handle<Notes>) {
    let registry = Registry::new(Settings::default());
    let handle = registry.open(dir, "key", OpenOptions::default()).unwrap();
    (registry, handle)
}

fn inspect(bytes: &[u8]) -> Result<CheckpointInfo> {
    let id = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix(" whole"));
    let id = id.ok_or_else(|| Error::Corrupt("cut".into()))?.to_owned();
    let (created_at, trigger) = (String::new(), "manual".into());
    Ok(CheckpointInfo { id, created_at, trigger, group: Group::Rare, state_seq: 0 })
}

fn body(ordinal: u64) -> Body {
    Body {
        chunk_id: ChunkId { generation: 0, ordinal, fingerprint: 1 },
        at: String::new(),
        role: "user".into(),
        tool: None,
        text: format!("body {ordinal}"),
        extra: Map::new(),
    }
}

/// The record with which a message leaves the view.
fn dropped(ordinal: u64) -> DropRecord {
    DropRecord {
        chunk_id: body(ordinal).chunk_id,
        epoch: ordinal,
        session_id: "key".into(),
        timestamp: "2026-02-02T22:55:00Z".into(),
        role: "user".into(),
        tokens: 3,
        drop_reason: DropReason::Epoch,
        relevance_score: None,
        prompt_at_drop: Some("next step".into()),
        recoverable_until: "2026-03-04T22:55:00Z".into(),
    }
}

/// What was acknowledged by a run.
#[derive(Debug, Default, Clone)]
struct Acknowledged {
    notes: Vec<String>,
    bodies: Vec<u64>,
    drops: Vec<u64>,
    expired: Vec<u64>,
    checkpoint: Option<String>,
    errors: Vec<Error>,
}

/// Does a bit of everything; errors are kept, not fatal.
fn work(handle: &Handle<Notes>, prefix: &str) -> Acknowledged {
    let mut done = Acknowledged::default();
    let first = match prefix {
        "before" => 0,
        "during" => 10,
        _ => 20,
    };
    for round in first..first + 3_u64 {
        let text = format!("{prefix}{round}");
        let durability = if round % 10 == 1 { Durability::Full } else { Durability::Written };
        let fields = Map::from_iter([("text".to_owned(), text.as_str().into())]);
        match handle.run(durability, move |session| session.append("note", fields)) {
            Ok(_) => done.notes.push(text),
            Err(error) => done.errors.push(error),
        }
        match handle.run(Durability::Full, move |session| session.append_bodies(&[body(round)])) {
            Ok(()) => done.bodies.push(round),
            Err(error) => done.errors.push(error),
        }
        if done.bodies.last() == Some(&round) {
            match handle.run(Durability::Written, move |session| session.append_drops(&[dropped(round)])) {
                Ok(()) => done.drops.push(round),
                Err(error) => done.errors.push(error),
            }
        }
    }
    // One that is past its time, beside those that are not.
    let old = first + 100;
    let expire = move |session: &mut Locked<'_, Notes>| {
        session.append_bodies(&[body(old)])?;
        let long_ago = "2020-01-01T00:00:00Z".into();
        session.append_drops(&[DropRecord { recoverable_until: long_ago, ..dropped(old) }])?;
        session.expire("2026-02-02T23:00:00Z", &HashSet::new(), None)
    };
    match handle.run(Durability::Written, expire) {
        Ok(expired) => {
            assert!(expired.chunks >= 1 && expired.bytes_freed > 0, "{expired:?}");
            done.expired.push(old);
        }
        Err(error) => done.errors.push(error),
    }
    let make = |session: &mut Locked<'_, Notes>| {
        session.write_checkpoint(&mut |id, _, _| Ok(format!("{id} whole").into_bytes()), &inspect)
    };
    match handle.run(Durability::Full, make) {
        Ok(written) => done.checkpoint = Some(written.id),
        Err(error) => done.errors.push(error),
    }
    if let Err(error) = wait(|answer| handle.flush(answer)) {
        done.errors.push(error);
    }
    done
}

/// Whether everything acknowledged is there once, seen through `handle`.
fn check(handle: &Handle<Notes>, done: &Acknowledged, context: &str) {
    let notes = handle.read(|session| Ok(session.state().0.clone())).unwrap();
    for note in &done.notes {
        assert_eq!(notes.iter().filter(|there| *there == note).count(), 1, "{note}, {context}: {notes:?}");
    }
    for ordinal in &done.bodies {
        let chunk = body(*ordinal).chunk_id;
        let read = handle.read(move |session| session.body(chunk));
        assert_eq!(read, Ok(body(*ordinal)), "{context}");
    }
    let drops = handle.read(|session| {
        let mut drops = Vec::new();
        session.drops(&mut |record| {
            drops.push(record);
            true
        })?;
        Ok(drops)
    });
    let drops = drops.unwrap();
    for ordinal in &done.drops {
        assert_eq!(
            drops.iter().filter(|there| **there == dropped(*ordinal)).count(),
            1,
            "{ordinal}, {context}"
        );
    }
    for ordinal in &done.expired {
        let chunk = body(*ordinal).chunk_id;
        assert!(drops.iter().all(|there| there.chunk_id != chunk), "{ordinal} came back, {context}");
        assert_eq!(
            handle.read(move |session| session.body(chunk)).unwrap_err().code(),
            "NotFound",
            "{context}"
        );
    }
    for record in &drops {
        let chunk = record.chunk_id;
        assert!(
            handle.read(move |session| session.body(chunk)).is_ok(),
            "{chunk} left without a body, {context}"
        );
    }
    let latest = handle.read(|session| session.latest_checkpoint(&inspect)).unwrap();
    if let Some(id) = &done.checkpoint {
        assert_eq!(latest.map(|latest| latest.id).as_ref(), Some(id), "{context}");
    }
}

/// Hundreds of deliberate panics need no backtraces.
fn silence_deliberate_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let deliberate = panic.payload_as_str().is_some_and(|what| what.starts_with("failure point"));
        if !deliberate {
            shown(panic);
        }
    }));
}

fn sweep(action: Action) {
    silence_deliberate_panics();
    for nth in 0..1_000 {
        let temp = tempfile::tempdir().unwrap();
        let (registry, handle) = open(temp.path());
        // A session with something in it, so that the sweep meets the steps of a session's whole life.
        let before = work(&handle, "before");
        assert_eq!(before.errors, []);
        let armed = fail::arm(temp.path(), nth, action);
        let during = work(&handle, "during");
        let struck = armed.struck();
        drop(armed);
        let context = format!("step {nth} ({struck:?}), {action:?}, errors {:?}", during.errors);
        check(&handle, &during, &context);
        let after = work(&handle, "after");
        assert_eq!(after.errors, [], "{context}");
        check(&handle, &after, &context);
        drop((handle, registry));
        let (_registry, handle) = open(temp.path());
        for done in [&before, &during, &after] {
            check(&handle, &Acknowledged { checkpoint: None, ..done.clone() }, &context);
        }
        check(&handle, &after, &context);
        if struck.is_none() {
            assert!(nth > 30, "the sweep met only {nth} steps");
            return;
        }
    }
    panic!("the sweep does not end");
}

#[test]
fn a_full_disk_for_one_step_loses_nothing() {
    sweep(Action::FailOnce(ErrorKind::StorageFull));
}

#[test]
fn a_disk_error_at_any_step_loses_nothing() {
    sweep(Action::FailOnce(std::io::Error::from_raw_os_error(5).kind()));
}

#[test]
fn a_missing_permission_at_any_step_loses_nothing() {
    sweep(Action::FailOnce(ErrorKind::PermissionDenied));
}

#[test]
fn a_short_write_is_cut_back() {
    sweep(Action::Short);
}

#[test]
fn a_panic_at_any_step_loses_nothing() {
    sweep(Action::Panic);
}

/// Also on the very first opening, when nothing exists yet.
#[test]
fn the_first_opening_may_fail_at_any_step() {
    silence_deliberate_panics();
    for action in [Action::FailOnce(ErrorKind::StorageFull), Action::Panic] {
        for nth in 0..1_000 {
            let temp = tempfile::tempdir().unwrap();
            let (_registry, handle) = open(temp.path());
            let armed = fail::arm(temp.path(), nth, action);
            let during = work(&handle, "during");
            let struck = armed.struck();
            drop(armed);
            let context = format!("step {nth} ({struck:?}), errors {:?}", during.errors);
            check(&handle, &during, &context);
            let after = work(&handle, "after");
            assert_eq!(after.errors, [], "{context}");
            check(&handle, &after, &context);
            if struck.is_none() {
                break;
            }
        }
    }
}

/// From some step on the disk stays full: calls fail with `NoSpace`, and nothing that was acknowledged goes.
#[test]
fn a_disk_that_stays_full_is_no_space_and_loses_nothing() {
    for nth in (0..60).step_by(3) {
        let temp = tempfile::tempdir().unwrap();
        let (_registry, handle) = open(temp.path());
        let before = work(&handle, "before");
        let armed = fail::arm(temp.path(), nth, Action::FailFrom(ErrorKind::StorageFull));
        let during = work(&handle, "during");
        assert!(during.errors.iter().all(|error| error.code() == "NoSpace"), "{:?}", during.errors);
        drop(armed);
        check(&handle, &Acknowledged { checkpoint: None, ..before }, "full");
        let after = work(&handle, "after");
        assert_eq!(after.errors, []);
        check(&handle, &after, "full");
    }
}

/// STORE.md: after a failed sync the descriptor is given up, and what is in memory goes to a fresh file, once.
#[test]
fn a_failed_sync_is_made_good_by_a_fresh_file_or_reported() {
    let eio = std::io::Error::from_raw_os_error(5).kind();
    let append = |handle: &Handle<Notes>| {
        let fields = Map::from_iter([("text".to_owned(), "precious".into())]);
        handle.run(Durability::Full, move |session| {
            session.append_bodies(&[body(7)])?;
            session.append("note", fields)
        })
    };
    let mut met = 0;
    for nth in 0..20 {
        for (action, survives) in [(Action::FailOnce(eio), true), (Action::FailFrom(eio), false)] {
            let temp = tempfile::tempdir().unwrap();
            let (registry, handle) = open(temp.path());
            work(&handle, "before");
            let armed = fail::arm(temp.path(), nth, action);
            let appended = append(&handle);
            let struck = armed.struck();
            drop(armed);
            if struck != Some("sync") {
                continue;
            }
            met += 1;
            assert_eq!(appended.is_ok(), survives, "step {nth}: {appended:?}");
            drop((handle, registry));
            // The journal's old descriptor may have lost it: the fresh snapshot alone must have it.
            for entry in std::fs::read_dir(temp.path().join("context/sessions")).unwrap() {
                let session = entry.unwrap().path();
                if survives && nth > 0 {
                    std::fs::remove_file(session.join("journal.jsonl")).unwrap();
                }
            }
            let (_registry, handle) = open(temp.path());
            let done =
                Acknowledged { notes: vec!["precious".into()], bodies: vec![7], ..Acknowledged::default() };
            if survives {
                check(&handle, &done, "after a failed sync");
            }
            assert_eq!(work(&handle, "after").errors, []);
        }
    }
    assert!(met >= 4, "both the bodies' and the journal's sync must fail once: {met}");
}

#[derive(Debug, Default)]
struct Fragile;

impl SessionState for Fragile {
    fn apply(&mut self, line: &Line) {
        assert_ne!(line.kind, "boom", "failure point of the state");
    }

    fn restore(_: &str) -> Result<Self> {
        Ok(Self)
    }

    fn snapshot(&self) -> Value {
        Value::Null
    }
}

/// A state that cannot take a line must not keep a thread busy for ever.
#[test]
fn a_state_that_panics_on_every_opening_gives_an_error_each_time() {
    let temp = tempfile::tempdir().unwrap();
    let registry: Registry<Fragile> = Registry::default();
    let handle = registry.open(temp.path(), "key", OpenOptions::default()).unwrap();
    for _ in 0..3 {
        let failed = handle.run(Durability::Written, |session| session.append("boom", Map::new()));
        assert_eq!(failed.unwrap_err().code(), "Internal");
        assert_eq!(handle.read(|session| Ok(session.seq())).unwrap_err().code(), "Internal");
    }
}
