//! How full the context is: usage, zones, the gauge line (DESIGN section 3, seed 002 section 6). Nothing here writes, and
//! no figure is ever NaN: what is not known is `unknown`, and nothing is triggered by it (FAULTS E7).

mod bootstrap;
mod budget;
mod calibration;
mod fence;
mod gauge;
mod latch;
mod limits;
mod lines;
mod measure;

pub use bootstrap::{BootstrapFile, truncate_bootstrap_files};
pub use budget::{Actual, Allocation, allocate_budget, limit_history};
pub use calibration::Calibration;
pub use gauge::{GAUGE_FROM, gauge_line};
pub use latch::{Latch, LatchPhase, LatchState, Outcome};
pub use limits::{Knobs, Limits, Thresholds, Zone};
pub use lines::{
    FinalStats, SUMMARY_INJECTED_LINE, bootstrap_line, final_line, semantic_line, summarized_line,
    summary_triggered_line,
};
pub use measure::{HostUsage, Measure, MeasureInput, MeasureSource, call_tokens, host_figure, measure};
