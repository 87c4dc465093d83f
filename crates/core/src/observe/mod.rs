//! What was done and how it went: activity logs, health, figures for tuning, diagnostics. Everything here is pure; the
//! store writes and reads the files.

mod diagnostics;
mod records;
mod statistics;
mod suggest;

/// Part of a whole, 0..1 and above; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

pub use diagnostics::{LogLine, drain, install};
pub use records::{Compaction, Curation, Dropped, HealthSample, Recovered, RecoverySource};
pub use statistics::{Activity, Histogram, Percentiles};
pub use suggest::{Suggestion, suggest};
