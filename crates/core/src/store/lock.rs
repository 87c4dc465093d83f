//! The kernel's lock of a session: released by the system when its holder dies, whatever lies on disk (FAULTS H5, H7).

use std::fs::File;

use fs4::{FileExt, TryLockError};

use super::dir::Dir;
use super::os_error::{self, Access};
use super::{fail, platform};
use crate::{Error, Result};

/// The lock file: never deleted, never renamed, and its mere presence means nothing.
pub(super) const NAME: &str = ".lock";

/// The descriptor on which the lock is taken.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    held: bool,
    /// No locks are used: the caller promised to be the only process.
    single_process: bool,
}

impl Lock {
    /// Opens the lock file. Read and write: NFS turns the lock into one that needs both (FAULTS H8).
    pub(super) fn open(dir: &Dir, single_process: bool) -> Result<Self> {
        Ok(Self { file: dir.open_read_write(NAME)?, held: false, single_process })
    }

    /// Takes the lock without waiting; `false`: another process has it.
    pub(super) fn try_take(&mut self, dir: &Dir) -> Result<bool> {
        if self.held {
            return Ok(true);
        }
        let path = dir.path().join(NAME);
        let attempt = || -> std::result::Result<(), TryLockError> {
            fail::check("lock", &path)?;
            FileExt::try_lock(&self.file)
        };
        match attempt() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) if os_error::means_no_locks(&error) => {
                if !self.single_process {
                    return Err(Error::LockUnsupported { path });
                }
            }
            Err(TryLockError::Error(error)) => {
                return Err(os_error::name("taking the lock", &path, Access::Write, &error));
            }
        }
        self.held = true;
        // Somebody removed or replaced the file: others lock another one, so this lock protects nothing.
        let ours = platform::file_meta(&self.file)
            .map_err(|error| os_error::name("looking at the lock", &path, Access::Read, &error))?;
        if ours.map(|meta| meta.inode) != dir.stat(NAME)?.map(|meta| meta.inode) {
            *self = Self::open(dir, self.single_process)?;
            return self.try_take(dir);
        }
        Ok(true)
    }

    /// Gives the lock back.
    pub(super) fn release(&mut self) {
        if std::mem::take(&mut self.held) && FileExt::unlock(&self.file).is_err() {
            tracing::warn!("the lock could not be given back; it goes when its descriptor closes");
        }
    }
}
