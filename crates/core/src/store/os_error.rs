//! The one place where errors of the operating system become [`Error`]s (STORE.md, table of errors).

use std::io;
use std::path::Path;

use crate::Error;

/// Whether the failed step was to change something: a missing permission then makes the session read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Opening or reading.
    Read,
    /// Creating, writing, syncing, renaming, removing.
    Write,
}

/// Names the error of one step at one path.
pub(super) fn name(doing: &'static str, path: &Path, access: Access, error: &io::Error) -> Error {
    use io::ErrorKind as K;
    let path = path.to_path_buf();
    match error.kind() {
        K::StorageFull | K::QuotaExceeded | K::FileTooLarge => Error::NoSpace { doing, path },
        K::ReadOnlyFilesystem => Error::ReadOnly { doing, path },
        K::PermissionDenied if access == Access::Write => Error::ReadOnly { doing, path },
        _ if is_link_refusal(error) => {
            Error::Refused { path, why: "a link or another kind of file stands where ours should be".into() }
        }
        _ => Error::Io { doing, path, cause: error.to_string() },
    }
}

/// Opening with `O_NOFOLLOW` met a link, or a file of another kind stands at the name.
fn is_link_refusal(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let refusals = [Errno::LOOP, Errno::NXIO];
        if error.raw_os_error().is_some_and(|raw| refusals.iter().any(|e| e.raw_os_error() == raw)) {
            return true;
        }
    }
    use io::ErrorKind as K;
    matches!(error.kind(), K::NotADirectory | K::IsADirectory | K::InvalidFilename)
}

/// The file system has no locks here (NFS without a lock daemon, some FUSE mounts).
pub(super) fn means_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let none = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::INVAL];
        if error.raw_os_error().is_some_and(|raw| none.iter().any(|e| e.raw_os_error() == raw)) {
            return true;
        }
    }
    error.kind() == io::ErrorKind::Unsupported
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_a_quota_and_a_file_limit_are_no_space() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge] {
            let error = name("appending", Path::new("/x"), Access::Write, &kind.into());
            assert_eq!(error.code(), "NoSpace");
        }
    }

    #[test]
    fn a_missing_permission_is_read_only_for_writers_and_an_error_for_readers() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(name("x", Path::new("/x"), Access::Write, &denied).code(), "ReadOnly");
        assert_eq!(name("x", Path::new("/x"), Access::Read, &denied).code(), "Io");
        let rofs = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        assert_eq!(name("x", Path::new("/x"), Access::Read, &rofs).code(), "ReadOnly");
    }
}
