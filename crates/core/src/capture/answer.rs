//! Decisions from the pair of a reply and the person's answer to it (DESIGN 6.6): an affirmed question, a choice among
//! options, an amendment; a refusal yields nothing unless it names the alternative.

use super::decision::{clip_decision, stated_decision, tier};
use super::lexicon::{names_nothing, starts_with_order};
use super::options::{self, Options};
use super::pick;
use super::proposal::{self, Proposal};
use super::prose::{Place, Sentence, sentences};
use super::sense::{CountWords, sense, skip_words, words_before};
use super::walk::stated_decisions;
use crate::text::pattern::static_regex;

/// Longer pieces of a refusal tell a story.
const MAX_ALTERNATIVE: usize = 12;
/// A time or a place at the end of a proposal has at most so many words.
const MAX_PHRASE: usize = 4;
/// Longer answers are new requests, not answers.
const MAX_ANSWER_WORDS: usize = 40;

static_regex! {
    /// Words that affirm, at the start of an answer.
    static YES = r"^(?:(?:(?:that|this|it)(?:'s| is| sounds| looks| would be) (?:fine|ok|okay|good|great|perfect|right)|it (?:does|is|would)|i do|we do|yes|yeah|yep|yup|ya|sure|ok|okay|k|kk|fine|agreed|agree|i agree|correct|right|exactly|absolutely|definitely|certainly|of course|please do|yes please|please|do it|do that|do so|go ahead|go for it|go|sounds good|sounds great|sounds right|works for me|that works|works|looks good(?: to me)?|looks great|lgtm|perfect|great|nice|cool|awesome|excellent|good|makes sense|ship it|proceed|approved|approve|deal|by all means|let's do (?:it|that|this)|let's go|fine by me|fine with me|ok with me|all good|y|yea|aye|affirmative|confirmed|thumbs up|good idea|good call|why not|love it|i like it|\+1|👍|✅|👌|da|moze|vazi|u redu|naravno|svakako|slazem se|slazemo se|tako je|uradi(?: to| tako)?|radi(?: to| tako)?|hajde|ajde|hajdemo|idemo|dogovoreno|odlicno|super|jasno|tacno|kreni|samo napred|neka bude|jeste|izvoli|prihvatam|potvrdjujem|odobreno|dobro|sjajno|bravo|zvuci dobro|ok je|moze tako|to je to|neka)\b?)(?:$|[\s,.!;:-]+)";
    static NO = r"^(?:(?:please|well|hm+|uh|god|hell|oh|ah|a|ma|pa|e)[\s,]+)?(?:no|nope|nah|not|don't|do not|never|stop|wait|hold on|hold off|cancel|later|rather not|skip (?:it|that|this)|leave it|forget it|i'd rather not|please don't|no thanks|negative|ne|nemoj(?:te|mo)?|nema potrebe|stani|cekaj|sacekaj|kasnije|pusti(?: to)?|nikako|jok|bolje ne|ni slucajno|odustani|zaustavi|preskoci(?: to)?|👎)(?:$|[\s,.!;:-]+)";
    /// `Any objections?` and `Mind if I X?` are affirmed by a no.
    static NO_IS_YES = r"^(?:no|none|nope|nah|not at all|no problem|no objections?|nema|ne|nikakvih)\b(?:[\s,.!]*(?:do it|go ahead|go for it|please do|samo napred|moze|all good|problem|objections?|none|from me|at all|not at all|uradi))*[\s.!]*$";
    static CONTINUE = r"^(?:(?:please |ok |okay |yes,? )?(?:continue|go on|keep going|carry on|proceed|next|resume|nastavi|nastavite|dalje|idi dalje|nastavljamo|keep at it|move on)(?: please| then| now)?)[\s.!]*$";
    static CONTINUE_END = r"(?:^|[\s,.;!])(?:continue|go on|keep going|proceed|carry on|nastavi|dalje)[.! ]*$";
    /// `but`, `except`, `only`: what follows changes the proposal.
    static BUT = r"^(?:but|except|only|just|with|without|ali|samo|osim|s tim da|bez|sa|uz)\b";
    static ALTERNATIVE = r"^(?:(?:i'd |i would |we'd |we should |please |just |then |rather |let's |let us |instead,? |bolje |radije |nego |vec |ipak |onda |samo |hajde |molim te )*)(use|keep|go with|go for|take|pick|choose|make|set|call|name|stick (?:with|to)|leave|drop|skip|prefer|switch to|put|store|stay (?:with|on|at)|remove|retry|limit|rather|do only|koristi\w*|zadrzi\w*|zadrzimo|drzi\w*|uzmi\w*|uzecemo|izaberi\w*|stavi\w*|nazovi\w*|ostani\w*|ostanimo|ostavi\w*|ostavljamo|preskoci\w*|izbaci\w*|prebaci\w*|ogranici\w*|podesi\w*|neka)\b\s*(.*)$";
    /// `for new users`: it says where or when.
    static LIMITS = r"^(?:for|on|in|at|from|after|before|until|by|za|u|na|posle|pre|do|od|kad|when|once)\s+\S";
    static LIMITS_NOTHING = r"^(?:for (?:sure|now|me|that|the record)|in (?:fact|general|that case)|at (?:once|last|least)|on (?:it|that)|by all means|na zalost|za sada|od mene|u redu)\b|^\S+ (?:it|that|this|me|us|you|i|we)\b";
    /// The alternative with words that say that it is one.
    static INSTEAD = r"^(?:(?:but|ali|then|onda|maybe)\s+)?(\S.*?),? (?:instead|umesto toga|would be (?:better|nicer|best)|is (?:better|nicer|best)|je bolj[aei]|bi bil[aoi] bolj[aei])[.!]*$|^(?:rather|instead|better|preferably|bolje|radije|umesto toga|nego|vec)[,:]?\s+(\S.*)$|^(?:i'd|i would|we'd)\s+(?:rather|prefer(?: to)?|like to)\s+(\S.*)$";
    /// A part of a sentence up to a mark with a blank behind it, or to a dash.
    static PIECE = r"(?:[^,;.—-]|[,;.-]\S)+";
    /// What is not so is no alternative.
    static NEGATES = r"\b(?:not|no|never|nije|nisu|nema|nece|necu|necemo|ne)\b|n't\b";
    static NO_ALTERNATIVE = r"^(?:later|sorry|stop|wait|kasnije|not|no|ne|leave it|wait|something|nothing|nista|the way|how it|kako)\b";
    /// `do it on Monday`.
    static DO_IT = r"^(?:do|make|have|schedule|set|put|uradi|uradimo) (?:it|that|this|them|to) ((?:in|on|at|to|by|for|with|from|until|before|after|u|na|za|sa|do|kod|posle|pre|od)\b.*)$";
    /// Prepositions of place: one takes the place of another.
    static PLACE = r"^(?:in|on|at|to|over|under|above|behind|near|between|u|na|kod|ispod|iznad|iza|pored|izmedju)$";
    static POLITE_NAME = r"^(?:the )?[\w'.-]+(?: [\w'.-]+)?,? (?:please|molim(?: te)?)[.!]?$";
    static PHRASE = r"^(in|on|at|to|by|for|with|from|until|before|after|under|over|above|behind|near|between|as|u|na|za|sa|do|kod|posle|pre|od|ispod|iznad|iza|pored|izmedju)\s+\S+(?:\s+\S+){0,3}$";
    static POLITE_END = r"(?i)[\s,]*(?:please|thanks|molim(?: te)?|hvala|then|instead)?[\s.!]*$";
    /// A comment that changes the proposal: in its middle or at its end.
    static MID_BUT = r"(?:^|[\s,;-])(?:but|except|only|just not|as long as|provided|ali|samo|osim|s tim da|pod uslovom)\s+\S";
    /// A clause that changes nothing: it is about the person.
    static BUT_NOTHING = r"^(?:but|ali|only|samo) (?:i (?:don't|have|am|will|think|can't)|i'm|it's|to je|ja|nemam|why|that's|thanks)\b";
    static CHANGES = r"\b(?:though|tho|instead|rather|however|is enough|are enough|will do|is plenty|suffices?|dovoljno|je dosta|umesto|ipak)\b";
    /// A pronoun and nothing else: it names nothing.
    static EMPTY_OBJECT = r"^(?:not|not to|it|that|this|them|everything|all|to|ovo|sve|tako|as is|it as is|things)?(?:\s+(?:as (?:it )?is|as it was|for now|alone|be|off|out|kako (?:je|jeste|je bilo)|za sada|na miru|then|please|instead|now|later|there|to|way|bude|tako))*[.!]?$";
    static WEAK_ORDER = r"^\S+ (?:it|that|this|these|those|them|ovo|to)(?: (?:up|too|as well|now|please|then|out|off|also|first))*[.!]?$";
    /// It starts work.
    static STARTS = r"^(?:start|begin|continue|proceed|resume|kick off|go on) (?:with |to |on )?(?:the |on )?[a-z`]+ing\b|^(?:start|begin|continue|proceed with|resume|zapocni\w*|pocni\w*|nastavi\w*) \S";
    static ASKS = r"\?\s*$|^(?:what|why|how|when|where|who|which|can you|could you|would you|do you|does|is|are|did|isn't|should|show|explain|sta|zasto|kako|kada|gde|ko|koliko|koji|koja|koje|da li|je l|jel|mozes li|a sta)\b";
    static STATES = r"^(?:i|we|ja|mi|nadam|hope|hvala|thanks|thank)\b";
    static NUMBER = r"\d[\d.,:]*\w*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|jedan|jednom|dva|dvaput|tri|cetiri|pet|sest|sedam|osam|devet|deset)\b";
}

/// The decision in a reply, and in the person's answer to it where there is one; at most 200 graphemes. API
/// `extractDecisionFromResponse`. Without an answer the reply must state the decision itself.
pub fn extract_decision(reply: &str, user_reply: Option<&str>) -> Option<String> {
    match user_reply.map(str::trim).filter(|answer| !answer.is_empty()) {
        None => stated_decision(reply),
        Some(answer) => decided(reply, answer).map(|text| clip_decision(&text)),
    }
}

fn decided(reply: &str, answer: &str) -> Option<String> {
    if answer.word_count() > MAX_ANSWER_WORDS {
        return None;
    }
    let seen = sense(answer);
    let parts = sentences(reply);
    let proposal = proposal::find(&parts);
    let options = options::find(&parts);
    if let Some(choice) = pick::choose(&options, &seen) {
        return Some(chosen(&choice, proposal.as_ref(), answer));
    }
    if CONTINUE.is_match(&seen) {
        return proposal
            .filter(|proposal| proposal.goes_on && proposal.has_content())
            .map(|proposal| proposal.text);
    }
    if proposal.as_ref().is_some_and(|proposal| proposal.flips) && NO_IS_YES.is_match(&seen) {
        return proposal.filter(Proposal::has_content).map(|proposal| proposal.text);
    }
    if let Some(found) = NO.find(&seen) {
        return refusal(answer, &seen, found.end(), proposal.as_ref());
    }
    if ASKS.is_match(&seen) {
        return None;
    }
    let (agreed, rest) = agree(answer, &seen);
    if agreed {
        return affirmed(&parts, proposal, &options, &rest);
    }
    unaffirmed(proposal, answer, &seen)
}

/// Takes words of agreement off the front: whether there were any, and what is left of the answer.
fn agree(answer: &str, seen: &str) -> (bool, String) {
    let mut rest = seen.trim();
    let mut agreed = false;
    while let Some(found) = YES.find(rest) {
        agreed = true;
        rest = rest.get(found.end()..).unwrap_or("").trim_start();
    }
    let taken = seen.word_count() - rest.word_count();
    (agreed, skip_words(answer, taken).to_owned())
}

fn affirmed(parts: &[Sentence], proposal: Option<Proposal>, options: &Options, rest: &str) -> Option<String> {
    let seen = sense(rest);
    let Some(proposal) = proposal else {
        let directive = directive(rest, &seen);
        return directive.or_else(|| if seen.is_empty() { approved_statement(parts) } else { None });
    };
    if seen.is_empty() {
        let unanswered = options.from_question && options.items.len() > 1;
        return (proposal.has_content() && !unanswered && !proposal.goes_on_bare()).then_some(proposal.text);
    }
    if ASKS.is_match(&seen) {
        return None;
    }
    if LIMITS.is_match(&seen) && seen.word_count() <= MAX_PHRASE + 2 && !LIMITS_NOTHING.is_match(&seen) {
        let changed = phrase(rest, &proposal);
        return proposal.has_content().then(|| {
            changed.filter(|changed| *changed != rest).unwrap_or_else(|| amended(&proposal.text, rest, &seen))
        });
    }
    if BUT.is_match(&seen) {
        return proposal.has_content().then(|| amended(&proposal.text, rest, &seen));
    }
    let (order, order_seen) = first_sentence(rest);
    if let Some(order) = directive(order, &order_seen)
        .or_else(|| starts_with_order(&order_seen).then(|| order.trim().to_owned()))
    {
        let named = !WEAK_ORDER.is_match(&sense(&order));
        return Some(if !named {
            return proposal.has_content().then_some(proposal.text);
        } else if proposal.has_content() && !proposal.goes_on_bare() {
            joined(&proposal.text, &order)
        } else {
            order
        });
    }
    if seen.word_count() <= MAX_ALTERNATIVE + 8 && proposal.has_content() && !options.from_question {
        if let Some(found) = MID_BUT.find(&seen).filter(|found| found.start() > 0) {
            let before = words_before(&seen, found.start());
            let change = skip_words(rest, before);
            let seen = sense(change);
            let says = !BUT_NOTHING.is_match(&seen) && !ASKS.is_match(&seen);
            return Some(if says { amended(&proposal.text, change, &seen) } else { proposal.text });
        }
        if CHANGES.is_match(&seen) && NUMBER.is_match(&seen) {
            return Some(amended(&proposal.text, rest, &seen));
        }
    }
    if STATES.is_match(&seen) {
        return None;
    }
    let comment = !starts_like_new_request(&seen);
    (comment && proposal.has_content() && !options.from_question && !proposal.goes_on_bare())
        .then_some(proposal.text)
}

/// The proposal and the order, unless one says the other already.
fn joined(proposal: &str, order: &str) -> String {
    let bare = |text: &str| {
        let seen = sense(text);
        seen.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
    };
    let (one, two) = (bare(proposal), bare(order));
    if one.contains(&two) {
        proposal.to_owned()
    } else if two.contains(&one) {
        order.to_owned()
    } else {
        format!("{proposal}; {order}")
    }
}

/// An order is one sentence: what follows it is a further request.
fn first_sentence(text: &str) -> (&str, String) {
    let first = crate::text::sentences(text).first().copied().unwrap_or(text);
    (first, sense(first))
}

/// `ok` to a reply that states a decision by a marker or in a sentence of decision.
fn approved_statement(parts: &[Sentence]) -> Option<String> {
    let last = stated_decisions(parts).into_iter().rfind(|stated| stated.strength >= tier::HEADING)?;
    Some(last.text)
}

fn starts_like_new_request(seen: &str) -> bool {
    seen.word_count() > 12
}

fn refusal(answer: &str, seen: &str, end: usize, proposal: Option<&Proposal>) -> Option<String> {
    let mut rest = seen.get(end..).unwrap_or("").trim_start();
    while let Some(found) = NO.find(rest) {
        rest = rest.get(found.end()..).unwrap_or("").trim_start();
    }
    let taken = seen.word_count() - rest.word_count();
    let words = skip_words(answer, taken);
    // What stands after a full stop or a comma may name the alternative; a comma within a number ends nothing.
    let mut pieces: Vec<&str> = Vec::new();
    for sentence in crate::text::sentences(words) {
        pieces.push(sentence);
        pieces.extend(PIECE.find_iter(sentence).map(|piece| piece.as_str()));
    }
    let pieces = || pieces.iter().map(|piece| piece.trim_matches([',', ';', '.', '-', '—', ' ']));
    pieces()
        .find_map(|piece| directive(piece, &sense(piece)))
        .or_else(|| pieces().find_map(|piece| alternative(piece, proposal)))
}

/// What else than an order names the alternative to a proposal: `the linen ones instead`, `12 px please`, `in April`, or the
/// verb of the proposal with another object.
fn alternative(piece: &str, proposal: Option<&Proposal>) -> Option<String> {
    let seen = sense(piece);
    let words = seen.word_count();
    if NEGATES.is_match(&seen) {
        return None;
    }
    if POLITE_NAME.is_match(&seen) && !EMPTY_OBJECT.is_match(&seen) && !NO_ALTERNATIVE.is_match(&seen) {
        let plain = POLITE_END.replace(piece, "");
        let number = proposal.and_then(|proposal| substituted(&proposal.text, &plain));
        return number.or_else(|| Some(piece.trim().trim_end_matches(['.', '!', ',']).to_owned()));
    }
    if words > MAX_ALTERNATIVE || ASKS.is_match(&seen) || STATES.is_match(&seen) || names_nothing(&seen) {
        return None;
    }
    let bare = |text: &str| text.trim().trim_end_matches(['.', '!', ',']).to_owned();
    if let Some(found) = DO_IT.captures(&seen).and_then(|found| found.get(1)) {
        let skipped = words_before(&seen, found.start());
        return phrase(skip_words(piece, skipped), proposal?);
    }
    if let Some(found) = INSTEAD.captures(&seen) {
        let name = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3))?;
        let before = words_before(&seen, name.start());
        let count = name.as_str().word_count();
        let text: Vec<&str> = piece.split_whitespace().skip(before).take(count).collect();
        let text = bare(&text.join(" "));
        let empty = EMPTY_OBJECT.is_match(&sense(&text)) || NO_ALTERNATIVE.is_match(&sense(&text));
        return (!empty).then_some(text);
    }
    if words >= 2 && starts_with_order(&seen) {
        return Some(bare(piece));
    }
    let proposal = proposal.filter(|proposal| proposal.has_content())?;
    let proposed = sense(&proposal.text);
    let verb = proposed.split_whitespace().next()?;
    let same = |word: &str| verb.len() >= 3 && pick::inflected(word, verb);
    if words >= 2 && seen.split_whitespace().next().is_some_and(same) {
        return Some(bare(piece));
    }
    phrase(piece, proposal).or_else(|| {
        let plain = POLITE_END.replace(piece, "");
        (words <= 5 && NUMBER.is_match(&seen)).then(|| substituted(&proposal.text, &plain)).flatten()
    })
}

/// `in April` to `start in March`: the same preposition, another time or place.
fn phrase(piece: &str, proposal: &Proposal) -> Option<String> {
    let plain = POLITE_END.replace(piece, "");
    let seen = sense(&plain);
    let found = PHRASE.captures(&seen)?.get(1)?;
    let proposed = sense(&proposal.text);
    let Some(at) = proposed.split_whitespace().position(|word| word == found.as_str()) else {
        let other = proposed.split_whitespace().rev().take(MAX_PHRASE + 1).any(|word| PLACE.is_match(word));
        return (other && PLACE.is_match(found.as_str())).then(|| plain.into_owned());
    };
    let all: Vec<&str> = proposal.text.split_whitespace().collect();
    let ends = all.len() - at <= MAX_PHRASE;
    Some(if ends { format!("{} {plain}", all.get(..at)?.join(" ")) } else { plain.into_owned() })
}

/// An order that names what to do instead.
fn directive(text: &str, seen: &str) -> Option<String> {
    let found = ALTERNATIVE.captures(seen)?;
    let object = found.get(2)?.as_str().trim();
    if object.is_empty() || EMPTY_OBJECT.is_match(object) || names_nothing(seen) || ASKS.is_match(seen) {
        return None;
    }
    Some(text.trim().trim_end_matches(['.', '!']).to_owned())
}

/// The proposal with the change: a number takes the place of a number, all else is added.
fn amended(text: &str, rest: &str, seen: &str) -> String {
    let change = BUT
        .find(seen)
        .filter(|found| matches!(found.as_str(), "but" | "ali" | "just" | "only" | "samo"))
        .map(|_| skip_words(rest, 1));
    if let Some(change) = change
        && let Some(replaced) = substituted(text, change)
    {
        return replaced;
    }
    format!("{}, {}", text.trim_end_matches(['.', '!']), rest.trim().trim_end_matches(['.', '!']))
}

/// `set the budget to 1200 tokens` and `800` give `set the budget to 800 tokens`.
fn substituted(text: &str, change: &str) -> Option<String> {
    let change = change.trim().trim_end_matches(['.', '!']);
    let seen_change = sense(change);
    let new = NUMBER.find(&seen_change)?;
    let seen = sense(text);
    let old = NUMBER.find(&seen)?;
    let word_at = |seen: &str, at: usize| words_before(seen, at);
    let (old_word, new_word) = (word_at(&seen, old.start()), word_at(&seen_change, new.start()));
    if new_word > 2 || starts_with_order(&seen_change) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let head = words.get(..old_word)?.join(" ");
    let fragment = skip_words(change, new_word);
    if fragment.word_count() == 1 {
        let tail = words.get(old_word + 1..)?.join(" ");
        return Some(format!("{head} {fragment} {tail}").trim().to_owned());
    }
    Some(format!("{head} {fragment}").trim().to_owned())
}

fn unaffirmed(proposal: Option<Proposal>, answer: &str, seen: &str) -> Option<String> {
    let (first, first_seen) = first_sentence(answer);
    if let Some(order) = directive(first, &first_seen) {
        return Some(order);
    }
    let proposal = proposal?;
    // `Shall I move it?` - `move it`
    let words: Vec<&str> =
        seen.split_whitespace().map(|word| word.trim_end_matches(['.', '!', ','])).collect();
    let verb = sense(&proposal.text).split_whitespace().next().unwrap_or("").to_owned();
    if words.len() <= 3
        && verb.len() >= 4
        && words.first().is_some_and(|first| pick::inflected(first, &verb))
        && words
            .iter()
            .skip(1)
            .all(|word| matches!(*word, "it" | "them" | "that" | "please" | "ga" | "ih" | "to" | "molim"))
    {
        return proposal.has_content().then_some(proposal.text);
    }
    // `i reviewed it, it's good. continue`
    if CONTINUE_END.is_match(seen) && seen.word_count() <= 16 && proposal.has_content() && proposal.goes_on {
        return Some(proposal.text);
    }
    let short = seen.word_count() <= 6;
    if short && proposal.asks_agreement && NUMBER.is_match(seen) && !STATES.is_match(seen) {
        return substituted(&proposal.text, answer);
    }
    None
}

fn chosen(choice: &options::Choice, proposal: Option<&Proposal>, answer: &str) -> String {
    let text = match (&choice.frame, proposal) {
        (Some(frame), _) => format!("{frame} {}", choice.text),
        _ => choice.text.clone(),
    };
    let rest = skip_words(answer, choice.words);
    let seen = sense(rest);
    if BUT.is_match(&seen) { amended(&text, rest, &seen) } else { text }
}

/// The decision is to go on with work: it is a task.
pub(super) fn goes_on(decided: &str) -> bool {
    !decided.contains("; ") && (starts(decided) || proposal::GOES_ON.is_match(&sense(decided)))
}

/// It starts work, or goes on with it, and does not say how far.
pub(super) fn starts(text: &str) -> bool {
    STARTS.is_match(&sense(text))
}

/// A quote or a heading asks nothing.
pub(super) fn may_ask(sentence: &Sentence) -> bool {
    !matches!(sentence.place, Place::Quote | Place::Heading | Place::Row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(reply: &str, answer: &str) -> Option<String> {
        extract_decision(reply, Some(answer))
    }

    #[test]
    fn agreement_reaches_the_suggestion_behind_its_reason() {
        for (reply, answer, decision) in [
            (
                "I'd tie the boat to the north pier. That keeps it out of the wind. OK?",
                "ok",
                "tie the boat to the north pier",
            ),
            (
                "For the log I'd suggest a red cover. It is easy to find. Do we keep that?",
                "yes, keep it",
                "a red cover",
            ),
            ("Predlažem da krenemo u pet. Tada nema gužve. Može?", "može", "krenemo u pet"),
            (
                "Unless you object, the old oars go to the school.",
                "no objections",
                "the old oars go to the school",
            ),
            ("Then I'll cancel the ferry, if that's fine with you.", "that's fine", "cancel the ferry"),
            ("Da opremim čamac za zimu?", "opremi", "opremim čamac za zimu"),
        ] {
            assert_eq!(answered(reply, answer).as_deref(), Some(decision), "{reply}");
        }
    }

    #[test]
    fn an_answer_changes_a_number_a_time_or_the_scope() {
        for (reply, answer, part) in [
            ("Shall I order two ropes?", "good idea, one rope is enough though", "one"),
            ("Shall I paint all doors?", "sure, for the ground floor", "for the ground floor"),
            ("Can I move the class to Friday at 9?", "yes, at 10", "at 10"),
            (
                "Should I mail the photos to everyone?",
                "looks good but without the blurry ones",
                "without the blurry ones",
            ),
        ] {
            let got = answered(reply, answer).unwrap_or_default();
            assert!(got.contains(part), "{got:?} for {answer}");
        }
    }

    #[test]
    fn a_refusal_is_read_in_sentences_and_numbers_stay_whole() {
        let asked = "Shall I put the new oars into order 2.0?";
        for (answer, decision) in [
            ("No, that is not for 2.0. Leave it for later.", None),
            ("Не, то није за 2.0. Остави за касније.", None),
            ("No, put them into order 2.1. Thanks.", Some("put them into order 2.1")),
            ("Ne, stavi ih u 3,5 metara dugu kutiju. Hvala.", Some("stavi ih u 3,5 metara dugu kutiju")),
            ("no - use the old pair", Some("use the old pair")),
        ] {
            assert_eq!(answered(asked, answer).as_deref(), decision, "{answer}");
        }
    }

    #[test]
    fn a_refusal_yields_only_the_alternative_that_it_names() {
        for (reply, answer, decision) in [
            ("Should we start the course in March?", "no, in April", "start the course in April"),
            ("Shall I book the cabin?", "no, book the tent site", "book the tent site"),
            ("I'd set the alarm to 6. OK?", "nope, 7 please", "set the alarm to 7"),
            ("Da kupim karte za petak?", "ne, kupi za nedelju", "kupi za nedelju"),
            ("Shall I use the old sail?", "nah. The new one is better", "The new one"),
        ] {
            assert_eq!(answered(reply, answer).as_deref(), Some(decision), "{answer}");
        }
        for answer in
            ["no", "god no", "please leave it", "ma ne", "not worth it", "later please", "i would rather not"]
        {
            assert_eq!(answered("Shall I repaint the boat?", answer), None, "{answer}");
        }
    }
}
