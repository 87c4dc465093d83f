//! The bodies of the fuzz targets (`fuzz/`), run on a bounded number of bytes made here: from random bytes, from pieces
//! that the parsers know, and from real files with damage.

#[path = "../../../../fuzz/bodies.rs"]
#[allow(unreachable_pub, reason = "the fuzz crate shares the file as its library")]
mod bodies;

use proptest::prelude::*;
use std::path::Path;

/// Pieces that lead parsers and redaction into their corners.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    "\"",
    "\\\"",
    "'",
    "\n",
    "\r\n",
    "\t",
    " ",
    "  - ",
    "|\n  ",
    ">-\n",
    "---\n",
    "&a ",
    "*a",
    "#",
    "\u{feff}",
    "\u{2028}",
    "\u{0}",
    "🇷🇸",
    "👩‍👩‍👧‍👦",
    "e\u{301}",
    "漢字",
    "\\ud83d",
    "\\n",
    "schema: \"openclaw/checkpoint\"\n",
    "integrity:\n",
    "schema_version: 1\n",
    "decisions:\n",
    "password=",
    "\"token\": \"",
    "--secret ",
    "Authorization: Bearer ",
    "://u:",
    "@h",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "[redacted:token]",
    "${X}",
    "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n",
    "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{",
    "\"role\":\"user\",\"content\":\"hi\"}}\n",
    "{\"gen\":1,\"seq\":1,\"at\":\"t\",\"kind\":\"k\"",
    "\"gen\":99999999999",
    "1e999",
    "null",
];

/// Random bytes, known pieces, or both in turn.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => proptest::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
        1 => "[a-zA-Z0-9_ ]{0,16}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_hold_for_any_bytes(data in bytes()) {
        bodies::tokens(&data);
    }

    #[test]
    fn cuts_hold_for_any_bytes(data in bytes()) {
        bodies::clip(&data);
    }

    #[test]
    fn redaction_holds_for_any_bytes(data in bytes()) {
        bodies::redact(&data);
    }

    #[test]
    fn yaml_holds_for_any_bytes(data in bytes()) {
        bodies::yaml(&data);
    }

    #[test]
    fn journal_lines_hold_for_any_bytes(data in bytes()) {
        bodies::journal(&data);
    }

    #[test]
    fn transcripts_hold_for_any_bytes(data in bytes()) {
        bodies::transcript(&data);
    }

    #[test]
    fn damaged_transcripts_are_read_to_their_end(at in 0usize..4_000, length in 0usize..64, with in bytes()) {
        for mut data in fixtures() {
            let start = at.min(data.len());
            data.splice(start..(start + length).min(data.len()), with.iter().copied());
            bodies::transcript(&data);
        }
    }
}

/// The beginnings of the transcripts that the repository holds.
fn fixtures() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts");
    let files: Vec<Vec<u8>> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .map(|mut bytes| {
            bytes.truncate(4_096);
            bytes
        })
        .collect();
    assert!(!files.is_empty());
    files
}
