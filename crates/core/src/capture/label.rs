//! Words that name what follows, or what stands before, as decided: `Decision taken: X`, `📌 Agreed - X`, `[decided] X`,
//! `X (agreed)`, introductions of lists and quotes, and the status of a decision record.

use super::prose::{Place, Sentence};
use super::sense::{CountWords, skip_words, words_before};
use crate::text::pattern::static_regex;

/// A label stands within this many bytes.
const MAX_LABEL: usize = 96;
/// Longer introductions tell a story.
const MAX_INTRO: usize = 16;

static_regex! {
    /// Where a label ends: a colon, a dash between blanks, an arrow.
    static LABEL_END = r"\s*:\s+|\s+(?:-|->|=>|→)\s+";
    /// Nouns that name a decision whatever stands before them; with what was done to it, and what it is about.
    static DECISION_NOUN = r"^(?:[\w'/.-]+ ){0,3}(?:decisions?|verdict|ruling|odluka|odluke|dogovor|presuda)(?: (?:taken|made|reached|adopted|stands|then|now|today|here|below|so far|in (?:short|brief|one (?:line|sentence|word))|is|doneta|pala|glasi|je)){0,2}(?: (?:for|after|on|from|about|as of|of|in|at|by|with|regarding|o|za|posle|nakon|u vezi|sa|iz|na)\b.{1,60})?$";
    /// Nouns of which there are others: only plain words before them.
    static PLAIN_NOUN = r"^(?:(?:the|my|our|final|one|new|key|main|short|agreed|chosen|selected|konacn[aoi]|nov[aoi]|glavn[aoi]|nas[ae]?|moj[ae]?)\s+){0,3}(?:plan|approach|resolution|conclusion|agreement|outcome|choice|pick|call|rule|policy|convention|final(?: answer| call| word| say| pick| choice)?|pristup|zakljucak|resenje|izbor|pravilo|ishod)(?: (?:agreed|taken|made|reached|then|now|here|is|je|glasi))?(?: (?:for|after|on|from|about|as of|of|is|o|za|posle|nakon|u vezi|sa|iz)\b.{0,60}| #?\d+)?$";
    /// Of some of them it is said whose they are.
    static OWNED_NOUN = r"^(?:[\w'-]+ ){1,2}(?:convention|outcome|choice|agreement)$";
    /// Participles that say so themselves.
    static PARTICIPLE = r"^(?:(?:so|and|ok|okay|it|that|this|now|all|finally|hereby|it's|that's|is|was|we're|we are|konacno|na kraju|upravo|ovo|to)[, ]+){0,3}(?:decided|agreed|settled|chosen|picked|selected|locked(?: in)?|a?done deal|a deal|deal|odluceno|dogovoreno|usvojeno|izabrano|odabrano|zakljuceno|doneto)(?: (?:then|now|today|so far|together|instead|je|smo))?(?: (?:option|approach|solution|plan|design|direction|path|route|way|value|name|setup|course|answer|tool|library|format|layout|variant|version|date|venue|scope|model|resenje|opcija|varijanta|naziv|pristup))?(?: (?:for|after|on|from|about|in|at|by|with|za|o|posle|nakon|sa|na|u)\b.{1,60})?$";
    /// `What we agreed`, `we have decided`, `odlucili smo`.
    static CLAUSE = r"^(?:(?:so|and|ok|okay|here's|here is|this is|da|evo|ovo je)[, ]+)*(?:(?:what|where|as|sta|kako) )?(?:(?:we|i|you and i)(?:'ve| have| both| all)? (?:decided|agreed(?: on)?|settled(?: on)?|chose|landed(?: on)?|concluded|will do|do)|(?:odlucili|dogovorili|zakljucili|izabrali|resili|odlucil[aio]|dogovorio|odlucio) (?:smo|sam)(?: se)?|(?:smo|sam) (?:se )?(?:odlucili|dogovorili|zakljucili|izabrali|resili))(?: (?:this|the following|together|today|now|in the end|so far|na kraju|danas|sledece|ovo))?(?: (?:about|for|on|za|o) .{1,40})?$";
    /// A decision that was not taken, not here, or not by us.
    static NO_DECISION = r"\b(?:no|not|non|un|open|pending|next|earlier|previous|old|their|his|her|your|possible|suggested|proposed|draft|without|before|upcoming|hard|difficult|tough|needs?|awaiting|waiting|missing|any|if|to be|nema|bez|nije|njihov\w*|tvoj\w*|stara|prethodn\w+|sledeca|predlozen\w*|ceka\w*)\b";
    static AGREED_LIST = r"^(?:ok|okay|alright|right|settled|vazi|u redu)\s*:\s+(\S.*)$";
    static TAG = r"^[\[(](?:decided|decision|agreed|settled|final|odluceno|odluka|dogovoreno)[\])]:?\s+(\S.*)$";
    static TAG_END = r"^(\S.{4,}?)(?:\s+[\[(](?:decided|agreed|settled|final|accepted|odluceno|dogovoreno|usvojeno)[\])]|\s+- (?:decided|agreed|settled|final|odluceno|dogovoreno))[.!]?$";
    /// `Timeouts: agreed, 15 seconds`.
    static TOPIC_AGREED = r"^[^:]{2,40}:\s+(?:decided|agreed|settled|odluceno|dogovoreno)\s*[,;:-]\s+\S.*$";
    /// `Decided.` alone says it of the sentence before.
    static SEAL = r"^(?:(?:it's|it is|that's|that is|we're|and that's|to je|i to je)\s+)?(?:decided|settled|final|agreed|done deal|odluceno|dogovoreno|konacno|reseno)[.!]+$";
    /// `Deal.` before a sentence.
    static HANDSHAKE = r"^(?:deal|done deal|agreed|settled|decided|that settles it|it's settled|it is settled|it's decided|vazi|dogovoreno|odluceno|resili smo)[.!]$";
    /// An introduction that announces decisions.
    static DECIDES = r"\b(?:decided|agreed|settled|landed|chose|chosen|decisions?|opted|concluded|outcome|came out of|results? of (?:the|our|today's)|going with|final (?:list|set|choice)|odluci\w+|odluceno|odluke?|dogovor\w*|zakljuc\w+|izabra\w+)\b";
    static NOT_OURS = r"\b(?:not|n't|undecided|yet|still|if|whether|once|until|before|needs?|he|she|they|their|vendor|team|customer|client|colleague|docs?|article|options?|questions?|jos|nije|nisu|ako|oni|njihov\w*|klijent|kolega)\b";
    static STATUS = r"^status(?: quo)?\s*[:-]\s*(\S+)";
    static ACCEPTED = r"^(?:accepted|approved|adopted|decided|agreed|prihvaceno|usvojeno|odluceno|✅)";
    static NOT_ACCEPTED = r"^(?:proposed|draft|drafted|superseded|rejected|deprecated|withdrawn|pending|open|wip|proposal|discussion|predlog|predlozeno|odbijeno|nacrt)";
    static RECORD_TITLE = r"^(?:adr|rfc|decision record|decision)[\s-]*#?\d+\s*[:.-]+\s*(\S.*)$|^\d{1,4}\.\s+(\S.*)$";
}

/// `Decision: X` and its relatives, also in headings and quotes: how many words stand before X.
pub(super) fn labelled(seen: &str) -> Option<usize> {
    let count = |bytes: usize| words_before(seen, bytes);
    if let Some(rest) = TAG.captures(seen).and_then(|found| found.get(1)) {
        return Some(count(rest.start()));
    }
    let mut window = seen.len().min(MAX_LABEL);
    while !seen.is_char_boundary(window) {
        window -= 1;
    }
    let end = LABEL_END.find(seen.get(..window)?)?;
    let head = seen.get(..end.start())?;
    if names_decision(head) {
        return Some(count(end.end()));
    }
    AGREED_LIST.captures(seen).and_then(|found| found.get(1)).map(|rest| count(rest.start()))
}

/// The words before a colon say that what follows was decided.
pub(super) fn names_decision(head: &str) -> bool {
    let head = bare(head);
    if head.is_empty() || head.word_count() > 12 || NO_DECISION.is_match(head) {
        return false;
    }
    [&DECISION_NOUN, &PLAIN_NOUN, &OWNED_NOUN, &PARTICIPLE, &CLAUSE]
        .iter()
        .any(|pattern| pattern.is_match(head))
}

/// Without what stands in brackets at the end, and without marks at the front.
fn bare(head: &str) -> &str {
    let head = head.trim_end();
    let head = match head.rfind(['(', '[']).filter(|_| head.ends_with([')', ']'])) {
        Some(at) => head.get(..at).unwrap_or(head),
        None => head,
    };
    head.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A label whose words follow in the next sentence.
pub(super) fn stands_alone(seen: &str) -> bool {
    matches!(seen, "decision" | "our decision" | "final decision" | "verdict" | "odluka")
        || seen.ends_with(':') && names_decision(seen.trim_end_matches([':', ' ']))
}

/// What a tag at the end, or between the topic and the words, calls decided.
pub(super) fn tagged(sentence: &Sentence) -> Option<String> {
    if sentence.place == Place::Row {
        return None;
    }
    let seen = sentence.seen.as_str();
    if let Some(found) = TAG_END.captures(seen).and_then(|found| found.get(1)) {
        let words: Vec<&str> = sentence.text.split_whitespace().take(found.as_str().word_count()).collect();
        return Some(words.join(" "));
    }
    TOPIC_AGREED.is_match(seen).then(|| sentence.text.clone())
}

/// `Decided.`: the sentence before is the decision.
pub(super) fn seals(seen: &str) -> bool {
    seen.len() < 32 && SEAL.is_match(seen)
}

/// `Deal.`: the next sentence follows from it.
pub(super) fn shakes_hands(seen: &str) -> bool {
    seen.len() < 32 && HANDSHAKE.is_match(seen)
}

/// The introduction of a list or a quote says that it holds what was decided.
pub(super) fn announces(intro: &str) -> bool {
    intro.ends_with(':')
        && intro.word_count() <= MAX_INTRO
        && DECIDES.is_match(intro)
        && !NOT_OURS.is_match(intro)
        && !NO_DECISION.is_match(intro)
}

/// How a record of a decision stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It holds.
    Accepted,
    /// It is a draft, or holds no more.
    NotAccepted,
}

/// The status that a record tells of itself: `Status: accepted`, also below a heading.
pub(super) fn status(parts: &[Sentence]) -> Option<Status> {
    let word = parts.iter().enumerate().find_map(|(at, part)| {
        if !part.seen.starts_with("status") {
            return None;
        }
        if let Some(word) = STATUS.captures(&part.seen).and_then(|found| found.get(1)) {
            return Some(word.as_str());
        }
        let below = parts.get(at + 1).filter(|_| matches!(part.seen.as_str(), "status" | "status:"))?;
        Some(below.seen.as_str())
    })?;
    if ACCEPTED.is_match(word) {
        Some(Status::Accepted)
    } else {
        NOT_ACCEPTED.is_match(word).then_some(Status::NotAccepted)
    }
}

/// The title of an accepted record, which says what was decided.
pub(super) fn record_title(parts: &[Sentence]) -> Option<(usize, String)> {
    parts.iter().enumerate().take(3).find_map(|(at, part)| {
        let found = RECORD_TITLE.captures(&part.seen)?;
        if part.place != Place::Heading && !part.seen.starts_with(['a', 'r', 'd']) {
            return None;
        }
        let title = found.get(1).or_else(|| found.get(2))?;
        let skipped = words_before(&part.seen, title.start());
        let text = skip_words(&part.text, skipped);
        (text.word_count() >= 3).then(|| (at, text.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::extract_decision;

    #[test]
    fn labels_name_decisions_that_were_taken() {
        for head in [
            "decision taken",
            "chosen option",
            "harbour decision",
            "final word",
            "our call",
            "it is settled",
            "what we agreed",
            "decision (storage)",
            "outcome of the vote",
            "odluceno je",
            "nas dogovor",
            "odlucili smo",
            "✅ decided",
        ] {
            assert!(names_decision(head), "{head}");
        }
        for head in [
            "no decision yet",
            "pending decision",
            "their decision",
            "result of the query",
            "root cause",
            "warning",
            "settings",
            "still to be decided",
            "test plan",
            "status",
        ] {
            assert!(!names_decision(head), "{head}");
        }
    }

    #[test]
    fn a_record_counts_by_its_status() {
        let record = |status: &str| {
            format!("# ADR 3: Boats are painted every spring\n\nStatus: {status}\n\nContext: rust.")
        };
        assert_eq!(
            extract_decision(&record("accepted"), None).as_deref(),
            Some("Boats are painted every spring")
        );
        for status in ["proposed", "superseded by ADR 4", "rejected"] {
            assert_eq!(extract_decision(&record(status), None), None, "{status}");
        }
    }

    #[test]
    fn lists_quotes_tags_and_nested_headings_say_what_was_decided() {
        for (reply, decision) in [
            (
                "Where we landed:\n\n- the choir sings in Latin\n- the organ is tuned later",
                "the choir sings in Latin",
            ),
            (
                "We agreed on two things:\n1. the gate is locked at ten\n2. Ivo has the key",
                "the gate is locked at ten",
            ),
            (
                "- [decided] the hall is heated to 19 degrees\n- [open] who pays",
                "the hall is heated to 19 degrees",
            ),
            ("- catering: two offers\n- venue: the old mill (agreed)", "venue: the old mill"),
            ("The decision in one sentence:\n\n> Members pay once a year.", "Members pay once a year"),
            (
                "## Decisions\n\n### Boats\n\nOne rower per boat, always with a vest.",
                "One rower per boat, always with a vest",
            ),
            ("## 🎯 Decision\n\nThe lights go off at eleven.", "The lights go off at eleven"),
        ] {
            assert_eq!(extract_decision(reply, None).as_deref(), Some(decision), "{reply}");
        }
        for reply in [
            "The vendor decided:\n\n> Support ends in May.",
            "Not decided yet:\n- the colour of the hall\n- the date of the concert",
        ] {
            assert_eq!(extract_decision(reply, None), None, "{reply}");
        }
    }
}
