//! Everything durable goes through here; nobody else touches the file system (STORE.md).
//!
//! A [`Registry`] holds all sessions of the process. A [`Handle`] queues jobs on a session: jobs under its lock
//! ([`Locked`]) append events, store message bodies and write checkpoints; reading jobs ([`Reader`]) take no lock. All
//! file work is done by the registry's few threads.
//!
//! What it is not: a database. State is what a [`SessionState`] makes of the journal's lines.

mod bodies;
mod body_files;
mod checkpoints;
mod chunk;
mod cold;
mod config_file;
mod dir;
pub mod fail;
mod import;
mod journal;
mod line;
mod lock;
mod locked;
mod logs;
mod memory;
mod mend;
mod names;
mod open;
mod os_error;
mod platform;
mod pool;
mod quarantine;
mod registry;
mod room;
mod session;
mod session_file;
mod sessions;
mod snapshots;
mod state;
#[cfg(test)]
mod sweep_tests;

pub use bodies::Body;
pub use body_files::{BodyFiles, BodySpot};
pub use checkpoints::{CheckpointFile, CheckpointInfo, Group, Inspect, StoredCheckpoint, WrittenCheckpoint};
pub use chunk::ChunkId;
pub use cold::{DropReason, DropRecord, Expired};
pub use config_file::load_config;
pub use import::OlderLayout;
pub use line::{Line, NewLine};
pub use locked::{Figures, Locked, MakeCheckpoint, Reader};
pub use logs::{Log, LogPlace};
pub use memory::give_back;
pub use names::{checkpoint_id, checkpoint_number, dir_name, sanitize_session_key_for_path};
pub use registry::{Clock, Durability, Handle, LogReader, OpenOptions, Registry, Settings, wait};
pub use session_file::SessionInfo;
pub use sessions::SessionSummary;
pub use state::{Content, READABLE_FILES, Readable, SessionState};
