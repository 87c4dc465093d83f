//! A text made ready for comparison: segments of tokens with their meaning, polarity, values and slots.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use siphasher::sip::SipHasher13;

use super::frame::Frames;
use super::gist::Gist;
use super::lexeme::Lexeme;
use super::lexicon::class;
use super::pieces::{named_within, pieces, unambiguous, words_of};
use super::read::{Reader, is_serbian};
use super::value::Value;
use super::word::Word;
use crate::text::{clean, fold};

/// Where in its clause a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// Before the verb, or the verb itself.
    Head,
    /// After the verb, without a preposition.
    Object,
    /// After a preposition of this group (see [`preposition`]).
    After(u8),
}

/// A word, phrase, name or value with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Names the meaning within one language.
    pub(super) key: u64,
    /// Names the meaning across languages: Serbian endings are taken off English words too.
    pub(super) alt: u64,
    /// The folded spelling.
    pub(super) word: Word,
    pub(super) light: bool,
    pub(super) generic: bool,
    pub(super) polar: bool,
    /// The negative end of its concept.
    pub(super) negative: bool,
    pub(super) value: Option<Box<Value>>,
    /// A number that tells which thing is spoken of: "chapter 7", "the second class".
    pub(super) label: bool,
    pub(super) contraries: &'static [(u16, u8)],
    /// Its contraries are many: the days of a week, colours.
    pub(super) scale: bool,
    pub(super) kind: Option<u16>,
    pub(super) class: u8,
    pub(super) slot: Slot,
    /// It names one thing: a path, host, identifier.
    pub(super) name: bool,
    /// Written as a proper name.
    pub(super) proper: bool,
}

impl Token {
    /// Says something of its own: neither light nor a value.
    pub(super) fn heavy(&self) -> bool {
        !self.light && self.value.is_none()
    }

    /// A verb of staying or changing.
    pub(super) fn changes(&self) -> bool {
        self.class & class::CHANGE != 0 && self.slot == Slot::Head
    }
}

/// A clause, or the whole text.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) tokens: Vec<Token>,
    /// An odd number of negations and negative words.
    pub(super) negative: bool,
    /// Limits what stands before it (`except`, `but`, `unless`).
    pub(super) restrictive: bool,
    /// What is turned down (`instead of X`, `not X`): keys and cross-language keys.
    pub(super) rejected: Vec<(u64, u64)>,
    /// Function words and places of tokens in order; equal skeletons mean the same construction.
    pub(super) skeleton: Vec<u8>,
    /// `X is done by Y`.
    pub(super) passive: bool,
    /// `X is ...`: how many tokens stand before the verb.
    pub(super) copula: Option<usize>,
    /// What stands after "is" is a thing, not a state: "is a pilot".
    pub(super) is_thing: bool,
    pub(super) serbian: bool,
    pub(super) frames: Frames,
    /// Tells it from most clauses that speak of something else.
    pub(super) gist: Arc<Gist>,
}

impl Segment {
    /// Opens with a verb in the form of an order.
    pub(super) fn orders(&self) -> bool {
        let first = self.tokens.iter().find(|t| !t.light || t.class != 0);
        let order = |t: &Token| {
            let ending = if self.serbian { ["ao", "la", "li"] } else { ["s", "ed", "ing"] };
            t.class != 0 && t.slot == Slot::Head && !ending.iter().any(|ending| t.word.ends_with(ending))
        };
        self.tokens.iter().filter(|t| !t.light).count() >= 2 && first.is_some_and(order)
    }
}

/// A text made ready for [`compare`](super::compare). Costs a few microseconds; make it once for each text.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Folded words joined with blanks; equal for texts that differ in form only.
    pub(super) plain: String,
    pub(super) segments: Vec<Segment>,
    /// All clauses together, where there is not just one.
    joined: Option<Box<Segment>>,
    pub(super) serbian: bool,
    /// Of a text that is too long to be read whole: a hash of the words that were not read.
    pub(super) rest: u64,
}

/// Most bytes of a text that are read: what is remembered is a sentence or two, and clauses are compared in pairs.
const READ_BYTES: usize = 600;

/// The part of a text that is read, and a hash of the words behind it.
fn readable(text: &str) -> (&str, u64) {
    if text.len() <= READ_BYTES {
        return (text, 0);
    }
    let (head, rest) = text.split_at(text.floor_char_boundary(READ_BYTES));
    let mut hasher = SipHasher13::new();
    rest.split_whitespace().for_each(|word| word.hash(&mut hasher));
    (head, hasher.finish())
}

/// Skeleton codes above the prepositions.
pub(super) mod mark {
    pub(in super::super) const TOKEN: u8 = 0;
    pub(in super::super) const BE: u8 = 100;
    pub(in super::super) const AND: u8 = 101;
    pub(in super::super) const BREAK: u8 = 102;
    pub(in super::super) const OF: u8 = 103;
}

pub(super) mod prep {
    pub(in super::super) const FOR: u8 = 1;
    pub(in super::super) const IN: u8 = 2;
    pub(in super::super) const ON: u8 = 3;
    pub(in super::super) const TO: u8 = 4;
    pub(in super::super) const FROM: u8 = 5;
    pub(in super::super) const WITH: u8 = 6;
    pub(in super::super) const BY: u8 = 7;
    pub(in super::super) const VIA: u8 = 8;
    pub(in super::super) const AS: u8 = 9;
    pub(in super::super) const OVER: u8 = 10;
    pub(in super::super) const UNDER: u8 = 11;
    pub(in super::super) const OTHER: u8 = 12;
}

impl Prepared {
    /// Reads `text`; of a long one its start.
    pub fn new(text: &str) -> Self {
        Self::read(text, false)
    }

    /// As [`Prepared::new`], in Serbian, whatever the words tell: "Redisa" alone could be a name.
    pub(crate) fn in_serbian(text: &str) -> Self {
        Self::read(text, true)
    }

    fn read(text: &str, surely_serbian: bool) -> Self {
        let (text, rest) = readable(text);
        let cleaned = clean(text);
        let mut folded = fold(&unambiguous(&cleaned));
        if folded.contains('>') {
            folded = folded.replace(" -> ", " to ").replace(" => ", " to ");
        }
        let pieces = pieces(&folded);
        let words = words_of(&pieces);
        let lexemes: Vec<Rc<Lexeme>> = words.iter().map(|word| Lexeme::of(word)).collect();
        let serbian = surely_serbian || is_serbian(&lexemes, text);
        let named = named_within(&cleaned);
        let mut reader = Reader::new(serbian, &named);
        reader.read(&pieces, &lexemes);
        let mut segments = reader.done;
        // "use 60 s": where all words are light, they are what is said.
        if !segments.iter().flat_map(|s| &s.tokens).any(Token::heavy) {
            segments.iter_mut().flat_map(|s| &mut s.tokens).for_each(|token| token.light = false);
        }
        segments.retain(|s| s.negative || s.tokens.iter().any(|t| !t.light));
        let joined = join(&mut segments);
        Self { plain: words.join(" "), segments, joined, serbian, rest }
    }

    /// All that is said, as one.
    pub(super) fn whole(&self) -> &Segment {
        static NOTHING: LazyLock<Segment> = LazyLock::new(Segment::default);
        self.joined.as_deref().or(self.segments.first()).unwrap_or(&NOTHING)
    }

    /// Tells of something done ("Old code preserved: ..."), not of something to do.
    pub(super) fn reports(&self) -> bool {
        self.segments.first().is_some_and(|s| {
            let done = |t: &Token| t.word.ends_with("ed") && t.class & class::USE == 0;
            s.copula.is_none()
                && s.tokens.iter().find(|t| !t.light).is_some_and(|t| t.class == 0)
                && s.tokens.iter().rev().find(|t| !t.light).is_some_and(done)
        })
    }

    /// Opens with a verb: something to do.
    pub(super) fn orders(&self) -> bool {
        let first = self.segments.first().and_then(|s| s.tokens.first());
        first.is_some_and(|t| (t.class != 0 || t.polar) && !t.word.ends_with("ed"))
    }

    /// Whether both are the same words, whatever their form.
    pub(crate) fn says_literally(&self, other: &Self) -> bool {
        self.plain == other.plain && self.rest == other.rest
    }

    /// Whether the words of `part`, three or more, stand here in a row.
    pub(crate) fn quotes(&self, part: &Self) -> bool {
        part.plain.split(' ').count() >= 3
            && format!(" {} ", self.plain).contains(&format!(" {} ", part.plain))
    }
}

/// How a text was read, for people: words, what they count as, and where they stand.
impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.serbian { "sr" } else { "en" })?;
        for segment in &self.segments {
            write!(f, " {}", if segment.negative { "[not" } else { "[" })?;
            for token in &segment.tokens {
                let marks = [
                    (token.light, "light"),
                    (token.generic, "generic"),
                    (token.value.is_some(), "value"),
                    (token.kind.is_some(), "kind"),
                    (token.name || token.proper, "name"),
                    (token.class != 0, "verb"),
                    (token.polar, "polar"),
                    (!token.contraries.is_empty(), "contrary"),
                ];
                write!(f, " {}", if token.word.is_empty() { "#" } else { &*token.word })?;
                for (_, mark) in marks.iter().filter(|(holds, _)| *holds) {
                    write!(f, "-{mark}")?;
                }
                match token.slot {
                    Slot::Head => {}
                    Slot::Object => f.write_str(".o")?,
                    Slot::After(group) => write!(f, ".{group}")?,
                }
            }
            f.write_str(" ]")?;
        }
        Ok(())
    }
}

/// The whole of a text that has not just one clause; it and the clauses get their gists.
fn join(segments: &mut [Segment]) -> Option<Box<Segment>> {
    segments.iter_mut().for_each(|segment| segment.gist = Arc::new(Gist::of(segment)));
    if segments.len() == 1 {
        return None;
    }
    let mut whole = Box::<Segment>::default();
    for segment in segments {
        if let (None, Some(at)) = (whole.copula, segment.copula) {
            whole.copula = Some(whole.tokens.len() + at);
        }
        whole.tokens.extend_from_slice(&segment.tokens);
        whole.negative ^= segment.negative;
        whole.rejected.extend(&segment.rejected);
        whole.is_thing |= segment.is_thing;
        whole.passive |= segment.passive;
        whole.serbian |= segment.serbian;
        if !whole.skeleton.is_empty() {
            whole.skeleton.push(mark::BREAK);
        }
        whole.skeleton.extend(&segment.skeleton);
    }
    whole.gist = Arc::new(Gist::of(&whole));
    Some(whole)
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}
