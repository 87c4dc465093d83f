//! What an agent's message and a host's summary say: decisions, work with its state, open items (DESIGN section 4).

use super::captured::Captured;
use super::clause;
use super::decision::{clip_decision, tier};
use super::kinds::{Kind, Source, TaskState};
use super::prose::{Place, Sentence, sentences};
use super::report::{self, Reports};
use super::section::{Section, classify};
use super::sense::{CountWords, sense, skip_words, words_before};
use super::walk::stated_decisions;
use crate::text::pattern::static_regex;

/// An introduction of at most this many words is a label.
const MAX_LABEL: usize = 4;
/// Decisions taken from one reply.
const MAX_DECISIONS: usize = 3;
/// Confidence of what a host's summary says: its words may be a model's invention.
const SUMMARY_CONFIDENCE: f32 = 0.4;

static_regex! {
    static NEXT_IS = r"^(?:so |then |and |now )*(?:(?:the )?next (?:big |major |logical )?(?:task|step|thing|package|work package|item|one|phase|up)?|up next|sledece|sledeci korak|sledeca stvar)\s*(?:is|will be|would be|:|-|je)\s*:?\s+(?:to )?(\S.*)$";
    static COMPLETED = r"^(?:(?:we|i)(?:'ve| have)? (?:now )?(?:completed|finished|implemented)|(?:excellent|good|great) progress!? (?:we|i)(?:'ve| have) completed)\s+(\S.{2,120}?)[.:!]?$";
    static COMPLETE_LABEL = r"^([a-z0-9][^:]{1,60}?)\s+(?:complete|completed|done|finished)\s*:?$";
    static TODO = r"^(?:todo|fixme)(?:\([^()]{1,40}\))?:\s+(\S.{4,})$";
    static BLOCKED = r"\b(?:blocked (?:on|by)|waiting (?:for|on) (?:your|the|a)|can't (?:continue|proceed) (?:until|without)|cannot (?:continue|proceed) (?:until|without)|still (?:open|unclear|undecided|unresolved|failing|broken)|remains? (?:open|unresolved|unclear)|blokiran\w*|cekam (?:na|tvoj\w*)|ne mogu dalje|i dalje (?:pada|ne radi)|ostaje otvoreno)\b";
    static FIXED = r"^(?:fixed|resolved|solved|closed|popravio sam|popravila sam|reseno:?|popravljeno:?)\s+(?:the |a |an )?(\S.{4,100}?)(?:\s+(?:in|with|by)\s+`?([0-9a-f]{7,40}|[\w/.-]+)`?)?[.!]?$";
    static DONE_REPORT = r"^(?:(?:all |ok,? |okay,? |great[,!.]? |perfect[,!.]? |excellent[,!.]? |good[,!.]? )*)(?:done|fixed|finished|completed?|created|updated|removed|deleted|added|moved|renamed|replaced|implemented|committed|pushed|merged|copied|all set|(?:i|we)(?:'ve| have) (?:now )?(?:\w+ed|split|written|made|put|set)|gotovo|uradjeno|zavrseno|sredjeno|popravljeno|dodato|obrisano)\b";
    static TICKED = r"(?:✅|✔|\[x\]|: (?:done|completed?)$)";
    static UNTICKED = r"(?:⬜|☐|❌|\[ \]|: (?:pending|todo|not started|open)$)";
    static FILE_ONLY = r"^[`\w./*-]+(?:\s*-.*)?$";
}

/// What a reply of the agent says. `works` tells that it calls tools: then its announcements are activity, and only plain
/// statements of a decision count. `awaited` tells that work is open whose report may be in it.
pub(super) fn read(text: &str, works: bool, awaited: bool) -> Heard {
    let parts = sentences(text);
    let mut out = Vec::new();
    let least = if works { tier::HEADING } else { tier::AGREED };
    let mut stated = stated_decisions(&parts);
    stated.retain(|stated| {
        let words = if stated.strength >= tier::HEADING { 2 } else { 3 };
        stated.strength >= least && stated.text.word_count() >= words
    });
    stated.sort_by_key(|stated| (std::cmp::Reverse(stated.strength), stated.at));
    stated.truncate(MAX_DECISIONS);
    stated.sort_by_key(|stated| stated.at);
    for found in stated {
        let confidence = f32::from(found.strength) / 125.0;
        let text = clip_decision(&found.text);
        let choices = clause::choices(&text);
        out.extend(
            choices.iter().map(|text| Captured::new(Kind::Decision, text, Source::Assistant, confidence)),
        );
    }
    if works {
        return Heard { found: out, done: false, reports: Reports::default() };
    }
    for part in &parts {
        let _noted = part.seen.noted();
        if let Some(found) = work(part, Source::Assistant, 0.6)
            && !out.iter().any(|known: &Captured| known.text == found.text)
        {
            out.push(found);
        }
    }
    let blocked = parts.iter().any(|part| BLOCKED.is_match(&part.seen));
    let done = !blocked && opens_with_report(&parts);
    let mut reports = if awaited { report::read(&parts) } else { Reports::default() };
    if blocked {
        (reports.bare, reports.nothing_left, reports.opens) = (None, None, false);
    }
    Heard { found: out, done, reports }
}

/// What a reply says.
pub(super) struct Heard {
    /// Candidates, in the order of the reply.
    pub(super) found: Vec<Captured>,
    /// A final reply reports that what was asked is done.
    pub(super) done: bool,
    /// What it reports as done.
    pub(super) reports: Reports,
}

/// Whether a final reply opens with a report that the work is done.
fn opens_with_report(parts: &[Sentence]) -> bool {
    let mut first = parts.iter().filter(|part| part.place != Place::Heading).take(2);
    first.any(|part| DONE_REPORT.is_match(&part.seen))
}

/// What a host's summary of dropped history says.
pub(super) fn read_summary(text: &str) -> Vec<Captured> {
    let parts = sentences(text);
    let mut out: Vec<Captured> = Vec::new();
    let mut above = None;
    for part in &parts {
        if part.place == Place::Heading {
            above = classify(&part.seen);
            continue;
        }
        if part.place == Place::Quote
            || !part.first
            || part.text.ends_with(':')
            || part.text.word_count() < 2
            || matches!(part.seen.as_str(), "(none)" | "none" | "n/a" | "none.")
        {
            continue;
        }
        let section = classify(&part.heading).or(above).or_else(|| classify(&part.intro));
        let whole = whole_block(&parts, part);
        let found = match section {
            Some(Section::Goal) => {
                Some(Captured::new(Kind::Goal, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Constraints) => {
                Some(Captured::new(Kind::Constraint, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Decisions) => {
                Some(Captured::new(Kind::Decision, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Learnings) => {
                Some(Captured::new(Kind::Learning, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Open) => {
                Some(Captured::new(Kind::OpenItem, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Blocked) => {
                Some(Captured::new(Kind::OpenItem, &whole, Source::Summary, SUMMARY_CONFIDENCE))
            }
            Some(Section::Done | Section::Doing | Section::Next) => {
                work_in(part, section, &whole, Source::Summary, SUMMARY_CONFIDENCE)
            }
            Some(Section::Files | Section::Errors) | None => None,
        };
        if let Some(found) = found
            && !out.iter().any(|known| known.text == found.text)
        {
            out.push(found);
        }
    }
    out
}

/// `Added X`, `Replaced Y`: a line of a change log.
fn past_report(text: &str) -> bool {
    let seen = sense(text);
    let first = seen.split_whitespace().next().unwrap_or("");
    // `WP3: the store (885 lines)` is a step of a plan.
    let step = first.ends_with(':') && first.bytes().any(|byte| byte.is_ascii_digit());
    !step && (first.ends_with("ed") || seen.contains(" lines"))
}

/// All sentences of the block that a sentence opens.
fn whole_block(parts: &[Sentence], first: &Sentence) -> String {
    let texts: Vec<&str> =
        parts.iter().filter(|part| part.block == first.block).map(|part| part.text.as_str()).collect();
    texts.join(" ")
}

/// Work with a state, or an open item, in a sentence or a list.
fn work(part: &Sentence, source: Source, confidence: f32) -> Option<Captured> {
    let seen = part.seen.as_str();
    if part.place == Place::Quote || part.text.word_count() < 2 {
        return None;
    }
    if let Some(left) = TODO.captures(seen).and_then(|found| found.get(1)) {
        let head = words_before(seen, left.start());
        let what = skip_words(&part.text, head).trim_end_matches('.');
        return Some(Captured::new(Kind::OpenItem, what, source, confidence));
    }
    if part.place == Place::Heading || part.text.ends_with(':') {
        let found = COMPLETE_LABEL.captures(seen)?.get(1)?;
        let named = found.as_str().chars().any(|c| c.is_ascii_digit());
        let words = found.as_str().word_count();
        let text: Vec<&str> = part.text.split_whitespace().take(words).collect();
        return named.then(|| Captured::task(&text.join(" "), TaskState::Done, source, confidence));
    }
    if matches!(part.place, Place::Item | Place::Row) {
        // A list of finished work counts only under a plain label: reports of one change are no tasks.
        let label = part.intro.word_count() <= MAX_LABEL;
        let section = classify(&part.intro)
            .or_else(|| part.intro.is_empty().then(|| classify(&part.heading)).flatten());
        let report = section == Some(Section::Done)
            && (!label || part.heading.is_empty() && part.intro.is_empty() || past_report(&part.text));
        if report && part.checked.is_none() {
            return None;
        }
        return part.first.then(|| work_in(part, section, &part.text, source, confidence)).flatten();
    }
    if seen.ends_with('?') {
        return None;
    }
    let rest_of = |found: regex::Match<'_>| {
        let head = words_before(seen, found.start());
        skip_words(&part.text, head).trim_end_matches(['.', '!', ':']).to_owned()
    };
    if let Some(found) = NEXT_IS.captures(seen).and_then(|found| found.get(1)) {
        return Some(Captured::task(&rest_of(found), TaskState::Open, source, confidence));
    }
    if let Some(found) = COMPLETED.captures(seen).and_then(|found| found.get(1)) {
        return Some(Captured::task(&rest_of(found), TaskState::Done, source, confidence));
    }
    if let Some(found) = FIXED.captures(seen) {
        let what = found.get(1)?;
        let head = words_before(seen, what.start());
        let words: Vec<&str> =
            skip_words(&part.text, head).split_whitespace().take(what.as_str().word_count()).collect();
        let mut settled = Captured::task(&part.text, TaskState::Done, source, confidence);
        settled.resolves = Some(words.join(" "));
        return Some(settled);
    }
    if BLOCKED.is_match(seen) && part.text.word_count() >= 4 {
        return Some(Captured::new(Kind::OpenItem, &part.text, source, confidence));
    }
    None
}

fn work_in(
    part: &Sentence,
    section: Option<Section>,
    text: &str,
    source: Source,
    confidence: f32,
) -> Option<Captured> {
    let seen = sense(text);
    let state = match part.checked {
        Some(true) => Some(TaskState::Done),
        Some(false) => Some(TaskState::Open),
        None if UNTICKED.is_match(&seen) && section.is_some() => Some(TaskState::Open),
        None if TICKED.is_match(&seen) && section.is_some() => Some(TaskState::Done),
        None => match section {
            Some(Section::Next | Section::Doing) => Some(TaskState::Open),
            Some(Section::Done) => Some(TaskState::Done),
            _ => None,
        },
    };
    if let Some(state) = state {
        let state = if section == Some(Section::Blocked) { TaskState::Blocked } else { state };
        return (!FILE_ONLY.is_match(&seen) || part.checked.is_some() || seen.contains(' '))
            .then(|| Captured::task(text, state, source, confidence));
    }
    match section {
        Some(Section::Blocked | Section::Open) => {
            Some(Captured::new(Kind::OpenItem, text, source, confidence))
        }
        Some(Section::Decisions) if source == Source::Summary => {
            Some(Captured::new(Kind::Decision, text, source, confidence))
        }
        _ => None,
    }
}
