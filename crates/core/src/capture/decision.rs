//! Decisions that a reply states by itself. The four tiers of seed 000 (marker, intent, bold, bullet) are the base;
//! they are applied to sentences instead of lines and joined by headings, conclusions, standing rules, tables and
//! withdrawals. A wrong capture is worse than a miss: questions, offers, plans to look, reports, hypotheses and other
//! people's words yield nothing (DESIGN 6.6, FAULTS C5-C7).

use super::lexicon::{
    announces_decision, is_change, is_serbian_change, is_serbian_intent, is_strong_change, starts_with_order,
};
use super::prose::{Place, Sentence, is_ornament, sentences};
use super::sense::{CountWords, sense, skip_words};
use super::walk::{Whole, stated_decisions};
use super::{label, settled, table};
use crate::text::pattern::static_regex;
use crate::text::{clip, scan};
use smallvec::SmallVec;
use std::cell::LazyCell;

/// Longest decision, in graphemes (API extractDecisionFromResponse).
pub const MAX_DECISION: usize = 200;

/// A short reply that says what stays has at most so many words.
const MAX_STANDING: usize = 6;

/// A sentence that states a decision, with what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stated {
    /// The words to keep.
    pub(super) text: String,
    /// How plainly it is stated: see [`tier`].
    pub(super) strength: u8,
    /// Its sentence's number.
    pub(super) at: usize,
}

/// Strengths, strongest first.
pub(super) mod tier {
    /// `Decision: X`, `We decided to X`.
    pub(crate) const MARKER: u8 = 100;
    /// The first sentence under a heading that says decision.
    pub(crate) const HEADING: u8 = 95;
    /// `So: X`, `So I'll X`, `Zato X`.
    pub(crate) const CONCLUSION: u8 = 90;
    /// `I'll X`, `Let's X`.
    pub(crate) const INTENT: u8 = 85;
    /// `The fix is to X`.
    pub(crate) const APPROACH: u8 = 80;
    /// `You picked B, so X`, `Weekly it is`.
    pub(crate) const AGREED: u8 = 78;
    /// `X stays`, `from now on X`, `I've replaced X`.
    pub(crate) const STANDING: u8 = 70;
    /// `**Use X**`.
    pub(crate) const BOLD: u8 = 60;
    /// A row of a table of answers, an order in a list.
    pub(crate) const LISTED: u8 = 50;
}

static_regex! {
    /// Verbs that say that a choice was made, with a first-person subject or none.
    static DECIDED = r"^(?:(?:so |and |but |then )?(?:i|we)(?:'ve| have|'re| are|'ll)?\s+(?:\w+ly\s+|all\s+|now\s+|both\s+|just\s+|also\s+|jointly\s+|then\s+|therefore\s+|thus\s+|hence\s+|instead\s+){0,2})?(?:decided|agreed|chose|chosen|opted|settled|settle|committed to|picked|picking|opting|choosing|selected|going with|going for|went with|sticking (?:with|to)|stick (?:with|to)|go with|standardi[sz]ing on|standardi[sz]e on|landed on|resolved to|rejected|ruled out)\b(.*)$";
    static DECIDED_SR = r"^(?:mi |ja |na kraju |ipak |konacno |zajedno )*(?:odlucil[aio] (?:smo|sam)|odlucujem\w*|dogovoril[aio] (?:smo|sam)|izabral[aio]? (?:smo|sam)|izabrao sam|odlucio sam|biram\w*|opredelil[aio] (?:smo|sam)|opredeljuje\w*|resil[aio] (?:smo|sam) da|resio sam da|idemo (?:na|sa|s)|idem (?:na|sa|s)|pala je odluka|odustaje\w* od|odustali smo od|ostajemo (?:na|pri|kod)|ostajem (?:na|pri|kod)|prelazi(?:mo|m) na)\b";
    /// `I'll`, `we're going to`, `let's`.
    static INTENT = r"(?:^|[,;:] (?:so |and |but |then )?| and | so |- )(?:(?:i|we)(?:'ll| will| shall|'m going to| am going to|'re going to| are going to|'m not going to| am not going to|'re not going to| are not going to|'d better| won't|'m gonna|'re gonna| gonna)|gonna|let's|let us)\s+((?:not|never|no longer|also|just|then|now|simply|instead|still|only|first|therefore|always|go ahead and|definitely|probably|both)\s+)*([a-z][a-z'-]*)(.*)$";
    /// `we're using X rather than Y`.
    static PROGRESSIVE = r"(?:^|, so )(?:i'm|we're|i am|we are)\s+((?:not|no longer|now|just|therefore|only)\s+)*([a-z-]+ing)\b(.*)$";
    static APPROACH = r"^(?:and |but )?(?:the|our|my)\s+(?:\w+\s+){0,2}(?:approach|plan|fix|solution|decision|answer|way forward|choice|rule|convention|pattern|policy|strategy|resolution|compromise|verdict|recommendation we follow|call)(?:\s+(?:(?:i|we|that we|to)\s+[a-z']+(?: with| on)?|here|now|then|for this|for now))?\s*(?:is|will be|remains|'s|:|is therefore|becomes)\s*:?\s+(?:to\s+)?(\S.*)$";
    static APPROACH_SR = r"^(?:nas |moj |nasa |moja )?(?:resenje|pristup|plan|odluka|pravilo|popravka|dogovor)(?: ovde| za sada)?\s+(?:je|ce biti|ostaje)(?:\s+da)?\s+(\S.*)$";
    /// `You picked B, so X`.
    static CHOSEN_SO = r"^(?:you|we|since you|as you|because you)(?:'ve| have|'d)?\s+(?:just\s+)?(?:picked|chose|wanted|want|prefer|preferred|asked|decided|said|confirmed|agreed|went|voted|selected|insisted)\b[^,;]{0,80}[,;]\s+(?:so|then|which means|hence|therefore)\s+(\S.*)$";
    static INSTEAD_WE = r"^(?:instead of|rather than|umesto)\s+[^,]{2,60},\s+(?:we|i)\s+([a-z']+)\b";
    /// What holds from now on.
    static STANDING = r"\b(?:from now on|going forward|from here on|stays?|remains?|no longer|goes away|go away|goes back|is gone|are gone|becomes?|wins|ostaje|ostaju|ubuduce|od sada|vise ne|vise se ne)\b";
    /// A cause or a time: what follows describes.
    static CAUSE = r"^(?:since|because|when|whenever|while|as long as|until|once|what|how|which|where|why|posto|kad|kada|dok|jer|sta|kako)\b";
    /// `we keep X`: the present tense of a decision, after words that conclude.
    static WE_PRESENT = r"^(?:we|i) (?:only |just |simply |now |therefore |do |will )*([a-z-]+)\b(.+)$";
    /// `..., so we go with X`, `..., but I have decided to X`.
    static LATE = r"(?:, (?:so|but|and|therefore|hence)|: )\s*((?:we|i)(?:'ve|'re| have| are)?\s+\S)";
    /// `Changed as you asked: X`.
    static DONE_LEAD = r"^(?:done|fixed|changed|updated|switched|applied|adjusted|gotovo|promenjeno)\b[^:.,]{0,30}[:,-]\s+(\S.*)$";
    static NOW = r"\b(?:now|by default|anymore|any more|instead|from now on|going forward|no longer|always|never|sada|ubuduce|podrazumevano|umesto)\b";
    static SHOULD_NOT = r"^(?:the|our|this|that)\s+(?:[\w-]+\s+){1,4}(?:should|must|shall|does|do|will)(?: not|n't)\s";
    /// `I've replaced X`, `zamenio sam X`.
    static DONE = r"^(?:i've|we've|i have|we have|i|we)\s+(?:now\s+|also\s+|just\s+|already\s+)*([a-z-]+)\b(.*)$";
    static DONE_SR = r"^(?:sada |vec |upravo )*([a-z]+(?:o|la|li)) (?:sam|smo)\b(.*)$";
    /// What was thought before and is told as history.
    static HISTORY = r"^(?:earlier|previously|originally|initially|at first|before(?:,| that)|until now|my (?:first|initial|original|earlier)|the (?:first|initial|original|old|earlier) (?:idea|plan|version|thought|proposal)|yesterday|last (?:week|time|month)|ranije|prvobitno|u pocetku|prvo sam|isprva|do sada|juce|pre toga|prosl\w+)\b";
    /// Not said as a decision: possibility, offer, condition, question in the clause.
    static HYPOTHESIS = r"\b(?:could|might|may|would|perhaps|maybe|possibly|if you(?:'d| would)?(?: like| want| prefer| wish| agree| are| think)?|if needed|let me know|feel free|happy to|not sure|i think we|i guess|i suppose|wondering|should (?:i|we|the|it)|shall (?:i|we)|i'd|we'd|can be|one (?:option|approach|way|possibility)|another (?:option|approach|way|possibility)|an alternative|alternatively|it depends|in theory|hypothetically|as far as i can tell|seems? to|looks like|appears to|mozda|mogl[aio] bi|mogao bi\w*|mogl[aio] bismo|bismo|bih|ako (?:zelis|hoces|zelite|hocete|zatreba|treba|budes)|mozemo (?:da|i)|moze (?:da|i)|mogu da|zavisi|predlazem|verovatno|nisam sigur\w*)\b|^(?:if|unless|ako|ukoliko|kada bi|kad bi)\b";
    static MONTH = r"\b(?:in|of|by|on|until|till|since|from|for|every|next|this|late|early|mid|before|after|to|\d+(?:st|nd|rd|th|\.)?) may\b|\bmay \d|\bmay[.,;:!]|\bmay$";
    /// Somebody else's words.
    static REPORTED = r"^(?:[a-z]{2}[a-tv-z]|[a-z]{4,}) (?:said|says|thinks|suggested|claims|claimed|told|mentioned|wrote|kaze|misli|tvrdi|predlaze|je rekao|je rekla|je predlozi\w+)\b|^(?:he|she|they|the (?:docs?|documentation|readme|spec|manual|article|blog|author|ticket|issue|vendor|customer|client|reviewer|team lead|other team)|according to|your (?:notes|message|colleague|boss)|[a-z]+:)\b.{0,60}\b(?:said|says|say|wrote|writes|states?|suggest\w*|propos\w*|recommend\w*|claims?|thinks?|wants?|wanted|asks?|asked|decided|agreed)\b|^(?:on|ona|oni|klijent|dokumentacija|kolega|autor)\s+(?:kaze|kazu|je rekao|je rekla|su rekli|predlaze|navodi|pise|misli|zeli|trazi)\b|^(?:you|ti|vi) (?:said|wrote|asked|mentioned|suggested|pomenuo|rekao|rekla|pises|kazes|napisao)\b[^,;]*$";
    /// Evidence and failure: a report, not a choice.
    static REPORT = r"\b(?:fails?|failed|failing|crash\w*|pass|passes|passed|passing|gone|returned|happens?|happened|broke|breaks|means|shows?|showed|prints?|printed|works?|bugs?|errors?|issues?|crash|warnings?|is (?:slow|fast|still|already|harmless|open|unclear|because|caused)|are (?:green|red|passing|failing)|was|were|errors?|exceptions?|it'll|you'll|they'll|you won't|prolaz\w+|pao|pala|pada|puca)\b";
    /// Headings under which nothing is decided.
    pub(super) static CLOSED_HEADING = r"\b(?:reject\w*|alternativ\w*|considered|options?$|questions?|example\w*|how to|usage|ideas?|suggestions?|opportunit\w*|proposals?|pros|cons|odbac\w+|pitanja|primer\w*|uputstvo|predlo\w+)\b";
    /// Headings of reports and plans: only a plain announcement counts under them.
    pub(super) static OTHER_HEADING = r"\b(?:context|background|open|todo|to do|next|remaining|risks?|problem|issue|cause|symptom\w*|status|test|result\w*|install\w*|steps|summary|notes?|consequences|what (?:changed|i (?:did|found))|done|completed|findings|observations|kontekst|otvoreno|koraci|pozadina|problem|uzrok|sledece|rezultat\w*)\b";
    /// Introductions of lists that hold steps for the reader, findings or history.
    static OTHER_INTRO = r"\b(?:you can|you could|you may|try|steps|to (?:reproduce|install|run|use|test|verify|start)|how|options?|alternatives?|could|might|questions?|before i|issues?|problems?|found|findings|what (?:happened|we know|i found|changed|i did|it does)|we know|remaining|todo|to do|next|still|later|ideas?|suggestions?|opportunit\w*|causes?|reasons?|summary of (?:the )?(?:changes|findings|results)|done|completed|changes|now (?:works|shows)|here's (?:how|what)|walkthrough|flow|works|example|output|log|mozes|pokusaj|koraci|pitanja|problemi|moguce|opcije|predlo\w+|preostalo|sledece|nasao|nasla|uradjeno)\b";
    /// `X -> Y` moves, as people list them.
    static BOLD_LABEL = r"^(?:summary|note|notes|tl;?dr|warning|important|result\w*|root cause|cause|problem|issue|context|background|status|test\w*|why|how|what|option|step|phase|bug|fix|update|question|example|done|todo|next|remaining|completed|before|after|pros|cons|risk\w*|impact|usage|rezime|napomena|uzrok|problem|upozorenje|opcija|korak|pitanje)\b";
    static PRONOUN_ONLY = r"^(?:it|that|this|so|them|those|these|to|for you|right away|now|next|there|here|the same|to|ovo|to je|tako)?(?:\s+(?:now|next|first|then|too|for you|right away|today|tomorrow|as well|instead|again|later|below|above|asap))*[.!]?$";
}

/// The decision that the reply states, at most 200 graphemes; `None` when it states none.
pub(super) fn stated_decision(reply: &str) -> Option<String> {
    let found = stated_decisions(&sentences(reply));
    let best = found.iter().max_by_key(|stated| (stated.strength, std::cmp::Reverse(stated.at)))?;
    Some(clip_decision(&best.text))
}

/// At most 200 graphemes, without a closing stop.
pub(super) fn clip_decision(text: &str) -> String {
    let trimmed = text.trim().trim_end_matches(['.', ';', ',', ':', ' ', '!']);
    clip::ellipsize(trimmed, MAX_DECISION).into_owned()
}

/// It is only possible, offered or asked. The month of May is not.
fn hypothesizes(seen: &str) -> bool {
    HYPOTHESIS.is_match(seen)
        && (!(seen.contains(" may") && MONTH.is_match(seen))
            || HYPOTHESIS.is_match(&MONTH.replace_all(seen, "")))
}

/// The decision that one sentence states by itself; `near_withdrawal`: right after something was taken back.
pub(super) fn stated_in(sentence: &Sentence, near_withdrawal: bool) -> Option<Stated> {
    let whole = Whole::default();
    View { sentence, at: 0, near_withdrawal, after_done: false, concludes: false, whole: &whole }.stated()
}

/// A sentence that says of itself that it is a decision.
pub(super) fn is_marked(seen: &str) -> bool {
    label::labelled(seen).is_some()
}

/// `Decision: X` and its relatives; also in headings and quotes.
pub(super) fn marked(sentence: &str, seen: &str, at: usize) -> Option<Stated> {
    // The last is how `→` begins.
    if !scan::holds_any(seen, b":-])\xE2") {
        return None;
    }
    let skipped = label::labelled(seen)?;
    let (text, rest) = (skip_words(sentence, skipped), skip_words(seen, skipped));
    if text.is_empty()
        || text.word_count() < 2 && (rest.len() < 4 || NOT_YET.is_match(rest))
        || text.ends_with('?')
        || text.starts_with('<')
        || only_looks(rest)
        || rest.starts_with('#')
    {
        return None;
    }
    Some(Stated { text: text.to_owned(), strength: tier::MARKER, at })
}

/// `Plan: check the logs`: it announces looking.
fn only_looks(rest: &str) -> bool {
    let first = rest.split_whitespace().next().unwrap_or("");
    let after = rest.strip_prefix(first).unwrap_or("");
    !announces_decision(first, after) && !is_change(first) || LOOK_SR.is_match(rest)
}

static_regex! {
    /// Serbian announcements of looking.
    static LOOK_SR = r"^(?:prvo |sada |odmah |cu |cemo |da )*(?:pogleda\w*|gleda\w*|proveri\w*|proverava\w*|vide\w+|vidi\w*|javi\w*|javlja\w*|istraz\w*|testira\w*|pokreni\w*|pokrenu\w*|pokrece\w*|procita\w*|analizira\w*|razmisli\w*|ispita\w*|probac?\w*|pokusa\w*|saceka\w*|ceka\w*|nastavlja\w*|nastavi\w*|objasni\w*)\b";
}

pub(super) struct View<'a> {
    pub(super) sentence: &'a Sentence,
    pub(super) at: usize,
    /// Right after something was taken back.
    pub(super) near_withdrawal: bool,
    /// Right after `Done.`.
    pub(super) after_done: bool,
    /// A handshake stands before it.
    pub(super) concludes: bool,
    pub(super) whole: &'a Whole<'a>,
}

impl View<'_> {
    fn seen(&self) -> &str {
        self.sentence.seen.as_str()
    }

    /// What the sentence states.
    pub(super) fn stated(&self) -> Option<Stated> {
        let (main, skipped, concluding) = self.sentence.seen.opened();
        if self.seen().ends_with('?') {
            return None;
        }
        if let Some(found) = marked(&self.sentence.text, self.seen(), self.at)
            .or_else(|| self.marked_after(skipped))
            .or_else(|| self.tagged())
        {
            return Some(found);
        }
        if self.sentence.place == Place::Quote
            || !self.sentence.heading.is_empty() && CLOSED_HEADING.is_match(&self.sentence.heading)
        {
            return None;
        }
        if self.sentence.place == Place::Row {
            return self.row();
        }
        let clause = clause(main);
        let item = self.sentence.place == Place::Item;
        if item && OTHER_INTRO.is_match(&self.sentence.intro) {
            return None;
        }
        let concluding = concluding || self.concludes;
        let Some(strength) = self.strength(main, clause, concluding, item) else {
            return self.told(main, clause, skipped, concluding);
        };
        if strength < tier::INTENT && OTHER_HEADING.is_match(&self.sentence.heading) {
            return None;
        }
        // What speaks against comes last: most sentences state nothing at all.
        if hypothesizes(clause)
            || hypothesizes(self.seen().split(',').next().unwrap_or(""))
            || HISTORY.is_match(main)
            || REPORTED.is_match(self.seen())
            || settled::by_mistake(main)
        {
            return None;
        }
        let text = skip_words(&self.sentence.text, skipped);
        Some(Stated { text: text.to_owned(), strength, at: self.at })
    }

    /// What is told as chosen, or concluded from a comparison, without any announcement.
    fn told(&self, main: &str, clause: &str, skipped: usize, concluding: bool) -> Option<Stated> {
        let (skip, words, strength) = self.told_at(main, clause, concluding)?;
        if OTHER_HEADING.is_match(&self.sentence.heading)
            || hypothesizes(clause)
            || HISTORY.is_match(main)
            || REPORTED.is_match(self.seen())
        {
            return None;
        }
        let rest = skip_words(&self.sentence.text, skipped + skip);
        let text = rest.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
        let text = text.trim_end_matches([' ', '-', '–', '—', ',']).to_owned();
        Some(Stated { text, strength, at: self.at })
    }

    /// Words to skip, words to take, and the strength.
    fn told_at(&self, main: &str, clause: &str, concluding: bool) -> Option<(usize, usize, u8)> {
        if let Some(skip) = settled::told_choice(main) {
            return Some((skip, usize::MAX, tier::CONCLUSION));
        }
        if let Some(bold) = &self.sentence.bold
            && label::names_decision(&sense(bold))
        {
            let label = bold.word_count();
            return (main.word_count() > label + 1).then_some((label, usize::MAX, tier::MARKER));
        }
        if let Some(words) = settled::names_it(main) {
            return Some((0, words, tier::AGREED));
        }
        if settled::deliberate(self.seen().trim_start_matches(is_ornament)).is_some() {
            let nominal = self.at == self.whole.last && main.word_count() <= 4;
            let settles = settled::settles(clause) || nominal && NOMINAL.is_match(main);
            return settles.then_some((0, usize::MAX, tier::CONCLUSION));
        }
        let compared = || self.whole.compared_before(self.at);
        if concluding && self.at == self.whole.last && compared() && settled::settles(clause) {
            return Some((0, usize::MAX, tier::AGREED));
        }
        if let Some(bold) = &self.sentence.bold
            && bold.word_count() >= 4
            && bold.word_count() + 6 >= main.word_count()
        {
            let seen = sense(bold);
            let says = settled::we_act(&seen) || compared() && settled::settles(&seen);
            if says && !BOLD_LABEL.is_match(&seen) && !REPORT.is_match(&seen) {
                let lead = main.word_count() - bold.word_count();
                return Some((lead, usize::MAX, tier::BOLD));
            }
        }
        if !self.whole.short || self.sentence.place != Place::Paragraph {
            return None;
        }
        let stays = main.word_count() <= MAX_STANDING && stands(clause) && !CAUSE.is_match(main);
        let acts = settled::short_choice(main)
            || (stays || settled::we_act(clause)) && !REPORT.is_match(clause)
            || self.whole.last == 0 && settled::bare_choice(self.seen());
        acts.then_some((0, usize::MAX, tier::STANDING))
    }

    fn tagged(&self) -> Option<Stated> {
        let text = label::tagged(self.sentence)?;
        Some(Stated { text, strength: tier::MARKER, at: self.at })
    }

    fn strength(&self, main: &str, clause: &str, concluding: bool, item: bool) -> Option<u8> {
        let raise = |strength: u8| if concluding { strength.max(tier::CONCLUSION) } else { strength };
        if DECIDED.captures(main).is_some_and(|found| decides(found.get(1).map_or("", |rest| rest.as_str())))
            || DECIDED_SR.is_match(main)
        {
            return Some(tier::MARKER);
        }
        if item && (self.sentence.checked == Some(true)) {
            return None;
        }
        let first_person = LazyCell::new(|| speaks(main));
        if let Some(found) = INTENT.captures(main).filter(|_| *first_person) {
            let verb = found.get(2).map_or("", |verb| verb.as_str());
            let rest = found.get(3).map_or("", |rest| rest.as_str()).trim();
            let verb_and_rest = (verb, rest);
            return (announces_decision(verb, rest)
                && !PRONOUN_ONLY.is_match(rest)
                && !only_promises(verb_and_rest))
            .then(|| raise(tier::INTENT));
        }
        if self.serbian_intent(main) {
            return Some(raise(if item { tier::LISTED } else { tier::INTENT }));
        }
        if let Some(rest) =
            APPROACH.captures(main).or_else(|| APPROACH_SR.captures(main)).and_then(|found| found.get(1))
        {
            let rest = rest.as_str();
            return (!only_looks(rest)
                && rest.word_count() >= 2
                && !rest.starts_with("that ")
                && !rest.starts_with("not "))
            .then(|| raise(tier::APPROACH));
        }
        if CHOSEN_SO.is_match(self.seen())
            || INSTEAD_WE.captures(self.seen()).is_some_and(|found| {
                found
                    .get(1)
                    .is_some_and(|verb| !matches!(verb.as_str(), "were" | "had" | "got" | "saw" | "could"))
            })
        {
            return Some(tier::AGREED);
        }
        if let Some(found) = PROGRESSIVE.captures(main).filter(|_| *first_person) {
            let verb = found.get(2).map_or("", |verb| verb.as_str());
            let rest = found.get(3).map_or("", |rest| rest.as_str());
            let settled = concluding
                || rest.contains("rather than")
                || rest.contains("instead")
                || is_strong_change(verb);
            if is_change(verb)
                && settled
                && !PRONOUN_ONLY.is_match(rest.trim())
                && !matches!(verb, "running" | "reading" | "getting" | "waiting" | "starting")
            {
                return Some(raise(72));
            }
        }
        let order = starts_with_order(main);
        if let Some(bold) = &self.sentence.bold
            && order
            && !BOLD_LABEL.is_match(&sense(bold))
            && bold.word_count() >= 2
        {
            return Some(tier::BOLD);
        }
        if item {
            let acts = settled::we_take(main);
            return (acts || order && !DONE.is_match(main)).then_some(tier::LISTED);
        }
        if let Some(found) = WE_PRESENT.captures(main)
            && (concluding || self.near_withdrawal)
        {
            let verb = found.get(1).map_or("", |verb| verb.as_str());
            let rest = found.get(2).map_or("", |rest| rest.as_str());
            if is_strong_change(verb)
                && !verb.ends_with("ing")
                && !verb.ends_with("ed")
                && !PRONOUN_ONLY.is_match(rest.trim())
            {
                return Some(tier::CONCLUSION);
            }
        }
        if let Some(found) = DONE.captures(main).filter(|_| *first_person) {
            let verb = found.get(1).map_or("", |verb| verb.as_str());
            let rest = found.get(2).map_or("", |rest| rest.as_str());
            let past = verb.ends_with("ed")
                || matches!(
                    verb,
                    "split" | "put" | "set" | "kept" | "made" | "cut" | "chose" | "rewrote" | "rewritten"
                );
            return (past
                && is_strong_change(verb)
                && rest.word_count() >= 2
                && !matches!(
                    verb,
                    "added" | "updated" | "fixed" | "started" | "documented" | "created" | "implemented"
                ))
            .then_some(tier::STANDING);
        }
        if let Some(found) = DONE_SR.captures(main) {
            let verb = found.get(1).map_or("", |verb| verb.as_str());
            return (is_serbian_change(verb)
                && found.get(2).is_some_and(|rest| rest.as_str().word_count() >= 2))
            .then_some(tier::STANDING);
        }
        if let Some(late) = LATE.captures(main).filter(|_| *first_person).and_then(|found| found.get(1)) {
            let late = main.get(late.start()..).unwrap_or("");
            let decided = DECIDED
                .captures(late)
                .is_some_and(|found| decides(found.get(1).map_or("", |rest| rest.as_str())));
            let keeps = WE_PRESENT
                .captures(late)
                .and_then(|found| found.get(1))
                .is_some_and(|verb| is_strong_change(verb.as_str()) && !verb.as_str().ends_with("ed"));
            if decided || keeps && main.contains(", so ") {
                return Some(if decided { tier::CONCLUSION } else { tier::AGREED });
            }
        }
        if let Some(rest) = DONE_LEAD.captures(main).and_then(|found| found.get(1))
            && NOW.is_match(rest.as_str())
            && rest.as_str().word_count() >= 4
        {
            return Some(tier::STANDING);
        }
        if REPORT.is_match(clause)
            || main.ends_with(':')
            || (CAUSE.is_match(main) && !ADDRESSED.is_match(self.seen()))
        {
            return None;
        }
        let acts = || has_action(clause, ADDRESSED.is_match(self.seen().split(',').next().unwrap_or("")));
        if concluding && (acts() || SHOULD_NOT.is_match(main)) {
            return Some(tier::CONCLUSION);
        }
        let settled = self.after_done && NOW.is_match(main) && main.word_count() >= 5;
        if self.near_withdrawal && acts() || settled {
            return Some(tier::STANDING);
        }
        if stands(clause) && main.word_count() >= 4 {
            return Some(tier::STANDING);
        }
        None
    }

    /// `Okay: Decision: X` after an opener.
    fn marked_after(&self, skipped: usize) -> Option<Stated> {
        if skipped == 0 {
            return None;
        }
        marked(skip_words(&self.sentence.text, skipped), skip_words(self.seen(), skipped), self.at)
    }

    fn serbian_intent(&self, main: &str) -> bool {
        let mut bare =
            main.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).peekable();
        let first = bare.peek().copied().unwrap_or("");
        let person = ["am", "em", "im"].iter().any(|ending| first.ends_with(ending));
        // All that is looked for below ends or begins so.
        if !person && first != "neka" && !scan::holds_pair(main, &[*b"mo", *b"cu", *b"aj"]) {
            return false;
        }
        let words: SmallVec<[&str; 32]> = bare.collect();
        if words.len() < 3 {
            return false;
        }
        let found = words.iter().take(12).any(|word| is_serbian_intent(word));
        let single = first.len() >= 5 && person && is_serbian_change(first);
        let future = words.windows(2).any(|pair| matches!(pair, [aux, verb] if matches!(*aux, "cu" | "cemo" | "necu" | "necemo") && is_serbian_change(verb)))
            || words.windows(3).any(|three| matches!(three, [aux, "da", verb] if matches!(*aux, "cu" | "cemo" | "hajde" | "ajde") && is_serbian_change(verb)))
            || matches!(words.as_slice(), ["hajde" | "ajde" | "neka", ..] if words.iter().any(|word| is_serbian_change(word)));
        (found || single || future) && !LOOK_SR.is_match(main) && !NARRATIVE_SR.is_match(main)
    }

    fn row(&self) -> Option<Stated> {
        let text = table::decided(self.sentence).filter(|text| !hypothesizes(&sense(text)))?;
        Some(Stated { text, strength: tier::LISTED, at: self.at })
    }

    /// May the sentence be what a decision heading announces?
    pub(super) fn under_heading(&self, quoted: bool) -> bool {
        !self.seen().ends_with('?')
            && !self.seen().ends_with(':')
            && !hypothesizes(clause(self.seen()))
            && (quoted || self.sentence.place != Place::Quote)
            && self.sentence.place != Place::Row
            && self.seen().word_count() >= 3
            && !only_looks(self.seen())
            && !HISTORY.is_match(self.seen())
            && self.sentence.checked != Some(true)
    }

    pub(super) fn whole(&self, strength: u8) -> Stated {
        let (_, skipped, _) = self.sentence.seen.opened();
        Stated { text: skip_words(&self.sentence.text, skipped).to_owned(), strength, at: self.at }
    }
}

static_regex! {
    /// The opener names what the person said: what follows answers it.
    static ADDRESSED = r"\b(?:you|your|tvoj\w*|vas\w*)\b";
    static STILL = r"\b(?:still|open question|unclear|question|remains? to|to be seen|problem|issue|the same)\b";
    static NARRATIVE_SR = r"\b(?:treba (?:jos )?(?:da )?(?:odluci\w*|izabere\w*|dogovori\w*|vidi\w*)|smo|sam|je bilo|su bili|bilo je|pre nego|dok)\b";
    static ACTION_END = r"\b(?:gets?|get) ([a-z-]+)\b";
    static NOT_YET = r"^(?:pending|open|unclear|unknown|none|tbd|n/a|below|above|done|fixed|yes|later|postponed|waiting|deferred|see|here)\b|^[#<`(\[{]";
    /// A thing and nothing said of it.
    static NOMINAL = r"^(?:the|a|an|our|both|neither|no|\d\S*)\b[^,;:]{2,40}$";
    static PROMISE = r"^(?:be|back|right|on it|happy|glad|sorry|good|there|here)\b";
}

/// `I'll be back`, `I'll get on it`.
fn only_promises((verb, rest): (&str, &str)) -> bool {
    verb == "be" && PROMISE.is_match(rest)
}

/// What follows `decided`: something, and not a reason why nothing was.
fn decides(rest: &str) -> bool {
    let rest = rest.trim().trim_start_matches(['.', ',', ':', '!']).trim();
    let words = rest.word_count();
    words >= 2
        && !settled::by_mistake(rest)
        && !rest.starts_with("yet")
        && !rest.starts_with("with you")
        && !rest.starts_with("whether")
        && !rest.starts_with("if ")
}

/// A present-tense verb of change after a subject, not in a report. `is stored` describes, unless it answers the person
/// (`addressed`).
fn has_action(clause: &str, addressed: bool) -> bool {
    let words: Vec<&str> = clause
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
        .collect();
    let passive = ACTION_END
        .captures(clause)
        .and_then(|found| found.get(1))
        .is_some_and(|verb| is_change(verb.as_str()));
    passive
        || words.iter().enumerate().skip(1).any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
            let noun = matches!(
                before,
                "the"
                    | "a"
                    | "an"
                    | "this"
                    | "that"
                    | "of"
                    | "our"
                    | "to"
                    | "in"
                    | "for"
                    | "with"
                    | "no"
                    | "each"
                    | "every"
            );
            is_strong_change(word)
                && !word.ends_with("ing")
                && (!word.ends_with("ed")
                    || (matches!(before, "be" | "get" | "gets")
                        || addressed && matches!(before, "is" | "are")))
                && !noun
        })
        || words
            .iter()
            .skip(1)
            .any(|word| is_serbian_intent(word) || word.len() >= 5 && is_serbian_change(word))
}

/// It says what holds from now on. What a description concludes, `..., so the counter stays`, was not chosen.
fn stands(clause: &str) -> bool {
    let told = || clause.split(", so ").next().unwrap_or(clause);
    STANDING.may_be_in(clause) && STANDING.is_match(told()) && !STILL.is_match(clause)
}

/// The speaker is named, or speaks for both: only then can an announcement follow.
fn speaks(main: &str) -> bool {
    main.split([' ', ',', ';', ':', '-']).any(|word| {
        matches!(word, "i" | "we" | "let" | "gonna")
            || word.starts_with("i'")
            || word.starts_with("we'")
            || word.starts_with("let'")
    })
}

/// The main clause: what stands before a reason or a further sentence.
fn clause(main: &str) -> &str {
    let end = CLAUSE_END.find_iter(main).map(|found| found.start()).find(|at| *at > 8);
    end.and_then(|end| main.get(..end)).unwrap_or(main)
}

static_regex! {
    static CLAUSE_END = r"; |,? because |,? since |, (?:which|as|so that|posto|tako da) | jer | zato sto ";
}
