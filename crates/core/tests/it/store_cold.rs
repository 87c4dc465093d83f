//! Drop records: durable before they count, each once, readable whatever happened to the file.

use crate::store_support::*;
use clawback_core::Result;
use clawback_core::store::{Body, ChunkId, DropReason, DropRecord, Durability, Handle, wait};
use std::path::Path;

pub(crate) fn chunk(ordinal: u64) -> ChunkId {
    ChunkId { generation: 0, ordinal, fingerprint: 0xfeed + ordinal }
}

pub(crate) fn body(ordinal: u64) -> Body {
    Body {
        chunk_id: chunk(ordinal),
        at: "2026-02-02T22:00:00Z".into(),
        role: "toolResult".into(),
        tool: Some("bash".into()),
        text: format!("output number {ordinal}"),
        extra: serde_json::Map::new(),
    }
}

pub(crate) fn dropped(ordinal: u64, epoch: u64) -> DropRecord {
    DropRecord {
        chunk_id: chunk(ordinal),
        epoch,
        session_id: "agent:main:main".into(),
        timestamp: "2026-02-02T22:55:00Z".into(),
        role: "toolResult".into(),
        tokens: 1_500,
        drop_reason: DropReason::LowRelevance,
        relevance_score: Some(0.15),
        prompt_at_drop: Some("journal search".into()),
        recoverable_until: "2026-03-04T22:55:00Z".into(),
    }
}

pub(crate) fn store_and_drop(
    handle: &Handle<Notes>,
    ordinals: std::ops::Range<u64>,
    epoch: u64,
) -> Result<()> {
    handle.run(Durability::Written, move |session| {
        let bodies: Vec<Body> = ordinals.clone().map(body).collect();
        session.append_bodies(&bodies)?;
        let drops: Vec<DropRecord> = ordinals.map(|ordinal| dropped(ordinal, epoch)).collect();
        session.append_drops(&drops)
    })
}

pub(crate) fn drops(handle: &Handle<Notes>) -> (Vec<DropRecord>, u64) {
    let read = handle.read(|session| {
        let mut drops = Vec::new();
        let damaged = session.drops(&mut |record| {
            drops.push(record);
            true
        })?;
        Ok((drops, damaged))
    });
    read.unwrap()
}

/// The only file of drop records.
fn cold_file(dir: &Path) -> std::path::PathBuf {
    let mut files: Vec<_> =
        std::fs::read_dir(home(dir).join("cold")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[test]
fn drops_are_read_back_in_order_and_survive_the_process() {
    let temp = tempfile::tempdir().unwrap();
    {
        let store = store();
        store_and_drop(&open(&store, temp.path()), 0..50, 1).unwrap();
    }
    let store = store();
    let handle = open(&store, temp.path());
    let expected: Vec<DropRecord> = (0..50).map(|ordinal| dropped(ordinal, 1)).collect();
    assert_eq!(drops(&handle), (expected, 0));
    assert_eq!(handle.read(|session| session.drop_of(chunk(7))).unwrap(), Some(dropped(7, 1)));
    assert_eq!(handle.read(|session| session.drop_of(chunk(70))).unwrap(), None);
    assert_eq!(handle.read(|session| session.cold_chunks()).unwrap(), 50);
}

#[test]
fn the_same_chunk_of_the_same_epoch_is_noted_once_whoever_repeats_it() {
    let temp = tempfile::tempdir().unwrap();
    let (one, two) = (store(), store());
    let (first, second) = (open(&one, temp.path()), open(&two, temp.path()));
    store_and_drop(&first, 0..10, 1).unwrap();
    store_and_drop(&first, 0..10, 1).unwrap();
    store_and_drop(&second, 5..15, 1).unwrap();
    let twice = [dropped(20, 1), dropped(20, 1)];
    first.run(Durability::Written, move |session| session.append_drops(&twice)).unwrap();
    assert_eq!(drops(&first).0.len(), 16);
    assert_eq!(drops(&first), drops(&second));
    // It came back into the view and left it again.
    store_and_drop(&second, 3..4, 2).unwrap();
    assert_eq!(drops(&first).0.len(), 17);
    assert_eq!(first.read(|session| session.drop_of(chunk(3))).unwrap(), Some(dropped(3, 2)));
    assert_eq!(first.read(|session| session.cold_chunks()).unwrap(), 16);
}

#[test]
fn a_torn_line_is_set_aside_and_a_damaged_one_hides_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let store_one = store();
    let handle = open(&store_one, temp.path());
    store_and_drop(&handle, 0..3, 1).unwrap();
    let file = cold_file(temp.path());
    let mut bytes = std::fs::read(&file).unwrap();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 40;
    bytes[second] ^= 0x01;
    bytes.extend_from_slice(b"{\"chunk_id\":\"c0-9-");
    std::fs::write(&file, &bytes).unwrap();
    // Who reads without the lock leaves the unfinished line alone: it may be under way.
    let store_two = store();
    let other = open(&store_two, temp.path());
    assert_eq!(drops(&other), (vec![dropped(0, 1), dropped(2, 1)], 1));
    store_and_drop(&other, 5..6, 1).unwrap();
    assert_eq!(drops(&other), (vec![dropped(0, 1), dropped(2, 1), dropped(5, 1)], 1));
    let kept: Vec<_> = std::fs::read_dir(home(temp.path()).join("quarantine")).unwrap().collect();
    assert_eq!(kept.len(), 1);
}

#[test]
fn what_is_damaged_is_set_aside_once_and_everything_else_stays_readable() {
    let temp = tempfile::tempdir().unwrap();
    let (one, two) = (store(), store());
    let (handle, other) = (open(&one, temp.path()), open(&two, temp.path()));
    for text in ["one", "two", "three"] {
        note(&handle, text).unwrap();
    }
    store_and_drop(&handle, 0..4, 1).unwrap();
    checkpoint(&handle, "manual").unwrap();
    checkpoint(&handle, "manual").unwrap();
    assert_eq!(notes(&other).len(), 3);
    wait(|done| handle.close(done)).unwrap();
    let body_file =
        std::fs::read_dir(home(temp.path()).join("messages")).unwrap().next().unwrap().unwrap().path();
    for file in [home(temp.path()).join("journal.jsonl"), cold_file(temp.path()), body_file] {
        let mut bytes = std::fs::read(&file).unwrap();
        let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 40;
        bytes[second] ^= 0x01;
        std::fs::write(&file, &bytes).unwrap();
    }
    std::fs::write(home(temp.path()).join("checkpoints/cp_001.yaml"), "no checkpoint").unwrap();

    let third = store();
    let handle = open(&third, temp.path());
    handle.run(Durability::Full, |session| session.mend(&inspect)).unwrap();
    for handle in [&handle, &open(&store(), temp.path()), &other] {
        let (figures, bodies, checkpoints) = handle
            .read(|session| {
                let mut bodies = Vec::new();
                let damaged = session.scan_bodies(&mut |body| {
                    bodies.push(body.chunk_id);
                    true
                })?;
                Ok((session.figures()?, (bodies, damaged), session.checkpoints(&inspect)?))
            })
            .unwrap();
        assert_eq!((figures.bad_lines, &figures.problems), (0, &vec![]));
        assert_eq!(figures.quarantined, 4);
        assert_eq!(bodies, (vec![chunk(0), chunk(2), chunk(3)], 0));
        // The second record was damaged, the second body with it.
        assert_eq!(drops(handle), (vec![dropped(0, 1), dropped(2, 1), dropped(3, 1)], 0));
        assert_eq!(checkpoints.iter().map(|file| file.id.as_str()).collect::<Vec<_>>(), ["cp_002"]);
    }
    // Writers that had the files open go on.
    note(&other, "four").unwrap();
    store_and_drop(&other, 7..8, 2).unwrap();
    assert_eq!(notes(&handle), ["one", "two", "three", "four"]);
    assert_eq!(handle.read(|session| session.body(chunk(7))).unwrap(), body(7));
}

#[test]
fn a_drop_whose_message_is_lost_expires_when_the_session_is_mended() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    store_and_drop(&handle, 0..2, 1).unwrap();
    handle.run(Durability::Written, |session| session.append_drops(&[dropped(9, 1)])).unwrap();
    handle.run(Durability::Full, |session| session.mend(&inspect)).unwrap();
    assert_eq!(drops(&handle), (vec![dropped(0, 1), dropped(1, 1)], 0));
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_them() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    store_and_drop(&open(&store, temp.path()), 0..1, 1).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = cold_file(temp.path());
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}
