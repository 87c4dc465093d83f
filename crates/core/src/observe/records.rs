//! Lines of the activity logs, with the fields of seed 003 under its names, plus `session_id` where the seed has none: all
//! sessions of a state directory share the logs. No text of the conversation goes into them.

use serde::{Serialize, Serializer};

use crate::text::redact::redact_secrets;
use crate::text::words::keywords;

/// Keywords of a query that are logged.
const QUERY_KEYWORDS: usize = 8;

/// A line as it is written: one JSON object that begins with time and event.
fn line<R: Serialize>(timestamp: &str, event: Option<&'static str>, record: &R) -> String {
    #[derive(Serialize)]
    struct Line<'a, R> {
        timestamp: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        event: Option<&'static str>,
        #[serde(flatten)]
        record: &'a R,
    }
    // Records are made of texts and numbers only: this cannot fail, and an empty line is skipped by the store.
    serde_json::to_string(&Line { timestamp, event, record }).unwrap_or_default()
}

/// A ratio with three digits: more is noise.
fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn rounded_share<S: Serializer>(share: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    share.map(rounded).serialize(to)
}

/// Of a query only a few keywords, redacted.
fn query_words<S: Serializer>(query: &&str, to: S) -> Result<S::Ok, S::Error> {
    let mut words = keywords(&redact_secrets(query));
    words.truncate(QUERY_KEYWORDS);
    words.join(" ").serialize(to)
}

/// An epoch or a compaction: `compaction.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compaction<'a> {
    /// ISO 8601.
    #[serde(skip)]
    pub timestamp: &'a str,
    /// The session's key.
    pub session_id: &'a str,
    /// What set it off: `token_threshold`, `hard_limit`, `host`, `manual`, `rewind`.
    pub trigger: &'a str,
    /// Tokens of the view before.
    pub tokens_before: u64,
    /// Tokens of the view after.
    pub tokens_after: u64,
    /// Messages that left the view.
    pub chunks_dropped: u64,
    /// Messages of which a shorter text stays.
    pub chunks_summarized: u64,
    /// The knob that decided, such as `COMPACTION_TRIGGER_PCT=0.50`.
    pub config_used: &'a str,
}

impl Compaction<'_> {
    /// The line.
    pub fn to_line(&self) -> String {
        line(self.timestamp, Some("compaction_triggered"), self)
    }
}

/// A relevance pass: `curation.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curation<'a> {
    /// ISO 8601.
    #[serde(skip)]
    pub timestamp: &'a str,
    /// The session's key.
    pub session_id: &'a str,
    /// The prompt against which was scored; of it only a few redacted keywords are logged.
    #[serde(serialize_with = "query_words")]
    pub query: &'a str,
    /// Chunks that are kept because they match.
    pub hits_found: u64,
    /// Chunks that were scored.
    pub total_hits_before_curation: u64,
    /// Tokens that left the view.
    pub token_savings: u64,
    /// Chunks that left the view.
    pub drops_triggered: u64,
}

impl Curation<'_> {
    /// The line.
    pub fn to_line(&self) -> String {
        line(self.timestamp, Some("memfas_curation"), self)
    }
}

/// A message that left the view: `drops.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dropped<'a> {
    /// ISO 8601.
    #[serde(skip)]
    pub timestamp: &'a str,
    /// The message.
    pub chunk_id: &'a str,
    /// The session's key.
    pub session_id: &'a str,
    /// Why (`store::DropReason`).
    pub reason: &'a str,
    /// 0..1, where a score decided.
    #[serde(serialize_with = "rounded_share")]
    pub relevance_score: Option<f64>,
    /// The cutoff against which it was held, where a score decided.
    pub threshold_used: Option<f64>,
    /// Its drop record, relative to the state directory.
    pub cold_storage_path: &'a str,
}

impl Dropped<'_> {
    /// The line.
    pub fn to_line(&self) -> String {
        line(self.timestamp, Some("chunk_dropped"), self)
    }
}

/// How a message came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoverySource {
    /// It matched a prompt and was offered.
    Auto,
    /// It was asked for by its id.
    Manual,
    /// It was found by a search.
    Search,
}

/// A message that came back: `recovery.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovered<'a> {
    /// ISO 8601.
    #[serde(skip)]
    pub timestamp: &'a str,
    /// The message.
    pub chunk_id: &'a str,
    /// The session's key.
    pub session_id: &'a str,
    /// How.
    pub source: RecoverySource,
    /// Why it had left, where it had.
    pub drop_reason: Option<&'a str>,
    /// The score with which it had left, 0..1.
    #[serde(serialize_with = "rounded_share")]
    pub score_at_drop: Option<f64>,
    /// How well it matched now, 0..1.
    #[serde(serialize_with = "rounded_share")]
    pub relevance_score: Option<f64>,
    /// The score from which on it is offered.
    pub threshold_used: Option<f64>,
    /// Tokens that came back.
    pub tokens: u64,
    /// Hours since it had left.
    #[serde(serialize_with = "rounded_share")]
    pub hours_since_drop: Option<f64>,
}

impl Recovered<'_> {
    /// The line.
    pub fn to_line(&self) -> String {
        line(self.timestamp, Some("chunk_recovered"), self)
    }
}

/// How full the context is: `context-health.jsonl`.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthSample<'a> {
    /// ISO 8601.
    pub timestamp: &'a str,
    /// The session's key.
    pub session_id: &'a str,
    /// Tokens in use.
    pub current_tokens: u64,
    /// Tokens of the window.
    pub limit: u64,
    /// Tokens at which the next epoch begins.
    pub next_compaction_estimate: u64,
    /// Messages in the view.
    pub memcached_chunks: u64,
    /// Messages that can be brought back.
    pub cold_storage_chunks: u64,
}

impl HealthSample<'_> {
    /// The line.
    pub fn to_line(&self) -> String {
        #[derive(Serialize)]
        struct Out<'a> {
            session_id: &'a str,
            current_tokens: u64,
            limit: u64,
            pct_used: f64,
            next_compaction_estimate: u64,
            memcached_chunks: u64,
            cold_storage_chunks: u64,
        }
        let out = Out {
            session_id: self.session_id,
            current_tokens: self.current_tokens,
            limit: self.limit,
            pct_used: rounded(super::share(self.current_tokens, self.limit)),
            next_compaction_estimate: self.next_compaction_estimate,
            memcached_chunks: self.memcached_chunks,
            cold_storage_chunks: self.cold_storage_chunks,
        };
        line(self.timestamp, None, &out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn fields(line: &str) -> Vec<String> {
        let value: Value = serde_json::from_str(line).unwrap();
        value.as_object().unwrap().keys().filter(|key| *key != "session_id").cloned().collect()
    }

    #[test]
    fn the_lines_have_the_fields_of_the_seed() {
        let compaction = Compaction {
            timestamp: "2026-02-02T22:55:00Z",
            session_id: "main",
            trigger: "token_threshold",
            tokens_before: 80_000,
            tokens_after: 40_000,
            chunks_dropped: 15,
            chunks_summarized: 8,
            config_used: "COMPACTION_TRIGGER_PCT=0.50",
        };
        assert_eq!(
            fields(&compaction.to_line()),
            [
                "timestamp",
                "event",
                "trigger",
                "tokens_before",
                "tokens_after",
                "chunks_dropped",
                "chunks_summarized",
                "config_used"
            ]
        );
        let curation = Curation {
            timestamp: "",
            session_id: "main",
            query: "journal search",
            hits_found: 5,
            total_hits_before_curation: 12,
            token_savings: 25_000,
            drops_triggered: 7,
        };
        assert_eq!(
            fields(&curation.to_line()),
            [
                "timestamp",
                "event",
                "query",
                "hits_found",
                "total_hits_before_curation",
                "token_savings",
                "drops_triggered"
            ]
        );
        let dropped = Dropped {
            timestamp: "",
            chunk_id: "c0-1-0000000000000001",
            session_id: "main",
            reason: "low_relevance",
            relevance_score: Some(0.15),
            threshold_used: Some(0.3),
            cold_storage_path: "context/sessions/main-1/cold/2026-02.jsonl",
        };
        let line: Value = serde_json::from_str(&dropped.to_line()).unwrap();
        for field in [
            "timestamp",
            "event",
            "chunk_id",
            "session_id",
            "reason",
            "relevance_score",
            "threshold_used",
            "cold_storage_path",
        ] {
            assert!(line.get(field).is_some(), "{field}");
        }
        let health = HealthSample {
            timestamp: "",
            session_id: "main",
            current_tokens: 45_000,
            limit: 100_000,
            next_compaction_estimate: 50_000,
            memcached_chunks: 23,
            cold_storage_chunks: 156,
        };
        assert_eq!(
            fields(&health.to_line()),
            [
                "timestamp",
                "current_tokens",
                "limit",
                "pct_used",
                "next_compaction_estimate",
                "memcached_chunks",
                "cold_storage_chunks"
            ]
        );
        assert!(health.to_line().contains(r#""pct_used":0.45,"#));
    }

    #[test]
    fn of_a_query_only_redacted_keywords_are_logged() {
        let key = format!("sk-ant-api03-{}", "a1B2".repeat(20));
        let query =
            format!("Where did we put the journal?\nThe key is {key}. {}", "lorem ipsum ".repeat(200));
        let curation = Curation {
            timestamp: "",
            session_id: "main",
            query: &query,
            hits_found: 0,
            total_hits_before_curation: 0,
            token_savings: 0,
            drops_triggered: 0,
        };
        let line = curation.to_line();
        assert!(!line.contains(&key) && line.len() < 400 && line.contains("journal"), "{line}");
    }
}
