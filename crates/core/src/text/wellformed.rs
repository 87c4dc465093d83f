//! Well-formed text. A Rust `str` always is; JavaScript strings and the JSON that is made from them may hold half a
//! surrogate pair (FAULTS D5). One rule everywhere: in *text* each lone half becomes U+FFFD, as `toWellFormed()` does;
//! in a *key* it is refused, because two ill-formed keys must not become one.

use crate::{Error, Result};
use std::borrow::Cow;

/// Text from UTF-16 units as JavaScript holds them; each lone surrogate becomes U+FFFD.
pub fn text_from_utf16(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

/// A key from UTF-16 units. Errors: [`Error::InvalidInput`] if it holds a lone surrogate; `what` names the key.
pub fn key_from_utf16(units: &[u16], what: &str) -> Result<String> {
    String::from_utf16(units).map_err(|_| {
        Error::InvalidInput(format!("{what} is not well-formed: it holds half of a surrogate pair"))
    })
}

/// JSON text in which every lone surrogate escape (`\ud83d` without its other half) is replaced by `\ufffd`, so that
/// it can be read. `JSON.stringify` writes such escapes and `serde_json` refuses them, which would lose a whole line
/// of a transcript. Text without such escapes is returned as it is. Linear.
pub fn repair_json_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| byte == b'\\')) {
        let start = at + found;
        at = start + 2;
        match surrogate_escape(bytes, start) {
            Some(Half::High) if matches!(surrogate_escape(bytes, start + 6), Some(Half::Low)) => {
                at = start + 12
            }
            Some(_) => {
                repaired.push_str(json.get(copied..start).unwrap_or_default());
                repaired.push_str("\\ufffd");
                copied = start + 6;
                at = copied;
            }
            None => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    repaired.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(repaired)
}

/// JSON text in which every object and list below `levels` levels of nesting is `null`: readers that recurse refuse
/// what is nested too deeply. Linear; text that is not JSON comes back as some text that is none.
pub fn cut_json_depth(json: &str, levels: usize) -> String {
    let mut cut = String::with_capacity(json.len());
    let (mut depth, mut copied) = (0usize, 0usize);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                if depth == levels {
                    cut.push_str(json.get(copied..at).unwrap_or_default());
                    cut.push_str("null");
                }
                depth += 1;
            }
            b'}' | b']' => {
                if depth == levels + 1 {
                    copied = at + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    if depth <= levels {
        cut.push_str(json.get(copied..).unwrap_or_default());
    }
    cut
}

enum Half {
    High,
    Low,
}

/// Which half of a pair the escape at `start` names, if it is such an escape.
fn surrogate_escape(bytes: &[u8], start: usize) -> Option<Half> {
    let escape = bytes.get(start..start + 6)?;
    let hex = escape.strip_prefix(b"\\u")?;
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let unit = u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
    match unit {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_lone_half_becomes_a_replacement_character_in_text() {
        assert_eq!(text_from_utf16(&[0x61, 0xD83D]), "a\u{FFFD}");
        assert_eq!(text_from_utf16(&[0xD83D, 0xDD25]), "🔥");
    }

    #[test]
    fn a_lone_half_is_refused_in_a_key() {
        let error = key_from_utf16(&[0x61, 0xD83D], "sessionKey").unwrap_err();
        assert_eq!(error.code(), "InvalidInput");
        assert!(error.to_string().contains("sessionKey"));
        assert_eq!(key_from_utf16(&[0x61], "sessionKey").unwrap(), "a");
    }

    #[test]
    fn lone_escapes_are_repaired_and_whole_pairs_and_escaped_backslashes_are_not() {
        for (json, repaired) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\udd25b""#, r#""\ufffdb""#),
            (r#""\ud83d\ud83d\udd25""#, r#""\ufffd\ud83d\udd25""#),
            (r#""\ud83d\udd25""#, r#""\ud83d\udd25""#),
            (r#""C:\\ud83d""#, r#""C:\\ud83d""#),
            (r#""\u00e9""#, r#""\u00e9""#),
            (r"\ud83", r"\ud83"),
        ] {
            assert_eq!(repair_json_surrogates(json), repaired);
        }
        assert!(matches!(repair_json_surrogates(r#"{"a":1}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_nested_too_deeply_becomes_null_and_the_rest_stays() {
        for (json, cut) in [
            (r#"[{"a":[1,{"b":[2]}],"c":"[{"},3]"#, r#"[{"a":null,"c":"[{"},3]"#),
            (r#"["\"[[[",[],{}]"#, r#"["\"[[[",[],{}]"#),
            (r#"[[[[1]],[[2]]],4]"#, r#"[[null,null],4]"#),
            ("[[1]]", "[[1]]"),
        ] {
            assert_eq!(cut_json_depth(json, 2), cut);
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(serde_json::from_str::<serde_json::Value>(&deep).is_err());
        assert!(serde_json::from_str::<serde_json::Value>(&cut_json_depth(&deep, 64)).is_ok());
    }

    proptest! {
        #[test]
        fn any_utf16_as_json_reads_after_repair_as_the_lossy_text(
            units in proptest::collection::vec(prop_oneof![0xD7F0u16..0xE010, 0x20u16..0x7F], 0..40)
        ) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escaped}\"");
            let read: String = serde_json::from_str(&repair_json_surrogates(&json)).unwrap();
            prop_assert_eq!(read, text_from_utf16(&units));
        }
    }
}
