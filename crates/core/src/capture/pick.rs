//! Which of several options an answer picks: by place, by name, by what it has not, by its price or hour.

use super::options::{Choice, Options};
use super::sense::{CountWords, words_before};
use crate::text::pattern::static_regex;

/// Longer answers pick nothing by a name.
const MAX_NAMING: usize = 9;
/// Longer answers are no picks.
const MAX_ANSWER: usize = 40;

static_regex! {
    /// The answer names a label or a place: the whole answer, or its start before an addition.
    static PICK = r"^(?:(?:ok|okay|yes|yeah|yep|agreed|sure|fine|great|perfect|right|good|da|well|so|hm+|pa|e|ma|let's|let|lets|us|i'd|i|i'll|i'm|we|we'll|do|go|going|take|pick|choose|prefer|want|like|love|say|with|for|use|try|the|plan|solution|choice|approach|resenje|option|opcija|opciju|variant|varijanta|varijantu|number|no|broj|ono|ovo|onaj|onu|ona|ovu|ova|ovaj|taj|ta|tu|to|idemo|sa|s|biram|biraj|uzmi|uzecu|hocu|moze|neka|bude|radije|rather|would|definitely|please|probably|think|mislim|vote|my|is|it's|its|then|ajde|hajde|bih|uzeo|uzela|pod|onda|znaci|za|give|me|book|send|reserve|keep|print|order|make|buy|publish|on|na|u|#)[\s,.:]*)*?(?:([a-hv])|#?([1-9])|(first|1st|former|prv[oaiu]g?|prvom|top|upper|left)|(second|2nd|drug[oaiu]g?|drugom)|(third|3rd|trec[eaiu]g?)|(fourth|4th|cetvrt[oaiu])|(last|latter|poslednj[eaiu]g?|zadnj[eaiu]g?|bottom|lower|right)|(middle|srednj[aeiu]g?|central))(?:\s+(?:one|option|opcija|opciju|choice|variant|approach|then|please|molim|it is|is (?:fine|better|best|good|great|nicer|perfect|ok|the best)|je (?:bolj[aei]|najbolj[aei]|ok|dobr[ao])|sounds (?:good|better|best|great)|looks (?:good|better|best)|works|resenje|varijanta|varijantu|naravno|it|layout|way|version|idea|plan|for sure|of course|for me|i think|i guess|onda|thanks|hvala))*(?:[\s.!]*$|\s*[,;.!-]\s+|\s+(?:but|ali|with|without|and|samo|only|because|since|jer|though|posto)\b)";
    static SEVERAL = r"^(?:(?:ok|yes|da|let's|do|take|go|with|i'd|i|pick|choose|want|both|just|only|the|options?|numbers?|opcije|uzmi|idemo|sa|ove|te|hajde|please)[\s,:]*)*((?:the )?(?:[a-hv]|#?[1-9]|first|second|third|fourth|last|prv[aoiu]|drug[aoiu]|trec[aeiu]|poslednj[aeiu])(?:\s*(?:,|and|&|\+|plus|i|te)\s*(?:the )?(?:[a-hv]|#?[1-9]|first|second|third|fourth|last|prv[aoiu]|drug[aoiu]|trec[aeiu]|poslednj[aeiu]))+)(?: (?:please|together|then|molim|zajedno|onda|options?))*[.!]?$";
    static BOTH = r"^(?:(?:yes|ok|do|let's do|uradi|da)[\s,]*)?(?:both|all of them|all three|oba|obe|oboje|sve)(?: of them| please| molim)?[.!]?$";
    static NEITHER = r"^(?:neither|none|nijedn[oua]|nista od toga)\b";
    static POLITE = r"\b(?:pls|plz|please|thanks|thx|i guess|i think|i'd say|probably|definitely|naravno|of course|hm+|for me|molim(?: te)?|hvala|mislim|valjda)\b";
    static NEGATES = r"\b(?:no|not|isn't|never|don't|doesn't|bad|worse|without|except|anything but|instead of|rather than|over|than|hate|dislike|ne|nije|nemoj|bez|osim|umesto|nego|od|los\w*)\b";
    /// Picks what is left when something is ruled out.
    static RULES_OUT = r"^(?:(?:ok|well|hm+|pa|i'd take|i'd|take|let's take|go with|give me|please|definitely|radije|uzmi|bolje)[\s,]+)*(?:the (?:one|option|variant|version|way) (?:without|that (?:isn't|is not|doesn't (?:have|need|use)|has no|needs no)|with no)|one without|anything (?:but|except)|all but|not|no|ne|bez|on[aoiue]j? bez|varijant\w+ bez|opcij\w+ bez|sve osim|samo ne|just not|without)\s+(.{1,60})$";
    static PREFERS = r"^(?:(?:ok|well|hm+|so|then|yes|pa|e|da|ma)[\s,]+)*(?:i(?:'d| would)? (?:prefer|like|love|want|go (?:with|for)|take|rather have|vote for|choose|pick|say)|i'll (?:take|go with|have)|let's (?:do|go with|take|use|have|try)|go (?:with|for)|take|use|pick|choose|my (?:vote|pick|favou?rite) is|definitely|give me|radije|uzmi|uzmimo|uzecu|idemo|biram|hocu|vise volim|ja bih|koristi\w*|neka bude|moj izbor je|glasam za)\b";
    static CONCLUDES = r",\s+(?:so|then|therefore|hence|pa|onda|zato|znaci)\s+";
    static CHEAPEST = r"\b(?:cheap(?:er|est)|lowest price|najjeftinij\w+|jeftinij\w+)\b";
    static DEAREST = r"\b(?:(?:most|more) expensive|najskuplj\w+|skuplj\w+)\b";
    static EARLIEST = r"\b(?:earli(?:er|est)|najranij\w+|ranij\w+)\b";
    static LATEST = r"\b(?:later|latest|najkasnij\w+|kasnij\w+)\b";
    static PRICE = r"(?:€|\$|£)\s?(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)\s?(?:€|\$|£|eur\b|euros?\b|usd\b|chf\b|rsd\b|din\w*|dollars?\b|evra\b|evro\b)";
    static HOUR = r"\b(\d{1,2})(?::(\d\d)|\s?h\b|\s?(?:am|pm)\b)";
    static WEAK = r"^(?:the|and|use|one|option|with|let's|lets|yes|please|would|prefer|rather|think|just|for|that|this|better|best|sounds|good|fine|can|will|you|keep|not|don't|take|want|like|love|have|give|there|they|them|are|was|its|it's|bolje|radije|ono|ona|onaj|taj|molim|moze|idemo|neka|bude|koristi|naravno|uzmi|hocu|onda|jer)$";
}

/// The option that the answer picks.
pub(super) fn choose(options: &Options, answer: &str) -> Option<Choice> {
    let answer = &answer.replace(['(', ')'], "");
    let words = answer.word_count();
    if options.items.len() < 2 || words > MAX_ANSWER || NEITHER.is_match(answer) || answer.ends_with('?') {
        return None;
    }
    let all = |texts: Vec<&str>| Choice { text: texts.join("; "), frame: options.frame.clone(), words };
    if BOTH.is_match(answer) {
        return Some(all(options.items.iter().map(|item| item.text.as_str()).collect()));
    }
    if let Some(several) = several(options, answer) {
        return Some(all(several));
    }
    by_place(options, answer)
        .or_else(|| by_measure(options, answer))
        .or_else(|| by_name(options, answer))
        .or_else(|| by_first_clause(options, answer))
        .or_else(|| by_a_sentence(options, answer))
        .or_else(|| by_conclusion(options, answer))
        .or_else(|| by_exclusion(options, answer))
}

/// `we were in Bovec last year, so the flat`: what follows the reason picks.
fn by_conclusion(options: &Options, answer: &str) -> Option<Choice> {
    let rest = CONCLUDES.find(answer).and_then(|found| answer.get(found.end()..))?;
    let picked = by_place(options, rest).or_else(|| by_name(options, rest))?;
    Some(Choice { words: answer.word_count(), ..picked })
}

/// `1 and 3`, `the first and the last`.
fn several<'o>(options: &'o Options, answer: &str) -> Option<Vec<&'o str>> {
    let named = SEVERAL.captures(answer)?.get(1)?.as_str();
    let texts: Option<Vec<&str>> = named
        .split([',', '&', '+', ' '])
        .filter(|word| !matches!(*word, "" | "and" | "plus" | "i" | "te" | "the"))
        .map(|word| by_place(options, word).and_then(|choice| options.position(&choice.text)))
        .map(|at| at.and_then(|at| options.items.get(at)).map(|item| item.text.as_str()))
        .collect();
    texts.filter(|texts| texts.len() >= 2)
}

fn by_place(options: &Options, answer: &str) -> Option<Choice> {
    let found = PICK.captures(answer)?;
    let labelled = |label: &str| options.items.iter().find(|item| item.label == label);
    let nth = |at: usize| options.items.get(at);
    let item = if let Some(letter) = found.get(1) {
        let place = letter.as_str().bytes().next().map_or(0, |byte| usize::from(byte - b'a'));
        labelled(letter.as_str()).or_else(|| {
            nth(place)
                .filter(|item| item.label.is_empty() || item.label.starts_with(|c: char| c.is_ascii_digit()))
        })
    } else if let Some(number) = found.get(2) {
        let place = number.as_str().parse::<usize>().unwrap_or(0);
        labelled(number.as_str()).or_else(|| {
            place
                .checked_sub(1)
                .and_then(nth)
                .filter(|item| !item.label.starts_with(|c: char| c.is_ascii_digit()))
        })
    } else if found.get(8).is_some() {
        let count = options.items.len();
        (count % 2 == 1).then(|| nth(count / 2)).flatten()
    } else {
        (3..=6)
            .find(|group| found.get(*group).is_some())
            .map_or_else(|| options.items.last(), |group| nth(group - 3))
    }?;
    let end = (1..=8).find_map(|group| found.get(group)).map_or(0, |group| group.end());
    let mut words = words_before(answer, end);
    let tail: Vec<&str> = answer.split_whitespace().skip(words).collect();
    words += tail
        .iter()
        .take_while(|word| {
            matches!(
                word.trim_matches(|c: char| !c.is_alphanumeric()),
                "one" | "option" | "opcija" | "then" | "please" | "molim" | ""
            )
        })
        .count();
    Some(options.chosen(item, words))
}

/// `the cheapest`, `the later one`, where each option has one price or one hour.
fn by_measure(options: &Options, answer: &str) -> Option<Choice> {
    let words = answer.word_count();
    if words > MAX_NAMING || NEGATES.is_match(answer) {
        return None;
    }
    let (measure, most): (fn(&str) -> Option<f64>, bool) = if CHEAPEST.is_match(answer) {
        (price, false)
    } else if DEAREST.is_match(answer) {
        (price, true)
    } else if EARLIEST.is_match(answer) {
        (hour, false)
    } else if LATEST.is_match(answer) {
        (hour, true)
    } else {
        return None;
    };
    let measured: Option<Vec<f64>> = options.items.iter().map(|item| measure(&item.text)).collect();
    let measured = measured?;
    let order = |a: &f64, b: &f64| if most { b.total_cmp(a) } else { a.total_cmp(b) };
    let at = (0..measured.len()).min_by(|a, b| match (measured.get(*a), measured.get(*b)) {
        (Some(a), Some(b)) => order(a, b),
        _ => std::cmp::Ordering::Equal,
    })?;
    options.items.get(at).map(|item| options.chosen(item, words))
}

fn price(text: &str) -> Option<f64> {
    let found = PRICE.captures(text)?;
    found.get(1).or_else(|| found.get(2))?.as_str().replace(',', ".").parse().ok()
}

fn hour(text: &str) -> Option<f64> {
    let found = HOUR.captures(text)?;
    let number = |group: usize| found.get(group).and_then(|found| found.as_str().parse::<f64>().ok());
    Some(number(1)? * 60.0 + number(2).unwrap_or(0.0))
}

/// The telling words of a text; code is not masked, so that names stay readable.
fn telling(text: &str) -> Vec<String> {
    crate::text::fold(&text.replace('`', " "))
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '.' | ':' | '\''))
        .map(|word| word.trim_matches(['.', '-', ':', '\'']).to_owned())
        .filter(|word| {
            (word.len() >= 3 || word.chars().any(|c| c.is_ascii_digit()) && !word.is_empty())
                && !WEAK.is_match(word)
        })
        .collect()
}

/// The same word in another form: `pitu` and `pita`, `tests` and `test`.
pub(super) fn inflected(a: &str, b: &str) -> bool {
    let shorter = a.len().min(b.len());
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    a == b
        || common >= 3
            && common + 2 >= shorter
            && common + 1 >= shorter.min(5)
            && a.len().abs_diff(b.len()) <= 3
}

/// How many of the words said stand in each option and in no other one.
fn scores(options: &Options, said: &[String], same: fn(&str, &str) -> bool) -> Vec<usize> {
    let all: Vec<Vec<String>> = options.items.iter().map(|item| telling(&item.text)).collect();
    let holds = |words: &[String], word: &str| words.iter().any(|known| same(known, word));
    all.iter()
        .enumerate()
        .map(|(at, option)| {
            said.iter()
                .filter(|word| {
                    holds(option, word)
                        && all.iter().enumerate().all(|(other, words)| other == at || !holds(words, word))
                })
                .count()
        })
        .collect()
}

/// The words of a short answer stand in exactly one option.
fn by_name(options: &Options, answer: &str) -> Option<Choice> {
    let words = answer.word_count();
    if words > MAX_NAMING || NEGATES.is_match(answer) {
        return None;
    }
    let said = telling(&POLITE.replace_all(answer, ""));
    if said.is_empty() {
        return None;
    }
    let exact: fn(&str, &str) -> bool = |a, b| a == b;
    [exact, inflected].into_iter().find_map(|same| {
        let scores = scores(options, &said, same);
        let best = scores.iter().enumerate().max_by_key(|(at, score)| (**score, std::cmp::Reverse(*at)))?;
        let clear = scores.iter().filter(|score| **score > 0).count() == 1;
        (clear && best.1 * 2 >= said.len())
            .then(|| options.items.get(best.0).map(|item| options.chosen(item, words)))
            .flatten()
    })
}

/// `yaml, everyone here knows it`: a name and the reason. The reason names no other option, unless it is plain that the
/// first clause picks.
fn by_first_clause(options: &Options, answer: &str) -> Option<Choice> {
    let (clause, reason) = answer.split_once([',', ';', '.', '-']).or_else(|| split_reason(answer))?;
    let picked = by_name(options, clause.trim())?;
    let prefers = PREFERS.is_match(clause);
    let first = reason.split_whitespace().next().unwrap_or("");
    if matches!(first, "but" | "ali" | "or" | "ili" | "no" | "actually" | "wait")
        && by_name(options, reason).is_some()
    {
        return None;
    }
    let named = |text: &str| {
        let said = telling(text);
        scores(options, &said, |a, b| a == b).iter().filter(|score| **score > 0).count()
    };
    let rest = by_name(options, reason.trim());
    let agrees = rest.is_none_or(|other| other.text == picked.text) && named(answer) == 1;
    ((agrees || prefers) && clause.word_count() <= if prefers { 9 } else { 5 })
        .then(|| Choice { words: answer.word_count() - reason.word_count(), ..picked })
}

fn split_reason(answer: &str) -> Option<(&str, &str)> {
    [" because ", " since ", " jer ", " posto ", " so that "]
        .iter()
        .find_map(|word| answer.find(word))
        .map(|at| answer.split_at(at))
}

/// `I won't get up at four. The middle one.`: one of the sentences picks, and no other picks another.
fn by_a_sentence(options: &Options, answer: &str) -> Option<Choice> {
    let pieces: Vec<&str> = crate::text::sentences(answer).into_iter().map(str::trim).collect();
    if pieces.len() < 2 || answer.contains('?') {
        return None;
    }
    let picks: Vec<Choice> = pieces
        .iter()
        .filter_map(|piece| {
            by_place(options, piece)
                .or_else(|| by_measure(options, piece))
                .or_else(|| by_name(options, piece))
                .or_else(|| by_first_clause(options, piece))
        })
        .collect();
    let last = picks.last()?;
    picks.iter().all(|pick| pick.text == last.text).then(|| Choice {
        text: last.text.clone(),
        frame: last.frame.clone(),
        words: answer.word_count(),
    })
}

/// `the one without X`, `anything but the first`: what is left.
fn by_exclusion(options: &Options, answer: &str) -> Option<Choice> {
    let first = answer.split([',', ';', '.']).next().unwrap_or(answer);
    let out = RULES_OUT.captures(first)?.get(1)?.as_str();
    let words = answer.word_count();
    let ruled = by_place(options, out)
        .and_then(|choice| options.position(&choice.text))
        .map(|at| vec![at])
        .unwrap_or_else(|| {
            let scores = scores(options, &telling(&POLITE.replace_all(out, "")), inflected);
            (0..scores.len()).filter(|at| scores.get(*at).is_some_and(|score| *score > 0)).collect()
        });
    if ruled.is_empty() {
        return None;
    }
    let mut left = (0..options.items.len()).filter(|at| !ruled.contains(at));
    let (only, more) = (left.next()?, left.next());
    more.is_none().then(|| options.items.get(only).map(|item| options.chosen(item, words))).flatten()
}

#[cfg(test)]
mod tests {
    use crate::capture::extract_decision;

    const BOATS: &str = "Three boats are free:\n\n- a skiff, 40 € a day, from 9:00\n- a dory with oars, 25 € a day, from 11:30\n- a kayak without a seat, 30 € a day, from 8:00\n\nWhich one shall I take?";

    fn pick(reply: &str, answer: &str) -> String {
        extract_decision(reply, Some(answer)).unwrap_or_default()
    }

    #[test]
    fn people_pick_by_place_name_price_hour_and_by_what_it_is_not() {
        for (answer, boat) in [
            ("the second one", "dory"),
            ("I hate waiting. The last one.", "kayak"),
            ("the middle one please", "dory"),
            ("poslednje", "kayak"),
            ("let's take the skiff, my back hurts", "skiff"),
            ("we sank a kayak once, so the skiff", "skiff"),
            ("the cheapest", "dory"),
            ("the earliest one", "kayak"),
            ("I prefer the dory, the kayak is wet", "dory"),
            ("number 1, but only for a day", "skiff"),
        ] {
            assert!(pick(BOATS, answer).contains(boat), "{answer}: {}", pick(BOATS, answer));
        }
        assert!(pick(BOATS, "1 and 3").contains("skiff") && pick(BOATS, "1 and 3").contains("kayak"));
        for answer in ["none of them", "how long is the dory?", "I have to ask Ana first", "hard to say"] {
            assert_eq!(extract_decision(BOATS, Some(answer)), None, "{answer}");
        }
    }

    #[test]
    fn options_stand_in_sentences_too() {
        for (reply, answer, option) in [
            ("I found a tent and a hammock. Which one goes in the bag?", "the hammock", "a hammock"),
            (
                "Two ways to cross: over the bridge, or with the ferry. Preference?",
                "not the ferry",
                "over the bridge",
            ),
            ("Postoje dve mogućnosti: šator ili koliba. Šta ćemo?", "drugo, pada kiša", "koliba"),
            ("Gde da spavamo?\n1. u šatoru\n2. u kombiju\nReci broj.", "2", "u kombiju"),
            ("Who steers, Mara or Ivo?", "Ivo should", "Ivo"),
            ("Either we row all night, or we wait for the wind. Your call.", "wait", "wait for the wind"),
        ] {
            assert!(pick(reply, answer).contains(option), "{answer}: {}", pick(reply, answer));
        }
    }
}
