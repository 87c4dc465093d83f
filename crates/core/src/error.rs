//! The one error type of the core. The addon maps each variant to a stable `code` once, at the edge.

use std::path::PathBuf;

/// Result of every fallible call of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong. The text says what, where, and what to do about it; [`Error::code`] is the stable name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An argument that no call can accept: an empty key, an ill-formed string, a text above the size limit.
    #[error("{0}")]
    InvalidInput(String),
    /// Stored or given data that does not parse, does not match its hash, or was cut off.
    #[error("{0}")]
    Corrupt(String),
    /// The checkpoint, session or chunk asked for does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Another process held the session's lock for longer than the waiting time.
    #[error("session is locked by another process: {path} (waited {waited_ms} ms); the call may be repeated")]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The file system of the state directory has no locks; `singleProcess: true` runs without them.
    #[error(
        "the file system does not support locks: {path}; set singleProcess: true if only one process uses it"
    )]
    LockUnsupported {
        /// The lock file.
        path: PathBuf,
    },
    /// The disk or the quota is full, also after room was made. Nothing that was acknowledged is lost.
    #[error("no space left while {doing}: {path}")]
    NoSpace {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// The state directory cannot be written (read-only file system or missing permission).
    #[error("cannot write while {doing}: {path}; the session is read-only until the directory is writable")]
    ReadOnly {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// Any other failure of the operating system.
    #[error("{doing} failed: {path}: {cause}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The operating system's words.
        cause: String,
    },
    /// A path that leads out of its session: a link where a file or directory of ours should be.
    #[error("refused: {path}: {why}")]
    Refused {
        /// Where.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The call needs something that is switched off or missing here.
    #[error("{0}")]
    Unsupported(String),
    /// The handle was closed.
    #[error("{0}")]
    Closed(String),
    /// A fault of ours: a panic that was caught at the boundary. The process goes on.
    #[error("internal error in {where_}: {what}; please report this")]
    Internal {
        /// The export or task.
        where_: String,
        /// The panic's message.
        what: String,
    },
}

impl Error {
    /// The error for a panic that was caught in `place`, with the panic's own message.
    pub fn from_panic(place: &str, panic: &(dyn std::any::Any + Send)) -> Self {
        let what = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "panic without a message".to_owned());
        Self::Internal { where_: place.to_owned(), what }
    }

    /// The stable code that callers test for. Codes are part of the public surface.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput(_) => "InvalidInput",
            Self::Corrupt(_) => "Corrupt",
            Self::NotFound(_) => "NotFound",
            Self::Locked { .. } => "Locked",
            Self::LockUnsupported { .. } => "LockUnsupported",
            Self::NoSpace { .. } => "NoSpace",
            Self::ReadOnly { .. } => "ReadOnly",
            Self::Io { .. } => "Io",
            Self::Refused { .. } => "Refused",
            Self::Unsupported(_) => "Unsupported",
            Self::Closed(_) => "Closed",
            Self::Internal { .. } => "Internal",
        }
    }
}
