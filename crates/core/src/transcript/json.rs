//! JSON of one line, read in spite of what crashes and other writers leave: byte order marks, CR, NUL padding, bytes
//! that are no UTF-8, lone surrogates, two entries on one line, half an entry before a whole one.

use serde_json::{Map, Value};

/// How many places of a damaged line are tried as the start of a whole entry.
const RESTARTS: usize = 16;
/// How every entry of the known formats may start, used to find a whole entry behind half a one.
const ENTRY_STARTS: [&[u8]; 3] = [b"{\"type\":", b"{\"timestamp\":", b"{\"parentUuid\":"];

/// What a line holds.
pub(super) struct Parsed {
    /// Usually one entry; none for blank and unreadable lines.
    pub(super) entries: Vec<Map<String, Value>>,
    /// What is wrong with the line, if anything.
    pub(super) why: Option<String>,
}

/// Without byte order mark, line end, blanks and NUL padding.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let padding = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = bytes.iter().position(|byte| !padding(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !padding(byte)).map_or(start, |last| last + 1);
    bytes.get(start..end).unwrap_or_default()
}

/// Reads a line. `ended` is false for a last line without a newline.
pub(super) fn parse(bytes: &[u8], ended: bool) -> Parsed {
    let text = trimmed(bytes);
    if text.is_empty() {
        let zeros = bytes.iter().filter(|byte| **byte == 0).count();
        let why = (zeros > 0).then(|| format!("{zeros} NUL bytes and nothing else; skipped"));
        return Parsed { entries: Vec::new(), why };
    }
    let error = match serde_json::from_slice::<Value>(text) {
        Ok(Value::Object(entry)) => return Parsed { entries: vec![entry], why: None },
        Ok(other) => {
            let why = format!("{} where an entry (an object) should be; skipped", kind_of(&other));
            return Parsed { entries: Vec::new(), why: Some(why) };
        }
        Err(error) => error,
    };
    let repaired = repaired(text);
    let text = repaired.as_deref().unwrap_or(text);
    let repair = repaired.as_ref().map(|_| "ill-formed characters were replaced".to_owned());
    if repaired.is_some()
        && let Ok(Value::Object(entry)) = serde_json::from_slice(text)
    {
        return Parsed { entries: vec![entry], why: repair };
    }
    if let Some(parsed) = several(text) {
        return parsed;
    }
    if let Some((skipped, entry)) = behind_half_an_entry(text) {
        let why = format!("half an entry of {skipped} bytes before a whole one; the half is skipped");
        return Parsed { entries: vec![entry], why: Some(why) };
    }
    let why = if ended {
        format!("not valid JSON ({}); skipped", cause(&error))
    } else {
        format!("cut off: the file ends in the middle of this line ({}); skipped", cause(&error))
    };
    Parsed { entries: Vec::new(), why: Some(why) }
}

/// Whole entries one after the other on one line: a newline was lost.
fn several(text: &[u8]) -> Option<Parsed> {
    let mut stream = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    let mut entries = Vec::new();
    let mut rest_is_damaged = false;
    for value in &mut stream {
        match value {
            Ok(Value::Object(entry)) => entries.push(entry),
            _ => {
                rest_is_damaged = true;
                break;
            }
        }
    }
    if entries.is_empty() {
        return None;
    }
    let why = if rest_is_damaged {
        "a whole entry with something unreadable behind it; the rest is skipped".to_owned()
    } else {
        format!("{} entries on one line; all were read", entries.len())
    };
    Some(Parsed { entries, why: Some(why) })
}

/// A crash in the middle of a line and an append behind it leave half an entry and a whole one on the same line.
fn behind_half_an_entry(text: &[u8]) -> Option<(usize, Map<String, Value>)> {
    let starts = (1..text.len()).filter(|at| {
        text.get(*at..).is_some_and(|rest| ENTRY_STARTS.iter().any(|start| rest.starts_with(start)))
    });
    starts.take(RESTARTS).find_map(|at| {
        let entry = serde_json::from_slice::<Map<String, Value>>(text.get(at..)?).ok()?;
        Some((at, entry))
    })
}

/// With U+FFFD for bytes that are no UTF-8 and for escapes of lone surrogates, which JavaScript writes and the JSON
/// reader refuses. `None` where nothing needs repair.
fn repaired(text: &[u8]) -> Option<Vec<u8>> {
    let lossy = String::from_utf8_lossy(text);
    let bytes = lossy.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut changed = bytes.len() != text.len() || bytes != text;
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'\\' {
            out.push(byte);
            rest = tail;
            continue;
        }
        let taken = match unit(rest) {
            Some(0xD800..=0xDBFF) => match rest.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => 0,
            },
            Some(0xDC00..=0xDFFF) => 0,
            Some(_) => 6,
            None => 2,
        };
        if taken == 0 {
            changed = true;
            out.extend_from_slice(b"\\ufffd");
            rest = rest.get(6..).unwrap_or_default();
        } else {
            let (head, tail) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            out.extend_from_slice(head);
            rest = tail;
        }
    }
    changed.then_some(out)
}

/// The UTF-16 unit of a `\uXXXX` escape at the start.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The reader's words without its line number, which is always 1 here.
fn cause(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at byte ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(line: &[u8]) -> (Vec<String>, Option<String>) {
        let parsed = parse(line, true);
        let id = |entry: &Map<String, Value>| entry["id"].as_str().unwrap().to_owned();
        (parsed.entries.iter().map(id).collect(), parsed.why)
    }

    #[test]
    fn marks_line_ends_and_padding_are_no_damage() {
        let nul_padded = b"\0\0{\"id\":\"a\"}\0\0";
        for line in [b"\xEF\xBB\xBF{\"id\":\"a\"}\r".as_slice(), b"  {\"id\":\"a\"}\t", nul_padded] {
            assert_eq!(ids(line), (vec!["a".into()], None));
        }
        assert!(parse(b" \r", true).why.is_none());
        assert!(parse(b"\0\0\0\0", true).why.unwrap().starts_with("4 NUL bytes"));
    }

    #[test]
    fn lone_surrogates_and_bad_bytes_are_replaced_and_said() {
        let parsed = parse(br#"{"id":"a","t":"x\ud83d y\\ud83d \ud83d\ude00 \udc00"}"#, true);
        assert_eq!(parsed.entries[0]["t"], "x\u{fffd} y\\ud83d \u{1F600} \u{fffd}");
        assert!(parsed.why.unwrap().contains("replaced"));
        let parsed = parse(b"{\"t\":\"a\xFFb\"}", true);
        assert_eq!(parsed.entries[0]["t"], "a\u{fffd}b");
        assert!(parsed.why.is_some());
    }

    #[test]
    fn lost_newlines_lose_no_entry() {
        assert_eq!(ids(br#"{"id":"a"}{"id":"b"}"#).0, ["a", "b"]);
        let (found, why) =
            ids(br#"{"type":"message","id":"a","mess{"type":"message","id":"b","x":{"type":"c"}}"#);
        assert_eq!(found, ["b"]);
        assert!(why.unwrap().starts_with("half an entry of 32 bytes"));
        assert_eq!(ids(br#"{"id":"a"}{"id":"#).0, ["a"]);
    }

    #[test]
    fn a_cut_last_line_is_told_from_a_damaged_one() {
        assert!(parse(b"{\"id\":", false).why.unwrap().starts_with("cut off"));
        assert!(parse(b"{\"id\":", true).why.unwrap().starts_with("not valid JSON (EOF"));
        assert!(parse(b"[1]", true).why.unwrap().starts_with("an array where"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), ended: bool) {
            let parsed = parse(&bytes, ended);
            let blank = bytes.iter().all(|byte| byte.is_ascii_whitespace()) || trimmed(&bytes).is_empty();
            prop_assert!(blank || !parsed.entries.is_empty() || parsed.why.is_some());
        }

        #[test]
        fn escapes_in_any_order_keep_the_line_readable(units in proptest::collection::vec(any::<u16>(), 0..20)) {
            let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let parsed = parse(format!("{{\"t\":\"{escapes}\"}}").as_bytes(), true);
            prop_assert_eq!(parsed.entries[0]["t"].as_str().unwrap(), String::from_utf16_lossy(&units));
        }
    }
}
