//! What was done and how it went: activity logs, health, figures for tuning, diagnostics. Everything here is pure; the
//! store writes and reads the files.

mod diagnostics;
mod health;
mod records;
mod statistics;
mod suggest;

pub use diagnostics::{LogLine, drain, install};
pub use health::{Health, HealthInput, health};
pub use records::{Compaction, Curation, Dropped, HealthSample, Recovered, RecoverySource};
pub use statistics::{Activity, Histogram, Percentiles};
pub use suggest::{Suggestion, suggest};
