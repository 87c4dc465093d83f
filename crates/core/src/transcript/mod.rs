//! Readers of host transcripts (DESIGN section 2): Pi session JSONL of versions 1 to 3, OpenClaw's JSONL exports, and
//! as best effort the transcripts of Claude Code and Codex. Streaming: one line is in memory at a time, whatever the
//! size of the file. Nothing is ever written.

mod claude;
mod codex;
mod event;
mod fields;
mod format;
mod json;
mod lines;
mod path;
mod pi;
mod reader;

pub use event::{Batch, Event, FirstKept, Format, Problem, Stats};
pub use reader::{Options, TranscriptReader};
