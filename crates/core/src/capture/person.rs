//! What a person's message says: goals, constraints, preferences, decisions, work, problems, and what is settled.

use super::captured::Captured;
use super::decision::open;
use super::kinds::{Kind, Source, TaskState};
use super::lexicon::{announces_decision, is_serbian_change, names_nothing, starts_with_order};
use super::pasted;
use super::prose::{Place, Sentence, sentences};
use super::sense::{matched, sense, skip_words};
use crate::text::clip;
use crate::text::pattern::static_regex;

/// Shorter sentences say nothing by themselves.
const MIN_WORDS: usize = 2;
/// Of a request, so many graphemes tell that it is one.
const REQUEST_START: usize = 200;
/// Longer ones are stories.
const MAX_WORDS: usize = 60;

static_regex! {
    static GREETING = r"^(?:hi|hello|hey|yo|good (?:morning|evening|afternoon)|are you (?:there|ok)|you (?:still )?there|test|testing|ping|cao|zdravo|dobro jutro|dobar dan|hej|pozdrav|ej|thanks?|hvala|where were we|what'?s up)\b[^.!?]{0,30}[.!?]*$";
    static GOAL = r"^(?:(?:the|our|my|new|main|real|overall|novi|glavni|moj|nas)\s+)*(?:goal|aim|objective|end goal|cilj|zadatak)\b(?:\s+(?:is|now is|here is|of this session is|je|sada je))?\s*:?\s+(?:to\s+|da\s+)?(\S.*)$";
    static GOAL_CHANGE = r"^(?:forget (?:that|about (?:that|it)|it|all that)|change of plans?|new (?:task|plan|topic|request)|drop that|scrap (?:that|all that|it)|zaboravi (?:to|sve)|promena plana|novi zadatak|nova tema|let's (?:switch|move on|turn) to|ostavi to)\b[\s,.:;!-]*(?:now|instead|and|let's|rather|sada|hajde da|idemo na)?[\s,:]*(\S.*)?$";
    static WANT = r"^(?:i|we|ja|mi)(?:'d| would)?\s+(?:actually |really |basically |just |also |now )*(?:want|like|need|love|zelim|zelimo|hocu|hocemo|treba mi|trebaju nam)\s+(?:you |us |to |for |da |ti )*(.*)$";
    static WE_NEED = r"^(?:i|we|trebaju nam|treba nam) (?:also |still |really )*(?:need|want) (?:a|an|some|the|one|another|more|to)\b.{8,}$";
    static ONLY_WANT = r"\b(?:i|we)(?:'d| would)?\s+only\s+(?:want|need|accept)\b|\bhocu samo\b|\bzelim samo\b|\bsamo zelim\b";
    static LEARN = r"^(?:and |also |btw |please |fyi |molim te |i )*(?:remember|keep in mind|note that|for future reference|for the record|fyi|bear in mind|zapamti|imaj u vidu|upamti|za ubuduce)\b[\s,:]*(?:that |da )?(\S.*)$";
    static PREFER = r"^(?:(?:i|we|ja|mi)\s+(?:always|usually|generally|normally|prefer|like|love|hate|dislike|don't like|can't stand|never|tend to|work|live|speak|uvek|obicno|volim|volimo|ne volim|mrzim|vise volim|preferiram|nikad\w*)|(?:ne |vise |najvise )?(?:volim|volimo|preferiram|mrzim)|(?:uvek|obicno) (?:radim|pisem|koristim))\b";
    static ASK_ME = r"\b(?:always|never|uvek|nikad\w*) (?:ask|tell|show|warn|call|me (?:pitaj|obavesti)|pitaj me)\b|\bask me (?:first|before)\b|\bpitaj me (?:pre|prvo)\b|^(?:answer|reply|respond|write|speak) (?:me )?(?:in|briefly|shortly)\b|^(?:odgovaraj|pisi|govori)\b";
    static NOT_ORDER = r"^(?:please |and |but |also |just |so |ok |you |then |molim te |a |ali )*(?:do not|don't|dont|never|avoid|you (?:may|can|must|should) ?not|you can't|nemoj\w*|ne smes|ne smete|ne sme\w*|nikad\w* (?:ne|nemoj)|bez|no more)\s+(\S.*)$";
    static MUST = r"\b(?:must(?: not|n't)?|mustn't|needs? to|has to|have to|shall(?: not)?|should(?: not|n't)?|may not|ne sme\w*|mora\w*|ne treba|treba da|trebalo bi da|obavezno)\b";
    static ALWAYS = r"\b(?:always|never|only ever|under no circumstances|at all times|no matter what|uvek|nikad\w*|ni u kom slucaju)\b";
    static ENSURE = r"^(?:please |and |also |but |just )*(?:make sure|ensure|be sure|see to it|be careful|mind that|pazi|vodi racuna|obavezno|postaraj se)\b";
    static ONLY = r"^(?:please |and |but |also )*(?:only|nothing but|samo|iskljucivo)\s+\S+\s+\S+";
    static LIMIT = r"\b(?:at most|at least|no more than|no less than|not more than|maximum|max\.?|minimum|najvise|najmanje|ne vise od|do najvise)\b.*\d|\b(?:deadline|budget|rok|budzet)\b.*\d";
    static NO_THING = r"^no (?:new |more |external |third[- ]party )*[a-z-]+(?:s|es|ies|ing|ion|ments?|code|api|ui)?\b.{3,80}$";
    static FIRST_PERSON_NEED = r"^(?:i|we|ja|mi|do (?:i|we)|does|did)\b.{0,24}\b(?:must|have to|need to|should|mora\w*|treba)\b";
    static HEDGE = r"\b(?:maybe|perhaps|not sure|i think|i guess|i wonder|might|could|mozda|nisam sigur\w*|valjda|mislim da)\b";
    static CAN_YOU = r"^(?:so |and |ok |also |btw |then |now |please |a |pa |actually |hey )*(?:(?:can|could|would|will) (?:you|we)(?: please| also| maybe| just| actually)*|(?:mozes|mozemo|hoces|mozete)(?: li)?(?: da)?|da li mozes da|please|molim te|i (?:actually )?want you to|i(?:'d| would) like you to|we need to|you need to|need you to|treba da|hajde da|ajde da)[\s,]+(?:make it so (?:that )?(?:we |you |it )?|go (?:ahead )?and |try to |da )?(\S.*?)[?!.]*$";
    static TODO = r"^(?:todo|to do|fixme|next|zatim|sledece|za uraditi)\s*[:.-]\s*(\S.*)$";
    static ARROW = r"^(\S[^<>=]{0,120}?)\s+(?:->|=>|→|⇒)\s+(\S.{0,120})$";
    static TAG_QUESTION = r",?\s+(?:no|right|correct|ok|okay|yes|zar ne|je l' tako|jel da|jelda)\s*\?+$";
    /// A word of [`SETTLED`] or [`SETTLED_VERB`].
    static SETTLED_CUE = r"done|fixed|solved|merged|closed|finished|completed|obsolete|no longer|gone|gotov|resen|resi|zavrs|popravi";
    static SETTLED = r"^(?:the |that |this |ok,? |yes,? |to |ono |ovo )*(.{3,80}?)\s+(?:is|are|has been|have been|got|was|je|su)\s+(?:now |already |vec |sada )?(?:done|fixed|solved|resolved|merged|closed|finished|obsolete|no longer (?:needed|relevant)|gotov\w*|resen\w*|zavrsen\w*|popravljen\w*)\b";
    static SETTLED_VERB = r"^(?:i |we |i've |we've |i have |just |already |vec |i just )*(?:fixed|finished|completed|merged|closed|solved|resolved|resio sam|resila sam|zavrsio sam|zavrsila sam|popravio sam|popravila sam)\s+(?:the |that |this )?(.{3,80}?)(?:\s+(?:in|with|by|at)\s+\S+)?[.!]*$";
    static LETS = r"^(?:ok |okay |so |then |and |yes |alright |now |well )*(?:let's|let us|lets|we(?:'ll| will)|we're going to|hajde|ajde|idemo)\s+((?:not |just |da |sa |na )*)(\S+)(.*)$";
    static STANCE = r"^(?:just |please |and |but |so |then |ok |instead |rather |radije |bolje |samo |neka )*(?:use|keep|go with|go for|stick|stay|leave|call|name|prefer|choose|pick|take|set|store|put|make it|default|skip|drop|target|support|assume|treat|don't use|koristi\w*|ostavi\w*|zadrzi\w*|neka|uzmi\w*|cuvaj\w*|drzi\w*|nazovi\w*|stavi\w*|izaberi\w*)\b";
    /// Work, where `let's` starts it; all else that it starts is a stance.
    static WORK = r"^(?:modify|fix|tweak|improve|adjust|finish|update|test|clean|polish|popravi\w*|sredi\w*|zavrsi\w*|testira\w*)$";
    /// The subject is missing: what should be so is said elsewhere.
    static NO_SUBJECT = r"^(?:should|must|needs? to|has to|treba da|mora da)\b";
    /// Words that name nothing in a thing to remember.
    static EMPTY_WORD = r"[/@\\]|^(?:the|a|an|this|that|it|one|thing|things|file|folder|doc|docs|btw|also|please|too|all|these|those|and|taj|ta|to|ovo|fajl|ovaj|molim)[.,!]*$";
    /// Output that was pasted.
    static DUMP = r#"\{"|"\}|":|\\n|^>|</?[a-z]+>|=>\s*\{|;$|\(\)\s*\{"#;
    static SUBJECTLESS = r"^(?:yes,? |no,? |it |that |this |they |to |ovo )?(?:should|must|needs?|has|have|ought|treba|mora)\b.{0,40}$";
    static ASIDE = r"\([^()]*\)";
    /// A question inside a statement: `where each should go`.
    static EMBEDDED = r"\b(?:where|what|which|how|why|whether|who|when|if (?:you|we|i)|gde|sta|kako|koji|da li)\b.{0,40}\b(?:must|should|needs? to|has to|have to|treba|mora)\b|\bshould be (?:that|this|it|so|good|fine|ok|okay|ready|done|able)\b|\b(?:should|must) (?:i|we|it)\b";
    static HISTORY = r"\b(?:was|were|had|did|didn't|used to|yesterday|last (?:week|time)|bilo|bio|bila|juce)\b";
}

/// What the sentences of a typed text say. `first` tells that nobody asked for anything before.
pub(super) fn read(text: &str, first: bool) -> Vec<Captured> {
    let parts = sentences(text);
    let mut out = Vec::new();
    if first && is_request(text) {
        out.push(Captured::new(Kind::Goal, text, Source::User, 0.7));
    }
    for part in &parts {
        if let Some(found) = sentence(part) {
            let again = out.iter().any(|known: &Captured| known.text == found.text);
            if !again {
                out.push(found);
            }
        }
    }
    if let Some(error) = pasted::error(text) {
        out.push(Captured::new(Kind::OpenItem, &error, Source::User, 0.6));
    }
    out
}

/// Substantive enough to be what a session is about.
pub(super) fn is_request(text: &str) -> bool {
    // A greeting is short: the start tells.
    let seen = sense(clip::first_graphemes(text.trim(), REQUEST_START));
    seen.split_whitespace().take(4).count() == 4
        && !GREETING.is_match(&seen)
        && !seen.starts_with('/')
        && !seen.starts_with('!')
}

fn sentence(part: &Sentence) -> Option<Captured> {
    if matches!(part.place, Place::Quote | Place::Row) {
        return None;
    }
    let whole = part.seen.as_str();
    let words = whole.split_whitespace().count();
    if !(MIN_WORDS..=MAX_WORDS).contains(&words) || DUMP.is_match(&part.text) {
        return None;
    }
    if let Some(state) = part.checked {
        let state = if state { TaskState::Done } else { TaskState::Open };
        return Some(Captured::task(&part.text, state, Source::User, 0.9));
    }
    // A lead-in says nothing without what it leads to, which is read by itself.
    if part.place == Place::Heading || whole.ends_with(':') {
        return None;
    }
    let said = |kind: Kind, confidence: f32| Some(Captured::new(kind, &part.text, Source::User, confidence));
    if words <= 30 && whole.contains(['>', '→', '⇒']) && ARROW.is_match(whole) {
        return said(Kind::Decision, 0.8);
    }
    let (seen, skipped, _) = open(whole);
    let text = skip_words(&part.text, skipped);
    let from = |found: regex::Match<'_>| {
        let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
        skip_words(text, head).trim_end_matches(['?', '!', '.']).to_owned()
    };
    if let Some(found) = matched(&GOAL, seen).and_then(|found| found.get(1)) {
        return Some(Captured {
            confidence: 0.95,
            ..Captured::new(Kind::Goal, &from(found), Source::User, 0.95)
        });
    }
    if let Some(found) = matched(&GOAL_CHANGE, whole).and_then(|found| found.get(1)) {
        let head = whole.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
        let new = skip_words(&part.text, head);
        return (new.split_whitespace().count() >= 3)
            .then(|| Captured::new(Kind::Goal, new, Source::User, 0.85));
    }
    if let Some(found) = matched(&LEARN, seen).and_then(|found| found.get(1)) {
        let told = from(found);
        let telling = told.split_whitespace().filter(|word| !EMPTY_WORD.is_match(&sense(word))).count();
        return (telling >= 2).then(|| Captured::new(Kind::Learning, &told, Source::User, 0.9));
    }
    if let Some(found) = matched(&TODO, seen).and_then(|found| found.get(1)) {
        return Some(Captured::task(&from(found), TaskState::Open, Source::User, 0.9));
    }
    let asks = whole.ends_with('?');
    let tag = if asks { TAG_QUESTION.find(seen) } else { None };
    if asks && tag.is_none() {
        return request(text, seen);
    }
    if let Some(tag) = tag {
        let statement = seen.get(..tag.start()).unwrap_or(seen);
        let kept: Vec<&str> = text.split_whitespace().take(statement.split_whitespace().count()).collect();
        return (MUST.is_match(statement)
            && !HISTORY.is_match(statement)
            && !FIRST_PERSON_NEED.is_match(statement))
        .then(|| Captured::new(Kind::Constraint, kept.join(" ").trim_end_matches(','), Source::User, 0.6));
    }
    statement(text, seen).or_else(|| request(text, seen))
}

fn statement(text: &str, seen: &str) -> Option<Captured> {
    let said = |kind: Kind, confidence: f32| {
        Some(Captured::new(kind, text.trim_end_matches(['.', '!']), Source::User, confidence))
    };
    if ASK_ME.is_match(seen) || (PREFER.is_match(seen) && !HISTORY.is_match(seen)) {
        return said(Kind::Learning, 0.85);
    }
    if SETTLED_CUE.is_match(seen)
        && let Some(found) =
            matched(&SETTLED_VERB, seen).or_else(|| matched(&SETTLED, seen)).and_then(|found| found.get(1))
    {
        let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
        let count = found.as_str().split_whitespace().count();
        let what: Vec<&str> = skip_words(text, head).split_whitespace().take(count).collect();
        let mut settled = Captured::task(text, TaskState::Done, Source::User, 0.8);
        settled.resolves = Some(what.join(" "));
        return Some(settled);
    }
    if HEDGE.is_match(seen) {
        return None;
    }
    if WE_NEED.is_match(seen) {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    let told_not = matched(&NOT_ORDER, seen).and_then(|found| found.get(1)).is_some_and(|rest| {
        rest.as_str().split_whitespace().count() >= 2
            && !rest.as_str().starts_with("worry")
            && !rest.as_str().starts_with("know")
            && !rest.as_str().starts_with("think")
    });
    if told_not
        || ENSURE.is_match(seen)
        || ONLY_WANT.is_match(seen)
        || (ONLY.is_match(seen) && !HISTORY.is_match(seen))
    {
        return said(Kind::Constraint, 0.9);
    }
    let plain = if seen.contains('(') { ASIDE.replace_all(seen, "") } else { seen.into() };
    let need = MUST.is_match(&plain)
        && !SUBJECTLESS.is_match(&plain)
        && !NO_SUBJECT.is_match(&plain)
        && !FIRST_PERSON_NEED.is_match(&plain)
        && !EMBEDDED.is_match(&plain);
    let has_digit = seen.bytes().any(|byte| byte.is_ascii_digit());
    if (need || ALWAYS.is_match(seen) || has_digit && LIMIT.is_match(seen))
        && !HISTORY.is_match(seen)
        && !seen.starts_with("if ")
    {
        return said(Kind::Constraint, if need { 0.8 } else { 0.75 });
    }
    if NO_THING.is_match(seen)
        && !seen.starts_with("no problem")
        && !seen.starts_with("no idea")
        && !HISTORY.is_match(seen)
        && seen.split_whitespace().count() <= 14
    {
        return said(Kind::Constraint, 0.7);
    }
    if let Some(found) = matched(&LETS, seen) {
        let verb = found.get(2).map_or("", |verb| verb.as_str());
        let rest = found.get(3).map_or("", |rest| rest.as_str());
        let decides = announces_decision(verb, rest.trim()) || is_serbian_change(verb);
        if !decides || names_nothing(&format!("{verb} {rest}")) {
            return None;
        }
        return Some(if WORK.is_match(verb) {
            Captured::task(text, TaskState::Open, Source::User, 0.75)
        } else {
            Captured::new(Kind::Decision, text, Source::User, 0.85)
        });
    }
    if STANCE.is_match(seen) && !names_nothing(seen) {
        return said(Kind::Decision, 0.85);
    }
    if ORDER_SR.is_match(seen)
        && seen.split_whitespace().next().is_some_and(is_serbian_change)
        && !names_nothing(seen)
    {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    if starts_with_order(seen) && !names_nothing(seen) {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    if let Some(found) = matched(&WANT, seen).and_then(|found| found.get(1)) {
        let body = found.as_str();
        let work = starts_with_order(body) || body.split_whitespace().next().is_some_and(is_serbian_change);
        return (work && body.split_whitespace().count() >= 3)
            .then(|| Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    None
}

static_regex! {
    /// A Serbian imperative ends so.
    static ORDER_SR = r"^[a-z]{3,}(?:i|aj|uj|ij|ite|ajte|ujte)\s+\S";
}

/// `can you X?`, `please X`: work, or a stance where it says how things are to be.
fn request(text: &str, seen: &str) -> Option<Captured> {
    let found = matched(&CAN_YOU, seen)?.get(1)?;
    let body = found.as_str();
    let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
    let words = skip_words(text, head).trim_end_matches(['?', '!', '.']);
    if words.split_whitespace().count() < 2 || names_nothing(body) {
        return None;
    }
    if STANCE.is_match(body) {
        return Some(Captured::new(Kind::Decision, words, Source::User, 0.65));
    }
    let work = starts_with_order(body) || body.split_whitespace().next().is_some_and(is_serbian_change);
    work.then(|| Captured::task(words, TaskState::Open, Source::User, 0.7))
}
