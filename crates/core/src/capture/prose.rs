//! A reply as sentences with their place: markdown blocks, list marks, headings and quotes are read once, code fences,
//! logs and tables are told apart, so that rules look at sentences and never at sample text (FAULTS C5, C6, C8).

use super::sense::{CountWords, Seen};
use crate::text::pattern::static_regex;
use crate::text::scan;
use std::borrow::Cow;
use std::rc::Rc;

/// Longer texts are read at their start and end only (FAULTS C8).
const MAX_TEXT: usize = 48_000;
/// Longer lines are sample data, not prose.
const MAX_LINE: usize = 2_400;
/// A line shorter than this was ended on purpose, not wrapped.
const SHORT_LINE: usize = 50;
/// No reply says more than this.
const MAX_SENTENCES: usize = 1_200;

/// What kind of block a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Running text.
    Paragraph,
    /// An item of a list.
    Item,
    /// A heading, or a line that is a label alone.
    Heading,
    /// A row of a table: cells joined by `: `.
    Row,
    /// A line of a `>` quote.
    Quote,
}

/// One sentence of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The words, list marks and bold at the ends taken off, code kept.
    pub(super) text: String,
    /// Its form that rules look at: see [`super::sense`].
    pub(super) seen: Seen,
    /// The block it stands in.
    pub(super) place: Place,
    /// It opens its block.
    pub(super) first: bool,
    /// The block starts with bold text: that text.
    pub(super) bold: Option<String>,
    /// The heading above, folded; empty at the top.
    pub(super) heading: Rc<str>,
    /// The sentence above a list that introduces it, folded.
    pub(super) intro: Rc<str>,
    /// For an item with a box: checked or not.
    pub(super) checked: Option<bool>,
    /// The mark of an item without punctuation: `1`, `b`, `-`. Of a heading the marks that tell its level: `##`.
    pub(super) mark: String,
    /// The cells of a row of a table.
    pub(super) cells: Vec<String>,
    /// Number of its block, for neighbours.
    pub(super) block: usize,
}

static_regex! {
    static FENCE = r"^[ ]{0,3}(`{3,}|~{3,})(.*)$";
    static HEADING = r"^[ ]{0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$";
    static QUOTE = r"^[ ]{0,3}>[ \t]?(.*)$";
    static ITEM = r"^[ \t]*(?:([-*+•–])|\(?(\d{1,3}|[A-Za-z])[.)])[ \t]+(?:\[([ xX✓~-])\][ \t]+)?(.+)$";
    static ROW = r"^[ \t]*\|(.+)\|[ \t]*$";
    static RULE = r"^[ \t]*(?:[-*_][ \t]*){3,}$";
    static TABLE_RULE = r"^[ \t|:-]+$";
    /// A line of a log or of a shell: a time stamp, a level, a prompt, a diff mark.
    static LOG = r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\$ |(?:\[)?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b|@@ |diff --git|at [\w.$<>]+ ?\(|npm (?:ERR|WARN))";
    /// A line of its own, whatever stands around it.
    static TODO = r"^[ \t]*(?:TODO|FIXME)(?:\([^()\n]{1,40}\))?:[ \t]";
    static BOLD_ALONE = r"^(?:\*\*|__)([^*\n]{1,160})(?:\*\*|__)[.:]?$";
    static BOLD_HEAD = r"^(?:\*\*|__)([^*\n]{1,160}?)(?:\*\*|__)";
}

/// The sentences of a text, in order; headings and introductions are told to what stands under them.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut unix = bounded(text);
    if unix.contains('\r') {
        unix = Cow::Owned(unix.replace("\r\n", "\n").replace('\r', "\n"));
    }
    let mut reader = Reader { blank: true, ..Reader::default() };
    for line in unix.lines() {
        reader.line(line);
        if reader.out.len() > MAX_SENTENCES {
            break;
        }
    }
    reader.flush();
    reader.out
}

/// The whole text, or its head and tail where it is too long.
fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let (mut head, mut tail) = (MAX_TEXT / 2, text.len() - MAX_TEXT / 2);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n\n{}", text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or("")).into()
}

#[derive(Default)]
struct Reader {
    out: Vec<Sentence>,
    /// Lines of the open block.
    open: Vec<String>,
    place: Option<Place>,
    checked: Option<bool>,
    mark: String,
    heading: Rc<str>,
    intro: Rc<str>,
    fence: Option<(char, usize)>,
    table_head: Option<Vec<String>>,
    blank: bool,
    block: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some((mark, length)) = self.fence {
            let closes = FENCE.captures(line).is_some_and(|found| {
                let run = found.get(1).map_or("", |run| run.as_str());
                run.starts_with(mark)
                    && run.len() >= length
                    && found.get(2).is_some_and(|info| info.as_str().trim().is_empty())
            });
            if closes {
                self.fence = None;
            }
            return;
        }
        if let Some(run) = fence_start(line) {
            self.flush();
            self.fence = Some(run);
            return;
        }
        if line.trim().is_empty() {
            self.flush();
            self.table_head = None;
            self.blank = true;
            return;
        }
        let after_blank = std::mem::take(&mut self.blank);
        let in_list = self.place == Some(Place::Item) || !self.intro.is_empty();
        let sample = after_blank && !in_list && line.starts_with("    ");
        if sample || line.len() > MAX_LINE || (may_be_log(line) && LOG.is_match(line)) {
            self.flush();
            // All indented lines below a blank one are a sample.
            self.blank = sample;
            return;
        }
        if TODO.is_match(line) {
            self.flush();
        }
        let start = line.trim_start().as_bytes().first().copied().unwrap_or(b' ');
        if start == b'|'
            && let Some(row) = ROW.captures(line).and_then(|found| found.get(1))
        {
            self.flush();
            self.row(row.as_str());
            return;
        }
        if matches!(start, b'-' | b'*' | b'_') && RULE.is_match(line) {
            self.flush();
            return;
        }
        if start == b'#'
            && let Some(found) = HEADING.captures(line)
        {
            self.flush();
            let title = found.get(2).map_or("", |title| title.as_str()).to_owned();
            self.title(&title, found.get(1).map_or("", |level| level.as_str()));
            return;
        }
        if start == b'>'
            && let Some(quoted) = QUOTE.captures(line).and_then(|found| found.get(1))
        {
            if self.place != Some(Place::Quote) {
                self.flush();
            }
            self.start(Place::Quote, quoted.as_str());
            return;
        }
        if let Some(found) = ITEM.captures(line) {
            self.flush();
            let mark = found.get(1).or_else(|| found.get(2)).map_or("", |mark| mark.as_str());
            self.mark = mark.to_lowercase();
            self.checked = found.get(3).map(|state| !matches!(state.as_str(), " " | "~" | "-"));
            self.start(Place::Item, found.get(4).map_or("", |text| text.as_str()));
            return;
        }
        if self.place.is_none() && is_title(line.trim()) {
            self.title(line.trim(), "");
            return;
        }
        let continues = self.place.is_some() && !(self.place == Some(Place::Quote));
        if !continues || (self.place == Some(Place::Item) && !line.starts_with([' ', '\t'])) {
            self.flush();
            self.start(Place::Paragraph, line);
        } else {
            self.open.push(line.trim().to_owned());
        }
    }

    fn start(&mut self, place: Place, text: &str) {
        if place != Place::Item {
            self.mark.clear();
            self.checked = None;
        }
        self.place = Some(place);
        self.open.push(text.trim().to_owned());
    }

    fn title(&mut self, title: &str, level: &str) {
        let plain = plain(title);
        self.block += 1;
        self.push(plain.clone(), Place::Heading, true, None);
        if let Some(heading) = self.out.last_mut() {
            level.clone_into(&mut heading.mark);
        }
        // `✅ Decision` is headed `decision`.
        let words = plain.trim_end_matches(':').trim_start_matches(is_ornament);
        self.heading = super::sense::sense(words).into();
        self.intro = Rc::default();
    }

    fn row(&mut self, row: &str) {
        if TABLE_RULE.is_match(row) {
            return;
        }
        let cells: Vec<String> = row.split('|').map(|cell| plain(cell.trim())).collect();
        match &self.table_head {
            None => {
                self.intro = super::sense::sense(&cells.join(" | ")).into();
                self.table_head = Some(cells);
            }
            Some(_) => {
                self.block += 1;
                self.push(cells.join(": "), Place::Row, true, None);
                if let Some(row) = self.out.last_mut() {
                    row.cells = cells;
                }
            }
        }
    }

    /// Ends the open block and cuts it into sentences.
    fn flush(&mut self) {
        let Some(place) = self.place.take() else { return };
        let lines = std::mem::take(&mut self.open);
        let raw = join(&lines);
        let raw = raw.trim();
        if raw.is_empty() {
            return;
        }
        if place == Place::Paragraph && lines.len() == 1 && is_title(raw) {
            self.title(raw, "");
            return;
        }
        self.block += 1;
        let bold = Some(raw)
            .filter(|raw| raw.starts_with(['*', '_']))
            .and_then(|raw| BOLD_HEAD.captures(raw))
            .and_then(|found| found.get(1))
            .map(|text| text.as_str().trim().to_owned());
        let mut first = true;
        for sentence in ordinals_joined(raw) {
            let text = plain(&sentence);
            if !text.is_empty() {
                let bold = if first { bold.clone() } else { bold_whole(&sentence) };
                self.push(text, place, first, bold);
                first = false;
            }
        }
        if place == Place::Paragraph {
            self.intro = if raw.trim_end_matches(['*', '_']).ends_with([':', '?']) {
                super::sense::sense(&plain(last_sentence(raw))).into()
            } else {
                Rc::default()
            };
        }
    }

    fn push(&mut self, text: String, place: Place, first: bool, bold: Option<String>) {
        self.out.push(Sentence {
            seen: Seen::of(&text),
            text,
            place,
            first,
            bold,
            heading: Rc::clone(&self.heading),
            intro: if matches!(place, Place::Item | Place::Row | Place::Quote) {
                Rc::clone(&self.intro)
            } else {
                Rc::default()
            },
            checked: self.checked.filter(|_| place == Place::Item),
            mark: if place == Place::Item { self.mark.clone() } else { String::new() },
            cells: Vec::new(),
            block: self.block,
        });
    }
}

/// A cheap look at what [`LOG`] may start with.
fn may_be_log(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(|c: char| {
        c.is_ascii_digit() || matches!(c, '[' | '$' | '@' | 'E' | 'W' | 'I' | 'D' | 'T' | 'F')
    }) || ["diff ", "at ", "npm "].iter().any(|start| line.starts_with(start))
}

fn fence_start(line: &str) -> Option<(char, usize)> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    if !trimmed.starts_with(['`', '~']) {
        return None;
    }
    let found = FENCE.captures(trimmed)?;
    let run = found.get(1)?.as_str();
    let mark = run.chars().next()?;
    let info = found.get(2).map_or("", |info| info.as_str());
    (mark == '~' || !info.contains('`')).then_some((mark, run.len()))
}

/// A short line in bold alone without a verb's stop, or a label with its colon: it heads what follows.
fn is_title(raw: &str) -> bool {
    if !raw.starts_with(['*', '_']) {
        return false;
    }
    if let Some(inner) = BOLD_ALONE.captures(raw).and_then(|found| found.get(1)) {
        let words = inner.as_str().word_count();
        let limit = if raw.trim_end_matches('*').ends_with(':') { 9 } else { 4 };
        return words <= limit && !super::lexicon::starts_with_order(&super::sense::sense(inner.as_str()));
    }
    false
}

/// A picture before words: an emoji, a bullet, an arrow.
pub(super) fn is_ornament(c: char) -> bool {
    !c.is_alphanumeric() && (!c.is_ascii() || c == ' ') && !"„“”‘’«»…–—".contains(c)
}

/// The sentences of a block; `22. maja` and `the 3. of May` are no ends.
fn ordinals_joined(raw: &str) -> Vec<Cow<'_, str>> {
    let mut out: Vec<Cow<'_, str>> = Vec::new();
    for sentence in crate::text::sentences(raw) {
        let continues = sentence.starts_with(char::is_lowercase);
        match out.last_mut().filter(|before| continues && ends_in_ordinal(before)) {
            Some(before) => *before = format!("{before} {sentence}").into(),
            None => out.push(sentence.into()),
        }
    }
    out
}

fn ends_in_ordinal(text: &str) -> bool {
    let digits = text.strip_suffix('.').map(|head| head.trim_end_matches(|c: char| c.is_ascii_digit()));
    digits.is_some_and(|head| head.len() + 1 < text.len() && head.ends_with(' '))
}

/// The bold text that a sentence consists of, or that follows its colon.
fn bold_whole(sentence: &str) -> Option<String> {
    let inner = sentence.trim_end_matches(['.', '!', ' ']).strip_suffix("**")?;
    let (before, bold) = inner.rsplit_once("**")?;
    (before.is_empty() || before.ends_with(": ")).then(|| bold.trim().to_owned())
}

/// Soft line breaks become blanks; a line that starts anew stays a line.
fn join(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines {
        if !out.is_empty() {
            let anew = last_line(&out).len() < SHORT_LINE
                || line
                    .chars()
                    .next()
                    .is_some_and(|c| c.is_uppercase() || matches!(c, '*' | '`' | '(' | '['))
                || out.ends_with(['.', '!', '?', ':', ';']);
            out.push(if anew { '\n' } else { ' ' });
        }
        out.push_str(line);
    }
    out
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or(text)
}

fn last_sentence(text: &str) -> &str {
    crate::text::sentences(text).last().copied().unwrap_or(text)
}

/// Bold and italics taken off; code and everything else kept.
pub(super) fn plain(text: &str) -> String {
    if !scan::holds_any(text, b"*_`\n\t") && !scan::holds_pair(text, &[*b"  "]) {
        return text.trim().to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '`' => {
                code = !code;
                out.push(c);
            }
            '*' if !code && chars.peek() == Some(&'*') => {
                chars.next();
            }
            '_' if !code
                && chars.peek() == Some(&'_')
                && out.chars().last().is_none_or(|last| !last.is_alphanumeric()) =>
            {
                chars.next();
            }
            _ => out.push(c),
        }
    }
    let trimmed = out.trim().trim_matches('*').trim();
    trimmed.split_whitespace().collect::<Vec<_>>().join(" ")
}
