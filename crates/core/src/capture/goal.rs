//! What a session is about: the first request for something to build, do or find out, until a person plainly names
//! another. Rules and choices (`use X`, `never touch Y`) are no goal, not even as the first words.

use super::captured::Captured;
use super::kinds::{Kind, Source};
use super::lexicon::names_nothing;
use super::prose::{Place, Sentence};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::clip;
use crate::text::pattern::static_regex;

/// Of a request, so many graphemes tell that it is one.
const REQUEST_START: usize = 200;
/// A request of fewer words must be an order of work.
const REQUEST_WORDS: usize = 4;

static_regex! {
    static GREETING = r"^(?:hi|hello|hey|yo|good (?:morning|evening|afternoon)|are you (?:there|ok)|you (?:still )?there|test|testing|ping|cao|zdravo|dobro jutro|dobar dan|hej|pozdrav|ej|thanks?|hvala|where were we|what'?s up)\b[^.!?]{0,30}[.!?]*$";
    /// What asks where things stand, and an answer that only picks.
    static NO_REQUEST = r"^(?:(?:ok|okay|great|cool|so|and|next|now|dobro|odlicno|super|a|e|pa)[,:.!]* )*(?:what(?:'s| is| else is| remains)?(?: still)? (?:left|open|next|remaining|the status|missing)|what remains|what (?:do|should) we do next|where (?:are|were) we|how far are we|status|sta (?:je|nam je|jos|sad|sada|dalje)(?: jos)? ?(?:ostalo|preostalo|sledece|dalje|fali|ostaje)?|dokle smo stigli|gde smo stali)\b.{0,30}[?.! ]*$|^(?:(?:yes|yeah|yep|ok|okay|no|sure|da|ne|moze|vazi)[,.! ]+)*(?:the |number |option |opcija |opciju |ova |ovu |taj |to )*(?:first|second|third|fourth|last|former|latter|[1-9]|[a-h]|prv[aoiu]|drug[aoiu]|trec[aeiu]|poslednj[aeiu])(?: one| option| opcija| opciju| please| molim| thanks| hvala)*[.!]*$";
    static GOAL = r"^(?:(?:the|our|my|new|main|real|overall|novi|glavni|moj|nas)\s+)*(?:goal|aim|objective|end goal|cilj|zadatak)\b(?:\s+(?:is|now is|here is|of this session is|je|sada je))?\s*:?\s+(?:to\s+|da\s+)?(\S.*)$";
    /// The talk turns to something else; what it is follows.
    static CHANGE = r"^(?:(?:ok|okay|so|now|actually|alright|no|dobro|a|e) ?,? )*(?:forget (?:that|about (?:that|it)|it|all that|(?:about )?the [^,.;:]{2,40})|change of plans?|new (?:task|plan|topic|request)|(?:drop|scrap) (?:that|all that|it|the [^,.;:]{2,40})|zaboravi (?:to|sve|na [^,.;:]{2,40})|promena plana|novi zadatak|nova tema|ostavi to)\b[\s,.:;!-]*(?:now|instead|and|let's|rather|sada|hajde da|idemo na)?[\s,:]*(\S.*)?$";
    static DROPS = r"\b(?:forget|drop|scrap|zaboravi|ostavi to)\b";
    /// What leads over to another thing.
    static LEADS_OVER = r"\b(?:now|instead|and|let's|rather|sada|hajde da|idemo na)[\s,:]*$";
    static TURN = r"^(?:(?:ok|okay|so|now|actually|alright|dobro|a|e) ?,? )*(?:let's|let us|hajde da|ajde da) (?:now |instead |sada )*(?:move on|turn|get|predjemo|okrenemo se|prebacimo se) (?:to|na) (\S.*)$";
    /// To switch to a thing is a choice; to a piece of work it is a turn.
    static SWITCH = r"^(?:(?:ok|okay|so|now|actually|alright|dobro|a|e) ?,? )*let's (?:now |instead )*switch to ((?:the|a|an|another|some|my|our) \S.*|\S+ing \S.*)$";
    static SWITCHES_THING = r"\b(?:instead of|from|for|in place of|version)\b";
    static MAKES = r"^(?:please |just |let's |hajde da |i want (?:you )?to )*(?:build|create|make|develop|implement|program|code|prepare|plan|napravi\w*|izgradi\w*|pravi\w*|razvij\w*|isprogramira\w*)\b";
    static INSTEAD = r"\b(?:instead|rather than|umesto)\b";
    static ORDERS_WORK = r"^(?:(?:please|can you|could you|would you|i want you to|i want to|i need you to|we need to|you need to|let's|help me|molim te|mozes li da|hocu da|zelim da|treba da|hajde da|now|then|ok|hi|hello|zdravo)[ ,!]+)*(?:build|create|make|develop|implement|program|code|write|prepare|plan|fix|find|investigate|analy[sz]e|explain|review|research|port|migrate|convert|refactor|debug|test|help|design|draft|summari[sz]e|check|look|compare|set up|put together|napravi\w*|izgradi\w*|pravi\w*|razvij\w*|popravi\w*|nadji|pronadji|istrazi\w*|proveri\w*|objasni\w*|pregledaj\w*|testira\w*|pomozi|uradi\w*|napisi\w*|dodaj\w*|sredi\w*|uporedi\w*)\s+\S";
    static ALONE = r"^(?:no|nope|yes|yeah|yep|ne|da|jeste|not (?:really|quite)|of course(?: not)?)[.!]*$";
}

/// `The goal is X`.
pub(super) fn named(text: &str, seen: &str) -> Option<Captured> {
    let found = GOAL.captures(seen)?.get(1)?;
    let new = skip_words(text, words_before(seen, found.start()));
    Some(Captured::new(Kind::Goal, new.trim_end_matches(['?', '!', '.']), Source::User, 0.95))
}

/// `Forget that, now X`, `let's move on to X`; not where X is a choice about the same work, which `rules` tells.
pub(super) fn changed(text: &str, seen: &str, rules: fn(&str) -> bool) -> Option<Captured> {
    let turn = CHANGE.captures(seen).or_else(|| TURN.captures(seen));
    let found = match turn {
        Some(turn) => turn,
        None => SWITCH.captures(seen).filter(|_| !SWITCHES_THING.is_match(seen))?,
    }
    .get(1)?;
    let (rest, start) = (found.as_str(), found.start());
    // Behind what is dropped stands why, unless it orders or is led over to.
    let before = seen.get(..start)?;
    let drops = DROPS.is_match(before) && !LEADS_OVER.is_match(before);
    let work = ORDERS_WORK.is_match(rest) || !drops && !rules(rest);
    let new = skip_words(text, words_before(seen, found.start()));
    (work && new.word_count() >= 2 && !names_nothing(rest))
        .then(|| Captured::new(Kind::Goal, new.trim_end_matches(['.', '!']), Source::User, 0.85))
}

/// After a change of mind: another thing is to be made.
pub(super) fn starts_anew(said: &Captured, seen: &str) -> bool {
    said.kind == Kind::Task && MAKES.is_match(seen) && INSTEAD.is_match(seen)
}

/// A bare yes or no.
pub(super) fn answers_only(seen: &str) -> bool {
    ALONE.is_match(seen)
}

/// The sentence may say what a session is about: it is no rule, choice or preference, unless it orders work.
pub(super) fn may_name(part: &Sentence, said: &[Captured]) -> bool {
    !GREETING.is_match(&part.seen)
        && !NO_REQUEST.is_match(&part.seen)
        && (orders_work(&part.seen)
            || said.is_empty()
            || said.iter().any(|said| matches!(said.kind, Kind::Task | Kind::Goal | Kind::OpenItem)))
}

/// The goal of the first request: its text without the sentences that only rule or choose. `names` tells of each part
/// whether it [may name](may_name) the goal.
pub(super) fn first(text: &str, parts: &[Sentence], names: &[bool]) -> Option<Captured> {
    if !is_request(text) && !parts.iter().any(|part| orders_work(&part.seen)) {
        return None;
    }
    if !parts.is_empty() && !names.contains(&true) {
        return None;
    }
    let rules = parts.iter().zip(names).filter(|(part, names)| !**names && part.place == Place::Paragraph);
    let asked = rules.fold(text.to_owned(), |asked, (part, _)| asked.replacen(&part.text, " ", 1));
    Some(Captured::new(Kind::Goal, &asked, Source::User, 0.7))
}

/// Substantive enough to be what a session is about.
pub(super) fn is_request(text: &str) -> bool {
    // A greeting is short: the start tells.
    let seen = sense(clip::first_graphemes(text.trim(), REQUEST_START));
    seen.split_whitespace().take(REQUEST_WORDS).count() == REQUEST_WORDS
        && !GREETING.is_match(&seen)
        && !seen.starts_with('/')
        && !seen.starts_with('!')
}

fn orders_work(seen: &str) -> bool {
    ORDERS_WORK.is_match(seen) && !names_nothing(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(text: &str) -> Option<String> {
        let seen = sense(text);
        changed(text, &seen, |seen| seen.starts_with("use ")).map(|goal| goal.text)
    }

    #[test]
    fn a_turn_names_the_new_goal_and_a_choice_is_none() {
        assert_eq!(turns("Forget the shop, build a blog.").as_deref(), Some("build a blog"));
        assert_eq!(turns("Let's switch to writing the manual").as_deref(), Some("writing the manual"));
        assert_eq!(turns("Forget that, use Redis for sessions"), None);
        assert_eq!(turns("let's switch to Postgres for sessions"), None);
    }
}
