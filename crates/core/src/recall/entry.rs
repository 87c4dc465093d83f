//! What search keeps of a stored message: where it is, what filters ask for, and its terms.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::analyze::{Kind, analyze};
use crate::store::{Body, BodySpot, ChunkId};
use crate::text::time::millis;

/// A message as search knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its id.
    pub(super) chunk: ChunkId,
    /// When, in epoch milliseconds; 0 where the time does not parse.
    pub(super) at: i64,
    /// Hash of the role.
    pub(super) role: u64,
    /// Hash of the tool's name; 0: none.
    pub(super) tool: u64,
    /// Length in words, variants and wholes not counted.
    pub(super) words: u32,
    /// Where its body is.
    pub(super) spot: BodySpot,
}

impl Entry {
    /// Reads a body, showing each of its terms as often as it occurs.
    pub(super) fn read(body: &Body, spot: BodySpot, term: &mut dyn FnMut(&str)) -> Self {
        let mut words = 0_u32;
        analyze(&body.text, &mut |text, kind| {
            words = words.saturating_add(u32::from(kind == Kind::Word));
            term(text);
        });
        Self {
            chunk: body.chunk_id,
            at: millis(&body.at).unwrap_or(0),
            role: name_hash(&body.role),
            tool: body.tool.as_deref().map_or(0, name_hash),
            words,
            spot,
        }
    }
}

/// The same in every process and version: it is stored.
pub(super) fn name_hash(name: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(name.as_bytes());
    hasher.finish().max(1)
}
