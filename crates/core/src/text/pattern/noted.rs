//! Which patterns may match in a text, told for all of them in one pass. A sentence is asked a hundred patterns, and
//! hardly one of them finds the words that it needs.
//!
//! What a text holds is noted for a while on the thread that reads it. A pattern that is asked about that text or a part
//! of it then looks at the note instead of the text: what the whole does not hold, no part of it does.
//!
//! To learn the words of all patterns takes as long as to read a hundred messages. Nobody waits for that: a thread of its
//! own does it when they are first asked for, and until it is done each pattern looks for its own words.

use super::glance::words;
use super::{Declared, Pattern, plain_classes};
use daachorse::DoubleArrayAhoCorasick;
use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;
use std::sync::{Once, OnceLock};

/// The number of a pattern before all are numbered, and of one beyond the last that can be.
pub(super) const UNNUMBERED: u16 = u16::MAX;
/// Patterns that can be numbered; a test tells when there are more.
const MOST: usize = WORDS * 64;
const WORDS: usize = 10;

/// One bit for each pattern.
type Bits = [u64; WORDS];

/// The patterns that may match in a text or in a part of it; none where the words are not known yet.
#[derive(Debug, Clone)]
pub(crate) struct Held(Option<Bits>);

impl Held {
    pub(crate) fn of(text: &str) -> Self {
        let Some(vocabulary) = Vocabulary::known() else { return Self(None) };
        let mut bits = vocabulary.silent;
        for found in vocabulary.finder.find_overlapping_iter(text) {
            let needing = vocabulary.needing.get(usize::from(found.value()));
            needing.into_iter().flatten().for_each(|number| allow(&mut bits, *number));
        }
        Self(Some(bits))
    }
}

/// The words of all patterns.
struct Vocabulary {
    finder: DoubleArrayAhoCorasick<u16>,
    /// The patterns that need a word, by its place in the finder.
    needing: Vec<Box<[u16]>>,
    /// Those about which no word tells anything.
    silent: Bits,
}

/// `None` where they cannot be looked for.
static VOCABULARY: OnceLock<Option<Vocabulary>> = OnceLock::new();

impl Vocabulary {
    /// What is known by now; tests wait for it, so that each of them checks the notes.
    fn known() -> Option<&'static Self> {
        static LEARNING: Once = Once::new();
        if cfg!(test) {
            return VOCABULARY.get_or_init(Self::learn).as_ref();
        }
        LEARNING.call_once(|| {
            let thread = std::thread::Builder::new().name("clawback-words".to_owned());
            if let Err(cause) = thread.spawn(|| VOCABULARY.get_or_init(Self::learn)) {
                tracing::warn!(%cause, "no thread to learn the words of the patterns: they are read more slowly");
            }
        });
        VOCABULARY.get()?.as_ref()
    }

    fn learn() -> Option<Self> {
        let mut needing: HashMap<Vec<u8>, Vec<u16>> = HashMap::new();
        let mut silent = Bits::default();
        for (number, Declared(pattern)) in (0..).zip(inventory::iter::<Declared>).take(MOST) {
            match words(&plain_classes(pattern.source)) {
                Some(words) => {
                    words.into_iter().for_each(|word| needing.entry(word).or_default().push(number));
                }
                None => allow(&mut silent, number),
            }
            pattern.number.store(number, Ordering::Relaxed);
        }
        let mut needing: Vec<_> = needing.into_iter().collect();
        needing.sort_unstable();
        let finder = DoubleArrayAhoCorasick::new(needing.iter().map(|(word, _)| word))
            .inspect_err(|cause| tracing::error!(%cause, "the words of the patterns are not looked for"))
            .ok()?;
        let needing = needing.into_iter().map(|(_, numbers)| numbers.into()).collect();
        Some(Self { finder, needing, silent })
    }
}

fn allow(bits: &mut Bits, number: u16) {
    if let Some(word) = bits.get_mut(usize::from(number / 64)) {
        *word |= 1 << (number % 64);
    }
}

/// The text that a thread reads: where it lies, and what it holds.
struct Note {
    start: Cell<usize>,
    end: Cell<usize>,
    bits: [Cell<u64>; WORDS],
}

impl Note {
    fn set(&self, start: usize, end: usize, bits: Bits) {
        self.start.set(start);
        self.end.set(end);
        self.bits.iter().zip(bits).for_each(|(here, word)| here.set(word));
    }

    fn get(&self) -> (usize, usize, Bits) {
        (self.start.get(), self.end.get(), self.bits.each_ref().map(Cell::get))
    }
}

thread_local! {
    /// At first of no text: nothing lies behind its start and before its end.
    static NOTE: Note =
        const { Note { start: Cell::new(usize::MAX), end: Cell::new(0), bits: [const { Cell::new(0) }; WORDS] } };
}

/// While it lives, the patterns of this thread know what a text holds. The text is borrowed for as long: nothing else can
/// lie where it lies. Notes end in the reverse order of their beginning, so keep one in a local variable.
#[must_use = "a note lasts as long as this lives"]
pub(crate) struct Noted<'t> {
    before: (usize, usize, Bits),
    /// It belongs to one thread, and to the text.
    text: PhantomData<(*const (), &'t str)>,
}

impl<'t> Noted<'t> {
    /// `held` is what `text` holds.
    pub(crate) fn new(text: &'t str, held: &Held) -> Self {
        let lies = text.as_bytes().as_ptr_range();
        let before = NOTE.with(|note| {
            let before = note.get();
            match held.0 {
                Some(bits) => note.set(lies.start.addr(), lies.end.addr(), bits),
                None => note.set(usize::MAX, 0, Bits::default()),
            }
            before
        });
        Self { before, text: PhantomData }
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        let (start, end, bits) = self.before;
        NOTE.with(|note| note.set(start, end, bits));
    }
}

/// Whether the text holds a word that the pattern needs; `None` where nothing is noted about it.
#[inline]
pub(super) fn tells(pattern: &Pattern, text: &str) -> Option<bool> {
    let lies = text.as_bytes().as_ptr_range();
    NOTE.with(|note| {
        if lies.start.addr() < note.start.get() || note.end.get() < lies.end.addr() {
            return None;
        }
        let number = pattern.number.load(Ordering::Relaxed);
        let word = note.bits.get(usize::from(number / 64))?;
        Some(word.get() >> (number % 64) & 1 == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::super::static_regex;
    use super::*;

    static_regex! {
        static CHANGE = r"\b(?:switch|migrate) to\b";
        static NUMBER = r"^\d+";
    }

    #[test]
    fn a_note_tells_of_a_text_and_its_parts_and_of_nothing_else() {
        let text = String::from("we migrate to 17 now");
        let part = text.get(14..).unwrap();
        let other = String::from("we switch to 17 now");
        assert_eq!(tells(&CHANGE, &text), None);
        {
            let _noted = Noted::new(&text, &Held::of(&text));
            assert_eq!(tells(&CHANGE, &text), Some(true));
            assert_eq!(tells(&CHANGE, part), Some(true), "the whole holds it");
            assert_eq!(tells(&NUMBER, &text), Some(true), "no word tells of it");
            assert!(CHANGE.is_match(&text) && !CHANGE.is_match(part) && NUMBER.is_match(part));
            assert_eq!(tells(&CHANGE, &other), None);
            assert!(CHANGE.is_match(&other));
        }
        assert_eq!(tells(&CHANGE, &text), None);
    }

    #[test]
    fn the_note_before_comes_back() {
        let (outer, inner) = ("we keep it".to_owned(), "we switch to it".to_owned());
        let _outer = Noted::new(&outer, &Held::of(&outer));
        {
            let _inner = Noted::new(&inner, &Held::of(&inner));
            assert_eq!((tells(&CHANGE, &inner), tells(&CHANGE, &outer)), (Some(true), None));
        }
        assert_eq!((tells(&CHANGE, &inner), tells(&CHANGE, &outer)), (None, Some(false)));
    }

    #[test]
    fn every_pattern_has_a_number_and_its_words_can_be_looked_for() {
        assert!(Vocabulary::known().is_some());
        let (mut all, mut silent) = (0, 0);
        for Declared(pattern) in inventory::iter::<Declared> {
            all += 1;
            assert_ne!(pattern.number.load(Ordering::Relaxed), UNNUMBERED, "{}", pattern.source);
            silent += usize::from(words(&plain_classes(pattern.source)).is_none());
        }
        assert!(all > 400 && silent < all / 2, "{silent} of {all} patterns need no word");
    }
}
