//! The latch as status and health show it (FAULTS F3: the state is visible).

use serde::{Deserialize, Serialize};

/// Where the latch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LatchPhase {
    /// No pressure, or it was dealt with.
    #[default]
    Idle,
    /// A compaction is asked for.
    Armed,
    /// A compaction runs.
    Running,
    /// A try did not help; the next is due later.
    BackOff,
    /// All tries were spent; it was said once.
    Exhausted,
}

impl LatchPhase {
    /// The name in the public surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Armed => "armed",
            Self::Running => "running",
            Self::BackOff => "back-off",
            Self::Exhausted => "exhausted",
        }
    }
}

/// A readable copy of the latch's state. Times are epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatchState {
    /// Where it stands.
    pub phase: LatchPhase,
    /// Since when.
    pub since: u64,
    /// When it asks again, or gives a running compaction up; `None` when only a change of pressure does that.
    pub retry_at: Option<u64>,
    /// Tries of this episode that failed or freed next to nothing.
    pub tries: u32,
    /// Compactions in a row that freed less than a tenth.
    pub fruitless: u32,
    /// Why the last one failed, in the host's words.
    pub reason: Option<String>,
}
