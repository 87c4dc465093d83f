//! A shell command as words and operators: quotes taken off, comments and here-documents left out.

/// A word or an operator of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The characters, without quotes.
    pub(super) text: String,
    /// It separates, redirects or opens.
    pub(super) operator: bool,
    /// A part of it was quoted: what it holds is literal.
    pub(super) quoted: bool,
}

#[derive(Default)]
struct Reader {
    out: Vec<Word>,
    word: String,
    quoted: bool,
    /// Marks of here-documents whose bodies start at the next line.
    pending: Vec<String>,
}

/// The words of a command of any number of lines; a line's end is the operator `;`.
pub(super) fn words(command: &str) -> Vec<Word> {
    let mut reader = Reader::default();
    let mut rest = command;
    let mut quote: Option<char> = None;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        match quote {
            Some(mark) if c == mark => quote = None,
            Some('"') if c == '\\' && rest.starts_with(['"', '\\', '$', '`']) => {
                let escaped = rest.chars().next();
                reader.word.extend(escaped);
                rest = rest.get(escaped.map_or(0, char::len_utf8)..).unwrap_or("");
            }
            Some(_) => reader.word.push(c),
            None => match c {
                '\'' | '"' => {
                    quote = Some(c);
                    reader.quoted = true;
                }
                '\\' => {
                    let escaped = rest.chars().next();
                    // A line that goes on in the next one.
                    if escaped != Some('\n') {
                        reader.word.extend(escaped);
                        reader.quoted = true;
                    }
                    rest = rest.get(escaped.map_or(0, char::len_utf8)..).unwrap_or("");
                }
                '#' if reader.word.is_empty() && !reader.quoted => {
                    rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or("");
                }
                '\n' => {
                    reader.end_word();
                    reader.operator(";");
                    rest = reader.skip_documents(rest);
                }
                ';' | '|' | '&' | '>' | '<' | '(' | ')' => rest = reader.operators(c, rest),
                c if c.is_whitespace() => reader.end_word(),
                c => reader.word.push(c),
            },
        }
    }
    reader.end_word();
    reader.out
}

impl Reader {
    fn end_word(&mut self) {
        if self.word.is_empty() && !self.quoted {
            return;
        }
        let opens_document = self.out.last().is_some_and(|last| last.operator && last.text == "<<");
        if opens_document {
            self.pending.push(self.word.trim_start_matches('-').to_owned());
        }
        self.out.push(Word { text: std::mem::take(&mut self.word), operator: false, quoted: self.quoted });
        self.quoted = false;
    }

    fn operator(&mut self, text: &str) {
        self.out.push(Word { text: text.to_owned(), operator: true, quoted: false });
    }

    fn operators<'a>(&mut self, first: char, rest: &'a str) -> &'a str {
        let descriptor =
            first == '>' && !self.word.is_empty() && self.word.chars().all(|digit| digit.is_ascii_digit());
        let number = if descriptor { std::mem::take(&mut self.word) } else { String::new() };
        self.end_word();
        let same = rest.len() - rest.trim_start_matches(first).len();
        // Brackets stand each for itself.
        let mut length = if matches!(first, '(' | ')') { 0 } else { same.min(2) };
        let after = rest.get(length..).unwrap_or("");
        if first == '>' && after.starts_with('&') || first == '&' && after.starts_with('>') {
            length += 1;
        }
        let text = format!("{first}{}", rest.get(..length).unwrap_or(""));
        self.operator(if number.is_empty() || number == "1" { &text } else { "2>" });
        rest.get(length..).unwrap_or("")
    }

    fn skip_documents<'a>(&mut self, mut rest: &'a str) -> &'a str {
        for mark in std::mem::take(&mut self.pending) {
            while !rest.is_empty() {
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                rest = after;
                if line.trim() == mark {
                    break;
                }
            }
        }
        rest
    }
}
