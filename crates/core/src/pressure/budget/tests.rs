use super::*;
use proptest::prelude::*;

fn allocate(window: f64, actual: Actual) -> Allocation {
    allocate_budget(window, &Budget::default(), actual).unwrap()
}

#[test]
fn the_example_of_the_seed_comes_out() {
    let got = allocate(200_000.0, Actual { system_prompt: Some(8_500), bootstrap: Some(3_200) });
    let want = Allocation {
        system_prompt: 30_000,
        bootstrap: 20_000,
        history: 148_300,
        response: 40_000,
        reserve: 20_000,
        reclaimed: 38_300,
    };
    assert_eq!(got, want);
    assert_eq!(
        allocate(200_000.0, Actual::default()).history,
        110_000,
        "nothing measured, nothing reclaimed"
    );
    let over = allocate(200_000.0, Actual { system_prompt: Some(50_000), bootstrap: Some(3_200) });
    assert_eq!((over.history, over.reclaimed), (126_800, 16_800), "max(0, ...) by the seed's formula");
}

#[test]
fn the_answer_keeps_its_least_room_and_small_windows_their_order() {
    let small = allocate(8_000.0, Actual::default());
    assert_eq!((small.response, small.reserve, small.history), (4_096, 0, 1_904));
    let tiny = allocate(1_000.0, Actual::default());
    assert_eq!((tiny.response, tiny.history), (600, 150));
    assert_eq!(allocate(1.0, Actual::default()).response, 0);
}

#[test]
fn nonsense_is_an_error_that_says_what_is_wrong() {
    for window in [0.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
        let error = allocate_budget(window, &Budget::default(), Actual::default()).unwrap_err();
        assert_eq!(error.code(), "InvalidInput");
        assert!(error.to_string().contains("contextWindow"), "{error}");
    }
    for budget in [
        Budget { history_ratio: 0.8, ..Budget::default() },
        Budget { history_ratio: f64::NAN, ..Budget::default() },
        Budget { response_ratio: -0.1, ..Budget::default() },
    ] {
        assert_eq!(
            allocate_budget(200_000.0, &budget, Actual::default()).unwrap_err().code(),
            "InvalidInput"
        );
    }
    let one = Budget { history_ratio: 0.55, ..Budget::default() };
    assert_eq!(allocate_budget(200_000.0, &one, Actual::default()).unwrap().reserve, 0);
}

fn conversation(turns: usize) -> Vec<Message> {
    (0..turns)
        .flat_map(|n| {
            [
                Message::user(&format!("please do step {n} of the plan")),
                Message::assistant(&"done ".repeat(100)),
            ]
        })
        .collect()
}

#[test]
fn history_is_cut_between_turns_and_the_newest_turn_stays() {
    let messages = conversation(10);
    let turn: u64 = messages[..2].iter().map(estimate_message_tokens).sum();
    assert_eq!(limit_history(&messages, turn * 3), (14..20).collect::<Vec<_>>());
    assert_eq!(limit_history(&messages, turn * 3 - 1), (16..20).collect::<Vec<_>>());
    assert_eq!(limit_history(&messages, 0), [18, 19]);
    assert_eq!(limit_history(&messages, u64::MAX).len(), 20);
    assert!(limit_history(&[], 100).is_empty());
    assert_eq!(limit_history(&messages[1..2], 0), [0], "no person spoke");
}

proptest! {
    #[test]
    fn regions_never_pass_the_window(
        window in 1.0f64..5e6, ratios in proptest::array::uniform4(0.0f64..0.25), min_response_tokens in 0u64..100_000,
        used in proptest::array::uniform2(0.0f64..1.0),
    ) {
        let [system_prompt_ratio, bootstrap_ratio, history_ratio, response_ratio] = ratios;
        let budget = Budget { system_prompt_ratio, bootstrap_ratio, history_ratio, response_ratio, min_response_tokens };
        let full = allocate_budget(window, &budget, Actual::default()).unwrap();
        prop_assert_eq!(full.system_prompt + full.bootstrap + full.history + full.response, window as u64);
        let of = |region: u64, share: f64| (region as f64 * share) as u64;
        let actual = Actual { system_prompt: Some(of(full.system_prompt, used[0])), bootstrap: Some(of(full.bootstrap, used[1])) };
        let got = allocate_budget(window, &budget, actual).unwrap();
        let all = actual.system_prompt.unwrap() + actual.bootstrap.unwrap() + got.history + got.response;
        prop_assert_eq!(all, window as u64);
    }

    #[test]
    fn what_stays_fits_or_is_one_turn(turns in 0usize..20, max in 0u64..4_000) {
        let messages = conversation(turns);
        let kept = limit_history(&messages, max);
        let tokens: u64 = kept.iter().map(|&at| estimate_message_tokens(&messages[at])).sum();
        prop_assert!(tokens <= max || kept.len() == 2);
        prop_assert!(kept.iter().copied().eq(messages.len() - kept.len()..messages.len()));
    }
}
