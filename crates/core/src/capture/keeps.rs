//! What a person orders to be removed, and whether a text keeps just that: `remove the old files` ends `keep the old code
//! around for reference`.

use super::act;
use super::captured::{Captured, Withdrawn};
use super::kinds::Source;
use super::prose::{Place, Sentence};
use super::report::pieces;
use super::sense::{sense, skip_words, words_before};
use crate::text::pattern::static_regex;
use crate::text::scan;

static_regex! {
    static LEAD = r"^(?:(?:ok|okay|please|and|then|also|now|just|finally|next|so|can you|could you|would you|let's|lets|we can|you can|go ahead and|i want you to|molim te|onda|sad|sada|zatim|hajde|mozes da|mozemo da|slobodno)[, ]+)*";
    /// A text that keeps something.
    static KEEPS = r"^(?:(?:please|just|also|and|but|note|molim te|samo|a|i|ali)[: ]+)*(?:keep|preserve|retain|leave|zadrzi(?:te|mo)?|cuvaj(?:te|mo)?|sacuvaj(?:te|mo)?|ostavi(?:te|mo)?) (?:the |our |all |all the |taj |tu |te )?(\S.*)$";
    static STAYS = r"^(?:note: ?)?(?:the |our |all )?(\S(?:.*?\S)?) (?:stays?|remains?|(?:is|are) kept|(?:must|should|will) (?:stay|remain|be kept)|ostaje|ostaju|mora da ostane|neka ostane)\b";
    /// What is said besides of what is kept.
    static BESIDE = r"\s(?:around|alongside|in|on|at|for|until|as|working|while|where|untouched|intact|beside|next|there|available|unchanged|for now|because|so|to|with|when|zbog|za|dok|pored|uz|da|kao|netaknut\w*|na|u|tu|jer)\b|[(,;]";
}

/// What the orders of a person's sentence remove; a question whether to do so is none.
pub(super) fn removals(part: &Sentence) -> Vec<Captured> {
    if matches!(part.place, Place::Quote | Place::Row | Place::Heading)
        || !scan::any_word_from(&part.seen, may_remove, removes)
    {
        return Vec::new();
    }
    let removed = |piece: String| {
        let seen = sense(&piece);
        let lead = LEAD.find(&seen).map_or(0, |lead| lead.end());
        let words = words_before(&seen, lead);
        let rest = skip_words(&piece, words);
        let verb = seen.get(lead..)?.split_whitespace().next()?.to_owned();
        let what = skip_words(rest, 1).trim_end_matches(['.', '!', '?', ' ']);
        let names = removes(&verb) && !act::objects(what).is_empty();
        names.then(|| Captured::withdrawal(rest, Source::User, Withdrawn::Removed(what.to_owned())))
    };
    pieces(&part.text).into_iter().filter_map(removed).collect()
}

/// Orders to remove, and what those of Serbian begin with.
const VERBS: &[&str] = &["remove", "delete", "drop", "erase", "purge"];
const STEMS: &[&str] = &["obrisi", "ukloni", "izbaci", "izbrisi"];

/// Whether one of them begins so: each word is asked, a test keeps the two together.
fn may_remove(first: u8) -> bool {
    matches!(first, b'r' | b'd' | b'e' | b'p' | b'o' | b'u' | b'i')
}

/// An order to remove, also where two of its letters changed places.
fn removes(verb: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let swapped = |known: &str| {
        known.len() > 4
            && known.len() == verb.len()
            && known.starts_with(verb.get(..1).unwrap_or("-"))
            && letters(known) == letters(verb)
    };
    VERBS.contains(&verb)
        || VERBS.iter().any(|known| swapped(known))
        || STEMS.iter().any(|stem| verb.strip_prefix(stem).is_some_and(|end| matches!(end, "" | "te" | "mo")))
}

/// Whether a text keeps what is removed.
pub(crate) fn keeps(text: &str, removed: &str) -> bool {
    let seen = sense(&text.replace('`', ""));
    let Some(kept) = KEEPS.captures(&seen).or_else(|| STAYS.captures(&seen)).and_then(|found| found.get(1))
    else {
        return false;
    };
    let kept = kept.as_str();
    let kept = kept.get(..BESIDE.find(kept).map_or(kept.len(), |found| found.start())).unwrap_or(kept);
    let kept = telling(&act::objects(kept));
    let removed = act::objects(removed);
    let named = |word: &String| act::names(&removed, word);
    // What else the order names must be no other thing: `remove the old tests` leaves `keep the old code`.
    let other = telling(&removed).iter().filter(|word| !is_file(word) && !act::names(&kept, word)).count();
    !kept.is_empty() && kept.iter().all(named) && (other == 0 || kept.iter().all(|word| is_file(word)))
}

fn is_file(word: &str) -> bool {
    word.contains('.')
}

fn telling(words: &[String]) -> Vec<String> {
    const REST: &[&str] =
        &["nothing", "else", "right", "unused", "obsolete", "left", "nista", "drugo", "visak"];
    act::telling(words, REST)
}

#[cfg(test)]
mod tests {
    use super::super::prose::sentences;
    use super::*;

    fn ends(kept: &str, order: &str) -> bool {
        let found: Vec<Captured> = sentences(order).iter().flat_map(removals).collect();
        found.iter().any(|found| match &found.withdraws {
            Some(Withdrawn::Removed(what)) => keeps(kept, what),
            _ => false,
        })
    }

    #[test]
    fn the_first_letters_of_orders_to_remove_are_known() {
        for word in VERBS.iter().chain(STEMS) {
            assert!(may_remove(word.as_bytes()[0]), "{word}");
        }
    }

    #[test]
    fn an_order_to_remove_ends_what_keeps_it() {
        for (kept, order) in [
            ("Keep the old importer for now", "When you are done, delete the old importer"),
            ("keep the legacy code around", "ok, now remove the legacy files and tidy up"),
            (
                "Keep old code working alongside new code",
                "remoev the old remaining files (a.ts, b.ts), then commit",
            ),
            (
                "`parser.ts` stays in place (reference)",
                "delete the old files (lexer.ts, parser.ts right? no more)",
            ),
            ("Zadrži stari kod zbog poređenja", "Obriši stari kod."),
            ("Задржи стари код за сада", "Онда обриши старе фајлове"),
        ] {
            assert!(ends(kept, order), "{kept} | {order}");
        }
    }

    #[test]
    fn other_orders_and_questions_leave_it() {
        for (kept, order) in [
            ("Keep the old importer for now", "Should we remove the old importer?"),
            ("Keep the old code around", "remove the old tests"),
            ("Keep the old code around", "don't remove the old code"),
            ("Keep the cache small", "remove the footer"),
            ("Use the old importer", "remove the footer of the old importer"),
        ] {
            assert!(!ends(kept, order), "{kept} | {order}");
        }
    }
}
