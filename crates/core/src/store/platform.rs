//! What differs between operating systems, and nothing else. Unix works relative to descriptors and never follows a
//! link; elsewhere `symlink_metadata` is asked first, directories are not synced, and a rename that meets an open file
//! is repeated for up to a second (STORE.md, "Common").

/// What a name stands for, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) kind: Kind,
    pub(super) len: u64,
    /// Tells two files that had the same name apart; 0 where the system cannot.
    pub(super) inode: u64,
    /// Seconds since 1970, for people only.
    pub(super) modified: i64,
}

/// Kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    /// A link, a pipe, a device.
    Other,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It must exist; reading only.
    Read,
    /// Reading and writing; created where it is missing.
    ReadWrite,
    /// Reading, and writing at the end; created where it is missing.
    Append,
    /// It must not exist.
    New,
}

#[cfg(unix)]
pub(super) use unix::{Handle, file_meta};

#[cfg(not(unix))]
pub(super) use other::{Handle, file_meta};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};

    use super::{How, Kind, Meta};

    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    /// One descriptor of a directory.
    #[derive(Debug)]
    pub(in crate::store) struct Handle(File);

    fn meta(stat: &fs::Stat) -> Meta {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            _ => Kind::Other,
        };
        // The widths of these fields differ between systems.
        #[allow(clippy::unnecessary_cast, trivial_numeric_casts, reason = "u64 on Linux, narrower elsewhere")]
        Meta {
            kind,
            len: stat.st_size.max(0) as u64,
            inode: stat.st_ino as u64,
            modified: stat.st_mtime as i64,
        }
    }

    /// What an open file is now; `None` once its last name is gone.
    pub(in crate::store) fn file_meta(file: &File) -> io::Result<Option<Meta>> {
        let stat = fs::fstat(file)?;
        Ok((stat.st_nlink > 0).then(|| meta(&stat)))
    }

    /// Others may not look, whatever the umask was when it was made. A file of another owner stays as it is.
    fn tighten(file: &File, wanted: Mode) -> io::Result<()> {
        let stat = fs::fstat(file)?;
        if Mode::from_raw_mode(stat.st_mode) & Mode::from_raw_mode(0o777) != wanted {
            match fs::fchmod(file, wanted) {
                Err(rustix::io::Errno::PERM | rustix::io::Errno::ROFS) => {}
                other => other?,
            }
        }
        Ok(())
    }

    impl Handle {
        /// Opens a directory of the host's; links in its path are the host's affair.
        pub(in crate::store) fn open_host(path: &Path) -> io::Result<Self> {
            Ok(Self(File::from(fs::open(path, DIRECTORY, Mode::empty())?)))
        }

        /// Opens a directory of ours below this one and tightens it.
        pub(in crate::store) fn open_child(&self, name: &str) -> io::Result<Self> {
            let file = File::from(fs::openat(&self.0, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?);
            tighten(&file, Mode::RWXU)?;
            Ok(Self(file))
        }

        pub(in crate::store) fn make_child(&self, name: &str) -> io::Result<()> {
            Ok(fs::mkdirat(&self.0, name, Mode::RWXU)?)
        }

        pub(in crate::store) fn open_file(&self, name: &str, how: How) -> io::Result<File> {
            // NONBLOCK: a pipe planted at the name must not hang the thread; it means nothing for regular files.
            let common = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let flags = common
                | match how {
                    How::Read => OFlags::RDONLY,
                    How::ReadWrite => OFlags::RDWR | OFlags::CREATE,
                    How::Append => OFlags::RDWR | OFlags::CREATE | OFlags::APPEND,
                    How::New => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
                };
            let owner_only = Mode::RUSR | Mode::WUSR;
            let file = File::from(fs::openat(&self.0, name, flags, owner_only)?);
            if meta(&fs::fstat(&file)?).kind != Kind::File {
                return Err(rustix::io::Errno::NXIO.into());
            }
            tighten(&file, owner_only)?;
            Ok(file)
        }

        pub(in crate::store) fn stat(&self, name: &str) -> io::Result<Option<Meta>> {
            match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => Ok(Some(meta(&stat))),
                Err(rustix::io::Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        pub(in crate::store) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(fs::renameat(&self.0, from, &self.0, to)?)
        }

        /// Moves a file into another directory of ours; the caller has seen to it that the name is free.
        pub(in crate::store) fn rename_into(&self, from: &str, other: &Self, to: &str) -> io::Result<()> {
            Ok(fs::renameat(&self.0, from, &other.0, to)?)
        }

        /// `false`: the name is taken, nothing was done.
        pub(in crate::store) fn rename_no_replace(&self, from: &str, to: &str) -> io::Result<bool> {
            use rustix::io::Errno;
            #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
            match fs::renameat_with(&self.0, from, &self.0, to, fs::RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(true),
                Err(Errno::EXIST) => return Ok(false),
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {} // an old kernel or file system: link instead
                Err(error) => return Err(error.into()),
            }
            match fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
                Ok(()) => {
                    self.unlink(from)?;
                    Ok(true)
                }
                Err(Errno::EXIST) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }

        /// A second name for a file; `false` where the file system has no such thing.
        pub(in crate::store) fn link(&self, from: &str, to: &str) -> io::Result<bool> {
            use rustix::io::Errno;
            match fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
                Ok(()) => Ok(true),
                Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT | Errno::MLINK) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }

        pub(in crate::store) fn unlink(&self, name: &str) -> io::Result<()> {
            match fs::unlinkat(&self.0, name, AtFlags::empty()) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }

        /// Names in the directory; names that are not UTF-8 are not ours.
        pub(in crate::store) fn list(&self) -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in fs::Dir::read_from(&self.0)? {
                if let Ok(name) = entry?.file_name().to_str()
                    && name != "."
                    && name != ".."
                {
                    names.push(name.to_owned());
                }
            }
            Ok(names)
        }

        pub(in crate::store) fn sync(&self) -> io::Result<()> {
            self.0.sync_all()
        }

        /// Device and inode; `None` once the directory was removed.
        pub(in crate::store) fn id(&self) -> io::Result<Option<(u64, u64)>> {
            let stat = fs::fstat(&self.0)?;
            #[allow(
                clippy::unnecessary_cast,
                trivial_numeric_casts,
                reason = "u64 on Linux, narrower elsewhere"
            )]
            Ok((stat.st_nlink > 0).then_some((stat.st_dev as u64, stat.st_ino as u64)))
        }

        /// Whether `path` still names this directory.
        pub(in crate::store) fn is_at(&self, path: &Path) -> io::Result<bool> {
            match fs::lstat(path) {
                #[allow(clippy::unnecessary_cast, trivial_numeric_casts, reason = "as above")]
                Ok(stat) => Ok(self.id()? == Some((stat.st_dev as u64, stat.st_ino as u64))),
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{self, File, OpenOptions};
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant, UNIX_EPOCH};

    use super::{How, Kind, Meta};

    /// Longest time for which a rename that meets an open file is repeated.
    const RENAME_PATIENCE: Duration = Duration::from_secs(1);

    /// A directory by its path.
    #[derive(Debug)]
    pub(in crate::store) struct Handle(PathBuf);

    fn meta(of: &fs::Metadata) -> Meta {
        let kind = if of.file_type().is_symlink() {
            Kind::Other
        } else if of.is_dir() {
            Kind::Directory
        } else if of.is_file() {
            Kind::File
        } else {
            Kind::Other
        };
        let modified = of.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|age| i64::try_from(age.as_secs()).ok()).unwrap_or(0);
        Meta { kind, len: of.len(), inode: 0, modified }
    }

    fn refuse() -> io::Error {
        io::Error::from(io::ErrorKind::NotADirectory)
    }

    pub(in crate::store) fn file_meta(file: &File) -> io::Result<Option<Meta>> {
        Ok(Some(meta(&file.metadata()?)))
    }

    /// Scanners and editors hold files open for moments (errors 5, 32 and 33): wait, but never copy over.
    fn patiently(mut step: impl FnMut() -> io::Result<()>) -> io::Result<()> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match step() {
                Err(error)
                    if matches!(error.raw_os_error(), Some(5 | 32 | 33))
                        && started.elapsed() < RENAME_PATIENCE =>
                {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                other => return other,
            }
        }
    }

    impl Handle {
        pub(in crate::store) fn open_host(path: &Path) -> io::Result<Self> {
            if fs::metadata(path)?.is_dir() { Ok(Self(path.into())) } else { Err(refuse()) }
        }

        pub(in crate::store) fn open_child(&self, name: &str) -> io::Result<Self> {
            let path = self.0.join(name);
            match meta(&fs::symlink_metadata(&path)?).kind {
                Kind::Directory => Ok(Self(path)),
                _ => Err(refuse()),
            }
        }

        pub(in crate::store) fn make_child(&self, name: &str) -> io::Result<()> {
            fs::create_dir(self.0.join(name))
        }

        pub(in crate::store) fn open_file(&self, name: &str, how: How) -> io::Result<File> {
            let path = self.0.join(name);
            match self.stat(name)? {
                Some(found) if found.kind != Kind::File => return Err(refuse()),
                _ => {}
            }
            let mut options = OpenOptions::new();
            match how {
                How::Read => options.read(true),
                How::ReadWrite => options.read(true).write(true).create(true).truncate(false),
                How::Append => options.read(true).append(true).create(true),
                How::New => options.read(true).write(true).create_new(true),
            };
            options.open(path)
        }

        pub(in crate::store) fn stat(&self, name: &str) -> io::Result<Option<Meta>> {
            match fs::symlink_metadata(self.0.join(name)) {
                Ok(found) => Ok(Some(meta(&found))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }

        pub(in crate::store) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            patiently(|| fs::rename(self.0.join(from), self.0.join(to)))
        }

        pub(in crate::store) fn rename_into(&self, from: &str, other: &Self, to: &str) -> io::Result<()> {
            patiently(|| fs::rename(self.0.join(from), other.0.join(to)))
        }

        /// `false`: the name is taken, nothing was done. A hard link never replaces.
        pub(in crate::store) fn rename_no_replace(&self, from: &str, to: &str) -> io::Result<bool> {
            match fs::hard_link(self.0.join(from), self.0.join(to)) {
                Ok(()) => {
                    self.unlink(from)?;
                    Ok(true)
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(_) if self.stat(to)?.is_some() => Ok(false),
                // No hard links here (FAT): the session's lock is held, so nobody else makes this name meanwhile.
                Err(_) => self.rename(from, to).map(|()| true),
            }
        }

        pub(in crate::store) fn link(&self, from: &str, to: &str) -> io::Result<bool> {
            Ok(fs::hard_link(self.0.join(from), self.0.join(to)).is_ok())
        }

        pub(in crate::store) fn unlink(&self, name: &str) -> io::Result<()> {
            patiently(|| match fs::remove_file(self.0.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                other => other,
            })
        }

        pub(in crate::store) fn list(&self) -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in fs::read_dir(&self.0)? {
                names.extend(entry?.file_name().into_string().ok());
            }
            Ok(names)
        }

        /// Windows cannot sync a directory.
        pub(in crate::store) fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        pub(in crate::store) fn id(&self) -> io::Result<Option<(u64, u64)>> {
            match fs::canonicalize(&self.0) {
                Ok(path) => {
                    let mut hasher = DefaultHasher::new();
                    path.hash(&mut hasher);
                    Ok(Some((0, hasher.finish())))
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }

        pub(in crate::store) fn is_at(&self, path: &Path) -> io::Result<bool> {
            Ok(path.is_dir())
        }
    }
}
