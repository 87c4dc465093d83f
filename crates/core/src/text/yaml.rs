//! YAML as values, under limits that are checked while scanning, before anything is built (FAULTS D7). One document,
//! no key twice; merge keys are ordinary ones.

use serde::de::DeserializeOwned;
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy};

/// What a text may hold at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all scalars together.
    pub bytes: usize,
    /// Nesting of mappings and lists.
    pub depth: usize,
    /// Anchors, and as many aliases.
    pub aliases: usize,
    /// Merge keys.
    pub merge_keys: usize,
}

/// The value of a text. The error says why, and at which line where that is known.
pub fn read<T: DeserializeOwned>(text: &str, limits: Limits) -> Result<T, String> {
    let options = serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: limits.depth,
            flow_nesting_limit: limits.depth,
            max_documents: 1,
            max_aliases: limits.aliases,
            max_anchors: limits.aliases,
            max_merge_keys: limits.merge_keys,
            max_nodes: 20_000,
            max_events: 50_000,
            max_total_scalar_bytes: limits.bytes,
            max_recorded_anchor_events: 10_000,
        },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 10_000 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        emit_comments: false,
        with_snippet: false,
    };
    serde_yaml::from_str_with_options(text, options).map_err(|cause| {
        let line = cause.location().map(|place| format!(" at line {}", place.line())).unwrap_or_default();
        format!("not readable{line}: {cause}")
    })
}
