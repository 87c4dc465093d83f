//! The lexicon: which words mean the same, which exclude each other, and how verbs bind a choice. Read once from
//! `lexicon.txt`; general English and Serbian of software work.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use super::lexeme::Lexeme;
use crate::text::stem;

/// What a verb does with its choice; bits, because a verb can be several.
pub(super) mod class {
    /// `use X for TOPIC`
    pub(in super::super) const USE: u8 = 1;
    /// `store TOPIC in X`
    pub(in super::super) const PLACE: u8 = 2;
    /// `switch TOPIC to X`
    pub(in super::super) const CHANGE: u8 = 4;
    /// `name TOPIC X`
    pub(in super::super) const NAME: u8 = 8;
    /// `assign TOPIC to X`
    pub(in super::super) const ASSIGN: u8 = 16;
    /// Work to be done: `fix TOPIC`; what differs is another piece of work.
    pub(in super::super) const TASK: u8 = 32;
}

/// What the lexicon knows of a word or phrase.
#[derive(Debug, Clone, Default)]
pub(super) struct Sense {
    /// Names the meaning; words of one meaning share it. `None`: the word's own stem.
    pub(super) concept: Option<String>,
    /// The word is the negative end of its concept (`disable` of `enable`).
    pub(super) negative: bool,
    /// It has an opposite whose negation it is.
    pub(super) polar: bool,
    /// It may be missing on either side.
    pub(super) light: bool,
    /// A verb that adds little; one side may lack it when all else agrees.
    pub(super) generic: bool,
    /// Contrary groups and the side within each: words of one group and different sides exclude each other.
    pub(super) contraries: Vec<(u16, u8)>,
    /// One of its contrary groups has more than three sides; a month is rather a case of its own ("report for May").
    pub(super) scale: bool,
    /// Things of one kind, of which one is chosen.
    pub(super) kind: Option<u16>,
    /// Bits of [`class`].
    pub(super) class: u8,
}

impl Sense {
    /// Neither end of an opposite: "reader" and "writer" exclude each other less than "read" and "write" do.
    fn is_plain(&self) -> bool {
        !self.polar && self.contraries.is_empty() && !self.light
    }
}

/// One language's words, by spelling and by stem; phrases by their stems joined with blanks.
#[derive(Default)]
struct Words {
    exact: HashMap<String, Sense>,
    stems: HashMap<String, Sense>,
    phrases: HashMap<String, Sense>,
    /// Stems that phrases begin with.
    heads: HashSet<String>,
}

/// Both languages.
pub(super) struct Lexicon {
    english: Words,
    serbian: Words,
}

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("lexicon.txt")));

/// Most words that a phrase of the lexicon has.
pub(super) const LONGEST_PHRASE: usize = 3;

impl Lexicon {
    fn read(text: &str) -> Self {
        let mut lexicon = Self { english: Words::default(), serbian: Words::default() };
        let mut section = "";
        let mut group = 0;
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                section = name;
                continue;
            }
            group += 1;
            lexicon.read_line(section, line, group);
        }
        lexicon
    }

    fn read_line(&mut self, section: &str, line: &str, group: u16) {
        let (name, body) = match section {
            "kind" | "class" => line.split_once(':').unwrap_or(("", line)),
            _ => ("", line),
        };
        let head = match section {
            "same" => self.known_concept(body),
            _ => None,
        }
        .unwrap_or_else(|| body.split_whitespace().next().unwrap_or_default().to_owned());
        for (side, part) in (0u8..).zip(body.split('|')) {
            let (english, serbian) = part.split_once('/').unwrap_or((part, ""));
            let side_head = part.split_whitespace().next().unwrap_or_default();
            for (words, is_serbian) in [(english, false), (serbian, true)] {
                for word in words.split_whitespace() {
                    self.edit(word, is_serbian, |sense| match section {
                        "same" => set_once(&mut sense.concept, &head),
                        // An opposite names the meaning better than a list of synonyms does.
                        "state" | "opposite" if !sense.polar => {
                            sense.concept = Some(head.clone());
                            sense.polar = true;
                            sense.negative = side > 0;
                            sense.light |= section == "state";
                        }
                        "contrary" => {
                            set_once(&mut sense.concept, side_head);
                            sense.contraries.push((group, side));
                            sense.scale |= (3..11).contains(&body.matches('|').count());
                        }
                        "light" => sense.light = true,
                        "generic" => sense.generic = true,
                        "kind" => sense.kind = Some(group),
                        "class" => sense.class |= class_of(name),
                        _ => {}
                    });
                }
            }
        }
    }

    /// The word of the lexicon whose plural, person, past or gerund this is.
    fn base_form(&self, word: &str) -> Option<&Sense> {
        [("s", ""), ("d", ""), ("es", ""), ("ed", ""), ("ing", ""), ("ing", "e")].iter().find_map(
            |(ending, mute)| {
                // A feed is no fee, and a seed is not what was seen.
                let short = |bare: &str| bare.len() < 3 || bare.len() == 3 && bare.ends_with("ee");
                let bare = word.strip_suffix(ending).filter(|bare| !short(bare))?;
                if mute.is_empty() {
                    self.english.exact.get(bare)
                } else {
                    self.english.exact.get(&format!("{bare}{mute}"))
                }
            },
        )
    }

    /// What is known of the verb whose Serbian passive participle this is: "pomeren" of "pomeriti".
    fn participle(&self, word: &str) -> Option<&Sense> {
        let bare = word.trim_end_matches(['a', 'o', 'e', 'i']);
        ["jen", "en", "an", "ut"]
            .iter()
            .filter_map(|ending| bare.strip_suffix(ending).filter(|stem| stem.len() >= 3))
            .find_map(|stem| self.serbian.stems.get(stem))
    }

    /// The meaning that the first English or the first Serbian word of a line has already: the line adds to it.
    fn known_concept(&self, body: &str) -> Option<String> {
        let (english, serbian) = body.split_once('/').unwrap_or((body, ""));
        let first = |words: &str, known: &Words| {
            words.split_whitespace().next().and_then(|w| known.exact.get(w)).and_then(|s| s.concept.clone())
        };
        first(english, &self.english).or_else(|| first(serbian, &self.serbian))
    }

    fn edit(&mut self, word: &str, is_serbian: bool, change: impl Fn(&mut Sense)) {
        let words = if is_serbian { &mut self.serbian } else { &mut self.english };
        let stemmed =
            |part: &str| if is_serbian { stem::serbian(part).to_owned() } else { stem::english(part) };
        if word.contains('_') {
            let key = word.split('_').map(stemmed).collect::<Vec<_>>().join(" ");
            words.heads.extend(key.split(' ').next().map(str::to_owned));
            change(words.phrases.entry(key).or_default());
        } else {
            change(words.exact.entry(word.to_owned()).or_default());
            change(words.stems.entry(stemmed(word)).or_default());
        }
    }

    /// What is known of a folded word. Its own language is asked first, then the other.
    pub(super) fn word(&self, word: &str, in_serbian: bool) -> Option<&Sense> {
        let english = || {
            let stem = stem::english(word);
            let base = || self.base_form(word);
            let root = || self.english.stems.get(stem::root(&stem)).filter(|sense| sense.is_plain());
            self.english.exact.get(word).or_else(base).or_else(|| self.english.stems.get(&stem)).or_else(root)
        };
        let serbian = || {
            self.serbian
                .exact
                .get(word)
                .or_else(|| self.serbian.stems.get(stem::serbian(word)))
                .or_else(|| self.participle(word))
        };
        // English names take Serbian endings: "Postgresa".
        let borrowed = || {
            let bare = stem::serbian(word);
            (bare.len() >= 4 && bare.len() < word.len()).then(|| self.english.exact.get(bare)).flatten()
        };
        if in_serbian {
            serbian().or_else(english).or_else(borrowed)
        } else {
            english().or_else(|| self.serbian.exact.get(word))
        }
    }

    /// Whether the Serbian part knows this very spelling.
    pub(super) fn is_serbian_word(&self, word: &str) -> bool {
        self.serbian.exact.contains_key(word) || self.serbian.stems.contains_key(stem::serbian(word))
    }

    /// Whether the English part knows this word.
    pub(super) fn is_english_word(&self, word: &str) -> bool {
        self.english.exact.contains_key(word) || self.english.stems.contains_key(&stem::english(word))
    }

    /// Whether this word binds a choice or names work.
    pub(super) fn is_verb(&self, word: &str) -> bool {
        self.english.exact.get(word).is_some_and(|sense| sense.class != 0)
    }

    /// Whether a phrase may begin with this folded word.
    pub(super) fn may_open_phrase(&self, word: &str, in_serbian: bool) -> bool {
        self.english.heads.contains(&stem::english(word))
            || in_serbian && self.serbian.heads.contains(stem::serbian(word))
    }

    /// What is known of these words as a phrase.
    pub(super) fn phrase(&self, words: &[Rc<Lexeme>], in_serbian: bool) -> Option<&Sense> {
        let english = || self.english.phrases.get(&joined(words.iter().map(|word| word.stem())));
        if in_serbian {
            let stems = words.iter().map(|word| stem::serbian(&word.word));
            self.serbian.phrases.get(&joined(stems)).or_else(english)
        } else {
            english()
        }
    }
}

fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.fold(String::new(), |mut phrase, word| {
        if !phrase.is_empty() {
            phrase.push(' ');
        }
        phrase.push_str(word);
        phrase
    })
}

fn set_once(concept: &mut Option<String>, value: &str) {
    if concept.is_none() {
        *concept = Some(value.to_owned());
    }
}

fn class_of(name: &str) -> u8 {
    match name {
        "use" => class::USE,
        "place" => class::PLACE,
        "change" => class::CHANGE,
        "name" => class::NAME,
        "assign" => class::ASSIGN,
        "task" => class::TASK,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_meaning_meet_across_languages() {
        for (english, serbian) in [
            ("database", "bazu"),
            ("cache", "kesiranje"),
            ("tests", "testove"),
            ("disabled", "iskljucena"),
            ("remove", "obrisati"),
        ] {
            let left = LEXICON.word(english, false).unwrap();
            let right = LEXICON.word(serbian, true).unwrap();
            assert_eq!(
                (&left.concept, left.negative),
                (&right.concept, right.negative),
                "{english} {serbian}"
            );
        }
    }

    #[test]
    fn every_line_is_well_formed() {
        let mut sections = 0;
        for line in include_str!("lexicon.txt")
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            sections += usize::from(line.starts_with('['));
            assert!(line.is_ascii() && line == line.to_lowercase(), "{line}");
        }
        assert_eq!(sections, 8);
    }
}
