//! An order that gives a thing another value, or puts one choice in the place of another: `make the timeout 60 s`, `switch
//! the store to Postgres`, `podigni limit na 250`. It says how things are to be from then on, whether or not it is work
//! as well.

use super::captured::Change;
use super::clause;
use super::lexicon::names_nothing;
use super::sense::{CountWords, sense, words_before};
use super::swap;
use crate::text::pattern::static_regex;

static_regex! {
    static LEAD = r"^(?:(?:please|just|now|and|then|but|so|ok|okay|also|actually|instead|rather|hm+|let's|lets|let us|we should|we can|molim te|sada|sad|ipak|onda|pa|a|ali|hajde|ajde|hajde da|samo),? )+";
    /// A verb that moves a value, what it moves, and the value.
    static TO_VALUE = r"^(?:change|raise|lower|increase|decrease|reduce|bump|extend|shorten|limit|cap|set|move|switch|drop|push|upgrade|downgrade|promeni\w*|povecaj\w*|smanji\w*|produzi\w*|skrati\w*|ogranici\w*|podigni\w*|podigne\w*|spusti\w*|pomeri\w*|prebaci\w*|vrati\w*|postavi\w*|nadogradi\w*) (?:[a-z][^\s,;]* ){1,8}?(?:up |down |back |nazad )?(?:to|at|na|do) (?:[a-z$€]+ ?)?\d";
    /// `Make the timeout 60 s`, `make the limit 5 instead of 3`.
    static MAKE_VALUE = r"^make (?:the |our |it |all )?(?:[a-z][^\s,;]* ){0,6}?(?:[$€]|v|port |version )?\d[\w.,:%]*(?: [a-z%]{1,10})?(?: (?:instead of|rather than|not|for|per|from)\b.*| instead[.!]*|\s*[,;.!-].*)?$";
    /// `2x faster`, `3 files`: no value of a setting.
    static NO_VALUE = r"\b\d+ ?(?:x|times)\b|\b\d+ (?:\w+ )?(?:files?|places?|lines?|columns?|rows?|modules?|functions?|sections?|pages?|steps?|cop(?:y|ies)|versions?|parts?|faster|slower|more|less|fajl\w*|mest\w*|del\w*)\b";
    /// A choice that takes the place of another; what it is follows.
    static TO_CHOICE = r"^(?:switch|go back|move over|change over|predj\w+|predi(?:te)?|prebaci(?:te)? se|vrati(?:te)? se) (?:(?:[a-z][^\s,;]* ){0,6}?)(?:back |over |nazad )?(?:to|na) (?:using |the |a |an )?(\S.*)$";
    /// Where one looks or stands, and not what is used.
    static PLACE = r"\b(?:branch|tab|window|worktree|director\w+|folder|file|page|screen|mode|view|line|top|bottom|left|right|start|end|beginning|step|task|issue|question|point|topic|section|chapter|work|grana|granu|grani|fajl\w*|folder\w*|stran\w+|prozor\w*|korak\w*|pitanj\w*|tem[aue]|pocet\w+|kraj\w*|posao|rad)\b|^(?:other|next|previous|last|first|same|old|new one|other one|main|master|it|that|this|me|you|him|her|them|sleded\w+|sled\w+|prethodn\w+|drug\w+|isto|staro|to|ovo|nju|njega|mene)\b|^[a-z]+ing\b|[/\\]";
    /// `VERB old with new`.
    static REPLACES = r"^(?:replace|swap|substitute|exchange|zameni|zamenite)(?: out)? (\S.*?) (?:with|by|for|sa|s|za) (\S.*)$";
    /// `VERB what from old to new`.
    static MOVES = r"^(?:change|raise|lower|increase|decrease|reduce|bump|extend|shorten|limit|cap|set|move|switch|drop|push|upgrade|downgrade|update|migrate|convert|port|transition|rename|turn|point|redirect|reassign|reschedule|postpone|go back|promeni\w*|povecaj\w*|smanji\w*|produzi\w*|skrati\w*|ogranici\w*|podigni\w*|podigne\w*|spusti\w*|pomeri\w*|prebaci\w*|premesti\w*|vrati\w*|postavi\w*|nadogradi\w*|migriraj\w*|preimenuj\w*|predji\w*|predjite|predi|predite)(?: (se)\b)?(?: (\S.*?))??(?: (?:from|sa|s) (\S.*?))?(?: up| down| back| over| nazad)? (?:to|into|onto|na) (?:using )?(\S.*)$";
    /// `VERB what new instead of old`.
    static MAKES = r"^(?:write|make|keep|put|store|run|send|deploy|host|build|do|pisi|pisite|salji|saljite|radi|radite|drzi|drzite|napisi|napravi) (\S.*?) (?:in |on |at |to |na |u )?(\S+(?: [a-z%]{1,10})?) (?:instead of|rather than|in place of|umesto) (\S.*)$";
    static MAKES_VALUE = r"^make (\S.*?) ((?:[$€]|v|port |version )?\d.*)$";
    /// `No X, use Y`: what is refused, and what is taken.
    static REFUSES = r"^(?:nemoj\w*(?: vise)?(?: da)?(?: korist\w+)?|ne|no|not|don't use|do not use|no more|stop using) ([^\s,;]+(?: [^\s,;]+){0,3}), (?:(?:but|a|vec|nego|instead|just) )*(?:use|take|go with|put|choose|pick|prefer|koristi\w*|stavi\w*|uzmi\w*|idi na|predji\w* na) ([^\s,;]+(?: [^\s,;]+){0,3})[.!]*$";
    /// `Postgres for the store`: what the choice is for.
    static FOR_WHAT = r"^(.+?) (?:for|za) (?:the |our |all )?([a-z][^\s,;]*(?: [^\s,;]+){0,3})$";
    static NOT_WHAT = r"^(?:now|this|that|it|me|us|sad|sada|to|ovo|both|all|good|real|\d)\b";
    /// Where what is named ends.
    static END = r"[,;]| -|\b(?: because| since| as (?:it|we|they)| so that| jer| zato| posto)\b|\.(?: |$)";
    static DETERMINER = r"^(?:the|our|my|a|an|all|this|that|its|taj|tu|te|nas|nasu)$";
}

/// The clause says which value or choice holds from now on.
pub(super) fn settles(seen: &str) -> bool {
    // What leads to an order is taken off only where there may be one.
    if ![&TO_VALUE, &MAKE_VALUE, &TO_CHOICE].iter().any(|pattern| pattern.may_be_in(seen)) {
        return false;
    }
    let seen = order(seen);
    if names_nothing(seen) {
        return false;
    }
    let goes = |word: &str| {
        matches!(word, "on" | "in" | "out" | "off" | "along" | "ahead" | "forward" | "up" | "down")
    };
    let moves_on = seen.split_whitespace().nth(1).is_some_and(goes);
    let value =
        !moves_on && (TO_VALUE.is_match(seen) || MAKE_VALUE.is_match(seen)) && !NO_VALUE.is_match(seen);
    let chosen = || {
        let found = TO_CHOICE.captures(seen).and_then(|found| found.get(1));
        found.is_some_and(|choice| {
            !PLACE.is_match(choice.as_str()) && choice.as_str().word_count() <= MAX_CHOICE
        })
    };
    value || chosen()
}

/// What an order changes: `raise the limit to 250`, `replace Jest with Vitest`.
pub(super) fn change(text: &str) -> Option<Change> {
    let seen = sense(text);
    let lead = seen.len() - order(&seen).len();
    let order = seen.get(lead..)?.trim_end_matches(['.', '!', ' ']);
    let order = order.strip_suffix(" instead").unwrap_or(order);
    let part = |found: Option<regex::Match<'_>>| -> String {
        let Some(found) = found else { return String::new() };
        let words = |bytes: usize| words_before(&seen, lead + bytes);
        let end = END.find(found.as_str()).map_or(found.end(), |end| found.start() + end.start());
        let name = clause::slice(text, words(found.start()), words(end));
        let kept = name.split_whitespace().skip_while(|word| DETERMINER.is_match(&sense(word)));
        let name = kept.collect::<Vec<_>>().join(" ");
        name.trim_matches([',', ';', '.', '!', ' ']).to_owned()
    };
    if let Some(found) = MAKES.captures(order) {
        return Some(Change { what: part(found.get(1)), old: part(found.get(3)), new: part(found.get(2)) });
    }
    if let Some(found) = REPLACES.captures(order) {
        return Some(Change { what: String::new(), old: part(found.get(1)), new: part(found.get(2)) });
    }
    if let Some(found) = MAKES_VALUE.captures(order).filter(|_| MAKE_VALUE.is_match(order)) {
        return Some(Change { what: part(found.get(1)), old: String::new(), new: part(found.get(2)) });
    }
    if let Some(found) = REFUSES.captures(order) {
        return Some(Change { what: String::new(), old: part(found.get(1)), new: part(found.get(2)) });
    }
    let Some(found) = MOVES.captures(order) else {
        let change = swap::change(text)?;
        return Some(if change.what.is_empty() { for_what(change) } else { change });
    };
    let change = Change { what: part(found.get(2)), old: part(found.get(3)), new: part(found.get(4)) };
    Some(if change.what.is_empty() { for_what(change) } else { change })
}

/// `Switch to Postgres for the store`: what changes may be told behind.
fn for_what(change: Change) -> Change {
    let seen = sense(&change.new);
    let Some((new, what)) = FOR_WHAT.captures(&seen).and_then(|found| Some((found.get(1)?, found.get(2)?)))
    else {
        return change;
    };
    let words = |bytes: usize| words_before(&seen, bytes);
    let (end, start, all) = (words(new.end()), words(what.start()), words(seen.len()));
    let kept = clause::slice(&change.new, 0, end);
    if NOT_WHAT.is_match(what.as_str()) {
        return Change { new: kept, ..change };
    }
    Change { what: clause::slice(&change.new, start, all), new: kept, ..change }
}

/// More words are a story.
const MAX_CHOICE: usize = 14;

/// Without what leads to the order.
fn order(seen: &str) -> &str {
    let lead = LEAD.find(seen).map_or(0, |lead| lead.end());
    seen.get(lead..).unwrap_or(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_or_choice_settles_how_things_are() {
        for text in [
            "Make the upload limit 20 MB instead of 10.",
            "bump the worker count up to 6",
            "move the metrics endpoint to 9443",
            "Actually, switch the job queue to RabbitMQ.",
            "switch back to yarn",
            "Podigni broj radnika na 12",
            "Pređi na Node 22",
            "Ипак пређи на Valkey",
            "pomeri rok na 15. mart",
        ] {
            assert!(settles(&sense(text)), "{text}");
        }
    }

    #[test]
    fn places_and_pointers_settle_nothing() {
        for text in [
            "switch to the release branch",
            "switch to the other tab",
            "switch to it",
            "move the parser into 3 files",
            "make the parser 2x faster",
            "make 3 copies of the file",
            "switch to writing the tests",
            "pređi na sledeći korak",
            "go back to the start",
            "move on to 2 other things",
        ] {
            assert!(!settles(&sense(text)), "{text}");
        }
    }

    #[test]
    fn an_order_tells_what_changes_and_to_what() {
        for (text, what, old, new) in [
            ("Raise the upload limit to 20 MB, please", "upload limit", "", "20 MB"),
            ("Replace Jest with Vitest.", "", "Jest", "Vitest"),
            ("zameni Redis sa Valkey", "", "Redis", "Valkey"),
            ("Migrate the store from SQLite to Postgres", "store", "SQLite", "Postgres"),
            ("switch to pnpm", "", "", "pnpm"),
            ("go back to the small model for summaries", "summaries", "", "small model"),
            ("switch to pnpm for now", "", "", "pnpm"),
            ("Ipak nemoj Redis, stavi Valkey", "", "Redis", "Valkey"),
            ("don't use yarn, take pnpm", "", "yarn", "pnpm"),
            ("Pređi na Node 22", "", "", "Node 22"),
            ("Врати износе на динаре", "износе", "", "динаре"),
            ("Make the request timeout 60 s instead of 30", "request timeout", "30", "60 s"),
            ("make the queue size 50", "queue size", "", "50"),
            ("Write the manual in German instead of French", "manual", "French", "German"),
        ] {
            let is = Change { what: what.to_owned(), old: old.to_owned(), new: new.to_owned() };
            assert_eq!(change(text), Some(is), "{text}");
        }
        for text in ["Add a test for the parser", "Fix the login page", "Popravi izvoz", "use Redis"] {
            assert_eq!(change(text), None, "{text}");
        }
    }
}
