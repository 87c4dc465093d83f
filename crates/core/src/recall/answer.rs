//! What a search answers: one hit is one message, and all hits together keep their limit of tokens.

use serde::Serialize;

use super::excerpt::excerpt;
use super::library::Found;
use super::query::Query;
use crate::capture::is_ours;
use crate::store::Body;
use crate::text::tokens::estimate_tokens;

/// Tokens of all hits together, unless the caller says otherwise.
pub const DEFAULT_MAX_TOKENS: u64 = 2_000;
/// Hits, unless the caller says otherwise.
pub const DEFAULT_LIMIT: usize = 10;
/// Tokens of the passage of a hit.
pub const PASSAGE_TOKENS: u64 = 60;
/// Hits at most.
pub const MAX_LIMIT: usize = 1_000;

/// A message that was found or recovered (API.md, `RecallHit`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecallHit {
    /// Its id.
    pub chunk_id: String,
    /// The session's key.
    pub session_key: String,
    /// The host's role.
    pub role: String,
    /// The message, or the part of it that answers.
    pub text: String,
    /// The part of `text` around what matches, at most [`PASSAGE_TOKENS`] tokens, to be shown; `None` where `text` is no
    /// longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
    /// Tokens of `text`.
    pub tokens: u64,
    /// 0..1.
    pub score: f64,
    /// ISO 8601 time of the message.
    pub timestamp: String,
    /// Why it left the view; `None`: it did not.
    pub drop_reason: Option<String>,
    /// ISO 8601; `None`: it does not expire.
    pub recoverable_until: Option<String>,
}

/// Scores for hits in their order, 0..1 and never rising: the best share of the question's idf mass that any of them
/// matches, scaled by how they rank.
pub fn scores(found: &[Found]) -> Vec<f64> {
    let best = found.iter().map(|found| found.similarity).fold(0.0_f32, f32::max);
    let first = found.first().map_or(1.0, |found| found.rank.max(f32::MIN_POSITIVE));
    found.iter().map(|found| f64::from(best * (found.rank / first)).clamp(0.0, 1.0)).collect()
}

/// Takes hits, best first, until there is no more room: the first is cut around what matches rather than left out, later
/// ones that do not fit make place for shorter ones.
#[derive(Debug)]
pub struct Collector {
    left: u64,
    limit: usize,
    hits: Vec<RecallHit>,
}

impl Collector {
    /// For at most `limit` hits of together at most `max_tokens`.
    pub fn new(limit: usize, max_tokens: u64) -> Self {
        Self { left: max_tokens, limit, hits: Vec::new() }
    }

    /// Whether nothing more can be taken.
    pub fn is_full(&self) -> bool {
        self.hits.len() >= self.limit || self.left == 0
    }

    /// Offers the next best message. What nobody said is no hit: an empty text, and what clawback itself rendered.
    pub fn offer(&mut self, session_key: &str, body: Body, score: f64, query: &Query) {
        if self.is_full() || body.text.trim().is_empty() || is_ours(&body.text) {
            return;
        }
        let mut text = body.text;
        let mut tokens = estimate_tokens(&text);
        if tokens > self.left {
            if !self.hits.is_empty() {
                return;
            }
            text = excerpt(&text, query, self.left);
            tokens = estimate_tokens(&text);
        }
        self.left = self.left.saturating_sub(tokens);
        let passage = (tokens > PASSAGE_TOKENS).then(|| excerpt(&text, query, PASSAGE_TOKENS));
        self.hits.push(RecallHit {
            passage,
            chunk_id: body.chunk_id.to_string(),
            session_key: session_key.to_owned(),
            role: body.role,
            text,
            tokens,
            score,
            timestamp: body.at,
            drop_reason: None,
            recoverable_until: None,
        });
    }

    /// The hits.
    pub fn hits(self) -> Vec<RecallHit> {
        self.hits
    }
}
