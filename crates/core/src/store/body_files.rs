//! The message bodies of one session, read beside its queue and without its lock: what search works on. Bodies are
//! only appended and segments only replaced by shorter ones, so that a reader never sees half a line.

use std::path::Path;

use super::bodies::{self, Body};
use super::dir::Dir;
use super::{names, session_file};
use crate::{Error, Result};

/// Where a body lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodySpot {
    /// Number of the segment.
    pub segment: u64,
    /// Offset within it, in bytes.
    pub offset: u64,
    /// Length of the line in bytes.
    pub len: u64,
}

/// The bodies of one session.
#[derive(Debug)]
pub struct BodyFiles {
    folder: Dir,
    key: String,
    name: String,
}

impl BodyFiles {
    /// The session `key` below `state_dir`; `None` where it has stored nothing.
    pub fn of(state_dir: &Path, key: &str) -> Result<Option<Self>> {
        let name = names::dir_name(key)?;
        let Some(session) = sessions(state_dir)?.map_or(Ok(None), |sessions| sessions.child(&name))? else {
            return Ok(None);
        };
        Ok(session.child(bodies::FOLDER)?.map(|folder| Self { folder, key: key.to_owned(), name }))
    }

    /// Every session below `state_dir` that has stored something, by name. What cannot be read is passed over.
    pub fn all(state_dir: &Path) -> Result<Vec<Self>> {
        let Some(sessions) = sessions(state_dir)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for name in sessions.list()? {
            match Self::within(&sessions, &name) {
                Ok(found) => all.extend(found),
                Err(Error::Refused { .. }) => {}
                Err(error) => tracing::warn!(%name, %error, "the messages of a session cannot be searched"),
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn within(sessions: &Dir, name: &str) -> Result<Option<Self>> {
        let Some(session) = sessions.child(name)? else { return Ok(None) };
        let Some(info) = session_file::read(&session)? else { return Ok(None) };
        if names::dir_name(&info.session_key)? != name {
            return Ok(None); // a copy made by hand
        }
        let folder = session.child(bodies::FOLDER)?;
        Ok(folder.map(|folder| Self { folder, key: info.session_key, name: name.to_owned() }))
    }

    /// The host's key of the session.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Name of the session's directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The segments, oldest first, with their lengths in bytes.
    pub fn segments(&self) -> Result<Vec<(u64, u64)>> {
        let mut segments = Vec::new();
        for number in bodies::segments_in(&self.folder)? {
            // One that is compacted away meanwhile is no segment.
            if let Some(meta) = self.folder.stat(&bodies::file_name(number))? {
                segments.push((number, meta.len));
            }
        }
        Ok(segments)
    }

    /// Shows the bodies of a segment from an offset on, in at most about `cap` bytes. Damaged lines are passed over.
    /// Returns the offset after the last whole line.
    pub fn read(
        &self,
        segment: u64,
        from: u64,
        cap: u64,
        visit: &mut dyn FnMut(Body, BodySpot),
    ) -> Result<u64> {
        let name = bodies::file_name(segment);
        let Some(file) = self.folder.open_read(&name)? else { return Ok(from) };
        let mut bytes = self.folder.read_from(&file, &name, from, cap)?;
        if !bytes.contains(&b'\n') && bytes.len() as u64 == cap {
            bytes = self.folder.read_from(&file, &name, from, super::dir::READ_CAP)?; // one long line
        }
        let mut offset = from;
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let len = line.len() as u64;
            if let Some(body) = Body::parse(line) {
                visit(body, BodySpot { segment, offset, len });
            }
            offset += len;
        }
        Ok(offset)
    }

    /// The body at a spot; `None` where the segment was rewritten since and something else is there.
    pub fn at(&self, spot: BodySpot) -> Result<Option<Body>> {
        let name = bodies::file_name(spot.segment);
        let Some(file) = self.folder.open_read(&name)? else { return Ok(None) };
        Ok(Body::parse(&self.folder.read_from(&file, &name, spot.offset, spot.len)?))
    }
}

fn sessions(state_dir: &Path) -> Result<Option<Dir>> {
    let Some(host) = Dir::open_host(state_dir)? else { return Ok(None) };
    let Some(context) = host.child("context")? else { return Ok(None) };
    context.child("sessions")
}
