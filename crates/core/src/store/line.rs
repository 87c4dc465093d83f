//! Lines of the journal and of message segments: one JSON object, the last field of which is a checksum of the bytes
//! before it. A line that was cut, overwritten or mixed with another is recognised and skipped (FAULTS J3).

use serde_json::{Map, Value};

use crate::{Error, Result};

/// Longest line, in bytes.
const MAX_LINE: usize = 16 << 20;
const CRC_FIELD: &str = r#","crc":""#;
const CRC_TAIL: usize = CRC_FIELD.len() + 8 + 2;

/// Fields of a journal line that the store itself sets.
const OWN_FIELDS: [&str; 5] = ["gen", "seq", "at", "kind", "crc"];

/// One event of a session's journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Generation of the session.
    pub generation: u32,
    /// Place in the journal: 1, 2, 3, ... without gaps.
    pub seq: u64,
    /// ISO 8601, for people only.
    pub at: String,
    /// What happened.
    pub kind: String,
    /// Everything else.
    pub fields: Map<String, Value>,
}

/// An event to be appended: place and time are given by the store under the lock.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLine {
    /// What happened.
    pub kind: String,
    /// Everything else; `gen`, `seq`, `at`, `kind` and `crc` are the store's.
    pub fields: Map<String, Value>,
    /// Generation, where it is not the state's current one (a line that starts the next).
    pub generation: Option<u32>,
}

impl NewLine {
    /// An event of the current generation.
    pub fn new(kind: impl Into<String>, fields: Map<String, Value>) -> Self {
        Self { kind: kind.into(), fields, generation: None }
    }
}

/// Writes an object as one sealed line with its line break.
pub(super) fn seal(object: Map<String, Value>) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(&Value::Object(object))
        .map_err(|error| Error::InvalidInput(format!("a line cannot be written: {error}")))?;
    bytes.pop(); // the closing brace comes after the checksum
    close(bytes)
}

fn push_json(bytes: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<()> {
    serde_json::to_writer(bytes, value)
        .map_err(|error| Error::InvalidInput(format!("a line cannot be written: {error}")))
}

/// Adds the checksum, the closing brace and the line break.
fn close(mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    let crc = crc32fast::hash(&bytes);
    bytes.extend_from_slice(format!("{CRC_FIELD}{crc:08x}\"}}\n").as_bytes());
    Ok(bytes)
}

/// Refuses a line that readers would have to hold in memory at any size.
pub(super) fn within_limit(line: Vec<u8>) -> Result<Vec<u8>> {
    if line.len() > MAX_LINE {
        return Err(Error::InvalidInput(format!(
            "a line of {} bytes is above the limit of {MAX_LINE}",
            line.len()
        )));
    }
    Ok(line)
}

/// The bytes of a sealed line before its checksum, if that matches.
fn body(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (body, tail) = line.split_at_checked(line.len().checked_sub(CRC_TAIL)?)?;
    let digits = tail.strip_prefix(CRC_FIELD.as_bytes())?.strip_suffix(b"\"}")?;
    let crc = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (crc32fast::hash(body) == crc).then_some(body)
}

/// A sealed line as it is, its checksum being its last field, for readers that want few of its fields. `None`: damaged.
pub(super) fn checked(line: &[u8]) -> Option<&[u8]> {
    body(line).map(|_| line)
}

/// Whether nothing stands in a line: a damaged one was set aside.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Reads a sealed line, with or without its line break. `None`: damaged.
pub(super) fn unseal(line: &[u8]) -> Option<Map<String, Value>> {
    let body = body(line)?;
    let mut whole = Vec::with_capacity(body.len() + 1);
    whole.extend_from_slice(body);
    whole.push(b'}');
    serde_json::from_slice(&whole).ok()
}

impl Line {
    /// The line's bytes with its line break.
    ///
    /// # Errors
    /// `InvalidInput` for a field that the store itself sets, and above 16 MB.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if let Some(field) = OWN_FIELDS.iter().find(|field| self.fields.contains_key(**field)) {
            return Err(Error::InvalidInput(format!("the field `{field}` of a line is set by the store")));
        }
        // Written piece by piece: the fields may be large, and a copy only for their place in a map is a waste.
        let mut bytes = format!(r#"{{"gen":{},"seq":{},"at":"#, self.generation, self.seq).into_bytes();
        push_json(&mut bytes, &self.at)?;
        bytes.extend_from_slice(br#","kind":"#);
        push_json(&mut bytes, &self.kind)?;
        for (name, value) in &self.fields {
            bytes.push(b',');
            push_json(&mut bytes, name)?;
            bytes.push(b':');
            push_json(&mut bytes, value)?;
        }
        within_limit(close(bytes)?)
    }

    /// Reads one line of a journal, with or without its line break. `None`: damaged.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut object = unseal(line)?;
        let generation = u32::try_from(object.shift_remove("gen")?.as_u64()?).ok()?;
        let seq = object.shift_remove("seq")?.as_u64()?;
        let Some(Value::String(at)) = object.shift_remove("at") else { return None };
        let Some(Value::String(kind)) = object.shift_remove("kind") else { return None };
        Some(Self { generation, seq, at, kind, fields: object })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> Line {
        let mut fields = Map::new();
        fields.insert("text".into(), text.into());
        Line { generation: 2, seq: 7, at: "2026-01-01T00:00:00Z".into(), kind: "note".into(), fields }
    }

    #[test]
    fn any_changed_byte_makes_a_line_bad() {
        let bytes = line("use 60 s").to_bytes().unwrap();
        for index in 0..bytes.len() - 1 {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x01;
            assert_ne!(Line::parse(&damaged), Some(line("use 60 s")), "byte {index}");
        }
    }

    #[test]
    fn fields_of_the_store_cannot_be_given() {
        let mut bad = line("x");
        bad.fields.insert("seq".into(), 1.into());
        assert_eq!(bad.to_bytes().unwrap_err().code(), "InvalidInput");
    }

    proptest! {
        #[test]
        fn a_line_reads_back_and_is_one_line(text in any::<String>()) {
            let bytes = line(&text).to_bytes().unwrap();
            prop_assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 1);
            prop_assert_eq!(Line::parse(&bytes), Some(line(&text)));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Line::parse(&bytes);
        }
    }
}
