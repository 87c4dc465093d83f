//! What stands under a heading or behind an introduction: the headings of Pi, of OpenClaw's safeguard, of packets, and
//! freer ones that people and models write.

use super::sense::CountWords;
use crate::text::pattern::static_regex;

/// What the entries of a section are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Goal,
    Constraints,
    Decisions,
    Done,
    Doing,
    Blocked,
    Next,
    Open,
    Learnings,
    Files,
    Errors,
}

static_regex! {
    static OPEN = r"\b(?:open questions?|open items?|questions?|unresolved|unclear|known (?:issues?|problems?|bugs?)|pending user asks?|user asks|needs? (?:an )?answer|undecided|still open|otvoren\w*|pitanja|nereseno)\b";
    static BLOCKED = r"\b(?:block\w*|stuck|waiting (?:for|on)|on hold|blokiran\w*|ceka\w* na|zaglavljen\w*)\b";
    static DECISIONS = r"\b(?:decisions?|decided|agreed(?: structure| approach| plan| design)?|chosen|choices made|odluke?|dogovor\w*)\b";
    static CONSTRAINTS = r"\b(?:constraints?|rules|requirements?|preferences|guidelines?|must(?:s| haves?)?|conventions?|ogranicenj\w+|pravila|zahtevi|uslovi)\b";
    static DONE = r"\b(?:done|completed?|finished|accomplished|what was done|already (?:done|moved|in place)|shipped|early progress|progress so far|implemented|uradjeno|zavrseno|gotovo)\b";
    static DOING = r"\b(?:in progress|current (?:task|work|step|state)|currently|active (?:tasks?|work)|working on|u toku|trenutno)\b";
    static NEXT = r"\b(?:next(?: steps?| up| actions?)?|remaining|to ?dos?|todos?|pending|left to do|still to (?:do|come)|upcoming|outstanding|backlog|action items|sledece|sledeci koraci|preostalo|ostalo je|treba (?:jos )?da|(?:jos )?treba(?: jos)?|za uraditi|zadaci)\b";
    static PACKAGES = r"\b(?:work packages?|tasks?|zadaci)\b";
    static GOAL = r"^(?:(?:the|main|our|overall|project|session|primary)\s+)*(?:goals?|objectives?|original request|aim|purpose|mission|cilj\w*|zadatak)\b";
    static LEARNINGS = r"\b(?:learnings?|lessons?(?: learned)?|gotchas?|insights?|naucen\w*|zapazanja)\b";
    static FILES = r"\b(?:files?(?: (?:read|modified|touched|changed|created))?|identifiers|key files|relevant files|resources|paths|fajlovi)\b";
    static ERRORS = r"\b(?:errors?|failures?|broken|bugs?|greske?)\b";
}

/// The section that a heading or an introduction opens, from its folded words. Long sentences open none.
pub(super) fn classify(seen: &str) -> Option<Section> {
    let seen = seen.trim().trim_end_matches(':');
    if seen.is_empty() || seen.word_count() > 9 {
        return None;
    }
    let found = [
        (&GOAL, Section::Goal),
        (&OPEN, Section::Open),
        (&BLOCKED, Section::Blocked),
        (&DECISIONS, Section::Decisions),
        (&NEXT, Section::Next),
        (&DOING, Section::Doing),
        (&DONE, Section::Done),
        (&PACKAGES, Section::Next),
        (&LEARNINGS, Section::Learnings),
        (&CONSTRAINTS, Section::Constraints),
        (&FILES, Section::Files),
        (&ERRORS, Section::Errors),
    ];
    found.into_iter().find(|(pattern, _)| pattern.is_match(seen)).map(|(_, section)| section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_hosts_and_freer_ones_are_told_apart() {
        for (heading, section) in [
            ("goal", Section::Goal),
            ("constraints & preferences", Section::Constraints),
            ("constraints/rules", Section::Constraints),
            ("done", Section::Done),
            ("in progress", Section::Doing),
            ("blocked", Section::Blocked),
            ("key decisions made", Section::Decisions),
            ("agreed structure", Section::Decisions),
            ("next steps", Section::Next),
            ("open todos", Section::Next),
            ("pending user asks", Section::Open),
            ("open questions and blockers", Section::Open),
            ("completed work packages (wp1-wp13)", Section::Done),
            ("exact identifiers", Section::Files),
            ("preostalo", Section::Next),
            ("odluke", Section::Decisions),
        ] {
            assert_eq!(classify(heading), Some(section), "{heading}");
        }
        assert_eq!(classify("critical context"), None);
        assert_eq!(classify("branch"), None);
    }
}
