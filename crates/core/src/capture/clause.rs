//! A person's sentence as the clauses that each say something: what only leads in is taken off (`I changed my mind:`,
//! `No,`, `Ana agrees with you:`), and a rule beside a choice becomes two clauses (`set X to 60 s, and never touch Y`).

use super::lexicon::{is_serbian_intent, starts_with_order};
use super::opener;
use super::sense::{CountWords, Seen, sense, skip_words, words_before};
use crate::text::pattern::static_regex;
use crate::text::scan;
use regex::Match;

/// A choice of fewer words says nothing by itself.
pub(super) const MIN_CHOICE: usize = 3;
/// Longer lead-ins are sentences of their own.
const MAX_LEAD: usize = 12;

static_regex! {
    /// What was said before no longer holds; what does follows.
    static CHANGED = r"^(?:(?:i|we)(?:'ve| have)? (?:just |now |since |both )?changed (?:my|our) minds?|predomisli\w+ (?:sam|smo) se|(?:ja |mi )?(?:sam|smo) se (?:ipak )?predomisli\w+|promeni\w+ (?:sam|smo)(?: misljenje| plan| dogovor)?|(?:we|i)(?:'ve| have)? changed (?:it|this|that|the plan)|changes? of plans?|promena plana|on second thoughts?|(?:scratch|scrap|forget|strike|ignore|disregard|cancel|drop) (?:that|it|this|what i said)|never ?mind|i take (?:that|it) back|i was wrong|my (?:mistake|bad)|correction|zaboravi to|ispravka|pogresi\w+ sam|povlacim to)(?:(?: (?:about|on|regarding|what|the|oko|u vezi|za|before|earlier|again)\b[^,:;.-]{0,50})?\s*[,:;.-]+\s*|\s+(?:and|so|i|pa)\s+)(?:(?:and|so|but|please|instead|now|actually|then|i|pa|ipak|sada)[, ]+)*";
    /// The answer to what was asked: what follows describes, unless it orders.
    static ANSWER = r"^(?:no|nope|nah|yes|yeah|yep|ne|da|jeste|nije|jok|not (?:really|quite|at all)|of course(?: not)?|naravno)\s*[,:;.-]+\s*";
    static LEAD_IN = r"^([^:?]{3,90}):\s+(\S.*)$";
    /// A lead-in that speaks of people or of the talk itself; others name what the rule is about.
    static SPEAKS = r"\b(?:i|we|you|he|she|they|us|me|everyone|everybody|nobody|there|things?|agrees?|agreed|says?|said|told|sam|smo|ste|su|se|ti|mi|vi|mene|nas|svi|slaze|slazu|kaze|kazu|stvar|stvari)\b";
    /// Lead-ins after which nothing is settled.
    static UNSETTLED = r"\b(?:options?|ideas?|alternativ\w*|questions?|maybe|perhaps|could|might|examples?|errors?|warnings?|docs?|documentation|output|log|logs|opcij\w*|idej\w*|pitanj\w*|mozda|primer\w*|gresk\w*|if|ako|tried|used to|why|how|what)\b|[\d/\\<>={}]";
    static CUT = r"(?:[,;]|\s-|\.\.\.?|…)\s+(?:(?:and|but|then|so|also|please|instead|rather|just|a|i|ali|pa|te|vec|nego|ipak)\s+)*|\s(?:and|but|i|ali)\s";
    /// `Make it 5 retries` points at nothing.
    static MAKE_IT = r"^make it \d";
    /// `Timeout 30 seconds`.
    static SETTING = r"^(?:the |our |a )?(?:[a-z][a-z-]* ){1,3}(?:is |of |to |at most |max |najvise )?\d[\d.,]*(?: ?[a-z%]+)?[.!]*$";
    /// It speaks of what the clause before names.
    static POINTS_BACK = r"\b(?:it|its|them|this|that|these|those|ones?|there|ga|ih|njega|njih|njima|njemu|taj|tu|tamo)\b";
}

/// A clause without what leads to it.
pub(super) struct Opened<'t> {
    /// The words.
    pub(super) text: &'t str,
    /// The form that rules look at.
    pub(super) seen: &'t str,
    /// It answers a question by yes or no.
    pub(super) answers: bool,
    /// It takes back what was said before.
    pub(super) changes: bool,
}

/// Takes fillers, answers and changes of mind off the front.
pub(super) fn opened<'t>(text: &'t str, seen: &'t Seen) -> Opened<'t> {
    let mut out = Opened { text, seen: seen.as_str(), answers: false, changes: false };
    for _ in 0..3 {
        // `no` and `yes` first: they are fillers too.
        if let Some(found) = ANSWER.find(out.seen) {
            out.answers = true;
            if !out.take_off(found.end()) {
                break;
            }
        }
        let whole = out.seen.len() == seen.len();
        let (_, skipped, _) = if whole { seen.opened() } else { opener::open(out.seen) };
        out.skip(skipped);
        let Some(found) = CHANGED.find(out.seen) else { break };
        out.changes = true;
        if !out.take_off(found.end()) {
            break;
        }
    }
    out
}

impl Opened<'_> {
    /// Without the first `bytes`, where at least two words are left.
    fn take_off(&mut self, bytes: usize) -> bool {
        let rest = self.seen.get(bytes..).unwrap_or("").word_count();
        if rest < 2 {
            return false;
        }
        self.skip(self.seen.word_count() - rest);
        true
    }

    fn skip(&mut self, words: usize) {
        if words > 0 {
            self.text = skip_words(self.text, words);
            self.seen = skip_words(self.seen, words);
        }
    }
}

/// `LEAD: rest`: the number of words that lead, and whether they only lead (else they name what the rest is about).
pub(super) fn lead_in(seen: &str) -> Option<(usize, bool)> {
    if !scan::holds_any(seen, b":") {
        return None;
    }
    let found = LEAD_IN.captures(seen)?;
    let lead = found.get(1)?.as_str();
    let words = lead.word_count();
    ((2..=MAX_LEAD).contains(&words) && !UNSETTLED.is_match(lead)).then(|| (words, SPEAKS.is_match(lead)))
}

/// The places, in words, at which a sentence may fall apart: the end of a clause and the start of the next.
pub(super) fn cuts(seen: &str) -> Vec<(usize, usize)> {
    if scan::holds_any(seen, b"(\"") {
        return Vec::new();
    }
    let words = |found: Match<'_>| (words_before(seen, found.start()), words_before(seen, found.end()));
    CUT.find_iter(seen).map(words).collect()
}

/// The choices of a sentence, each by itself: `use a limit of 5, and keep the cache in SQLite`. A change of one of them
/// leaves the other.
pub(super) fn choices(text: &str) -> Vec<String> {
    let seen = sense(text);
    let total = seen.word_count();
    let mut out = Vec::new();
    let mut start = 0;
    for (end, next) in cuts(&seen) {
        let (rest, rest_seen) = (part(text, next, total), part(&seen, next, total));
        let orders = starts_with_order(rest_seen)
            || rest_seen.split_whitespace().next().is_some_and(is_serbian_intent);
        let long = |words: &str| words.word_count() >= MIN_CHOICE;
        if orders && long(rest) && end.saturating_sub(start) >= MIN_CHOICE && !points_back(rest_seen) {
            out.push(slice(text, start, end).trim_end_matches([',', ';', ' ', '-']).to_owned());
            start = next;
        }
    }
    out.push(slice(text, start, total));
    out
}

/// It cannot stand alone: it points at what the clause before names.
pub(super) fn points_back(seen: &str) -> bool {
    POINTS_BACK.is_match(seen) && !MAKE_IT.is_match(seen)
}

/// The clause gives a thing its value and says nothing else.
pub(super) fn is_setting(seen: &str) -> bool {
    scan::holds_digit(seen) && SETTING.is_match(seen)
}

/// The words of a text from `start` to before `end`.
pub(super) fn slice(text: &str, start: usize, end: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().skip(start).take(end.saturating_sub(start)).collect();
    words.join(" ")
}

/// The same as they stand there, without a mark behind them.
pub(super) fn part(text: &str, start: usize, end: usize) -> &str {
    let from = skip_words(text, start);
    let rest = skip_words(from, end.saturating_sub(start));
    let part = from.get(..from.len() - rest.len()).unwrap_or(from);
    part.trim_end().trim_end_matches([',', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_taken_off_and_what_is_left_keeps_its_case() {
        for (text, rest) in [
            ("I changed my mind: use Redis.", "use Redis."),
            ("Ok, we've changed our minds about the cache, keep Postgres", "keep Postgres"),
            ("No, cron never starts two", "cron never starts two"),
            ("Predomislio sam se, koristi Redis", "koristi Redis"),
            ("Scratch that, store files in S3", "store files in S3"),
            ("Use Redis", "Use Redis"),
        ] {
            assert_eq!(opened(text, &Seen::of(text)).text, rest);
        }
    }

    #[test]
    fn a_lead_in_of_people_only_leads_and_a_topic_stays() {
        assert_eq!(lead_in("ana agrees with you: use sqlite"), Some((4, true)));
        assert_eq!(lead_in("session store: use sqlite"), Some((2, false)));
        assert_eq!(lead_in("another option: use sqlite"), None);
    }
}
