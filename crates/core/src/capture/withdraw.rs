//! What a person takes back: `undo that`, `forget the Redis idea`, `we no longer need the export`, `odustajemo od X`.

use super::answer::may_ask;
use super::captured::{Captured, Withdrawn};
use super::clause;
use super::kinds::{Kind, Source, TaskState};
use super::prose::sentences;
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;

/// Longer alternatives are sentences.
const MAX_ALTERNATIVE: usize = 6;
/// Longer names are stories.
const MAX_NAME: usize = 8;

static_regex! {
    /// A word of the patterns below.
    static CUE = r"on second|thinking about|on reflection|undo|revert|scra|cancel|forget|ignor|disregard|strike|revers|retract|back|mind|nvm|drop|abandon|ditch|skip|kill|nix|need|bother|longer|not|don't|after all|remov|delet|rid|rip|off|obsolete|zaborav|batal|man[ij]|pust|povla|odust|treba|potreb|vazi|ponist|vrat|otkaz|ukloni|izbac|obris|nemoj|necemo|predom|vise|ostav|bitn|vazn";
    /// Words before it that say nothing.
    static LEAD = r"^(?:(?:ok|okay|oh|hm+|no|nope|nah|wait|hold on|sorry|actually|please|and|but|so|then|now|also|well|yes|yeah|right|hey|just|let's|lets|let us|can you|could you|would you|i think we (?:can|should)|we (?:can|should)|you can|i'd (?:like|want) (?:you )?to|i want (?:you )?to|you know what|ah|alright|all right|fine|in fact|thinking about it|on (?:second thoughts?|reflection)|after all|znas sta|u stvari|zapravo|ne|da|ma|e|a|ali|pa|onda|dobro|cekaj|stani|izvini|molim te|ipak|sad|sada|hajde|ajde|mozes da|mozemo da|moramo da)[,.!-]*\s+)+";
    /// `Forget what I said about Redis`, `zaboravi ono za petak`.
    static FORGET_SAID = r"^(?:forget|ignore|disregard|scratch|scrap|cancel|drop|never ?mind|nvm|zaboravi\w*|ignorisi\w*|zanemari\w*|ponisti\w*) (?:about |na )?(?:(?:everything |all |anything |sve |ono )*(?:(?:what|that|sto|sta) )?(?:i|we|you|sam|smo)(?:'ve| have| sam| smo)? ?(?:just |earlier |ranije )?(?:said|wrote|told you|asked(?: for)?|mentioned|rekao|rekla|rekli|pisao|pisala|trazio|trazila|pomenuo|pomenula)|the (?:thing|part|bit|stuff)|ono|pricu) (?:about|on|regarding|for|with|o|za|oko|sa|u vezi sa|u vezi) (?:the |our |my )?([^,;:]{2,60})$";
    /// Points at what was said or done last.
    static UNDO_THAT = r"^(?:undo|revert|scratch|scrap|cancel|forget|ignore|disregard|strike|reverse|retract|take back|roll back|back out|never ?mind|ponisti\w*|vrati\w*|otkazi\w*|povlacim|zaboravi\w*|ignorisi\w*)(?: about| na)? (?:that|this|it|all(?: of)? (?:that|this|it)|those|these|them|everything|(?:the|your|my) (?:last|latest|previous|earlier)(?: \w+){0,2}|what (?:i|you)(?:'ve)? (?:just |last )?(?:said|wrote|asked|did|told|suggested|changed)\b.{0,24}|to|ovo|sve(?: to)?|to sve|poslednj\w+(?: \w+){0,2}|prethodn\w+(?: \w+)?|sto sam (?:rekao|rekla|napisao|napisala|trazio|trazila))(?: (?:please|again|then|completely|entirely|altogether|nazad|molim te|kako je bilo|na staro|(?:change|edit|one|part|bit)s?))*$";
    static PUT_BACK = r"^(?:put|change|turn|set|move|switch|roll|bring|take) (?:it|that|this|everything|them) (?:all )?back(?: (?:to )?(?:the way|how|what|where) .{1,30}| again| please)?$|^(?:go|roll|change) back to (?:the way|how|what) .{1,30}$|^vrati\w* (?:to |sve )?(?:na staro|kako je bilo|nazad)$|^(?:i|we) take (?:that|it) back$|^(?:i|we)(?:'ve| have)? (?:just )?changed (?:my|our) minds?$|^predomisli\w+ (?:sam|smo) se$|^(?:sam|smo) se predomisli\w+$";
    /// Declines what was said last; to a question it is only an answer.
    static DECLINE = r"^(?:never ?mind|nvm|forget it|drop it|drop that|skip (?:it|that|this)|leave it(?: (?:as (?:it )?is|be|alone|out))?|(?:do not|don't|not)(?: (?:do|bother(?: with)?) (?:that|it|this))?(?: after all| anymore| any more)?|no need(?: (?:any ?more|any more|after all|for (?:that|it|this)))?|(?:that|it|this)(?:'s| is) (?:not|no longer) (?:needed|necessary|required)(?: (?:any ?more|after all))?|(?:that|it|this) isn't (?:needed|necessary|required)(?: (?:any ?more|after all))?|(?:we|i) (?:don't|do not|no longer) (?:need|want) (?:that|it|this)(?: (?:any ?more|after all))?|don't bother|on second thou?ghts?|(?:vise )?ne treba(?: (?:to|vise|ipak|nista))*|to (?:vise )?(?:ne treba|nije potrebno|nije bitno|ne vazi)(?: vise)?|nema potrebe(?: (?:vise|za tim))?|nije (?:vise )?(?:potrebno|vazno|bitno)|nebitno|nemoj\w*(?: (?:to|ipak|da))?|bolje ne|batali\w*(?: to)?|pusti\w*(?: to)?|mani\w* (?:se )?(?:toga|se)|ostavi\w* to|odustaj\w+(?: od toga)?|odustani\w*(?: od toga)?|odustali smo(?: od toga)?|nista(?: od toga)?)$";
    /// Talk about what was said: an order to nobody.
    static FORGET = r"^(?:never ?mind|nvm|forget|scratch|scrap|disregard|zaboravi\w*|batali\w*|mani(?:te|mo)? se|pusti\w*|ostavi(?:te|mo) se|prodji(?:te|mo)? se|povlacim|odustani\w*|odustaj\w+|odustali (?:smo|sam)|odustal[ao] sam|dizemo ruke) (?:about |on |from |na |od |oko |sa |ono (?:o|sa|za|oko) )?(?:the |my |our |that |this |your |all (?:the )?|those |these |tu |taj |te |tog |onu |onaj |onog |sa )*([^\s,;:][^,;:]*)$";
    static FORGET_TALK = r"^(?:never ?mind|nvm|forget|disregard|ignore|cancel|scratch|scrap|drop|skip|ditch|abandon|kill|nix|lose|undo|revert|reverse|retract) (?:about |on )?(?:the |my |our |that |this |your |all (?:the )?|those |these )*([^\s,;:][^,;:]*? (?:idea|plan|thing|stuff|approach|rule|requirement|constraint|restriction|request|suggestion|decision|proposal|business|instruction)s?)(?: (?:for now|please|then|too|after all|altogether|entirely|completely|instead|from (?:before|earlier)|i (?:mentioned|asked for|gave you|told you about)))*$";
    static OFF = r"^(?:the |that |this |our |my )*([^\s,;:][^,;:]{1,60}?)(?: rule| requirement| constraint| restriction| idea| plan)? (?:no longer (?:applies|apply|holds|hold|matters?|counts?)|(?:doesn't|don't|does not|do not) (?:apply|hold|matter|count) (?:any ?more|any longer)|(?:is|are) (?:now )?off(?: the table)?|vise ne (?:vazi|vaze|igra|treba)|ne (?:vazi|vaze|treba|treba nam) vise)$";
    /// After a change of mind: `no GraphQL`.
    static NOT_ANY = r"^(?:no|nikakav|nikakva|nikakvo|nista od) (?:more )?([a-z][\w.+#-]*(?: [\w.+#-]+){0,2})$";
    /// A statement that something is no longer wanted.
    static NO_LONGER = r"^(?:(?:we|i|you|they)(?:'re| are|'ll| will|'d| have|'ve)? (?:(?:no longer|not|don't|do not|won't|never) (?:really |actually )*(?:need|want|going to (?:need|do|use)|do|doing|use|using|require|have to|gonna (?:do|use)|care about|bother with|pursue|pursuing|ship|shipping)(?: to)?|(?:decided|chose|choose) against|(?:drop|abandon|scrap|ditch|cancel)\w*|giv(?:e|ing) up on|gave up on)|(?:there's |there is )?no (?:more )?need (?:for|to)|don't bother (?:with|about)|do not bother (?:with|about)) (?:the |our |my |that |this |any |a |an )*([^\s,;:][^,;:]*?)((?: (?:any ?more|any longer|after all|for now|then|at all))*)$";
    static NOT_WANTED = r"^(?:the |that |this |our |my )*([^\s,;:][^,;:]{1,60}?) (?:is|are) (?:no longer|not) (?:needed|necessary|required|wanted|relevant|planned)( any ?more| any longer| after all)?$|^(?:the |that |this |our |my )*([^\s,;:][^,;:]{1,60}?) (?:isn't|aren't) (?:needed|necessary|required|wanted|relevant|planned)( any ?more| any longer| after all)$";
    static NO_LONGER_SR = r"^(?:vise (?:nam |mi |vam )?ne (?:treba\w*|koristimo|radimo|zelimo|zelim|zelite)|ne (?:treba (?:nam|mi)|trebaju (?:nam|mi)|treba) vise|necemo (?:vise|da|ipak|vise da)|(?:nam|mi) (?:vise )?ne treba\w*|nema (?:vise )?potrebe (?:za|da)|vise nema potrebe (?:za|da)) ([^\s,;:][^,;:]*?)(?: vise)?$|^([^\s,;:][^,;:]{1,60}?) (?:nam |mi )?(?:vise )?(?:ne treba\w*|nije potreb\w+|nisu potreb\w+|nije bitn\w+|nije vazn\w+)(?: vise| nam| ipak)*$";
    /// An order to take something away.
    static REMOVE = r"^(?:remove|delete|drop|revert|undo|reverse|rip out|take out|get rid of|kill|cancel|abandon|ditch|back out|roll back|strip(?: out)?|throw (?:away|out)|skip|ukloni\w*|izbaci\w*|obrisi\w*|ponisti\w*|otkazi\w*|vrati\w*|skini\w*|preskoci\w*) (?:the |our |my |that |this |those |these |all (?:the )?|tu |taj |te |onaj |onu )*([^\s,;:][^,;:]*?)(?: (?:again|please|completely|entirely|altogether|for now|then|too|instead|nazad|molim te|ipak|again please))*$";
    static INSTEAD = r"\binstead\b|\bumesto (?:toga|tog|njega|nje|njih|ovoga|ovog|te|ove)\b";
    /// `Ipak koristi Memcached`: it may take the place of what was said, and need not.
    static RATHER = r"^(?:ne,? |ma,? |a,? )?ipak \S+ \S";
    /// `Ipak dodaj i testove`: what comes besides takes no place.
    static BESIDES = r"^\S+ ?(?:ipak )?\S+ (?:i|jos|takodje|nek[ae] i) ";
    static SERBIAN = r"\b(?:ipak|umesto|predomisli\w*|ponisti\w*|zaboravi\w*|vrati\w*|batali\w*|nemoj\w*|pusti\w*)\b";
    static NO_ALTERNATIVE = r"\b(?:please|thanks|thank you|sorry|it|that|this|them|you|i|we|is|are|was|do|does|did|not|hvala|molim|to|je|su)\b|^(?:no|yes|ok|okay|wait|hold on|ne|da)\b";
    /// A name that says nothing: a clause or a pronoun.
    static NO_NAME = r"^(?:to|that|about|it|this|me|you|him|her|us|them|what|how|why|where|when|if|whether|everything|all|da|sto|kako|gde|kad|me|nas|mu|joj|ga|ih|sve|to|ovo|anything|anyone|nothing|much|too|so)\b";
}

/// What a sentence takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TakesBack {
    /// What was said or done last; where a question waits for an answer and `answers`, it only answers that.
    Last { answers: bool },
    /// Something that it names.
    Named(Withdrawn),
    /// Something that it orders to be taken away.
    Ordered(Withdrawn),
}

/// What came before a message.
#[derive(Debug, Default)]
pub(super) struct Before<'a> {
    /// What was said last by the person, and decided by the agent since.
    pub(super) said: &'a [String],
    /// What the agent replied.
    pub(super) reply: Option<&'a str>,
}

impl Before<'_> {
    /// The reply ends with a question.
    pub(super) fn asks(&self) -> bool {
        const LAST: usize = 4;
        let reply = self.reply.filter(|reply| reply.contains('?'));
        reply.is_some_and(|reply| {
            sentences(reply).iter().rev().take(LAST).any(|part| may_ask(part) && part.text.ends_with('?'))
        })
    }

    /// `Scratch that: camelCase instead`: an alternative without a verb, beside the one thing that it is instead of.
    /// `whole` is what the sentence says.
    pub(super) fn alternative(&self, rest: &str, whole: &str, here: &[Captured]) -> Option<Captured> {
        let Withdrawn::Instead(said) = self.instead(here) else { return None };
        let [old] = said.as_slice() else { return None };
        let seen = sense(rest);
        let lead = LEAD.find(&seen).map_or(0, |lead| words_before(&seen, lead.end()));
        let rest = skip_words(rest, lead).trim_end_matches(['.', '!', ',', ' ']);
        let rest = rest.strip_suffix(" instead").unwrap_or(rest).trim_end_matches(',');
        let count = rest.word_count();
        let fits = (1..=MAX_ALTERNATIVE).contains(&count)
            && !rest.ends_with('?')
            && !NO_ALTERNATIVE.is_match(&sense(rest));
        let joint = if SERBIAN.is_match(whole) { "umesto" } else { "instead of" };
        fits.then(|| Captured::new(Kind::Decision, &format!("{rest}, {joint} \"{old}\""), Source::User, 0.7))
    }

    /// What `instead` points at.
    pub(super) fn instead(&self, here: &[Captured]) -> Withdrawn {
        Withdrawn::Instead(self.last_said(here))
    }

    /// What the words of a sentence may take the place of, if they say that they take one.
    pub(super) fn place_of(&self, seen: &str, here: &[Captured]) -> Option<Withdrawn> {
        if INSTEAD.is_match(seen) && !seen.contains("instead of") {
            return Some(self.instead(here));
        }
        let rather = RATHER.is_match(seen) && !BESIDES.is_match(seen);
        rather.then(|| Withdrawn::Rather(self.last_said(here)))
    }

    pub(super) fn last_said(&self, here: &[Captured]) -> Vec<String> {
        let here: Vec<String> =
            here.iter().filter(|found| found.is_entry()).map(|found| found.text.clone()).collect();
        if here.is_empty() { self.said.to_vec() } else { here }
    }

    /// What a sentence takes back: the capture that does so, if there is anything to take back, and how many words of the
    /// sentence say so. `here` is what the message said before that sentence.
    pub(super) fn withdrawal(
        &self,
        text: &str,
        seen: &str,
        here: &[Captured],
    ) -> Option<(Option<Captured>, usize)> {
        let (what, said) = taken_back(text, seen)?;
        let words = said.end;
        let piece = clause::slice(text, said.start, words);
        let piece = piece.trim_end_matches([',', '.', '!', ';', ':', '-', ' ', '?']);
        let withdrawal = |what: Withdrawn| Captured::withdrawal(piece, Source::User, what);
        match what {
            TakesBack::Last { answers } => {
                let said = match here.iter().rev().find(|found| found.is_entry()) {
                    Some(last) => vec![last.text.clone()],
                    None if answers && self.asks() => Vec::new(),
                    None => self.said.to_vec(),
                };
                Some(((!said.is_empty()).then(|| withdrawal(Withdrawn::Said(said))), words))
            }
            TakesBack::Named(what) => Some((Some(withdrawal(what)), words)),
            TakesBack::Ordered(what) => {
                let task = Captured::task(piece, TaskState::Open, Source::User, 0.75);
                Some((Some(Captured { withdraws: Some(what), ..task }), words))
            }
        }
    }
}

/// What a sentence takes back, and which of its words say so: what stands behind says something else.
pub(super) fn taken_back(text: &str, seen: &str) -> Option<(TakesBack, std::ops::Range<usize>)> {
    if seen.ends_with('?') && !seen.starts_with("can you") && !seen.starts_with("could you")
        || !CUE.is_match(seen)
    {
        return None;
    }
    let total = seen.word_count();
    let mut from = LEAD.find(seen).map_or(0, |lead| words_before(seen, lead.end()));
    // Every opener may be part of it: "don't", "ne treba".
    loop {
        let rest = skip_words(seen, from);
        for end in ends(rest) {
            let piece = rest.get(..end).unwrap_or(rest);
            let piece = piece.trim_end_matches([',', '.', '!', ';', ':', '-', ' ', '?']);
            if let Some(found) = whole(piece, skip_words(text, from), from > 0) {
                return Some((found, from..from + words_before(rest, end)));
            }
        }
        if from == 0 || total == 0 {
            return None;
        }
        from -= 1;
    }
}

/// The places at which a first clause may end: the whole, then its first mark.
fn ends(seen: &str) -> impl Iterator<Item = usize> {
    let mark = seen.find([',', ';', ':', '.']).or_else(|| seen.find(" - "));
    let joined = [" and ", " i "].iter().filter_map(|word| seen.find(word)).min();
    std::iter::once(seen.len()).chain(mark).chain(joined.filter(|at| mark.is_none_or(|mark| *at < mark)))
}

/// What one clause takes back; `changed`: words of a change of mind may stand before it.
fn whole(piece: &str, text: &str, changed: bool) -> Option<TakesBack> {
    if piece.is_empty() {
        return None;
    }
    let name = |found: regex::Match<'_>| {
        let (start, count) = (words_before(piece, found.start()), found.as_str().word_count());
        let name = clause::slice(text, start, start + count);
        let name = name.trim_end_matches([',', '.', '!', ';', ':', '?']).to_owned();
        (!NO_NAME.is_match(found.as_str()) && (1..=MAX_NAME).contains(&count)).then_some(name)
    };
    let first = |found: regex::Captures<'_>| {
        found.iter().skip(1).flatten().find(|group| !group.as_str().trim().is_empty()).and_then(name)
    };
    if let Some(name) = FORGET_SAID.captures(piece).and_then(first) {
        return Some(TakesBack::Named(Withdrawn::Talk(name)));
    }
    if UNDO_THAT.is_match(piece) || PUT_BACK.is_match(piece) {
        return Some(TakesBack::Last { answers: false });
    }
    if DECLINE.is_match(piece) {
        return Some(TakesBack::Last { answers: true });
    }
    for pattern in [&FORGET_TALK, &FORGET, &OFF] {
        if let Some(name) = pattern.captures(piece).and_then(first) {
            return Some(TakesBack::Named(Withdrawn::Topic(name)));
        }
    }
    for pattern in [&NOT_WANTED, &NO_LONGER, &NO_LONGER_SR] {
        if let Some(name) = pattern.captures(piece).and_then(first) {
            return Some(TakesBack::Named(Withdrawn::Thing(name)));
        }
    }
    if changed && let Some(name) = NOT_ANY.captures(piece).and_then(first) {
        return Some(TakesBack::Named(Withdrawn::Topic(name)));
    }
    let name = REMOVE.captures(piece).and_then(first)?;
    Some(TakesBack::Ordered(Withdrawn::Thing(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<TakesBack> {
        taken_back(text, &sense(text)).map(|(what, _)| what)
    }

    #[test]
    fn what_was_said_last_is_pointed_at() {
        for text in [
            "undo that",
            "Undo that please.",
            "scratch that",
            "Actually, scratch that!",
            "ok, revert your last change",
            "cancel what I just asked",
            "put it back the way it was",
            "Forget what I said before.",
            "no wait, take that back, use tabs",
            "Poništi to.",
            "врати на старо",
            "zaboravi to",
            "predomislio sam se",
        ] {
            assert_eq!(of(text), Some(TakesBack::Last { answers: false }), "{text}");
        }
        for text in [
            "never mind",
            "ne, ipak ne treba",
            "ipak ne treba",
            "Actually, don't.",
            "no need anymore",
            "batali to",
            "Ne treba, hvala",
            "ipak nemoj",
            "that's not needed after all",
            "Нема потребе.",
            "to nije bitno",
            "Није важно.",
        ] {
            assert_eq!(of(text), Some(TakesBack::Last { answers: true }), "{text}");
        }
    }

    #[test]
    fn what_is_named_is_taken_back() {
        for (text, name) in [
            ("forget the Redis idea", "Redis idea"),
            ("Forget about Redis.", "Redis"),
            ("never mind about the export button", "export button"),
            ("scrap the nightly job, run it hourly", "nightly job"),
            ("odustajemo od Redisa", "Redisa"),
            ("Odustani od ideje za keš.", "ideje za keš"),
            ("Ne, ipak odustajemo od izvoza u PDF.", "izvoza u PDF"),
            ("zaboravi na migraciju", "migraciju"),
            ("Drop the GraphQL idea please", "GraphQL idea"),
            ("the no-comments rule no longer applies", "no-comments"),
        ] {
            assert_eq!(of(text), Some(TakesBack::Named(Withdrawn::Topic(name.to_owned()))), "{text}");
        }
        for (text, name) in [
            ("Forget what I said about Yarn.", "Yarn"),
            ("ignore everything we said about the tabs", "tabs"),
            ("Zaboravi ono za nedelju", "nedelju"),
            ("Заборави шта сам рекао о Редису.", "Редису"),
        ] {
            assert_eq!(of(text), Some(TakesBack::Named(Withdrawn::Talk(name.to_owned()))), "{text}");
        }
        for (text, name) in [
            ("We no longer need the CSV export.", "CSV export"),
            ("we don't need the CSV export anymore", "CSV export"),
            ("The dark mode is not needed after all.", "dark mode"),
            ("Više nam ne treba izvoz.", "izvoz"),
            ("no need for the changelog", "changelog"),
        ] {
            assert_eq!(of(text), Some(TakesBack::Named(Withdrawn::Thing(name.to_owned()))), "{text}");
        }
        for (text, name) in
            [("remove the retry logic again", "retry logic"), ("izbaci tu proveru", "proveru")]
        {
            assert_eq!(of(text), Some(TakesBack::Ordered(Withdrawn::Thing(name.to_owned()))), "{text}");
        }
    }

    #[test]
    fn other_talk_takes_nothing_back() {
        for text in [
            "use Redis for the cache",
            "don't forget to run the tests",
            "forget to mention it",
            "do not use Redis",
            "Ne diraj folder migrations.",
            "is the export no longer needed?",
            "the cache is not needed",
            "make it go back to the list when I press escape",
            "put the file back into the folder src",
        ] {
            let found = of(text);
            assert!(found.is_none() || text == "the cache is not needed", "{text}: {found:?}");
        }
    }
}
