//! Opening a transcript and reading it batch by batch.

use super::claude::{Claude, Decoded};
use super::codex::Codex;
use super::event::{Batch, Event, Format, Problem, Stats};
use super::fields::text;
use super::format::{Recognised, header, is_openclaw, recognise};
use super::json::{parse, trimmed};
use super::lines::{Line, Lines};
use super::path::{LivePath, PathBuilder};
use super::pi::Pi;
use crate::{Error, Result};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

/// How a transcript is read.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Deliver only the path to the last entry (default). `false`: every entry in file order.
    pub live_path_only: bool,
    /// A line above so many bytes is reported and passed over. Default 64 MB.
    pub max_line_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { live_path_only: true, max_line_bytes: 64 * 1024 * 1024 }
    }
}

/// How many readable entries may come before the first one that tells the format.
const UNKNOWN_ENTRIES: usize = 200;
/// Problems in one batch at most, so that a file of garbage does not fill the memory.
const PROBLEMS_PER_BATCH: usize = 256;
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Reads a transcript from beginning to end. Entries that are appended meanwhile do not count.
pub struct TranscriptReader<R = File> {
    lines: Lines<Take<R>>,
    path: PathBuf,
    total: u64,
    recognised: Recognised,
    live: Option<LivePath>,
    decoder: Decoder,
    ready: VecDeque<Event>,
    stats: Stats,
    done: bool,
}

enum Decoder {
    Pi(Pi),
    Claude(Claude),
    Codex(Codex),
}

/// What the first pass found.
struct Survey {
    recognised: Recognised,
    header: Event,
    live: Option<LivePath>,
}

impl TranscriptReader<File> {
    /// Opens a transcript and recognises its format.
    ///
    /// # Errors
    /// `NotFound`; `InvalidInput` for what is no regular file; `Unsupported`, naming what was seen, for a format that
    /// is not known; `Corrupt` for a file without any readable entry; `Io`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Options::default())
    }

    /// As [`Self::open`], with options.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        // Asked before opening: opening a pipe would wait for its writer.
        let metadata = std::fs::metadata(path).map_err(|error| opening(path, &error))?;
        if !metadata.is_file() {
            let what = if metadata.is_dir() { "a directory" } else { "no regular file" };
            return Err(Error::InvalidInput(format!(
                "{} is {what}; a transcript file is needed",
                path.display()
            )));
        }
        let file = File::open(path).map_err(|error| opening(path, &error))?;
        Self::from_source(file, path, options)
    }
}

impl<R: Read + Seek> TranscriptReader<R> {
    /// Reads from any source that can be rewound; `name` stands in messages.
    ///
    /// # Errors
    /// As [`TranscriptReader::open`].
    pub fn from_source(mut source: R, name: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = name.as_ref().to_path_buf();
        let failed = |error: io::Error| reading(&path, &error);
        let total = source.seek(SeekFrom::End(0)).map_err(failed)?;
        source.rewind().map_err(failed)?;
        let mut lines = Lines::new(source.take(total), options.max_line_bytes);
        let survey = survey(&mut lines, &path, options)?;
        let mut source = lines.into_inner().into_inner();
        source.rewind().map_err(failed)?;
        let decoder = match survey.recognised.format {
            Format::Pi | Format::OpenClaw => Decoder::Pi(Pi::default()),
            Format::Claude => Decoder::Claude(Claude::default()),
            Format::Codex => Decoder::Codex(Codex::default()),
        };
        Ok(Self {
            lines: Lines::new(source.take(total), options.max_line_bytes),
            path,
            total,
            recognised: survey.recognised,
            live: survey.live,
            decoder,
            ready: VecDeque::from([survey.header]),
            stats: Stats::default(),
            done: false,
        })
    }

    /// The next events, at most `max_events` of them and about `max_bytes` of the file (at least one line);
    /// `None` behind [`Event::End`].
    ///
    /// # Errors
    /// `Io` when the file cannot be read on. Damaged lines are no errors: they are in [`Batch::problems`].
    pub fn next_batch(&mut self, max_events: usize, max_bytes: usize) -> Result<Option<Batch>> {
        if self.done && self.ready.is_empty() {
            return Ok(None);
        }
        let mut batch = Batch { bytes_total: self.total, ..Batch::default() };
        let start = self.lines.offset();
        loop {
            while batch.events.len() < max_events.max(1)
                && let Some(event) = self.ready.pop_front()
            {
                batch.events.push(event);
            }
            let full = batch.events.len() >= max_events.max(1)
                || batch.problems.len() >= PROBLEMS_PER_BATCH
                || self.lines.offset() - start >= max_bytes.max(1) as u64;
            if full || (self.done && self.ready.is_empty()) {
                break;
            }
            self.read_line(&mut batch.problems)?;
        }
        batch.bytes_read = self.lines.offset();
        Ok(Some(batch))
    }

    /// Reads one line into `ready`.
    fn read_line(&mut self, problems: &mut Vec<Problem>) -> Result<()> {
        let line = self.lines.next().map_err(|error| reading(&self.path, &error))?;
        let (number, parsed) = match line {
            None => {
                self.finish();
                return Ok(());
            }
            Some(Line::TooLong { number, length }) => {
                let why = format!("a line of {length} bytes, above the limit; skipped");
                self.stats.problems += 1;
                problems.push(Problem { line: number, why });
                return Ok(());
            }
            Some(Line::Whole { number, bytes, ended }) => (number, parse(bytes, ended)),
        };
        let mut report = |why: String| {
            self.stats.problems += 1;
            problems.push(Problem { line: number, why });
        };
        if let Some(why) = parsed.why {
            report(why);
        }
        for entry in parsed.entries {
            if let Decoder::Pi(pi) = &mut self.decoder
                && !self.recognised.is_tree()
            {
                pi.count_entry(number);
            }
            let is_header = text(&entry, "type") == Some("session");
            if !is_header && self.live.as_ref().is_some_and(|live| !live.contains(number)) {
                continue;
            }
            let decoded = match &mut self.decoder {
                Decoder::Pi(pi) => pi.decode(number, entry, self.live.as_ref()).map(|event| vec![event]),
                Decoder::Codex(codex) => Ok(vec![codex.decode(number, entry)]),
                Decoder::Claude(claude) => match claude.decode(number, entry) {
                    Ok(Decoded::Events(events)) => Ok(events),
                    Ok(Decoded::OffPath) => {
                        self.stats.off_path += 1;
                        continue;
                    }
                    Err(why) => Err(why),
                },
            };
            match decoded {
                Ok(mut events) => {
                    // The header was the first event.
                    events.retain(|event| !is_header || !matches!(event, Event::Other { .. }));
                    self.stats.entries += 1;
                    let messages =
                        events.iter().filter(|event| matches!(event, Event::Message { .. })).count();
                    self.stats.messages += messages as u64;
                    self.ready.extend(events);
                }
                Err(why) => report(why),
            }
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.done = true;
        if let Decoder::Claude(claude) = &mut self.decoder {
            self.ready.extend(claude.finish());
        }
        self.stats.lines = self.lines.number();
        if let Some(live) = &self.live {
            self.stats.off_path = live.off_path();
            self.stats.relinked = live.relinked();
        }
        self.ready.push_back(Event::End(self.stats));
    }
}

/// The first pass: up to the entry that tells the format, and for a tree to the end.
fn survey<R: Read>(lines: &mut Lines<R>, path: &Path, options: Options) -> Result<Survey> {
    let mut found: Option<(Recognised, u64, Map<String, Value>)> = None;
    let mut builder = PathBuilder::default();
    let mut openclaw = false;
    let mut seen: Option<String> = None;
    let mut readable = 0;
    while let Some(line) = lines.next().map_err(|error| reading(path, &error))? {
        let Line::Whole { number, bytes, ended } = line else { continue };
        if number == 1 {
            refuse_binary(bytes, path)?;
        }
        let parsed = parse(bytes, ended);
        if seen.is_none() && parsed.entries.is_empty() {
            seen = described_text(number, bytes);
        }
        for entry in parsed.entries {
            readable += 1;
            if readable == 1 {
                seen = Some(described(number, &entry));
            }
            if found.is_none() {
                found = recognise(&entry).map(|recognised| (recognised, number, entry.clone()));
            }
            openclaw |= is_openclaw(&entry);
            builder.add(number, &entry);
        }
        let linear = found.as_ref().is_some_and(|(recognised, ..)| !recognised.is_tree());
        if linear || (found.is_none() && readable >= UNKNOWN_ENTRIES) {
            break;
        }
    }
    let Some((mut recognised, number, entry)) = found else {
        return Err(not_recognised(path, readable, seen));
    };
    if recognised.format == Format::Pi && recognised.is_tree() && openclaw {
        recognised.format = Format::OpenClaw;
    }
    let live = recognised.is_tree().then(|| builder.finish(options.live_path_only));
    Ok(Survey { recognised, header: header(recognised, number, &entry), live })
}

fn refuse_binary(first_line: &[u8], path: &Path) -> Result<()> {
    let what = if first_line.starts_with(SQLITE_MAGIC) {
        "an SQLite database; export the session as JSONL"
    } else if first_line.starts_with(b"\x1F\x8B") || first_line.starts_with(b"\x28\xB5\x2F\xFD") {
        "a compressed file; unpack it first"
    } else if first_line.starts_with(b"\xFF\xFE") || first_line.starts_with(b"\xFE\xFF") {
        "UTF-16 text; a transcript is UTF-8"
    } else {
        return Ok(());
    };
    Err(Error::Unsupported(format!("{} is {what}", path.display())))
}

fn not_recognised(path: &Path, readable: usize, seen: Option<String>) -> Error {
    let path = path.display();
    let Some(seen) = seen else {
        return Error::Corrupt(format!("{path} has no entries: it is empty or blank"));
    };
    if readable == 0 {
        return Error::Unsupported(format!(
            "{path} is not a transcript of JSON lines: no line is a JSON object; seen: {seen}"
        ));
    }
    Error::Unsupported(format!(
        "{path} is not a transcript that clawback reads (Pi, OpenClaw, Claude Code or Codex JSONL); seen: {seen}"
    ))
}

/// An entry's kind and keys, for the message about an unknown format.
fn described(line: u64, entry: &Map<String, Value>) -> String {
    const KEYS: usize = 8;
    let short = |text: &str| text.chars().take(40).collect::<String>();
    let keys: Vec<String> = entry.keys().take(KEYS).map(|key| short(key)).collect();
    let more = if entry.len() > KEYS { ", ..." } else { "" };
    let kind = text(entry, "type").map(|kind| format!(" of type {:?}", short(kind))).unwrap_or_default();
    format!("line {line}: an object{kind} with keys {}{more}", keys.join(", "))
}

fn described_text(line: u64, bytes: &[u8]) -> Option<String> {
    let text = trimmed(bytes);
    let start = String::from_utf8_lossy(text.get(..60).unwrap_or(text));
    (!text.is_empty()).then(|| format!("line {line}: {start:?}"))
}

fn opening(path: &Path, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::NotFound(format!("transcript not found: {}", path.display()));
    }
    Error::Io { doing: "opening the transcript", path: path.to_path_buf(), cause: error.to_string() }
}

fn reading(path: &Path, error: &io::Error) -> Error {
    Error::Io { doing: "reading the transcript", path: path.to_path_buf(), cause: error.to_string() }
}
