//! Torn, damaged, rotated and missing journals.

use crate::store_support::*;
use clawback_core::store::{Durability, wait};
use std::path::Path;

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn quarantined(dir: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(home(dir).join("quarantine")) else { return Vec::new() };
    entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn a_journal_torn_at_any_byte_is_repaired() {
    let model = tempfile::tempdir().unwrap();
    let texts = ["use 30 s", "instead use 60 s — važno", "c"];
    {
        let store = store();
        let handle = open(&store, model.path());
        texts.iter().for_each(|text| assert!(note(&handle, text).is_ok()));
    }
    let journal = std::fs::read(home(model.path()).join("journal.jsonl")).unwrap();
    for cut in 0..journal.len() {
        let temp = tempfile::tempdir().unwrap();
        copy_tree(model.path(), temp.path());
        std::fs::write(home(temp.path()).join("journal.jsonl"), &journal[..cut]).unwrap();
        let whole = journal[..cut].iter().filter(|byte| **byte == b'\n').count();
        let torn = cut - journal[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);

        let store = store();
        let handle = open(&store, temp.path());
        assert_eq!(notes(&handle), texts[..whole], "without the lock, cut at {cut}");
        assert_eq!(std::fs::read(home(temp.path()).join("journal.jsonl")).unwrap().len(), cut);
        assert_eq!(note(&handle, "next").unwrap(), whole as u64 + 1);
        let mut expected = texts[..whole].to_vec();
        expected.push("next");
        assert_eq!(notes(&handle), expected, "cut at {cut}");
        assert_eq!(notes(&open(&crate::store_support::store(), temp.path())), expected, "cut at {cut}");
        let kept = quarantined(temp.path());
        assert_eq!(kept.iter().map(Vec::len).sum::<usize>(), torn, "cut at {cut}");
    }
}

#[test]
fn a_damaged_line_costs_only_itself_and_is_reported() {
    let temp = tempfile::tempdir().unwrap();
    {
        let store = store();
        let handle = open(&store, temp.path());
        ["one", "two", "three"].iter().for_each(|text| assert!(note(&handle, text).is_ok()));
    }
    let path = home(temp.path()).join("journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("two", "tWo")).unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    assert_eq!(notes(&handle), ["one", "three"]);
    assert_eq!(note(&handle, "four").unwrap(), 4);
    let figures = handle.read(|session| session.figures()).unwrap();
    assert_eq!(figures.bad_lines, 1);
    assert_eq!(figures.problems.len(), 1);
}

#[test]
fn a_foreign_line_without_a_line_break_does_not_swallow_the_next_one() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let path = home(temp.path()).join("journal.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, b"{\"a\":1}\n{\"b\":").unwrap();
    note(&handle, "two").unwrap();
    assert_eq!(notes(&handle), ["one", "two"]);
    assert_eq!(notes(&open(&crate::store_support::store(), temp.path())), ["one", "two"]);
}

/// Enough to make the journal rotate once.
fn fill(handle: &clawback_core::store::Handle<Notes>, from: usize) -> Vec<String> {
    let texts: Vec<String> =
        (from..from + 5).map(|number| format!("{number}{}", "x".repeat(1 << 20))).collect();
    texts.iter().for_each(|text| assert!(note(handle, text).is_ok()));
    texts
}

fn rotated(dir: &Path) -> usize {
    let names = std::fs::read_dir(home(dir)).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().starts_with("journal.") && name != "journal.jsonl").count()
}

#[test]
fn a_rotated_journal_is_followed_by_others_and_kept_until_every_snapshot_covers_it() {
    let temp = tempfile::tempdir().unwrap();
    let (ours, theirs) = (store(), store());
    let (a, b) = (open(&ours, temp.path()), open(&theirs, temp.path()));
    note(&a, "first").unwrap();
    assert_eq!(notes(&b), ["first"]);
    let mut expected = vec!["first".to_owned()];
    expected.extend(fill(&a, 0));
    assert_eq!(rotated(temp.path()), 1);
    assert!(notes(&b) == expected, "a reader follows");
    assert_eq!(note(&b, "by another").unwrap(), 7);
    expected.push("by another".into());
    assert!(notes(&a) == expected, "the rotating process sees the others");

    // A damaged newest snapshot costs nothing: the one before and the journals after it are there.
    wait(|done| a.flush(done)).unwrap();
    assert_eq!(rotated(temp.path()), 0, "both snapshots cover it");
    expected.extend(fill(&a, 10));
    std::fs::write(home(temp.path()).join("view.json"), "{\"format\":1").unwrap();
    let third = store();
    let c = open(&third, temp.path());
    assert!(notes(&c) == expected, "read without repair");
    assert_eq!(note(&c, "last").unwrap(), 13);
    expected.push("last".into());
    assert!(notes(&c) == expected, "repaired");
    assert_eq!(quarantined(temp.path()), [b"{\"format\":1"]);
}

#[test]
fn lines_that_are_missing_are_reported_and_the_rest_is_used() {
    let temp = tempfile::tempdir().unwrap();
    {
        let store = store();
        let handle = open(&store, temp.path());
        ["one", "two"].iter().for_each(|text| assert!(note(&handle, text).is_ok()));
    }
    let path = home(temp.path()).join("journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split_inclusive('\n').nth(1).unwrap()).unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    assert_eq!(notes(&handle), ["two"]);
    assert_eq!(note(&handle, "three").unwrap(), 3);
    assert!(!handle.read(|session| session.figures()).unwrap().problems.is_empty());
}

#[test]
fn many_jobs_at_once_keep_their_order() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    let (sender, receiver) = std::sync::mpsc::channel();
    for number in 0..500 {
        let sender = sender.clone();
        handle.submit(
            move |session| session.append("note", fields(&number.to_string())),
            if number % 50 == 0 { Durability::Full } else { Durability::Written },
            move |done| sender.send((number, done)).unwrap(),
        );
    }
    for expected in 0..500 {
        let (number, done) = receiver.recv().unwrap();
        assert_eq!((number, done.unwrap()), (expected, expected + 1));
    }
    assert_eq!(notes(&handle).len(), 500);
}
