//! Work that is to be done, and which of it an agent's report settles: a report that names one thing settles that thing
//! only; one that names nothing settles all that was asked.

use super::act::{self, Act};
use super::answer;
use super::kinds::Source;
use super::lexicon::{is_serbian_change, starts_with_order};
use super::report::{self, Report, Reports};
use super::sense::{sense, skip_words, words_before};
use crate::text::pattern::static_regex;
use serde::{Deserialize, Serialize};

/// Of so many words of one thing a report may leave one out.
const SOME_OF: usize = 3;

static_regex! {
    static LEAD = r"^(?:(?:please|also|and|then|now|next|first|finally|we|i|you|still|need to|needs to|have to|want to|let's|lets|can you|could you|todo|ok|so|just|molim te|treba|da|jos|hajde|zatim|onda|prvo|optional(?:ly)?|wp ?\d+|step ?\d+|korak ?\d+)[,:.]?\s+)+";
    /// What tells that it is open, behind it.
    static STATE = r"\s+(?:(?:is|are|je|su|remains?|ostaje|ostaju)\s+)?(?:still |yet |jos |i dalje )*(?:open|missing|pending|unresolved|unclear|undecided|to do|left|to be done|not (?:yet )?(?:done|finished|implemented|written|started)(?: yet)?|otvoren\w*|nije (?:jos )?\w+|nisu (?:jos )?\w+)[.!]*$";
    static ALL = r"\b(?:all|everything|both|sve|svi|oba|obe|oboje)\b";
    static PREPOSITION = r"^(?:for|to|in|on|of|with|from|at|by|into|onto|as|so|that|where|which|using|za|u|na|sa|s|iz|od|do|o|kao|da|koji|koja|koje)$";
}

/// Work that is to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) text: String,
    #[serde(default = "by_person")]
    pub(super) source: Source,
    /// It is what the session is about: not done because the person goes on after a step of it.
    #[serde(default)]
    pub(super) goal: bool,
    /// It was told as an open item and not as a task.
    #[serde(default)]
    pub(super) item: bool,
    /// A report named other work that was asked beside it, or a part of it: only a report settles it.
    #[serde(default)]
    pub(super) left: bool,
    /// Numbers of its parts that were reported done.
    #[serde(default)]
    pub(super) covered: Vec<usize>,
}

fn by_person() -> Source {
    Source::User
}

impl Open {
    pub(super) fn new(text: &str, source: Source) -> Self {
        Self { text: text.to_owned(), source, goal: false, item: false, left: false, covered: Vec::new() }
    }
}

/// One thing that is to be done.
struct Part {
    act: Act,
    objects: Vec<String>,
    /// The word that names what is to be done, without which no shorter report means it.
    head: Option<String>,
}

/// The things that work asks for, each with its verb: `fix the login bug, add a logout button and write docs`.
fn parts(text: &str) -> Vec<Part> {
    let seen = sense(text);
    let state = STATE.find(&seen).map_or(seen.len(), |found| found.start());
    let kept = words_before(&seen, state);
    let kept: Vec<&str> = text.split_whitespace().take(kept).collect();
    let mut out: Vec<Part> = Vec::new();
    let mut act = Act::any();
    for piece in report::pieces(&kept.join(" ")) {
        let seen = sense(&piece);
        let lead = LEAD.find(&seen).map_or(0, |lead| words_before(&seen, lead.end()));
        let (mut words, seen) = (skip_words(&piece, lead), skip_words(&seen, lead));
        let first = seen.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
        let orders = starts_with_order(seen) || is_serbian_change(first);
        let known = Act::of(first).filter(|_| !act::is_past(first));
        if let Some(verb) = known.or_else(|| orders.then(|| Act::of_any_verb(first))) {
            act = verb;
            words = skip_words(words, 1);
        } else if out.is_empty() && orders_by_verb(seen) {
            act = Act::of_any_verb(first);
            words = skip_words(words, 1);
        }
        out.push(Part { act: act.clone(), objects: things(words), head: head(words) });
    }
    out
}

/// A word before a determiner is a verb.
fn orders_by_verb(seen: &str) -> bool {
    let second = seen.split_whitespace().nth(1).unwrap_or("");
    matches!(second, "the" | "a" | "an" | "all" | "our" | "every" | "each" | "both")
}

/// What is named; nouns that fit all only where there are no others.
fn things(words: &str) -> Vec<String> {
    let all = act::objects(words);
    let telling: Vec<String> = all.iter().filter(|word| !act::is_generic(word)).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// `validation` of `input validation for the form`; Serbian names the thing first.
fn head(words: &str) -> Option<String> {
    let all: Vec<&str> = words.split_whitespace().collect();
    let end =
        all.iter().skip(1).position(|word| PREPOSITION.is_match(&sense(word))).map_or(all.len(), |at| at + 1);
    let group = things(&all.get(..end).unwrap_or_default().join(" "));
    group.last().cloned()
}

impl Part {
    /// The report names all of it.
    fn is_named_by(&self, report: &Report) -> bool {
        if !report.act.fits(&self.act) || report.objects.is_empty() {
            return false;
        }
        let has = |word: &String| act::names(&report.objects, word);
        let files: Vec<&String> = self.objects.iter().filter(|word| is_file(word)).collect();
        if !files.is_empty() {
            return files.into_iter().all(has);
        }
        if self.objects.is_empty() {
            return !report.act.is_any() && !self.act.is_any();
        }
        let missing = self.objects.iter().filter(|word| !has(word)).count();
        let headed = self.head.as_ref().is_none_or(has);
        missing == 0 || missing == 1 && self.objects.len() >= SOME_OF && headed && !self.act.is_any()
    }

    /// The report names it by fewer words: `added the tests` of `write tests for the parser`.
    fn may_be_meant_by(&self, report: &Report) -> bool {
        let telling = act::telling(&report.objects, &[]);
        let headed = self.head.as_ref().is_some_and(|head| act::names(&telling, head));
        report.act.fits(&self.act) && headed && telling.iter().all(|word| act::names(&self.objects, word))
    }
}

fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty() && (1..=5).contains(&ending.len()) && !ending.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Whether a report of one thing leaves something of the work open: other things that the work asks for beside it.
pub(crate) fn leaves_some(work: &str, report: &str) -> bool {
    let mut parts = parts(work);
    parts.retain(|part| !part.objects.is_empty());
    if parts.len() < 2 {
        return false;
    }
    let said = act::objects(report);
    let named = |part: &Part| part.objects.iter().any(|word| act::names(&said, word));
    parts.iter().any(named) && !parts.iter().all(named)
}

/// Takes the work that a reply reports done out of the lists: what was asked, and what the agent listed as left.
pub(super) fn settle(asked: &mut Vec<Open>, listed: &mut Vec<Open>, reports: &Reports) -> Vec<Open> {
    let mut done = Vec::new();
    if reports.nothing_left.is_some() {
        done.append(&mut take(listed, |open| !open.text.contains('?')));
        done.append(&mut take(asked, |open| !answer::starts(&open.text)));
        return done;
    }
    if reports.named.is_empty() && reports.bare.is_none() {
        return done;
    }
    let all: Vec<Vec<Part>> = asked.iter().chain(listed.iter()).map(|open| parts(&open.text)).collect();
    let mut named = false;
    for report in &reports.named {
        let meant = if report.objects.is_empty() {
            alone(report, &all)
        } else {
            let full = matching(&all, |part| part.is_named_by(report));
            let short = || matching(&all, |part| part.may_be_meant_by(report));
            if full.is_empty() {
                Some(short()).filter(|meant| same_words(meant, &all)).unwrap_or_default()
            } else {
                full
            }
        };
        for (at, part) in meant {
            named |= at < asked.len();
            let open = if at < asked.len() { asked.get_mut(at) } else { listed.get_mut(at - asked.len()) };
            if let Some(open) = open.filter(|open| !open.covered.contains(&part)) {
                open.covered.push(part);
            }
        }
    }
    let whole =
        |at: usize, open: &Open| all.get(at).is_some_and(|parts| open.covered.len() >= parts.len().max(1));
    let count = asked.len();
    let mut at = 0..count;
    done.append(&mut take(asked, |open| at.next().is_some_and(|at| whole(at, open))));
    let mut at = count..all.len();
    done.append(&mut take(listed, |open| at.next().is_some_and(|at| whole(at, open))));
    if named {
        asked.iter_mut().for_each(|open| open.left = true);
    }
    let only_named = named && reports.short && !reports.named.is_empty();
    let says_done = reports.bare.is_some() || alone_means_all(reports, named);
    if says_done && !only_named || !named && reports.opens && is_one(asked, reports) {
        // What was started is over when the person goes on: who says `done` need not mean all of it. Of what was listed as
        // left and what was asked since, it means the latter.
        let asked_since = asked.iter().any(|open| !open.left);
        let means_left = reports.bare.as_deref().is_some_and(|bare| says_all(bare) || !asked_since);
        done.append(&mut take(asked, |open| !answer::starts(&open.text) && (!open.left || means_left)));
    }
    done
}

/// `All done`, `both are done`.
fn says_all(bare: &str) -> bool {
    ALL.is_match(&sense(bare))
}

/// `Fixed.`: a verb alone, that fits nothing in particular.
fn alone_means_all(reports: &Reports, named: bool) -> bool {
    !named && reports.opens && reports.named.first().is_some_and(|report| report.objects.is_empty())
}

/// One thing was asked, and the reply reports work of that kind in other words.
fn is_one(asked: &[Open], reports: &Reports) -> bool {
    let [one] = asked else { return false };
    let parts = parts(&one.text);
    let [part] = parts.as_slice() else { return false };
    !one.left && reports.named.iter().any(|report| report.act.fits(&part.act))
}

/// A verb without an object means the parts with that verb, where there are others beside them.
fn alone(report: &Report, all: &[Vec<Part>]) -> Vec<(usize, usize)> {
    if report.act.is_any() {
        return Vec::new();
    }
    matching(all, |part| !part.act.is_any() && report.act.fits(&part.act))
}

fn matching(all: &[Vec<Part>], means: impl Fn(&Part) -> bool) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (at, parts) in all.iter().enumerate() {
        out.extend(parts.iter().enumerate().filter(|(_, part)| means(part)).map(|(part, _)| (at, part)));
    }
    out
}

/// All that could be meant is one thing, said once or more.
fn same_words(meant: &[(usize, usize)], all: &[Vec<Part>]) -> bool {
    let words = |(at, part): &(usize, usize)| {
        all.get(*at).and_then(|parts| parts.get(*part)).map(|part| &part.objects)
    };
    let first = meant.first().and_then(words);
    first.is_some() && meant.iter().all(|other| words(other) == first)
}

fn take(list: &mut Vec<Open>, mut is_taken: impl FnMut(&Open) -> bool) -> Vec<Open> {
    let (taken, left) = std::mem::take(list).into_iter().partition(|open| is_taken(open));
    *list = left;
    taken
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    /// What of the work stays open after a reply.
    fn left(asked: &[&str], listed: &[&str], reply: &str) -> Vec<String> {
        let open =
            |texts: &[&str], source| texts.iter().map(|text| Open::new(text, source)).collect::<Vec<_>>();
        let (mut asked, mut listed) = (open(asked, Source::User), open(listed, Source::Assistant));
        settle(&mut asked, &mut listed, &report::read(&sentences(reply)));
        asked.into_iter().chain(listed).map(|open| open.text).collect()
    }

    #[test]
    fn a_report_settles_what_it_names_and_nothing_else() {
        for (asked, reply, open) in [
            (
                &["Publish the package", "Add a changelog"][..],
                "Added the changelog.",
                &["Publish the package"][..],
            ),
            (&["write tests for the lexer", "add a cache"], "I added the cache and wrote the tests.", &[]),
            (
                &["Delete the old reader", "Rename the writer"],
                "- Removed the old reader\n- Renamed the writer",
                &[],
            ),
            (
                &["Repair the sign-up page, add a captcha and write docs."],
                "Repaired the sign-up page.",
                &["Repair the sign-up page, add a captcha and write docs."],
            ),
            (
                &["Dodaj izvoz u CSV", "Obriši stare logove"],
                "Stari logovi su obrisani.",
                &["Dodaj izvoz u CSV"],
            ),
            (&["Додај извоз у CSV", "Обриши старе логове"], "Додао сам извоз.", &["Обриши старе логове"]),
            (&["Write the importer for the depot"], "The depot is ready.", &[]),
            (&["Add a footer", "Fix the header"], "Renamed the logo.", &["Add a footer", "Fix the header"]),
        ] {
            assert_eq!(left(asked, &[], reply), open, "{reply}");
        }
    }

    #[test]
    fn a_report_that_names_nothing_settles_all_that_was_asked() {
        for reply in ["Done.", "All done.", "Both are done.", "Gotovo.", "Готово.", "Everything is done."]
        {
            assert_eq!(left(&["Add a footer", "Deploy the page"], &[], reply), [""; 0], "{reply}");
        }
        for (listed, reply) in [
            (&["Paging and the docs are still open."][..], "Paging is implemented and the docs are written."),
            (
                &["Delete old code (`src/a.ts`, `b.ts`)", "Rename `a-new.ts` → `a.ts`"],
                "### Cleanup\n- Removed `a.ts` (old), `b.ts`\n- Renamed `a-new.ts` → `a.ts`",
            ),
            (&["Delete old code"], "Everything is done."),
        ] {
            assert_eq!(left(&[], listed, reply), [""; 0], "{reply}");
        }
        assert_eq!(left(&[], &["Delete old code"], "Done."), ["Delete old code"]);
    }

    #[test]
    fn the_parts_of_one_order_are_reported_one_by_one() {
        let mut asked =
            vec![Open::new("Fix the login bug, add a logout button and write docs.", Source::User)];
        for (reply, count) in
            [("Fixed the login bug.", 1), ("Added the logout button.", 1), ("The docs are written.", 0)]
        {
            settle(&mut asked, &mut Vec::new(), &report::read(&sentences(reply)));
            assert_eq!(asked.len(), count, "{reply}");
        }
        assert!(leaves_some("Fix the login bug and add a logout button", "login bug"));
        assert!(!leaves_some("Fix the login bug", "login bug"));
    }
}
