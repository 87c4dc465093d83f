//! Expiry: what is past its time goes, and nothing else.

use crate::store_cold::{body, chunk, dropped, drops, store_and_drop};
use crate::store_support::*;
use clawback_core::store::{ChunkId, DropRecord, Durability, Expired, Handle};
use std::collections::HashSet;
use std::path::Path;

const BEFORE: &str = "2026-03-04T22:00:00Z";
const AFTER: &str = "2026-03-05T00:00:00Z";

fn expire(handle: &Handle<Notes>, now: &'static str, keep: &[u64]) -> Expired {
    let keep: HashSet<ChunkId> = keep.iter().map(|ordinal| chunk(*ordinal)).collect();
    handle.run(Durability::Written, move |session| session.expire(now, &keep, None)).unwrap()
}

fn live(handle: &Handle<Notes>, ordinals: std::ops::Range<u64>) {
    let bodies: Vec<_> = ordinals.map(body).collect();
    handle.run(Durability::Written, move |session| session.append_bodies(&bodies)).unwrap();
}

fn readable(handle: &Handle<Notes>, ordinals: std::ops::Range<u64>) -> Vec<u64> {
    ordinals
        .filter(|n| {
            handle
                .read({
                    let id = chunk(*n);
                    move |session| session.body(id)
                })
                .is_ok()
        })
        .collect()
}

fn scanned(handle: &Handle<Notes>) -> Vec<u64> {
    let read = handle.read(|session| {
        let mut seen = Vec::new();
        session.scan_bodies(&mut |body| {
            seen.push(body.chunk_id.ordinal);
            true
        })?;
        Ok(seen)
    });
    read.unwrap()
}

fn bytes_of_segments(dir: &Path) -> String {
    let folder = home(dir).join("messages");
    std::fs::read_dir(folder).unwrap().map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap()).collect()
}

#[test]
fn only_drops_past_their_time_go_and_their_text_leaves_the_disk() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    store_and_drop(&handle, 0..10, 1).unwrap();
    live(&handle, 10..15);
    assert_eq!(expire(&handle, BEFORE, &[]), Expired::default());
    let done = expire(&handle, AFTER, &[3, 4]);
    assert_eq!(done.chunks, 8);
    assert!(done.bytes_freed > 0);
    assert_eq!(readable(&handle, 0..20), [3, 4, 10, 11, 12, 13, 14]);
    assert_eq!(scanned(&handle), [3, 4, 10, 11, 12, 13, 14]);
    assert_eq!(drops(&handle).0, [dropped(3, 1), dropped(4, 1)]);
    assert!(!bytes_of_segments(temp.path()).contains("output number 7"));
    assert_eq!(handle.read(|session| session.is_expired(chunk(7))), Ok(true));
    assert_eq!(expire(&handle, AFTER, &[3, 4]), Expired::default(), "a second time finds nothing to do");
}

#[test]
fn what_left_again_later_lives_until_its_last_time() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    store_and_drop(&handle, 0..2, 1).unwrap();
    let again = DropRecord { recoverable_until: "2026-06-01T00:00:00Z".into(), ..dropped(1, 2) };
    handle.run(Durability::Written, move |session| session.append_drops(&[again])).unwrap();
    assert_eq!(expire(&handle, AFTER, &[]).chunks, 1);
    assert_eq!(readable(&handle, 0..2), [1]);
}

/// Another process has indexed the segment and goes on writing to it through its own descriptor.
#[test]
fn other_processes_read_and_write_on_across_a_compaction() {
    let temp = tempfile::tempdir().unwrap();
    let (one, two) = (store(), store());
    let (first, second) = (open(&one, temp.path()), open(&two, temp.path()));
    store_and_drop(&second, 0..50, 1).unwrap();
    live(&second, 50..60);
    assert_eq!(readable(&second, 0..60).len(), 60);
    assert_eq!(expire(&first, AFTER, &[20]).chunks, 49);
    let left: Vec<u64> = [20].into_iter().chain(50..60).collect();
    assert_eq!(readable(&second, 0..60), left);
    live(&second, 60..70);
    store_and_drop(&second, 70..75, 2).unwrap();
    for handle in [&first, &second] {
        assert_eq!(readable(handle, 50..80), (50..75).collect::<Vec<u64>>());
        assert_eq!(scanned(handle).len(), 26, "each once");
    }
}

#[test]
fn a_quota_lets_the_oldest_drops_go_and_never_what_is_in_the_view() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    live(&handle, 100..110);
    store_and_drop(&handle, 0..10, 1).unwrap();
    store_and_drop(&handle, 10..20, 2).unwrap();
    let whole = handle.read(|session| session.figures()).unwrap().body_bytes;
    let quota = Some(whole * 3 / 4);
    let expire = move |quota| {
        move |session: &mut clawback_core::store::Locked<'_, Notes>| {
            session.expire(BEFORE, &HashSet::from([chunk(2)]), quota)
        }
    };
    assert_eq!(handle.run(Durability::Written, expire(None)).unwrap(), Expired::default());
    let done = handle.run(Durability::Written, expire(quota)).unwrap();
    assert!((7..=9).contains(&done.chunks), "{done:?}");
    assert!(handle.read(|session| session.figures()).unwrap().body_bytes <= whole * 3 / 4);
    let left = readable(&handle, 0..110);
    assert!(left.starts_with(&[2]) && left.ends_with(&(100..110).collect::<Vec<u64>>()), "{left:?}");
    assert!((12..20).all(|ordinal| left.contains(&ordinal)), "{left:?}");
}

#[test]
fn files_of_past_months_go_when_nothing_in_them_counts() {
    let temp = tempfile::tempdir().unwrap();
    let clock = |now: &'static str| clawback_core::store::Settings {
        clock: std::sync::Arc::new(move || now.to_owned()),
        ..Default::default()
    };
    let months = || {
        let mut names: Vec<String> = std::fs::read_dir(home(temp.path()).join("cold"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    for now in ["2026-02-02T22:55:00Z", "2026-03-01T00:00:00Z"] {
        let store = Store::new(clock(now));
        let epoch = if now.starts_with("2026-02") { 1 } else { 2 };
        store_and_drop(&open(&store, temp.path()), 0..3, epoch).unwrap();
    }
    assert_eq!(months(), ["2026-02.jsonl", "2026-03.jsonl"]);
    let store = Store::new(clock("2026-05-01T00:00:00Z"));
    let handle = open(&store, temp.path());
    expire(&handle, "2026-05-01T00:00:00Z", &[1]);
    assert_eq!(months(), ["2026-02.jsonl", "2026-03.jsonl", "2026-05.jsonl"], "one of them is still needed");
    expire(&handle, "2026-05-02T00:00:00Z", &[]);
    assert_eq!(months(), ["2026-05.jsonl"]);
    expire(&handle, "2026-06-02T00:00:00Z", &[]);
    drop((handle, store));
    let store = Store::new(clock("2026-06-03T00:00:00Z"));
    let handle = open(&store, temp.path());
    expire(&handle, "2026-06-03T00:00:00Z", &[]);
    assert_eq!(readable(&handle, 0..3), [] as [u64; 0]);
    assert_eq!(drops(&handle).0, []);
}

#[test]
fn a_time_that_is_none_expires_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    store_and_drop(&handle, 0..3, 1).unwrap();
    let failed = handle.run(Durability::Written, |session| session.expire("soon", &HashSet::new(), None));
    assert_eq!(failed.unwrap_err().code(), "InvalidInput");
    assert_eq!(readable(&handle, 0..3).len(), 3);
}
