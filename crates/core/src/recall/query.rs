//! A question as search sees it: a bounded number of concepts, whatever text it is.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::analyze::{Kind, analyze};
use crate::text::STOP_WORDS;

/// Bytes of a question that are read: its beginning and its end.
const QUERY_BYTES: usize = 16 << 10;
/// Different concepts that are looked up.
const MAX_CONCEPTS: usize = 256;

/// Words that ask or connect and say nothing of what is sought; with [`STOP_WORDS`]. Negations are not among them.
const SMALL_WORDS: &str = "what when where who whom whose which why how me him her his hers mine yours ours theirs \
    myself yourself himself herself itself themselves ourselves about from into onto over under after before during \
    between through up down out off again once here all any both each few more most other some such only own same \
    than too very just also anyone anything someone something everyone everything while because until may might get \
    much many one been having let per via though although however still even ever yet please \
    sta kako kada kad gde ko zasto koliko koji koja koje kojeg kojoj cija ciji cije ovde tamo tada sada neki neka \
    neko nesto bilo bila bio jos vec samo jer ako kroz preko posle pre pod nad molim \
    reci kazi recite kazite pogledaj pogledajte vidi daj dajte hajde mozes mozete mislis mislite hoces hocu zelim dakle \
    znaci ipak evo eto";

static SMALL: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut small = HashSet::new();
    let words = STOP_WORDS.iter().copied().chain(SMALL_WORDS.split_whitespace());
    words.for_each(|word| analyze(word, &mut |term, _| _ = small.insert(term.to_owned())));
    small
});

/// One thing that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// The terms that stand for it; any of them is a match.
    pub terms: Vec<String>,
    /// It is the whole of a compound whose parts are concepts too.
    pub whole: bool,
    /// It names one thing and nothing else: an id, a file, a symbol. What holds it is meant.
    pub named: bool,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Its concepts, each once, in the order of the text.
    pub concepts: Vec<Concept>,
}

impl Query {
    /// Reads any text. Small words count only where there is nothing else.
    pub fn new(text: &str) -> Self {
        let mut reading = Reading::default();
        if text.len() <= QUERY_BYTES {
            analyze(text, &mut |term, kind| reading.take(term, kind));
        } else {
            let (head, tail) = (QUERY_BYTES / 2, text.len() - QUERY_BYTES / 2);
            let parts =
                [text.get(..text.floor_char_boundary(head)), text.get(text.ceil_char_boundary(tail)..)];
            parts
                .into_iter()
                .flatten()
                .for_each(|part| analyze(part, &mut |term, kind| reading.take(term, kind)));
        }
        let concepts = if reading.telling.is_empty() { reading.small } else { reading.telling };
        Self { concepts }
    }
}

/// Letters together with digits, or parts that `_`, `.` or `/` joins. A hyphen alone also joins ordinary words, and a
/// number alone is a year or an amount.
fn is_name(term: &str) -> bool {
    let letter = term.chars().any(char::is_alphabetic);
    let digit = term.bytes().any(|byte| byte.is_ascii_digit());
    let joined = term.contains(['_', '/', '.', '\\', ':', '@']);
    letter && (digit || joined) || digit && (joined || term.contains('-'))
}

#[derive(Default)]
struct Reading {
    telling: Vec<Concept>,
    small: Vec<Concept>,
    seen: HashSet<String>,
    /// The last word was new, and whether it was a small one: its variant goes with it.
    last: Option<bool>,
}

impl Reading {
    fn take(&mut self, term: &str, kind: Kind) {
        if kind == Kind::Single {
            return;
        }
        if kind == Kind::Variant {
            let list = match self.last {
                Some(true) => &mut self.small,
                Some(false) => &mut self.telling,
                None => return,
            };
            if let Some(concept) = list.last_mut() {
                concept.terms.push(term.to_owned());
            }
            return;
        }
        self.last = None;
        let is_small = SMALL.contains(term);
        let list = if is_small { &mut self.small } else { &mut self.telling };
        if list.len() < MAX_CONCEPTS && self.seen.insert(term.to_owned()) {
            list.push(Concept {
                terms: vec![term.to_owned()],
                whole: kind == Kind::Whole,
                named: is_name(term),
            });
            self.last = Some(is_small);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        Query::new(text).concepts.into_iter().filter_map(|concept| concept.terms.into_iter().next()).collect()
    }

    #[test]
    fn small_words_count_only_where_there_is_nothing_else() {
        assert_eq!(
            terms("When did Caroline go to the support group?"),
            ["carolin", "go", "support", "group"]
        );
        assert!(!terms("what is it").is_empty());
        assert!(terms(" \n?!").is_empty());
    }

    #[test]
    fn filler_counts_as_little_in_serbian() {
        assert_eq!(terms("Pogledaj molim te i reci šta misliš o migraciji"), ["migraciji"]);
        assert_eq!(terms("Погледај молим те, можеш ли порт"), ["port"]);
    }

    #[test]
    fn a_name_is_told_from_a_word_and_a_number() {
        let named = |text: &str| Query::new(text).concepts.iter().any(|concept| concept.named);
        for text in [
            "FIN-7731",
            "cp_003",
            "pool.rs",
            "src/db",
            "v2",
            "a1b2c3",
            "10.0.0.1",
            "2026-03-04",
            "max_tokens",
        ] {
            assert!(named(text), "{text}");
        }
        for text in ["deploy", "self-care", "2026", "what happened on Monday.", "well, yes - no", "don't"] {
            assert!(!named(text), "{text}");
        }
    }

    #[test]
    fn a_path_is_asked_for_whole_and_in_parts() {
        assert_eq!(terms("src/db/pool.rs"), ["src/db/pool.rs", "src", "db", "pool.rs", "pool", "rs"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn any_text_is_a_question_of_bounded_size(text in "\\PC{0,200}", times in 1usize..200) {
            prop_assert!(Query::new(&text.repeat(times)).concepts.len() <= MAX_CONCEPTS);
        }
    }
}
