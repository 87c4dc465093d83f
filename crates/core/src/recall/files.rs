//! The directory that tantivy works in: its own for writing and locks, but files are read, not mapped. A mapped file that
//! is cut short by somebody else ends the process at the next look (SIGBUS); a read only fails, and the index is made
//! again. Files are made for their owner only.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle,
    WritePtr,
};

/// A directory of index files.
#[derive(Debug, Clone)]
pub(super) struct Files {
    inner: MmapDirectory,
    path: PathBuf,
}

impl Files {
    /// Opens an existing directory.
    pub(super) fn open(path: &Path) -> tantivy::Result<Self> {
        Ok(Self { inner: MmapDirectory::open(path)?, path: path.to_owned() })
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if !cfg!(unix) {
            return self.inner.get_file_handle(path); // where a mapped file cannot be cut
        }
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::IoError { io_error: Arc::new(error), filepath: path.to_owned() },
        };
        let file = File::open(self.path.join(path)).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        Ok(Arc::new(Handle { file, len: usize::try_from(len).unwrap_or(usize::MAX) }))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let writer = self.inner.open_write(path)?;
        keep_private(&self.path.join(path));
        Ok(writer)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)?;
        keep_private(&self.path.join(path));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let held = self.inner.acquire_lock(lock)?;
        keep_private(&self.path.join(&lock.filepath));
        Ok(held)
    }

    fn watch(&self, watch_callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(watch_callback)
    }
}

/// Tantivy makes files as the umask says; the directory keeps others out, and this the files too.
fn keep_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

struct Handle {
    file: File,
    len: usize,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("len", &self.len).finish_non_exhaustive()
    }
}

impl HasLen for Handle {
    fn len(&self) -> usize {
        self.len
    }
}

impl FileHandle for Handle {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.end > self.len || range.start > range.end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; range.len()];
        read_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
