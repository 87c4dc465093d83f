//! Another value for what was said right before, in words that do not name it: `make it 20 then`, `no, 9090`, `8 sati je
//! dosta`. Away from what they are about they say nothing.

use super::captured::{Captured, Withdrawn};
use super::clause;
use super::kinds::{Kind, Source};
use super::prose::{Place, Sentence};
use super::sense::{CountWords, sense, words_before};
use super::withdraw::Before;
use crate::text::pattern::static_regex;
use crate::text::scan;

/// Letters of a unit that tell it from others, whatever its ending.
const UNIT: usize = 3;

static_regex! {
    /// `Make it 20 then`; in Serbian without the pronoun.
    static MAKE_IT = r"^(?:(?:ok|okay|no|nope|nah|wait|hm+|actually|sorry|rather|better|please|and|but|so|then|now|just|let's|ne|ipak|bolje|radije|onda|pa|a|ali|ma|hajde|ajde|molim te|sad|sada|dobro)[,.]? +)*(?:(?:make|set|put|bump|raise|lower|increase|decrease|reduce|change) (?:it|that|this)(?: up| down| back)?(?: to| at)?|(?:stavi(?:te)?|postavi(?:te)?|podigni(?:te)?|spusti(?:te)?|smanji(?:te)?|povecaj(?:te)?|produzi(?:te)?|skrati(?:te)?|promeni(?:te)?|neka bude|nek bude)(?: ga| je| to)?(?: na)?) ([$€]?\d[\d.,:]*\d?(?: ?[a-z%]{1,12})?)(?: (?:then|instead|please|rather|again|onda|ipak|molim te))*(?:[.!]*$|[,;.] .*$| - .*$)";
    /// `No, 9090`.
    static CORRECTS = r"^(?:(?:no|nope|nah|wait|actually|sorry|rather|better|ne|ipak|bolje|radije|zapravo|cekaj)[,.:]? +)+([$€]?\d[\d.,:]*\d?(?: ?[a-z%]{1,12})?)(?: (?:then|instead|please|rather|onda|ipak|molim te))*(?:[.!]*$|[,;] .*$| - .*$)";
    /// `8 sati je dosta`.
    static FITS = r"^(?:[^:?]{3,70}[,;] +)?([$€]?\d[\d.,:]*\d?(?: ?[a-z%]{1,12})?) (?:is|are|would be|will do|je|su|bi bilo) (?:\w+ )?(?:better|enough|plenty|fine|ok|okay|right|bolje|dosta|dovoljno|sasvim dovoljno|u redu)\b";
    static VALUE = r"(?:^|[\s(])([$€]?)(\d[\d.,:]*\d|\d)(?: ?([a-z%]+))?";
    static NO_UNIT = r"^(?:then|instead|please|rather|again|onda|ipak|molim|and|or|at|in|on|for|per|to|of|from|i|ili|u|na|za|po|do|od|is|je|now|sada)$";
    static TIME = r"^(?:m?s|secs?|seconds?|min|mins|minut\w*|h|hrs?|hours?|days?|weeks?|months?|sekund\w*|sati?|sata|casova|dan\w*|nedelj\w*|mesec\w*)$";
}

/// Another value for the one thing said before that has one. `last` is the sentence before, `here` what the message said so
/// far.
pub(super) fn other(
    part: &Sentence,
    last: Option<&Sentence>,
    before: &Before<'_>,
    here: &[Captured],
) -> Option<Captured> {
    let seen = part.seen.as_str();
    if part.place != Place::Paragraph || !scan::holds_digit(seen) || seen.ends_with('?') {
        return None;
    }
    let alone = || CORRECTS.captures(seen).or_else(|| FITS.captures(seen)).filter(|_| !before.asks());
    let found = MAKE_IT.captures(seen).or_else(alone)?.get(1)?;
    let new = read(&part.text, seen, found.start()..found.end())?;
    let said = before.last_said(here);
    let all = || said.iter().flat_map(|text| values(text).into_iter().map(move |value| (text, value)));
    // `Ten minutes is too long. Make it 2`: what is spoken of tells what is counted.
    let spoken = last.and_then(|last| values(&last.text).pop()).filter(|value| !value.unit.is_empty());
    let counted = if new.unit.is_empty() { spoken.as_ref() } else { Some(&new) };
    let fits = |(_, value): &(&String, Value)| counted.is_none_or(|counted| value.is_alike(counted));
    let mut meant = all().filter(fits);
    let (text, old) = meant.next().filter(|_| meant.next().is_none())?;
    let (old, new) = if new.unit.is_empty() || old.unit.is_empty() {
        (old.number, new.number)
    } else {
        (format!("{}{}{}", old.number, old.gap, old.unit), format!("{}{}{}", new.number, new.gap, new.unit))
    };
    let again = Captured::new(Kind::Decision, &exchanged(text, &old, &new)?, Source::User, 0.85);
    Some(Captured { withdraws: Some(Withdrawn::Value(text.clone())), ..again })
}

/// Words that give whatever is spoken of a value, and do not name it.
pub(super) fn names_none(seen: &str) -> bool {
    MAKE_IT.is_match(seen)
}

/// A text with another choice in the place of the one that it names once, in these words.
pub(crate) fn exchanged(text: &str, old: &str, new: &str) -> Option<String> {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut places = text.match_indices(old).filter(|(at, _)| {
        let (before, behind) = (text.get(..*at), text.get(at + old.len()..));
        edge(before.and_then(|text| text.chars().next_back()))
            && edge(behind.and_then(|text| text.chars().next()))
    });
    let (at, _) = places.next().filter(|_| places.next().is_none())?;
    Some(format!("{}{new}{}", text.get(..at)?, text.get(at + old.len()..)?))
}

/// A number as it is written, with what it counts.
struct Value {
    number: String,
    gap: &'static str,
    unit: String,
}

impl Value {
    /// Both count the same, or time.
    fn is_alike(&self, other: &Self) -> bool {
        let (one, two) = (sense(&self.unit), sense(&other.unit));
        let start = |unit: &str| unit.chars().take(UNIT).collect::<String>();
        !one.is_empty() && start(&one) == start(&two) || TIME.is_match(&one) && TIME.is_match(&two)
    }
}

/// The values of a text.
fn values(text: &str) -> Vec<Value> {
    let seen = sense(text);
    let at = |found: regex::Captures<'_>| {
        let (first, last) = (found.get(2)?, found.get(3).or_else(|| found.get(2))?);
        let start = found.get(1).map_or(first.start(), |sign| sign.start());
        read(text, &seen, start..last.end())
    };
    VALUE.captures_iter(&seen).filter_map(at).collect()
}

/// A value in its own letters.
fn read(text: &str, seen: &str, span: std::ops::Range<usize>) -> Option<Value> {
    let words = words_before(seen, span.start);
    let count = seen.get(span)?.word_count();
    let told = clause::slice(text, words, words + count);
    let told = told.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '%'));
    let end = told.find(|c: char| c.is_alphabetic() || c == '%' || c == ' ').unwrap_or(told.len());
    let (number, rest) = told.split_at_checked(end)?;
    let unit = rest.trim();
    let unit = if NO_UNIT.is_match(&sense(unit)) { "" } else { unit };
    let gap = if rest.starts_with(' ') { " " } else { "" };
    let number = number.trim_end_matches(['.', ',', ':']).to_owned();
    (!number.is_empty()).then(|| Value { number, gap, unit: unit.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    fn of(said: &[&str], text: &str) -> Option<String> {
        let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
        let before = Before { said: &said, reply: None };
        let parts = sentences(text);
        let mut last = None;
        let found = parts.iter().find_map(|part| other(part, last.replace(part), &before, &[]));
        found.map(|found| found.text)
    }

    #[test]
    fn another_value_is_meant_for_the_one_thing_that_has_one() {
        for (said, text, again) in [
            (
                "the upload limit should be 5 MB",
                "one customer has 12 MB. make it 20 then.",
                "the upload limit should be 20 MB",
            ),
            ("TTL should be 5 minutes", "actually make it 2 hours", "TTL should be 2 hours"),
            ("Use port 8080", "no, 9090", "Use port 9090"),
            ("Koristi port 8080", "ne, 9090", "Koristi port 9090"),
            ("Set the version to 2.4.0", "no, 2.3.1, it is only a fix", "Set the version to 2.3.1"),
            ("retries should be 3", "5 is better", "retries should be 5"),
            ("JWT traje 24h", "24h je previše, 8 sati je dosta", "JWT traje 8 sati"),
            ("termini traju 30 minuta", "ipak stavi 45 minuta, Jelena ne stiže", "termini traju 45 minuta"),
            ("термин траје 30 минута", "ипак стави 45", "термин траје 45 минута"),
        ] {
            assert_eq!(of(&["Use tabs", said], text).as_deref(), Some(again), "{said} | {text}");
        }
    }

    #[test]
    fn a_choice_named_once_is_exchanged_for_another() {
        let of = |text: &str| exchanged(text, "7 dana", "14 dana");
        assert_eq!(of("Čuvaj kopije 7 dana").as_deref(), Some("Čuvaj kopije 14 dana"));
        assert_eq!(of("Čuvaj kopije 17 dana"), None);
        assert_eq!(of("7 dana ili 7 dana"), None);
    }

    #[test]
    fn a_value_of_something_else_is_not_meant() {
        for (said, text) in [
            (&["Use tabs"][..], "make it 20"),
            (&["limit of 5 calls", "retry 3 times"], "make it 20"),
            (&["limit of 5 calls"], "stavi 4 radnika"),
            (&["retry 3 times"], "10 minutes in between is too long. make it 2"),
            (&["Use port 8080"], "no, 3 of them fail"),
            (&["Use port 8080"], "the server has 16 cores"),
            (&["Use port 8080"], "make 3 copies of it"),
        ] {
            assert_eq!(of(said, text), None, "{said:?} | {text}");
        }
    }
}
