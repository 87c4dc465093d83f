//! What a verb does, so that an order and a report of it in another form, or with another verb for the same, are known for
//! one: `delete the old files`, `Removed the old files`, `obriši`, `obrisano`.

use super::sense::sense;
use crate::text::stem;
use crate::text::words::{is_stop_word, words as words_of};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Of any verb: `do`, `finish`, `gotovo`.
const ANY: u32 = 1;

/// Verbs that do the same: in English in their base forms and irregular pasts, in Serbian the stems of all forms.
const GROUPS: &[(&str, &str)] = &[
    (
        "do did done finish complete handle wrap carry work ready go continue start take",
        "zavrs urad gotov odrad dovrs spreman",
    ),
    (
        "add create write wrote written build built implement introduce generate make made include draft \
         document put provide",
        "dod napis pisi pise naprav kreir implement uved ugrad ubac",
    ),
    (
        "remove delete drop erase purge strip eliminate clear clean uninstall rid",
        "obris bris uklon uklanj izbac izbris ocist",
    ),
    ("rename", "preimen"),
    ("move relocate migrate port transfer", "premest premes prebac pomer preselj"),
    ("fix repair resolve solve correct patch mend address", "poprav isprav resen resil resio sred"),
    (
        "update change modify adjust edit alter amend mark bump raise lower increase decrease set make made \
         extend cut reduce",
        "promen izmen azur povec smanj postav podes",
    ),
    (
        "refactor rewrite rewrote rewritten rework restructure reorganize simplify split consolidate extract \
         deduplicate merge",
        "prepis prerad refaktor razdvoj spoj pojednostav",
    ),
    ("replace swap switch convert", "zamen prelaz predj"),
    ("test verify check validate", "testir prover"),
    ("configure set enable setup install wire hook", "konfigur postav podes ukljuc instal"),
    ("deploy release publish ship", "objav deploj isporuc"),
    ("document describe", "dokumentuj opis"),
    ("send sent mail post notify", "posalj salj poslat poslal poslao"),
];

/// What a verb does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Act {
    stem: String,
    groups: u32,
}

impl Act {
    /// What work with no verb, or with one that fits all, is.
    pub(super) fn any() -> Self {
        Self { stem: String::new(), groups: ANY }
    }

    /// What a form of a verb of work does.
    pub(super) fn of(word: &str) -> Option<Self> {
        let stem = base(word);
        let groups = in_english(&stem).or_else(|| in_serbian(word))?;
        Some(Self { stem, groups })
    }

    /// The same for whatever verb.
    pub(super) fn of_any_verb(word: &str) -> Self {
        Self::of(word).unwrap_or_else(|| Self { stem: base(word), groups: 0 })
    }

    /// It tells that work is done and not what was done.
    pub(super) fn is_any(&self) -> bool {
        self.groups & ANY != 0
    }

    /// Whether a report of this may be one of work that asks for `other`.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.is_any() || other.is_any() || self.stem == other.stem || self.groups & other.groups != 0
    }
}

/// The stem of a verb without the doubling that its endings may bring: `ad` of `add` and `added`.
fn base(word: &str) -> String {
    let mut stem = stem::english(word);
    let mut last = stem.chars().rev();
    if last.next().is_some_and(|end| last.next() == Some(end)) {
        stem.pop();
    }
    stem
}

fn in_english(stem: &str) -> Option<u32> {
    static STEMS: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
        let mut known: HashMap<String, u32> = HashMap::new();
        for (at, (english, _)) in GROUPS.iter().enumerate() {
            for word in english.split_whitespace() {
                *known.entry(base(word)).or_default() |= 1 << at;
            }
        }
        known
    });
    STEMS.get(stem).copied()
}

fn in_serbian(word: &str) -> Option<u32> {
    /// Stems with their groups, by what they begin with.
    static STEMS: LazyLock<HashMap<&str, Vec<(&str, u32)>>> = LazyLock::new(|| {
        let mut known: HashMap<&str, Vec<(&str, u32)>> = HashMap::new();
        for (at, (_, serbian)) in GROUPS.iter().enumerate() {
            for stem in serbian.split_whitespace() {
                known.entry(stem.get(..STEM_HEAD).unwrap_or(stem)).or_default().push((stem, 1 << at));
            }
        }
        known
    });
    let known = STEMS.get(word.get(..STEM_HEAD)?)?;
    let groups = known.iter().filter(|(stem, _)| word.starts_with(stem)).map(|(_, group)| *group);
    groups.reduce(|all, group| all | group)
}

/// No Serbian stem is shorter, in bytes.
const STEM_HEAD: usize = 3;

/// The word tells, as English, that something was done.
pub(super) fn is_past(word: &str) -> bool {
    const NOT: &[&str] = &["need", "feed", "speed", "embed", "seed", "exceed", "proceed", "indeed", "red"];
    const IRREGULAR: &[&str] =
        &["wrote", "written", "made", "built", "sent", "rewrote", "rewritten", "did", "done"];
    IRREGULAR.contains(&word) || word.ends_with("ed") && word.len() >= 4 && !NOT.contains(&word)
}

/// Words that are their own past tense.
pub(super) fn may_be_past(word: &str) -> bool {
    is_past(word) || matches!(word, "set" | "put" | "cut" | "split" | "ran" | "got" | "took" | "gave")
}

/// The word is a Serbian participle of a verb of work: `dodao`, `obrisane`, `gotovo`.
pub(super) fn is_serbian_past(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ao", "io", "la", "li", "lo", "le", "an", "ana", "ano", "ani", "ane", "en", "ena", "eno", "eni",
        "ene", "at", "ata", "ato", "ati", "ate", "ut", "uta", "uto", "uti", "ute", "ov", "ova", "ovo", "ovi",
        "ove",
    ];
    word.len() >= 4
        && ENDINGS.iter().any(|ending| word.ends_with(ending))
        && in_serbian(word).is_some()
        && in_english(&base(word)).is_none()
}

/// The telling words of what work is about, folded; of paths the last part.
pub(super) fn objects(text: &str) -> Vec<String> {
    let folded = sense(&text.replace('`', " "));
    let mut out: Vec<String> = Vec::new();
    for word in folded.split(|c: char| {
        c.is_whitespace()
            || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '"' | '→' | '*' | '!' | '?' | '>')
    }) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.rsplit('/').next().unwrap_or(word);
        let told = word.len() >= 3 || word.chars().any(|c| c.is_ascii_digit()) && !word.is_empty();
        if told && !is_light(word) && !out.iter().any(|known| known == word) {
            out.push(word.to_owned());
        }
    }
    out
}

/// Whether a rule names things beside those of the work: it holds in some cases only.
pub(crate) fn says_more(rule: &str, work: &str) -> bool {
    let known = words_of(work);
    let said = objects(rule);
    let forbids = |word: &&String| {
        matches!(word.as_str(), "not" | "don't" | "never" | "always" | "only" | "nikad" | "nikada" | "nemoj")
    };
    // Then comes its verb.
    let beside = said.iter().skip_while(forbids).skip(1);
    let beside = beside.filter(|word| !names(&known, word));
    beside.count() > 0
}

/// Words that name nothing that work could be about.
fn is_light(word: &str) -> bool {
    const LIGHT: &[&str] = &[
        "now",
        "also",
        "all",
        "both",
        "new",
        "too",
        "instead",
        "successfully",
        "already",
        "please",
        "then",
        "still",
        "remaining",
        "rest",
        "some",
        "few",
        "accordingly",
        "properly",
        "using",
        "via",
        "per",
        "around",
        "sada",
        "takodje",
        "uspesno",
        "vec",
        "jos",
        "sve",
        "sva",
        "svi",
        "oba",
        "obe",
        "novi",
        "novo",
        "nova",
        "ostale",
        "ostali",
        "molim",
        "everything",
        "these",
        "those",
        "following",
        "into",
    ];
    LIGHT.contains(&word) || is_stop_word(word)
}

/// Nouns that name whatever work is about.
pub(super) fn is_generic(word: &str) -> bool {
    const NOUNS: &[&str] = &[
        "file",
        "files",
        "code",
        "stuff",
        "thing",
        "things",
        "part",
        "parts",
        "work",
        "version",
        "versions",
        "implementation",
        "change",
        "changes",
        "piece",
        "pieces",
        "step",
        "steps",
        "task",
        "tasks",
        "item",
        "items",
        "module",
        "modules",
        "folder",
        "fajl",
        "fajlove",
        "fajlovi",
        "fajlova",
        "kod",
        "koda",
        "stvar",
        "stvari",
        "deo",
        "delove",
        "verziju",
        "verzija",
        "verzije",
        "izmene",
        "korak",
        "zadatak",
    ];
    NOUNS.contains(&word)
}

/// The same thing named, in whatever form of the word; names and numbers are taken literally.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    let literal = |word: &str| word.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    a == b || !literal(a) && !literal(b) && super::pick::inflected(a, b)
}

/// One of the words names the same thing.
pub(super) fn names(words: &[String], word: &str) -> bool {
    words.iter().any(|other| is_same(other, word))
}

/// The words that tell one thing from another, without `rest`, which here tell nothing either.
pub(super) fn telling(words: &[String], rest: &[&str]) -> Vec<String> {
    words.iter().filter(|word| !is_generic(word) && !rest.contains(&word.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_stem_is_shorter_than_what_it_is_looked_up_by() {
        for (_, serbian) in GROUPS {
            assert!(
                serbian.split_whitespace().all(|stem| stem.len() >= STEM_HEAD && stem.is_ascii()),
                "{serbian}"
            );
        }
    }

    #[test]
    fn verbs_for_the_same_work_fit_in_either_language() {
        let fits = |a: &str, b: &str| Act::of_any_verb(a).fits(&Act::of_any_verb(b));
        for (report, order) in [
            ("removed", "delete"),
            ("written", "write"),
            ("added", "write"),
            ("obrisao", "ukloni"),
            ("dodata", "dodaj"),
            ("fixed", "repair"),
            ("invited", "invite"),
            ("removed", "obrisi"),
            ("done", "deploy"),
        ] {
            assert!(fits(report, order), "{report} {order}");
        }
        for (report, order) in [("added", "deploy"), ("renamed", "remove"), ("invited", "remove")] {
            assert!(!fits(report, order), "{report} {order}");
        }
    }

    #[test]
    fn names_are_taken_literally_and_words_in_any_form() {
        assert!(is_same("tests", "test") && is_same("validaciju", "validacija"));
        assert!(
            !is_same("wp15", "wp16") && !is_same("main.ts", "main-new.ts") && !is_same("login", "logout")
        );
        assert_eq!(objects("the old code (`src/main.ts`, `cli.ts`)"), ["old", "code", "main.ts", "cli.ts"]);
    }
}
