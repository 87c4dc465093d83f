//! How full the context is: usage, zones, the gauge line (DESIGN section 3, seed 002 section 6). Nothing here writes, and
//! no figure is ever NaN: what is not known is `unknown`, and nothing is triggered by it (FAULTS E7).

mod calibration;
mod gauge;
mod latch;
mod limits;
mod measure;

pub use calibration::Calibration;
pub use gauge::{GAUGE_FROM, gauge_line};
pub use latch::{Latch, LatchPhase, LatchState, Outcome};
pub use limits::{Knobs, Limits, Thresholds, Zone};
pub use measure::{HostUsage, Measure, MeasureInput, MeasureSource, call_tokens, host_figure, measure};
