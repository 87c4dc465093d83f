use super::*;
use proptest::prelude::*;

/// Calls of a host with this overhead and ratio, growing by 3,000 tokens of estimate each.
fn calls(overhead: f64, ratio: f64, count: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..=count).map(move |n| ((overhead + ratio * (n * 3_000) as f64) as u64, n * 3_000))
}

fn learned(overhead: f64, ratio: f64, count: u64) -> Calibration {
    let mut calibration = Calibration::default();
    for (host, estimate) in calls(overhead, ratio, count) {
        assert!(calibration.observe(host, estimate));
    }
    calibration
}

#[test]
fn nothing_is_claimed_before_eight_calls_of_distinct_sizes() {
    let mut calibration = learned(12_000.0, 0.9, 7);
    for _ in 0..10 {
        calibration.observe(12_000 + 18_900, 21_000);
    }
    assert_eq!((calibration.overhead(), calibration.ratio()), (None, 1.0));
    assert_eq!(calibration.history_tokens(1_000), 1_000);
    calibration.observe(12_000 + 21_600, 24_000);
    assert_eq!((calibration.overhead(), calibration.ratio()), (Some(12_000), 0.9));
}

#[test]
fn overhead_and_ratio_come_out_together() {
    for (overhead, ratio) in [(0.0, 1.0), (25_000.0, 0.83), (9_000.0, 1.3)] {
        let calibration = learned(overhead, ratio, 20);
        assert!(calibration.overhead().unwrap().abs_diff(overhead as u64) <= 50, "{calibration:?}");
        assert!((calibration.ratio() - ratio).abs() < 0.01);
        assert_eq!(calibration.history_tokens(10_000), (10_000.0 * calibration.ratio()).round() as u64);
    }
}

#[test]
fn the_ratio_is_bounded() {
    assert_eq!(learned(5_000.0, 4.0, 20).ratio(), 1.0, "a line that does not fit is no line");
    let near = learned(60_000.0, 1.6, 20);
    assert_eq!(near.ratio(), 1.5);
}

#[test]
fn e3_the_overhead_of_30_tools_is_learned_from_short_calls_too() {
    let mut calibration = Calibration::default();
    for n in 1..=8 {
        calibration.observe(15_000 + n * 40, n * 40);
    }
    assert_eq!((calibration.overhead(), calibration.ratio()), (Some(15_000), 1.0));
}

#[test]
fn e5_figures_of_new_input_only_and_sums_over_calls_are_not_believed() {
    let mut calibration = learned(10_000.0, 1.0, 12);
    let before = (calibration.overhead(), calibration.ratio());
    assert!(!calibration.observe(143, 40_000), "only what was not cached");
    assert!(!calibration.observe(931_000, 41_000), "summed over a turn");
    assert_eq!((calibration.overhead(), calibration.ratio()), before);
    assert_eq!(calibration.tokens(36_000, 0), 46_000);
    // also when the very first call is wrong
    let mut fresh = Calibration::default();
    assert!(!fresh.observe(143, 40_000));
    fresh.observe(931_000, 2_000);
    for (host, estimate) in calls(10_000.0, 1.0, 12) {
        fresh.observe(host, estimate);
    }
    assert!(fresh.overhead().unwrap().abs_diff(10_000) < 500, "{fresh:?}");
}

#[test]
fn e6_a_figure_that_is_repeated_after_the_history_shrank_is_stale() {
    let mut calibration = learned(10_000.0, 1.0, 30);
    assert!(!calibration.observe(100_000, 20_000));
    assert!(!calibration.observe(100_000, 21_000));
    assert_eq!(calibration.tokens(20_000, 0), 30_000, "the anchor stays the call that belongs together");
    assert!(calibration.observe(31_000, 21_000));
}

#[test]
fn another_model_is_learned_after_a_few_calls() {
    let mut calibration = learned(10_000.0, 0.8, 32);
    for n in 0..10 {
        calibration.observe(60_000 + 1_500 * n * 10, 20_000 + n * 10_000);
    }
    assert!((calibration.ratio() - 1.5).abs() < 0.01, "{calibration:?}");
}

#[test]
fn a_quarter_of_nonsense_moves_nothing() {
    let mut calibration = Calibration::default();
    for (n, (host, estimate)) in calls(8_000.0, 0.9, 32).enumerate() {
        calibration.observe(if n % 4 == 3 { host * 5 / 4 } else { host }, estimate);
    }
    assert!((calibration.ratio() - 0.9).abs() < 0.05, "{}", calibration.ratio());
    assert!(calibration.overhead().unwrap().abs_diff(8_000) < 3_000, "{:?}", calibration.overhead());
}

#[test]
fn without_a_call_the_given_overhead_counts() {
    assert_eq!(Calibration::default().tokens(5_000, 8_000), 13_000);
}

#[test]
fn it_survives_the_disk() {
    let calibration = learned(12_345.0, 0.87, 20);
    let text = serde_json::to_string(&calibration).unwrap();
    assert!(text.len() < 2_000, "{}", text.len());
    let back: Calibration = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (back.overhead(), back.tokens(70_000, 0)),
        (calibration.overhead(), calibration.tokens(70_000, 0))
    );
    assert_eq!(serde_json::from_str::<Calibration>("{}").unwrap(), Calibration::default());
}

proptest! {
    #[test]
    fn no_figures_break_it(calls in proptest::collection::vec((any::<u64>(), any::<u64>()), 0..80), near in any::<bool>()) {
        let mut calibration = Calibration::default();
        for (host, estimate) in calls {
            let (host, estimate) = if near { (host % 200_000, estimate % 200_000) } else { (host, estimate) };
            calibration.observe(host, estimate);
            prop_assert!((0.7..=1.5).contains(&calibration.ratio()));
            prop_assert!(calibration.overhead().is_none_or(|overhead| overhead <= MAX_TOKENS));
            let _ = calibration.tokens(estimate, host);
            prop_assert!(serde_json::to_string(&calibration).unwrap().len() < 6_000);
        }
    }
}
