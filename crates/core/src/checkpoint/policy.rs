//! When a checkpoint need not be written, and what the store asks about one (STORE.md, DESIGN 6.3). Which files stay
//! is the store's rule, by the group named here.

use sha2::{Digest, Sha256};

use super::schema::{Checkpoint, TokenUsage, Trigger};
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

/// What is known of the last checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Last<'a> {
    /// Tokens of the whole request then.
    pub input_tokens: u64,
    /// Its [`content_hash`].
    pub content: &'a str,
}

/// Whether a checkpoint need not be written: only for `auto-80pct`, when usage moved by less than 5 % of the window
/// since the last one and the live view, by its [`content_hash`], is unchanged.
pub fn should_skip(trigger: Trigger, last: Last<'_>, usage: &TokenUsage, content: &str) -> bool {
    let moved = last.input_tokens.abs_diff(usage.input_tokens) as f64;
    trigger == Trigger::Auto80Pct && moved < MOVED * usage.context_window as f64 && last.content == content
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
        let skips = |trigger: Trigger, now: &Checkpoint| {
            let content = content_hash(&before);
            let last = Last { input_tokens: before.meta.token_usage.input_tokens, content: &content };
            should_skip(trigger, last, &now.meta.token_usage, &content_hash(now))
        };
        assert!(skips(Trigger::Auto80Pct, &now));
        for trigger in [Trigger::Compaction, Trigger::Epoch, Trigger::SessionEnd, Trigger::Manual] {
            assert!(!skips(trigger, &now));
        }
        let mut fuller = now.clone();
        fuller.meta.token_usage.input_tokens += 9_000;
        assert!(!skips(Trigger::Auto80Pct, &fuller), "usage moved by 5 %");
        now.decisions.pop();
        assert!(!skips(Trigger::Auto80Pct, &now), "a decision changed");
    }
}
