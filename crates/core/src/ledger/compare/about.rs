//! What a text is about: whether it speaks of a thing that other words name.

use super::prepare::{Prepared, Segment, Slot, Token};

impl Prepared {
    /// Which share, 0..1, of what this text says is what `name` names; `None` where it lacks a word of the name. With
    /// `same_side` also where one wants the thing and the other does not.
    pub(crate) fn about(&self, name: &Self, same_side: bool) -> Option<f32> {
        let named = telling(name);
        // A word may be read as part of a phrase here and alone there: then its spelling tells.
        let has = |name: &&Token| {
            self.whole().tokens.iter().any(|t| t.alt == name.alt)
                || !name.word.is_empty() && self.plain.split(' ').any(|word| *word == *name.word)
        };
        if named.is_empty() || !named.iter().all(has) {
            return None;
        }
        let is_named = |key: u64| named.iter().any(|name| name.alt == key);
        let speaks = |s: &&Segment| s.tokens.iter().any(|t| is_named(t.alt));
        if same_side && self.segments.iter().filter(speaks).any(|s| s.negative != name.whole().negative) {
            return None;
        }
        let verb = |t: &Token| t.class != 0 && t.slot == Slot::Head;
        let mut said: Vec<u64> =
            self.whole().tokens.iter().filter(|t| !t.light && !verb(t)).map(|t| t.alt).collect();
        said.sort_unstable();
        said.dedup();
        Some((named.len() as f32 / said.len().max(1) as f32).min(1.0))
    }

    /// Whether both choose among things of one kind, each another: "use Redis for the cache", "use Memcached".
    pub(crate) fn chooses_beside(&self, other: &Self) -> bool {
        let kinds = |text: &'_ Self| -> Vec<(u16, u64)> {
            text.whole().tokens.iter().filter_map(|t| t.kind.map(|kind| (kind, t.alt))).collect()
        };
        let theirs = kinds(other);
        kinds(self).iter().any(|(kind, key)| {
            theirs.iter().any(|(k, _)| k == kind) && !theirs.iter().any(|(_, other)| other == key)
        })
    }

    /// Whether both open with one verb.
    pub(crate) fn opens_like(&self, other: &Self) -> bool {
        let verb = |text: &Self| text.whole().tokens.iter().find(|t| t.class != 0).map(|t| t.alt);
        verb(self).is_some() && verb(self) == verb(other)
    }
}

/// The words that name a thing; where all words are light, those.
fn telling(name: &Prepared) -> Vec<&Token> {
    let of = |counts: fn(&Token) -> bool| -> Vec<&Token> {
        name.whole().tokens.iter().filter(|t| counts(t)).collect()
    };
    let heavy = of(|t| !t.light && !t.generic);
    if heavy.is_empty() { of(|_| true) } else { heavy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str, name: &str) -> Option<f32> {
        Prepared::new(text).about(&Prepared::new(name), true)
    }

    #[test]
    fn a_text_is_about_what_all_words_of_a_name_are_in() {
        assert!(about("Use Redis for the session cache", "Redis").is_some());
        assert!(about("Koristi Redis za keš", "od Redisa").is_some());
        assert!(about("Use Redis for the session cache", "the Redis queue").is_none());
        assert!(about("Do not use Redis for the session cache", "Redis").is_none());
        assert!(about("Add the export button", "export button").unwrap() > 0.9);
        assert!(about("Use Redis for the session cache of the shop", "Redis").unwrap() < 0.5);
        assert!(about("Use Redis", "").is_none());
    }
}
