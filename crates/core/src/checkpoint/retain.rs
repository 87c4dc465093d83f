//! Which checkpoints stay on disk, and when one need not be written (STORE.md, DESIGN 6.3).

use sha2::{Digest, Sha256};

use super::schema::{Checkpoint, Trigger};

/// Checkpoints kept of each of the two groups.
pub const KEEP: usize = 5;
/// Usage must move by this share of the window before an unchanged view is written again.
const MOVED: f64 = 0.05;

/// Numbers of the checkpoints to delete: all but the newest [`KEEP`] of triggers `epoch` and `auto-80pct` together,
/// the newest [`KEEP`] of the other triggers, and the one that the pointer names. Order is by number, not by name.
pub fn retain(all: &[(u64, Trigger)], pointer: Option<u64>) -> Vec<u64> {
    let mut newest_first = all.to_vec();
    newest_first.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    let (mut frequent, mut deliberate) = (0, 0);
    let mut delete: Vec<u64> = newest_first
        .into_iter()
        .filter(|(number, trigger)| {
            let group = match trigger {
                Trigger::Epoch | Trigger::Auto80Pct => &mut frequent,
                _ => &mut deliberate,
            };
            *group += 1;
            *group > KEEP && Some(*number) != pointer
        })
        .map(|(number, _)| number)
        .collect();
    delete.reverse();
    delete
}

/// Whether a checkpoint need not be written: only for `auto-80pct`, when usage moved by less than 5 % of the window
/// since the last one and the live view is unchanged.
pub fn should_skip(trigger: Trigger, previous: Option<&Checkpoint>, next: &Checkpoint) -> bool {
    let Some(previous) = previous.filter(|_| trigger == Trigger::Auto80Pct) else { return false };
    let (before, now) = (&previous.meta.token_usage, &next.meta.token_usage);
    let moved = before.input_tokens.abs_diff(now.input_tokens) as f64;
    moved < MOVED * now.context_window as f64 && content_hash(previous) == content_hash(next)
}

/// SHA-256, in hex, of what an agent would miss: the request, the live view, running agents and touched files. Time,
/// usage, ids and the flow of the conversation do not enter.
pub fn content_hash(checkpoint: &Checkpoint) -> String {
    let decisions: Vec<&str> = checkpoint.decisions.iter().map(|decision| decision.what.as_str()).collect();
    let content = serde_json::json!([
        checkpoint.active_request,
        checkpoint.goal,
        checkpoint.constraints,
        decisions,
        checkpoint.tasks,
        checkpoint.open_items,
        checkpoint.learnings,
        checkpoint.agents,
        checkpoint.resources.files_modified,
        checkpoint.superseded,
    ]);
    super::yaml::hex(&Sha256::digest(content.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn five_of_each_group_stay_by_number() {
        let all: Vec<(u64, Trigger)> = (995..=1_010)
            .map(|n| (n, if n % 2 == 0 { Trigger::Epoch } else { Trigger::Compaction }))
            .chain([(3, Trigger::Manual), (4, Trigger::Auto80Pct)])
            .collect();
        assert_eq!(retain(&all, Some(1_010)), [3, 4, 995, 996, 997, 998, 999, 1_000]);
    }

    #[test]
    fn the_pointers_target_stays_however_old() {
        let all: Vec<(u64, Trigger)> = (1..=9).map(|n| (n, Trigger::Epoch)).collect();
        assert_eq!(retain(&all, Some(2)), [1, 3, 4]);
        assert_eq!(retain(&all, None), [1, 2, 3, 4]);
    }

    #[test]
    fn epochs_do_not_push_out_deliberate_checkpoints() {
        let all: Vec<(u64, Trigger)> =
            std::iter::once((1, Trigger::SessionEnd)).chain((2..=40).map(|n| (n, Trigger::Epoch))).collect();
        let gone = retain(&all, Some(40));
        assert!(!gone.contains(&1) && gone.len() == 34);
    }

    #[test]
    fn only_an_unchanged_automatic_checkpoint_is_skipped() {
        let before = fixture::checkpoint();
        let mut now = before.clone();
        now.meta.checkpoint_id = "cp_004".to_owned();
        now.meta.created_at = "2026-02-24T15:31:00Z".to_owned();
        now.meta.token_usage.input_tokens += 1_000;
        now.thread.key_exchanges.clear();
        assert!(should_skip(Trigger::Auto80Pct, Some(&before), &now));
        assert!(!should_skip(Trigger::Auto80Pct, None, &now));
        for trigger in [Trigger::Compaction, Trigger::Epoch, Trigger::SessionEnd, Trigger::Manual] {
            assert!(!should_skip(trigger, Some(&before), &now));
        }
        let mut fuller = now.clone();
        fuller.meta.token_usage.input_tokens += 9_000;
        assert!(!should_skip(Trigger::Auto80Pct, Some(&before), &fuller), "usage moved by 5 %");
        now.decisions.pop();
        assert!(!should_skip(Trigger::Auto80Pct, Some(&before), &now), "a decision changed");
    }
}
