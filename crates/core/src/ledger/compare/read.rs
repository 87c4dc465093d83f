//! Reading folded text: words, breaks, negations, phrases and values become the segments of a [`Prepared`] text.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::LazyLock;

use super::lexeme::{Lexeme, Reading, Tells, is_name};
use super::lexicon::{LEXICON, LONGEST_PHRASE, Sense, class};
use super::pieces::Piece;
use super::prepare::{Segment, Slot, Token, hash, mark, prep};
use super::subject::{mark_labels, name_the_subject};
use super::value::{self, Value};
use super::word::Word;

fn preposition(word: &str, serbian: bool) -> Option<u8> {
    use prep::*;
    let english = match word {
        "for" => FOR,
        "in" | "into" | "inside" | "within" => IN,
        "on" | "onto" | "upon" => ON,
        "to" | "towards" | "toward" => TO,
        "from" => FROM,
        "with" => WITH,
        "by" => BY,
        "via" | "through" | "using" => VIA,
        "as" => AS,
        "over" => OVER,
        "under" => UNDER,
        "at" | "about" | "regarding" | "concerning" | "against" | "between" | "across" | "until" | "than"
        | "around" => OTHER,
        _ => 0,
    };
    if !serbian {
        return (english > 0).then_some(english);
    }
    let found = match word {
        "za" | "radi" => FOR,
        "u" | "unutar" => IN,
        "na" => ON,
        "do" | "prema" | "ka" => TO,
        "od" | "iz" => FROM,
        "sa" | "s" => WITH,
        "preko" | "kroz" | "pomocu" | "putem" => VIA,
        "kao" => AS,
        "nad" => OVER,
        "pod" => UNDER,
        "o" | "kod" | "po" | "pri" | "protiv" | "izmedju" | "oko" => OTHER,
        _ => english,
    };
    (found > 0).then_some(found)
}

pub(super) fn is_serbian(words: &[Rc<Lexeme>], original: &str) -> bool {
    let letters = !original.is_ascii()
        && original.chars().any(|c| {
            matches!(c, 'č' | 'ć' | 'š' | 'ž' | 'đ' | 'Č' | 'Ć' | 'Š' | 'Ž' | 'Đ' | '\u{400}'..='\u{4FF}')
        });
    let count = |tells: Tells| words.iter().filter(|w| w.tells == tells || w.tells == Tells::Both).count();
    let (serbian, english) = (count(Tells::Serbian), count(Tells::English));
    if letters && english == 0 || serbian != english {
        return serbian > english || letters && serbian >= english;
    }
    // Neither has function words: known words decide ("Proveriti server").
    let known_serbian = words.iter().filter(|w| w.known().0).count();
    let known_english = words.iter().filter(|w| w.known().1).count();
    known_serbian > known_english
}

/// Whether a rule of the [`Reader`] looks at this word. `function`: it has no meaning of its own.
pub(super) fn has_rules(word: &str, function: bool) -> bool {
    function || preposition(word, true).is_some() || RULE_WORDS.contains(word)
}

/// Words at which the rules of the [`Reader`] begin, but for prepositions and function words.
static RULE_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let alternatives = "instead rather in umesto umjesto a and but";
    let breaks = "but except unless ali osim sem because since which jer posto zato so as kako";
    let deferrals = "until till dok once done complete completed finished over stop quit cease prestati";
    let negations = "not never without neither no none nothing nobody avoid ne nije nisu nisam nismo nece necemo \
                     necu nemoj nemojte nemojmo nema nemamo bez nikad nikada niko nista nigde nijedan nijedna ni";
    let functions =
        "is are be been was were being gets and or plus & ili i a on in je su bice bude budu do does did";
    [alternatives, breaks, deferrals, negations, functions]
        .iter()
        .flat_map(|words| words.split_whitespace())
        .collect()
});

/// Most words that one construction looks at.
const RUN: usize = 5;

/// A clause has mostly no more tokens.
const USUAL_TOKENS: usize = 8;

/// Keys of "keep", "limit" and "allow".
static MEANINGS: LazyLock<[u64; 3]> = LazyLock::new(|| ["=keep", "=limit", "=allow"].map(hash));

/// Builds segments from pieces.
pub(super) struct Reader<'a> {
    serbian: bool,
    /// Words that are written as proper names.
    named: &'a [String],
    pub(super) done: Vec<Segment>,
    current: Segment,
    slot: Slot,
    /// A verb that binds its objects was seen in this segment.
    verb_seen: bool,
    /// Within `instead of ...`.
    rejecting: bool,
    /// Serbian negates twice: `nikad ne`.
    negated_verb: bool,
    negated_word: bool,
    be_seen: bool,
    after_determiner: bool,
    /// "once X is done" was opened.
    after_once: bool,
    /// "da" stands before: a Serbian verb of any person follows.
    after_da: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(serbian: bool, named: &'a [String]) -> Self {
        Self {
            serbian,
            named,
            done: Vec::new(),
            current: Segment::default(),
            slot: Slot::Head,
            verb_seen: false,
            rejecting: false,
            negated_verb: false,
            negated_word: false,
            be_seen: false,
            after_determiner: false,
            after_once: false,
            after_da: false,
        }
    }

    /// `words` are those among the pieces.
    pub(super) fn read(&mut self, pieces: &[Piece<'_>], words: &[Rc<Lexeme>]) {
        let (mut rest, mut words) = (pieces, words);
        while let Some((first, tail)) = rest.split_first() {
            let taken = match first {
                Piece::Break => {
                    // ", not X" turns X down; a negation that opens a text does not.
                    let opens =
                        matches!(tail, [Piece::Word("not" | "ne"), ..]) && !self.current.tokens.is_empty();
                    self.end_segment();
                    if opens {
                        self.done_last_rejects();
                        2
                    } else {
                        1
                    }
                }
                Piece::Word(_) => {
                    let mut run = [""; RUN];
                    let mut length = 0;
                    for (place, piece) in run.iter_mut().zip(rest) {
                        let Piece::Word(word) = piece else { break };
                        *place = word;
                        length += 1;
                    }
                    self.word(run.get(..length).unwrap_or_default(), words.get(..length).unwrap_or_default())
                }
            };
            let (done, left) = rest.split_at(taken.clamp(1, rest.len()));
            let read = done.iter().filter(|piece| matches!(piece, Piece::Word(_))).count();
            (rest, words) = (left, words.get(read..).unwrap_or_default());
        }
        self.end_segment();
    }

    /// Continues the segment just ended, in order to turn down what follows.
    fn done_last_rejects(&mut self) {
        if let Some(last) = self.done.pop() {
            self.current = last;
            self.rejecting = true;
        }
    }

    /// Handles the word at the start of `run`; gives how many words it took. `known` is what is known of each.
    fn word(&mut self, run: &[&str], known: &[Rc<Lexeme>]) -> usize {
        let Some(lexeme) = known.first() else { return 1 };
        let third = self.third_person(lexeme);
        let lexeme: &Lexeme = third.as_deref().unwrap_or(lexeme);
        let word = &*lexeme.word;
        let next = run.get(1).copied().unwrap_or_default();
        // Most words are in no rule. Debug builds ask the rules all the same.
        let has_rules = lexeme.has_rules || cfg!(debug_assertions);
        let by_rule = |taken: usize| {
            debug_assert!(lexeme.has_rules, "{word} is missing in RULE_WORDS");
            taken
        };
        if has_rules
            && let Some(taken) = self
                .alternative(run)
                .or_else(|| self.break_word(word, next))
                .or_else(|| self.deferral(word, next))
        {
            return by_rule(taken);
        }
        let reading = lexeme.reading(self.serbian);
        if reading.opens_phrase
            && let Some((sense, taken)) = self.phrase(known)
        {
            self.push(&run.get(..taken).unwrap_or_default().join(" "), Some(sense));
            return taken;
        }
        if has_rules && self.negation(word, next) {
            return by_rule(1);
        }
        if lexeme.value
            && let Some((value, taken)) = value::read(run).filter(|_| !(self.serbian && word == "sto"))
        {
            self.push_value(value);
            return taken;
        }
        if has_rules && self.function(lexeme, run, next) {
            return by_rule(1);
        }
        self.push_read(lexeme.word.clone(), lexeme.name, reading);
        1
    }

    /// Words that say how others belong together: forms of "to be", "and", prepositions, articles.
    fn function(&mut self, lexeme: &Lexeme, run: &[&str], next: &str) -> bool {
        let word = &*lexeme.word;
        if matches!(word, "is" | "are" | "be" | "been" | "was" | "were" | "being" | "gets") {
            self.be_seen = true;
            self.current.copula.get_or_insert(self.current.tokens.len());
            self.current.skeleton.push(mark::BE);
            return true;
        }
        if matches!(word, "and" | "or" | "plus" | "&" | "ili") || self.serbian && matches!(word, "i" | "a") {
            if is_adjective(next) {
                self.end_segment();
            } else {
                self.current.skeleton.push(mark::AND);
                self.rejecting = false;
            }
            return true;
        }
        // "turn it on", "leave the cache on": no preposition without an object.
        let dangling = run.len() == 1 && matches!(word, "on" | "in");
        if dangling && word == "on" {
            self.push("enabled", LEXICON.word("enable", false));
            return true;
        }
        if let Some(slot) = preposition(word, self.serbian) {
            self.rejecting = word == "over" && self.current.tokens.iter().any(|t| t.class & class::USE != 0);
            if slot == prep::BY && self.be_seen {
                self.current.passive = true;
            }
            self.slot = Slot::After(slot);
            self.current.skeleton.push(slot);
            return true;
        }
        if self.serbian
            && matches!(word, "je" | "su" | "bice" | "bude" | "budu")
            && preposition(next, true).is_some()
        {
            self.current.copula.get_or_insert(self.current.tokens.len());
        }
        let determiner =
            matches!(word, "the" | "a" | "an" | "this" | "our" | "my" | "your" | "of" | "its" | "their");
        if lexeme.function && (self.serbian || !matches!(word, "te" | "on" | "one" | "im" | "si")) {
            self.after_determiner = determiner;
            self.current.is_thing |=
                matches!(word, "a" | "an") && self.current.skeleton.last() == Some(&mark::BE);
            if word == "of" {
                self.current.skeleton.push(mark::OF);
            }
            return true;
        }
        matches!(word, "do" | "does" | "did")
    }

    /// "da koristiš" says no other verb than "koristi". Elsewhere words in -s are names: "Redis".
    fn third_person(&mut self, lexeme: &Lexeme) -> Option<Rc<Lexeme>> {
        let word = &*lexeme.word;
        if !self.serbian {
            return None;
        }
        if word == "da" {
            self.after_da = true;
        } else if !lexeme.function && std::mem::take(&mut self.after_da) && word.len() >= 5 {
            let third = word.strip_suffix('s').filter(|third| third.ends_with(['a', 'e', 'i']))?;
            return Some(Lexeme::of(third));
        }
        None
    }

    /// `instead of X`, `rather than X`, `umesto X`, `a ne X`, `and not X`.
    fn alternative(&mut self, run: &[&str]) -> Option<usize> {
        let taken = match run {
            ["instead" | "rather", "of" | "than", ..] => 2,
            // What it points at stands elsewhere.
            ["instead", ..] => return Some(1),
            [
                "umesto" | "umjesto",
                "toga" | "tog" | "njega" | "nje" | "njih" | "ovoga" | "ovog" | "te",
                ..,
            ] => {
                return Some(2);
            }
            ["in", "place", "of", ..] => 3,
            ["umesto" | "umjesto", ..] => 1,
            ["a", "ne", ..] if self.serbian => 2,
            ["and" | "but", "not", next, ..] if !self.current.tokens.is_empty() && !LEXICON.is_verb(next) => {
                2
            }
            _ => return None,
        };
        self.rejecting = true;
        Some(taken)
    }

    /// "not X until Y" asks for X after Y; "stop doing X" asks for no X.
    fn deferral(&mut self, word: &str, next: &str) -> Option<usize> {
        let until = matches!(word, "until" | "till") || self.serbian && word == "dok";
        if until && self.current.negative && !self.current.tokens.is_empty() {
            self.current.negative = false;
            self.push("after", LEXICON.word("after", false));
            return Some(if next == "ne" { 2 } else { 1 });
        }
        let once = word == "once" && !matches!(next, "a" | "an" | "per" | "every" | "each" | "in" | "");
        if once && !self.current.tokens.is_empty() {
            self.push("after", LEXICON.word("after", false));
            self.after_once = true;
            return Some(1);
        }
        if self.after_once
            && self.be_seen
            && matches!(word, "done" | "complete" | "completed" | "finished" | "over")
        {
            return Some(1);
        }
        let stops = matches!(word, "stop" | "quit" | "cease") && next.len() > 5 && next.ends_with("ing")
            || self.serbian && word == "prestati" && next == "da";
        stops.then(|| {
            self.current.negative ^= true;
            1
        })
    }

    fn break_word(&mut self, word: &str, next: &str) -> Option<usize> {
        let restrictive = matches!(word, "but" | "except" | "unless" | "ali" | "osim" | "sem");
        let explains = matches!(word, "because" | "since" | "which" | "jer" | "posto" | "zato" | "so")
            || word == "as" && matches!(next, "agreed" | "discussed" | "decided" | "it" | "we" | "they")
            || word == "kako" && next == "bi";
        if !restrictive && !explains || self.current.tokens.is_empty() {
            return None;
        }
        self.end_segment();
        self.current.restrictive = restrictive;
        Some(1)
    }

    fn phrase(&self, run: &[Rc<Lexeme>]) -> Option<(&'static Sense, usize)> {
        (2..=LONGEST_PHRASE.min(run.len())).rev().find_map(|taken| {
            let words = run.get(..taken)?;
            LEXICON.phrase(words, self.serbian).map(|sense| (sense, taken))
        })
    }

    fn negation(&mut self, word: &str, next: &str) -> bool {
        let always = matches!(
            word,
            "not" | "never" | "without" | "neither" | "no" | "none" | "nothing" | "nobody" | "avoid"
        ) && !(matches!(word, "not" | "no")
            && matches!(next, "only" | "just" | "more" | "less" | "later" | "sooner"));
        let serbian_verb = matches!(
            word,
            "ne" | "nije"
                | "nisu"
                | "nisam"
                | "nismo"
                | "nece"
                | "necemo"
                | "necu"
                | "nemoj"
                | "nemojte"
                | "nemojmo"
                | "nema"
                | "nemamo"
                | "bez"
        );
        let serbian_word = self.serbian
            && matches!(word, "nikad" | "nikada" | "niko" | "nista" | "nigde" | "nijedan" | "nijedna" | "ni");
        if always || serbian_verb && (self.serbian || word != "ne") {
            self.negated_verb |= serbian_verb && word != "bez";
            self.current.negative ^= true;
        } else if serbian_word {
            self.negated_word = true;
        } else {
            return false;
        }
        true
    }

    fn push_value(&mut self, value: Value) {
        let key = hash(&format!("{:?}{}", value.dimension, value.amount));
        let mut token = self.token(key, key, Word::none());
        token.value = Some(Box::new(value));
        self.finish(token, false);
    }

    fn push(&mut self, word: &str, sense: Option<&'static Sense>) {
        let name = is_name(word);
        self.push_read(Word::new(word), name, &Reading::new(word, name, sense, self.serbian));
    }

    fn push_read(&mut self, word: Word, name: bool, reading: &Reading) {
        let mut token = self.token(reading.key, reading.alt, word);
        token.name = name;
        token.proper = self.named.iter().any(|named| **named == *token.word);
        if let Some(sense) = reading.sense {
            token.light = sense.light;
            token.generic = sense.generic;
            token.polar = sense.polar;
            token.negative = sense.negative;
            token.contraries = &sense.contraries;
            token.scale = sense.scale;
            token.kind = sense.kind;
            token.class = sense.class;
        }
        // "gracefully", "manually checked": how it is done, unless the lexicon knows better.
        token.generic |=
            reading.sense.is_none() && !self.serbian && token.word.len() >= 7 && token.word.ends_with("ly");
        self.finish(token, reading.sense.is_some_and(|s| s.negative));
    }

    fn token(&self, key: u64, alt: u64, word: Word) -> Token {
        Token {
            key,
            alt,
            word,
            light: false,
            generic: false,
            polar: false,
            negative: false,
            value: None,
            label: false,
            contraries: &[],
            scale: false,
            kind: None,
            class: 0,
            slot: self.slot,
            name: false,
            proper: false,
        }
    }

    fn finish(&mut self, mut token: Token, negative: bool) {
        let noun = std::mem::take(&mut self.after_determiner);
        if self.rejecting && !token.light {
            self.current.rejected.push((token.key, token.alt));
            return;
        }
        if noun {
            token.class = 0;
        }
        self.current.negative ^= negative;
        if token.class != 0 && !self.verb_seen && self.slot == Slot::Head {
            self.verb_seen = true;
            self.slot = Slot::Object;
            token.slot = Slot::Head;
        }
        if self.current.tokens.is_empty() {
            self.current.tokens.reserve(USUAL_TOKENS);
            self.current.skeleton.reserve(2 * USUAL_TOKENS);
        }
        self.current.skeleton.push(mark::TOKEN);
        self.current.tokens.push(token);
    }

    fn end_segment(&mut self) {
        let mut segment = std::mem::take(&mut self.current);
        segment.serbian = self.serbian;
        if self.negated_word && !self.negated_verb {
            segment.negative ^= true;
        }
        // "keep the cache enabled" says enabled, not keep.
        let [keep, limit, allow] = *MEANINGS;
        let keeps = |t: &Token| t.key == keep && !t.negative;
        if segment.tokens.iter().any(|t| t.polar && !keeps(t)) {
            segment.tokens.iter_mut().filter(|t| keeps(t)).for_each(|t| t.light = true);
        }
        // "keep pull requests small" says small, not keep.
        if segment
            .tokens
            .last()
            .is_some_and(|t| !t.polar && t.class == 0 && (!t.contraries.is_empty() || is_adjective(&t.word)))
        {
            segment.tokens.iter_mut().filter(|t| keeps(t)).for_each(|t| t.light = true);
        }
        // "limit X to 5", "allow up to 5 X": the number is the limit.
        if segment.tokens.iter().any(|t| t.value.is_some()) && segment.tokens.iter().any(|t| t.key == limit) {
            let says_limit = |t: &&mut Token| t.key == limit || t.key == allow && !t.negative;
            segment.tokens.iter_mut().filter(says_limit).for_each(|t| t.light = true);
        }
        name_the_subject(&mut segment);
        mark_labels(&mut segment.tokens);
        if !segment.tokens.is_empty() || segment.negative {
            self.done.push(segment);
        }
        *self = Self { done: std::mem::take(&mut self.done), ..Self::new(self.serbian, self.named) };
    }
}

/// Endings of adjectives, for "and minimal".
fn is_adjective(word: &str) -> bool {
    word.len() >= 5
        && ["al", "ive", "ous", "ful", "less", "able", "ible", "ic"].iter().any(|e| word.ends_with(e))
        || matches!(word, "small" | "simple" | "fast" | "lean" | "clean" | "tiny" | "short" | "safe" | "easy")
}
