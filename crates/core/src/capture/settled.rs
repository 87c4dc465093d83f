//! Sentences that tell a choice without announcing it: `after a long talk we chose X`, `X was picked for Y`, `Friday it is`,
//! `Keeping the old logo`, and what the end of a comparison says in plain present tense (`the index lives in SQLite`).

use super::lexicon::{is_change, is_look, is_strong_change};
use super::sense::{CountWords, words_before};
use crate::text::pattern::static_regex;

/// A sentence of more words is no short answer.
const SHORT: usize = 9;

static_regex! {
    /// A word without which no choice is told; plain words are found fast.
    static TOLD_CUE = r"decided|agreed|chose|opted|settled|picked|landed on|went |ended up|committed|resolved|selected|voted|fell on|falls on|goes to|the (?:nod|job|contract|vote|slot|bid|deal|spot|part|role)|is for|odluc|izabra|dogovor|opredel|odabra|resil|reseno|ostal|presl|odusta|izbor|usvoj|zakljuc";
    /// `we settled on X`, anywhere.
    static WE_CHOSE = r"\b(?:we|i|(?:the|our|my) (?:team|group|board|committee|jury|band|choir|family|class|crew))(?: met (?:\w+ )?and)?(?:'ve| has| have|'d| had)? (?:finally |then |all |both |just |now |eventually |jointly |unanimously |ultimately |simply |decidedly )*(?:decided|agreed|chose|chosen|opted|settled (?:on|for)|picked|landed on|went (?:with|for)|ended up (?:with|using|going|keeping|choosing|picking|taking)|committed to|resolved to|selected|voted (?:for|to))\b(.*)$";
    static WE_CHOSE_SR = r"\b(?:(?:odlucil|izabral|dogovoril|opredelil|odabral|resil)[aio] (?:smo|sam)(?: se)?|(?:odlucio|izabrao|odabrao) sam|(?:smo|sam) (?:se )?(?:na kraju |ipak |zajedno |konacno )?(?:odlucil[aio]|odlucio|izabral[aio]|izabrao|dogovoril[aio]|opredelil[aio]|odabral[aio]|odabrao|resil[aio] da|ostal[aio] (?:na|pri|kod)|presl[aio] na|odustal[aio] od))\b(.*)$";
    /// Words that such a sentence may start with: circumstances, not other people's talk.
    static CIRCUMSTANCE = r"^(?:after|having|since|because|with|without|given|on|in|at|during|as|when|once|following|for|to|by|yesterday|today|tonight|this|while|although|though|even|between|of|from|until|per|later|meanwhile|then|finally|eventually|considering|despite|instead|together|all|both|posle|nakon|na|u|za|kad|kada|posto|zbog|od|pri|juce|danas|sinoc|tokom|zajedno|ipak|onda|umesto|konacno|iako|posle)\b";
    /// What the choice is for: it belongs to the choice.
    static TOPIC = r"^(?:for|on|in|regarding|as for|as|za|u|oko|kao)\b(?: [\w'-]+){1,5},?$";
    static LINKED = r"(?:, (?:so|and|but|therefore|hence|then|pa|te|a|i|ali)|;| and)$";
    static TOLD = r"\b(?:that|whether|how|why|what|which|if|you|he|she|they|said|says|mentioned|thought|think|believe|remember|sure|claims?|da li|kaze|kazu|rekao|rekla|mislim|ako|ti)\b";
    static LONG_AGO = r"\b(?:ago|last (?:year|month|week|summer|winter|spring|autumn)|(?:in|since|until) (?:19|20)\d\d|back (?:in|then|when)|originally|at the time|in those days|years|pre \w+ (?:godin\w+|mesec\w*)|prosl\w+|davno|ranije|nekad\w*)\b";
    static NOTHING = r"^\s*(?:nothing|neither|none|yet|to (?:wait|think|look|check|ask|postpone|discuss|talk|meet|sleep)|nista|nijed\w+)";
    static PASSIVE = r"^(?:the |a |an |our )?[^,;:]{2,70}? (?:was|were|is|are|has been|have been|got|gets) (?:now |finally |then |unanimously |clearly )?(?:chosen|picked|selected|agreed(?: on| upon)?|settled(?: on)?|voted in)\b";
    static IT_WAS = r"^(?:it|this) (?:was|is|has been|'s been) (?:then |now |finally |unanimously |hereby |also )?(?:agreed|decided|settled|resolved)(?: that)? (\S.*)$|^(?:odluceno|dogovoreno|zakljuceno|usvojeno|reseno) je(?: da)? (\S.*)$";
    static FELL_ON = r"^(?:the|our|my) (?:final |last )?(?:choice|vote|pick|decision|lot|vibe vote) (?:fell on|went to|goes to|falls on|is for|went for|landed on)\b|^(?:na kraju )?(?:je )?izbor (?:je )?pao na\b|^[^,;:]{2,60} (?:gets|got|takes|took|won|wins|has won) the (?:nod|job|contract|vote|slot|bid|deal|spot|part|role)\b|^(?:izabran|odabran|usvojen)[aoi]? (?:je|su) \S";
    static BY_OTHERS = r"\bby (?:the|a|an|his|her|their|previous|some|somebody|someone|default)\b|\b(?:bug|error|wrong|never|not|n't)\b";
    /// `Friday it is`.
    static IT_IS = r"^(?:then |so |ok |okay |right |fine |alright |well )*((?:[^,.;:!?]|\d[.:,]\d){2,60}? it is)(?:[,.;!:]|$| -| then| for| and| since| because| as | from| until| with)";
    /// After `it is` comes why, or something else.
    static REASON = r"^(?: -|[;:.!]|,? (?:since|because|as|so|i|we|and (?:i|we)|but|which)\b)";
    static NO_NAME = r"^(?:the [a-z]+er|the more|the less|whatever|however|i|we|you|he|she|they|what|how|where|who|which|when|if|as|because|since|though|although|while|there|here|that|this|and|but|or|not|no|maybe|perhaps|yes)\b|\b(?:know|see|seen|think|say|says|said|what|how|where|who|which|whatever|because|since|if|when|than|guess|sure|unclear|wherever|after|before|once|until|whether|while)\b";
    /// `So it's the walnut top, then`; `neka bude utorak`.
    static ITS = r"^(?:so |ok |okay |right |well |and |all right )*(?:it's|it is|that makes it) (?:going to be )?((?:the|a|an|our|\d|[a-z]+ \d|no)\b.{1,50}?|[\w-]+),? then\b|^(?:onda |e |znaci |dobro |u redu |dakle |pa |moze )*(?:neka (?:onda )?bude|bice onda|onda (?:ide|ostaje|bice)) \S";
    static STATE = r"^(?:fine|ok|okay|good|done|broken|clear|settled|true|false|wrong|right|possible|likely|not|all|just|probably|a (?:bug|problem|question|shame|pity)|the (?:same|problem|question|case|cause|reason|bug))\b";
    /// `Tuesday, then.`
    static THEN_END = r"^[^,:;?]{2,60},? (?:then|onda|dakle)[.!]?$";
    static NO_THING = r"^(?:i|we|you|let|see|talk|until|till|back|thanks|thank|good|bye|and|not|what|that|this|if|now|it|since|by|just|even|only|one (?:moment|sec|second|minute)|a (?:moment|sec|second|minute)|okay|ok|vidimo|cujemo|hvala|prvo|first)\b|(?:\b(?:is|are|was|were|will|had|has|did|do|does|can|could|would|smo|sam|je bilo)|'s|'re|'ll|n't)\b";
    static GERUND = r"^(?:keeping|dropping|using|reusing|sticking|staying|leaving|skipping|switching|moving|adopting|choosing|picking|defaulting|replacing|retaining|ditching|opting|preferring|sharing|splitting|merging|reverting|postponing|limiting|capping|going (?:with|for|back)|taking (?:the|option|both|our)|buying|hiring|renting|booking|painting|printing) ";
    static POINTS = r"^(?:(?:on|to|with|at|it|that|this|them|these|those|there|along|for now|as is)[.!\s]*)+$|^(?:on to|along|the time|a (?:look|break))\b";
    static FINITE = r"\b(?:is|are|was|were|makes?|would|will|can|could|gives?|takes?|should|needs?|has|have|had|helps?|means?|costs?|might|may|did|does|works?|fails?|breaks?|saves?|seems?|feels?|turned|gave|made|took|leads?|causes?|results?|requires?|adds)\b";
    static NOW_END = r"\b(?:now|right now|at the moment|today|as we speak|\.\.\.|…|too|back|up|trenutno|upravo|sada)[.!]*$";
    /// It compares, weighs, or names what there is to choose from.
    static COMPARES = r"\b(?:compar(?:ed|ing|ison)|weigh(?:ed|ing|s)|tried (?:both|all|the|two|three|four|five)|between (?:the|two|both)|both|either|options?|candidates?|alternatives?|offers?|quotes?|drafts?|versions|variants?|suppliers|pros and cons|the (?:other|former|latter|rest)|(?:two|three|four|five|several) (?:ways|routes|options|tools|libraries|models|designs|plans|places)|(?:two|three|four|five|several) [a-z]+ (?:were|are) left|uporedi\w+|poredi\w+|oba|obe|ponud\w+|varijant\w+|opcij\w+|drugi je|druga je)\b";
    /// Openers that conclude from all that was said.
    static DELIBERATE = r"^(?:so,? |and |therefore,? )?(?:(?:with|given|in view of|in (?:the )?light of|considering|taking|weighing|having|after|looking at|putting|from|knowing|seeing|because of|based on|adding up|taken)\b[^,]{0,24}\b(?:all|everything|both|these|those|this|that|the above|the rest|the (?:two|three|four|five|others|numbers|results|options|alternatives|offers|drafts|tests|pros|facts)|together|sum|balance|account|mind|into account|on the table|each|weighed|compared|comparing|testing|trying|reading|discussing|talking)\b[^,]{0,60},|(?:all things considered|on balance|all in all|all told|taken together|in the end|in the final analysis|at the end of the day|overall|for (?:those|these|all these|that|all those|both) reasons?|for all (?:of )?(?:that|these reasons|those reasons)|long story short|to cut a long story short|bottom line|net(?: result)?|the upshot(?: is)?|end result|that (?:settles|decides) it|which (?:settles|decides) it|that leaves (?:us with )?[^,]{2,50}, so|so in the end|when all is said and done|everything considered|that being said|weighing (?:it|all|this|that|everything)[^,]{0,20}|kad se sve (?:sabere|uzme u obzir|zbroji|saberemo)|sve u svemu|(?:uzevsi|uzimajuci|imajuci|gledajuci|s obzirom na|na osnovu)[^,]{0,40},|posle svega|nakon svega|na osnovu svega|iz (?:tih|ovih|svih tih) razloga|zbog svega (?:toga|ovoga|navedenog)|na kraju svega|u konacnom zbiru|zakljucak je))[:,]?\s+";
    static SAYS_HOW = r"\b(?:is|are|was|were|be|seems?|looks?|feels?|sounds?|remains?) (?:(?:the|a|an|still|also|now|very|quite|too|not|as|far|much|so|rather|only|almost|already|probably|clearly|really|just)\s+)*(?:more|most|less|least|best|better|worse|worst|[a-z]+er than|[a-z]+est|fast|slow|fine|good|bad|big|small|cheap|easy|hard|enough|ready|open|unclear|possible|likely|useful|red|green|ok|okay|clear|true|wrong|right|safe|broken|harmless|stable|fixed|finished|caused|expected|supposed|needed|required|used to|related|affected|tested|verified|updated|uploaded|blocked|failed|limited|known|called|restored|cropped|missing|due)\b";
    static PLACED = r"\b(?:is|are|gets?|get|will be|be) (?:now |only |always |both |all |then |again |simply |going to be |not |no longer )*(?:\w{3,}ed|built|set|kept|made|written|held|sent|put|cut|run|drawn|split|paid|read|bought|sold|taken|given|stored|hung|taught|sung|driven|sewn|grown|shown|hidden|drawn|done (?:by|in|with|as|on|at|through|once|twice|every|via)) (?:\w+)";
    static WILL_BE = r"^(?:it|that|this)(?:'ll| will) be (?:the|a|an|\d)|\b(?:is|are|will be) (?:at|in|on) (?:the|a|our|\d)";
    static BY_MISTAKE = r"\b(?:wrong|at first|by (?:mistake|accident)|accidentally|greskom)\b";
    /// `Then Thursday.`, `Agreed, two coats.`
    static BARE_CHOICE = r"^(?:then|agreed|settled|deal|onda|vazi|dogovoreno)[, ]+(?:[\w'-]+ ){0,3}[\w'-]+[.!]?$";
    static BARE_OTHER = r"\b(?:thanks|thank|done|sure|noted|got|great|good|ok|i|we|you|let|it|that|this|no|yes|sorry|what|next|now|so|is|are|was|will|can|check|hvala|\w+ing|\w+ed)\b|'";
    static OPEN_VERB = r"\b(\w+) (\w{2,}[^su\W]s) (?:the|a|an|in|on|at|to|with|for|from|through|by|all|every|one|two|no|only|out|up|over|under|into|as|after|before|\d)\b";
    static OPEN_VERB_SR = r"^(?:[\w-]+ ){1,3}(?:se |ce |mi )?(?:ide|krec[ei]|krece|radi|pravi|pise|pisu|stavlja|stoji|pocinje|pocinju|kupuje|kupujemo|ostaje|ostaju|dobija|preuzima|zamenjuje|koristi|cita|seli|snima|stampa|objavljuje|placa|vodi|nosi|drzi|cuva|uzima|uzimamo|pokriva|zavrsava|odrzava|peva|svira|predaje|kreci|farba|sadi|gradi)\b";
    static DETERMINER = r"^(?:the|a|an|this|that|these|those|of|our|my|your|in|on|at|for|with|two|three|four|five|no|all|some|many|most|other|several|few|more|each|every|its|their|both|and|or)$";
    static REPORT = r"\b(?:fails?|failed|crash\w*|broke|breaks|returned|happen\w*|errors?|bugs?|problems?|warnings?|took|works?|means|needs?|costs?|depends?|seems?|matters|explains|shows?|points|suggests?|makes sense|helps|looks|feels|sounds|had|did|was|were|went|got|moze\w*|treba|puca|pada|bilo|bila|bio)\b";
    static STATIVE = r"^(?:need|have|see|know|think|can|could|should|must|were|had|may|might|want|like|are|do|did|don't|didn't|can't|would|wait|look|lack|seem|mean|saw|got|get|lose|miss|hit|find|found|hope|expect|believe|agree|understand|love|just|still|also|all|both|only|never|always|usually|often)$";
    static AT_PRESENT = r"\b(?:today|currently|already|at the moment|right now|now|still|then|first|so far|here|when|if|each time)\b";
    static WE_VERB = r"^(?:we|mi) ([a-z-]+) \S+";
    static WE_VERB_SR = r"^(?:mi )?([a-z]{2,}[aei]mo) (?:se |je |ga |ih )?\S+";
}

/// A choice told in the middle of a sentence, or as something that was done: the word at which its words start.
pub(super) fn told_choice(main: &str) -> Option<usize> {
    if !TOLD_CUE.is_match(main) || LONG_AGO.is_match(main) {
        return None;
    }
    let count = |bytes: usize| words_before(main, bytes);
    if let Some(found) = WE_CHOSE.captures(main).or_else(|| WE_CHOSE_SR.captures(main)) {
        let (at, rest) = (found.get(0)?.start(), found.get(1)?.as_str());
        let head = main.get(..at)?.trim();
        let circumstance = CIRCUMSTANCE.is_match(head) || LINKED.is_match(head);
        let fine = at == 0 || circumstance && !TOLD.is_match(head);
        let words = rest.word_count();
        if fine && words >= 2 && !NOTHING.is_match(rest) && !by_mistake(rest) {
            return Some(if TOPIC.is_match(head) { 0 } else { count(at) });
        }
    }
    if let Some(found) = IT_WAS.captures(main) {
        let rest = found.get(1).or_else(|| found.get(2))?;
        let fine = rest.as_str().word_count() >= 3 && !BY_OTHERS.is_match(main);
        return fine.then(|| count(rest.start()));
    }
    let told = FELL_ON.is_match(main) || PASSIVE.is_match(main) && !TOLD.is_match(main);
    (told && !BY_OTHERS.is_match(main)).then_some(0)
}

/// `Friday it is`, `it's the oak table, then`: how many words say so.
pub(super) fn names_it(main: &str) -> Option<usize> {
    if main.contains(" it is")
        && let Some(name) = IT_IS.captures(main).and_then(|found| found.get(1))
        && !NO_NAME.is_match(name.as_str().trim_end_matches(" it is"))
    {
        let head = words_before(main, name.start());
        let rest = main.get(name.end()..)?;
        let all = !REASON.is_match(rest);
        return Some(if all { usize::MAX } else { head + name.as_str().word_count() });
    }
    let found = ITS.captures(main)?;
    let state = found.get(1).is_some_and(|name| STATE.is_match(name.as_str()));
    (!state).then(|| main.word_count())
}

/// Sentences of short answers: `Keeping the old logo`, `Tuesday, then`.
pub(super) fn short_choice(main: &str) -> bool {
    let words = main.word_count();
    if !(2..=SHORT).contains(&words) || main.ends_with('?') {
        return false;
    }
    let (first, rest) = main.split_once(' ').unwrap_or((main, ""));
    if GERUND.is_match(main) {
        return !FINITE.is_match(rest) && !NOW_END.is_match(main) && !POINTS.is_match(rest);
    }
    if first.ends_with("ing") {
        return false;
    }
    THEN_END.is_match(main) && !NO_THING.is_match(main)
}

/// A short reply that only names the choice.
pub(super) fn bare_choice(seen: &str) -> bool {
    let rest = seen.split_once([' ', ',']).map_or("", |(_, rest)| rest);
    BARE_CHOICE.is_match(seen) && !BARE_OTHER.is_match(rest)
}

/// What was chosen wrongly is told, not decided.
pub(super) fn by_mistake(rest: &str) -> bool {
    BY_MISTAKE.is_match(rest)
}

/// Somebody compares here.
pub(super) fn compares(seen: &str) -> bool {
    COMPARES.is_match(seen)
}

/// An opener that concludes from everything said.
pub(super) fn deliberate(seen: &str) -> Option<regex::Match<'_>> {
    DELIBERATE.find(seen)
}

/// An item that says what we take: `we move the hearing to May`. What we do at present is no choice.
pub(super) fn we_take(main: &str) -> bool {
    WE_VERB.captures(main).and_then(|found| found.get(1)).is_some_and(|verb| {
        let verb = verb.as_str();
        (is_strong_change(verb) || matches!(verb, "take" | "hire" | "buy" | "book" | "go"))
            && !verb.ends_with("ed")
            && !verb.ends_with("ing")
            && !is_look(verb) | matches!(verb, "take" | "keep" | "go")
    }) && !AT_PRESENT.is_match(main)
}

/// After a comparison: a plain statement of what will be so. Descriptions and reports are none.
pub(super) fn settles(clause: &str) -> bool {
    let words = clause.word_count();
    if words < 3 || SAYS_HOW.is_match(clause) || REPORT.is_match(clause) {
        return false;
    }
    we_act(clause)
        || WILL_BE.is_match(clause)
        || PLACED.is_match(clause)
        || OPEN_VERB_SR.is_match(clause)
        || OPEN_VERB.captures_iter(clause).take(4).any(|found| {
            let (before, verb) = (found.get(1), found.get(2).map_or("", |verb| verb.as_str()));
            before.is_some_and(|before| !DETERMINER.is_match(before.as_str())) && !verb.ends_with("ness")
        })
        || clause.split_whitespace().skip(1).any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.ends_with('s') && matches!(word, "stays" | "becomes" | "wins" | "goes") && is_change(word)
                || matches!(word, "becomes" | "wins")
        })
}

/// `we bake the cake on Saturday`, `pravimo tortu u subotu`: the present tense of a plan.
pub(super) fn we_act(clause: &str) -> bool {
    if let Some(verb) = WE_VERB.captures(clause).and_then(|found| found.get(1)) {
        let verb = verb.as_str();
        return !STATIVE.is_match(verb)
            && !verb.ends_with("ed")
            && !verb.ends_with("ing")
            && (!is_look(verb) || is_strong_change(verb));
    }
    WE_VERB_SR.captures(clause).and_then(|found| found.get(1)).is_some_and(|verb| {
        !matches!(
            verb.as_str(),
            "samo"
                | "nemamo"
                | "imamo"
                | "mozemo"
                | "znamo"
                | "trebamo"
                | "moramo"
                | "hocemo"
                | "zelimo"
                | "vidimo"
                | "cekamo"
                | "gledamo"
                | "mislimo"
                | "probamo"
                | "proveravamo"
                | "tamo"
                | "cujemo"
                | "videcemo"
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::capture::extract_decision;

    /// What is stated, and what of it must be in the words kept.
    fn told(replies: &[(&str, &str)]) {
        for (reply, part) in replies {
            let got = extract_decision(reply, None).unwrap_or_default();
            assert!(got.contains(part), "{got:?} for {reply}");
        }
    }

    fn nothing(replies: &[&str]) {
        for reply in replies {
            assert_eq!(extract_decision(reply, None), None, "{reply}");
        }
    }

    #[test]
    fn a_choice_is_heard_in_the_middle_of_a_sentence() {
        told(&[
            (
                "It rained. After a long talk about tents we chose the bigger one. It is green.",
                "we chose the bigger one",
            ),
            ("For the ferry we opted for the early crossing. Tickets are paid.", "For the ferry we opted"),
            ("It was agreed that the cellar gets a second pump.", "the cellar gets a second pump"),
            ("The choice fell on the blue kayak.", "the blue kayak"),
            ("Posle kratkog razgovora izabrali smo jeftiniji šator.", "izabrali smo jeftiniji šator"),
            ("После пробе одлучили смо се за спорији темпо.", "одлучили смо се за спорији темпо"),
        ]);
        nothing(&[
            "The boat was chosen ten years ago by the previous owner.",
            "I chose the wrong key at first, sorry.",
            "You said that we settled on nothing last week.",
            "We have not settled on a tent.",
        ]);
    }

    #[test]
    fn it_is_names_a_choice_and_not_a_state() {
        told(&[
            ("Good, oak it is.", "oak it is"),
            ("Then the late bus it is, since the early one is full.", "the late bus it is"),
            ("So it's the second hall, then.", "the second hall"),
            ("Onda neka bude nedelja.", "nedelja"),
        ]);
        nothing(&[
            "I wonder whose it is.",
            "The older it is, the slower it gets.",
            "Whatever it is, it is not in the log.",
        ]);
    }

    #[test]
    fn the_end_of_a_comparison_settles_and_a_description_does_not() {
        let weighed = "I tried both stoves. One needs gas, the other one burns wood and smokes a little.";
        for end in [
            "All things considered, the wood stove goes into the cabin.",
            "For those reasons, we buy the wood stove.",
            "**The wood stove is installed by Novak.**",
            "Kad se sve sabere, kupujemo šporet na drva.",
        ] {
            let got = extract_decision(&format!("{weighed} {end}"), None);
            assert!(got.is_some(), "{end}");
        }
        for end in [
            "All things considered, the wood stove is the slower one.",
            "In the end the test took an hour.",
            "**Both stoves write to the same log.** That explains the noise.",
        ] {
            assert_eq!(extract_decision(&format!("{weighed} {end}"), None), None, "{end}");
        }
    }

    #[test]
    fn short_replies_choose_with_few_words() {
        told(&[
            ("Keeping the red lamp.", "the red lamp"),
            ("Sunday, then.", "Sunday"),
            ("Platform 4. Decided.", "Platform 4"),
            ("Agreed, three rows.", "three rows"),
            ("Fine, we light the fire at six.", "the fire at six"),
            ("Може, сејемо у петак.", "сејемо у петак"),
        ]);
        nothing(&[
            "See you on Monday, then.",
            "Reading the manual now.",
            "Using a rope here is slower.",
            "One second, then.",
        ]);
    }
}
