//! What an agent's reply reports as done: `Removed X`, `I added X and wrote Y`, `X is implemented`, `Dodata je validacija`,
//! or only `Done`, which names nothing and means all that was asked.

use super::act::{self, Act};
use super::prose::{Place, Sentence};
use super::section::{Section, classify};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;

/// Reports that are taken from one reply.
const MOST: usize = 64;
/// A subject of more words, before a verb without an auxiliary, tells a story.
const MAX_SUBJECT: usize = 5;
/// Replies of at most so many sentences say with their names what `done` means.
const SHORT: usize = 3;

static_regex! {
    static OPENER = r"^(?:(?:ok|okay|great|perfect|excellent|good|alright|right|sure|yes|so|and|then|also|i also|we also|odlicno|super|evo|takodje|a|i|pa|te)[,.!:]*\s+)+";
    static SUBJECT = r"^(?:(?:i|we|i've|we've|ja|mi)\s+)?(?:(?:have|has|just|now|also|already|then|both|successfully|finally|vec|upravo|sada)\s+)*";
    /// Nothing that is done.
    static NOT_DONE = r"\b(?:not|never|no longer|yet|will|would|should|could|can|may|might|must|to be|if|when|once|unless|still|almost|partly|partially|need|needs|before|nije|nisu|nisam|nismo|jos|bice|treba|ako|kad|kada|kad[ae]|skoro|delimicno)\b|n't\b";
    /// `Done`, alone or before what it names.
    static DONE = r"^(?:(?:all|everything|it|this|that|it's|that's|they|these|both|everything's|all of (?:it|them|this|that)|all (?:two|three|four|five|of) ?(?:of them)?|all (?:the )?(?:tasks|steps|items|points|changes|work)|the work|sve|to|oba|obe|oboje|svi koraci|svi zadaci)\s+)?(?:(?:is|are|has been|have been|je|su)\s+)?(?:(?:now|all|already|sada|vec|sve)\s+)*(?:done|finished|completed?|all set|gotov[aoi]?|zavrsen[aoie]?|uradjen[aoie]?|sredjen[aoie]?)\b";
    static ALL_LEFT = r"^(?:everything(?:'s)?|all (?:of it|(?:the )?(?:tasks|steps|items|points|work packages|open items))|sve|svi (?:koraci|zadaci)|sve stavke)\b.{0,24}\b(?:done|finished|completed?|implemented|gotov\w*|zavrsen\w*|uradjen\w*)(?: now| sada)?[.!]*$|^(?:(?:there is |there's )?nothing (?:else )?(?:is )?(?:left|remains|remaining|open)|no (?:open|remaining) (?:tasks|items|steps|points)|nista (?:vise )?nije (?:ostalo|otvoreno)|nema (?:vise )?(?:otvorenih|preostalih))\b";
    /// `Noted.`: what is taken in or put off is not done.
    static TAKEN_IN = r"^(?:noted|agreed|acknowledged|accepted|received|understood|planned|postponed|deferred|delayed|queued|promised|confirmed|zapisan[aoie]?|zabelezen[aoie]?|primljen[aoie]?|odlozen[aoie]?|zapamcen[aoie]?|dogovoren[aoie]?|planiran[aoie]?)$";
    /// One word that reports.
    static ALONE = r"^(\S+?)[.!]*$";
    static AUXILIARY = r"^(?:is|are|was|were|been|be|has|have|je|su|sam|smo)$";
    static ADVERB = r"^(?:now|all|already|also|both|fully|been|finally|just|sada|vec|sve|upravo|i|both|sad)$";
    static CUT = r"(?:,|;|\s-|\s\+)\s+(?:(?:and|then|also|but|a|i|te|pa|ali)\s+)*|\s(?:and|then|i|te|pa)\s";
}

/// What one clause reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) act: Act,
    /// What it names, folded; empty for a verb alone.
    pub(super) objects: Vec<String>,
    /// The sentence.
    pub(super) text: String,
}

/// What a reply reports.
#[derive(Debug, Default)]
pub(super) struct Reports {
    pub(super) named: Vec<Report>,
    /// It says that it is done, in words that name nothing.
    pub(super) bare: Option<String>,
    /// It says that nothing is left of whatever was to be done.
    pub(super) nothing_left: Option<String>,
    /// It opens with a report.
    pub(super) opens: bool,
    /// So short that what it names is all that it means.
    pub(super) short: bool,
}

/// Reads the sentences of a reply.
pub(super) fn read(parts: &[Sentence]) -> Reports {
    let mut out = Reports::default();
    let mut at = 0;
    for part in parts {
        if matches!(part.place, Place::Quote | Place::Row | Place::Heading) || part.text.ends_with('?') {
            continue;
        }
        at += 1;
        let planned = [&part.heading, &part.intro].into_iter().filter_map(|above| classify(above));
        if planned.into_iter().any(|section| !matches!(section, Section::Done | Section::Files)) {
            continue;
        }
        if out.nothing_left.is_none() && ALL_LEFT.is_match(&part.seen) {
            out.nothing_left = Some(part.text.clone());
        }
        let (bare, named) = sentence(part);
        if at <= 2 {
            out.opens |= bare || !named.is_empty();
            if bare && out.bare.is_none() {
                out.bare = Some(part.text.clone());
            }
        }
        if out.named.len() < MOST {
            out.named.extend(named);
        }
    }
    out.short = at <= SHORT;
    out
}

/// What one sentence reports: that all is done, and what it names.
fn sentence(part: &Sentence) -> (bool, Vec<Report>) {
    let (mut text, mut seen) = (part.text.as_str(), part.seen.as_str());
    let opener = OPENER.find(seen).map_or(0, |found| found.end());
    (text, seen) = without(text, seen, opener);
    let mut bare = false;
    if let Some(found) = DONE.find(seen) {
        let rest = seen.get(found.end()..).unwrap_or("");
        let marks: &[char] = &[',', ':', ';', '-', '.', '!', '(', ' '];
        let named = rest.trim_start_matches(marks);
        if named.is_empty() || matches!(rest.trim(), "now." | "now" | "now!" | "sada.") {
            return (true, Vec::new());
        }
        if rest.trim_start().starts_with([',', ':', ';', '-', '.', '!', '(']) {
            bare = true;
            (text, seen) = without(text, seen, seen.len() - named.len());
        } else if let Some(named) = rest.trim_start().strip_prefix("with ") {
            let objects = act::objects(named);
            return (false, vec![Report { act: Act::any(), objects, text: part.text.clone() }]);
        }
    }
    if let Some(word) = ALONE.captures(seen).and_then(|found| found.get(1)) {
        let word = word.as_str();
        if (act::is_past(word) || act::is_serbian_past(word))
            && !TAKEN_IN.is_match(word)
            && let Some(act) = Act::of(word)
        {
            return (bare, vec![Report { act, objects: Vec::new(), text: part.text.clone() }]);
        }
    }
    (bare, clauses(text, &part.text))
}

/// A text and its seen form without the first `bytes` of the latter.
fn without<'t>(text: &'t str, seen: &'t str, bytes: usize) -> (&'t str, &'t str) {
    let rest = seen.get(bytes..).unwrap_or("").trim_start();
    let words = seen.word_count() - rest.word_count();
    (skip_words(text, words), rest)
}

/// The reports of a sentence's clauses.
fn clauses(text: &str, whole: &str) -> Vec<Report> {
    let mut out: Vec<Report> = Vec::new();
    // Subjects whose verb comes later, and whether the clause before says that something is not done.
    let (mut waiting, mut denied): (Vec<String>, bool) = (Vec::new(), false);
    for piece in pieces(text) {
        let seen = sense(&piece.replace('`', " "));
        if NOT_DONE.is_match(&seen) {
            denied = true;
            waiting.clear();
            continue;
        }
        if let Some((act, mut objects)) = clause(&seen) {
            denied = false;
            let mut subjects = std::mem::take(&mut waiting);
            subjects.append(&mut objects);
            out.push(Report { act, objects: subjects, text: whole.to_owned() });
        } else if denied {
        } else if let Some(last) = out.last_mut() {
            let more = act::objects(&piece);
            last.objects.extend(more);
        } else {
            waiting.extend(act::objects(&piece));
        }
    }
    out
}

/// Cuts at commas and at words that join, not within brackets.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let seen = sense(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = Vec::new();
    let mut start = 0;
    for found in CUT.find_iter(&seen) {
        let before = seen.get(..found.start()).unwrap_or("");
        if before.matches(['(', '[']).count() > before.matches([')', ']']).count() {
            continue;
        }
        let end = before.word_count();
        let next = words_before(&seen, found.end());
        out.push(words.get(start..end).unwrap_or_default().join(" "));
        start = next;
    }
    out.push(words.get(start..).unwrap_or_default().join(" "));
    out.retain(|piece| !piece.is_empty());
    out
}

/// The verb of a clause in the past, and what it names.
fn clause(seen: &str) -> Option<(Act, Vec<String>)> {
    let lead = SUBJECT.find(seen).map_or(0, |lead| lead.end());
    let speaks = lead > 0;
    let main = seen.get(lead..).unwrap_or(seen);
    let words: Vec<&str> = main.split_whitespace().map(|w| w.trim_matches(['.', '!', ':', ','])).collect();
    let first = words.first().copied()?;
    if TAKEN_IN.is_match(first) {
        return None;
    }
    let named = |from: usize| act::objects(words.get(from..).unwrap_or_default().join(" ").as_str());
    if act::is_past(first) || speaks && act::may_be_past(first) {
        return Some((Act::of_any_verb(first), named(1)));
    }
    if act::is_serbian_past(first) {
        let from = if words.get(1).is_some_and(|word| AUXILIARY.is_match(word)) { 2 } else { 1 };
        return Some((Act::of(first)?, named(from)));
    }
    // `X is written`, `X sam dodao`, `X added`.
    let at = words.iter().skip(1).position(|word| {
        act::is_past(word) || act::is_serbian_past(word) || matches!(*word, "complete" | "finished" | "ready")
    })? + 1;
    let verb = words.get(at).copied()?;
    let before = words.get(..at)?;
    let subject: Vec<&str> =
        before.iter().copied().rev().skip_while(|word| ADVERB.is_match(word)).collect::<Vec<_>>();
    let helped = subject.first().is_some_and(|word| AUXILIARY.is_match(word));
    let act = Act::of(verb)?;
    if !helped && (before.len() > MAX_SUBJECT || speaks) {
        return None;
    }
    let rest = words.iter().enumerate().filter(|(place, word)| *place != at && !AUXILIARY.is_match(word));
    let rest: Vec<&str> = rest.map(|(_, word)| *word).collect();
    Some((act, act::objects(&rest.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    fn named(reply: &str) -> Vec<Vec<String>> {
        read(&sentences(reply)).named.into_iter().map(|report| report.objects).collect()
    }

    #[test]
    fn reports_name_what_is_done_in_either_voice_and_language() {
        for (reply, objects) in [
            (
                "I added the login form and wrote two tests for it.",
                &[&["login", "form"][..], &["two", "tests"]][..],
            ),
            ("Quoting is implemented and the docs are written.", &[&["quoting"], &["docs"]]),
            ("Removed `src/a.ts` (old), `b.ts`.", &[&["a.ts", "old", "b.ts"]]),
            ("Validation and the docs are done.", &[&["validation", "docs"]]),
            ("`config.ts` moved to `src/`.", &[&["config.ts", "src"]]),
            ("Dodata je validacija unosa.", &[&["validacija", "unosa"]]),
            ("Додао сам дугме и написао тестове.", &[&["dugme"], &["testove"]]),
            ("Dokumentacija je napisana.", &[&["dokumentacija"]]),
        ] {
            assert_eq!(named(reply), objects, "{reply}");
        }
    }

    #[test]
    fn plans_questions_and_what_is_not_done_are_no_reports() {
        for reply in [
            "The tests are not written yet.",
            "I'll add the form next.",
            "Next steps:\n- Removed code goes to the archive",
            "Was the form added?",
            "When the form is added, run the tests.",
            "Validacija nije dodata.",
            "The server returned an error.",
            "Noted.",
            "Noted, the export is postponed.",
            "Postponed the export.",
            "Zapisano.",
            "Одложено.",
        ] {
            let found = named(reply);
            assert!(found.is_empty(), "{reply}: {found:?}");
        }
    }

    #[test]
    fn a_bare_report_names_nothing() {
        for reply in
            ["Done.", "All done!", "Both are done.", "Great, it's done.", "Gotovo.", "Oba su gotova."]
        {
            let found = read(&sentences(reply));
            assert!(found.bare.is_some() && found.named.is_empty(), "{reply}: {found:?}");
        }
        assert!(read(&sentences("Ok. Everything is done.")).nothing_left.is_some());
        assert!(read(&sentences("Sve je gotovo.")).nothing_left.is_some());
        assert!(read(&sentences("The parser is done.")).bare.is_none());
    }
}
