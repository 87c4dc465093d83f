//! The line that tells the agent how full its context is (seed 002 section 6.4).

use super::{Measure, MeasureSource};

/// Utilization from which the gauge is shown, 0..1.
pub const GAUGE_FROM: f64 = 0.70;

/// `[Context: 81% | 162k/200k tokens | Checkpoint saved]`, without the last part when none was saved. `None` below
/// [`GAUGE_FROM`] and when usage is unknown.
pub fn gauge_line(measure: &Measure, checkpoint_saved: bool) -> Option<String> {
    let shown = measure.utilization.is_finite()
        && measure.utilization >= GAUGE_FROM
        && measure.source != MeasureSource::Unknown
        && measure.context_window > 0;
    if !shown {
        return None;
    }
    // rounded down: 69.9 % is not shown as 70, and 99.9 % not as full
    let percent = (measure.utilization * 100.0 + 1e-9).floor() as u64;
    let saved = if checkpoint_saved { " | Checkpoint saved" } else { "" };
    let tokens = thousands(measure.tokens);
    let window = thousands(measure.context_window);
    Some(format!("[Context: {percent}% | {tokens}/{window} tokens{saved}]"))
}

/// `162k` from a thousand on, the figure itself below.
fn thousands(tokens: u64) -> String {
    if tokens < 1_000 { tokens.to_string() } else { format!("{}k", tokens.saturating_add(500) / 1_000) }
}

#[cfg(test)]
mod tests {
    use super::super::Zone;
    use super::*;

    fn measure(tokens: u64, context_window: u64) -> Measure {
        Measure {
            tokens,
            context_window,
            utilization: tokens as f64 / context_window as f64,
            zone: Zone::Red,
            source: MeasureSource::Host,
        }
    }

    #[test]
    fn the_line_has_the_form_of_the_seed() {
        let at_81 = measure(162_000, 200_000);
        assert_eq!(gauge_line(&at_81, true).unwrap(), "[Context: 81% | 162k/200k tokens | Checkpoint saved]");
        assert_eq!(gauge_line(&at_81, false).unwrap(), "[Context: 81% | 162k/200k tokens]");
        assert_eq!(gauge_line(&measure(750, 1_000), false).unwrap(), "[Context: 75% | 750/1k tokens]");
        assert_eq!(
            gauge_line(&measure(140_000, 200_000), false).unwrap(),
            "[Context: 70% | 140k/200k tokens]"
        );
        assert_eq!(
            gauge_line(&measure(210_000, 200_000), false).unwrap(),
            "[Context: 105% | 210k/200k tokens]"
        );
    }

    #[test]
    fn nothing_is_shown_below_seventy_percent_or_when_unknown() {
        assert_eq!(gauge_line(&measure(139_999, 200_000), true), None);
        let unknown = Measure { source: MeasureSource::Unknown, ..measure(180_000, 200_000) };
        assert_eq!(gauge_line(&unknown, true), None);
        assert_eq!(gauge_line(&measure(1, 0), true), None);
    }
}
