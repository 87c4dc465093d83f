//! One choice in the place of another, said shortly: `Koa instead of Fastify`, `bolje 14 dana umesto 7`, `ne age, nego gpg`,
//! `back to Kafka`. Without a verb such words decide only where what they name was chosen before; that is for the ledger to
//! know.

use super::captured::{Captured, Change, Withdrawn};
use super::clause;
use super::kinds::{Kind, Source};
use super::prose::Sentence;
use super::sense::{CountWords, sense};
use crate::text::pattern::static_regex;

/// Longer names are stories.
const MAX_NAME: usize = 5;
/// How plainly words without a verb decide.
const CONFIDENCE: f32 = 0.75;

static_regex! {
    /// A word of the patterns below.
    static CUE = r"instead of|rather than|in place of|umesto|nego|\bvec\b|\bbut\b|back|vrat|vrac|revert";
    static LEAD = r"^(?:(?:ok|okay|no|nope|nah|wait|hm+|actually|sorry|rather|better|please|let's|lets|let us|we should|we'll|we will|i'd|and|but|so|then|now|ne|ipak|bolje|radije|onda|pa|a|ali|ma|cekaj|stani|izvini|pardon|znaci|hajde|ajde|molim te|sad|sada)[,.]? +)+";
    static TAKES = r"^(?:let's |da )?(?:use|take|pick|choose|prefer|adopt|run|go (?:with|for)|do|have|make it|koristi(?:te|mo)?|uzmi(?:te|mo)?|stavi(?:te|mo)?|idemo (?:sa|na)|neka bude|cemo|hocemo|nek bude|bice) +";
    static INSTEAD = r"^([^,;:?]{1,60}?),? (?:instead of|rather than|in place of|umesto) (?:using |the |our |a |an )?([^,;:?]{1,40}?)[.! ]*$";
    /// `čuvamo kopije 14 dana`: a verb and its object stand before the value.
    static OF_WHAT = r"^(?:da )?[a-z]+(?:amo|emo|imo|aj|aju|iti|ati) ((?:[a-z]\S* ){0,4}?)(\d\S*(?: [a-z]+)?)$";
    static NOT_BUT = r"^(?:(?:ok|pa|a|ali|ma|no|hm+|actually|wait|sorry|ipak|ne,)[,.]? +)*(?:ne|nije|not|nemoj|necemo|nece) ([^,;:?.]{1,40}?),? (?:nego|vec|but) (?:da bude |cemo |ce )?([^,;:?.]{1,40}?)[.! ]*$";
    static BACK = r"^(?:(?:let's |can we |we can |hajde da )?(?:(?:go|switch|change|move|come|fall) )?back to|revert to|vrati(?:te|mo)?(?: se)? na|vracamo se na|vracam se na|nazad na|opet na) (?:using |the |our |a |an )?([^,;:?]{1,40}?)(?:,? (?:please|again|then|after all|instead|molim te|ipak|opet))*(?:[.!,;]|$)";
    static NO_NAME = r"^(?:it|that|this|them|me|you|us|him|her|what|how|where|work|normal|sleep|square|basics|business|one|start|top|list|to|ovo|toga|posao|pocetak|staro|main|master|here)\b";
    static SUBJECT = r"^(?:i|it|this|that|they|he|she|you|there|why|what|which|when|if|because|to|ovo|zasto|sto|kad|ako)\b";
    /// What was chosen is found bad.
    static BAD = r"^(?:(?:no|nope|nah|ne|wait|hm+|actually|sorry|cekaj)[,. ]+)*(?:the )?(\S+(?: \S+)?) (?:is|are|would be|seems|feels|je|su|bi bilo|bi bio) (?:way |far |just |really |much |a bit |malo |bas )?(?:overkill|too \w+|a bad (?:idea|fit|choice)|not (?:a )?(?:good|right|needed|worth|what)\b.*|wrong|bad|slow|heavy|previse\w*|prevelik\w*|pretezak|preteska|presloz\w*|prespor\w*|los\w*|pogres\w*|preterano|preterivanje)[.!]*$";
    static NAME = r"^(?:(?:then|so|use|rather|better|onda|bolje|ipak)?,? ?)([a-z0-9][\w.+#/-]*(?: [\w.+#/-]+){0,2})[.!]*$";
    static NO_CHOICE = r"\b(?:no|yes|ok|okay|thanks|thank|please|sorry|stop|wait|not|it|that|this|is|are|you|we|i|ne|da|hvala|molim|nije|to|ovo|je|su|dobro|super|great|good|nice|really|why)\b";
}

/// A sentence that puts one choice in the place of another.
pub(super) fn change(text: &str) -> Option<Change> {
    let seen = sense(text);
    if !CUE.is_match(&seen) {
        return None;
    }
    let (lead, main) = after(&LEAD, &seen, 0);
    let (lead, main) = after(&TAKES, main, lead);
    let named = |seen: &str, lead: usize, found: Option<regex::Match<'_>>| {
        let found = found?;
        let start = lead + count(seen.get(..found.start())?);
        let words = clause::slice(text, start, start + count(found.as_str()));
        let words = words.trim_matches(['.', '!', ',', ' ']).to_owned();
        (!words.is_empty() && count(&words) <= MAX_NAME).then_some(words)
    };
    if let Some(found) = NOT_BUT.captures(&seen) {
        let name = |group: usize| named(&seen, 0, found.get(group));
        return Some(Change { what: String::new(), old: name(1)?, new: name(2)? });
    }
    let name = |found: Option<regex::Match<'_>>| named(main, lead, found);
    let found = INSTEAD.captures(main)?;
    let (new, old) = (found.get(1)?, name(found.get(2))?);
    if let Some(value) = OF_WHAT.captures(new.as_str()) {
        let what = name(value.get(1)).unwrap_or_default();
        let new = name(value.get(2))?;
        return Some(Change { what, old: with_unit(&old, &new), new });
    }
    if SUBJECT.is_match(new.as_str()) {
        return None;
    }
    let new = name(Some(new))?;
    Some(Change { what: String::new(), old: with_unit(&old, &new), new })
}

/// `7` beside `14 dana` is `7 dana`.
fn with_unit(old: &str, new: &str) -> String {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match new.split_once(' ') {
        Some((number, unit)) if is_number(old) && is_number(number) => format!("{old} {unit}"),
        _ => old.to_owned(),
    }
}

/// What to go back to.
pub(super) fn back_to(text: &str) -> Option<String> {
    let seen = sense(text);
    if !CUE.is_match(&seen) {
        return None;
    }
    let (lead, main) = after(&LEAD, &seen, 0);
    let found = BACK.captures(main)?.get(1)?;
    let start = lead + count(main.get(..found.start())?);
    let words = count(found.as_str());
    let name = clause::slice(text, start, start + words);
    let name = name.trim_matches(['.', '!', ',', ' ']).to_owned();
    (words <= MAX_NAME && !NO_NAME.is_match(found.as_str())).then_some(name)
}

/// What a sentence that says nothing else puts in the place of what was chosen before.
pub(super) fn verbless(part: &Sentence) -> Option<Captured> {
    if part.text.ends_with('?') || !CUE.is_match(&part.seen) {
        return None;
    }
    let what = match back_to(&part.text) {
        Some(name) => Withdrawn::BackTo { name, change: None },
        None => Withdrawn::Swap(change(&part.text)?),
    };
    Some(swapped(part.text.trim_end_matches(['.', '!']), what))
}

/// `Kafka is overkill. NATS.`: what was chosen is turned down, and another named.
pub(super) fn turned_down(parts: &[Sentence]) -> Option<Captured> {
    let [.., bad, name] = parts else { return None };
    let old = BAD.captures(&bad.seen)?.get(1)?;
    let found = NAME.captures(&name.seen)?.get(1)?;
    if NO_CHOICE.is_match(found.as_str()) || NO_CHOICE.is_match(old.as_str()) || name.text.ends_with('?') {
        return None;
    }
    let slice = |part: &Sentence, seen: &str, found: regex::Match<'_>| {
        let start = seen.get(..found.start()).map_or(0, count);
        let words = clause::slice(&part.text, start, start + count(found.as_str()));
        words.trim_matches(['.', '!', ',', ' ']).to_owned()
    };
    let change =
        Change { what: String::new(), old: slice(bad, &bad.seen, old), new: slice(name, &name.seen, found) };
    Some(swapped(&change.new.clone(), Withdrawn::Swap(change)))
}

fn swapped(text: &str, what: Withdrawn) -> Captured {
    Captured { withdraws: Some(what), ..Captured::new(Kind::Decision, text, Source::User, CONFIDENCE) }
}

/// What follows a lead, with the number of words before it.
fn after<'s>(lead: &crate::text::pattern::Pattern, seen: &'s str, before: usize) -> (usize, &'s str) {
    let end = lead.find(seen).map_or(0, |found| found.end());
    (before + seen.get(..end).map_or(0, count), seen.get(end..).unwrap_or(seen))
}

fn count(text: &str) -> usize {
    text.word_count()
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    #[test]
    fn one_choice_takes_the_place_of_another_in_few_words() {
        for (text, what, old, new) in [
            ("Use Deno instead of Node.", "", "Node", "Deno"),
            ("Hm, actually let's go with Caddy rather than nginx", "", "nginx", "Caddy"),
            ("Ipak ćemo MariaDB umesto MySQL-a.", "", "MySQL-a", "MariaDB"),
            ("Radije 20 minuta umesto 5.", "", "5 minuta", "20 minuta"),
            ("Боље да држимо логове 30 дана уместо 10.", "логове", "10 дана", "30 дана"),
            ("Ne tabovi, nego razmaci.", "", "tabovi", "razmaci"),
            ("Ипак не nginx, него Caddy", "", "nginx", "Caddy"),
        ] {
            let is = Change { what: what.to_owned(), old: old.to_owned(), new: new.to_owned() };
            assert_eq!(change(text), Some(is), "{text}");
        }
        for text in [
            "It returns null instead of an empty list.",
            "Why is it 5 instead of 3?",
            "Use Deno.",
            "I get a 500 from the server instead of the page that I expected to see there",
        ] {
            assert_eq!(change(text), None, "{text}");
        }
    }

    #[test]
    fn what_one_goes_back_to_is_named() {
        for (text, name) in [
            ("Sorry, go back to Webpack.", "Webpack"),
            ("wait no, back to 4 workers. 9 is too many.", "4 workers"),
            ("Ipak vrati na 20 s.", "20 s"),
            ("Врати се на Редис", "Редис"),
        ] {
            assert_eq!(back_to(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "back to work",
            "go back to it",
            "put it back to the way it was",
            "the button goes back to the list",
        ] {
            assert_eq!(back_to(text), None, "{text}");
        }
    }

    #[test]
    fn a_choice_is_turned_down_and_another_named() {
        let of = |text: &str| turned_down(&sentences(text)).and_then(|found| found.withdraws);
        let swap = |old: &str, new: &str| {
            Some(Withdrawn::Swap(Change { what: String::new(), old: old.to_owned(), new: new.to_owned() }))
        };
        assert_eq!(of("no. Kubernetes is too much. Nomad."), swap("Kubernetes", "Nomad"));
        assert_eq!(of("Ne. Kubernetes je previše. Nomad."), swap("Kubernetes", "Nomad"));
        assert_eq!(of("The header is too big. Thanks."), None);
        assert_eq!(of("The page is slow. Fix it please."), None);
    }
}
