//! Options that a reply lays out: in its question, behind labels, in a list, in a sentence before the question.

use super::answer::may_ask;
use super::laid_out;
use super::prose::{Place, Sentence};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;

/// More than this is a list of something else.
const MAX_OPTIONS: usize = 9;

static_regex! {
    /// `Option A: keep it`, `A) keep it`, `**B** keep it`.
    static LABELLED = r"^(?:option|opcija|variant|varijanta|choice|approach|plan|resenje)\s+([a-hv]|\d)\b\s*[:.)-]?\s+(.+)$";
    static LETTERED = r"^\(?([a-hv]|\d)\s*[):]\s+(.+)$";
    /// `(a) X, (b) Y` within a sentence.
    static INLINE = r"\(?\b([a-hv]|\d)\)\s+";
    static EITHER_OR = r"^(?:(?:so|and|ok|then|hm+|now|before that|one question|quick question|pa|onda)[,:]?\s+)*(.*?)\s+(?:or|ili|vs\.?|versus)\s+(.*?)\?+$";
    /// The part of an either-or question that both options share.
    static FRAME = r"^(?:(?:which (?:one )?(?:do you prefer|should (?:i|we) (?:use|pick|take)|is better|would you (?:like|prefer|rather))|sta (?:biras|vise volis|ti vise odgovara|zelis)|koj[aeiu] (?:zelis|biras|hoces))\s*[:,-]?\s*)?(?:(?:should|shall|do you want|would you (?:like|prefer)|do you prefer|can|could|want)\b ?(?:(?:me to|us to|that i|i|we|to)\b)?\s*|da li (?:da|zelis da|hoces da|zelis|hoces|je bolje|vise volis)\s+|(?:hoces|zelis)(?: li)?(?: da)?\s+|(?:prefer|is it|would you rather)\s+)";
    static MODE_VERB = r"^((?:use|go with|take|pick|keep|store|put|write|call it|name it|set it to|koristim\w*|stavim|cuvam\w*|uzmem\w*)(?: the)?)\s+(.+)$";
    static WH = r"^(?:(?:so|and|then|pa|a|onda)[, ]+)?(?:who|which|what|where|when|how|whose|ko|koga|koj\w+|sta|gde|kada?|kako|cij\w+)\b";
    static BE = r"^(.{2,60}?)\s+be\s+((?:called|named|stored|written|placed|kept|set|put)?\s*(?:in|to|as|on)?)\s*(.+)$";
    static OPTION_INTRO = r"\b(?:options?|choices?|ways?|alternatives?|either|approaches|candidates?|variants?|could|can|two|three|mogu|mozemo|opcij\w+|nacina?|varijant\w+|resenja|mogucnosti)\b";
    /// A statement that leaves the choice to the person.
    static YOUR_CALL = r"\b(?:your (?:call|choice|pick|decision)|up to you|you (?:decide|choose|pick)|(?:pick|choose) (?:one|whichever)|(?:let me know|tell me|say) (?:which|what)|ti (?:biraj|odluci|izaberi|biras|odlucujes)|na tebi je|(?:javi|reci|kazi|napisi|odgovori)(?: mi)? (?:koj\w+|sta|broj|slovo)|izaberi)\b";
    static LIST_QUESTION = r"\b(?:which|what|prefer|pick|choose|rather|sta|koj[aeiu]|biras|zelis|volis|one)\b";
}

/// The options of a reply.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) items: Vec<Item>,
    /// They stand in the question itself: a bare yes chooses none of them.
    pub(super) from_question: bool,
    /// What goes before the chosen text.
    pub(super) frame: Option<String>,
}

impl Options {
    /// The choice of an item by the first `words` words of the answer.
    pub(super) fn chosen(&self, item: &Item, words: usize) -> Choice {
        Choice { text: item.text.clone(), frame: self.frame.clone(), words }
    }

    /// Where the option with this text stands.
    pub(super) fn position(&self, text: &str) -> Option<usize> {
        self.items.iter().position(|item| item.text == text)
    }
}

/// One option.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// `a`, `1`, empty where it has none.
    pub(super) label: String,
    pub(super) text: String,
}

impl Item {
    pub(super) fn named(label: &str, text: &str) -> Self {
        Self { label: label.to_owned(), text: trimmed(text) }
    }
}

/// What an answer picked.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) text: String,
    pub(super) frame: Option<String>,
    /// How many words of the answer the pick took.
    pub(super) words: usize,
}

/// The options that are laid out at the end of a reply.
pub(super) fn find(parts: &[Sentence]) -> Options {
    let from = parts.len().saturating_sub(40);
    let recent = parts.get(from..).unwrap_or(parts);
    let asking = || recent.iter().rev().take(4).filter(|part| may_ask(part) && part.text.ends_with('?'));
    let question = asking().next();
    // `Bus or train? What do you prefer?`
    if let Some(found) = asking()
        .scan(true, |chooses, part| {
            let here = *chooses;
            *chooses &= laid_out::asks_to_choose(&part.seen);
            here.then_some(part)
        })
        .find_map(|question| in_question(&question.text))
    {
        return found;
    }
    // `I can (1) rebase, (2) merge. Which one?`
    if let Some(items) = recent.iter().rev().take(4).map(in_line).find(|items| items.len() >= 2) {
        return Options { items, from_question: true, frame: None };
    }
    let labelled: Vec<Item> = recent.iter().filter_map(labelled).collect();
    let items = if labelled.len() >= 2 { last_run(labelled) } else { listed(recent, question) };
    if (2..=MAX_OPTIONS).contains(&items.len()) {
        return Options { items, from_question: false, frame: None };
    }
    let items = laid_out::find(recent);
    Options { from_question: !items.is_empty(), items, frame: None }
}

/// The newest options: a label that comes again starts them anew.
fn last_run(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    for item in items {
        if out.iter().any(|known| known.label == item.label) {
            out.clear();
        }
        out.push(item);
    }
    out
}

fn labelled(part: &Sentence) -> Option<Item> {
    if part.text.ends_with('?') && part.place != Place::Item {
        return None;
    }
    let seen = part.seen.as_str();
    let found = LABELLED.captures(seen).or_else(|| LETTERED.captures(seen))?;
    let skipped = seen.get(..found.get(2)?.start())?.word_count();
    Some(Item { label: found.get(1)?.as_str().to_owned(), text: trimmed(skip_words(&part.text, skipped)) })
}

/// A numbered or lettered list, or a bullet list that was introduced as options.
fn listed(parts: &[Sentence], question: Option<&Sentence>) -> Vec<Item> {
    let asks = question.is_some_and(|question| LIST_QUESTION.is_match(&question.seen))
        || parts.iter().rev().take(2).any(|part| YOUR_CALL.is_match(&part.seen));
    let mut run: Vec<Item> = Vec::new();
    let mut last_block = 0;
    let which = parts.iter().rev().take(2).any(|part| laid_out::asks_to_choose(&part.seen));
    let ends_reply = parts.last().is_some_and(|part| part.place == Place::Item);
    for part in parts.iter().filter(|part| part.place == Place::Item && part.first) {
        let marked = part.mark.chars().next().is_some_and(char::is_alphanumeric);
        let introduced = OPTION_INTRO.is_match(&part.intro) || part.intro.ends_with('?');
        let lettered = ends_reply && part.mark.starts_with(|c: char| c.is_ascii_lowercase());
        if !(marked && (asks || introduced) || asks && introduced || which || lettered)
            || part.text.ends_with('?')
        {
            continue;
        }
        if part.mark == "1" || part.mark == "a" || last_block != 0 && part.block > last_block + 1 {
            run.clear();
        }
        last_block = part.block;
        let label = if marked { part.mark.clone() } else { String::new() };
        run.push(Item { label, text: trimmed(&part.text) });
    }
    run
}

fn trimmed(text: &str) -> String {
    text.trim().trim_end_matches(['.', '?', ',', ';']).to_owned()
}

/// `Should the flag be called X or Y?`
fn in_question(question: &str) -> Option<Options> {
    let inline = inline(question);
    if inline.len() >= 2 {
        return Some(Options { items: inline, from_question: true, frame: None });
    }
    let seen = sense(question);
    let found = EITHER_OR.captures(&seen)?;
    let (left, right) = (found.get(1)?, found.get(2)?);
    let words = |at: usize| words_before(&seen, at);
    let original: Vec<&str> = question.split_whitespace().collect();
    let start = FRAME.find(left.as_str()).map_or(0, |frame| words(left.start() + frame.end()));
    let start = start.max(words(left.start()));
    let left_text = original.get(start..words(left.end()))?.join(" ");
    let right_text = trimmed(&original.get(words(right.start())..)?.join(" "));
    if left_text.is_empty() || right_text.is_empty() {
        return None;
    }
    let left_seen = sense(&left_text);
    let (frame, left_text) = if let Some(found) =
        BE.captures(&left_seen).filter(|_| seen.starts_with("should") || seen.starts_with("shall"))
    {
        let lead = left_seen.get(..found.get(3)?.start())?.word_count();
        let head: Vec<&str> = left_text.split_whitespace().take(lead).collect();
        (Some(head.join(" ").replacen(" be", " is", 1)), skip_words(&left_text, lead).to_owned())
    } else if let Some(found) =
        MODE_VERB.captures(&left_seen).filter(|_| !MODE_VERB.is_match(&sense(&right_text)))
    {
        let lead = left_seen.get(..found.get(2)?.start())?.word_count();
        let head: Vec<&str> = left_text.split_whitespace().take(lead).collect();
        (Some(head.join(" ")), skip_words(&left_text, lead).to_owned())
    } else {
        (None, left_text)
    };
    // `Who leads, Ana or Ivo?`
    let left_text = match left_text.split_once([',', ':']) {
        Some((asks, rest)) if frame.is_none() && WH.is_match(&sense(asks)) => rest.trim().to_owned(),
        _ => left_text,
    };
    let mut items: Vec<Item> =
        left_text.split(", ").map(|text| Item { label: String::new(), text: trimmed(text) }).collect();
    if items.len() > 4 || items.iter().any(|item| item.text.word_count() > 8) {
        items = vec![Item { label: String::new(), text: trimmed(&left_text) }];
    }
    let right_text = skip_words(
        &right_text,
        FRAME.find(&sense(&right_text)).map_or(0, |found| found.as_str().word_count()),
    )
    .to_owned();
    items.push(Item { label: String::new(), text: right_text });
    items.retain(|item| !item.text.is_empty());
    Some(Options { items, from_question: true, frame })
}

/// The same where the first label was read as the mark of a list.
fn in_line(part: &Sentence) -> Vec<Item> {
    let mut items = inline(&part.text);
    let follows = |mark: &str, label: &str| {
        let (mark, label) = (mark.bytes().next(), label.bytes().next());
        mark.zip(label).is_some_and(|(mark, label)| label == mark.wrapping_add(1))
    };
    if part.place == Place::Item
        && items.first().is_some_and(|first| follows(&part.mark, &first.label))
        && let Some(found) = INLINE.find(&part.seen)
    {
        let words = words_before(&part.seen, found.start());
        let text: Vec<&str> = part.text.split_whitespace().take(words).collect();
        items.insert(0, Item::named(&part.mark, &text.join(" ")));
    }
    items
}

fn inline(question: &str) -> Vec<Item> {
    let seen = sense(question);
    let marks: Vec<(usize, usize, String)> = INLINE
        .captures_iter(&seen)
        .filter_map(|found| {
            Some((found.get(0)?.start(), found.get(0)?.end(), found.get(1)?.as_str().to_owned()))
        })
        .collect();
    let words = |at: usize| words_before(&seen, at);
    let original: Vec<&str> = question.split_whitespace().collect();
    marks
        .iter()
        .enumerate()
        .filter_map(|(at, (_, start, label))| {
            let end = marks.get(at + 1).map_or(original.len(), |next| words(next.0));
            let text = original.get(words(*start)..end)?.join(" ");
            let text = text.trim_end_matches(" or").trim_end_matches(" ili");
            Some(Item { label: label.clone(), text: trimmed(text) })
        })
        .collect()
}
