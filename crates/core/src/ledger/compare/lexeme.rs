//! What is known of one word, whatever text it stands in. Stems and the lexicon are asked once for each word and
//! thread: a session says the same words again and again.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::lexicon::{LEXICON, Sense};
use super::prepare::hash;
use super::word::Word;
use super::{read, value};
use crate::text::stem;

/// Words that a thread keeps; a few hundred bytes each. When they are full all go: the next text brings its own back.
const KEPT: usize = 4_096;
/// Longer words are names that hardly come again.
const LONGEST_KEPT: usize = 40;

/// A folded word.
pub(super) struct Lexeme {
    pub(super) word: Word,
    /// Without a meaning of its own.
    pub(super) function: bool,
    /// A rule of the reader may look at it.
    pub(super) has_rules: bool,
    /// A value may begin with it.
    pub(super) value: bool,
    /// A path, glob, identifier, address: taken literally.
    pub(super) name: bool,
    /// Tells that a text is Serbian, or English.
    pub(super) tells: Tells,
    stem: OnceCell<Box<str>>,
    known: OnceCell<(bool, bool)>,
    english: OnceCell<Reading>,
    serbian: OnceCell<Reading>,
}

/// Which language a function word belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    Neither,
    Serbian,
    English,
    /// `to` and `on` are words of both.
    Both,
}

/// A word in one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) sense: Option<&'static Sense>,
    /// Names the meaning within the language.
    pub(super) key: u64,
    /// Names the meaning across languages.
    pub(super) alt: u64,
    /// A phrase of the lexicon may begin with it.
    pub(super) opens_phrase: bool,
}

thread_local! {
    static WORDS: RefCell<HashMap<Box<str>, Rc<Lexeme>, RandomState>> = RefCell::default();
}

impl Lexeme {
    /// What is known of a folded word.
    pub(super) fn of(word: &str) -> Rc<Self> {
        WORDS.with_borrow_mut(|words| {
            if let Some(known) = words.get(word) {
                return Rc::clone(known);
            }
            let lexeme = Rc::new(Self::new(word));
            if word.len() <= LONGEST_KEPT {
                if words.len() >= KEPT {
                    words.clear();
                }
                words.insert(word.into(), Rc::clone(&lexeme));
            }
            lexeme
        })
    }

    fn new(word: &str) -> Self {
        let tells = match (SERBIAN_ONLY.contains(word), ENGLISH_ONLY.contains(word)) {
            (false, false) => Tells::Neither,
            (true, false) => Tells::Serbian,
            (false, true) => Tells::English,
            (true, true) => Tells::Both,
        };
        let function = FUNCTION_WORDS.contains(word);
        Self {
            word: Word::new(word),
            function,
            has_rules: read::has_rules(word, function),
            value: value::may_begin(word),
            name: is_name(word),
            tells,
            stem: OnceCell::new(),
            known: OnceCell::new(),
            english: OnceCell::new(),
            serbian: OnceCell::new(),
        }
    }

    /// Its English stem.
    pub(super) fn stem(&self) -> &str {
        self.stem.get_or_init(|| stem::english(&self.word).into_boxed_str())
    }

    /// The word as one language reads it.
    pub(super) fn reading(&self, serbian: bool) -> &Reading {
        let cell = if serbian { &self.serbian } else { &self.english };
        cell.get_or_init(|| Reading {
            opens_phrase: LEXICON.may_open_phrase(&self.word, serbian),
            ..Reading::new(&self.word, self.name, LEXICON.word(&self.word, serbian), serbian)
        })
    }

    /// Whether the lexicon knows it as a Serbian, and as an English word.
    pub(super) fn known(&self) -> (bool, bool) {
        *self.known.get_or_init(|| (LEXICON.is_serbian_word(&self.word), LEXICON.is_english_word(&self.word)))
    }
}

impl Reading {
    /// A word or phrase with what the lexicon says of it.
    pub(super) fn new(word: &str, name: bool, sense: Option<&'static Sense>, serbian: bool) -> Self {
        let own = match (name, serbian) {
            (true, _) => word.to_owned(),
            (false, true) => stem::english(stem::serbian(word)),
            (false, false) => stem::root(&stem::english(word)).to_owned(),
        };
        // A function of the other key, so that what is equal within a language is equal across.
        let across = if name { own.as_str() } else { stem::across(&own) };
        let concept = sense.and_then(|s| s.concept.as_deref());
        let key = concept.map_or_else(|| hash(&own), |c| hash(&format!("={c}")));
        let alt = concept.map_or_else(|| hash(across), |c| hash(&format!("={c}")));
        Self { sense, key, alt, opens_phrase: false }
    }
}

/// A path, glob, identifier, address: taken literally.
pub(super) fn is_name(word: &str) -> bool {
    word.contains(['/', '_', '~', '@', '\\', '*', '#', '+', '='])
        || word.contains("::")
        || word.trim_matches('.').contains(['.', ':'])
        || word.starts_with('-')
        || word.chars().any(|c| c.is_ascii_digit())
}

type Words = LazyLock<HashSet<&'static str>>;

/// Words without a meaning of their own here; prepositions are asked for before.
static FUNCTION_WORDS: Words = LazyLock::new(|| {
    HashSet::from([
        "the", "a", "an", "am", "of", "i", "it", "its", "he", "she", "they", "you", "my", "our", "your",
        "their", "his", "her", "them", "us", "me", "can", "could", "would", "will", "shall", "may", "might",
        "have", "has", "had", "then", "there", "too", "when", "where", "that", "than", "if", "what",
        // Serbian
        "se", "je", "su", "sam", "si", "smo", "ste", "bi", "bih", "bismo", "da", "li", "te", "ce", "cu",
        "cemo", "cete", "ja", "ti", "mi", "vi", "oni", "one", "on", "ona", "ono", "ga", "mu", "im", "ih",
        "nam", "vam", "sto", "kad", "kada", "gde", "ako",
    ])
});

static SERBIAN_ONLY: Words = LazyLock::new(|| {
    HashSet::from([
        "se", "je", "su", "smo", "ste", "da", "za", "na", "sa", "iz", "od", "ne", "nije", "nisu", "bez",
        "umesto", "nemoj", "treba", "kao", "koji", "koja", "koje", "pre", "posle", "nakon", "ili", "cemo",
        "svaki", "svakog", "svake", "preko", "kod", "ako", "jer", "samo", "u",
    ])
});

static ENGLISH_ONLY: Words = LazyLock::new(|| {
    HashSet::from([
        "the", "a", "an", "of", "is", "are", "and", "with", "for", "not", "to", "in", "it", "this", "that",
        "we", "be", "on", "from", "by", "at",
    ])
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_worked_out_once_and_forgotten_when_too_many_are_known() {
        let first = Lexeme::of("cache");
        assert!(Rc::ptr_eq(&first, &Lexeme::of("cache")));
        for number in 0..=KEPT {
            Lexeme::of(&format!("word{number}"));
        }
        let again = Lexeme::of("cache");
        assert!(!Rc::ptr_eq(&first, &again));
        assert_eq!(first.reading(false).key, again.reading(false).key);
    }

    #[test]
    fn a_word_is_read_by_the_language_of_its_text() {
        let word = Lexeme::of("koristimo");
        assert!(word.reading(true).sense.is_some());
        assert_eq!(word.tells, Tells::Neither);
        assert!(Lexeme::of("src/a.rs").name && Lexeme::of("30s").value && Lexeme::of("the").function);
    }
}
