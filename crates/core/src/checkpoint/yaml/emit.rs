//! Values to YAML text. The library writes structure and escapes; this file only chooses the style of each string,
//! because the library has one choice for a whole document and would leave `no`-like words to each reader's taste.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_yaml::{DoubleQuoted, LitStr};

use crate::error::{Error, Result};

/// YAML of a JSON tree, keys in the tree's order. Strings are double-quoted, or `|` blocks where several lines read
/// back exactly in every reader.
///
/// # Errors
/// `InvalidInput` for what YAML cannot hold.
pub fn emit(tree: &Value) -> Result<String> {
    serde_yaml::to_string(&Styled(tree))
        .map_err(|cause| Error::InvalidInput(format!("checkpoint cannot be written: {cause}")))
}

struct Styled<'a>(&'a Value);

impl Serialize for Styled<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) if is_safe_block(text) => LitStr(text).serialize(out),
            Value::String(text) => DoubleQuoted(text).serialize(out),
            Value::Array(items) => {
                let mut list = out.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Styled(item))?;
                }
                list.end()
            }
            Value::Object(fields) => {
                let mut map = out.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, &Styled(value))?;
                }
                map.end()
            }
            plain => plain.serialize(out),
        }
    }
}

/// Whether a text may be a `|` block. Narrower than YAML allows: no leading blank on any line (indentation
/// indicators differ between readers), no blank at a line's end, no tabs, no empty first line, at most one newline at
/// the end, and no character that a reader may take for a line break, drop or refuse. The rest is double-quoted.
fn is_safe_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with('\n')
        && !body.ends_with('\n')
        && body.lines().all(|line| !line.starts_with(' ') && !line.ends_with(' '))
        && text.chars().all(is_plain_char)
}

fn is_plain_char(c: char) -> bool {
    match c {
        '\n' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}
