//! Several processes on one session: the test binary starts itself.

use crate::store_support::*;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const DIR: &str = "CLAWBACK_TEST_DIR";
const NAME: &str = "CLAWBACK_TEST_NAME";
const PROCESSES: usize = 8;
const APPENDS: usize = 1_000;
const CHECKPOINTS: usize = 20;

/// Does nothing unless another test of this file started it.
#[test]
fn child() {
    let (Some(dir), Ok(name)) = (std::env::var_os(DIR), std::env::var(NAME)) else { return };
    let store = store();
    let options = clawback_core::store::OpenOptions {
        lock_patience: std::time::Duration::from_secs(60),
        ..Default::default()
    };
    let handle = store.open(Path::new(&dir), "agent:main:main", options).unwrap();
    for number in 0..APPENDS {
        note(&handle, &format!("{name}-{number}")).unwrap();
        if number % (APPENDS / CHECKPOINTS) == 0 {
            println!("wrote {}", checkpoint(&handle, "manual").unwrap());
        }
    }
}

fn start(dir: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["store_processes::child", "--exact", "--nocapture"])
        .env(DIR, dir)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn eight_processes_lose_nothing_and_number_their_checkpoints_apart() {
    let temp = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..PROCESSES).map(|n| start(temp.path(), &format!("p{n}"))).collect();
    let mut checkpoints = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        checkpoints.extend(text.lines().filter_map(|line| line.strip_prefix("wrote ")).map(str::to_owned));
    }
    assert_eq!(checkpoints.len(), PROCESSES * CHECKPOINTS);
    assert_eq!(checkpoints.iter().collect::<HashSet<_>>().len(), PROCESSES * CHECKPOINTS);
    let store = store();
    let notes = notes(&open(&store, temp.path()));
    assert_eq!(notes.len(), PROCESSES * APPENDS);
    for process in 0..PROCESSES {
        let prefix = format!("p{process}-");
        let numbers: Vec<usize> =
            notes.iter().filter_map(|note| note.strip_prefix(&prefix)).map(|n| n.parse().unwrap()).collect();
        assert!(numbers.iter().copied().eq(0..APPENDS), "{process}: each once, in its order");
    }
}

#[test]
fn a_killed_process_holds_nobody_up() {
    let temp = tempfile::tempdir().unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    for round in 0..5 {
        let mut child = start(temp.path(), &format!("k{round}"));
        std::thread::sleep(std::time::Duration::from_millis(40 + 17 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        note(&handle, &format!("after {round}")).unwrap();
    }
    let notes = notes(&handle);
    assert_eq!(notes.iter().collect::<HashSet<_>>().len(), notes.len());
    for round in 0..5 {
        assert!(notes.contains(&format!("after {round}")));
        let prefix = format!("k{round}-");
        let numbers: Vec<usize> =
            notes.iter().filter_map(|note| note.strip_prefix(&prefix)).map(|n| n.parse().unwrap()).collect();
        assert!(numbers.iter().copied().eq(0..numbers.len()));
    }
}
