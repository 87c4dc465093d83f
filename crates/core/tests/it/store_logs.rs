//! The activity logs: capped, rotated, and never in anybody's way.

use crate::store_support::*;
use clawback_core::store::{Log, LogPlace, wait};
use std::path::Path;

fn below(dir: &Path) -> LogPlace {
    LogPlace::Below(dir.to_owned())
}

fn written(store: &Store) {
    wait(|done| store.logs_written(move || done(Ok(())))).unwrap();
}

fn lines(store: &Store, dir: &Path, log: Log) -> Vec<String> {
    let read = wait(|done| {
        let job = move |logs: &clawback_core::store::LogReader| {
            let mut lines = Vec::new();
            logs.lines(log, &mut |line| {
                lines.push(String::from_utf8_lossy(line).into_owned());
                true
            })?;
            Ok(lines)
        };
        store.read_logs(below(dir), job, done);
    });
    read.unwrap()
}

#[test]
fn lines_come_out_in_the_order_in_which_they_went_in() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let expected: Vec<String> = (0..100).map(|n| format!("{{\"n\":{n}}}")).collect();
    expected.chunks(7).for_each(|part| handle.log(&below(temp.path()), Log::Drops, part));
    written(&store);
    assert_eq!(lines(&store, temp.path(), Log::Drops), expected);
    assert_eq!(lines(&store, temp.path(), Log::Health), [] as [String; 0]);
    let files: Vec<_> = std::fs::read_dir(temp.path().join("context/logs")).unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn they_lie_where_log_path_says() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, &temp.path().join("state"));
    let place = LogPlace::At(temp.path().join("elsewhere/logs"));
    handle.log(&place, Log::Drops, &["{\"n\":1}".to_owned()]);
    written(&store);
    let text = std::fs::read_to_string(temp.path().join("elsewhere/logs/drops.jsonl")).unwrap();
    assert_eq!(text, "{\"n\":1}\n");
    assert_eq!(lines(&store, &temp.path().join("state"), Log::Drops), [] as [String; 0]);
}

#[test]
fn a_log_never_grows_beyond_its_cap() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let line = format!("{{\"text\":\"{}\"}}", "x".repeat(100_000));
    for _ in 0..120 {
        handle.log(&below(temp.path()), Log::Health, std::slice::from_ref(&line));
    }
    written(&store);
    let folder = temp.path().join("context/logs");
    let sizes: Vec<u64> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).collect();
    assert!(sizes.iter().sum::<u64>() < 7 << 20, "{sizes:?}");
    assert!(lines(&store, temp.path(), Log::Health).len() > 40);
    assert!(folder.join("context-health.jsonl.1").exists());
}

#[test]
fn closing_waits_for_them_and_nothing_is_made_for_them() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    handle.log(&below(temp.path()), Log::Drops, &["{}".to_owned()]);
    written(&store);
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
    note(&handle, "one").unwrap();
    for _ in 0..100 {
        handle.log(&below(temp.path()), Log::Drops, &["{}".to_owned()]);
    }
    wait(|done| handle.close(done)).unwrap();
    let text = std::fs::read_to_string(temp.path().join("context/logs/drops.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 100);
}

#[test]
fn a_torn_line_does_not_spoil_the_next() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    let folder = temp.path().join("context/logs");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("drops.jsonl"), "{\"n\":0}\n{\"n\"").unwrap();
    handle.log(&below(temp.path()), Log::Drops, &["{\"n\":1}".to_owned()]);
    written(&store);
    assert_eq!(lines(&store, temp.path(), Log::Drops), ["{\"n\":0}", "{\"n\"", "{\"n\":1}"]);
}

#[test]
fn logs_that_cannot_be_written_fail_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    std::fs::create_dir_all(temp.path().join("context")).unwrap();
    std::fs::write(temp.path().join("context/logs"), "a file where the folder should be").unwrap();
    handle.log(&below(temp.path()), Log::Drops, &["{}".to_owned()]);
    written(&store);
    note(&handle, "goes on").unwrap();
    assert_eq!(notes(&handle), ["goes on"]);
}

#[cfg(unix)]
#[test]
fn a_link_at_the_name_of_a_log_is_not_followed() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    let folder = temp.path().join("context/logs");
    std::fs::create_dir_all(&folder).unwrap();
    let victim = temp.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, folder.join("drops.jsonl")).unwrap();
    handle.log(&below(temp.path()), Log::Drops, &["{}".to_owned()]);
    written(&store);
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
}
