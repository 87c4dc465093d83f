//! The words of a whole conversation, for asking whether anybody spoke of what a model says was decided.

use std::collections::HashSet;

use super::lexeme::{Lexeme, Tells};
use super::pieces::{pieces, unambiguous, words_of};
use super::prepare::{Prepared, Token};
use crate::text::{clean, fold};

/// Function words of a language that make a conversation one of it.
const ENOUGH_TELLING: usize = 3;
/// Share, 0..1, of what is said that somebody must have spoken of. Low: a model words things its own way.
const SUPPORTED: f32 = 0.25;

/// Everything that was spoken of, by meaning in both languages.
#[derive(Debug, Default)]
pub struct Vocabulary {
    keys: HashSet<u64>,
    words: HashSet<Box<str>>,
    telling: usize,
}

impl Vocabulary {
    /// Adds what somebody said.
    pub fn add(&mut self, text: &str) {
        let folded = fold(&unambiguous(&clean(text)));
        for word in words_of(&pieces(&folded)) {
            if self.words.contains(word) {
                continue;
            }
            let lexeme = Lexeme::of(word);
            self.telling += usize::from(lexeme.tells != Tells::Neither);
            self.keys.extend([lexeme.reading(false).alt, lexeme.reading(true).alt]);
            for part in word.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() < word.len()) {
                if !part.is_empty() && self.words.insert(part.into()) {
                    let part = Lexeme::of(part);
                    self.keys.extend([part.reading(false).alt, part.reading(true).alt]);
                }
            }
            self.words.insert(word.into());
        }
    }

    /// Why nobody can have said this: the product, path or identifier that nobody mentioned, or that most of it was never spoken of. `None` where
    /// it has support, and where the conversation is in another language.
    pub fn lacks(&self, text: &str) -> Option<String> {
        let said = Prepared::new(text);
        let content: Vec<&Token> = said.whole().tokens.iter().filter(|t| !t.light).collect();
        let unsaid = |t: &&&Token| !self.holds(t);
        if let Some(name) = content.iter().filter(|t| t.name || t.kind.is_some()).find(unsaid) {
            return Some(format!("nobody mentioned {:?}", &*name.word));
        }
        let count = |tokens: usize| tokens as f32;
        let missing = content.iter().filter(unsaid).count();
        let supported = count(content.len() - missing) >= SUPPORTED * count(content.len());
        (!supported && self.telling >= ENOUGH_TELLING).then(|| "nobody spoke of it".to_owned())
    }

    fn holds(&self, token: &Token) -> bool {
        // A value was read as one: its number is not looked for, other rules compare numbers.
        if token.value.is_some() || self.keys.contains(&token.alt) || self.keys.contains(&token.key) {
            return true;
        }
        let within = |part: &str| self.words.contains(part);
        token.word.split(' ').all(within)
            || token.name && self.words.iter().any(|word| word.contains(&*token.word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk() -> Vocabulary {
        let mut said = Vocabulary::default();
        said.add("The nightly import fails when the supplier is slow. Keep the results in Postgres.");
        said.add("I will retry it three times, with a longer wait each time. See src/import/run.ts.");
        said
    }

    #[test]
    fn what_was_spoken_of_has_support_in_other_words_too() {
        for text in [
            "Retry the failing import 3 times",
            "Store the import results in Postgres",
            "Change run.ts so that a slow supplier does not stop the nightly import",
            "Uvoz ponavljamo tri puta, rezultate čuvamo u Postgresu",
        ] {
            assert_eq!(talk().lacks(text), None, "{text}");
        }
    }

    #[test]
    fn what_nobody_mentioned_has_none() {
        assert!(talk().lacks("Use MongoDB for the import results").unwrap().contains("mongodb"));
        assert!(talk().lacks("Ship the mobile application to both stores").is_some());
        assert!(talk().lacks("Retry in src/export/send.ts").is_some());
        assert_eq!(talk().lacks(""), None);
    }

    #[test]
    fn another_language_is_not_judged_by_its_words() {
        let mut said = Vocabulary::default();
        said.add("今天我们决定用 Postgres 保存结果");
        assert_eq!(said.lacks("Store all results in Postgres"), None);
        assert!(said.lacks("Store all results in Redis").is_some());
    }
}
