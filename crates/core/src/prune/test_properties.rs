//! What holds for every conversation, at every zone.

use super::test_support::*;
use super::*;
use proptest::prelude::*;

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, ..ProptestConfig::default() }
}

fn ask(zone: usize, target: u64, hard: u64, running: bool, led: bool) -> CutRequest {
    let frozen = Frozen { led, ..Frozen::default() };
    CutRequest { hard, running, frozen, ..request(ZONES[zone % 4], target) }
}

proptest! {
    #![proptest_config(cases(6_000))]

    /// Pairs in both directions, the first message, never empty: from every boundary, with and without a prompt.
    #[test]
    fn every_view_obeys_the_rules(entries in conversation(60), boundary in 0usize..80, running: bool, led: bool) {
        for boundary in [0, boundary] {
            let frozen = Frozen { boundary, led, ..Frozen::default() };
            let kept = visible(&entries, &frozen, running);
            prop_assert_eq!(violations(&entries, &kept, running, led), Vec::<String>::new());
        }
    }

    /// Every cut gives such a view, keeps the newest turn, says what it did, and is the same when made twice.
    #[test]
    fn every_cut_obeys_the_rules(
        entries in conversation(60), zone in 0usize..4, target in 1u64..40_000, more in 0u64..40_000, running: bool, led: bool,
    ) {
        let request = ask(zone, target, target + more, running, led);
        let before = visible(&entries, &request.frozen, running);
        let cut = cut(&entries, &request);
        let kept = visible(&entries, &cut.frozen, running);
        prop_assert_eq!(violations(&entries, &kept, running, led), Vec::<String>::new());

        // the newest turn
        if let Some(newest) = newest_person(&entries) {
            let whole: Vec<usize> = before.iter().copied().filter(|&index| index >= newest).collect();
            prop_assert!(kept.ends_with(&whole), "{:?} is not the end of {:?}", whole, kept);
            prop_assert!(kept.contains(&newest));
        } else {
            prop_assert_eq!(&kept, &before);
        }

        // what it says
        prop_assert_eq!(cut.kept_tokens, cut.frozen.total(&entries, &kept));
        prop_assert_eq!(cut.freed, request.frozen.total(&entries, &before) - cut.kept_tokens);
        prop_assert_eq!([cut.dropped.clone(), kept.clone()].concat(), before);
        prop_assert!(cut.frozen.distilled.iter().all(|index| kept.contains(index) && entries[*index].is_bulky()));

        // the limits
        let count = layout::lay_out(&entries, cut.frozen.boundary, running, led).starts.len();
        prop_assert!(count <= max_turns(request.zone));
        if cut.kept_tokens > target {
            prop_assert!(count <= 1, "{} turns, {} tokens", count, cut.kept_tokens);
            let mut whole: Vec<usize> = kept.iter().copied().filter(|&index| !entries[index].answers.is_empty()).collect();
            if running {
                whole.pop();
            }
            whole.retain(|index| entries[*index].is_bulky() && !cut.frozen.distilled.contains(index));
            let bound = if running { request.hard } else { target };
            prop_assert!(cut.kept_tokens <= bound || whole.is_empty());
        }

        // twice is once
        let again = super::cut(&entries, &CutRequest { frozen: cut.frozen.clone(), ..request });
        prop_assert_eq!(&again.frozen, &cut.frozen);
        prop_assert_eq!((again.freed, again.dropped.len()), (0, 0));
    }

    /// Turns chosen by relevance are seen as they were chosen, and obey the same rules; what left stays out.
    #[test]
    fn a_cut_by_relevance_obeys_the_rules(
        entries in conversation(60), zone in 0usize..4, target in 1u64..40_000, running: bool,
        ranks in prop::collection::vec((0.0f64..1.0, 0u8..3, any::<bool>()), 60),
    ) {
        let mut request = ask(zone, target, target * 2, running, false);
        let turns = seen_turns(&entries, &request.frozen, running);
        let rank = |&(score, verdict, protected): &(f64, u8, bool)| Relevance {
            score, protected, verdict: [Verdict::Keep, Verdict::Condense, Verdict::Drop][verdict as usize],
        };
        request.relevance = Some(ranks.iter().take(turns.len()).map(rank).collect());
        let before = visible(&entries, &request.frozen, running);
        let cut = cut(&entries, &request);
        let mut entries = entries;
        cut.left.iter().for_each(|index| entries[*index].left = true);
        let kept = visible(&entries, &cut.frozen, running);
        let stayed: Vec<usize> = before.iter().copied().filter(|index| !cut.dropped.contains(index)).collect();
        prop_assert_eq!(&kept, &stayed);
        prop_assert_eq!(violations(&entries, &kept, running, false), Vec::<String>::new());
        prop_assert!(turns.last().is_none_or(|newest| kept.ends_with(newest)));
        prop_assert!(cut.condensed.iter().all(|index| cut.dropped.contains(index)));
        prop_assert_eq!(cut.freed, request.frozen.total(&entries, &before) - cut.frozen.total(&entries, &kept));
    }

    /// The provider's cache: at every call of the model within a turn, the view begins with all earlier ones.
    #[test]
    fn a_growing_turn_only_adds(entries in conversation(60), zone in 0usize..4, target in 1u64..20_000, cut_at in 0usize..60, led: bool) {
        let cut_at = cut_at.min(entries.len());
        let frozen = cut(&entries[..cut_at], &ask(zone, target, target * 2, true, led)).frozen;
        let mut before: Option<Vec<usize>> = None;
        for len in cut_at..=entries.len() {
            let spoke = len > cut_at && entries[len - 1].kind == EntryKind::Person;
            if spoke {
                before = None;
            }
            if entries.get(len).is_some_and(|next| next.kind == EntryKind::Assistant) {
                let now = visible(&entries[..len], &frozen, true);
                if let Some(before) = before {
                    prop_assert!(now.starts_with(&before), "{:?} then {:?}", before, now);
                }
                before = Some(now);
            }
        }
    }

    /// Where results come before the person speaks again, that holds at every message, and across turns only calls without
    /// results leave.
    #[test]
    fn a_punctual_conversation_only_adds_at_every_message(
        entries in punctual(60), zone in 0usize..4, target in 1u64..20_000, cut_at in 0usize..60, led: bool,
    ) {
        let cut_at = cut_at.min(entries.len());
        let frozen = cut(&entries[..cut_at], &ask(zone, target, target * 2, true, led)).frozen;
        let mut before = visible(&entries[..cut_at], &frozen, true);
        for len in cut_at + 1..=entries.len() {
            let now = visible(&entries[..len], &frozen, true);
            if entries[len - 1].kind == EntryKind::Person {
                let headless = newest_person(&entries[..len - 1]).is_none();
                let mut gone = before.iter().filter(|index| !now.contains(index));
                let paired = |index: &usize| !entries[*index].calls.is_empty() || !entries[*index].answers.is_empty();
                prop_assert!(headless || gone.all(paired), "{:?} then {:?}", before, now);
            } else {
                prop_assert!(now.starts_with(&before), "{:?} then {:?}", before, now);
            }
            before = now;
        }
    }

    /// Epoch after epoch over one growing conversation: nothing comes back, nothing breaks.
    #[test]
    fn epochs_follow_each_other(entries in conversation(80), steps in proptest::collection::vec((1usize..12, 0usize..4, 1u64..20_000), 1..10), led: bool) {
        let mut frozen = Frozen { led, ..Frozen::default() };
        let mut len = 0;
        let mut gone = std::collections::HashSet::new();
        for (more, zone, target) in steps {
            len = (len + more).min(entries.len());
            let cut = cut(&entries[..len], &CutRequest { frozen, ..ask(zone, target, target * 2, true, led) });
            let kept = visible(&entries[..len], &cut.frozen, true);
            prop_assert_eq!(violations(&entries[..len], &kept, true, led), Vec::<String>::new());
            if let Some(newest) = newest_person(&entries[..len]) {
                prop_assert!(kept.contains(&newest));
            }
            // a call that waits for its result may be out for a moment and come back with it
            gone.extend(cut.dropped.into_iter().filter(|&index| entries[index].kind == EntryKind::Person));
            prop_assert!(kept.iter().all(|index| !gone.contains(index)));
            frozen = cut.frozen;
        }
    }
}
