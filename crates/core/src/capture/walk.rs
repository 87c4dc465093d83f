//! A reply read from its start to its end: headings and introductions that say what stands below them, what is taken back,
//! words that call the sentence before or after them decided.

use super::decision::{CLOSED_HEADING, OTHER_HEADING, Stated, View, marked, tier};
use super::prose::{Place, Sentence, is_ornament};
use super::sense::{CountWords, skip_words};
use super::{label, settled};
use crate::text::pattern::static_regex;
use std::cell::OnceCell;

/// A decision of fewer words takes the next sentence along.
const SHORT_DECISION: usize = 4;
/// A reply of at most so many words is short.
const MAX_SHORT: usize = 24;

static_regex! {
    /// The earlier statements no longer hold.
    static WITHDRAWN = r"\b(?:scrap that|scratch that|forget (?:that|it|what i said)|ignore (?:that|what i said|my earlier)|never ?mind|on second thought|changed my mind|i was wrong|correction|strike that|i take (?:that|it) back|disregard|odustaje\w+ od (?:tog\w*|ovog\w*|te|ideje|njega|nje)|zaboravi (?:to|sto)|predomisli\w+|ipak ne|ispravka|povlacim)\b|^(?:edit|update|correction|ispravka|izmena)\s*:|^(?:actually|wait),? no\b|^no[,:] wait\b";
    static WITHDRAWS_ONLY = r"^odustaje\w+ od (?:tog\w*|ovog\w*|te|ideje|njega|nje)\b";
    static DONE_WORD = r"^(?:done|fixed|applied|changed|updated|switched|implemented|resolved|sorted|gotovo|reseno|popravljeno|sredjeno|uradjeno|zavrseno|promenjeno)[.!]?$";
    static DECISION_HEADING = r"^(?:\d+(?:\.\d+)*[.)]? )?(?:(?:the|our|my|final|key|design|main|konacna|kljucne|glavne)\s+){0,3}(?:decision|decisions|choice|izbor|chosen (?:option|approach|solution|design)|what we (?:decided|agreed|chose|do|will do)|where (?:we|this|things|it) (?:landed|ended up|stands?)|agreed(?: approach| plan| structure| design)?|outcome|resolution|verdict|conclusion|the plan|plan|approach|solution|odluka|odluke|sta smo (?:odlucili|dogovorili)|dogovor|dogovoreno|zakljucak|izabrano resenje|resenje|pristup)(?:\s+(?:made|taken|so far|record|for .{1,40}))?$";
}

/// Every decision that the sentences state, in order; what a later sentence withdraws is left out.
pub(super) fn stated_decisions(sentences: &[Sentence]) -> Vec<Stated> {
    let status = label::status(sentences);
    if status == Some(label::Status::NotAccepted) {
        return Vec::new();
    }
    let mut out: Vec<Stated> = Vec::new();
    let mut withdrawn_at: Option<usize> = None;
    let (mut marker_open, mut shaken) = (false, false);
    let (mut done_block, mut intro_taken) = (None, "");
    let mut headings = Headings::default();
    let whole = Whole::of(sentences);
    for (at, sentence) in sentences.iter().enumerate() {
        let _noted = sentence.seen.noted();
        let seen = sentence.seen.as_str();
        if WITHDRAWN.is_match(seen) && sentence.place != Place::Quote {
            out.clear();
            withdrawn_at = Some(at);
        }
        if WITHDRAWS_ONLY.is_match(seen) {
            continue;
        }
        if DONE_WORD.is_match(seen) {
            done_block = Some(at);
            continue;
        }
        if sentence.place == Place::Heading {
            headings.enter(sentence);
            if let Some(stated) = marked(&sentence.text, seen, at) {
                out.push(stated);
            }
            marker_open = label::stands_alone(seen);
            continue;
        }
        headings.under(&sentence.heading);
        if label::stands_alone(seen) {
            marker_open = true;
            continue;
        }
        if label::seals(seen) && !sentence.first {
            out.extend(sealed(sentences, at).filter(|sealed| out.iter().all(|known| known.at != sealed.at)));
            continue;
        }
        if label::shakes_hands(seen) {
            shaken = true;
            continue;
        }
        let near_withdrawal = withdrawn_at.is_some_and(|from| at - from <= 3);
        let after_done = done_block.is_some_and(|from| at - from <= 2);
        let concludes = std::mem::take(&mut shaken);
        let view = View { sentence, at, near_withdrawal, after_done, concludes, whole: &whole };
        let mut stated = view.stated();
        let listed = matches!(sentence.place, Place::Item | Place::Quote)
            && *intro_taken != *sentence.intro
            && label::announces(&sentence.intro);
        let in_decision = marker_open || listed || headings.decide();
        if stated.as_ref().is_none_or(|stated| stated.strength < tier::HEADING)
            && in_decision
            && view.under_heading(listed)
        {
            stated = Some(view.whole(tier::HEADING));
        }
        marker_open = false;
        // `We decided three things:` says nothing without them.
        let Some(mut stated) = stated.filter(|stated| !stated.text.ends_with(':')) else { continue };
        if stated.strength >= tier::HEADING {
            headings.taken = true;
            intro_taken = &sentence.intro;
        }
        if stated.text.word_count() < SHORT_DECISION
            && stated.strength >= tier::INTENT
            && let Some(next) = sentences.get(at + 1).filter(|next| next.block == sentence.block)
            && !label::seals(&next.seen)
        {
            stated.text = format!("{} {}", stated.text, next.text);
        }
        out.push(stated);
    }
    if status == Some(label::Status::Accepted)
        && !out.iter().any(|stated| stated.strength >= tier::HEADING)
        && let Some((at, text)) = label::record_title(sentences)
    {
        out.insert(0, Stated { text, strength: tier::HEADING, at });
    }
    out
}

/// `Port 8443. Decided.`: the sentence before is the decision.
fn sealed(sentences: &[Sentence], at: usize) -> Option<Stated> {
    let before = at.checked_sub(1).and_then(|at| sentences.get(at))?;
    let same = before.block == sentences.get(at)?.block && !before.text.ends_with(['?', ':']);
    let text = skip_words(&before.text, before.seen.opened().1).to_owned();
    same.then_some(Stated { text, strength: tier::MARKER, at: at - 1 })
}

/// The headings above a sentence, as far as they say that decisions stand below.
#[derive(Default)]
struct Headings<'a> {
    newest: &'a str,
    /// The newest heading says decision.
    decides: bool,
    /// The level of a decision heading further up.
    above: Option<usize>,
    /// The newest heading gave its decision.
    taken: bool,
}

impl<'a> Headings<'a> {
    fn enter(&mut self, heading: &'a Sentence) {
        self.taken = false;
        let level = if heading.mark.is_empty() { 7 } else { heading.mark.len() };
        if self.above.is_some_and(|above| level <= above) {
            self.above = None;
        }
        if self.above.is_none() && decides_below(heading.seen.trim_start_matches(is_ornament)) {
            self.above = Some(level);
        }
    }

    fn under(&mut self, heading: &'a str) {
        if *heading != *self.newest {
            self.newest = heading;
            self.decides = decides_below(heading)
                || self.above.is_some()
                    && !OTHER_HEADING.is_match(heading)
                    && !CLOSED_HEADING.is_match(heading);
        }
    }

    fn decide(&self) -> bool {
        self.decides && !self.taken
    }
}

/// A heading of decisions.
fn decides_below(heading: &str) -> bool {
    let heading = heading.trim_end_matches([':', ' ']);
    DECISION_HEADING.is_match(heading) || label::names_decision(heading)
}

/// What is told by the reply as a whole.
#[derive(Default)]
pub(super) struct Whole<'a> {
    /// It is one or two short sentences.
    pub(super) short: bool,
    /// The last sentence.
    pub(super) last: usize,
    sentences: &'a [Sentence],
    /// The first sentence that compares; looked for when somebody asks.
    compares: OnceCell<Option<usize>>,
}

impl<'a> Whole<'a> {
    pub(super) fn of(sentences: &'a [Sentence]) -> Self {
        let words: usize = sentences.iter().take(5).map(|part| part.seen.word_count()).sum();
        Self {
            short: sentences.len() <= 4 && words <= MAX_SHORT,
            last: sentences.len().saturating_sub(1),
            sentences,
            compares: OnceCell::new(),
        }
    }

    /// Something was compared before the sentence with this number.
    pub(super) fn compared_before(&self, at: usize) -> bool {
        let first = || self.sentences.iter().position(|part| settled::compares(&part.seen));
        self.compares.get_or_init(first).is_some_and(|first| first < at)
    }
}
