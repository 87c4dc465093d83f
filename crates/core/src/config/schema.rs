//! The configuration as callers see it: every knob with its default. Names and defaults are a compatibility surface.

use super::layers::{Layers, Loaded, Warning};
use crate::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Every knob. Shares and scores are 0..1; sizes are tokens. `None` of a path or model: the place or model of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Config {
    /// Share of usable at which an epoch begins (never above red - 0.10).
    pub compaction_trigger_pct: f64,
    /// Share of usable that is never passed: the hard limit.
    pub max_context_pct: f64,
    /// The relevance pass at an epoch, from `curation_trigger_pct` on.
    pub relevance: bool,
    /// Share of usable from which the relevance pass runs.
    pub curation_trigger_pct: f64,
    /// Relevance at or below which a chunk is dropped.
    pub relevance_cutoff: f64,
    /// Relevance from which a chunk is kept.
    pub threshold_keep: f64,
    /// Chunks that relevance always leaves.
    pub min_chunks_to_keep: u64,
    /// Weight of recency, which halves every 6 hours.
    pub recency_bonus: f64,
    /// Weight of a pinned chunk.
    pub importance_bonus: f64,
    /// Weight of similarity to the prompt.
    pub memfas_weight: f64,
    /// Similarity below which a hit counts as none.
    pub memfas_min_score: f64,
    /// Off: no message bodies are written, `recall` and `recover` are `Unsupported`.
    pub cold_storage_enabled: bool,
    /// Where cold storage lies; `None`: inside the session.
    pub cold_storage_path: Option<String>,
    /// How long dropped content can be recovered, days.
    pub recoverable_for_days: u64,
    /// Chunks between cutoff and keep are summarised.
    pub summarize_medium_chunks: bool,
    /// Size of such a summary.
    pub summary_target_tokens: u64,
    /// The model that makes it; `None`: the host's.
    pub summary_model: Option<String>,
    /// Where activity logs lie; `None`: `<stateDir>/context/logs`.
    pub log_path: Option<String>,
    /// `compaction.jsonl` is written.
    pub log_compaction: bool,
    /// `curation.jsonl` is written.
    pub log_curation: bool,
    /// `drops.jsonl` is written.
    pub log_drops: bool,
    /// `recovery.jsonl` is written.
    pub log_recovery: bool,
    /// What a resolved append survives.
    pub durability: Durability,
    /// Seed 004's block.
    pub context_management: ContextManagement,
}

/// What a resolved append survives: a killed process, or (`full`) a power cut too (STORE.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// All but the last 250 ms survive a power cut.
    #[default]
    Normal,
    /// Everything that was acknowledged survives a power cut.
    Full,
}

/// Token budgets of a request (seed 004).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ContextManagement {
    /// Budgets are kept by the host's integration.
    pub enabled: bool,
    /// The regions of the window.
    pub budget: Budget,
    /// The summary of dropped turns.
    pub rolling_summary: RollingSummary,
    /// Relevant prior context in the tail.
    pub semantic_history: SemanticHistory,
}

/// The regions of the window, as shares of it; what they leave is the reserve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Instructions, tools, runtime info.
    pub system_prompt_ratio: f64,
    /// Files that are read at the start.
    pub bootstrap_ratio: f64,
    /// The conversation.
    pub history_ratio: f64,
    /// The model's answer.
    pub response_ratio: f64,
    /// Room for the answer at least, in tokens.
    pub min_response_tokens: u64,
}

/// The rolling summary of dropped turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RollingSummary {
    /// Made in `maintain`, where a model is given.
    pub enabled: bool,
    /// Newest user turns that stay word for word.
    pub window_size: u64,
    /// Largest summary.
    pub summary_max_tokens: u64,
    /// History from which it is made.
    pub trigger_threshold: u64,
}

/// Relevant prior context.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SemanticHistory {
    /// Looked for at each plan with a prompt.
    pub enabled: bool,
    /// Most chunks.
    pub max_retrieved_chunks: u64,
    /// Most tokens of all chunks together (never above 30 % of the bootstrap budget).
    pub max_retrieved_tokens: u64,
    /// Least score of a chunk.
    pub min_relevance_score: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            compaction_trigger_pct: 0.50,
            max_context_pct: 0.90,
            relevance: false,
            curation_trigger_pct: 0.40,
            relevance_cutoff: 0.3,
            threshold_keep: 0.6,
            min_chunks_to_keep: 5,
            recency_bonus: 0.2,
            importance_bonus: 0.1,
            memfas_weight: 0.6,
            memfas_min_score: 0.05,
            cold_storage_enabled: true,
            cold_storage_path: None,
            recoverable_for_days: 30,
            summarize_medium_chunks: true,
            summary_target_tokens: 500,
            summary_model: None,
            log_path: None,
            log_compaction: true,
            log_curation: true,
            log_drops: true,
            log_recovery: true,
            durability: Durability::Normal,
            context_management: ContextManagement::default(),
        }
    }
}

impl Default for ContextManagement {
    fn default() -> Self {
        Self {
            enabled: true,
            budget: Budget::default(),
            rolling_summary: RollingSummary::default(),
            semantic_history: SemanticHistory::default(),
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            system_prompt_ratio: 0.15,
            bootstrap_ratio: 0.10,
            history_ratio: 0.45,
            response_ratio: 0.20,
            min_response_tokens: 4_096,
        }
    }
}

impl Default for RollingSummary {
    fn default() -> Self {
        Self { enabled: true, window_size: 5, summary_max_tokens: 2_000, trigger_threshold: 30_000 }
    }
}

impl Default for SemanticHistory {
    fn default() -> Self {
        Self { enabled: true, max_retrieved_chunks: 5, max_retrieved_tokens: 1_500, min_relevance_score: 0.6 }
    }
}

impl Budget {
    /// The sum of the four shares.
    pub fn sum(&self) -> f64 {
        self.system_prompt_ratio + self.bootstrap_ratio + self.history_ratio + self.response_ratio
    }
}

impl Config {
    /// The `config` option of a session: any part of the configuration, in any of the accepted spellings. Paths with `~`
    /// need `home`.
    ///
    /// # Errors
    /// `InvalidInput` for a value of the wrong kind or out of range.
    pub fn from_value(given: &Value, home: Option<&str>) -> Result<(Self, Vec<Warning>)> {
        Loaded::new(&Layers { given: Some(given), home, ..Layers::default() })
            .map(|loaded| (loaded.config, loaded.warnings))
    }

    /// A configuration file alone.
    ///
    /// # Errors
    /// `InvalidInput` when it is no YAML, or a value is of the wrong kind or out of range.
    pub fn parse_yaml(text: &str, home: Option<&str>) -> Result<(Self, Vec<Warning>)> {
        Loaded::new(&Layers { file: Some(("the configuration", text)), home, ..Layers::default() })
            .map(|loaded| (loaded.config, loaded.warnings))
    }
}
