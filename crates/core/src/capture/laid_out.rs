//! Options that a sentence lays out before somebody asks which: `I have a woodcut and a photo. Which one?`, `Two ways: X, or
//! Y. Preference?`; and paragraphs that each begin with an option's name in bold.

use super::options::Item;
use super::prose::{Place, Sentence};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::{Pattern, static_regex};

/// Sentences between the options and the question.
const LOOK_BACK: usize = 5;
/// More are a list of something else.
const MAX_ITEMS: usize = 6;
/// Longer options are sentences with a story.
const MAX_WORDS: usize = 16;
/// Longer pieces between commas are no items of one list.
const MAX_LISTED: usize = 7;

static_regex! {
    /// A question, or a request, that asks to choose.
    static CHOOSE = r"^(?:(?:so|and|or|ok|now|then|well|pa|e|a|dakle)[, ]+)*(?:which|what(?:'s| is) (?:your|it)|what (?:do|would|should|shall|will|suits|works|sounds|feels|fits)|what'll|how (?:do|would|should|shall)|(?:when|where|how|who)\b[^?]{0,40}\?$|where (?:do|should|shall)|any (?:preferences?|opinion|favou?rites?)|(?:your )?(?:preferences?|pick|choice|call|opinion|vote|favou?rite)\b|thoughts|do you (?:have a )?prefer\w*|shall it be|koj[aeiu]\w*|kada? |gde |sta (?:cemo|kazes|biras|mislis|zelis|vise|ti|bi|da|je)|kako (?:cemo|da|zelis)|ima[st]? li|tvoj (?:izbor|predlog)|za (?:koju|koji|koje|sta)|pick|choose|(?:please )?(?:tell me|let me know|say|reply with) (?:which|what|the)|your (?:call|choice|pick)|up to you|reci|javi|kazi|odluci|izaberi|biraj|na tebi)\b";
    /// What leads to the options of a sentence without a colon.
    static LEAD = r"^.{0,80}?\b(?:have|has|found|see|got|can(?: be)?|could(?: be)?|may be|might be|there (?:is|are)|either|offers?|down to|left with|left are|choose between|torn between|it's between|between|(?:finalists?|candidates?|contenders|options|choices|names|favou?rites) (?:are|is|were)|(?:two|three|four|dva|dve|tri) [\w ]{2,30},|would be|works with|comes in|imamo|imam|ima|postoje|postoji|nasao sam|nasla sam|ostaju|ostaje|moze(?: da bude)?|mozemo|mogu(?: da)?|mogli bismo|izmedju|dolazi u obzir|nude|ili)\s+(?:either |be |now |also |da |to |ili )?";
    static MANY = r"\b(?:two|three|four|five|both|several|options?|ways?|choices?|candidates?|variants?|dva|dve|tri|cetiri|opcij\w+|nacina?|varijant\w+|mogucnost\w*|predloga?|kandidata?|termina)\b";
}

/// Options told by the sentences before the asking one.
pub(super) fn find(parts: &[Sentence]) -> Vec<Item> {
    let end = parts.len();
    let Some(asks) = (end.saturating_sub(3)..end).rev().find(|at| {
        parts.get(*at).is_some_and(|part| {
            part.place != Place::Quote && part.seen.len() <= 160 && CHOOSE.is_match(&part.seen)
        })
    }) else {
        return Vec::new();
    };
    let before = parts.get(asks.saturating_sub(LOOK_BACK)..asks).unwrap_or_default();
    let bold = in_bold(before);
    if bold.len() >= 2 {
        return bold;
    }
    before
        .iter()
        .rev()
        .filter(|part| matches!(part.place, Place::Paragraph | Place::Item) && !part.text.ends_with('?'))
        .map(|part| in_statement(&part.text, &part.seen))
        .find(|items| items.len() >= 2)
        .unwrap_or_default()
}

/// `**Keep it simple** - one table.` `**Full audit** - every change is a row.`
fn in_bold(parts: &[Sentence]) -> Vec<Item> {
    parts
        .iter()
        .filter(|part| part.first && part.bold.is_some() && part.place != Place::Heading)
        .map(|part| Item::named("", &part.text))
        .collect()
}

/// The options that one sentence names.
fn in_statement(text: &str, seen: &str) -> Vec<Item> {
    let colon = seen.rfind(": ").map(|at| at + 2);
    let start = colon.or_else(|| LEAD.find(seen).map(|found| found.end()));
    let Some(rest) = start.and_then(|start| seen.get(start..)) else { return Vec::new() };
    let skipped = seen.word_count() - rest.word_count();
    let body = skip_words(text, skipped).trim_end_matches(['.', '!', ' ']);
    let items = split(body);
    // `a shirt and a tie` are no options unless somebody counts them or they stand behind a colon.
    let joined_by_or = sense(body).split_whitespace().any(|word| matches!(word, "or" | "ili"));
    let counted = colon.is_some() || MANY.is_match(seen) || LISTS.is_match(seen);
    if joined_by_or || counted { items } else { Vec::new() }
}

static_regex! {
    static LISTS = r"\b(?:have|found|see|got|there (?:is|are)|between|imamo|imam|postoje|nasao sam|nasla sam|izmedju)\b";
    static OR = r"(?:,| -)? (?:or|ili)(?: else)? (?:to |da |the )?";
    static AND = r",? (?:and|i|te|plus|vs\.?|versus) ";
}

/// Cuts `X, Y or Z` into its items.
fn split(body: &str) -> Vec<Item> {
    let seen = sense(body);
    let Some(cut) = last_match(&OR, &seen).or_else(|| last_match(&AND, &seen)) else { return Vec::new() };
    let words = |bytes: usize| words_before(&seen, bytes);
    let all: Vec<&str> = body.split_whitespace().collect();
    let left = all.get(..words(cut.0)).unwrap_or_default().join(" ");
    let right = all.get(words(cut.1)..).unwrap_or_default().join(" ");
    let mut lefts: Vec<String> = OR.is_match(&sense(&left)).then(|| split(&left)).map_or_else(
        || left.split(", ").map(str::to_owned).collect(),
        |items| items.into_iter().map(|item| item.text).collect(),
    );
    if lefts.len() > 1 && lefts.iter().any(|item| item.word_count() > MAX_LISTED) {
        lefts = vec![left];
    }
    let items: Vec<Item> = lefts.into_iter().chain([right]).map(|text| Item::named("", &text)).collect();
    let fits = |item: &Item| (1..=MAX_WORDS).contains(&item.text.word_count());
    if (2..=MAX_ITEMS).contains(&items.len()) && items.iter().all(fits) { items } else { Vec::new() }
}

fn last_match(pattern: &Pattern, text: &str) -> Option<(usize, usize)> {
    pattern.find_iter(text).last().map(|found| (found.start(), found.end()))
}

/// Whether a sentence asks to choose.
pub(super) fn asks_to_choose(seen: &str) -> bool {
    CHOOSE.captures(seen).is_some()
}
