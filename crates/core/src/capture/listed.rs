//! Several things behind one label within a sentence: `TODO: add paging, fix the footer and write docs`, `Constraints: Python
//! 3.11, no new dependencies`. Each is a thing of its own: one is done or dropped, and the others stay.

use super::captured::Captured;
use super::kinds::{Kind, Source, TaskState};
use super::lexicon::{is_serbian_change, starts_with_order};
use super::prose::{Place, Sentence};
use super::section::{Section, classify};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;
use crate::text::scan;

/// A longer label is a sentence.
const MAX_LABEL: usize = 4;
/// A longer item tells a story.
const MAX_ITEM: usize = 14;
/// Fewer are one thing and what is said of it.
const MIN_ITEMS: usize = 2;

static_regex! {
    static LABELLED = r"^(?:(?:and|also|ok|okay|so|then|a|i|pa|dobro)[, ]+)*([^:,;.?]{2,40}?)\s*:\s+(\S[^:?]*)$";
    static COMMA = r"[,;]\s+(?:(?:and|as well as|i|kao i|te)\s+)?";
    static LAST = r"\s(?:and|i)\s+(?:the |a |an )?";
    /// It speaks of the item before, or says why.
    static CLAUSE = r"^(?:it|its|they|this|that|these|those|which|who|where|because|since|but|so|as|when|while|if|unless|otherwise|not|then|i|we|you|to|on|ona|ono|oni|ovo|koj[aieu]|jer|posto|ali|da|ako|kad\w*|dok|tako|inace|pa)\b";
}

/// The items behind the label of a sentence; empty where it has none, or holds one thing.
pub(super) fn items(part: &Sentence) -> Vec<Captured> {
    let Some((section, items)) = split(part) else { return Vec::new() };
    let item = |text: &String| match section {
        Section::Constraints => Captured::new(Kind::Constraint, text, Source::User, 0.85),
        _ => Captured::task(text, TaskState::Open, Source::User, 0.85),
    };
    items.iter().map(item).collect()
}

/// What sentences list as left to do. It is no order for the next step: that the agent went to work says nothing of it.
pub(super) fn left(parts: &[Sentence]) -> Vec<String> {
    let next = parts.iter().filter_map(split).filter(|(section, _)| *section == Section::Next);
    next.flat_map(|(_, items)| items).collect()
}

fn split(part: &Sentence) -> Option<(Section, Vec<String>)> {
    if part.place != Place::Paragraph
        || !scan::holds_any(&part.seen, b":")
        || scan::holds_any(&part.seen, b"(\"")
    {
        return None;
    }
    let found = LABELLED.captures(&part.seen)?;
    let (label, rest) = (found.get(1)?, found.get(2)?);
    if label.as_str().word_count() > MAX_LABEL {
        return None;
    }
    let section =
        classify(label.as_str()).filter(|section| matches!(section, Section::Constraints | Section::Next))?;
    let text =
        skip_words(&part.text, words_before(&part.seen, rest.start())).trim_end_matches(['.', '!', ' ']);
    let mut items = cut(text, &COMMA);
    if items.len() < MIN_ITEMS {
        return None;
    }
    // `Paging, a dark theme and the export`.
    let orders = |text: &str| {
        let seen = sense(text);
        starts_with_order(&seen) || seen.split_whitespace().next().is_some_and(is_serbian_change)
    };
    let alike = |two: &[String]| {
        two.iter().all(|item| items.first().is_none_or(|first| orders(first) == orders(item)))
    };
    let joined = COMMA.find_iter(&sense(text)).any(|comma| comma.as_str().trim_end().contains(' '));
    if let Some(two) = items.last().map(|last| cut(last, &LAST))
        && two.len() == 2
        && !joined
        && section == Section::Next
        && alike(&two)
    {
        items.pop();
        items.extend(two);
    }
    let fits = |item: &String| (1..=MAX_ITEM).contains(&item.word_count()) && !CLAUSE.is_match(&sense(item));
    items.iter().all(fits).then_some((section, items))
}

/// The text between the marks.
fn cut(text: &str, mark: &crate::text::pattern::Pattern) -> Vec<String> {
    let seen = sense(text);
    let all: Vec<&str> = text.split_whitespace().collect();
    let mut out = Vec::new();
    let mut start = 0;
    let ends =
        mark.find_iter(&seen).map(|found| (found.start(), found.end())).chain([(seen.len(), seen.len())]);
    for (end, next) in ends {
        let item = all.get(start..words_before(&seen, end)).unwrap_or_default().join(" ");
        out.push(item.trim_end_matches([',', ';', ' ']).to_owned());
        start = words_before(&seen, next);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    fn of(text: &str) -> Vec<(Kind, String)> {
        sentences(text).iter().flat_map(items).map(|found| (found.kind, found.text)).collect()
    }

    #[test]
    fn each_thing_behind_a_label_stands_alone() {
        for (text, kind, listed) in [
            (
                "TODO: add paging, fix the footer, write docs",
                Kind::Task,
                &["add paging", "fix the footer", "write docs"][..],
            ),
            (
                "Still to do: retry for failed mails, an admin page, and the tax check.",
                Kind::Task,
                &["retry for failed mails", "an admin page", "the tax check"],
            ),
            ("Remaining: paging, dark mode and the export", Kind::Task, &["paging", "dark mode", "export"]),
            (
                "još treba: izvoz u PDF, pretraga pacijenata i prijava lekara",
                Kind::Task,
                &["izvoz u PDF", "pretraga pacijenata", "prijava lekara"],
            ),
            ("Преостало: извоз, претрага", Kind::Task, &["извоз", "претрага"]),
            (
                "Constraints: Python 3.11, no new dependencies, and the public API must stay the same.",
                Kind::Constraint,
                &["Python 3.11", "no new dependencies", "the public API must stay the same"],
            ),
            (
                "Pravila: bez ORM-a, sve rute imaju verziju",
                Kind::Constraint,
                &["bez ORM-a", "sve rute imaju verziju"],
            ),
        ] {
            let listed: Vec<_> = listed.iter().map(|item| (kind, (*item).to_owned())).collect();
            assert_eq!(of(text), listed, "{text}");
        }
    }

    #[test]
    fn one_thing_and_what_is_said_of_it_is_no_list() {
        for text in [
            "TODO: fix the parser, it crashes on empty input",
            "Next: write the migration",
            "Remaining: search and replace",
            "Rules: never push, because the build is slow",
            "Note: the parser, the lexer and the printer are old",
            "Can you do the remaining: paging, export?",
        ] {
            assert_eq!(of(text), [], "{text}");
        }
    }
}
