//! When a checkpoint need not be written, and what the store asks about one (STORE.md, DESIGN 6.3). Which files stay
//! is the store's rule, by the group named here.

use sha2::{Digest, Sha256};

use super::schema::{Checkpoint, Trigger};
use super::yaml;
use crate::error::{Error, Result};
use crate::store::{CheckpointInfo, Group};

/// Usage must move by this share of the window before an unchanged view is written again.
const MOVED: f64 = 0.05;

/// What the store wants to know of a file's bytes.
///
/// # Errors
/// `Corrupt`, as [`yaml::parse`].
pub fn inspect(bytes: &[u8]) -> Result<CheckpointInfo> {
    let text = std::str::from_utf8(bytes)
        .map_err(|cause| Error::Corrupt(format!("checkpoint file: not UTF-8: {cause}")))?;
    let checkpoint = yaml::parse(text)?;
    Ok(CheckpointInfo {
        id: checkpoint.meta.checkpoint_id,
        created_at: checkpoint.meta.created_at,
        trigger: checkpoint.meta.trigger.name().to_owned(),
        group: group(checkpoint.meta.trigger),
        state_seq: checkpoint.integrity.map_or(0, |end| end.state_seq),
    })
}

/// The retention group: what clawback writes on its own crowds out nothing that was asked for.
pub fn group(trigger: Trigger) -> Group {
    match trigger {
        Trigger::Epoch | Trigger::Auto80Pct => Group::Frequent,
        Trigger::Compaction | Trigger::SessionEnd | Trigger::Enrichment | Trigger::Manual => Group::Rare,
    }
}

/// Whether a checkpoint need not be written: only for `auto-80pct`, when usage moved by less than 5 % of the window
/// since the last one and the live view is unchanged.
pub fn should_skip(trigger: Trigger, previous: Option<&Checkpoint>, next: &Checkpoint) -> bool {
    let Some(previous) = previous.filter(|_| trigger == Trigger::Auto80Pct) else { return false };
    let (before, now) = (&previous.meta.token_usage, &next.meta.token_usage);
    let moved = before.input_tokens.abs_diff(now.input_tokens) as f64;
    moved < MOVED * now.context_window as f64 && content_hash(previous) == content_hash(next)
}

/// SHA-256, in hex, of the live view: what is remembered, and who runs. Time, usage, ids and the flow of the
/// conversation do not enter: with them every turn above 80 % would be a change.
pub fn content_hash(checkpoint: &Checkpoint) -> String {
    let decisions: Vec<&str> = checkpoint.decisions.iter().map(|decision| decision.what.as_str()).collect();
    let content = serde_json::json!([
        checkpoint.goal,
        checkpoint.constraints,
        decisions,
        checkpoint.tasks,
        checkpoint.open_items,
        checkpoint.learnings,
        checkpoint.agents,
        checkpoint.superseded,
    ]);
    yaml::hex(&Sha256::digest(content.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_store_learns_what_it_needs_from_the_bytes() {
        let (sealed, file) = yaml::seal(&fixture::checkpoint()).unwrap();
        let info = inspect(file.as_bytes()).unwrap();
        assert_eq!((info.id.as_str(), info.trigger.as_str()), ("cp_003", "auto-80pct"));
        assert_eq!((info.group, info.created_at), (Group::Frequent, sealed.meta.created_at));
        assert!(matches!(inspect(&[0xff, 0xfe]), Err(Error::Corrupt(_))));
    }

    #[test]
    fn triggers_are_named_as_in_the_file() {
        for trigger in [
            Trigger::Auto80Pct,
            Trigger::Compaction,
            Trigger::Epoch,
            Trigger::SessionEnd,
            Trigger::Enrichment,
            Trigger::Manual,
        ] {
            assert_eq!(serde_json::to_value(trigger).unwrap(), trigger.name());
        }
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
