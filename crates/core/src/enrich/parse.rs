//! What a model answered to the enrichment prompt. Never fails on a text: what cannot be read is not there.

use super::lenient;
use crate::text::clip;
use crate::text::pattern::static_regex;
use serde::Serialize;
use serde_json::{Map, Value};

/// Most items of a list. The prompt allows an answer of 500 tokens; a longer list was not asked for.
pub const MAX_ITEMS: usize = 20;
/// Longest item, in graphemes.
pub const MAX_ITEM: usize = 300;
/// Longest topic, in graphemes.
const MAX_TOPIC: usize = 100;
/// Longest next action, in graphemes.
const MAX_NEXT: usize = 200;
/// Longest summary, in graphemes.
const MAX_SUMMARY: usize = 600;
/// So many bytes of an answer are looked at.
pub const MAX_ANSWER: usize = 128 << 10;
/// So many values of an answer are looked at.
const MAX_VALUES: usize = 24;
/// Levels of objects in which the lists are looked for.
const MAX_NESTING: usize = 5;

/// A model's list, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrichment {
    /// Choices made.
    pub decisions: Vec<String>,
    /// Unanswered or left to do.
    pub open_items: Vec<String>,
    /// Learned about user and work.
    pub learnings: Vec<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_action: Option<String>,
    /// The conversation in a few sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

static_regex! {
    /// The end of a model's thinking.
    static THOUGHT = r"(?i)</(?:think|thinking|reasoning|analysis|scratchpad)>";
    /// A line that names one of the fields, in an answer without JSON.
    static LABEL = r"^[\s#*_>-]*([A-Za-z][A-Za-z _-]{2,30}?)[\s*_]*:[\s*_]*(.*)$";
    static HEADING = r"^#{1,6}\s+([A-Za-z][A-Za-z _-]{2,30}?)[\s*_:]*$";
    static BULLET = r"^\s*(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.+)$";
    /// Says that there is nothing.
    static NOTHING = r"(?i)^[(\[]?(?:none|nothing|n/?a|null|no (?:new )?(?:decisions?|open items?|learnings?|changes?)|empty|nema|-+)[)\].]*$";
}

/// Reads a model's answer: the value with the most items wins, the later of two equal ones.
pub fn parse_enrichment(answer: &str) -> Enrichment {
    let answer = answer.get(..answer.floor_char_boundary(MAX_ANSWER)).unwrap_or_default();
    let text = THOUGHT
        .find_iter(answer)
        .last()
        .and_then(|found| answer.get(found.end()..))
        .filter(|rest| !rest.trim().is_empty())
        .unwrap_or(answer);
    let mut best = (0, Enrichment::default());
    let mut at = 0;
    for _ in 0..MAX_VALUES {
        let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])) else { break };
        let (value, end) = lenient::read(text, at + start);
        at = end.max(at + start + 1);
        let mut found = Enrichment::default();
        // Lists under their names count before a list that has none.
        let named = value.is_some_and(|value| found.take(&value));
        let rank = if named { found.weight() + MAX_VALUES * MAX_ITEMS } else { found.weight() };
        if rank > 0 && rank >= best.0 {
            best = (rank, found);
        }
    }
    let (rank, mut best) = best;
    if rank == 0 {
        best.take_lines(text);
    }
    best
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Decisions,
    OpenItems,
    Learnings,
    Topic,
    Next,
    Summary,
}

impl Field {
    fn of(name: &str) -> Option<Self> {
        let name: String =
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Some(match name.as_str() {
            "decisions" | "decision" | "keydecisions" | "decisionsmade" => Self::Decisions,
            "openitems" | "openitem" | "open" | "openquestions" | "todos" | "todo" | "opentodos"
            | "pending" => Self::OpenItems,
            "learnings" | "learning" | "lessons" | "lessonslearned" | "learned" | "insights" => {
                Self::Learnings
            }
            "topic" => Self::Topic,
            "nextaction" | "nextstep" | "next" | "nextactions" | "nextsteps" => Self::Next,
            "summary" | "threadsummary" => Self::Summary,
            _ => return None,
        })
    }
}

impl Enrichment {
    fn weight(&self) -> usize {
        let line = |line: &Option<String>| usize::from(line.is_some());
        self.decisions.len()
            + self.open_items.len()
            + self.learnings.len()
            + line(&self.topic)
            + line(&self.next_action)
            + line(&self.summary)
    }

    /// Takes what a value holds; whether it holds one of the fields by name.
    fn take(&mut self, value: &Value) -> bool {
        match value {
            Value::Object(fields) => self.take_object(fields, 0),
            // A list without a name: of the three kinds a list of choices is what is asked for first.
            Value::Array(items) if items.iter().all(|item| item.as_str().is_some_and(is_phrase)) => {
                self.add(Field::Decisions, value);
                false
            }
            Value::Array(items) => {
                let mut named = false;
                for fields in items.iter().filter_map(Value::as_object) {
                    named |= self.take_object(fields, 0);
                }
                named
            }
            _ => false,
        }
    }

    fn take_object(&mut self, fields: &Map<String, Value>, depth: usize) -> bool {
        let mut named = false;
        for (name, value) in fields {
            match (Field::of(name), value) {
                (Some(field), value) => {
                    self.add(field, value);
                    named = true;
                }
                (None, Value::Object(inner)) if depth < MAX_NESTING => {
                    named |= self.take_object(inner, depth + 1);
                }
                _ => {}
            }
        }
        named
    }

    fn add(&mut self, field: Field, value: &Value) {
        let mut texts = Vec::new();
        collect(value, 0, &mut texts);
        for text in texts {
            self.add_text(field, &text);
        }
    }

    fn add_text(&mut self, field: Field, text: &str) {
        let line = BULLET.captures(text).and_then(|found| found.get(1)).map_or(text, |found| found.as_str());
        let line = clip::one_line(clip::first_graphemes(line, 4 * MAX_SUMMARY));
        if line.is_empty() || NOTHING.is_match(&line) {
            return;
        }
        let list = |list: &mut Vec<String>| {
            let line = clip::ellipsize(&line, MAX_ITEM).into_owned();
            if list.len() < MAX_ITEMS && !list.contains(&line) {
                list.push(line);
            }
        };
        let one = |known: &mut Option<String>, max: usize| {
            known.get_or_insert_with(|| clip::ellipsize(&line, max).into_owned());
        };
        match field {
            Field::Decisions => list(&mut self.decisions),
            Field::OpenItems => list(&mut self.open_items),
            Field::Learnings => list(&mut self.learnings),
            Field::Topic => one(&mut self.topic, MAX_TOPIC),
            Field::Next => one(&mut self.next_action, MAX_NEXT),
            Field::Summary => one(&mut self.summary, MAX_SUMMARY),
        }
    }

    /// An answer in markdown or in something like YAML: labels with lists below them.
    fn take_lines(&mut self, text: &str) {
        let mut field = None;
        for line in text.lines() {
            let named = |found: Option<regex::Match<'_>>| found.and_then(|name| Field::of(name.as_str()));
            let heading = HEADING.captures(line).and_then(|found| named(found.get(1)));
            let label = LABEL.captures(line);
            if heading.is_some() {
                field = heading;
            } else if let Some(of) = label.as_ref().and_then(|found| named(found.get(1))) {
                field = Some(of);
                let rest = label.as_ref().and_then(|found| found.get(2)).map_or("", |rest| rest.as_str());
                let rest = rest.trim().trim_matches('"');
                if !rest.is_empty() && !matches!(rest, "[]" | "|" | ">") {
                    self.add_text(of, rest);
                }
            } else if let (Some(field), Some(item)) = (field, BULLET.captures(line).and_then(|b| b.get(1))) {
                self.add_text(field, item.as_str().trim_matches('"'));
            }
        }
    }
}

fn is_phrase(text: &str) -> bool {
    text.split_whitespace().count() >= 2
}

/// The texts of a value: strings, each line of a list in a string, what an object says.
fn collect(value: &Value, depth: usize, texts: &mut Vec<String>) {
    if texts.len() >= 2 * MAX_ITEMS || depth > MAX_NESTING {
        return;
    }
    match value {
        Value::String(text) => {
            let listed = text.lines().filter(|line| BULLET.is_match(line)).count();
            if listed > 1 {
                texts.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
            } else {
                texts.push(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, texts)),
        Value::Object(fields) => {
            const SAYS: [&str; 12] = [
                "what",
                "text",
                "decision",
                "item",
                "learning",
                "description",
                "content",
                "title",
                "summary",
                "action",
                "name",
                "value",
            ];
            let said = SAYS.iter().find_map(|name| fields.get(*name).filter(|value| value.is_string()));
            match said {
                Some(said) => collect(said, depth + 1, texts),
                // Names of its own: what is said is more than a word.
                None => fields
                    .values()
                    .filter(|value| value.as_str().is_none_or(is_phrase))
                    .for_each(|value| collect(value, depth + 1, texts)),
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fences_prose_and_trailing_commas_are_read_past() {
        let found = parse_enrichment(
            "Sure! Here is [the] list you asked for:\n```json\n{\"decisions\": [\"Use NATS for the queue\",],\n \"open_items\": [\"Ask Jovan about the limit\"], \"learnings\": [], \"topic\": \"queue\", \"next_action\": \"write the consumer\",}\n```\nHope this helps {smile}.",
        );
        assert_eq!(found.decisions, ["Use NATS for the queue"]);
        assert_eq!(found.open_items, ["Ask Jovan about the limit"]);
        assert_eq!(found.topic.as_deref(), Some("queue"));
        assert_eq!(found.next_action.as_deref(), Some("write the consumer"));
    }

    #[test]
    fn what_was_cut_off_costs_only_itself() {
        let found = parse_enrichment(r#"{"decisions": ["Keep SQLite", "Do not dro"#);
        assert_eq!(found.decisions, ["Keep SQLite"]);
    }

    #[test]
    fn wrong_types_and_other_spellings_of_keys_are_taken_as_meant() {
        let found = parse_enrichment(
            r#"{"result": {"Decisions": "Use pnpm", "openItems": [{"what": "Fix CI", "id": "o1"}, 3, null, ["nested"]],
                "LEARNINGS": {"l1": "The API is slow"}, "working": {"nextAction": "go"}, "thread": {"summary": ["a", "b"]}}}"#,
        );
        assert_eq!(found.decisions, ["Use pnpm"]);
        assert_eq!(found.open_items, ["Fix CI", "nested"]);
        assert_eq!(found.learnings, ["The API is slow"]);
        assert_eq!((found.next_action.as_deref(), found.summary.as_deref()), (Some("go"), Some("a")));
        assert_eq!(
            parse_enrichment(r#"{"decisions": 4, "openItems": true, "learnings": null}"#),
            Enrichment::default()
        );
    }

    #[test]
    fn a_draft_in_the_models_thinking_does_not_count() {
        let found = parse_enrichment(
            "<think>{\"decisions\": [\"Draft one\", \"Draft two\"]}</think>\n{\"decisions\": [\"Use NATS\"]}",
        );
        assert_eq!(found.decisions, ["Use NATS"]);
    }

    #[test]
    fn lists_in_markdown_are_read_too() {
        let found = parse_enrichment(
            "**Decisions:**\n- Use NATS\n- Keep retries at 3\n\n## Open items\n1. Ask Jovan\n\nLearnings: none\nTopic: the queue\n",
        );
        assert_eq!(found.decisions, ["Use NATS", "Keep retries at 3"]);
        assert_eq!(found.open_items, ["Ask Jovan"]);
        assert!(found.learnings.is_empty() && found.topic.as_deref() == Some("the queue"));
        assert_eq!(parse_enrichment("I could not find anything to add."), Enrichment::default());
    }

    #[test]
    fn lists_and_items_are_bounded() {
        let many: Vec<String> =
            (0..500).map(|n| format!("Decision number {n} {}", "x".repeat(2_000))).collect();
        let found = parse_enrichment(&serde_json::json!({ "decisions": many }).to_string());
        assert_eq!(found.decisions.len(), MAX_ITEMS);
        assert!(found.decisions.iter().all(|item| item.chars().count() <= MAX_ITEM));
        assert_eq!(parse_enrichment(&"[".repeat(1 << 20)), Enrichment::default());
        assert_eq!(parse_enrichment(&"{\"a\":[".repeat(200_000)), Enrichment::default());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in "([\\[\\]{}\",:'\n-]|decisions|\\PC){0,120}") {
            let found = parse_enrichment(&text);
            prop_assert!(found.decisions.len() <= MAX_ITEMS);
        }
    }
}
