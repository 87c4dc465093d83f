//! Folding: one spelling for what people write in several. Lower case, no diacritics, Serbian Cyrillic as Latin.

use unicode_normalization::UnicodeNormalization;

/// Folds `text` so that `Čuvamo`, `Cuvamo` and `Чувамо` meet (`cuvamo`); `đ`, `ђ` and `dj` meet as `dj`.
///
/// Other Latin letters lose their marks (`ü` to `u`, `ł` to `l`, `ß` to `ss`, dotless `ı` to `i`); other Cyrillic
/// letters are spelled out as well as one can. Scripts whose marks carry the vowels are left as they are. Digits and
/// punctuation stay (compatibility forms such as full-width digits become plain). DESIGN 6.4.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // Nothing that follows changes an ASCII character but the one right after it.
        let ascii =
            rest.bytes().position(|byte| !byte.is_ascii()).map_or(rest.len(), |at| at.saturating_sub(1));
        let (plain, other) = rest.split_at(ascii);
        out.push_str(plain);
        let marked =
            other.char_indices().skip(1).find(|(_, c)| c.is_ascii()).map_or(other.len(), |(at, _)| at);
        let (marked, after) = other.split_at(marked);
        push_marked(&mut out, marked);
        rest = after;
    }
    out.make_ascii_lowercase();
    if out.is_ascii() { out } else { out.nfc().collect() }
}

fn push_marked(out: &mut String, text: &str) {
    for c in text.nfkc().flat_map(char::to_lowercase) {
        match letter(c) {
            Some(replacement) => out.push_str(replacement),
            None if c.is_ascii() => out.push(c),
            None => std::iter::once(c).nfd().filter(|c| !is_latin_mark(*c)).for_each(|c| push_folded(out, c)),
        }
    }
}

fn push_folded(out: &mut String, c: char) {
    match letter(c) {
        Some(replacement) => out.push_str(replacement),
        None => out.push(c),
    }
}

fn is_latin_mark(c: char) -> bool {
    ('\u{0300}'..='\u{036F}').contains(&c)
}

/// Letters that do not come apart into a base letter and a mark.
fn letter(c: char) -> Option<&'static str> {
    Some(match c {
        'đ' | 'ђ' => "dj",
        'ð' => "d",
        'ß' => "ss",
        'ł' => "l",
        'ø' => "o",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ı' => "i",
        'ħ' => "h",
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' | 'ѓ' => "g",
        'д' => "d",
        'е' | 'э' | 'є' => "e",
        'ж' | 'з' => "z",
        'и' | 'і' => "i",
        'ј' | 'й' => "j",
        'к' | 'ќ' => "k",
        'л' => "l",
        'љ' => "lj",
        'м' => "m",
        'н' => "n",
        'њ' => "nj",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' | 'ш' => "s",
        'т' => "t",
        'ћ' | 'ч' | 'ц' => "c",
        'у' | 'ў' => "u",
        'ф' => "f",
        'х' => "h",
        'џ' | 'ѕ' => "dz",
        'щ' => "sc",
        'ъ' | 'ь' => "",
        'ы' => "y",
        'ю' => "ju",
        'я' => "ja",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_spellings_of_serbian_meet() {
        for (a, b, c) in [
            ("Čuvamo odluke", "Cuvamo odluke", "Чувамо одлуке"),
            ("Đorđe", "Djordje", "Ђорђе"),
            ("Ljiljana i Njegoš", "Ljiljana i Njegos", "Љиљана и Његош"),
            ("džep, ključ, noć", "dzep, kljuc, noc", "џеп, кључ, ноћ"),
        ] {
            assert_eq!(fold(a), fold(b));
            assert_eq!(fold(a), fold(c));
        }
    }

    #[test]
    fn other_languages_keep_their_letters() {
        assert_eq!(
            fold("Müller Straße Łódź Åse ISTANBUL İstanbul ışık"),
            "muller strasse lodz ase istanbul istanbul isik"
        );
        assert_eq!(fold("हिन्दी 한국어 日本語"), "हिन्दी 한국어 日本語");
        assert_eq!(fold("１２３ Ａ"), "123 a");
    }

    proptest! {
        #[test]
        fn a_text_in_pieces_folds_like_the_whole(text in "([a-zA-Z .]{0,3}|[čЂßé１—🔥]|e\u{301}|\u{301}|\\PC){0,12}") {
            let mut whole = String::new();
            push_marked(&mut whole, &text);
            prop_assert_eq!(fold(&text), whole.nfc().collect::<String>());
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["Čačak ЂУРЂЕВАК", "ёжик Ё", "ẞ Æ ﬁ", "e\u{301}", "Ǆ"] {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }
}
