//! Limits of a model and its host, and the thresholds that follow from them (DESIGN section 3, Pressure).

use crate::config::Config;

/// The knobs of pressure, with the defaults of DESIGN section 6. Shares are of usable, 0..1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knobs {
    /// `COMPACTION_TRIGGER_PCT`: where an epoch begins.
    pub trigger: f64,
    /// `MAX_CONTEXT_PCT`: the hard limit.
    pub hard: f64,
    /// Where red begins when the host's own threshold is unknown, and the highest that it may begin.
    pub red_max: f64,
    /// The lowest share at which red may begin.
    pub red_min: f64,
    /// How far the trigger stays below red.
    pub trigger_gap: f64,
    /// How far red stays below the host's own threshold, as a share of the window.
    pub host_margin: f64,
    /// Target of an epoch, as a share of the trigger.
    pub target: f64,
    /// Highest default of `reserve`, in tokens.
    pub reserve_max: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            trigger: 0.50,
            hard: 0.90,
            red_max: 0.80,
            red_min: 0.20,
            trigger_gap: 0.10,
            host_margin: 0.05,
            target: 0.5,
            reserve_max: 20_000,
        }
    }
}

impl From<&Config> for Knobs {
    /// Red stays below the hard limit, and at least a little of it stays below red, however low the limit is set.
    fn from(config: &Config) -> Self {
        let defaults = Self::default();
        let hard = config.max_context_pct;
        let red_max = defaults.red_max.min(hard - 0.05);
        Self {
            trigger: config.compaction_trigger_pct,
            hard,
            red_max,
            red_min: defaults.red_min.min(red_max),
            ..defaults
        }
    }
}

/// What is known about a model's window and its host, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The whole window of the model. 0: unknown.
    pub context_window: u64,
    /// Room for the answer; `None`: min(20,000, window / 4).
    pub reserve: Option<u64>,
    /// System prompt and tools; 0 until given or learned.
    pub overhead: u64,
    /// Room for history alone, where the caller has a budget of its own.
    pub budget: Option<u64>,
    /// The host's own threshold, in tokens of the whole request.
    pub host_compacts_at: Option<u64>,
}

impl Limits {
    /// Tokens that history may use: max(window / 8, min(window - reserve - overhead, budget)).
    pub fn usable(&self, knobs: &Knobs) -> u64 {
        let window = self.context_window;
        let reserve = self.reserve.unwrap_or_else(|| knobs.reserve_max.min(window / 4));
        let room = window.saturating_sub(reserve).saturating_sub(self.overhead);
        (window / 8).max(room.min(self.budget.unwrap_or(u64::MAX)))
    }

    /// The thresholds for these limits.
    pub fn thresholds(&self, knobs: &Knobs) -> Thresholds {
        let usable = self.usable(knobs);
        let red = match self.host_compacts_at {
            Some(host) if usable > 0 => {
                let ours =
                    host as f64 - knobs.host_margin * self.context_window as f64 - self.overhead as f64;
                (ours / usable as f64).clamp(knobs.red_min, knobs.red_max)
            }
            _ => knobs.red_max,
        };
        let trigger = knobs.trigger.min(red - knobs.trigger_gap);
        Thresholds { usable, trigger, red, hard: knobs.hard, target: trigger * knobs.target }
    }
}

/// Where the zones begin, as shares of `usable`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Tokens that history may use.
    pub usable: u64,
    /// Yellow, and a new epoch, from here.
    pub trigger: f64,
    /// Red from here: clawback comes before the host.
    pub red: f64,
    /// Compact from here: the hard limit.
    pub hard: f64,
    /// What an epoch brings the view down to.
    pub target: f64,
}

impl Thresholds {
    /// Pressure: tokens of history as a share of usable; 0 where nothing is usable.
    pub fn pressure(&self, history_tokens: u64) -> f64 {
        if self.usable == 0 { 0.0 } else { history_tokens as f64 / self.usable as f64 }
    }

    /// The zone of a pressure: green < trigger <= yellow < red <= red zone < hard <= compact.
    pub fn zone(&self, pressure: f64) -> Zone {
        match pressure {
            p if p >= self.hard => Zone::Compact,
            p if p >= self.red => Zone::Red,
            p if p >= self.trigger => Zone::Yellow,
            _ => Zone::Green,
        }
    }

    /// A share of usable in tokens.
    pub fn tokens(&self, share: f64) -> u64 {
        (share * self.usable as f64).round().max(0.0) as u64
    }
}

/// How urgent it is. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// Nothing to do.
    Green,
    /// A new epoch at the next turn.
    Yellow,
    /// A new epoch now; the host would soon compact.
    Red,
    /// The hard limit.
    Compact,
}

impl Zone {
    /// The name in the public surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
            Self::Compact => "compact",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_worked_example_of_the_design_comes_out() {
        let limits =
            Limits { context_window: 32_000, overhead: 8_000, reserve: Some(8_000), ..Limits::default() };
        let thresholds = limits.thresholds(&Knobs::default());
        assert_eq!(thresholds.usable, 16_000);
        assert_eq!(thresholds.tokens(thresholds.trigger), 8_000);
        assert_eq!(thresholds.tokens(thresholds.target), 4_000);
        assert_eq!(thresholds.tokens(thresholds.hard), 14_400);
    }

    #[test]
    fn clawback_comes_before_the_host() {
        // OpenClaw at 0.75 of 32k, and Pi at window - 16,384
        for (window, host, overhead) in
            [(32_000, 24_000, 8_000), (200_000, 183_616, 20_000), (32_000, 15_616, 4_000)]
        {
            let limits = Limits {
                context_window: window,
                overhead,
                host_compacts_at: Some(host),
                ..Limits::default()
            };
            let thresholds = limits.thresholds(&Knobs::default());
            assert!(thresholds.tokens(thresholds.red) + overhead < host, "{window}: {thresholds:?}");
            assert!(thresholds.trigger <= thresholds.red - 0.1 + 1e-9);
        }
    }

    #[test]
    fn the_default_configuration_gives_the_default_knobs() {
        assert_eq!(Knobs::from(&Config::default()), Knobs::default());
    }

    #[test]
    fn the_reserve_defaults_to_a_quarter_of_a_small_window() {
        let usable =
            |window| Limits { context_window: window, ..Limits::default() }.usable(&Knobs::default());
        assert_eq!(usable(32_000), 24_000);
        assert_eq!(usable(200_000), 180_000);
        assert_eq!(usable(0), 0);
    }

    #[test]
    fn zones_begin_at_their_thresholds() {
        let thresholds =
            Limits { context_window: 200_000, ..Limits::default() }.thresholds(&Knobs::default());
        let zones =
            [0.0, 0.499, 0.5, 0.799, 0.8, 0.899, 0.9, 5.0].map(|pressure| thresholds.zone(pressure).name());
        assert_eq!(zones, ["green", "green", "yellow", "yellow", "red", "red", "compact", "compact"]);
    }

    proptest! {
        #[test]
        fn thresholds_are_ordered_and_finite_for_any_limits(
            context_window in 0u64..10_000_000, overhead in 0u64..10_000_000,
            reserve in proptest::option::of(0u64..10_000_000), budget in proptest::option::of(0u64..10_000_000),
            host_compacts_at in proptest::option::of(0u64..10_000_000), trigger in 0.05f64..=0.95, hard in 0.30f64..=1.0,
        ) {
            let limits = Limits { context_window, reserve, overhead, budget, host_compacts_at };
            let config = Config { compaction_trigger_pct: trigger, max_context_pct: hard, ..Config::default() };
            let t = limits.thresholds(&Knobs::from(&config));
            prop_assert!(0.0 < t.target && t.target < t.trigger && t.trigger < t.red && t.red < t.hard);
            prop_assert!(t.usable >= context_window / 8 && t.usable <= context_window);
            prop_assert!(t.pressure(context_window).is_finite());
        }
    }
}
