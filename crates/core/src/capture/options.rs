//! Options that a reply lays out, and which of them an answer picks: by letter, ordinal, number or name.

use super::answer::may_ask;
use super::prose::{Place, Sentence};
use super::sense::{matched, sense, skip_words};
use crate::text::pattern::static_regex;

/// More than this is a list of something else.
const MAX_OPTIONS: usize = 9;

static_regex! {
    /// `Option A: keep it`, `A) keep it`, `**B** keep it`.
    static LABELLED = r"^(?:option|opcija|variant|varijanta|choice|approach|plan|resenje)\s+([a-f]|\d)\b\s*[:.)-]?\s+(.+)$";
    static LETTERED = r"^\(?([a-f]|\d)\s*[):]\s+(.+)$";
    /// `(a) X, (b) Y` within a sentence.
    static INLINE = r"\(?\b([a-f]|\d)\)\s+";
    /// The answer names a label or a place: the whole answer, or its start before an addition.
    static PICK = r"^(?:(?:ok|okay|yes|yeah|da|well|hm+|pa|e|let's|i'd|i|i'll|we|do|go|take|pick|choose|prefer|want|like|say|with|for|use|try|the|plan|solution|choice|approach|resenje|option|opcija|opciju|variant|varijanta|varijantu|number|no|broj|ono|to|idemo|sa|s|biram|uzmi|hocu|moze|neka|bude|radije|rather|would|definitely|please|probably|think|mislim|vote|my|is|it's|then|ajde|hajde|#)[\s,.:]*)*?(?:([a-f])|#?([1-9])|(first|1st|former|prv[oaiu]g?|prvom)|(second|2nd|latter|drug[oaiu]g?|drugom)|(third|3rd|trec[eaiu]g?)|(fourth|4th|cetvrt[oaiu])|(last|poslednj[eaiu]|zadnj[eaiu]))(?:\s+(?:one|option|opcija|opciju|choice|variant|approach|then|please|molim|it is|is fine|is better|sounds (?:good|better)|works|resenje|varijanta|varijantu|naravno|it|layout|way|version|idea|plan|for sure|of course))*(?:[\s.!]*$|\s*[,;.-]\s+|\s+(?:but|ali|with|without|and|samo|only|because|jer)\b)";
    static BOTH = r"^(?:(?:yes|ok|do|let's do|uradi|da)[\s,]*)?(?:both|all of them|all three|oba|obe|oboje|sve)(?: of them| please| molim)?[.!]?$";
    static NEITHER = r"^(?:neither|none|nijedn[oua]|nista od toga)\b";
    static EITHER_OR = r"^(?:(?:so|and|ok|then|hm+|now|before that|one question|quick question|pa|onda)[,:]?\s+)*(.*?)\s+(?:or|ili|vs\.?|versus)\s+(.*?)\?+$";
    /// The part of an either-or question that both options share.
    static FRAME = r"^(?:(?:which (?:one )?(?:do you prefer|should (?:i|we) (?:use|pick|take)|is better|would you (?:like|prefer|rather))|sta (?:biras|vise volis|ti vise odgovara|zelis)|koj[aeiu] (?:zelis|biras|hoces))\s*[:,-]?\s*)?(?:(?:should|shall|do you want|would you (?:like|prefer)|do you prefer|can|could|want)\b ?(?:(?:me to|us to|that i|i|we|to)\b)?\s*|da li (?:da|zelis da|hoces da|zelis|hoces|je bolje|vise volis)\s+|(?:hoces|zelis)(?: li)?(?: da)?\s+|(?:prefer|is it|would you rather)\s+)";
    static MODE_VERB = r"^((?:use|go with|take|pick|keep|store|put|write|call it|name it|set it to|koristim\w*|stavim|cuvam\w*|uzmem\w*)(?: the)?)\s+(.+)$";
    static BE = r"^(.{2,60}?)\s+be\s+((?:called|named|stored|written|placed|kept|set|put)?\s*(?:in|to|as|on)?)\s*(.+)$";
    static OPTION_INTRO = r"\b(?:options?|choices?|ways?|alternatives?|either|approaches|candidates?|variants?|could|can|two|three|mogu|mozemo|opcij\w+|nacina?|varijant\w+|resenja|mogucnosti)\b";
    /// A statement that leaves the choice to the person.
    static YOUR_CALL = r"\b(?:your (?:call|choice|pick|decision)|up to you|you (?:decide|choose|pick)|(?:pick|choose) (?:one|whichever)|(?:let me know|tell me|say) (?:which|what)|ti (?:biraj|odluci|izaberi|biras|odlucujes)|na tebi je|javi (?:koj\w+|sta)|izaberi)\b";
    static LIST_QUESTION = r"\b(?:which|what|prefer|pick|choose|rather|sta|koj[aeiu]|biras|zelis|volis|one)\b";
}

/// The options of a reply.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) items: Vec<Item>,
    /// They stand in the question itself: a bare yes chooses none of them.
    pub(super) from_question: bool,
    /// What goes before the chosen text.
    frame: Option<String>,
}

/// One option.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// `a`, `1`, empty where it has none.
    label: String,
    text: String,
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
    let question = recent.iter().rev().take(4).find(|part| may_ask(part) && part.text.ends_with('?'));
    if let Some(found) = question.and_then(|question| in_question(&question.text)) {
        return found;
    }
    // `I can (1) rebase, (2) merge. Which one?`
    if let Some(items) =
        recent.iter().rev().take(4).map(|part| inline(&part.text)).find(|items| items.len() >= 2)
    {
        return Options { items, from_question: true, frame: None };
    }
    let labelled: Vec<Item> = recent.iter().filter_map(labelled).collect();
    let items = if labelled.len() >= 2 { last_run(labelled) } else { listed(recent, question) };
    if (2..=MAX_OPTIONS).contains(&items.len()) {
        Options { items, from_question: false, frame: None }
    } else {
        Options::default()
    }
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
    let found = matched(&LABELLED, seen).or_else(|| matched(&LETTERED, seen))?;
    let skipped = seen.get(..found.get(2)?.start())?.split_whitespace().count();
    Some(Item { label: found.get(1)?.as_str().to_owned(), text: trimmed(skip_words(&part.text, skipped)) })
}

/// A numbered or lettered list, or a bullet list that was introduced as options.
fn listed(parts: &[Sentence], question: Option<&Sentence>) -> Vec<Item> {
    let asks = question.is_some_and(|question| LIST_QUESTION.is_match(&question.seen))
        || parts.iter().rev().take(2).any(|part| YOUR_CALL.is_match(&part.seen));
    let mut run: Vec<Item> = Vec::new();
    let mut last_block = 0;
    for part in parts.iter().filter(|part| part.place == Place::Item && part.first) {
        let marked = part.mark.chars().next().is_some_and(char::is_alphanumeric);
        if !(marked && (asks || OPTION_INTRO.is_match(&part.intro))
            || asks && OPTION_INTRO.is_match(&part.intro))
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
    let found = matched(&EITHER_OR, &seen)?;
    let (left, right) = (found.get(1)?, found.get(2)?);
    let words = |at: usize| seen.get(..at).map_or(0, |head| head.split_whitespace().count());
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
        matched(&BE, &left_seen).filter(|_| seen.starts_with("should") || seen.starts_with("shall"))
    {
        let lead = left_seen.get(..found.get(3)?.start())?.split_whitespace().count();
        let head: Vec<&str> = left_text.split_whitespace().take(lead).collect();
        (Some(head.join(" ").replacen(" be", " is", 1)), skip_words(&left_text, lead).to_owned())
    } else if let Some(found) =
        matched(&MODE_VERB, &left_seen).filter(|_| !MODE_VERB.is_match(&sense(&right_text)))
    {
        let lead = left_seen.get(..found.get(2)?.start())?.split_whitespace().count();
        let head: Vec<&str> = left_text.split_whitespace().take(lead).collect();
        (Some(head.join(" ")), skip_words(&left_text, lead).to_owned())
    } else {
        (None, left_text)
    };
    let mut items: Vec<Item> =
        left_text.split(", ").map(|text| Item { label: String::new(), text: trimmed(text) }).collect();
    if items.len() > 4 || items.iter().any(|item| item.text.split_whitespace().count() > 8) {
        items = vec![Item { label: String::new(), text: trimmed(&left_text) }];
    }
    let right_text = skip_words(
        &right_text,
        FRAME.find(&sense(&right_text)).map_or(0, |found| found.as_str().split_whitespace().count()),
    )
    .to_owned();
    items.push(Item { label: String::new(), text: right_text });
    items.retain(|item| !item.text.is_empty());
    Some(Options { items, from_question: true, frame })
}

fn inline(question: &str) -> Vec<Item> {
    let seen = sense(question);
    let marks: Vec<(usize, usize, String)> = INLINE
        .captures_iter(&seen)
        .filter_map(|found| {
            Some((found.get(0)?.start(), found.get(0)?.end(), found.get(1)?.as_str().to_owned()))
        })
        .collect();
    let words = |at: usize| seen.get(..at).map_or(0, |head| head.split_whitespace().count());
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

/// The option that the answer picks.
pub(super) fn choose(options: &Options, answer: &str) -> Option<Choice> {
    if options.items.len() < 2 || NEITHER.is_match(answer) || answer.ends_with('?') {
        return None;
    }
    if BOTH.is_match(answer) {
        let texts: Vec<&str> = options.items.iter().map(|item| item.text.as_str()).collect();
        return Some(Choice {
            text: texts.join("; "),
            frame: options.frame.clone(),
            words: answer.split_whitespace().count(),
        });
    }
    by_place(options, answer)
        .or_else(|| by_name(options, answer))
        .or_else(|| by_first_clause(options, answer))
}

fn by_place(options: &Options, answer: &str) -> Option<Choice> {
    let found = matched(&PICK, answer)?;
    let labelled = |label: &str| options.items.iter().find(|item| item.label == label);
    let nth = |at: usize| options.items.get(at);
    let item = if let Some(letter) = found.get(1) {
        let place = letter.as_str().bytes().next().map_or(0, |byte| usize::from(byte - b'a'));
        labelled(letter.as_str()).or_else(|| {
            nth(place)
                .filter(|item| item.label.is_empty() || item.label.starts_with(|c: char| c.is_ascii_digit()))
        })
    } else if let Some(number) = found.get(2) {
        let place = number.as_str().parse::<usize>().unwrap_or(0);
        labelled(number.as_str()).or_else(|| {
            place
                .checked_sub(1)
                .and_then(nth)
                .filter(|item| !item.label.starts_with(|c: char| c.is_ascii_digit()))
        })
    } else {
        (3..=6)
            .find(|group| found.get(*group).is_some())
            .map_or_else(|| options.items.last(), |group| nth(group - 3))
    }?;
    let end = (1..=7).find_map(|group| found.get(group)).map_or(0, |group| group.end());
    let mut words = answer.get(..end).map_or(0, |head| head.split_whitespace().count());
    let tail: Vec<&str> = answer.split_whitespace().skip(words).collect();
    words += tail
        .iter()
        .take_while(|word| {
            matches!(
                word.trim_matches(|c: char| !c.is_alphanumeric()),
                "one" | "option" | "opcija" | "then" | "please" | ""
            )
        })
        .count();
    Some(Choice { text: item.text.clone(), frame: options.frame.clone(), words })
}

/// The words of a short answer stand in exactly one option.
fn by_name(options: &Options, answer: &str) -> Option<Choice> {
    let words: Vec<&str> = answer.split_whitespace().collect();
    if words.len() > 8 {
        return None;
    }
    let significant = |text: &str| -> Vec<String> {
        sense_name(text)
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '.'))
            .map(|word| word.trim_matches(['.', '-']).to_owned())
            .filter(|word| {
                (word.len() >= 3 || word.chars().any(|c| c.is_ascii_digit()) && !word.is_empty())
                    && !WEAK.is_match(word)
            })
            .collect()
    };
    let said = significant(answer);
    if said.is_empty() {
        return None;
    }
    let all: Vec<Vec<String>> = options.items.iter().map(|item| significant(&item.text)).collect();
    let scores: Vec<usize> = all
        .iter()
        .enumerate()
        .map(|(at, option)| {
            said.iter()
                .filter(|word| {
                    option.contains(word)
                        && all.iter().enumerate().all(|(other, words)| other == at || !words.contains(word))
                })
                .count()
        })
        .collect();
    let best = scores.iter().enumerate().max_by_key(|(at, score)| (**score, std::cmp::Reverse(*at)))?;
    let clear = scores.iter().filter(|score| **score > 0).count() == 1;
    if !clear || *best.1 * 2 < said.len() {
        return None;
    }
    Some(Choice {
        text: options.items.get(best.0)?.text.clone(),
        frame: options.frame.clone(),
        words: words.len(),
    })
}

/// `yaml, everyone here knows it`: a name and the reason, where the reason names no other option.
fn by_first_clause(options: &Options, answer: &str) -> Option<Choice> {
    let (clause, reason) = answer.split_once([',', ';', '.', '-'])?;
    let clause = POLITE.replace_all(clause, "");
    let picked = by_name(options, clause.trim())?;
    let rest = by_name(options, reason.trim());
    let agrees = rest.is_none_or(|other| other.text == picked.text);
    let names = |text: &str| options.items.iter().filter(|item| shares_word(&item.text, text)).count();
    (agrees && names(answer) == 1 && clause.split_whitespace().count() <= 4 && !NEGATES.is_match(&clause))
        .then(|| Choice {
            words: answer
                .split([',', ';', '.', '-'])
                .next()
                .map_or(0, |head| head.split_whitespace().count()),
            ..picked
        })
}

/// A telling word of the option stands in the text.
fn shares_word(option: &str, text: &str) -> bool {
    let option = sense_name(option);
    let words: Vec<&str> =
        option.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 3).collect();
    text.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word) && !WEAK.is_match(word))
}

/// Names stay readable here: code is not masked.
fn sense_name(text: &str) -> String {
    crate::text::fold(&text.replace('`', " "))
}

static_regex! {
    static POLITE = r"\b(?:pls|plz|please|thanks|thx|i guess|i think|molim(?: te)?|hvala)\b";
    static NEGATES = r"\b(?:no|not|isn't|never|don't|bad|worse|ne|nije|nemoj|los\w*)\b";
    static WEAK = r"^(?:the|and|use|one|option|with|let's|lets|yes|please|would|prefer|rather|think|just|for|that|this|better|sounds|good|fine|can|will|you|keep|not|don't|bolje|radije|ono|ona|onaj|taj|molim|moze|idemo|neka|bude|koristi)$";
}
