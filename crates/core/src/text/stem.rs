//! Stems: English by Snowball, Serbian by a light stripper of case and verb endings.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// English stem of a folded word.
pub fn english(word: &str) -> String {
    ENGLISH.stem(word).into_owned()
}

/// Longest first: future tense, verbal nouns, infinitives, persons of the present, past forms, cases.
const SERBIAN_ENDINGS: &[&str] = &[
    "icemo", "acemo", "ecemo", "avanje", "ivanje", "ovanje", "avanja", "ivanja", "ovanja", "ujemo", "ujete",
    "iceju", "avati", "ivati", "ovati", "avamo", "ovima", "evima", "ijama", "anjem", "enjem", "icete",
    "jemo", "anje", "anja", "anju", "enje", "enja", "enju", "uju", "uje", "ujem", "nuti", "jemo", "iti",
    "ati", "eti", "uti", "amo", "imo", "emo", "ate", "ite", "ete", "aju", "iju", "ace", "ice", "ala", "alo",
    "ali", "ila", "ilo", "ili", "ama", "ima", "ova", "ovi", "ove", "eva", "evi", "eve", "oga", "ega", "omu",
    "ijom", "ijem", "ija", "ije", "iji", "om", "em", "uj", "aj", "og", "eg", "oj", "ih", "im", "ao", "io",
    "a", "e", "i", "o", "u",
];

/// What is left of an English stem without the endings that make nouns of verbs: `perform` of `performance`, `limit`
/// of `limiter`. At least four letters stay.
pub fn root(stem: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ation", "ment", "ance", "ence", "ition", "ness", "abl", "ibl", "ion", "er", "or", "at", "al", "iv",
    ];
    let bare = ENDINGS
        .iter()
        .find_map(|ending| stem.strip_suffix(ending).filter(|rest| rest.len() >= 4 && rest.is_ascii()))
        .unwrap_or(stem);
    let mut letters = bare.bytes().rev();
    // "plann(er)" of "plan".
    match (letters.next(), letters.next()) {
        (Some(last), Some(before)) if bare.len() < stem.len() && last == before => {
            bare.get(..bare.len() - 1).unwrap_or(bare)
        }
        _ => bare,
    }
}

/// What English and Serbian stems of a borrowed word or a name have in common: `grigor` of "Grigorije", "Grigoriju".
pub fn across(stem: &str) -> &str {
    let bare = serbian(stem);
    root(bare.strip_suffix("ij").filter(|rest| rest.len() >= 4).unwrap_or(bare))
}

/// Light Serbian stem of a folded word; at least three letters stay.
pub fn serbian(word: &str) -> &str {
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
