use super::*;
use proptest::prelude::*;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;

fn ok(before: u64, after: u64) -> Outcome<'static> {
    Outcome { ok: true, tokens_before: Some(before), tokens_after: Some(after), reason: None }
}

fn failed(reason: &'static str) -> Outcome<'static> {
    Outcome { reason: Some(reason), ..Outcome::default() }
}

/// A latch after a red reading of 0.85 at 0 ms.
fn armed() -> Latch {
    let mut latch = Latch::default();
    latch.observe(true, 0.85, 0);
    latch
}

#[test]
fn it_asks_from_the_first_red_reading_until_a_compaction_starts() {
    let mut latch = Latch::default();
    latch.observe(false, 0.79, 0);
    assert!(!latch.should_compact(0));
    latch.observe(true, 0.81, 1);
    assert!(latch.should_compact(2) && latch.should_compact(3));
    latch.started(4);
    assert!(!latch.should_compact(5));
    latch.observe(true, 0.82, 6);
    assert!(!latch.should_compact(7));
}

#[test]
fn a_reading_just_under_the_line_is_no_clear_drop() {
    let mut latch = armed();
    latch.observe(false, 0.799, 1);
    assert!(latch.should_compact(2));
    latch.observe(false, 0.70, 3);
    assert!(!latch.should_compact(4));
    latch.observe(true, 0.81, 5);
    assert!(latch.should_compact(6), "a new episode");
}

#[test]
fn f1_stale_usage_after_a_success_does_not_fire_again() {
    let mut latch = armed();
    latch.started(10);
    assert_eq!(latch.settled(&ok(170_000, 60_000), 100), None);
    latch.observe(true, 0.85, 134);
    latch.observe(true, 0.851, 2 * SECOND);
    assert!(!latch.should_compact(3 * SECOND));
    // the very same figure is stale however late it comes
    latch.observe(true, 0.85, 60 * MINUTE);
    assert!(!latch.should_compact(60 * MINUTE));
    // the host reports a new call, and much later the context is full again
    latch.observe(false, 0.30, 61 * MINUTE);
    latch.observe(true, 0.85, 62 * MINUTE);
    assert!(latch.should_compact(62 * MINUTE));
}

#[test]
fn f2_compactions_that_free_nothing_end_after_three_tries_with_one_warning() {
    let (mut latch, mut now, mut asked, mut warnings) = (Latch::default(), 0, 0, Vec::new());
    for _ in 0..500 {
        now += 10 * SECOND;
        warnings.extend(latch.observe(true, 0.825, now));
        if latch.should_compact(now) {
            asked += 1;
            latch.started(now);
            warnings.extend(latch.settled(&ok(165_000, 165_000), now + SECOND));
        }
    }
    assert_eq!((asked, warnings.len()), (3, 1));
    assert!(warnings[0].contains("3 compactions in a row freed less than 10 %"), "{warnings:?}");
    assert_eq!(latch.state().phase, LatchPhase::Exhausted);
    // not stuck: a clear drop begins anew, and so does new content to work on
    let mut grown = latch.clone();
    grown.observe(true, 0.93, now);
    assert!(grown.should_compact(now));
    latch.observe(false, 0.4, now);
    latch.observe(true, 0.85, now + 1);
    assert!(latch.should_compact(now + 1));
}

#[test]
fn f2_a_success_that_no_reading_shows_is_none() {
    let (mut latch, mut now, mut asked, mut warnings) = (Latch::default(), 0, 0, Vec::new());
    for turn in 0..500 {
        now += 20 * SECOND;
        // the host claims success, and the figure goes on rising a little
        warnings.extend(latch.observe(true, 0.82 + f64::from(turn) * 1e-5, now));
        if latch.should_compact(now) {
            asked += 1;
            latch.started(now);
            warnings.extend(latch.settled(&Outcome { ok: true, ..Outcome::default() }, now));
        }
    }
    assert_eq!((asked, warnings.len()), (3, 1), "{warnings:?}");
}

#[test]
fn f3_a_failed_compaction_is_tried_again_after_a_growing_wait() {
    let mut latch = armed();
    let mut now = 0;
    for wait in [5 * SECOND, 20 * SECOND] {
        latch.started(now);
        assert_eq!(latch.settled(&failed("no API key"), now), None);
        latch.observe(true, 0.86, now + 1);
        assert!(!latch.should_compact(now + wait - 1), "{wait}");
        assert!(latch.should_compact(now + wait), "{wait}");
        now += wait;
    }
    latch.started(now);
    let warning = latch.settled(&failed("no API key"), now).unwrap();
    assert!(warning.contains("no API key"), "{warning}");
    let state = latch.state();
    assert_eq!(
        (state.phase, state.tries, state.reason.as_deref()),
        (LatchPhase::Exhausted, 3, Some("no API key"))
    );
    assert_eq!(state.retry_at, Some(now + 10 * MINUTE));
    assert!(!latch.should_compact(now + 9 * MINUTE));
    // what was broken may have been mended; it was said once and is not said again
    assert!(latch.should_compact(now + 10 * MINUTE));
    latch.started(now + 10 * MINUTE);
    assert_eq!(latch.settled(&failed("no API key"), now + 11 * MINUTE), None);
}

#[test]
fn f3_a_compaction_that_never_settles_times_out() {
    let mut latch = armed();
    latch.started(0);
    latch.observe(true, 0.86, 4 * MINUTE);
    assert!(!latch.should_compact(4 * MINUTE));
    assert!(!latch.should_compact(5 * MINUTE));
    assert_eq!(latch.state().phase, LatchPhase::BackOff);
    assert!(latch.should_compact(5 * MINUTE + 5 * SECOND));
}

#[test]
fn f3_a_second_pass_that_is_needed_is_not_blocked() {
    let mut latch = Latch::default();
    latch.observe(true, 1.30, 0);
    latch.started(0);
    latch.settled(&ok(260_000, 200_000), 10);
    latch.observe(true, 1.00, 20);
    assert!(latch.should_compact(20), "it worked, and the context is still over");
}

#[test]
fn f3_what_could_not_start_spends_no_try_and_is_asked_for_again() {
    for reason in ["Already running", "compaction could not start", "agent busy", "compaction in progress"] {
        let mut latch = armed();
        latch.started(10);
        assert_eq!(latch.settled(&failed(reason), 11), None);
        assert!(latch.should_compact(11), "{reason}");
        assert_eq!(latch.state().tries, 0);
        // but not in a storm
        let mut asked = 0;
        for now in (0..10 * MINUTE).step_by(50) {
            if latch.should_compact(now) {
                asked += 1;
                latch.started(now);
                latch.settled(&failed(reason), now);
            }
        }
        assert!((10..40).contains(&asked), "{reason}: {asked} in ten minutes");
    }
    let mut latch = armed();
    latch.started(10);
    latch.settled(&failed("Already compacted"), 11);
    assert_eq!((latch.should_compact(12), latch.state().tries), (false, 1), "a refusal is a try");
}

#[test]
fn a_wait_for_pressure_that_is_gone_ends_quietly() {
    let mut latch = armed();
    latch.started(0);
    latch.settled(&failed("x"), 0);
    latch.observe(false, 0.79, 1); // no clear drop, but no longer red
    assert!(!latch.should_compact(MINUTE));
    assert_eq!(latch.state().phase, LatchPhase::Idle);
}

#[test]
fn a_drop_that_was_seen_counts_without_the_hosts_word() {
    let mut latch = armed();
    latch.started(0);
    latch.observe(false, 0.2, 10);
    assert!(!latch.should_compact(10 * MINUTE));
    assert_eq!((latch.state().phase, latch.state().tries), (LatchPhase::Idle, 0));
}

#[test]
fn what_is_unknown_triggers_nothing() {
    let mut latch = Latch::default();
    for pressure in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(latch.observe(true, pressure, 0), None);
        assert!(!latch.should_compact(0));
    }
    assert_eq!(latch, Latch::default());
}

#[test]
fn a_clock_that_is_set_back_does_not_hold_it_for_ever() {
    let mut latch = Latch::default();
    latch.observe(true, 0.85, 100 * MINUTE);
    latch.started(100 * MINUTE);
    latch.settled(&failed("x"), 100 * MINUTE);
    assert!(latch.should_compact(0));
}

#[test]
fn another_model_begins_a_new_episode() {
    let mut latch = armed();
    latch.limits_changed(1);
    assert!(!latch.should_compact(2));
    latch.observe(true, 0.95, 3);
    assert!(latch.should_compact(4));
}

#[test]
fn it_survives_the_disk() {
    let mut latch = armed();
    latch.started(5);
    latch.settled(&failed("x"), 6);
    let text = serde_json::to_string(&latch).unwrap();
    assert_eq!(serde_json::from_str::<Latch>(&text).unwrap(), latch);
    assert_eq!(serde_json::from_str::<Latch>("{}").unwrap(), Latch::default(), "state of an older version");
    assert_eq!(serde_json::to_value(latch.state()).unwrap()["phase"], "back-off");
}

proptest! {
    /// Whatever a host does, compactions that free nothing are asked for a bounded number of times, and pressure that is
    /// really gone is never asked about.
    #[test]
    fn it_never_storms_and_never_asks_without_pressure(
        steps in proptest::collection::vec((0u8..6, 0.0f64..1.2, 0u64..120_000), 1..200),
    ) {
        let (mut latch, mut now, mut asked) = (Latch::default(), 0u64, 0u32);
        for (what, pressure, wait) in steps {
            now += wait;
            match what {
                0 => drop(latch.settled(&failed("x"), now)),
                1 => drop(latch.settled(&Outcome { ok: true, ..Outcome::default() }, now)),
                2 => drop(latch.settled(&ok(1_000, 990), now)),
                3 => latch.started(now),
                _ => drop(latch.observe(pressure >= 0.8, pressure, now)),
            }
            if latch.should_compact(now) {
                asked += 1;
                prop_assert!(latch.state().phase == LatchPhase::Armed);
                latch.started(now);
                prop_assert!(!latch.should_compact(now));
            }
        }
        let mut calm = latch.clone();
        calm.observe(false, 0.0, now);
        prop_assert!(!calm.should_compact(now + 3_600_000));
        prop_assert!(asked <= 200);
    }
}
