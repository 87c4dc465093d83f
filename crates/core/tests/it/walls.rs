//! The walls between the rooms (DESIGN section 2): a room imports only from rooms above it.

use std::path::Path;

/// From the ground up.
const ROOMS: [&str; 15] = [
    "text",
    "message",
    "config",
    "store",
    "transcript",
    "capture",
    "ledger",
    "checkpoint",
    "packet",
    "pressure",
    "prune",
    "recall",
    "enrich",
    "observe",
    "session",
];

#[test]
fn a_room_imports_only_from_rooms_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (level, room) in ROOMS.iter().enumerate() {
        for file in rust_files(&source, room) {
            let text = std::fs::read_to_string(&file).unwrap();
            // What tests import does not count.
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            for below in &ROOMS[level + 1..] {
                if text.contains(&format!("crate::{below}::")) || text.contains(&format!("crate::{below};")) {
                    wrong.push(format!("{} imports {below}", file.strip_prefix(&source).unwrap().display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_store_the_index_and_the_transcript_readers_touch_files() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ROOMS.iter().filter(|room| !matches!(**room, "store" | "transcript" | "recall")) {
        for file in rust_files(&source, room) {
            let text = std::fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            for forbidden in ["std::fs", "File::open", "Instant::now", "SystemTime"] {
                assert!(!text.contains(forbidden), "{} uses {forbidden}", file.display());
            }
        }
    }
}

/// Source files of a room, its test modules apart.
fn rust_files(source: &Path, room: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![source.join(room)];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(".rs") && !name.contains("test") && name != "fixture.rs" {
                found.push(path);
            }
        }
    }
    found
}
