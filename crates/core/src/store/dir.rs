//! A directory of ours, and the few things that are done in one: every step is relative to its descriptor, follows no
//! link, makes files that only their owner may read, and names its error.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::os_error::{self, Access};
use super::platform::{self, Handle, How, Kind, Meta};
use super::{fail, names};
use crate::{Error, Result};

/// Largest file that is read whole, in bytes: far above anything that is written, so that a foreign file cannot fill
/// the memory.
pub(super) const READ_CAP: u64 = 256 << 20;

static TEMP_NUMBER: AtomicU64 = AtomicU64::new(0);

/// One directory.
#[derive(Debug)]
pub(super) struct Dir {
    handle: Handle,
    path: PathBuf,
}

impl Dir {
    /// Opens a directory of the host's, whose links are the host's affair. `None`: it does not exist.
    pub(super) fn open_host(path: &Path) -> Result<Option<Self>> {
        match Handle::open_host(path) {
            Ok(handle) => Ok(Some(Self { handle, path: path.into() })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(os_error::name("opening the state directory", path, Access::Read, &error)),
        }
    }

    /// The same, making it (and its parents) where it is missing.
    pub(super) fn make_host(path: &Path) -> Result<Self> {
        if let Some(dir) = Self::open_host(path)? {
            return Ok(dir);
        }
        let doing = "making the state directory";
        fail::check("mkdir", path)
            .and_then(|()| make_owner_only(path))
            .map_err(|error| os_error::name(doing, path, Access::Write, &error))?;
        Self::open_host(path)?.ok_or_else(|| Error::NotFound(format!("{} vanished", path.display())))
    }

    /// Opens a directory of ours below this one; a link there is `Refused`. `None`: it does not exist.
    pub(super) fn child(&self, name: &str) -> Result<Option<Self>> {
        let path = self.path.join(name);
        match self.handle.open_child(name) {
            Ok(handle) => Ok(Some(Self { handle, path })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(os_error::name("opening a directory", &path, Access::Read, &error)),
        }
    }

    /// The same, making it where it is missing, durably.
    pub(super) fn make_child(&self, name: &str) -> Result<Self> {
        if let Some(dir) = self.child(name)? {
            return Ok(dir);
        }
        let path = self.path.join(name);
        self.step("making a directory", "mkdir", name, || match self.handle.make_child(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()), // another process was faster
            other => other,
        })?;
        self.sync()?;
        self.child(name)?.ok_or_else(|| Error::NotFound(format!("{} vanished", path.display())))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Device and inode; `None` once it was removed.
    pub(super) fn id(&self) -> Result<Option<(u64, u64)>> {
        self.handle.id().map_err(|error| os_error::name("looking at", &self.path, Access::Read, &error))
    }

    /// Whether its path still names it.
    pub(super) fn is_in_place(&self) -> bool {
        // A path that cannot be looked at says nothing; the next real step names the error.
        self.handle.is_at(&self.path).unwrap_or(true)
    }

    /// What a name stands for; `None`: nothing.
    pub(super) fn stat(&self, name: &str) -> Result<Option<Meta>> {
        self.handle.stat(name).map_err(|error| self.named("looking at", name, Access::Read, &error))
    }

    /// Names in it, in no order.
    pub(super) fn list(&self) -> Result<Vec<String>> {
        self.handle.list().map_err(|error| os_error::name("listing", &self.path, Access::Read, &error))
    }

    /// Opens an existing file for reading; `None`: it does not exist.
    pub(super) fn open_read(&self, name: &str) -> Result<Option<File>> {
        match fail::check("open", &self.path.join(name)).and_then(|()| self.handle.open_file(name, How::Read))
        {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.named("opening", name, Access::Read, &error)),
        }
    }

    /// Opens a file for reading and appending, making it where it is missing.
    pub(super) fn open_append(&self, name: &str) -> Result<File> {
        self.step("opening", "open", name, || self.handle.open_file(name, How::Append))
    }

    /// Opens a file for reading and writing, making it where it is missing.
    pub(super) fn open_read_write(&self, name: &str) -> Result<File> {
        self.step("opening", "open", name, || self.handle.open_file(name, How::ReadWrite))
    }

    /// The whole of a file; `None`: it does not exist.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open_read(name)? else { return Ok(None) };
        let expected = file.metadata().map_or(0, |meta| meta.len().min(READ_CAP));
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0).saturating_add(1));
        file.take(READ_CAP)
            .read_to_end(&mut bytes)
            .map_err(|error| self.named("reading", name, Access::Read, &error))?;
        Ok(Some(bytes))
    }

    /// Writes a new temporary file and syncs it if `durable`. Returns its name.
    pub(super) fn write_temp(&self, bytes: &[u8], durable: bool) -> Result<String> {
        let (name, file) = loop {
            let number = TEMP_NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".tmp.{}.{number}", std::process::id());
            let path = self.path.join(&name);
            match fail::check("create", &path).and_then(|()| self.handle.open_file(&name, How::New)) {
                Ok(file) => break (name, file),
                // A leftover, or something planted: never opened, never followed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.named("making a file", &name, Access::Write, &error)),
            }
        };
        let written = self
            .write_once(&file, &name, bytes)
            .and_then(|()| if durable { self.sync_file(&file, &name) } else { Ok(()) });
        if let Err(error) = written {
            drop(file);
            let _ = self.handle.unlink(&name);
            return Err(error);
        }
        Ok(name)
    }

    /// Replaces a file as a whole: temporary file, sync, rename. The old one stays intact on any error. The directory
    /// is not synced here.
    pub(super) fn write_atomic(&self, name: &str, bytes: &[u8], durable: bool) -> Result<()> {
        if self.stat(name)?.is_some_and(|found| found.kind != Kind::File) {
            return Err(self.refused(name));
        }
        let temp = self.write_temp(bytes, durable)?;
        self.rename(&temp, name).inspect_err(|_| {
            let _ = self.handle.unlink(&temp);
        })
    }

    /// Renames over whatever has the name.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.step("renaming", "rename", to, || self.handle.rename(from, to))
    }

    /// Renames without replacing; `false`: the name is taken.
    pub(super) fn rename_no_replace(&self, from: &str, to: &str) -> Result<bool> {
        self.step("renaming", "rename", to, || self.handle.rename_no_replace(from, to))
    }

    /// Moves a file into another directory of ours, where the name must be free.
    pub(super) fn move_into(&self, from: &str, other: &Self, to: &str) -> Result<()> {
        self.step("moving", "rename", from, || self.handle.rename_into(from, &other.handle, to))
    }

    /// A second name for a file; `false` where that cannot be.
    pub(super) fn link(&self, from: &str, to: &str) -> Result<bool> {
        self.step("linking", "link", to, || self.handle.link(from, to))
    }

    /// Removes a file; one that is not there is fine.
    pub(super) fn unlink(&self, name: &str) -> Result<()> {
        self.step("removing", "unlink", name, || self.handle.unlink(name))
    }

    /// Makes names durable.
    pub(super) fn sync(&self) -> Result<()> {
        self.step("syncing a directory", "sync", "", || self.handle.sync())
    }

    /// Makes a file's bytes durable.
    pub(super) fn sync_file(&self, file: &File, name: &str) -> Result<()> {
        // `sync_data` and `sync_all` are full flushes on macOS, where the bare call is not.
        self.step("syncing", "sync", name, || file.sync_data())
    }

    /// Writes with one call. What a short or failed call leaves is for the caller to cut back.
    pub(super) fn write_once(&self, mut file: &File, name: &str, bytes: &[u8]) -> Result<()> {
        self.step("writing", "write", name, || {
            if let Some(part) = fail::short(&self.path.join(name), bytes.len()) {
                file.write_all(bytes.get(..part).unwrap_or(bytes))?;
                return Err(io::ErrorKind::StorageFull.into());
            }
            loop {
                match file.write(bytes) {
                    Ok(written) if written == bytes.len() => return Ok(()),
                    // A regular file is written short when the disk fills up on the way.
                    Ok(_) => return Err(io::ErrorKind::StorageFull.into()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        })
    }

    /// Cuts a file.
    pub(super) fn truncate(&self, file: &File, name: &str, len: u64) -> Result<()> {
        self.step("cutting", "truncate", name, || file.set_len(len))
    }

    /// What an open file is now; `None` once it has no name.
    pub(super) fn file_meta(&self, file: &File, name: &str) -> Result<Option<Meta>> {
        platform::file_meta(file).map_err(|error| self.named("looking at", name, Access::Read, &error))
    }

    /// Reads from an offset to the end, at most `cap` bytes.
    pub(super) fn read_from(&self, mut file: &File, name: &str, offset: u64, cap: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        fail::check("read", &self.path.join(name))
            .and_then(|()| file.seek(SeekFrom::Start(offset)))
            .and_then(|_| file.take(cap).read_to_end(&mut bytes))
            .map_err(|error| self.named("reading", name, Access::Read, &error))?;
        Ok(bytes)
    }

    /// Removes temporary files that a dead process left. Only under the session's lock.
    pub(super) fn sweep_temps(&self) -> Result<()> {
        for name in self.list()?.iter().filter(|name| names::is_temp(name)) {
            self.unlink(name)?;
        }
        Ok(())
    }

    /// The error for a name that is taken by something that is not a file of ours.
    pub(super) fn refused(&self, name: &str) -> Error {
        Error::Refused { path: self.path.join(name), why: "it is a link or not a regular file".into() }
    }

    fn named(&self, doing: &'static str, name: &str, access: Access, error: &io::Error) -> Error {
        os_error::name(doing, &self.path.join(name), access, error)
    }

    fn step<T>(
        &self,
        doing: &'static str,
        step: &'static str,
        name: &str,
        run: impl FnOnce() -> io::Result<T>,
    ) -> Result<T> {
        let checked = fail::check(step, &self.path.join(name));
        checked.and_then(|()| run()).map_err(|error| self.named(doing, name, Access::Write, &error))
    }
}

/// Makes a directory of the host's for its owner only.
fn make_owner_only(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir() -> (tempfile::TempDir, Dir) {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_host(temp.path()).unwrap().unwrap();
        (temp, dir)
    }

    #[test]
    fn an_atomic_write_replaces_the_whole_and_leaves_no_temporary_file() {
        let (_temp, dir) = dir();
        dir.write_atomic("a", b"long old text", true).unwrap();
        dir.write_atomic("a", b"new", true).unwrap();
        assert_eq!(dir.read("a").unwrap().unwrap(), b"new");
        assert_eq!(dir.list().unwrap(), ["a"]);
    }

    #[test]
    fn a_failing_write_leaves_the_old_file_and_nothing_else() {
        let (temp, dir) = dir();
        dir.write_atomic("a", b"old", true).unwrap();
        for nth in 0..4 {
            let armed = fail::arm(temp.path(), nth, fail::Action::FailOnce(io::ErrorKind::StorageFull));
            assert_eq!(dir.write_atomic("a", b"new", true).unwrap_err().code(), "NoSpace", "step {nth}");
            drop(armed);
            assert_eq!(dir.read("a").unwrap().unwrap(), b"old");
            assert_eq!(dir.list().unwrap(), ["a"]);
        }
    }

    #[test]
    fn a_rename_without_replacing_says_that_the_name_is_taken() {
        let (_temp, dir) = dir();
        dir.write_atomic("a", b"1", false).unwrap();
        dir.write_atomic("b", b"2", false).unwrap();
        assert!(!dir.rename_no_replace("a", "b").unwrap());
        assert!(dir.rename_no_replace("a", "c").unwrap());
        assert_eq!(dir.read("b").unwrap().unwrap(), b"2");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_at_our_names_are_refused() {
        let (temp, dir) = dir();
        let victim = temp.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink(temp.path(), temp.path().join("dirlink")).unwrap();
        std::fs::create_dir(temp.path().join("folder")).unwrap();
        for name in ["link", "folder", "dirlink"] {
            assert_eq!(dir.write_atomic(name, b"x", true).unwrap_err().code(), "Refused", "{name}");
        }
        assert_eq!(dir.read("link").unwrap_err().code(), "Refused");
        assert_eq!(dir.open_append("link").unwrap_err().code(), "Refused");
        assert_eq!(dir.read("folder").unwrap_err().code(), "Refused");
        assert_eq!(dir.child("dirlink").unwrap_err().code(), "Refused");
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    }
}
