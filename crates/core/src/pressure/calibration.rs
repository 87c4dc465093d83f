//! What the host's usage teaches about our estimates: the overhead of a request and how a model's tokens relate to ours
//! (DESIGN section 3, Calibration; FAULTS E3, E5, E6). Pure and small; kept on disk with the session.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// The ratio is never believed to be outside of this.
const RATIO: (f64, f64) = (0.7, 1.5);
/// Calls of distinct sizes that the overhead is learned from at least.
const ENOUGH: usize = 8;
/// Calls that are kept; older ones are forgotten, so that another model or other tools are learned.
const KEPT: usize = 32;
/// Two calls are of one size when their estimates differ by less than this share.
const SAME_SIZE: f64 = 0.005;
/// The ratio is learned when the estimates of the calls differ by this many tokens, and by this share of the largest.
const SPREAD: (f64, f64) = (2_000.0, 0.25);
/// A figure that is farther than this share from what was expected is not believed, unless it is said again and again.
const OUTLIER: f64 = 0.35;
/// So many unbelievable figures in a row mean that the host has changed.
const CHANGED: usize = 4;
/// Calls that scatter around the line by more than this share teach nothing.
const SCATTER: f64 = 0.15;
/// No window comes near it.
const MAX_TOKENS: u64 = 1_000_000_000;

/// One call: what the host reported and what we had estimated for the same messages, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Call {
    host: u64,
    estimate: u64,
}

/// What was learned from the host's usage. Figures of the whole request = overhead + ratio * estimate of the history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Calibration {
    /// The last calls of distinct sizes, oldest first.
    calls: Vec<Call>,
    /// The last call that was believed: the anchor of [`Calibration::tokens`].
    last: Option<Call>,
    /// Calls in a row that were not believed.
    doubted: Vec<Call>,
    /// Overhead and ratio, once learned.
    fit: Option<Fit>,
    /// Calls that were believed, in all.
    seen: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Fit {
    overhead: f64,
    ratio: f64,
}

impl Fit {
    fn tokens(&self, estimate: f64) -> f64 {
        self.overhead + self.ratio * estimate
    }
}

impl Calibration {
    /// A call: tokens of the whole request by the host or its provider, and our estimate of the same history without
    /// overhead. Gives true when the figure was believed. A figure that is repeated for another history is stale (E6); one
    /// far below the estimate counts only new input, one far above is a sum over several calls (E5).
    pub fn observe(&mut self, host_tokens: u64, estimated_history_tokens: u64) -> bool {
        let call = Call { host: host_tokens, estimate: estimated_history_tokens };
        if call.host == 0 || call.estimate == 0 || call.host > MAX_TOKENS || call.estimate > MAX_TOKENS {
            return false;
        }
        if let Some(last) = self.last
            && last.host == call.host
            && !same_size(last, call)
        {
            return false;
        }
        if !self.believable(call) {
            self.doubted.push(call);
            if self.doubted.len() < CHANGED {
                return false;
            }
            // said again and again: what was learned before is about another host
            let calls = std::mem::take(&mut self.doubted);
            *self = Self { seen: self.seen, ..Self::default() };
            calls.into_iter().for_each(|call| self.learn(call));
            return true;
        }
        self.doubted.clear();
        self.learn(call);
        true
    }

    /// Tokens of system prompt, tools and whatever else the host sends besides the history; `None` until it was learned
    /// from 8 calls of distinct sizes.
    pub fn overhead(&self) -> Option<u64> {
        self.fit.filter(|_| self.calls.len() >= ENOUGH).map(|fit| fit.overhead.round() as u64)
    }

    /// Tokens of the model for one of our estimate, 0.7..1.5; 1 until it was learned.
    pub fn ratio(&self) -> f64 {
        self.fit.filter(|_| self.calls.len() >= ENOUGH).map_or(1.0, |fit| fit.ratio)
    }

    /// Calls that were believed so far.
    pub fn calls(&self) -> u64 {
        self.seen
    }

    /// Tokens of a history without overhead, corrected by the ratio.
    pub fn history_tokens(&self, estimated_history_tokens: u64) -> u64 {
        (self.ratio() * estimated_history_tokens as f64).round() as u64
    }

    /// Tokens of a whole request with this history: from the last believed figure on where there is one, else from the
    /// overhead that was learned or is given. What was added since is estimated; where most was removed, the last figure
    /// says how far off the estimate is by proportion.
    pub fn tokens(&self, estimated_history_tokens: u64, overhead_tokens: u64) -> u64 {
        let ratio = self.ratio();
        let estimate = estimated_history_tokens as f64;
        let overhead = self.overhead().unwrap_or(overhead_tokens) as f64;
        let line = |estimate: f64| overhead + ratio * estimate;
        let tokens = match self.last {
            Some(last) if last.estimate <= estimated_history_tokens => {
                last.host as f64 + ratio * (estimate - last.estimate as f64)
            }
            Some(last) => last.host as f64 * line(estimate) / line(last.estimate as f64).max(1.0),
            None => line(estimate),
        };
        tokens.max(RATIO.0 * estimate).round() as u64
    }

    /// Forgets the anchor and the calls, keeps nothing: the model was switched.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    fn believable(&self, call: Call) -> bool {
        let (host, estimate) = (call.host as f64, call.estimate as f64);
        match self.fit.filter(|_| self.calls.len() >= ENOUGH) {
            Some(fit) => {
                let expected = fit.tokens(estimate);
                (host - expected).abs() <= OUTLIER * expected.max(host)
            }
            None => host >= 0.5 * estimate,
        }
    }

    fn learn(&mut self, call: Call) {
        self.seen = self.seen.saturating_add(1);
        self.last = Some(call);
        self.calls.retain(|known| !same_size(*known, call));
        self.calls.push(call);
        if self.calls.len() > KEPT {
            self.calls.remove(0);
        }
        self.fit = fit(&self.calls, self.fit);
    }
}

fn same_size(a: Call, b: Call) -> bool {
    a.estimate.abs_diff(b.estimate) as f64 <= SAME_SIZE * a.estimate.max(b.estimate) as f64
}

/// The line through the calls: median of the slopes between all pairs (Theil and Sen), median of what is left. Up to a
/// quarter of the calls may be nonsense without moving it.
fn fit(calls: &[Call], before: Option<Fit>) -> Option<Fit> {
    if calls.len() < ENOUGH {
        return None;
    }
    let ratio = slope(calls).or(before.map(|fit| fit.ratio)).unwrap_or(1.0).clamp(RATIO.0, RATIO.1);
    let mut rest: Vec<f64> =
        calls.iter().map(|call| call.host as f64 - ratio * call.estimate as f64).collect();
    let overhead = median(&mut rest)?.max(0.0);
    let fit = Fit { overhead, ratio };
    let mut errors: Vec<f64> =
        calls.iter().map(|call| (fit.tokens(call.estimate as f64) / call.host as f64 - 1.0).abs()).collect();
    if median(&mut errors)? <= SCATTER { Some(fit) } else { before }
}

/// `None` where the sizes are too close together to tell a slope from noise.
fn slope(calls: &[Call]) -> Option<f64> {
    let least = calls.iter().map(|call| call.estimate).min()? as f64;
    let most = calls.iter().map(|call| call.estimate).max()? as f64;
    let spread = most - least;
    if spread < SPREAD.0 || spread < SPREAD.1 * most {
        return None;
    }
    let mut slopes = Vec::new();
    for (at, a) in calls.iter().enumerate() {
        for b in calls.iter().skip(at + 1) {
            let run = b.estimate as f64 - a.estimate as f64;
            // neighbours say more about one message than about the model
            if run.abs() >= 0.2 * spread {
                slopes.push((b.host as f64 - a.host as f64) / run);
            }
        }
    }
    median(&mut slopes)
}

fn median(figures: &mut [f64]) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let upper = *figures.get(middle)?;
    if figures.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = figures.get(middle.checked_sub(1)?)?;
    Some(f64::midpoint(*lower, upper))
}
