//! What no reader can use is set aside for good, so that it is met once and not at every look. The bytes go to
//! quarantine; blanks take the place of a damaged line, so that every other one stays where other processes know it to be.

use std::collections::HashSet;

use super::bodies::Body;
use super::checkpoints::{self, Inspect};
use super::cold::{DropRecord, Shelf};
use super::dir::Dir;
use super::journal::{self, Holding};
use super::locked::Locked;
use super::state::SessionState;
use super::{line, names, quarantine};
use crate::Result;

impl<S: SessionState> Locked<'_, S> {
    /// Writes the snapshots, and sets aside damaged lines of the journal, of message bodies and of drop records, and
    /// checkpoints that `inspect` refuses. A drop record whose message is gone expires. Nothing readable is lost.
    pub fn mend(&mut self, inspect: Inspect<'_>) -> Result<()> {
        self.snapshot()?;
        let next_seq = self.open.journal.seq() + 1;
        let dir = &self.open.dir;
        for name in dir.list()? {
            if name == journal::NAME || names::rotated_journal(&name).is_some() {
                blank_damaged(dir, dir, &name, || Ok(()))?;
            }
        }
        self.open.bodies.blank_damaged(dir, next_seq)?;
        self.open.cold.blank_damaged(dir)?;
        checkpoints::set_damaged_aside(dir, inspect)?;
        dir.sync()?;
        self.open.start_over(self.address, Holding::Lock, &self.now)?;
        self.bury_lost()
    }

    fn bury_lost(&mut self) -> Result<()> {
        let mut stored = HashSet::new();
        self.open.bodies.scan(&self.open.dir, &mut |body: Body| {
            stored.insert(body.chunk_id);
            true
        })?;
        let mut lost = Vec::new();
        self.open.cold.scan(&self.open.dir, &mut |record: DropRecord| {
            if stored.insert(record.chunk_id) {
                lost.push(record.chunk_id);
            }
            true
        })?;
        if lost.is_empty() { Ok(()) } else { self.open.cold.bury(&self.open.dir, &lost, &self.now) }
    }
}

impl Shelf {
    fn blank_damaged(&mut self, session: &Dir) -> Result<()> {
        let Some(folder) = session.child(super::cold::FOLDER)? else { return Ok(()) };
        for name in folder.list()?.into_iter().filter(|name| names::cold_month(name).is_some()) {
            if blank_damaged(session, &folder, &name, || Ok(()))? {
                *self = Self::default();
            }
        }
        Ok(())
    }
}

/// Blanks the damaged lines of a file, kept in quarantine first. `before` is called before the file is replaced. Returns
/// whether there were any.
pub(super) fn blank_damaged(
    session: &Dir,
    folder: &Dir,
    name: &str,
    before: impl FnOnce() -> Result<()>,
) -> Result<bool> {
    let Some(mut bytes) = folder.read(name)? else { return Ok(false) };
    let mut damaged = Vec::new();
    for line in bytes.split_inclusive_mut(|byte| *byte == b'\n') {
        if let Some((b'\n', content)) = line.split_last_mut()
            && !line::is_blank(content)
            && line::checked(content).is_none()
        {
            damaged.extend_from_slice(content);
            damaged.push(b'\n');
            content.fill(b' ');
        }
    }
    if damaged.is_empty() {
        return Ok(false);
    }
    quarantine::keep_bytes(session, &format!("{name}.lines"), &damaged)?;
    before()?;
    folder.write_atomic(name, &bytes, true)?;
    folder.sync()?;
    Ok(true)
}
