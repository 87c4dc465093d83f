//! The words that decisions are made of, as grammar: verbs of change, verbs of looking, in their forms. Whole words
//! only (FAULTS C7).

use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

/// Verbs of change in their base form: what a decision does.
static CHANGE: Words = LazyLock::new(|| {
    words(
        "accept add adopt allow append apply assign attach await avoid ban batch block build bump bundle cache \
    call cap change choose clip collapse combine compress configure consolidate convert copy create cut \
    deploy deprecate debounce default defer delete disable discard document downgrade drop duplicate \
    embed emit enable encrypt enforce exclude expose export extend extract fail fall filter fix forbid \
    fork format freeze generate get give go group guard handle hash hide hold host ignore implement \
    import include increase index inject inline install introduce isolate keep leave let lift limit live \
    load lock log lower make map mark merge migrate mirror mount move name narrow normalize normalise \
    omit pass pause persist pick pin pipe poll port postpone prefer prefix prune publish pull purge push \
    put queue raise read rebase rebuild record redirect reduce refactor refuse reject release rely remain \
    remove rename render reorder replace report require reserve reset resolve restore restrict retire \
    retry return reuse revert rewrite rework roll rotate round route run save scale schedule select send \
    separate serialize serve set share shard ship shorten shrink simplify skip sort spill split squash \
    standardize start stay stick stop store stream strip stub support suppress swap switch sync tag take \
    target terminate throttle throw tie track treat trim truncate turn unify update upgrade upload use \
    validate vendor wait warn widen wire wrap write",
    )
});

/// Verbs of change that a report of what a thing does uses as often: they need another cue beside them.
static PLAIN: Words = LazyLock::new(|| {
    words(
        "call fail fall get give include let live make pass read report return run start take throw turn wait \
    warn hold log load handle require support go stop render write emit index host format record generate",
    )
});

/// Verbs of looking, telling and waiting: a sentence that announces them decides nothing.
static LOOK: Words = LazyLock::new(|| {
    words(
        "analyze analyse answer ask assess assume be begin bisect check chase circle clarify compare confirm \
    consider continue count debug describe diagnose dig discuss do double-check elaborate estimate \
    evaluate examine explain explore fetch figure find follow gather get give go grab grep have help hear hope wish pray pretend suppose believe guess expect \
    imagine inspect investigate keep know learn let list look measure monitor need open outline ping play \
    poke post prepare proceed profile quote read recap reconsider remember report reproduce rerun \
    research retest review revisit run scan search see show share sleep start step study sum summarize \
    summarise take talk tell test think trace track try understand update verify wait walk watch want \
    wonder work finish benchmark poll pause return collect tackle cover propose suggest recommend draft \
    sketch brainstorm say admit note mention point stop come",
    )
});

/// Particles and objects after which a verb of both kinds does decide: `keep the cache`, `take option B`, `go with X`.
fn decides_after(verb: &str, rest: &str) -> bool {
    let next: Vec<&str> = rest.split_whitespace().take(3).collect();
    let first = next.first().copied().unwrap_or("");
    match verb {
        "go" => {
            matches!(first, "with" | "for" | "back") || (first == "ahead" && next.get(1) == Some(&"with"))
        }
        "keep" => !matches!(
            first,
            "you"
                | "an"
                | "going"
                | "looking"
                | "digging"
                | "trying"
                | "watching"
                | "it"
                | "at"
                | "posted"
                | "working"
                | "reading"
        ),
        "get" => first == "rid",
        "take" => {
            matches!(first, "option" | "approach")
                || (first == "the" && !matches!(next.get(1), Some(&"time" | &"chance" | &"opportunity")))
        }
        "start" | "begin" | "continue" | "try" | "run" | "work" | "do" | "proceed" => false,
        "return" | "poll" | "pause" | "stop" | "collect" | "share" | "track" | "update" | "cover"
        | "fetch" | "note" | "open" | "post" => {
            !first.is_empty()
                && !matches!(
                    first,
                    "to" | "you" | "back" | "here" | "on" | "when" | "with" | "it" | "this" | "that" | "and"
                )
        }
        "be" => first.ends_with("ing") && is_change(first),
        "wait" => false,
        "have" => first == "the" && next.len() > 2,
        _ => false,
    }
}

/// The base form of an English verb of the list, from any of its forms.
fn base_in(word: &str, list: &HashSet<&'static str>) -> bool {
    let is = |base: &str| list.contains(base);
    if is(word) {
        return true;
    }
    let irregular = match word {
        "chose" | "chosen" => "choose",
        "kept" => "keep",
        "went" | "gone" | "goes" => "go",
        "built" => "build",
        "wrote" | "written" => "write",
        "made" => "make",
        "took" | "taken" => "take",
        "left" => "leave",
        "held" => "hold",
        "sent" => "send",
        "rewrote" | "rewritten" => "rewrite",
        "froze" | "frozen" => "freeze",
        "threw" | "thrown" => "throw",
        "gave" | "given" => "give",
        "got" => "get",
        "stuck" => "stick",
        "found" => "find",
        "fell" => "fall",
        _ => "",
    };
    if !irregular.is_empty() {
        return is(irregular);
    }
    ["s", "es", "d", "ed", "ing", "ies", "ied"].iter().any(|ending| {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 2) else { return false };
        if ending.starts_with("ie") {
            return is(&format!("{stem}y"));
        }
        let undoubled = stem
            .chars()
            .last()
            .filter(|last| stem.chars().rev().nth(1) == Some(*last))
            .and_then(|_| stem.get(..stem.len() - 1));
        is(stem) || is(&format!("{stem}e")) || (ending.starts_with(['e', 'i']) && undoubled.is_some_and(&is))
    })
}

/// A form of a verb of change.
pub(super) fn is_change(word: &str) -> bool {
    base_in(word, &CHANGE)
}

/// A verb of change whose plain present is a decision by itself: `uses`, `moves`, `stays`, but not `returns`, `gets`.
pub(super) fn is_strong_change(word: &str) -> bool {
    is_change(word) && !base_in(word, &PLAIN)
}

/// A form of a verb of looking, telling or waiting.
pub(super) fn is_look(word: &str) -> bool {
    base_in(word, &LOOK)
}

/// Whether an announced verb (`I'll VERB rest`, base form) decides something.
pub(super) fn announces_decision(verb: &str, rest: &str) -> bool {
    let verb = verb.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
    if verb.strip_prefix("re-").is_some_and(|again| LOOK.contains(again)) {
        return false;
    }
    let next = rest.split_whitespace().next().unwrap_or("");
    if matches!(verb, "create" | "write" | "make" | "build" | "put")
        && rest
            .split_whitespace()
            .take(6)
            .any(|word| matches!(word, "summary" | "overview" | "todo" | "recap" | "list"))
    {
        return false;
    }
    if matches!(verb, "write" | "send") && matches!(next, "up" | "back" | "you" | "down") {
        return false;
    }
    !LOOK.contains(verb) || decides_after(verb, rest)
}

/// An order whose words after the verb only point or say when: `clean that up too`, `ostavi za kasnije`. It means
/// nothing away from what it points at.
pub(super) fn names_nothing(order: &str) -> bool {
    static POINTING: Words = LazyLock::new(|| {
        words(
            "a about again ahead all alone also and as at away back be both down everything first for going here \
        in instead is it just later like me more next no not now of off on one ones out over please pls quickly \
        same so that them then there these they thing things this those though to today together tomorrow too \
        up us was way well with yet you asap same to ovo ono tako ga je ih mi nam sve sva za sad sada kasnije \
        posle isto takodje opet ponovo prvo sutra danas ovde tu tamo molim te i jos kako bude jeste bilo na miru \
        do the",
        )
    });
    order
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | '/' | '.' | '_'))
        .map(|word| word.trim_matches(['.', '-', '/']))
        .filter(|word| !word.is_empty())
        .skip_while(|word| {
            matches!(
                *word,
                "please"
                    | "just"
                    | "also"
                    | "and"
                    | "then"
                    | "don't"
                    | "not"
                    | "do"
                    | "let's"
                    | "molim"
                    | "te"
            )
        })
        .skip(1)
        .all(|word| POINTING.contains(word))
}

/// The text starts with an order to change something: `use X`, `do not add Y`, `never merge`.
pub(super) fn starts_with_order(sense: &str) -> bool {
    let mut words = sense
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-'));
    let mut first = words.next().unwrap_or("");
    let mut negated = false;
    while matches!(
        first,
        "do" | "don't"
            | "not"
            | "never"
            | "no"
            | "longer"
            | "please"
            | "always"
            | "only"
            | "just"
            | "then"
            | "also"
            | "now"
            | "first"
    ) {
        negated |= matches!(first, "don't" | "not" | "never");
        match words.next() {
            Some(next) => first = next,
            None => return false,
        }
    }
    if !CHANGE.contains(first) || words.clone().next() == Some("of") {
        return false; // `use of the wrong key`: a noun
    }
    let rest = words.clone().collect::<Vec<_>>().join(" ");
    if rest.is_empty() && !negated {
        return false;
    }
    !LOOK.contains(first) || decides_after(first, &rest)
}

/// `Book the hotel`, `invite all members`: a word that is no function word before a determiner opens an order, whatever
/// the verb.
pub(super) fn orders_by_shape(sense: &str) -> bool {
    static OPENS_OTHERWISE: Words = LazyLock::new(|| {
        words(
            "about above across after against all along also although among and any are around as at because \
        been before behind being below beneath beside between beyond both but by can cannot could did despite does \
        down during each either even every except few for from had has have here hi hello hey how if in inside into is \
        its just last less like many maybe might more most much must near neither next no nor not now of off on once \
        one only onto or other our out outside over past per perhaps quite rather same shall should since so some \
        still such than thanks that the their then there these they this those though three through throughout till \
        to too toward towards two under unless unlike until up upon us very was we were what whatever when whenever \
        where whether which while who whom whose why will with within without would yes yet you your my half twice ok \
        okay especially mostly mainly apparently basically actually currently probably definitely it he she got \
        getting having doing seems looks sounds isn't aren't wasn't don't doesn't didn't can't won't quick great good \
        nice what's that's there's here's it's let's give get take",
        )
    });
    const DETERMINERS: &[&str] =
        &["the", "a", "an", "all", "our", "every", "each", "this", "both", "another"];
    let mut words = sense.split_whitespace().skip_while(|word| {
        matches!(word.trim_matches(','), "please" | "also" | "then" | "and" | "now" | "first" | "next")
    });
    let (Some(first), Some(second), Some(_)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    first.len() >= 3
        && first.bytes().all(|byte| byte.is_ascii_lowercase())
        && DETERMINERS.contains(&second)
        && !LOOK.contains(first)
        && !OPENS_OTHERWISE.contains(first)
        && !["ed", "ing", "ly", "s"].iter().any(|ending| first.ends_with(ending))
        && !names_nothing(sense)
}

/// Serbian first person plural of the present or future, or the future of the first person singular: the form in
/// which people state what will be done. Told by its ending; frequent words with another sense are left out.
pub(super) fn is_serbian_intent(word: &str) -> bool {
    static OTHER: Words = LazyLock::new(|| {
        words(
            "samo tamo ovamo pismo mozemo mogli imamo nemamo znamo vidimo mislimo cekamo gledamo radimo \
        trebamo zelimo hocemo necemo pricamo govorimo pokusavamo proveravamo testiramo bismo nismo jesmo \
        moramo probamo pitamo razumemo smatramo nadamo ocekujemo trazimo dobijamo istrazujemo \
        analiziramo merimo videcemo probacemo provericemo pogledacemo pogledajmo razmislimo razmotrimo \
        odlucimo izaberemo dogovorimo resimo cinimo palimo demo memo promo gamo cemo",
        )
    });
    let long = word.len() >= 5;
    long && ((word.ends_with("mo")
        && ["amo", "emo", "imo"].iter().any(|ending| word.ends_with(ending))
        && !OTHER.contains(word))
        || (word.ends_with("cu") && word.len() >= 6 && is_serbian_change(word)))
}

/// A Serbian word built on the stem of a verb of change.
pub(super) fn is_serbian_change(word: &str) -> bool {
    const STEMS: &str = "korist upotreb dodaj doda dodaje izbac ukloni uklanj obris bris zamen menja promen prebac \
        premest premes pomer cuva sacuva drz zadrz ostavlj ostavi ostaj ostane prelaz predj iskljuc \
        ukljuc ogranic skra smanj povec podes postav stavlj stavi preskoc preskac spoj spaja podel delim \
        razdvoj razdvaj uvod uved napravi pravi napis pis popravi popravlj prepravi preimen nazov zov \
        salj posalj snim pokrec pust objav zakljuc zaklj zabran dozvol odbac odust odlaz odloz vrat vrac \
        prihvat uzim uze biram birac izaber podrzav podrz ide idem ukid ukin gas izdvoj izdvaj uklop \
        prosir prepis generis kesir loguj filtrir implement refaktor migrir koristic radi urad sred \
        resav resi";
    /// By first letter: the question is asked of every word.
    static BY_LETTER: LazyLock<[Vec<&'static str>; 26]> = LazyLock::new(|| {
        let mut lists: [Vec<&str>; 26] = Default::default();
        for stem in STEMS.split_ascii_whitespace() {
            if let Some(list) = letter(stem).and_then(|at| lists.get_mut(at)) {
                list.push(stem);
            }
        }
        lists
    });
    let stems = letter(word).and_then(|at| BY_LETTER.get(at));
    stems.is_some_and(|stems| stems.iter().any(|stem| word.starts_with(stem)))
}

/// Number of the first letter of the alphabet's 26.
fn letter(word: &str) -> Option<usize> {
    word.bytes().next().filter(u8::is_ascii_lowercase).map(|letter| usize::from(letter - b'a'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_verb_are_found_and_words_that_hold_one_are_not() {
        for form in [
            "uses",
            "used",
            "using",
            "moved",
            "splitting",
            "split",
            "kept",
            "retries",
            "copied",
            "dropping",
            "chose",
        ] {
            assert!(is_change(form), "{form}");
        }
        for other in ["user", "because", "address", "thread", "usually", "movement", "house"] {
            assert!(!is_change(other), "{other}");
        }
    }

    #[test]
    fn an_order_that_only_points_names_nothing() {
        for order in [
            "clean that up too",
            "ostavi za kasnije",
            "do it all",
            "leave it as is",
            "please fix this now",
            "skip",
        ] {
            assert!(names_nothing(order), "{order}");
        }
        for order in ["use redb", "keep the cache", "start wp1", "ostavi stari fajl", "put it in src/a"] {
            assert!(!names_nothing(order), "{order}");
        }
    }

    #[test]
    fn plans_to_look_decide_nothing() {
        for (verb, rest) in [
            ("look", "at the logs"),
            ("keep", "you posted"),
            ("go", "through the file"),
            ("run", "the tests"),
            ("be", "honest"),
        ] {
            assert!(!announces_decision(verb, rest), "{verb} {rest}");
        }
        for (verb, rest) in [
            ("keep", "the old one"),
            ("go", "with the second layout"),
            ("debounce", "the input"),
            ("get", "rid of it"),
        ] {
            assert!(announces_decision(verb, rest), "{verb} {rest}");
        }
    }

    #[test]
    fn serbian_forms_are_told_by_their_endings() {
        for word in ["koristimo", "cuvamo", "menjamo", "diramo", "dodacu", "prebacicemo"] {
            assert!(is_serbian_intent(word), "{word}");
        }
        for word in ["samo", "mozemo", "imamo", "proveravamo", "pogledacu"] {
            assert!(!is_serbian_intent(word), "{word}");
        }
    }
}
