//! JSON as models write it: trailing and missing commas, comments, single and curly quotes, quotes inside of strings,
//! bare words, raw line breaks, a text that ends in the middle. Strict readers refuse all that and libraries that repair
//! it complete a string that was cut off; here such a string is left out, because half a decision may say the opposite.
//! Linear in the text, at most 12 levels deep.

use serde_json::{Map, Value};

/// Deeper values are left out.
const MAX_DEPTH: usize = 12;

/// Reads the value that starts at byte `at` (a `{` or `[`). Gives what of it is complete, and where it ends.
pub fn read(text: &str, at: usize) -> (Option<Value>, usize) {
    let mut reader = Reader { text, at };
    let value = reader.value(0);
    (value, reader.at)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A value; `None` where there is none or it was cut off.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_blank();
        match self.peek()? {
            '{' if depth < MAX_DEPTH => Some(self.object(depth)),
            '[' if depth < MAX_DEPTH => Some(self.list(depth)),
            '{' | '[' => {
                self.at = self.text.len();
                None
            }
            quote if closing(quote).is_some() => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        self.bump();
        let mut fields = Map::new();
        loop {
            self.skip_separators();
            let Some(next) = self.peek() else { break };
            if next == '}' {
                self.bump();
                break;
            }
            if next == ']' {
                break; // an object that was never closed, in a list that is
            }
            let before = self.at;
            let key = match closing(next) {
                Some(_) => self.string(next),
                None => self.key(),
            };
            self.skip_blank();
            if self.peek() == Some(':') {
                self.bump();
                if let (Some(key), Some(value)) = (key, self.value(depth + 1)) {
                    fields.insert(key, value);
                }
            }
            if self.at == before {
                self.bump();
            }
        }
        Value::Object(fields)
    }

    fn list(&mut self, depth: usize) -> Value {
        self.bump();
        let mut items = Vec::new();
        loop {
            self.skip_separators();
            match self.peek() {
                None => break,
                Some(']') => {
                    self.bump();
                    break;
                }
                Some('}') => break,
                Some(_) => {
                    let before = self.at;
                    items.extend(self.value(depth + 1));
                    if self.at == before {
                        self.bump();
                    }
                }
            }
        }
        Value::Array(items)
    }

    /// A string after its opening quote; `None` if the text ends before it does.
    fn string(&mut self, open: char) -> Option<String> {
        self.bump();
        let close = closing(open)?;
        let mut out = String::new();
        while let Some(c) = self.bump() {
            if c == '\\' {
                self.escape(&mut out)?;
            } else if c == close && self.ends_here() {
                return Some(out);
            } else {
                out.push(c);
            }
        }
        None
    }

    /// Whether the quote before the present place closes its string: what follows is no part of a sentence.
    fn ends_here(&self) -> bool {
        let rest = self.rest();
        let next = rest.trim_start();
        let on_a_new_line = rest.get(..rest.len() - next.len()).is_some_and(|blank| blank.contains('\n'));
        let mut chars = next.chars();
        match chars.next() {
            None | Some('}' | ']' | ':') => true,
            Some(',') => chars
                .as_str()
                .trim_start()
                .chars()
                .next()
                .is_none_or(|c| closing(c).is_some() || "{}[]-/".contains(c) || c.is_ascii_digit()),
            Some('/') => next.starts_with("//") || next.starts_with("/*"),
            Some(c) => on_a_new_line && closing(c).is_some(),
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        match self.bump()? {
            'n' | 'r' => out.push('\n'),
            't' => out.push('\t'),
            'b' | 'f' => out.push(' '),
            'u' => {
                let unit = self.hex()?;
                let paired = (0xD800..0xDC00).contains(&unit) && self.rest().starts_with("\\u");
                let mut units = vec![unit];
                if paired {
                    self.at += 2;
                    units.push(self.hex()?);
                }
                out.push_str(&String::from_utf16_lossy(&units));
            }
            other => out.push(other),
        }
        Some(())
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    /// A key without quotes.
    fn key(&mut self) -> Option<String> {
        let word: String =
            self.rest().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
        self.at += word.len();
        (!word.is_empty()).then_some(word)
    }

    /// A value without quotes: a number, `true`, `null`, or words up to the next delimiter, which count only if there is
    /// one.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find([',', ']', '}', '\n']);
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().trim();
        self.at += end.unwrap_or(rest.len());
        match word {
            "null" | "None" | "undefined" => Some(Value::Null),
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "" => None,
            _ => match word.parse::<serde_json::Number>() {
                Ok(number) => Some(Value::Number(number)),
                Err(_) => end.map(|_| Value::String(word.to_owned())),
            },
        }
    }

    fn skip_separators(&mut self) {
        loop {
            self.skip_blank();
            match self.peek() {
                Some(',' | ';') => {
                    self.bump();
                }
                _ => return,
            }
        }
    }

    /// White space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let next = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - next.len();
            let comment = if next.starts_with("//") {
                next.find('\n')
            } else if next.starts_with("/*") {
                next.find("*/").map(|end| end + 2)
            } else {
                return;
            };
            self.at += comment.unwrap_or(next.len());
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
}

/// The quote that closes what this one opens.
fn closing(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' | '”' => Some('”'),
        '„' => Some('“'),
        '`' => Some('`'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn value(text: &str) -> Value {
        read(text, 0).0.unwrap_or(Value::Null)
    }

    #[test]
    fn what_models_write_for_json_is_read() {
        for (text, expected) in [
            (r#"{"a": ["x", "y",], }"#, json!({"a": ["x", "y"]})),
            (r#"{a: ['x' , "it's"]}"#, json!({"a": ["x", "it's"]})),
            ("{\"a\": [\"x\"\n\"y\"]} // done", json!({"a": ["x", "y"]})),
            (r#"{"a": /* why */ "say "yes" now", "b": 1}"#, json!({"a": "say \"yes\" now", "b": 1})),
            (r#"{"a": "say "yes", then go", "b": null}"#, json!({"a": "say \"yes\", then go", "b": null})),
            (r#"{“a”: “x”}"#, json!({"a": "x"})),
            (r#"{"a": "\u010cuvaj \ud83d\udd25 \"q\" \\n"}"#, json!({"a": "Čuvaj 🔥 \"q\" \\n"})),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
            (r#"{"a": {"b": ["x"]}, "a2": True}"#, json!({"a": {"b": ["x"]}, "a2": true})),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn what_was_cut_off_is_left_out_and_the_rest_is_kept() {
        for (text, expected) in [
            (r#"{"a": ["whole", "do not del"#, json!({"a": ["whole"]})),
            (r#"{"a": ["whole"], "b": "#, json!({"a": ["whole"]})),
            (r#"{"a": ["whole"], "b"#, json!({"a": ["whole"]})),
            (r#"{"a": ["whole", "x\"#, json!({"a": ["whole"]})),
            (r#"{"a": [{"what": "one"}, {"what": "tw"#, json!({"a": [{"what": "one"}, {}]})),
            (r#"[bare"#, json!([])),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn a_tower_of_brackets_ends() {
        let (value, end) = read(&"[".repeat(100_000), 0);
        assert!(value.is_some() && end == 100_000);
        let text = "{\"a\":".repeat(50_000);
        assert_eq!(read(&text, 0).1, text.len());
    }

    proptest! {
        #[test]
        fn valid_json_is_read_as_it_is(items in proptest::collection::vec("[^\\p{C}\"'“”„`]{0,20}", 0..8)) {
            let text = serde_json::to_string(&json!({"items": items})).unwrap();
            prop_assert_eq!(value(&text), json!({"items": items}));
        }

        #[test]
        fn any_text_ends_without_a_panic(text in "([\\[\\]{}\",:'\\\\n/*u0-9]|\\PC){0,80}") {
            for at in 0..text.len() {
                if text.is_char_boundary(at) {
                    let (_, end) = read(&text, at);
                    prop_assert!(end >= at && end <= text.len());
                }
            }
        }
    }
}
