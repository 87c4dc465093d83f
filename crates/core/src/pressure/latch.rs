//! When to ask for a compaction: once per episode of pressure, never in a storm, never silent for ever (DESIGN section 3;
//! FAULTS F1 to F3). A state machine without a clock or files: times are passed in, in milliseconds.

mod state;
#[cfg(test)]
mod tests;

pub use state::{LatchPhase, LatchState};

use serde::{Deserialize, Serialize};

/// A compaction that frees less than this share of what there was has not worked; a reading that is lower by this share
/// is a clear drop. 0..1.
const MARGIN: f64 = 0.10;
/// Tries in one episode that fail or free next to nothing, before clawback stops asking; and the compactions in a row
/// that free next to nothing, before it warns.
const MAX_TRIES: u32 = 3;
/// Readings at the old level are taken for stale for so long after a success, ms.
const COOL_DOWN: u64 = 30_000;
/// A started compaction that has not settled by then counts as failed, ms.
const TIME_OUT: u64 = 300_000;
/// First wait after a try that failed, ms; the next are four times as long each.
const BACK_OFF: u64 = 5_000;
/// Wait after the second time in a row that a compaction could not start, ms; doubled each time. The first waits for
/// nothing: the host was busy with one thing.
const BLOCKED: u64 = 1_000;
/// Longest wait after a compaction that could not start, ms.
const BLOCKED_MAX: u64 = 30_000;
/// Wait after the last try where the tries failed: what was broken may have been mended, ms.
const FAILED_HOLD: u64 = 600_000;

/// How a compaction ended, by the host's word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcome<'a> {
    /// The host says that it worked.
    pub ok: bool,
    /// Tokens of the context before it, where known.
    pub tokens_before: Option<u64>,
    /// Tokens of the context after it, where known.
    pub tokens_after: Option<u64>,
    /// Why it failed or did not start, in the host's words.
    pub reason: Option<&'a str>,
}

impl Outcome<'_> {
    /// The share of the tokens that it freed; `None` where a figure is missing.
    fn freed(&self) -> Option<f64> {
        let before = self.tokens_before.filter(|&tokens| tokens > 0)?;
        Some(1.0 - self.tokens_after? as f64 / before as f64)
    }

    /// It never began, because of what the host was doing: no try was spent.
    fn blocked(&self) -> bool {
        let words = self.reason.unwrap_or_default().to_lowercase();
        let busy = ["already running", "already compacting", "already in progress", "in progress", "busy"];
        let refused =
            ["could not start", "couldn't start", "cannot start", "not started", "did not start", "not idle"];
        !self.ok && busy.iter().chain(&refused).any(|phrase| words.contains(phrase))
    }
}

/// The latch of one session. It is kept on disk with the session, so that a restart does not ask again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Latch {
    phase: LatchPhase,
    /// When the phase began, ms.
    since: u64,
    /// How long a back-off lasts, ms; `None`: until pressure changes.
    wait: Option<u64>,
    /// The last reading was red.
    red: bool,
    /// The last reading.
    pressure: f64,
    /// The highest reading of this episode.
    peak: f64,
    /// The reading when the last compaction started.
    at_start: f64,
    /// A reading while the compaction ran showed a clear drop.
    dropped: bool,
    /// The host says that a compaction worked, and no reading has shown it yet: the reading when it started.
    unproven: Option<f64>,
    /// When the last compaction that worked, by the host's word, settled, ms.
    worked_at: u64,
    /// Tries of this episode that failed or freed next to nothing.
    tries: u32,
    /// Compactions in a row that could not start.
    blocked: u32,
    /// Compactions in a row, over all episodes, that freed next to nothing.
    fruitless: u32,
    /// The warning of this chain of tries was given.
    warned: bool,
    /// A warning that fell due and was not handed out yet.
    warning: Option<String>,
    reason: Option<String>,
}

impl Default for Latch {
    fn default() -> Self {
        Self {
            phase: LatchPhase::Idle,
            since: 0,
            wait: None,
            red: false,
            pressure: 0.0,
            peak: 0.0,
            at_start: 0.0,
            dropped: false,
            unproven: None,
            worked_at: 0,
            tries: 0,
            blocked: 0,
            fruitless: 0,
            warned: false,
            warning: None,
            reason: None,
        }
    }
}

impl Latch {
    /// A reading of the pressure: `red` when only a compaction by the host would help (mode `prune`: still red after an
    /// epoch; mode `compact`: red). What is unknown is not a reading: NaN and negative figures change nothing. Gives a
    /// warning when this reading shows that the last of the bounded tries did not help.
    pub fn observe(&mut self, red: bool, pressure: f64, now_ms: u64) -> Option<String> {
        if !pressure.is_finite() || pressure < 0.0 {
            return None;
        }
        self.expire(now_ms);
        (self.red, self.pressure) = (red, pressure);
        self.peak = self.peak.max(pressure);
        match self.phase {
            LatchPhase::Running => self.dropped |= pressure <= self.at_start * (1.0 - MARGIN),
            LatchPhase::Idle => self.observe_idle(now_ms),
            LatchPhase::Armed | LatchPhase::BackOff | LatchPhase::Exhausted => self.observe_episode(now_ms),
        }
        self.warning.take()
    }

    /// True from the first red reading of an episode until [`Latch::started`], and again when a back-off has passed and
    /// the pressure is still there.
    pub fn should_compact(&mut self, now_ms: u64) -> bool {
        self.expire(now_ms);
        self.phase == LatchPhase::Armed
    }

    /// A compaction has begun: asked for by clawback, by a person or by the host itself.
    pub fn started(&mut self, now_ms: u64) {
        self.enter(LatchPhase::Running, now_ms, None);
        self.at_start = self.pressure;
        self.dropped = false;
    }

    /// The last compactions in a row freed next to nothing.
    pub fn frees_little(&self) -> bool {
        self.fruitless >= MAX_TRIES
    }

    /// A compaction has ended. Gives a warning after the third in a row that freed less than a tenth, and when clawback
    /// stops asking after bounded tries; once, until one works.
    pub fn settled(&mut self, outcome: &Outcome<'_>, now_ms: u64) -> Option<String> {
        if self.phase != LatchPhase::Running {
            self.at_start = self.pressure; // it started without a word
        }
        self.reason = outcome.reason.map(|reason| reason.chars().take(200).collect());
        if outcome.blocked() {
            self.blocked = self.blocked.saturating_add(1);
            match self.blocked {
                1 => self.enter(LatchPhase::Armed, now_ms, None),
                n => {
                    let wait = BLOCKED.saturating_mul(1 << (n - 2).min(10)).min(BLOCKED_MAX);
                    self.enter(LatchPhase::BackOff, now_ms, Some(wait));
                }
            }
            self.forget_if_calm();
            return self.warning.take();
        }
        self.blocked = 0;
        if self.dropped {
            self.worked(now_ms); // seen with our own eyes, whatever the host says
        } else if outcome.ok && outcome.freed().is_some_and(|freed| freed < MARGIN) {
            self.failed(true, now_ms);
        } else if outcome.ok {
            self.worked_at = now_ms;
            self.unproven = Some(self.at_start);
            self.enter(LatchPhase::Idle, now_ms, None);
        } else {
            self.failed(false, now_ms);
        }
        self.warning.take()
    }

    /// The model, its window or the host's threshold changed: readings from before say nothing any more.
    pub fn limits_changed(&mut self, now_ms: u64) {
        if self.phase != LatchPhase::Running {
            let fruitless = self.fruitless;
            *self = Self { fruitless, since: now_ms, ..Self::default() };
        }
    }

    /// What status and health show.
    pub fn state(&self) -> LatchState {
        LatchState {
            phase: self.phase,
            since: self.since,
            retry_at: match (self.phase, self.wait) {
                (LatchPhase::BackOff | LatchPhase::Exhausted, Some(wait)) => {
                    Some(self.since.saturating_add(wait))
                }
                (LatchPhase::Running, _) => Some(self.since.saturating_add(TIME_OUT)),
                _ => None,
            },
            tries: self.tries,
            fruitless: self.fruitless,
            reason: self.reason.clone(),
        }
    }

    /// Idle: a red reading arms, unless it only repeats what there was before the last compaction.
    fn observe_idle(&mut self, now: u64) {
        if let Some(before) = self.unproven {
            if self.pressure <= before * (1.0 - MARGIN) {
                self.worked(now);
            } else if !passed(self.worked_at, COOL_DOWN, now) || self.pressure == before {
                return; // usage that the host has not renewed yet
            } else {
                self.unproven = None;
                return self.failed(true, now);
            }
        }
        if self.red {
            self.peak = self.pressure;
            self.enter(LatchPhase::Armed, now, None);
        }
    }

    /// Armed or waiting: a clear drop ends the episode; growth by a tenth of usable gives a latch that had given up
    /// something new to work on.
    fn observe_episode(&mut self, now: u64) {
        if !self.red && self.pressure <= self.peak * (1.0 - MARGIN) {
            self.end_episode();
            self.enter(LatchPhase::Idle, now, None);
        } else if self.phase == LatchPhase::Exhausted && self.red && self.pressure >= self.at_start + MARGIN {
            self.enter(LatchPhase::Armed, now, None);
        }
    }

    /// What time alone changes: a back-off passes, a compaction never settles.
    fn expire(&mut self, now: u64) {
        match self.phase {
            LatchPhase::Running if passed(self.since, TIME_OUT, now) => {
                self.reason = Some("a started compaction never settled".to_owned());
                if self.dropped { self.worked(now) } else { self.failed(false, now) }
            }
            LatchPhase::BackOff | LatchPhase::Exhausted
                if self.wait.is_some_and(|wait| passed(self.since, wait, now)) =>
            {
                self.enter(LatchPhase::Armed, now, None);
                self.forget_if_calm();
            }
            _ => {}
        }
    }

    /// A reading showed that the context shrank.
    fn worked(&mut self, now: u64) {
        (self.fruitless, self.unproven) = (0, None);
        self.end_episode();
        self.enter(LatchPhase::Idle, now, None);
    }

    /// A try failed (`fruitless`: it ran and freed next to nothing).
    fn failed(&mut self, fruitless: bool, now: u64) {
        self.tries = self.tries.saturating_add(1);
        if fruitless {
            self.fruitless = self.fruitless.saturating_add(1);
        }
        if self.tries >= MAX_TRIES {
            self.enter(LatchPhase::Exhausted, now, (!fruitless).then_some(FAILED_HOLD));
        } else {
            let wait = BACK_OFF.saturating_mul(4_u64.saturating_pow(self.tries - 1));
            self.enter(LatchPhase::BackOff, now, Some(wait));
        }
        let due = self.phase == LatchPhase::Exhausted || self.fruitless >= MAX_TRIES;
        if due && !self.warned {
            self.warning = Some(self.say(fruitless));
            self.warned = true;
        }
    }

    fn say(&self, fruitless: bool) -> String {
        let why = self.reason.as_deref().map(|reason| format!(" (last: {reason})")).unwrap_or_default();
        let what = if fruitless && self.fruitless >= MAX_TRIES {
            format!("{} compactions in a row freed less than 10 % of the context{why}", self.fruitless)
        } else {
            format!("{} compactions in a row did not help{why}", self.tries)
        };
        let next = match (self.phase, self.wait) {
            (LatchPhase::Exhausted, Some(_)) => {
                "clawback asks again in 10 minutes, or when the context has grown"
            }
            (LatchPhase::Exhausted, None) => {
                "clawback asks again when the context has shrunk or grown by a tenth"
            }
            _ => "what fills the context is not what compaction removes",
        };
        format!(
            "{what}; {next}. A large system prompt, pinned content or one huge message is the usual cause."
        )
    }

    /// The wait is for pressure that is no longer there.
    fn forget_if_calm(&mut self) {
        if !self.red && matches!(self.phase, LatchPhase::Armed) {
            self.end_episode();
            self.phase = LatchPhase::Idle;
        }
    }

    fn end_episode(&mut self) {
        (self.tries, self.blocked, self.warned, self.peak) = (0, 0, false, self.pressure);
    }

    fn enter(&mut self, phase: LatchPhase, now: u64, wait: Option<u64>) {
        (self.phase, self.since, self.wait) = (phase, now, wait);
    }
}

/// True when `wait` ms have gone by, or when the clock was set back by more than that (FAULTS H12).
fn passed(since: u64, wait: u64, now: u64) -> bool {
    now.abs_diff(since) >= wait
}
