//! Which message is which: keys that survive a restart and a host that shortens old results (DESIGN section 3,
//! Alignment).

use super::align::overlap;
use super::{Block, Message, Role};
use siphasher::sip::SipHasher13;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// Light identity of a message: one 64-bit hash over role and tool call id, or role and timestamp, or, where a host
/// gives neither, role, length and a sample of the text. It is made of [`KeyParts`], which JavaScript can read off a
/// message without handing its text over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The hash.
    pub hash: u64,
    /// The host itself names the message (tool call id or timestamp): the same hash is the same message, whatever
    /// became of its text. Otherwise only the order tells two equal texts apart.
    pub strong: bool,
}

/// What a [`Key`] is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyParts<'a> {
    /// The role as the host writes it.
    pub role: &'a str,
    /// The tool call that the message answers.
    pub tool_call_id: Option<&'a str>,
    /// Epoch milliseconds.
    pub timestamp: Option<i64>,
    /// Length of the text in UTF-16 units, and its [`sample`].
    pub text: (u64, u32),
}

impl KeyParts<'_> {
    /// The key.
    pub fn key(&self) -> Key {
        let mut hasher = SipHasher13::new();
        role_name(&Role::from_name(self.role)).hash(&mut hasher);
        let strong = if let Some(id) = self.tool_call_id.filter(|id| !id.is_empty()) {
            ("call", id).hash(&mut hasher);
            true
        } else if let Some(timestamp) = self.timestamp {
            ("time", timestamp).hash(&mut hasher);
            true
        } else {
            ("text", self.text).hash(&mut hasher);
            false
        };
        Key { hash: hasher.finish(), strong }
    }
}

/// Units at the start, in the middle and at the end of a text that enter its sample.
const SAMPLED: usize = 64;

/// FNV-1a over the UTF-16 units of a text, of a long one over its start, its middle and its end. `lib/keys.js` computes
/// the same; halves of surrogate pairs count as U+FFFD, because one that stands alone cannot cross the boundary.
pub fn sample(units: &[u16]) -> u32 {
    let fnv = |hash: u32, unit: &u16| {
        let unit = if (0xd800..0xe000).contains(unit) { 0xfffd } else { u32::from(*unit) };
        (hash ^ unit).wrapping_mul(16_777_619)
    };
    let part = |from: usize| units.iter().skip(from).take(SAMPLED);
    if units.len() <= 3 * SAMPLED {
        return units.iter().fold(2_166_136_261, fnv);
    }
    let (middle, end) = (units.len() / 2, units.len() - SAMPLED);
    part(0).chain(part(middle)).chain(part(end)).fold(2_166_136_261, fnv)
}

impl Message {
    /// The light key of this message.
    pub fn key(&self) -> Key {
        let named = self.timestamp.is_some() || self.tool_call_id.as_deref().is_some_and(|id| !id.is_empty());
        let text = if named { (0, 0) } else { self.light_text() };
        KeyParts {
            role: role_name(&self.role),
            tool_call_id: self.tool_call_id.as_deref(),
            timestamp: self.timestamp,
            text,
        }
        .key()
    }

    /// Length and sample of what tells an unnamed message apart: its texts, and the ids and names of its tool calls.
    fn light_text(&self) -> (u64, u32) {
        let mut units: Vec<u16> = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Text(text) => units.extend(text.encode_utf16()),
                Block::ToolCall { id, name, .. } => {
                    units.extend(id.encode_utf16().chain(name.encode_utf16()))
                }
                Block::ToolResult { id, text, .. } => {
                    units.extend(id.encode_utf16().chain(text.encode_utf16()))
                }
                Block::Image { .. } | Block::Thinking(_) | Block::Other { .. } => {}
            }
            units.push(0);
        }
        (units.len() as u64, sample(&units))
    }

    /// Fingerprint: a hash keyed by the session over role, tool call id, visible text, timestamp and occurrence
    /// number. Thinking, usage and the form of the content do not enter.
    pub fn fingerprint(&self, key: &[u8; 16], occurrence: u64) -> u64 {
        let mut hasher = SipHasher13::new_with_key(key);
        role_name(&self.role).hash(&mut hasher);
        self.tool_call_id.hash(&mut hasher);
        self.text().hash(&mut hasher);
        self.timestamp.hash(&mut hasher);
        occurrence.hash(&mut hasher);
        hasher.finish()
    }
}

/// The host's name of a role, as it is stored.
pub fn role_name(role: &Role) -> &str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "toolResult",
        Role::CompactionSummary => "compactionSummary",
        Role::BranchSummary => "branchSummary",
        Role::Custom => "custom",
        Role::BashExecution => "bashExecution",
        Role::System => "system",
        Role::Other(name) => name,
    }
}

/// Which of `incoming` are not yet in `known` (both in conversation order): their indices, ascending.
///
/// Messages that the host names are known by name. The others are aligned as a sequence: a part of what is known says
/// nothing new; else the longest run at the end of `known` that `incoming` goes on from; else each text is known as
/// often as it was seen, but after something new only together with a neighbour: a "yes" to a new question is new.
pub fn unseen(known: &[Key], incoming: &[Key]) -> Vec<usize> {
    let names: HashSet<u64> = known.iter().filter(|key| key.strong).map(|key| key.hash).collect();
    let mut seen_here = HashSet::new();
    let (overlap, _) = overlap(known, incoming);
    let mut left: HashMap<u64, usize> = HashMap::new();
    let mut neighbours = HashSet::new();
    if overlap == 0 {
        for key in known.iter().filter(|key| !key.strong) {
            *left.entry(key.hash).or_default() += 1;
        }
        neighbours.extend(known.iter().zip(known.iter().skip(1)));
    }
    let together = |a: Option<&Key>, b: Option<&Key>| match (a, b) {
        (Some(a), Some(b)) => neighbours.contains(&(a, b)),
        _ => false,
    };
    let mut fresh = Vec::new();
    for (index, key) in incoming.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| incoming.get(before));
        let known_already = if key.strong {
            names.contains(&key.hash) || !seen_here.insert(key.hash)
        } else if overlap > 0 {
            index < overlap
        } else {
            let in_company = fresh.is_empty()
                || together(before, Some(key))
                || together(Some(key), incoming.get(index + 1));
            match left.get_mut(&key.hash) {
                Some(count) if *count > 0 && in_company => {
                    *count -= 1;
                    true
                }
                _ => false,
            }
        };
        if !known_already {
            fresh.push(index);
        }
    }
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weak(text: &str) -> Key {
        Message::user(text).key()
    }

    fn keys(texts: &[&str]) -> Vec<Key> {
        texts.iter().map(|text| weak(text)).collect()
    }

    #[test]
    fn the_same_messages_twice_are_known() {
        let known = keys(&["a", "ok", "b", "ok"]);
        assert!(unseen(&known, &known).is_empty());
        assert!(unseen(&known, &keys(&["b", "ok"])).is_empty());
        assert!(unseen(&known, &keys(&["a", "ok"])).is_empty());
    }

    #[test]
    fn a_repeated_text_after_the_known_end_is_new() {
        let known = keys(&["a", "continue"]);
        assert_eq!(unseen(&known, &keys(&["a", "continue", "b", "continue"])), vec![2, 3]);
    }

    #[test]
    fn a_part_from_the_middle_is_known_even_where_it_starts_like_the_end() {
        let known = keys(&["a", "yes", "b", "continue", "c", "yes"]);
        assert!(unseen(&known, &keys(&["yes", "b", "continue"])).is_empty());
    }

    #[test]
    fn an_answer_after_something_new_is_new() {
        let known = keys(&["a", "use x?", "yes", "done"]);
        assert_eq!(unseen(&known, &keys(&["use y?", "yes"])), vec![0, 1]);
        assert_eq!(unseen(&known, &keys(&["summary", "use x?", "yes", "done", "more"])), vec![0, 4]);
        assert_eq!(unseen(&known, &keys(&["a", "yes", "done", "more"])), vec![3]);
    }

    #[test]
    fn a_shortened_tool_result_is_the_same_message() {
        let mut first = Message::user("ten kilobytes");
        first.role = Role::ToolResult;
        first.tool_call_id = Some("c1".into());
        let mut shortened = first.clone();
        shortened.blocks = vec![Block::Text("[shortened]".into())];
        assert!(unseen(&[first.key()], &[shortened.key()]).is_empty());
    }

    #[test]
    fn thinking_and_block_form_do_not_enter_the_fingerprint() {
        let plain = Message::assistant("x");
        let mut rich = plain.clone();
        rich.blocks.insert(0, Block::Thinking("hm".into()));
        let key = [7; 16];
        assert_eq!(plain.fingerprint(&key, 0), rich.fingerprint(&key, 0));
        assert_ne!(plain.fingerprint(&key, 0), plain.fingerprint(&key, 1));
        assert_ne!(plain.fingerprint(&key, 0), plain.fingerprint(&[8; 16], 0));
    }

    proptest! {
        #[test]
        fn growing_by_appending_yields_exactly_the_new_end(known in prop::collection::vec(0u8..4, 1..40), more in prop::collection::vec(0u8..4, 0..10)) {
            let texts: Vec<String> = known.iter().chain(&more).map(|n| n.to_string()).collect();
            let all: Vec<Key> = texts.iter().map(|text| weak(text)).collect();
            let fresh = unseen(&all[..known.len()], &all);
            // Equal texts may align further to the right, never further to the left, and nothing old is new.
            prop_assert!(fresh.iter().all(|index| *index >= known.len() || more.is_empty()));
            prop_assert!(fresh.len() <= more.len());
        }
    }
}
