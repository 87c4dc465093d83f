//! FAULTS B1-B10 by number, and the list of seed 001 for `src/prune.test.ts`.

use super::test_support::*;
use super::*;
use crate::pressure::Zone;

/// B1: the call is cut off by position, the result stays.
#[test]
fn b1_a_result_without_its_call_leaves() {
    let entries = [person(), calls(&[1]), result(1), person(), reply()];
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4]);
    // a boundary between call and result, as a cut by position would make it
    let between = Frozen { boundary: 2, ..Frozen::default() };
    assert_eq!(checked(&entries, &between, true), [3, 4]);
    // the host cut by position
    assert_eq!(view(&entries[2..], true), [1, 2]);
    assert_eq!(cut(&entries, &request(Zone::Compact, 10)).dropped, [0, 1, 2]);
}

/// B2: parallel calls, results in another order.
#[test]
fn b2_all_results_of_parallel_calls_stay_with_them() {
    let entries = [person(), calls(&[1, 2]), result(2), result(1), reply(), person(), reply()];
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4, 5, 6]);
    // one of them never came: the message and the other result leave
    let lost = [person(), calls(&[1, 2]), result(2), reply(), person(), reply()];
    assert_eq!(view(&lost, true), [0, 3, 4, 5]);
}

/// B3: a summary between call and result is no interruption.
#[test]
fn b3_a_summary_between_call_and_result_leaves_and_the_pair_stays() {
    let entries = [person(), calls(&[1]), summary(), result(1), reply()];
    assert_eq!(view(&entries, true), [0, 1, 3, 4]);
    assert_eq!(view(&[calls(&[1]), summary(), result(1)], true), [0, 2]);
    let long =
        [person(), calls(&[1]), packet(), injected(), other(), summary(), result(1), person(), reply()];
    assert_eq!(view(&long, true), [0, 1, 3, 4, 6, 7, 8]);
}

/// B4: a call that never got a result leaves when its turn is over, also when nothing is dropped.
#[test]
fn b4_an_older_call_without_result_leaves_and_a_running_one_stays() {
    let older = [person(), calls(&[9]), person(), reply()];
    assert_eq!(view(&older, true), [0, 2, 3]);
    let running = [person(), reply(), person(), calls(&[9])];
    assert_eq!(view(&running, true), [0, 1, 2, 3]);
    // with a prompt of its own, the last turn of the array is over
    assert_eq!(view(&running, false), [0, 1, 2]);
    for zone in ZONES {
        let cut = cut(&older, &request(zone, 1_000_000));
        assert!(checked(&older, &cut.frozen, true).iter().all(|&index| index != 1));
    }
}

/// B5: heartbeats are no turns.
#[test]
fn b5_injected_text_opens_no_turn() {
    let entries = [person(), reply(), injected(), reply(), injected(), reply()];
    for zone in ZONES {
        let cut = cut(&entries, &request(zone, 100_000));
        assert_eq!((cut.frozen.boundary, cut.dropped.len()), (0, 0), "{zone:?}");
    }
    let more: Vec<Entry> = turns(2).into_iter().chain(entries).collect();
    let cut = cut(&more, &request(Zone::Compact, 100_000));
    assert_eq!(cut.frozen.boundary, 8, "one turn: the person's, with the heartbeats after it");
}

/// B5, Anthropic's shape: results in the user's role.
#[test]
fn b5_results_in_the_users_role_open_no_turn() {
    let as_user = |kind, ids: &[u64]| Entry { kind, answers: ids.to_vec(), ..injected() };
    let entries = [
        person(),
        calls(&[1, 2]),
        as_user(EntryKind::Injected, &[1, 2]),
        calls(&[3]),
        as_user(EntryKind::Person, &[3]), // with words of the person beside the result
        reply(),
    ];
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4, 5]);
    assert_eq!(cut(&entries, &request(Zone::Compact, 10)).frozen.boundary, 0);
}

/// B6: one turn larger than every budget.
#[test]
fn b6_the_newest_person_is_always_there_and_first() {
    let mut entries = turns(3);
    entries.push(person());
    for id in 100..140 {
        entries.extend([calls(&[id]), bulky(id)]);
    }
    for zone in ZONES {
        let cut = cut(&entries, &request(zone, 10));
        let kept = checked(&entries, &cut.frozen, true);
        assert_eq!((kept.first(), kept.len()), (Some(&12), 81), "{zone:?}");
    }
    assert_eq!(view(&[reply(), injected(), person(), reply()], true), [2, 3], "a reply is not first");
    assert_eq!(view(&[injected(), reply()], true), [0, 1], "without a person: what there is");
    assert_eq!(view(&[], true), [0usize; 0]);
    let beyond = Frozen { boundary: 99, ..Frozen::default() };
    assert_eq!(checked(&turns(2), &beyond, true), [4, 5, 6, 7], "a boundary that is gone");
}

/// B7: messages of the model are kept or dropped as they are, thinking included.
#[test]
fn b7_nothing_but_results_is_ever_distilled() {
    let mut entries = turns(6);
    entries.iter_mut().for_each(|entry| entry.distilled_tokens = entry.tokens / 10);
    for (zone, running) in ZONES.into_iter().flat_map(|zone| [(zone, true), (zone, false)]) {
        let cut = cut(&entries, &CutRequest { hard: 1, running, ..request(zone, 2_000) });
        assert!(cut.frozen.distilled.iter().all(|&index| entries[index].kind == EntryKind::ToolResult));
    }
}

/// B8: the same history plus one message, twenty times.
#[test]
fn b8_between_two_epochs_messages_are_only_added() {
    let mut entries = turns(10);
    let frozen = cut(&entries, &request(Zone::Green, 8_000)).frozen;
    let mut before = checked(&entries, &frozen, true);
    for id in 1_000..1_020 {
        entries.extend([calls(&[id]), bulky(id)]);
        let now = checked(&entries, &frozen, true);
        assert!(now.starts_with(&before));
        before = now;
    }
}

/// B9: what nobody answered yet stays, word for word.
#[test]
fn b9_unanswered_messages_stay_in_every_zone() {
    let mut entries = turns(4);
    entries.extend([person(), injected(), person()]);
    for (zone, running) in ZONES.into_iter().flat_map(|zone| [(zone, true), (zone, false)]) {
        let cut = cut(&entries, &CutRequest { hard: 1, running, ..request(zone, 1) });
        assert_eq!(checked(&entries, &cut.frozen, running), [16, 17, 18]);
        assert!(cut.frozen.distilled.is_empty());
    }
}

/// B10: pruning twice is pruning once, and a packet that came back is not shown beside the new one.
#[test]
fn b10_a_second_cut_changes_nothing_and_old_packets_leave() {
    let entries: Vec<Entry> = [packet(), summary()].into_iter().chain(turns(6)).chain([packet()]).collect();
    for zone in ZONES {
        let first = cut(&entries, &request(zone, 7_000));
        let second = cut(&entries, &CutRequest { frozen: first.frozen.clone(), ..request(zone, 7_000) });
        assert_eq!(second.frozen, first.frozen);
        assert_eq!((second.freed, second.dropped.len()), (0, 0));
        let kept = checked(&entries, &first.frozen, true);
        assert!(kept.iter().all(|&index| !entries[index].ours));
    }
}

// ---- seed 001, src/prune.test.ts ----

#[test]
fn drops_entire_older_turns_instead_of_retaining_their_user_and_assistant_messages() {
    let entries = turns(6);
    let cut = cut(&entries, &request(Zone::Green, 6_000));
    // the newest whole: 5,180; one older distilled: 430
    assert_eq!(cut.frozen.boundary, 16);
    assert_eq!(cut.dropped, (0..16).collect::<Vec<_>>());
    assert_eq!((cut.kept_tokens, cut.freed), (5_610, 6 * 5_180 - 5_610));
    assert_eq!(checked(&entries, &cut.frozen, true), (16..24).collect::<Vec<_>>());
}

#[test]
fn preserves_the_newest_turn_intact() {
    let entries = turns(3);
    for zone in ZONES {
        let cut = cut(&entries, &CutRequest { hard: 5_180, ..request(zone, 1_000) });
        assert_eq!(checked(&entries, &cut.frozen, true), [8, 9, 10, 11]);
        assert!(cut.frozen.distilled.is_empty());
        assert_eq!(cut.kept_tokens, 5_180, "over the target, and said so");
    }
}

#[test]
fn distills_bulky_tool_results_only_inside_older_kept_turns() {
    let mut entries = turns(3);
    entries[2] = result(0); // not bulky
    let cut = cut(&entries, &request(Zone::Green, 100_000));
    assert_eq!(cut.frozen.boundary, 0);
    assert_eq!(cut.frozen.distilled.into_iter().collect::<Vec<_>>(), [6]);
}

#[test]
fn tightens_the_suffix_as_the_zone_worsens() {
    let entries = turns(12);
    let kept = ZONES.map(|zone| {
        let cut = cut(&entries, &request(zone, 1_000_000));
        checked(&entries, &cut.frozen, true).len() / 4
    });
    assert_eq!(kept, [8, 5, 3, 1]);
}

#[test]
fn preserves_ordering_safety_for_assistant_and_tool_result_groups() {
    let entries = [
        person(),
        calls(&[1, 2]),
        calls(&[3]),
        result(3),
        injected(),
        result(2),
        result(2), // twice
        result(1),
        reply(),
        person(),
        result(1), // long answered
        reply(),
    ];
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4, 5, 7, 8, 9, 11]);
}

// ---- the hard limit, the prompt apart, persons who speak while tools run ----

#[test]
fn at_the_hard_limit_the_oldest_results_of_the_running_turn_are_distilled_but_never_the_newest() {
    let mut entries = turns(2);
    entries.push(person());
    for id in 10..20 {
        entries.extend([calls(&[id]), bulky(id)]);
    }
    // ten results of 5,000, ten calls of 60 and 20: 50,620; each result that is distilled takes 4,750 off
    let below = cut(&entries, &CutRequest { hard: 50_620, ..request(Zone::Compact, 20_000) });
    assert!(below.frozen.distilled.is_empty());
    let over = cut(&entries, &CutRequest { hard: 50_619, ..request(Zone::Compact, 20_000) });
    assert_eq!(over.frozen.distilled.iter().copied().collect::<Vec<_>>(), [10, 12, 14, 16, 18, 20, 22]);
    assert_eq!(over.kept_tokens, 50_620 - 7 * 4_750);
    let nothing_fits = cut(&entries, &CutRequest { hard: 2, ..request(Zone::Compact, 1) });
    assert_eq!(nothing_fits.frozen.distilled.last(), Some(&26), "28 is the newest");
    assert_eq!(nothing_fits.kept_tokens, 50_620 - 9 * 4_750);
}

#[test]
fn what_was_distilled_stays_distilled_while_the_turn_goes_on() {
    let mut entries = vec![person(), calls(&[1]), bulky(1), calls(&[2]), bulky(2)];
    let ask = CutRequest { hard: 8_000, ..request(Zone::Compact, 6_000) };
    let first = cut(&entries, &ask);
    assert_eq!(first.frozen.distilled.iter().copied().collect::<Vec<_>>(), [2]);
    entries.extend([calls(&[3]), bulky(3)]);
    let second = cut(&entries, &CutRequest { frozen: first.frozen, ..ask });
    assert_eq!(second.frozen.distilled.into_iter().collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn with_a_prompt_of_its_own_the_last_turn_is_kept_and_shortened_until_it_fits() {
    let entries: Vec<Entry> =
        turns(2).into_iter().chain([person(), calls(&[8, 9]), bulky(8), bulky(9), reply()]).collect();
    let ask = CutRequest { running: false, hard: 100_000, ..request(Zone::Green, 6_000) };
    let one = cut(&entries, &ask);
    assert_eq!(checked(&entries, &one.frozen, false), [8, 9, 10, 11, 12]);
    assert_eq!(one.frozen.distilled.into_iter().collect::<Vec<_>>(), [10]);
    let both = cut(&entries, &CutRequest { target: 1_000, ..ask.clone() });
    assert_eq!(both.frozen.distilled.into_iter().collect::<Vec<_>>(), [10, 11]);
    let fits = cut(&entries, &CutRequest { target: 11_000, ..ask });
    assert_eq!(
        fits.frozen.distilled.into_iter().collect::<Vec<_>>(),
        [6],
        "only of the older turn that fits too"
    );
}

#[test]
fn a_person_who_speaks_while_a_tool_runs_does_not_cut_the_turn_in_two() {
    let entries = [person(), calls(&[1]), person(), result(1), reply(), person()];
    assert_eq!(view(&entries[..2], true), [0, 1]);
    assert_eq!(view(&entries[..3], true), [0, 2], "no result yet: a request with the call would be refused");
    assert_eq!(view(&entries[..4], true), [0, 1, 2, 3], "it is there before the model is called");
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4, 5]);
    let cut = cut(&entries[..5], &request(Zone::Compact, 1));
    assert_eq!(cut.frozen.boundary, 0, "call and result stay together");
}

#[test]
fn a_result_that_comes_after_the_model_went_on_leaves_with_its_call() {
    let entries = [person(), calls(&[1]), person(), reply(), result(1), reply()];
    assert_eq!(view(&entries, true), [0, 2, 3, 5]);
}

#[test]
fn ids_may_be_used_again() {
    let entries = [person(), calls(&[1]), result(1), reply(), person(), calls(&[1]), result(1), reply()];
    assert_eq!(view(&entries, true), [0, 1, 2, 3, 4, 5, 6, 7]);
    let cut = cut(&entries, &request(Zone::Compact, 1_000));
    assert_eq!(checked(&entries, &cut.frozen, true), [4, 5, 6, 7]);
}

#[test]
fn messages_before_the_first_person_leave() {
    let entries = [other(), calls(&[1]), result(1), reply(), person(), reply()];
    assert_eq!(view(&entries, true), [4, 5]);
    assert_eq!(view(&entries[..4], true), [0, 1, 2, 3], "unless there is no person");
}

/// Pi compacts within a turn: the summary stands for its beginning.
#[test]
fn behind_a_packet_what_a_host_left_of_a_turn_is_a_turn() {
    let rest = [summary(), calls(&[1]), bulky(1), calls(&[2]), reply(), person(), reply()];
    let led = Frozen { led: true, ..Frozen::default() };
    assert_eq!(checked(&rest[..5], &led, true), [1, 2, 3, 4]);
    assert_eq!(checked(&rest, &led, true), [1, 2, 4, 5, 6], "the call without result leaves with its turn");
    assert_eq!(view(&rest, true), [5, 6], "nothing stands before it");
    let cut = |zone| cut(&rest, &CutRequest { frozen: led.clone(), ..request(zone, 1_000) });
    assert_eq!(checked(&rest, &cut(Zone::Red).frozen, true), [1, 2, 4, 5, 6]);
    assert_eq!(cut(Zone::Red).frozen.distilled.into_iter().collect::<Vec<_>>(), [2]);
    assert_eq!(checked(&rest, &cut(Zone::Compact).frozen, true), [5, 6]);
}

#[test]
fn a_message_with_several_results_leaves_whole_and_takes_nothing_from_others() {
    let both = Entry { kind: EntryKind::Injected, answers: vec![1, 7], ..injected() };
    let entries = [person(), calls(&[1]), both, result(1), reply()];
    assert_eq!(view(&entries, true), [0, 1, 3, 4]);
}

#[test]
fn what_is_out_stays_out_when_there_is_room_again() {
    let entries = turns(6);
    let tight = cut(&entries, &request(Zone::Compact, 1_000));
    let wide = cut(&entries, &CutRequest { frozen: tight.frozen.clone(), ..request(Zone::Green, 1_000_000) });
    assert_eq!(wide.frozen, tight.frozen);
}

#[test]
fn the_check_sees_each_kind_of_fault() {
    let entries = [person(), calls(&[1]), result(1), summary(), packet(), person(), reply()];
    let wrong = |kept: &[usize]| violations(&entries, kept, true, false).join("; ");
    assert_eq!(wrong(&[0, 1, 2, 5, 6]), "");
    assert!(wrong(&[0, 2, 5, 6]).contains("message 2 answers call 1"));
    assert!(wrong(&[0, 1, 5, 6]).contains("message 1 makes call 1, which has no result"));
    assert!(wrong(&[0, 1, 2, 3, 5]).contains("message 3 is a raw summary"));
    assert!(wrong(&[0, 4, 5]).contains("message 4 is a raw summary or clawback's own"));
    assert!(wrong(&[6]).contains("stands first"));
    assert!(wrong(&[]).contains("nothing is left"));
    assert!(wrong(&[5, 0]).contains("not ascending"));
    assert!(wrong(&[5, 9]).contains("outside"));
    let twice = [person(), calls(&[1]), result(1), result(1)];
    assert!(violations(&twice, &[0, 1, 2, 3], true, false).join("").contains("message 3 answers call 1"));
}
