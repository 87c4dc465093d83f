//! The table of knobs: where each stands in the configuration, its upper-case name, and what it may be.

/// What a knob may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number from .. to ..
    Number(f64, f64),
    /// A whole number from .. to ..
    Whole(u64, u64),
    /// True or false.
    Switch,
    /// A text.
    Text,
    /// A path; a leading `~` is the home directory.
    Path,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// One knob.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knob {
    /// Where it stands, camelCase, with dots between.
    pub path: &'static str,
    /// Its name in seed 003's files, and after `CLAWBACK_` in the environment.
    pub upper: &'static str,
    /// What it may be.
    pub kind: Kind,
}

impl Knob {
    /// The last part of the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// The groups that it stands in.
    pub(super) fn group(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(group, _)| group)
    }
}

const fn knob(path: &'static str, upper: &'static str, kind: Kind) -> Knob {
    Knob { path, upper, kind }
}

const SHARE: Kind = Kind::Number(0.0, 1.0);
const TOKENS: Kind = Kind::Whole(0, 1_000_000);

/// All knobs, in the order of the configuration. The limits of the two shares of pressure keep the zones in their order.
pub static KNOBS: [Knob; 37] = [
    knob("compactionTriggerPct", "COMPACTION_TRIGGER_PCT", Kind::Number(0.05, 0.95)),
    knob("maxContextPct", "MAX_CONTEXT_PCT", Kind::Number(0.30, 1.0)),
    knob("relevance", "RELEVANCE", Kind::Switch),
    knob("curationTriggerPct", "CURATION_TRIGGER_PCT", SHARE),
    knob("relevanceCutoff", "RELEVANCE_CUTOFF", SHARE),
    knob("thresholdKeep", "THRESHOLD_KEEP", SHARE),
    knob("minChunksToKeep", "MIN_CHUNKS_TO_KEEP", Kind::Whole(0, 10_000)),
    knob("recencyBonus", "RECENCY_BONUS", SHARE),
    knob("importanceBonus", "IMPORTANCE_BONUS", SHARE),
    knob("memfasWeight", "MEMFAS_WEIGHT", SHARE),
    knob("memfasMinScore", "MEMFAS_MIN_SCORE", SHARE),
    knob("coldStorageEnabled", "COLD_STORAGE_ENABLED", Kind::Switch),
    knob("coldStoragePath", "COLD_STORAGE_PATH", Kind::Path),
    knob("recoverableForDays", "RECOVERABLE_FOR_DAYS", Kind::Whole(1, 36_500)),
    knob("summarizeMediumChunks", "SUMMARIZE_MEDIUM_CHUNKS", Kind::Switch),
    knob("summaryTargetTokens", "SUMMARY_TARGET_TOKENS", Kind::Whole(50, 100_000)),
    knob("summaryModel", "SUMMARY_MODEL", Kind::Text),
    knob("logPath", "LOG_PATH", Kind::Path),
    knob("logCompaction", "LOG_COMPACTION", Kind::Switch),
    knob("logCuration", "LOG_CURATION", Kind::Switch),
    knob("logDrops", "LOG_DROPS", Kind::Switch),
    knob("logRecovery", "LOG_RECOVERY", Kind::Switch),
    knob("durability", "DURABILITY", Kind::Word(&["normal", "full"])),
    knob("contextManagement.enabled", "CONTEXT_MANAGEMENT_ENABLED", Kind::Switch),
    knob("contextManagement.budget.systemPromptRatio", "SYSTEM_PROMPT_RATIO", SHARE),
    knob("contextManagement.budget.bootstrapRatio", "BOOTSTRAP_RATIO", SHARE),
    knob("contextManagement.budget.historyRatio", "HISTORY_RATIO", SHARE),
    knob("contextManagement.budget.responseRatio", "RESPONSE_RATIO", SHARE),
    knob("contextManagement.budget.minResponseTokens", "MIN_RESPONSE_TOKENS", TOKENS),
    knob("contextManagement.rollingSummary.enabled", "ROLLING_SUMMARY_ENABLED", Kind::Switch),
    knob("contextManagement.rollingSummary.windowSize", "ROLLING_SUMMARY_WINDOW_SIZE", Kind::Whole(0, 1_000)),
    knob("contextManagement.rollingSummary.summaryMaxTokens", "ROLLING_SUMMARY_MAX_TOKENS", TOKENS),
    knob(
        "contextManagement.rollingSummary.triggerThreshold",
        "ROLLING_SUMMARY_TRIGGER_THRESHOLD",
        Kind::Whole(0, 10_000_000),
    ),
    knob("contextManagement.semanticHistory.enabled", "SEMANTIC_HISTORY_ENABLED", Kind::Switch),
    knob("contextManagement.semanticHistory.maxRetrievedChunks", "MAX_RETRIEVED_CHUNKS", Kind::Whole(0, 100)),
    knob("contextManagement.semanticHistory.maxRetrievedTokens", "MAX_RETRIEVED_TOKENS", TOKENS),
    knob("contextManagement.semanticHistory.minRelevanceScore", "MIN_RELEVANCE_SCORE", SHARE),
];

/// Other spellings that are read: seed 003 writes `IMPORTANCE_BOOT` (DESIGN 6.7).
pub(super) const ALIASES: [(&str, &str); 1] = [("importanceboot", "importancebonus")];

/// A key without case, underscores and dashes, so that every spelling meets.
pub(super) fn folded(key: &str) -> String {
    let plain: String =
        key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    ALIASES.iter().find(|(alias, _)| *alias == plain).map_or(plain, |(_, name)| (*name).to_owned())
}
