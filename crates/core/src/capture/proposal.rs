//! What a reply proposes at its end: the question turned into the statement that a `yes` affirms.

use super::answer::may_ask;
use super::lexicon::announces_decision;
use super::prose::{Place, Sentence};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;

/// A question this far above the end is no longer what is answered.
const LOOK_BACK: usize = 8;

static_regex! {
    /// `Should I X?`, `Want me to X?`, `Da li da X?`: what follows is the proposal.
    static ASK = r"^(?:(?:so|and|ok|okay|now|then|also|alternatively|or|given [^,]{1,60}|in that case|if (?:so|yes)|pa|onda|a|ili|e sad)[,:]?\s+)*(?:(?:shall|should|may|can|could|do|shouldn't|couldn't) (?:i|we)|(?:do|would|did) you (?:want|like|prefer|mind if|need|wish)(?: for)?(?: me| us| that i)?(?: to)?|(?:want|like|need|ok for|okay for|happy for|would it help for) (?:me|us) to|want to|mind if (?:i|we)|is it (?:ok|okay|fine|alright|all right|good|acceptable)(?: with you)?(?: if (?:i|we)| to| for me to)|(?:ok|okay|fine|good|ready|safe|alright) (?:to|if (?:i|we))|are you (?:ok|okay|fine|happy|good) (?:with me|with us|if (?:i|we)|with)|(?:any )?objections? (?:to|if (?:i|we))|how about (?:we|i|if we|if i)?|what if (?:we|i)|what about|why don't (?:we|i)|can you confirm (?:that )?(?:i|we) should|(?:would|will) it be (?:ok|okay|fine) (?:if (?:i|we)|to)|da li (?:da|zelis da|hoces da|je u redu da|mogu da|mozemo da|treba da|smem da|se slazes da|bi zeleo da|bi zelela da|zelite da|hocete da)|(?:hoces|zelis|hocete|zelite)(?: li)? da|(?:mogu|mozemo|treba|smem|hocemo|moze)(?: li)?(?: da)?|je l'? (?:da|mogu da|treba da|ok da|u redu da)|je li u redu da|jel (?:da|ok da|mogu da|treba da)|sta kazes da|sta mislis da|slazes li se da|slazes se da|da)\s+(\S.*?)\?+$";
    /// `Should the flag be X?`
    static ASK_SUBJECT = r"^(?:(?:so|and|ok)[,:]?\s+)?(?:should|shall|must|can|will)\s+(\S.*?)\?+$";
    /// `Is X okay for you?`
    static IS_FINE = r"^(?:is|are|would|does|do)\s+(.{2,80}?)\s+(?:be |sound |look |work )?(?:ok|okay|fine|good|alright|all right|acceptable|enough|right|reasonable|work|works)(?:\s+(?:for|with|by|to)\s+(?:you|now|that)|(\s+(?:for|as|with|to)\s+.{2,40}?))?\?+$";
    static IS_FINE_SR = r"^(?:da li (?:je|ti|vam)?|je l'?|jel)\s*(.{2,60}?)\s+(?:u redu|ok|odgovara|dobro)\s*(?:za tebe|ti)?\?+$";
    /// A question that only asks for agreement.
    static TAG = r"^(?:(?:keep|do|use|take|go with|ship|merge|send|leave|zadrzimo|ostavimo|uradimo) (?:it|that|this|them|so|to|tako)(?: (?:then|like that|that way|this way))?|(?:is it |would that be )?worth (?:it|doing|a try|the trouble)|(?:does|is|are) (?:that|this|it|these)\b[^?]{0,40}|(?:do|are|would|could) you (?:agree|ok|okay|fine|concur|approve|live with|think so)\b[^?]{0,30}|ok|okay|good (?:idea|plan|call)|(?:ok|okay|fine|good|alright|cool) with you|does that work|agreed|agree|sounds? (?:good|ok|okay|right|reasonable)|good|fine|deal|right|yes|thoughts|objections|any objections|what do you (?:think|say)|make sense|makes sense|is that (?:ok|okay|fine)|you (?:ok|okay|fine|good) with (?:that|this)|all right|alright|no objections|can i go ahead|shall i go ahead|should i go ahead|go ahead|shall i|should i|may i|slazes se|slazete se|slazes li se|vazi|u redu|moze|moze li|jel ok|je l' ok|je l' moze|jel moze|dogovoreno|sta kazes|sta mislis|moze tako|da krenem|mogu li|hocu li|zvuci li dobro|odgovara li ti|ok je)\s*\?+$";
    /// What a suggestion starts with; the rest is the proposal.
    static SUGGEST = r"^(?:(?:so|then|and|but|ok|okay|honestly|personally|next|first|now|also|pa|onda|zato|sledece|prvo|ja|mi|(?:for|on|in|as|za|u) [^,.;:]{2,40}?)[,:]?\s+)*(?:i'd|i would|we'd|we would|we could|we can|i could|i can|i suggest|i propose|i recommend|my (?:suggestion|proposal|recommendation|plan|idea) is|i'll|i will|we'll|we will|we should|i'm going to|let's|i think we should|i plan|the plan is|the idea is|my preference is|the biggest win would be|the (?:best|easiest|simplest|safest|right|only|cleanest|obvious) (?:way|option|thing|move|fix|step|solution)(?: [a-z]+){0,3} (?:is|would be)|najbolje je(?: da)?|najlakse je(?: da)?|predlazem|predlog(?: je)?|plan je|mogli bismo|mogu|mozemo|ja bih|mi bismo|bih|treba|trebalo bi)(?:\s+(?:to|that we|we|you|da|like to|suggest|propose|rather|prefer to|go ahead and))*\s*:?\s+(\S.*)$";
    /// It gives the reason for what stands before it.
    static EXPLAINS = r"^(?:it|that|this|these|those|they|which|because|since|so that|then|there|nobody|no one|everyone|both|to|tako|tada|tim|time|na taj nacin|ono|on|ona|oni|one|time|ovo|niko|svi|jer|posto|ne)\b";
    /// Agreement is taken for granted, at the start or at the end of a statement.
    static GRANT = r"^(?:unless you (?:object|mind|disagree|say (?:otherwise|no|stop)|tell me (?:otherwise|not to)|want something else|prefer otherwise)|if (?:you agree|you're (?:ok|okay|fine|happy|good)(?: with (?:it|that|this))?|you don't (?:mind|object)|that's (?:ok|okay|fine|good|alright)(?: (?:with|by|for) you)?|that is (?:ok|okay|fine)(?: with you)?|that works(?: for you)?|nobody objects)|with your ok|ako se (?:slazes|slazete)|ako nemas nista protiv|ako ti odgovara|osim ako se protivis|ako je (?:to )?u redu),\s+(?:then )?(\S.*)$|^(.{8,}?),? (?:unless you (?:object|mind|disagree|say (?:otherwise|no|stop)|tell me (?:otherwise|not to)|prefer otherwise)|if (?:you agree|you're (?:ok|okay|fine|happy|good)|you don't (?:mind|object)|that's (?:ok|okay|fine|good|alright)|that is (?:ok|okay|fine|good)|that works|it's (?:ok|okay|fine)|it is (?:ok|okay|fine)|nobody objects)|ako se (?:slazes|slazete)|ako nemas nista protiv|ako ti odgovara|osim ako se protivis|ako je (?:to )?u redu)\b[^,;]{0,24}$";
    static UNLESS = r"\b(?:unless|objects?|protiv\w*)\b";
    /// A verb and a pronoun: it points at something said before.
    static POINTS = r"^\S+ (?:it|that|this|these|those|them|ovo|to)(?: (?:up|too|as well|now|please|then|out|off|also|first|again))*$";
    static FLIPS = r"\b(?:mind if|objections?|would you mind|primedb\w+|smeta)\b";
    static BARE = r"^(?:continue|proceed|go on|go ahead|start|begin|do (?:it|that|this|so)|keep going|move on|carry on|nastavim|nastavimo|krenem|krenemo|pocnem|pocnemo|uradim to|(?:continue |proceed |move on |go on )?(?:(?:to|with|for) )?(?:the |my |our )?(?:next|following|sledec\w+|dalje)(?: (?:step|one|package|task|part|item|phase|korak|deo|zadatak|paket))?s?|the rest|ostatak|these|this|that|it|ovo|to|(?:continue |proceed |start |begin )(?:with )?(?:it|this|that|these|them|those|now|the rest))(?:\s+(?:now|then|here|to|sad|sada|dalje|work|today|first))*$";
    pub(super) static GOES_ON = r"^(?:continue|proceed|start|begin|go on|move on|resume|nastavi\w*|krene\w*|pocne\w*)\b";
    static OTHER_HALF = r",?\s+(?:or (?:would|should|shall|do|did|are|is|can|could|will|rather|leave|not|keep it|wait|first|something|stop)\b.*|or$|ili (?:da|ne|hoces|zelis|bi)\b.*|first\b\s*\(.*)$";
}

/// What a `yes` would affirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The statement.
    pub(super) text: String,
    /// It proposes to go on with something.
    pub(super) goes_on: bool,
    /// The question asked for agreement with a statement before it.
    pub(super) asks_agreement: bool,
    /// A no affirms it.
    pub(super) flips: bool,
}

impl Proposal {
    fn new(text: &str, asks_agreement: bool) -> Self {
        let text = text.trim().trim_end_matches(['?', '.', ':', ',', ' ', '!']).to_owned();
        let goes_on = GOES_ON.is_match(&sense(&text));
        Self { text, goes_on, asks_agreement, flips: false }
    }

    /// It says more than `continue` or `do it`.
    pub(super) fn has_content(&self) -> bool {
        let seen = sense(&self.text);
        self.text.word_count() >= 2
            && !BARE.is_match(&seen)
            && !POINTS.is_match(&seen)
            && !POINTS.is_match(&seen)
    }

    /// It proposes to go on, without saying with what, or to look at something.
    pub(super) fn goes_on_bare(&self) -> bool {
        let seen = sense(&self.text);
        let verb = seen.split_whitespace().next().unwrap_or("");
        BARE.is_match(&seen)
            || (!self.goes_on
                && LOOKS.is_match(&seen)
                && !announces_decision(verb, seen.strip_prefix(verb).unwrap_or("")))
    }
}

static_regex! {
    static LOOKS = r"^(?:look|check|see|explain|show|review|test|run|investigate|dig|elaborate|walk|list|read|verify|try|rerun|tell|help|pogledam|proverim|pokazem|objasnim|pokrenem|testiram)\b";
}

/// The proposal at the end of a reply.
pub(super) fn find(parts: &[Sentence]) -> Option<Proposal> {
    asked(parts).or_else(|| granted(parts))
}

/// `I'll cancel it on Monday, if that's fine with you`: agreement is asked for without a question.
fn granted(parts: &[Sentence]) -> Option<Proposal> {
    let last = parts.iter().rev().take(2).find(|part| may_ask(part) && GRANT.is_match(&part.seen))?;
    let found = GRANT.captures(&last.seen)?;
    let flips = UNLESS.is_match(&last.seen);
    let body = if let Some(rest) = found.get(1) {
        let skipped = words_before(&last.seen, rest.start());
        skip_words(&last.text, skipped).to_owned()
    } else {
        let words = found.get(2)?.as_str().word_count();
        last.text.split_whitespace().take(words).collect::<Vec<_>>().join(" ")
    };
    Some(Proposal { flips, ..Proposal::new(&suggestion(&body), true) })
}

fn asked(parts: &[Sentence]) -> Option<Proposal> {
    let from = parts.len().saturating_sub(LOOK_BACK);
    let (at, question) = parts
        .iter()
        .enumerate()
        .skip(from)
        .rev()
        .find(|(_, part)| may_ask(part) && part.text.ends_with('?'))?;
    // Something long after the question means that it was rhetorical.
    if parts.len() - at > 4 {
        return None;
    }
    let flips = FLIPS.is_match(&question.seen);
    of_question(parts, at, question).map(|proposal| Proposal { flips, ..proposal })
}

fn of_question(parts: &[Sentence], at: usize, question: &Sentence) -> Option<Proposal> {
    let seen = question.seen.as_str();
    let before =
        || at.checked_sub(1).and_then(|at| parts.get(at)).filter(|part| part.place != Place::Heading);
    if TAG.is_match(seen) {
        let statement = before()?;
        if statement.text.ends_with('?') {
            return of_question(parts, at - 1, statement);
        }
        return pointed_at(parts, at).map(|statement| Proposal::new(&suggestion(&statement.text), true));
    }
    // `We drop the ORM, ok?`
    if let Some((head, tail)) = question.text.rsplit_once([',', '-', '—'])
        && TAG.is_match(sense(tail).trim())
    {
        return Some(Proposal::new(&suggestion(head.trim()), true));
    }
    if let Some(found) = IS_FINE.captures(seen).or_else(|| IS_FINE_SR.captures(seen)) {
        let subject = found.get(1)?.as_str();
        if !subject.starts_with("you ")
            && !matches!(subject, "it" | "that" | "this" | "you" | "everything" | "to" | "ovo")
        {
            let skipped = seen.get(..found.get(1)?.start())?.word_count();
            let count = subject.word_count();
            let words: Vec<&str> =
                skip_words(&question.text, skipped).split_whitespace().take(count).collect();
            let tail = found.get(2).map_or("", |tail| tail.as_str().trim());
            let subject = format!("{} {tail}", words.join(" ")).trim().to_owned();
            let suggested =
                before().map(|part| part.seen.clone()).filter(|seen| SUGGEST.is_match(seen)).and(before());
            return Some(Proposal::new(
                &suggested.map_or(subject.clone(), |part| {
                    format!("{}, {subject}", suggestion(&part.text).trim_end_matches('.'))
                }),
                true,
            ));
        }
    }
    if let Some(found) = ASK.captures(seen).and_then(|found| found.get(1)) {
        let skipped = words_before(seen, found.start());
        let body = skip_words(&question.text, skipped);
        let proposal = Proposal::new(&first_half(body), false);
        // `I'd call it Fuse Box. Shall we keep that?`
        let seen_proposal = sense(&proposal.text);
        if (POINTS.is_match(&seen_proposal)
            || matches!(seen_proposal.as_str(), "proceed" | "go ahead" | "continue"))
            && let Some(suggested) = pointed_at(parts, at).filter(|part| SUGGEST.is_match(&part.seen))
        {
            return Some(Proposal::new(&suggestion(&suggested.text), true));
        }
        return Some(proposal);
    }
    if let Some(found) = ASK_SUBJECT.captures(seen).and_then(|found| found.get(1)) {
        let skipped = words_before(seen, found.start());
        let body = first_half(skip_words(&question.text, skipped));
        return Some(Proposal::new(&body.replacen(" be ", " is ", 1), false));
    }
    None
}

/// What a question for agreement points at: the nearest suggestion, else the nearest sentence that does not explain another.
fn pointed_at(parts: &[Sentence], at: usize) -> Option<&Sentence> {
    let before = || {
        parts
            .iter()
            .take(at)
            .rev()
            .take(4)
            .take_while(|part| part.place != Place::Heading && !part.text.ends_with('?'))
    };
    let nearest = before().next()?;
    if SUGGEST.is_match(&nearest.seen) || !EXPLAINS.is_match(&nearest.seen) {
        return Some(nearest);
    }
    before()
        .find(|part| SUGGEST.is_match(&part.seen))
        .or_else(|| before().find(|part| !EXPLAINS.is_match(&part.seen)))
        .or(Some(nearest))
}

/// The first of two halves: `continue with X, or would you like to stop` gives `continue with X`.
fn first_half(body: &str) -> String {
    let seen = sense(body);
    let Some(found) = OTHER_HALF.find(seen.trim_end_matches('?')) else { return body.to_owned() };
    let words = words_before(&seen, found.start());
    body.split_whitespace().take(words).collect::<Vec<_>>().join(" ")
}

/// A statement without the words that make it a suggestion.
pub(super) fn suggestion(text: &str) -> String {
    let seen = sense(text);
    match SUGGEST.captures(&seen).and_then(|found| found.get(1)) {
        Some(found) => {
            let skipped = words_before(&seen, found.start());
            skip_words(text, skipped).to_owned()
        }
        None => text.to_owned(),
    }
}
