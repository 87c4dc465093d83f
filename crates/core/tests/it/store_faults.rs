//! What lies in the way: links, foreign owners' modes, damaged and unreadable files, locks of others (FAULTS A, G, H).

use crate::store_support::*;
use clawback_core::store::{Durability, OpenOptions, Registry, Settings, dir_name, wait};
use std::path::Path;
use std::time::{Duration, Instant};

fn seeded(dir: &Path) {
    let store = store();
    let handle = open(&store, dir);
    note(&handle, "one").unwrap();
    checkpoint(&handle, "manual").unwrap();
    wait(|done| handle.close(done)).unwrap();
}

#[test]
fn a_damaged_readable_file_is_kept_aside_and_written_anew() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    for damage in ["[\"call the ba", "[\"valid json of somebody else\"]"] {
        std::fs::write(home(temp.path()).join("decisions.json"), damage).unwrap();
        let store = store();
        let handle = open(&store, temp.path());
        note(&handle, "more").unwrap();
        wait(|done| handle.flush(done)).unwrap();
        let text = std::fs::read_to_string(home(temp.path()).join("decisions.json")).unwrap();
        assert!(text.contains("more"), "{text}");
        let kept: Vec<String> = std::fs::read_dir(home(temp.path()).join("quarantine"))
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        assert!(kept.iter().any(|text| text == damage), "{kept:?}");
    }
}

#[test]
fn an_unreadable_file_is_an_error_and_nothing_is_written() {
    for name in ["decisions.json", "open_items.json", "view.json", "session.json", "journal.jsonl"] {
        let temp = tempfile::tempdir().unwrap();
        seeded(temp.path());
        let path = home(temp.path()).join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir(&path).unwrap(); // EISDIR: also root cannot read it
        let listing = |dir: &Path| {
            let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
            files.sort();
            files.iter().map(|file| (file.clone(), std::fs::read(file).ok())).collect::<Vec<_>>()
        };
        let before = listing(&home(temp.path()));
        let store = store();
        let handle = open(&store, temp.path());
        assert_eq!(note(&handle, "two").unwrap_err().code(), "Refused", "{name}");
        let _ = wait(|done| handle.flush(done));
        assert_eq!(listing(&home(temp.path())), before, "{name}");
        assert!(path.is_dir());
    }
}

#[test]
fn a_directory_that_says_it_is_another_sessions_is_refused_by_name() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let path = home(temp.path()).join("session.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("agent:main:main", "agent:other")).unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    let error = note(&handle, "two").unwrap_err();
    assert_eq!(error.code(), "Corrupt");
    let words = error.to_string();
    assert!(words.contains("agent:other") && words.contains("agent:main:main"), "{words}");
    assert_eq!(handle.read(|session| Ok(session.seq())).unwrap_err().code(), "Corrupt");
}

#[test]
fn a_damaged_identity_is_rebuilt_with_the_same_hash_key() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let key = |store: &Store| {
        open(store, temp.path()).run(Durability::Written, |s| Ok(s.info()?.hash_key)).unwrap()
    };
    let before = key(&store());
    std::fs::write(home(temp.path()).join("session.json"), "{").unwrap();
    assert_eq!(key(&store()), before);
    assert_eq!(notes(&open(&store(), temp.path())), ["one"]);
}

#[cfg(unix)]
#[test]
fn links_planted_at_our_names_are_refused_and_their_targets_untouched() {
    use std::os::unix::fs::symlink;
    for name in ["", "checkpoints", "messages", ".lock", "journal.jsonl", "session.json", "view.json"] {
        let temp = tempfile::tempdir().unwrap();
        seeded(temp.path());
        let outside = tempfile::tempdir().unwrap();
        let victim = outside.path().join("victim");
        let at = home(temp.path()).join(name);
        if name.is_empty() || name == "checkpoints" || name == "messages" {
            let _ = std::fs::remove_dir_all(&at);
            std::fs::create_dir(&victim).unwrap();
        } else {
            std::fs::remove_file(&at).unwrap();
            std::fs::write(&victim, "precious").unwrap();
        }
        symlink(&victim, at.to_str().unwrap().trim_end_matches('/')).unwrap();
        let store = store();
        let handle = open(&store, temp.path());
        let written = handle.run(Durability::Full, |session| {
            session.append("note", fields("two"))?;
            session.append_bodies(&[clawback_core::store::Body {
                chunk_id: "c0-1-0000000000000001".parse().unwrap(),
                at: String::new(),
                role: "user".into(),
                tool: None,
                text: "x".into(),
                extra: serde_json::Map::new(),
            }])?;
            write_checkpoint(session, "manual")
        });
        assert_eq!(written.unwrap_err().code(), "Refused", "{name:?}");
        if victim.is_dir() {
            assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0, "{name:?}");
        } else {
            assert_eq!(std::fs::read(&victim).unwrap(), b"precious", "{name:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_at_a_temporary_name_is_neither_followed_nor_in_the_way() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let victim = temp.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    for number in 0..200 {
        let name = format!(".tmp.{}.{number}", std::process::id());
        std::os::unix::fs::symlink(&victim, home(temp.path()).join("checkpoints").join(&name)).unwrap();
        std::os::unix::fs::symlink(&victim, home(temp.path()).join(&name)).unwrap();
    }
    let store = store();
    let handle = open(&store, temp.path());
    assert_eq!(checkpoint(&handle, "manual").unwrap(), "cp_002");
    wait(|done| handle.flush(done)).unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look_whatever_the_umask_and_old_files_are_tightened() {
    use std::os::unix::fs::PermissionsExt;
    fn modes(dir: &Path, found: &mut Vec<(std::path::PathBuf, u32)>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let mode = std::fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
            found.push((path.clone(), mode));
            if path.is_dir() {
                modes(&path, found);
            }
        }
    }
    let temp = tempfile::tempdir().unwrap();
    let old = rustix::process::umask(rustix::fs::Mode::empty());
    seeded(temp.path());
    rustix::process::umask(old);
    let mut found = Vec::new();
    modes(temp.path(), &mut found);
    assert!(found.len() > 8);
    for (path, mode) in &found {
        assert_eq!(*mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    for name in ["", "journal.jsonl", ".lock", "checkpoints", "checkpoints/_latest.json", "view.json"] {
        let path = home(temp.path()).join(name);
        let loose = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(loose)).unwrap();
        let store = store();
        let handle = open(&store, temp.path());
        checkpoint(&handle, "manual").unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}

#[test]
fn another_processs_lock_ends_in_locked_while_readers_go_on() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let holder = std::fs::OpenOptions::new().write(true).open(home(temp.path()).join(".lock")).unwrap();
    holder.try_lock().unwrap();
    let store = store();
    let options = OpenOptions { lock_patience: Duration::from_millis(150), ..OpenOptions::default() };
    let handle = store.open(temp.path(), "agent:main:main", options).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let started = Instant::now();
    let failed = sender.clone();
    handle.submit(
        |session| session.append("note", fields("two")),
        Durability::Written,
        move |done| failed.send(("append", done.map_err(|error| error.code()).is_ok())).unwrap(),
    );
    handle.submit_read(
        Duration::from_millis(20),
        |session| Ok((session.is_behind(), session.state().0.clone())),
        move |done| {
            assert_eq!(done.unwrap(), (true, vec!["one".to_owned()]));
            sender.send(("read", true)).unwrap();
        },
    );
    assert_eq!(receiver.recv().unwrap(), ("read", true));
    assert!(started.elapsed() < Duration::from_millis(140), "{:?}", started.elapsed());
    assert_eq!(receiver.recv().unwrap(), ("append", false));
    assert!(started.elapsed() >= Duration::from_millis(150));
    assert_eq!(note(&handle, "x").unwrap_err().code(), "Locked");
    drop(holder);
    // The file stays, with whatever an old program wrote into it: it means nothing.
    std::fs::write(home(temp.path()).join(".lock"), std::process::id().to_string()).unwrap();
    note(&handle, "two").unwrap();
    assert_eq!(notes(&handle), ["one", "two"]);
}

#[test]
fn a_removed_lock_file_does_not_let_two_in() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let (ours, theirs) = (store(), store());
    let (a, b) = (open(&ours, temp.path()), open(&theirs, temp.path()));
    note(&a, "two").unwrap();
    std::fs::remove_file(home(temp.path()).join(".lock")).unwrap();
    note(&b, "three").unwrap();
    note(&a, "four").unwrap();
    assert_eq!(notes(&a), notes(&b));
    assert_eq!(notes(&a).len(), 4);
}

#[cfg(unix)]
#[test]
fn one_directory_under_two_paths_is_one_session() {
    let temp = tempfile::tempdir().unwrap();
    let (real, alias) = (temp.path().join("real"), temp.path().join("alias"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &alias).unwrap();
    let store = store();
    let (a, b) = (open(&store, &real), open(&store, &alias));
    for round in 0..10 {
        note(&a, &format!("a{round}")).unwrap();
        note(&b, &format!("b{round}")).unwrap();
    }
    assert_eq!(notes(&a), notes(&b));
    assert_eq!(notes(&b).len(), 20);
    assert_eq!(store.open_count(), 1);
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[test]
fn many_sessions_keep_descriptors_bounded_and_lose_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let store: Store = Registry::new(Settings { max_open: 8, ..Settings::default() });
    let before = descriptors();
    let handles: Vec<_> = (0..120)
        .map(|number| store.open(temp.path(), &format!("key {number}"), OpenOptions::default()).unwrap())
        .collect();
    for round in 0..2 {
        let (sender, receiver) = std::sync::mpsc::channel();
        for handle in &handles {
            let sender = sender.clone();
            handle.submit(
                move |session| session.append("note", fields(&round.to_string())),
                Durability::Written,
                move |done| sender.send(done).unwrap(),
            );
        }
        for _ in &handles {
            receiver.recv().unwrap().unwrap();
        }
    }
    assert!(store.open_count() <= 8 + 4, "{}", store.open_count());
    assert!(descriptors() <= before + 80, "{} descriptors, {before} before", descriptors());
    for handle in &handles {
        assert_eq!(notes(handle), ["0", "1"]);
    }
}

#[test]
fn an_idle_session_writes_its_snapshots_and_gives_its_descriptors_back() {
    let temp = tempfile::tempdir().unwrap();
    let store: Store = Registry::new(Settings {
        sync_after: Duration::from_millis(5),
        snapshot_after: Duration::from_millis(20),
        release_after: Duration::from_millis(100),
        ..Settings::default()
    });
    let handle = open(&store, temp.path());
    note(&handle, "one").unwrap();
    let started = Instant::now();
    let view = home(temp.path()).join("view.json");
    while store.open_count() > 0 || !view.exists() {
        assert!(started.elapsed() < Duration::from_secs(10), "open: {}", store.open_count());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(notes(&handle), ["one"]);
    note(&handle, "two").unwrap();
    assert_eq!(notes(&handle), ["one", "two"]);
}

#[test]
fn checkpoint_numbers_are_numbers_and_foreign_files_stay() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let folder = home(temp.path()).join("checkpoints");
    std::fs::write(folder.join("cp_9.yaml"), yaml("cp_9", "manual", 0)).unwrap();
    std::fs::write(folder.join("cp_999.yaml"), yaml("cp_999", "manual", 0)).unwrap();
    std::fs::write(folder.join("notes.yaml"), "mine").unwrap();
    std::fs::write(folder.join(".tmp.1.2"), "half").unwrap();
    let store = store();
    let handle = open(&store, temp.path());
    for number in 1000..1010 {
        assert_eq!(checkpoint(&handle, "manual").unwrap(), format!("cp_{number}"));
    }
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let kept: Vec<String> = (1005..1010).map(|number| format!("cp_{number}.yaml")).collect();
    let expected: Vec<&str> =
        ["_latest.json"].into_iter().chain(kept.iter().map(String::as_str)).chain(["notes.yaml"]).collect();
    assert_eq!(names, expected);
}

#[test]
fn readers_of_checkpoints_trust_the_hash_not_the_pointer() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let store = store();
    let handle = open(&store, temp.path());
    checkpoint(&handle, "manual").unwrap();
    let folder = home(temp.path()).join("checkpoints");
    let latest = || handle.read(|session| session.latest_checkpoint(&inspect)).unwrap().unwrap().id;
    assert_eq!(latest(), "cp_002");
    let whole = std::fs::read(folder.join("cp_002.yaml")).unwrap();
    std::fs::write(folder.join("cp_002.yaml"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(latest(), "cp_001", "a cut file is not taken for a whole one");
    let code = |id: &'static str| handle.read(move |s| s.checkpoint(id, &inspect)).unwrap_err().code();
    assert_eq!(code("cp_002"), "Corrupt");
    assert_eq!(code("cp_777"), "NotFound");
    assert_eq!(code("../cp_001"), "InvalidInput");
    for pointer in ["", "{", "{\"checkpoint_id\":\"../b/cp_001\",\"bytes\":1,\"hash\":\"x\",\"state_seq\":1}"]
    {
        std::fs::write(folder.join("_latest.json"), pointer).unwrap();
        assert_eq!(latest(), "cp_001");
    }
    assert_eq!(checkpoint(&handle, "manual").unwrap(), "cp_003");
    assert_eq!(latest(), "cp_003");
}

#[test]
fn a_checkpoint_that_does_not_parse_back_is_not_placed() {
    let temp = tempfile::tempdir().unwrap();
    seeded(temp.path());
    let store = store();
    let handle = open(&store, temp.path());
    let bad = handle.run(Durability::Full, |session| {
        session.write_checkpoint(&mut |_, _, _| Ok(b"garbage".to_vec()), &inspect)
    });
    assert_eq!(bad.unwrap_err().code(), "Corrupt");
    let other = handle.run(Durability::Full, |session| {
        session.write_checkpoint(&mut |_, _, _| Ok(yaml("cp_042", "manual", 0)), &inspect)
    });
    assert_eq!(other.unwrap_err().code(), "Internal");
    assert_eq!(std::fs::read_dir(home(temp.path()).join("checkpoints")).unwrap().count(), 2);
    assert_eq!(checkpoint(&handle, "manual").unwrap(), "cp_002");
}

#[test]
fn the_older_layout_is_found_only_for_the_key_in_its_newest_checkpoint() {
    let temp = tempfile::tempdir().unwrap();
    let context = temp.path().join("context");
    for folder in ["state/a_b", "checkpoints/a_b"] {
        std::fs::create_dir_all(context.join(folder)).unwrap();
    }
    std::fs::write(context.join("state/a_b/decisions.json"), "[{\"what\":\"use Rust\"}]").unwrap();
    std::fs::write(context.join("state/a_b/thread.json"), "{\"cut").unwrap();
    std::fs::write(context.join("checkpoints/a_b/cp_9.yaml"), "a_b").unwrap();
    std::fs::write(context.join("checkpoints/a_b/cp_10.yaml"), "a:b").unwrap();
    let store = store();
    let find = |key: &str| {
        let handle = store.open(temp.path(), key, OpenOptions::default()).unwrap();
        handle
            .run(Durability::Written, |session| {
                session.older_layout(&|bytes| String::from_utf8(bytes.to_vec()).ok())
            })
            .unwrap()
    };
    let found = find("a:b").unwrap();
    assert_eq!(found.decisions, Some(serde_json::json!([{ "what": "use Rust" }])));
    assert_eq!((found.thread, found.damaged), (None, vec!["thread.json".to_owned()]));
    assert_eq!(find("a/b"), None);
    assert_eq!(find(".."), None);
    assert!(context.join("state/a_b/decisions.json").exists());
    assert_ne!(dir_name("a:b").unwrap(), dir_name("a/b").unwrap());
}
