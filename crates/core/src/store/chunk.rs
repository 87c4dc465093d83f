//! The id of a stored message body: generation, ordinal and fingerprint of the message.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Names one message body for good: `c<generation>-<ordinal>-<fingerprint in 16 hex digits>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId {
    /// Generation of the session.
    pub generation: u32,
    /// Ordinal of the message within the generation.
    pub ordinal: u64,
    /// Keyed hash of the message.
    pub fingerprint: u64,
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}-{}-{:016x}", self.generation, self.ordinal, self.fingerprint)
    }
}

impl FromStr for ChunkId {
    type Err = Error;

    /// Only what [`ChunkId`] itself writes; anything else is `InvalidInput` (FAULTS A3: `../../x`).
    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let mut parts = text.strip_prefix('c')?.splitn(3, '-');
            let generation = parts.next()?.parse().ok()?;
            let ordinal = parts.next()?.parse().ok()?;
            let fingerprint = u64::from_str_radix(parts.next()?, 16).ok()?;
            let id = Self { generation, ordinal, fingerprint };
            // Signs, zeros in front and capitals would be a second spelling of the same id.
            (id.to_string() == text).then_some(id)
        };
        parse().ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Error::InvalidInput(format!("{shown:?} is no chunk id (they look like c0-12-0123456789abcdef)"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_spelling_is_an_id() {
        let id = ChunkId { generation: 1, ordinal: 12, fingerprint: 0xabc };
        assert_eq!(id.to_string().parse::<ChunkId>().unwrap(), id);
        for bad in [
            "",
            "../../x",
            "c1-12-abc",
            "c01-12-0000000000000abc",
            "c1-+2-0000000000000abc",
            "c1-12-0000000000000ABC",
            "c1-12-0000000000000abc\n",
            "c1-12-0000000000000abc/..",
        ] {
            assert_eq!(bad.parse::<ChunkId>().unwrap_err().code(), "InvalidInput", "{bad}");
        }
    }
}
