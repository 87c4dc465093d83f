//! Answers that are short because the question says the rest: a bare name chosen from options, numbered answers to
//! numbered questions. Away from the question they mean something only with its subject.

use super::answer::extract_decision;
use super::captured::Captured;
use super::kinds::{Kind, Source};
use super::lexicon::names_nothing;
use super::options;
use super::prose::{Place, Sentence, sentences};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;

/// Longer answers to a numbered question are requests of their own.
const MAX_ANSWER: usize = 16;
/// More options than this are not named beside the one that was chosen.
const MAX_NAMED: usize = 5;
/// Confidence of a decision that a person's answer made.
const ANSWERED: f32 = 0.9;

static_regex! {
    /// `Which logger do you want?`
    static WHICH = r"\b(?:which|what|koj[aieu]|kakav|kakvu) ([a-z][\w-]*(?: [a-z][\w-]*){0,2}?)(?:\?| (?:do|does|did|should|would|shall|will|is|are|to|can|could|for|zelis|zelite|hoces|hocete|da|cemo|cete|biras|je|treba|ti|vam|bi|za)\b)";
    static NO_SUBJECT = r"^(?:one|ones|of|do|should|would|is|are|option|options|opcij\w*|variant\w*|varijant\w*|choice|approach|way|about|if|else|happens|kind|time|to|od|se|the|a|you|i|we|hoces|hocete|zelis|zelite|biras|birate|da|cemo|cete|je|treba|ti|vam|bi|za|volis|vise)\b|^(?:if|about|else)$";
    static NUMBER = r"(?:^|[\s,;.])\(?(\d{1,2})(?:[.):]|\s-)\s+";
}

/// A bare name that was chosen from the options of a reply, with what it was chosen as: `logger: winston`. `asked` is what
/// the person asked before.
pub(super) fn framed(choice: &str, reply: &str, asked: Option<&str>) -> Option<String> {
    let parts = sentences(reply);
    let options = options::find(&parts);
    options.position(choice)?;
    let asking = parts.iter().rev().filter(|part| part.text.ends_with('?')).map(|part| part.text.as_str());
    if let Some(subject) = asking.chain(asked).find_map(subject) {
        return Some(format!("{subject}: {choice}"));
    }
    let names: Vec<&str> = options.items.iter().map(|item| item.text.as_str()).collect();
    (names.len() <= MAX_NAMED).then(|| format!("{choice} ({})", names.join(" / ")))
}

/// What a question asks to choose: `logger`.
pub(super) fn subject(question: &str) -> Option<String> {
    if !question.trim_end().ends_with('?') {
        return None;
    }
    let seen = sense(question);
    let found = WHICH.captures(&seen)?.get(1)?;
    if NO_SUBJECT.is_match(found.as_str()) {
        return None;
    }
    let start = words_before(&seen, found.start());
    let words: Vec<&str> =
        question.split_whitespace().skip(start).take(found.as_str().word_count()).collect();
    Some(words.join(" ").trim_end_matches(['?', ',', ':']).to_owned())
}

/// `1. GitHub Actions, 2. no`: what each answer decides; it settles its question. Nothing where the numbers are not those
/// of questions.
pub(super) fn numbered(reply: &str, answer: &str) -> Vec<Captured> {
    let opens = answer.bytes().take(2).any(|byte| byte.is_ascii_digit());
    let answers = if opens { by_number(answer) } else { Vec::new() };
    if answers.is_empty() {
        return Vec::new();
    }
    let parts = sentences(reply);
    let questions: Vec<&Sentence> = last_list(&parts).filter(|part| part.text.ends_with('?')).collect();
    let decided = |(number, answer): &(String, String)| {
        let question = questions.iter().find(|part| part.mark == *number)?;
        let told = answer.word_count();
        if !(1..=MAX_ANSWER).contains(&told) || answer.ends_with('?') {
            return None;
        }
        let plain = question.text.trim_end_matches(['?', ' ']);
        let text = extract_decision(&question.text, Some(answer))
            .filter(|text| !names_nothing(&sense(text)))
            .unwrap_or_else(|| format!("{plain}: {answer}"));
        let said = Captured::new(Kind::Decision, &text, Source::User, ANSWERED);
        Some(Captured { resolves: Some(question.text.clone()), ..said })
    };
    let found: Vec<Captured> = answers.iter().filter_map(decided).collect();
    if found.len() == answers.len() { found } else { Vec::new() }
}

/// The items of the last numbered list.
fn last_list(parts: &[Sentence]) -> impl Iterator<Item = &Sentence> {
    let numbered =
        |part: &&Sentence| part.place == Place::Item && part.mark.bytes().all(|b| b.is_ascii_digit());
    let start = parts
        .iter()
        .rposition(|part| numbered(&part) && part.mark == "1" && part.first)
        .unwrap_or(parts.len());
    parts.get(start..).unwrap_or_default().iter().filter(numbered)
}

/// The answers behind their numbers, which ascend from the start of the text.
fn by_number(answer: &str) -> Vec<(String, String)> {
    let seen = sense(answer);
    let marks: Vec<(usize, usize, &str)> = NUMBER
        .captures_iter(&seen)
        .filter_map(|found| Some((found.get(1)?.start(), found.get(0)?.end(), found.get(1)?.as_str())))
        .collect();
    let starts = marks.first().is_some_and(|(at, ..)| *at <= 1);
    let ascends = marks.windows(2).all(|pair| match pair {
        [(.., a), (.., b)] => a.parse::<u32>().ok() < b.parse::<u32>().ok(),
        _ => true,
    });
    if !starts || !ascends {
        return Vec::new();
    }
    let words = |bytes: usize| words_before(&seen, bytes);
    let told = |at: usize, start: usize| {
        let end = marks.get(at + 1).map_or(seen.len(), |next| next.0);
        let all: Vec<&str> =
            skip_words(answer, words(start)).split_whitespace().take(words(end) - words(start)).collect();
        all.join(" ").trim_end_matches([',', ';', '.', ' ', '(']).to_owned()
    };
    marks
        .iter()
        .enumerate()
        .map(|(at, (_, start, number))| ((*number).to_owned(), told(at, *start)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: &str = "Options:\n1. vite\n2. webpack\n3. parcel\nWhich one do you want?";

    #[test]
    fn a_bare_name_is_kept_with_what_it_was_chosen_as() {
        assert_eq!(framed("webpack", TOOLS, Some("Which bundler?")).as_deref(), Some("bundler: webpack"));
        assert_eq!(
            framed("webpack", TOOLS, Some("Koji pakovač da uzmemo?")).as_deref(),
            Some("pakovač: webpack")
        );
        assert_eq!(framed("webpack", TOOLS, None).as_deref(), Some("webpack (vite / webpack / parcel)"));
        let serbian = "Opcije:\n1. vite\n2. parcel\nKoju hoćeš?";
        assert_eq!(framed("vite", serbian, Some("Koji pakovač?")).as_deref(), Some("pakovač: vite"));
        assert_eq!(framed("rollup", TOOLS, None), None);
        let asked = TOOLS.replace("Which one", "Which bundler");
        assert_eq!(framed("vite", &asked, None).as_deref(), Some("bundler: vite"));
    }

    #[test]
    fn numbered_answers_decide_numbered_questions() {
        let reply = "Two questions:\n1. Jenkins or Drone for the builds?\n2. Publish the docs too?";
        for (answer, texts) in [
            ("1. Drone 2. no", &["Drone for the builds", "Publish the docs too: no"][..]),
            ("1) Drone, 2) yes", &["Drone for the builds", "Publish the docs too: yes"]),
            ("2: no", &["Publish the docs too: no"]),
            ("2 files are missing", &[]),
            ("1. Drone 3. no", &[]),
        ] {
            let found = numbered(reply, answer);
            let words: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
            assert_eq!(words, texts, "{answer}");
            assert!(found.iter().all(|found| found.resolves.is_some()), "{answer}");
        }
        assert!(numbered("1. Read the file\n2. Write it", "1. ok 2. no").is_empty());
    }
}
