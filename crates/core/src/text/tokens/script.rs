//! What letters, symbols and pictures outside ASCII cost. Hundredths of a token.

/// The cost of a letter outside ASCII.
pub(super) enum Letter {
    /// A Latin letter with a diacritic: counted by its pairs, as ASCII letters are.
    Latin,
    /// A letter of another script: a cost per word and one per letter.
    Other { per_word: i64, per_letter: i64 },
}

/// The cost of a mark that is neither letter, digit nor white space.
pub(super) enum Symbol {
    /// Counted by the run that it stands in.
    Ascii,
    /// Has a cost of its own.
    Costs(u64),
}

/// Letters by script. Fitted on a tutorial in 30 languages and on names of countries, languages and dates.
pub(super) fn letter(c: char) -> Letter {
    let (per_word, per_letter) = match u32::from(c) {
        0x80..=0x24F | 0x300..=0x36F | 0x1E00..=0x1EFF => return Letter::Latin,
        0x370..=0x3FF | 0x1F00..=0x1FFF => (20, 46), // Greek
        0x452 | 0x458..=0x45F | 0x402 | 0x408..=0x40F => (34, 66), // Cyrillic letters of Serbian and Macedonian
        0x400..=0x52F => (34, 33),                                 // Cyrillic
        0x530..=0x58F => (100, 36),                                // Armenian
        0x590..=0x5FF => (27, 48),                                 // Hebrew
        0x600..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF => (45, 36), // Arabic
        0x900..=0xDFF => (80, 44),                                 // the scripts of India
        0xE00..=0xE7F => (65, 46),                                 // Thai
        0xE80..=0xFFF => (100, 180),                               // Lao, Tibetan
        0x1000..=0x109F => (100, 58),                              // Burmese
        0x10A0..=0x10FF => (100, 33),                              // Georgian
        0x1780..=0x17FF => (65, 67),                               // Khmer
        0x3040..=0x30FF => (38, 69),                               // Japanese syllables
        0x3400..=0x4DBF => (38, 200),                              // rare ideographs
        0x4E00..=0x9FFF => (38, 86),                               // ideographs
        0xAC00..=0xD7AF => (13, 80),                               // Korean
        0xFF00..=0xFFEF => (0, 150),                               // full-width forms
        0x1_0000.. => (0, 300),
        _ => (50, 180),
    };
    Letter::Other { per_word, per_letter }
}

/// Marks that belong to the letter before them, also where Unicode does not call them alphabetic.
pub(super) fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x591..=0x5C7 | 0x64B..=0x65F | 0xE31..=0xE4E)
        || (matches!(u32::from(c), 0x900..=0xDFF | 0xE80..=0x109F | 0x1780..=0x17D3)
            && !c.is_numeric()
            && !is_danda(c))
}

fn is_danda(c: char) -> bool {
    matches!(c, '\u{964}' | '\u{965}')
}

/// Emoji and other pictures: tokenisers do not join them to the word that follows.
pub(super) fn is_picture(c: char) -> bool {
    u32::from(c) >= 0x1_F000
}

/// The cost of a symbol after `previous` (`char::MAX` at the start of a run).
pub(super) fn symbol(c: char, previous: char) -> Symbol {
    if c.is_ascii() {
        return Symbol::Ascii;
    }
    Symbol::Costs(match u32::from(c) {
        0xFE0F => 30,                          // emoji style; known emoji include it
        0x2500..=0x257F if c == previous => 8, // ruled lines come in long tokens
        0x2580..=0x259F if c == previous => 25,
        0x2010..=0x203A if c == previous => 50,
        0x80..=0xFF | 0x2010..=0x22FF | 0x2500..=0x25FF | 0x3000..=0x303F | 0xFF00..=0xFFEF => 100,
        0x2600..=0x27BF => 120,
        0x1_F3FB..=0x1_F3FF => 180, // skin tones
        0x1_F000.. => 205,
        0x200B..=0x200F => 100,
        0x1_0000.. => 300,
        _ => 180,
    })
}
