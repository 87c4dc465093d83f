//! The journal: one line per event, appended under the session's lock, read by everybody (STORE.md, "Journal").

use std::fs::File;

use super::dir::{Dir, READ_CAP};
use super::line::{self, Line, NewLine};
use super::platform::Meta;
use super::{names, quarantine};
use crate::{Error, Result};

/// The current journal's name.
pub(super) const NAME: &str = "journal.jsonl";
/// How many of the last bytes read are remembered: enough for a checksum, by which a rewritten file is noticed.
const REMEMBERED: usize = 24;

/// Result of looking for new lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caught {
    /// Nothing changed, or new lines were applied.
    Up,
    /// What was read before is no longer what is there, or lines between are missing: read everything again.
    StartOver,
}

/// Whether the reader holds the session's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holding {
    /// It does: a torn tail is repaired, and a gap is a fact, not a race.
    Lock,
    /// It does not: a torn tail may be a write under way, and is left alone.
    Nothing,
}

/// A reader's and writer's place in the journal.
#[derive(Debug, Default)]
pub(super) struct Journal {
    file: Option<File>,
    inode: u64,
    offset: u64,
    remembered: Vec<u8>,
    first: Option<u64>,
    seq: u64,
    bad: u64,
    unsynced: bool,
    new_name: bool,
}

impl Journal {
    /// A reader that knows everything up to `seq` from a snapshot.
    pub(super) fn after(seq: u64) -> Self {
        Self { seq, ..Self::default() }
    }

    /// The last line's number.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Lines that could not be read.
    pub(super) fn bad(&self) -> u64 {
        self.bad
    }

    /// Bytes in the current file.
    pub(super) fn len(&self) -> u64 {
        self.offset
    }

    /// Whether something was written and not yet made durable.
    pub(super) fn is_unsynced(&self) -> bool {
        self.unsynced
    }

    /// Reads what is new. `last_try`: missing lines are accepted and counted as bad instead of asking for a new start.
    pub(super) fn catch_up(
        &mut self,
        dir: &Dir,
        holding: Holding,
        last_try: bool,
        apply: &mut dyn FnMut(&Line),
    ) -> Result<Caught> {
        let named = dir.stat(NAME)?;
        if let (Some(file), Some(named)) = (self.file.take(), named)
            && self.is_still(dir, &file, named)?
        {
            let caught = self.read_on(dir, &file, named.len, holding, apply)?;
            self.file = Some(file);
            return Ok(caught);
        }
        self.switch_file(dir, holding, last_try, apply)
    }

    /// Whether the name still stands for the file that is open.
    fn is_still(&self, dir: &Dir, file: &File, named: Meta) -> Result<bool> {
        if named.inode != 0 || self.inode != 0 {
            return Ok(named.inode == self.inode);
        }
        // Where files have no numbers: a rotated file is long, and its successor begins empty.
        Ok(dir.file_meta(file, NAME)?.is_some_and(|open| open.len == named.len))
    }

    /// The name stands for the file that is open.
    fn read_on(
        &mut self,
        dir: &Dir,
        file: &File,
        len: u64,
        holding: Holding,
        apply: &mut dyn FnMut(&Line),
    ) -> Result<Caught> {
        if len == self.offset {
            return Ok(Caught::Up);
        }
        if len < self.offset {
            return Ok(Caught::StartOver);
        }
        let known = self.remembered.len() as u64;
        let bytes = dir.read_from(file, NAME, self.offset.saturating_sub(known), READ_CAP)?;
        let Some(new) = bytes.strip_prefix(self.remembered.as_slice()) else {
            return Ok(Caught::StartOver);
        };
        self.take_lines(new, apply);
        self.repair(dir, file, holding)?;
        Ok(Caught::Up)
    }

    /// First look, or the journal was rotated: rotated files that go on from here, then the current one.
    fn switch_file(
        &mut self,
        dir: &Dir,
        holding: Holding,
        last_try: bool,
        apply: &mut dyn FnMut(&Line),
    ) -> Result<Caught> {
        let mut rotated: Vec<(u64, u64)> =
            dir.list()?.iter().filter_map(|name| names::rotated_journal(name)).collect();
        rotated.sort_unstable();
        for (first, last) in rotated {
            if last <= self.seq {
                continue;
            }
            let name = format!("journal.{first}-{last}.jsonl");
            let Some(bytes) = dir.read(&name)? else { return Ok(Caught::StartOver) };
            if !self.take_file(&bytes, last_try, apply) {
                return Ok(Caught::StartOver);
            }
            // Its last lines may be damaged: their numbers are used up all the same.
            self.seq = self.seq.max(last);
        }
        let file = match holding {
            Holding::Lock => {
                self.new_name |= dir.stat(NAME)?.is_none();
                Some(dir.open_append(NAME)?)
            }
            Holding::Nothing => dir.open_read(NAME)?,
        };
        (self.offset, self.first, self.inode) = (0, None, 0);
        self.remembered.clear();
        if let Some(file) = file {
            self.inode = dir.file_meta(&file, NAME)?.map_or(0, |meta| meta.inode);
            let bytes = dir.read_from(&file, NAME, 0, READ_CAP)?;
            if !self.take_file(&bytes, last_try, apply) {
                return Ok(Caught::StartOver);
            }
            self.repair(dir, &file, holding)?;
            self.file = Some(file);
        }
        Ok(Caught::Up)
    }

    /// Takes a file from its beginning. `false`: it begins after a gap.
    fn take_file(&mut self, bytes: &[u8], last_try: bool, apply: &mut dyn FnMut(&Line)) -> bool {
        (self.offset, self.first) = (0, None);
        self.remembered.clear();
        let first = bytes.split_inclusive(|byte| *byte == b'\n').next().and_then(Line::parse);
        if let Some(first) = first
            && first.seq > self.seq.saturating_add(1)
        {
            if !last_try {
                return false;
            }
            self.bad += 1;
            tracing::warn!(from = self.seq + 1, to = first.seq - 1, "journal lines are missing");
        }
        self.take_lines(bytes, apply);
        true
    }

    /// Applies whole lines; an unfinished one at the end is left.
    fn take_lines(&mut self, bytes: &[u8], apply: &mut dyn FnMut(&Line)) {
        let mut taken = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                break;
            }
            taken += line.len();
            match Line::parse(line) {
                Some(line) => {
                    self.first.get_or_insert(line.seq);
                    if line.seq > self.seq {
                        self.seq = line.seq;
                        apply(&line);
                    }
                }
                None if line::is_blank(line) => {}
                None => {
                    self.bad += 1;
                    tracing::warn!(after = self.seq, "skipped a damaged journal line");
                }
            }
        }
        self.offset += taken as u64;
        self.remember(bytes.get(..taken).unwrap_or(bytes));
    }

    fn remember(&mut self, taken: &[u8]) {
        self.remembered
            .extend_from_slice(taken.get(taken.len().saturating_sub(REMEMBERED)..).unwrap_or(taken));
        let surplus = self.remembered.len().saturating_sub(REMEMBERED);
        self.remembered.drain(..surplus);
    }

    /// Moves an unfinished line at the end aside and cuts back to the last line break.
    fn repair(&mut self, dir: &Dir, file: &File, holding: Holding) -> Result<()> {
        if holding == Holding::Lock {
            cut_torn_tail(dir, dir, file, NAME, self.offset)?;
        }
        Ok(())
    }

    /// Appends events with one write call. They are numbered here; nothing of them stays if the call fails.
    pub(super) fn append(
        &mut self,
        dir: &Dir,
        lines: &[NewLine],
        generation: u32,
        at: &str,
    ) -> Result<Vec<Line>> {
        let mut bytes = Vec::new();
        let mut numbered = Vec::with_capacity(lines.len());
        for (seq, line) in (self.seq + 1..).zip(lines) {
            let line = Line {
                generation: line.generation.unwrap_or(generation),
                seq,
                at: at.to_owned(),
                kind: line.kind.clone(),
                fields: line.fields.clone(),
            };
            bytes.extend(line.to_bytes()?);
            numbered.push(line);
        }
        let Some(last) = numbered.last().map(|line| line.seq) else { return Ok(numbered) };
        let Some(file) = &self.file else { return Err(not_open(dir)) };
        if let Err(error) = dir.write_once(file, NAME, &bytes) {
            dir.truncate(file, NAME, self.offset)?;
            return Err(error);
        }
        self.unsynced = true;
        self.first.get_or_insert(self.seq + 1);
        self.offset += bytes.len() as u64;
        self.remember(&bytes);
        self.seq = last;
        Ok(numbered)
    }

    /// Makes everything written so far durable. After an error the descriptor must not be synced again: the system may
    /// have forgotten what it could not write.
    pub(super) fn sync(&mut self, dir: &Dir) -> Result<()> {
        if !std::mem::take(&mut self.unsynced) {
            return Ok(());
        }
        if let Some(file) = &self.file {
            dir.sync_file(file, NAME)?;
        }
        if self.new_name {
            dir.sync()?;
            self.new_name = false;
        }
        Ok(())
    }

    /// Makes the current file durable as a whole, also what other processes wrote.
    pub(super) fn sync_whole(&mut self, dir: &Dir) -> Result<()> {
        self.unsynced = true;
        self.sync(dir)
    }

    /// Gives the current file its final name and begins the next one. Under the lock, caught up.
    pub(super) fn rotate(&mut self, dir: &Dir) -> Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        let target = format!("journal.{first}-{}.jsonl", self.seq);
        if !dir.rename_no_replace(NAME, &target)? {
            return Err(dir.refused(&target));
        }
        self.file = None;
        self.file = Some(dir.open_append(NAME)?);
        self.inode = dir.stat(NAME)?.map_or(0, |meta| meta.inode);
        (self.offset, self.first) = (0, None);
        self.remembered.clear();
        dir.sync()
    }
}

fn not_open(dir: &Dir) -> Error {
    Error::Internal { where_: dir.path().display().to_string(), what: "the journal is not open".into() }
}

/// Removes rotated journals all of whose lines are in every snapshot.
pub(super) fn remove_covered(dir: &Dir, covered: u64) -> Result<()> {
    for name in dir.list()? {
        if names::rotated_journal(&name).is_some_and(|(_, last)| last <= covered) {
            dir.unlink(&name)?;
        }
    }
    Ok(())
}

/// What stands after `end` in a file of lines is a line that was never finished: keep it aside, cut it off. Under the
/// lock only.
pub(super) fn cut_torn_tail(session: &Dir, dir: &Dir, file: &File, name: &str, end: u64) -> Result<()> {
    let tail = dir.read_from(file, name, end, READ_CAP)?;
    // Whole lines are never cut: what reads them has not come to them yet.
    if tail.is_empty() || tail.contains(&b'\n') {
        return Ok(());
    }
    match quarantine::keep_bytes(session, &format!("{name}.tail"), &tail) {
        // Nobody was told that it is there; a full disk must not keep the session from being repaired.
        Err(Error::NoSpace { .. }) => {}
        other => other?,
    }
    tracing::warn!(file = %dir.path().join(name).display(), bytes = tail.len(), "cut off an unfinished line");
    dir.truncate(file, name, end)
}
