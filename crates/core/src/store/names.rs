//! Names on disk: made here, checked here (DESIGN section 5; FAULTS A1-A5).

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// Longest readable part of a directory name, in bytes.
const PREFIX_BYTES: usize = 48;
/// Hex digits of the hash in a directory name: 128 bits.
const HASH_DIGITS: usize = 32;

/// The directory name of a session: a readable lower-case prefix and a hash of the whole key, one path component of at
/// most 100 bytes that is valid and distinct on every system, whatever the key. An empty key is `InvalidInput`.
pub fn dir_name(key: &str) -> Result<String> {
    if key.is_empty() {
        return Err(Error::InvalidInput("the session key is empty".into()));
    }
    let mut prefix = String::with_capacity(PREFIX_BYTES);
    for ch in key.chars().flat_map(char::to_lowercase) {
        if prefix.len() >= PREFIX_BYTES {
            break;
        }
        // No dots at all: `..`, `con.x` and a trailing dot cannot come out.
        let ch = if ch.is_ascii_alphanumeric() { ch } else { '-' };
        if ch != '-' || !(prefix.is_empty() || prefix.ends_with('-')) {
            prefix.push(ch);
        }
    }
    let prefix = prefix.trim_end_matches('-');
    // `s-` keeps a name without readable characters from starting with a dash.
    let prefix = if prefix.is_empty() { "s" } else { prefix };
    Ok(format!("{prefix}-{}", hex_of(key.as_bytes(), HASH_DIGITS)))
}

/// Seed 002's name for a session, kept for callers that know it and for finding the older layout. It is not injective
/// and lets `..` pass: no path of ours is built from it.
pub fn sanitize_session_key_for_path(key: &str) -> String {
    // JavaScript replaces UTF-16 units, so a character outside the basic plane becomes two underscores.
    let mut out = String::with_capacity(key.len());
    for ch in key.chars() {
        if ch.is_ascii_alphanumeric() || matches!(ch, '.' | '_' | '-') {
            out.push(ch);
        } else {
            out.extend(std::iter::repeat_n('_', ch.len_utf16()));
        }
    }
    out
}

/// The first `digits` hex digits of the SHA-256 of `bytes`.
pub(super) fn hex_of(bytes: &[u8], digits: usize) -> String {
    let mut out = hex(&Sha256::digest(bytes));
    out.truncate(digits);
    out
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The number in `<before><digits><after>`, or `None` where the name is not exactly of that form. At least `min_digits`
/// digits; leading zeros only to reach them.
fn number_between(name: &str, before: &str, after: &str, min_digits: usize) -> Option<u64> {
    let digits = name.strip_prefix(before)?.strip_suffix(after)?;
    let canonical = digits.len() == min_digits || (digits.len() > min_digits && !digits.starts_with('0'));
    (canonical && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

/// `cp_001`, `cp_1000`.
pub fn checkpoint_id(number: u64) -> String {
    format!("cp_{number:03}")
}

/// The number of a checkpoint id; `None` for anything that is not one.
pub fn checkpoint_number(id: &str) -> Option<u64> {
    number_between(id, "cp_", "", 3)
}

/// The number in a checkpoint's file name. Older versions did not pad: `cp_9.yaml` counts too.
pub(super) fn checkpoint_file_number(name: &str) -> Option<u64> {
    number_between(name, "cp_", ".yaml", 3).or_else(|| number_between(name, "cp_", ".yaml", 1))
}

/// First and last sequence number of a rotated journal, `journal.<first>-<last>.jsonl`.
pub(super) fn rotated_journal(name: &str) -> Option<(u64, u64)> {
    let range = name.strip_prefix("journal.")?.strip_suffix(".jsonl")?;
    let (first, last) = range.split_once('-')?;
    let first = number_between(first, "", "", 1)?;
    let last = number_between(last, "", "", 1)?;
    (first <= last).then_some((first, last))
}

/// The number of a segment of message bodies, `<first seq>.jsonl`.
pub(super) fn body_segment(name: &str) -> Option<u64> {
    number_between(name, "", ".jsonl", 1)
}

/// The month of a file of drop records, `<yyyy>-<mm>.jsonl`, as `yyyymm`.
pub(super) fn cold_month(name: &str) -> Option<u32> {
    let (year, month) = name.strip_suffix(".jsonl")?.split_once('-')?;
    let digits = year.len() == 4 && month.len() == 2;
    let all = digits && year.bytes().chain(month.bytes()).all(|b| b.is_ascii_digit());
    let (year, month): (u32, u32) = (all.then(|| year.parse().ok()).flatten()?, month.parse().ok()?);
    (1..=12).contains(&month).then_some(year * 100 + month)
}

/// A temporary file of ours: only these are swept.
pub(super) fn is_temp(name: &str) -> bool {
    name.starts_with(".tmp.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn keys_that_look_alike_get_directories_of_their_own() {
        let long = "x".repeat(300);
        let long_other = format!("{}y", "x".repeat(299));
        let keys = [
            "telegram:a:b",
            "telegram:a_b",
            "telegram/a:b",
            "日本語",
            "中文話",
            "..",
            ".",
            "Foo",
            "foo",
            "CON",
            "con",
            "NUL",
            "aux.x",
            "name.",
            "name",
            " ",
            "-",
            "--",
            "😀",
            "😁",
            "İ",
            "i",
            "../../x",
            &long,
            &long_other,
        ];
        let names: HashSet<String> = keys.iter().map(|key| dir_name(key).unwrap()).collect();
        assert_eq!(names.len(), keys.len());
    }

    #[test]
    fn an_empty_key_is_refused() {
        assert_eq!(dir_name("").unwrap_err().code(), "InvalidInput");
    }

    #[test]
    fn the_prefix_stays_readable() {
        assert!(dir_name("agent:main:telegram:Group").unwrap().starts_with("agent-main-telegram-group-"));
    }

    proptest! {
        #[test]
        fn every_name_is_one_safe_component(key in ".{1,400}") {
            let name = dir_name(&key).unwrap();
            prop_assert!(name.len() <= 100);
            prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!name.starts_with('-') && !name.ends_with('-'));
            // Device names of Windows have at most four characters before the end or a dot.
            prop_assert!(name.len() > HASH_DIGITS);
        }
    }

    #[test]
    fn the_seeds_name_is_kept_as_it_was() {
        assert_eq!(sanitize_session_key_for_path("a:b/c.d_e-F"), "a_b_c.d_e-F");
        assert_eq!(sanitize_session_key_for_path("日本語"), "___");
        assert_eq!(sanitize_session_key_for_path("😀"), "__");
        assert_eq!(sanitize_session_key_for_path(".."), "..");
        assert_eq!(sanitize_session_key_for_path(""), "");
    }

    #[test]
    fn names_from_disk_must_match_exactly() {
        assert_eq!(checkpoint_number("cp_001"), Some(1));
        assert_eq!(checkpoint_number("cp_1000"), Some(1000));
        for bad in ["cp_1", "cp_0001", "cp_", "cp_001.yaml", "../cp_001", "cp_+01", "cp_99999999999999999999"]
        {
            assert_eq!(checkpoint_number(bad), None, "{bad}");
        }
        assert_eq!(checkpoint_file_number("cp_9.yaml"), Some(9));
        assert_eq!(checkpoint_file_number("cp_010.yaml"), Some(10));
        assert_eq!(checkpoint_file_number(".tmp.1.2"), None);
        assert_eq!(rotated_journal("journal.1-200.jsonl"), Some((1, 200)));
        assert_eq!(rotated_journal("journal.5-4.jsonl"), None);
        assert_eq!(rotated_journal("journal.jsonl"), None);
        assert_eq!(body_segment("12.jsonl"), Some(12));
        assert_eq!(body_segment("x.jsonl"), None);
        assert_eq!(cold_month("2026-02.jsonl"), Some(202_602));
        for bad in ["2026-13.jsonl", "2026-00.jsonl", "2026-2.jsonl", "+026-02.jsonl", "2026-02.jsonl.1"] {
            assert_eq!(cold_month(bad), None, "{bad}");
        }
    }
}
