//! Stems: English by Snowball, Serbian by a light stripper of case and verb endings.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// English stem of a folded word.
pub(super) fn english(word: &str) -> String {
    ENGLISH.stem(word).into_owned()
}

/// Longest first: future tense, verbal nouns, infinitives, persons of the present, past forms, cases.
const SERBIAN_ENDINGS: &[&str] = &[
    "icemo", "acemo", "ecemo", "avanje", "ivanje", "ovanje", "avanja", "ivanja", "ovanja", "ujemo", "ujete",
    "iceju", "avati", "ivati", "ovati", "avamo", "ovima", "evima", "ijama", "anjem", "enjem", "icete",
    "jemo", "anje", "anja", "anju", "enje", "enja", "enju", "uju", "uje", "ujem", "nuti", "jemo", "iti",
    "ati", "eti", "uti", "amo", "imo", "emo", "ate", "ite", "ete", "aju", "iju", "ace", "ice", "ala", "alo",
    "ali", "ila", "ilo", "ili", "ama", "ima", "ova", "ovi", "ove", "eva", "evi", "eve", "oga", "ega", "omu",
    "om", "em", "uj", "aj", "og", "eg", "oj", "ih", "im", "ao", "io", "a", "e", "i", "o", "u",
];

/// Light Serbian stem of a folded word; at least three letters stay.
pub(super) fn serbian(word: &str) -> &str {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    SERBIAN_ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_and_persons_meet() {
        for (a, b) in [
            ("serveru", "servera"),
            ("odluke", "odlukama"),
            ("koristimo", "koristiti"),
            ("koristicemo", "koristi"),
            ("proveriti", "provera"),
            ("spajanje", "spajaju"),
            ("testiranje", "testiramo"),
        ] {
            assert_eq!(serbian(a), serbian(b), "{a} {b}");
        }
        assert_ne!(serbian("baza"), serbian("bakar"));
    }
}
