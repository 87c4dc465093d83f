//! What a person allows again, and whether a text forbids just that: `you can touch legacy again` ends `don't touch the
//! legacy folder for now`; what a ban waits for ends it when it is there.

use super::act::{self, Act};
use super::captured::{Captured, Withdrawn};
use super::clause;
use super::kinds::Source;
use super::prose::{Place, Sentence};
use super::report::pieces;
use super::sense::{CountWords, sense};
use super::statement::{self, NOT_ORDER};
use crate::text::pattern::static_regex;

/// No sentence allows more.
const MOST: usize = 2;
/// So many words of what is waited for must be told.
const TOLD: usize = 2;

static_regex! {
    static CUE = r"\b(?:can|may|free|allow|permit|unlock|mozes|mozete|smes|smete|slobod|dozvol|otkljuc|u redu)| ok";
    /// What is waited for is mostly over, or there: not on the way through, over or back.
    static IS_THERE = r"\b(?:is|are|was|were|be|been|'s|'re|now|all|finally) (?:\w+ )?(?:over|through|back|here)\b|\b(?:done|finish\w*|complete\w*|ready|merged|approved|released|deployed|shipped|landed|green|pass(?:es|ed|ing)?|fixed|signed|zavrs\w*|gotov\w*|spremn?\w*|prolaz\w*|pros[aoli]+|stig\w*|odobr\w*|spojen\w*|objavljen\w*|zelen\w*|resen\w*|popravljen\w*)\b";
    static PERMITS = r"^(?:(?:ok|okay|alright|fine|yes|now|so|and|dobro|e|u redu|sada|sad|od sada|ipak|pa|i|vazi),? )*(?:you (?:may|can|are (?:now )?(?:allowed|free|welcome|permitted) to)|feel free to|(?:it is|it's|its) (?:now |again )?(?:ok|okay|fine|allowed|safe|permitted|alright|all right) (?:now |again )?(?:for you )?to|(?:ti |sada |sad |opet |ipak )*(?:smes|smete|mozes|mozete|slobodno|dozvoljeno (?:ti |vam )?je|u redu je))(?: (?:now|again|also|freely|sada|sad|opet|slobodno|i|da))* ([a-z-]+)\b(.*)$";
    static FREES = r"^(?:(?:ok|okay|now|so|and|sada|sad|pa|i),? )*(.{3,50}?) (?:is|are|je|su) (?:now |again |sada |sad |opet |ponovo )*(?:allowed|permitted|free|unlocked|dozvoljen\w*|slobod\w*|otkljucan\w*)(?: (?:now|again|to (?:edit|touch|change|use)|sada|opet|ponovo))*[.!]*$";
    static LEAVES = r"^(?:(?:please|and|but|i'll|i will|we'll|we will|molim te|a|ali) )*(?:leave (.+?) (?:alone|untouched|as (?:it )?is|be)|(?:keep|stay) (?:away|off|out) (?:from |of )?(.+)|hands off (.+)|ostavi(?:cu|cemo|te)? (.+?) na miru)\b";
    static WILL_NOT = r"^(?:(?:understood|ok|okay),? )?(?:i|we)(?:'ll| will)? (?:won't|not|will not|never) (\S.*)$|^(?:i|we) won't (\S.*)$";
    /// A ban in Serbian, its object behind or before it.
    static NE = r"^(.*?)\b(?:ne|necu|necemo) (?:da )?([a-z]{4,})\b(.*)$";
    /// What is said besides of what is forbidden.
    static BESIDE = r"[,;(]|\s-\s|\b(?:until|till|while|because|since|for now|for the moment|before|unless|without|when|once|as long as|dok|jer|posto|za sada|zasad|privremeno|pre nego|osim ako|zbog)\b";
    static UNTIL = r"\b(?:until|till|before|dok|pre nego sto|sve dok)\b\s+(\S.*)$";
    static DENIES = r"\b(?:not|never|no|still|yet|if|when|once|unless|whether|will|nije|nisu|nece|ne|jos|ako|kad\w*|da li)\b|n't\b|\?$";
    /// To change it, whatever is done with it.
    static CHANGES = r"^(?:touch|edit|modify|change|alter|write|update|dira\w*|menja\w*|izmen\w*|edituj\w*|pipa\w*)";
}

/// What the clauses of a person's sentence allow, or tell to be there.
pub(super) fn permissions(part: &Sentence) -> Vec<Captured> {
    if matches!(part.place, Place::Quote | Place::Row | Place::Heading)
        || part.text.ends_with('?')
        || !CUE.is_match(&part.seen) && !IS_THERE.is_match(&part.seen)
    {
        return Vec::new();
    }
    let allows = |piece: String| {
        let seen = sense(&piece);
        let there = || IS_THERE.is_match(&seen) && !DENIES.is_match(&seen);
        let told = seen.word_count() >= TOLD && (permits(&seen) || FREES.is_match(&seen) || there());
        told.then(|| Captured::withdrawal(&piece, Source::User, Withdrawn::Allowed(piece.clone())))
    };
    pieces(&part.text).into_iter().filter_map(allows).take(MOST).collect()
}

/// It allows to change something; or what was spoken of, where it names nothing.
fn permits(seen: &str) -> bool {
    let bare = |found: regex::Captures<'_>| {
        let rest = found.get(2).map_or("", |rest| rest.as_str());
        act::objects(rest).is_empty() && !clause::points_back(rest)
    };
    statement::permits(seen) || PERMITS.captures(seen).is_some_and(bare)
}

/// Whether a text forbids what is allowed, or forbids until something is there that is told.
pub(crate) fn lifts(text: &str, allowed: &str) -> bool {
    let seen = sense(&text.replace('`', " "));
    let Some(ban) = Ban::of(&seen) else { return false };
    let said = sense(&allowed.replace('`', " "));
    if let Some(found) = PERMITS.captures(&said) {
        let verb = found.get(1).map_or("", |verb| verb.as_str());
        return ban.is_of(verb) && ban.names(found.get(2).map_or("", |rest| rest.as_str()), true);
    }
    if let Some(what) = FREES.captures(&said).and_then(|found| found.get(1)) {
        return ban.names(what.as_str(), false);
    }
    ban.waits_for(&said)
}

/// What is forbidden.
struct Ban<'t> {
    /// Empty: whatever would change it.
    verb: &'t str,
    objects: Vec<String>,
    until: Option<&'t str>,
}

impl<'t> Ban<'t> {
    fn of(seen: &'t str) -> Option<Self> {
        let until = UNTIL.captures(seen).and_then(|found| found.get(1)).map(|found| found.as_str());
        let head = seen.get(..BESIDE.find(seen).map_or(seen.len(), |found| found.start()))?;
        let named = |words: &str| telling(&act::objects(words));
        let group = |found: regex::Captures<'t>| found.iter().skip(1).flatten().next();
        if let Some(what) = LEAVES.captures(head).and_then(group) {
            return Some(Self { verb: "", objects: named(what.as_str()), until });
        }
        let order = NOT_ORDER.captures(head).or_else(|| WILL_NOT.captures(head)).and_then(group);
        if let Some(order) = order {
            let order = order.as_str().strip_prefix("da ").unwrap_or(order.as_str());
            let verb = order.split_whitespace().next()?;
            return Some(Self { verb, objects: named(order.strip_prefix(verb)?), until });
        }
        let found = NE.captures(head)?;
        let part = |group: usize| found.get(group).map_or("", |part| part.as_str());
        let objects = named(&format!("{} {}", part(1), part(3)));
        Some(Self { verb: found.get(2)?.as_str(), objects, until })
    }

    fn is_of(&self, verb: &str) -> bool {
        let changes = |verb: &str| verb.is_empty() || CHANGES.is_match(verb);
        let same = || act::is_same(self.verb, verb) || Act::of_any_verb(self.verb) == Act::of_any_verb(verb);
        changes(self.verb) && changes(verb) || !self.verb.is_empty() && same()
    }

    /// All of it is named, and nothing else; or nothing is, where `bare` words mean what was forbidden.
    fn names(&self, words: &str, bare: bool) -> bool {
        let said = act::objects(words);
        if said.is_empty() {
            return bare && !self.verb.is_empty() && !CHANGES.is_match(self.verb);
        }
        let said = telling(&said);
        !said.is_empty()
            && !self.objects.is_empty()
            && covers(&said, &self.objects)
            && covers(&self.objects, &said)
    }

    /// What is waited for is told: its subject, and nothing beside it.
    fn waits_for(&self, said: &str) -> bool {
        let Some(until) = self.until else { return false };
        let awaited = telling(&act::objects(until));
        let told = telling(&act::objects(said));
        let subject = awaited.first().is_some_and(|first| act::names(&told, first));
        subject && told.len() >= TOLD && covers(&awaited, &told)
    }
}

/// Every word is among the others.
fn covers(all: &[String], words: &[String]) -> bool {
    words.iter().all(|word| act::names(all, word))
}

fn telling(words: &[String]) -> Vec<String> {
    const REST: &[&str] =
        &["folder", "directory", "dir", "fajl", "fajlove", "fajla", "opet", "again", "sad", "any"];
    act::telling(words, REST)
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    fn ends(ban: &str, said: &str) -> bool {
        let found: Vec<Captured> = sentences(said).iter().flat_map(permissions).collect();
        found.iter().any(|found| match &found.withdraws {
            Some(Withdrawn::Allowed(what)) => lifts(ban, what),
            _ => false,
        })
    }

    #[test]
    fn what_is_allowed_again_ends_its_ban() {
        for (ban, said) in [
            (
                "don't touch the legacy folder for now, Marko is in the middle of a migration",
                "Marko is through, you can touch legacy again.",
            ),
            ("Never edit config.prod.yaml", "ok, you may change config.prod.yaml now"),
            ("I will leave `legacy/` alone", "you can touch legacy again"),
            (
                "leave the api folder alone, Ana is refactoring it",
                "Ana is finished, the api folder is free again",
            ),
            ("Do not deploy to production until the tests are green", "ok you can deploy"),
            ("Do not deploy to production until the tests are green", "the tests are green now"),
            (
                "config.prod.yaml ne diraj dok Petar ne završi deploy",
                "Petar je završio, možeš da menjaš config.prod.yaml",
            ),
            ("ne diraj config.prod.yaml dok Petar ne završi deploy", "Petar je završio."),
            ("Не дирај фолдер api, Ана га преправља", "Ана је готова, api фолдер је опет слободан"),
            ("Nemoj da menjaš šemu baze za sada", "sad smeš da menjaš šemu baze"),
        ] {
            assert!(ends(ban, said), "{ban} | {said}");
        }
    }

    #[test]
    fn what_goes_through_over_or_back_tells_of_no_end() {
        for said in [
            "Both go through the same reader.",
            "Send it over the wire",
            "it falls back to the cache",
            "put the file here",
            "It looks right to me",
        ] {
            assert_eq!(sentences(said).iter().flat_map(permissions).count(), 0, "{said}");
        }
        for said in
            ["Marko is through", "the freeze is finally over", "Ana's back, she is here", "api je otključan"]
        {
            assert_ne!(sentences(said).iter().flat_map(permissions).count(), 0, "{said}");
        }
    }

    #[test]
    fn what_allows_or_tells_other_things_leaves_a_ban() {
        for (ban, said) in [
            ("Don't add any new dependencies", "you can add lodash"),
            ("Don't touch the legacy folder", "you can touch the parser"),
            ("Don't touch the legacy folder", "can you read the legacy folder?"),
            ("Don't touch the legacy folder", "you can read the legacy folder"),
            ("Do not deploy until the tests are green", "the tests are not green yet"),
            ("Do not deploy until the tests are green", "when the tests are green, tell me"),
            ("Do not deploy until the tests are green", "the tests are slow"),
            ("Ne diraj config.prod.yaml dok Petar ne završi deploy", "Petar je završio dizajn"),
            ("Ne diraj migracije", "možeš da menjaš parser"),
            ("Use tabs", "you can use tabs"),
        ] {
            assert!(!ends(ban, said), "{ban} | {said}");
        }
    }
}
