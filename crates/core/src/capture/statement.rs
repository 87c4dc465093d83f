//! What one clause of a person's message says: an order, a rule, a choice, work, or nothing.

use super::another;
use super::captured::Captured;
use super::clause;
use super::kinds::{Kind, Source, TaskState};
use super::lexicon::{
    announces_decision, is_change, is_serbian_change, names_nothing, orders_by_shape, starts_with_order,
};
use super::sense::{CountWords, sense, skip_words, words_before};
use crate::text::pattern::static_regex;
use crate::text::scan;

static_regex! {
    static WANT = r"^(?:i|we|ja|mi)(?:'d| would)?\s+(?:actually |really |basically |just |also |now )*(?:want|like|need|love|zelim|zelimo|hocu|hocemo|treba mi|trebaju nam)\s+(?:you |us |to |for |da |ti )*(.*)$";
    /// `I want GraphQL for the public endpoints`.
    static WANT_THING = r"^(?:i|we)(?:'d| would)? (?:really |just |still )*(?:want|like|prefer) (?:[a-z][\w.+#-]+ ){1,3}(?:for|in|on|as|with|over|instead of|rather than) (?:the |our |all |every |each |this )?[\w./-]+(?: [\w./-]+){0,5}[.!]*$|^(?:hocu|hocemo|zelim|zelimo) (?:[a-z][\w.+#-]+ ){1,3}(?:za|u|na|kao|umesto) [\w./-]+(?: [\w./-]+){0,5}[.!]*$";
    static NOT_THING = r"^\S+(?:'d| would)? (?:really |just |still )*(?:want|like|prefer|hocu|hocemo|zelim|zelimo) (?:to|you|it|this|that|them|more|less|someone|something|us|him|her|the same|da|te|vas|ovo|to)\b";
    static WE_NEED = r"^(?:i|we|trebaju nam|treba nam) (?:also |still |really )*(?:need|want) (?:a|an|some|the|one|another|more|to)\b.{8,}$";
    static ONLY_WANT = r"\b(?:i|we)(?:'d| would)?\s+only\s+(?:want|need|accept)\b|\bhocu samo\b|\bzelim samo\b|\bsamo zelim\b";
    static PREFER = r"^(?:(?:i|we)\s+(?:always|usually|generally|normally|prefer|like|love|hate|dislike|don't like|can't stand|never|tend to|work|live|speak)|(?:ja|mi)\s+(?:uvek|obicno|volim|volimo|ne volim|mrzim|vise volim|preferiram|nikad\w*)|(?:ne |vise |najvise )?(?:volim|volimo|preferiram|mrzim)|(?:uvek|obicno) (?:radim|pisem|koristim))\b";
    /// `Don't change anything`: a rule about whatever there is.
    static ANYTHING = r"^(?:please |and |but |ok |molim te |ali |pa )*(?:do not|don't|dont|nemoj\w*|ne|without|bez)\b.{0,30}\b(?:anything|any(?: of the)? (?:code|files?)|the code|code|nista|kod)\b";
    /// `Just explain it`: what is asked for changes nothing.
    static ONLY_LOOK = r"\b(?:just|only|samo) (?:\w+ )?(?:explain|tell|show|answer|describe|look|read|list|review|analy[sz]e|plan|think|discuss|check|give|summari[sz]e|objasni\w*|reci\w*|pokazi\w*|odgovori\w*|opisi\w*|pogledaj\w*|procitaj\w*|nabroj\w*|pregledaj\w*|analiziraj\w*|kazi\w*|predlozi\w*|proveri\w*)\b";
    /// What nobody here does is forbidden.
    static WE_NEVER = r"^(?:we|mi)\s+(?:never|nikad\w* ne)\s+(?:[a-z]+) \S";
    static ASK_ME = r"\b(?:always|never|uvek|nikad\w*) (?:ask|tell|show|warn|call|me (?:pitaj|obavesti)|pitaj me)\b|\bask me (?:first|before)\b|\bpitaj me (?:pre|prvo)\b|^(?:answer|reply|respond|write|speak) (?:me )?(?:in|briefly|shortly)\b|^(?:odgovaraj|pisi|govori)\b";
    static ALWAYS = r"\b(?:always|never|only ever|under no circumstances|at all times|no matter what|uvek|nikad\w*|ni u kom slucaju)\b";
    static ONLY = r"^(?:please |and |but |also )*(?:only|nothing but|samo|iskljucivo)\s+\S+\s+\S+";
    static LIMIT = r"\b(?:at most|at least|no more than|no less than|not more than|maximum|max\.?|minimum|najvise|najmanje|ne vise od|do najvise)\b.*\d|\b(?:deadline|budget|rok|budzet)\b.*\d";
    static NO_THING = r"^no (?:new |more |external |third[- ]party )*[a-z-]+(?:s|es|ies|ing|ion|ments?|code|api|ui)?\b.{3,80}$";
    static CAN_YOU = r"^(?:so |and |ok |also |btw |then |now |please |a |pa |actually |hey )*(?:(?:can|could|would|will) (?:you|we)(?: please| also| maybe| just| actually)*|(?:mozes|mozemo|hoces|mozete)(?: li)?(?: da)?|da li mozes da|please|molim te|i (?:actually )?want you to|i(?:'d| would) like you to|we need to|you need to|need you to|treba da|hajde da|ajde da)[\s,]+(?:make it so (?:that )?(?:we |you |it )?|go (?:ahead )?and |try to |da )?(\S.*?)[?!.]*$";
    /// A word of [`SETTLED`] or [`SETTLED_VERB`].
    static SETTLED_CUE = r"done|fixed|solved|merged|closed|finished|completed|obsolete|no longer|gone|gotov|resen|resi|zavrs|popravi";
    static SETTLED = r"^(?:the |that |this |ok,? |yes,? |to |ono |ovo )*(.{3,80}?)\s+(?:is|are|has been|have been|got|was|je|su)\s+(?:now |already |vec |sada )?(?:done|fixed|solved|resolved|merged|closed|finished|obsolete|no longer (?:needed|relevant)|gotov\w*|resen\w*|zavrsen\w*|popravljen\w*)\b";
    static SETTLED_VERB = r"^(?:i |we |i've |we've |i have |just |already |vec |i just )*(?:fixed|finished|completed|merged|closed|solved|resolved|resio sam|resila sam|zavrsio sam|zavrsila sam|popravio sam|popravila sam)\s+(?:the |that |this )?(.{3,80}?)(?:\s+(?:in|with|by|at)\s+\S+)?[.!]*$";
    static LETS = r"^(?:ok |okay |so |then |and |yes |alright |now |well )*(?:let's|let us|lets|we(?:'ll| will)|we're going to|hajde|ajde|idemo)\s+((?:not |just |da |sa |na )*)(\S+)(.*)$";
    static STANCE = r"^(?:just |please |and |but |so |then |ok |instead |rather |radije |bolje |samo |neka )*(?:use|keep|go with|go for|stick|stay|leave|call|name|prefer|choose|pick|take|set|store|put|make it|default|skip|drop|target|support|assume|treat|don't use|koristi\w*|ostavi\w*|zadrzi\w*|neka|uzmi\w*|cuvaj\w*|drzi\w*|nazovi\w*|stavi\w*|postavi\w*|podesi\w*|izaberi\w*)\b";
    /// `We go with SQLite`.
    static WE_CHOOSE = r"^(?:ok |so |and |but |then |now |ipak |onda |dakle )*(?:we|mi) (?:now |all |then |just |sada )?(?:go (?:with|for|back to)|stick (?:with|to)|stay (?:with|on)|idemo sa|ostajemo (?:na|pri|uz)) \S+";
    /// `We use SQLite for the ledger`.
    static WE_USE = r"^(?:ok |so |and |but |then |now |dakle )*(?:we|mi) (?:now |all |only |just |sada )*(?:use|run|koristimo) ((?:[^\s,;]+ ){1,4}?)(?:for|as|everywhere|za|kao|svuda)\b";
    /// `Izveštaj neka ide ponedeljkom`.
    static LET_IT = r"^(?:i |a |ali |svi |sve |sva )*(?:[a-z][\w/.-]* ){1,4}neka (?:se |ne |uvek )*[a-z]{3,} \S";
    /// An order for a time that recurs holds on: `send the report on Fridays`.
    static HABIT = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bevery (?:other )?(?:day|week|month|quarter|morning|evening|night|hour|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bsvak(?:og|e|i|u) (?:dan\w*|jutr\w*|vec\w*|noc\w*|sat\w*|sedmic\w*|mesec\w*|ponedelj\w+|utor\w+|sred\w+|cetvrt\w+|pet\w+|subot\w+|nedelj\w+)\b|\b(?:ponedeljkom|utorkom|sredom|cetvrtkom|petkom|subotom|nedeljom)\b";
    static TOPIC_FIRST = r"^(?:and |but |also |a |i |ali )*(?:for|in|on|as|za|u|na|kod|kao|pri) (?:the |our |all |a |an |sve |sva )?[^\s,;:?]+(?: [^\s,;:?]+){0,3}?,? ((?:always |just |samo |uvek )*(?:use|take|go with|pick|choose|put|stick with|stick to|koristi(?:te|mo)?|uzmi(?:te)?|stavi(?:te)?|idi na|ostavi(?:te)?|zadrzi(?:te)?)\b.*)$";
    static USE_NOUN = r"^use (?:of|only|is|was|are|cases?|by|and|or)\b";
    /// The imperative after `ne` whose ending is no other form's.
    static OBJECT_FIRST = r"^(?:(?:a|i|ali|pa|molim te),? )*((?:(?:u|na|iz|po) )?[^\s,;:?]+(?: [^\s,;:?]+){0,3}?)(?: vise| nikako| nikad\w*| jos| za sada| zasad| sad| sada)*(?: ne [a-z]*(?:aj|uj)(?:te|mo)?| nemoj(?:te|mo)?(?: da)? [a-z]+)\b";
    static NO_OBJECT = r"^(?:ako|kad\w*|da|sto|koj\w+|zasto|sta|ja|ti|on|ona|mi|vi|oni|ono|to|ovo|ga|ih|je|jer|dok|ne|nemoj\w*|molim|ok|dobro|hej)\b|\b(?:sam|smo|je|su|kaze|rekao|rekla|da)$";
    static POINTER = r"^(?:this|that|these|those|it|them|ovo|to|ovaj|taj|ovu|tu)\b";
    /// `The reviewer is now Ana`; what is written as a name, a day or a date was appointed and not observed.
    static IS_FROM_NOW = r"^(?:the |our |my )?([a-z][\w-]*(?: [\w-]+){0,4}?) (?:is|are|je|su) (?:now|sad|sada|od sada) (?:on |at |in |u |na )?(\S+(?: \S+){0,3}?)[.!]*$";
    static APPOINTS = r"^(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|^\d{1,2}(?::\d\d)?(?:\.| ?h\b| ?am\b| ?pm\b)|^(?:ponedelj|utor|sred|cetvrt|pet(?:ak|kom)|subot|nedelj)";
    static OBSERVED = r"^(?:it|this|that|there|here|he|she|they|everything|all|what|which|who|ono|to|ovo|sve)\b";
    /// Work, where `let's` starts it; all else that it starts is a stance.
    static WORK = r"^(?:modify|fix|tweak|improve|adjust|finish|update|test|clean|polish|popravi\w*|sredi\w*|zavrsi\w*|testira\w*)$";
    /// The subject is missing: what should be so is said elsewhere.
    static NO_SUBJECT = r"^(?:should|must|needs? to|has to|treba da|mora da)\b";
    static SUBJECTLESS = r"^(?:yes,? |no,? |it |that |this |they |to |ovo )?(?:should|must|needs?|has|have|ought|treba|mora)\b.{0,40}$";
    static ASIDE = r"\([^()]*\)";
    /// A question inside a statement: `where each should go`.
    static EMBEDDED = r"\b(?:where|what|which|how|why|whether|who|when|if (?:you|we|i)|gde|sta|kako|koji|da li)\b.{0,40}\b(?:must|should|needs? to|has to|have to|treba|mora)\b|\bshould be (?:that|this|it|so|good|fine|ok|okay|ready|done|able)\b|\b(?:should|must) (?:i|we|it)\b";
    /// What it should stay like is not said.
    static AS_IS = r"\b(?:as (?:it |they )?(?:is|are|was|were)|like (?:that|this|before)|the same|this way|that way|kako (?:jeste|je bilo|je)|isto)[.!]*$";
    static PERMIT = r"^(?:(?:ok|okay|alright|fine|yes|now|from now on|so|dobro|e|u redu|sada|sad|od sada|ipak),? )*(?:you (?:may|can|are (?:now )?(?:allowed|free|welcome|permitted) to)|feel free to|(?:it is|it's|its) (?:now |again )?(?:ok|okay|fine|allowed|safe|permitted|alright|all right) (?:now |again )?(?:for you )?to|(?:ti |sada |sad |opet |ipak )*(?:smes|smete|mozes|mozete|slobodno|dozvoljeno (?:ti |vam )?je|dozvoljavam (?:ti|vam)?|u redu je))(?: (?:now|again|also|freely|sada|sad|opet|slobodno|i|da))* ([a-z-]+)\s+(\S.*)$";
    /// The permission names its object first.
    static ALLOWED = r"^(?:(?:now|from now on|sada|od sada) )*[^,.;:?]{3,60} (?:is|are|je|su) (?:now |again |sada |opet )*(?:allowed|permitted|fine|ok|okay|dozvoljen\w*|u redu)(?: (?:now|again|from now on|sada|opet|od sada))*[.!]*$";
    static TOUCH = r"^(?:edit|modify|touch|alter|access|overwrite|adjust|commit|rely|dira\w*|edituj\w*|pipa\w*|pristupa\w*)$";
    /// A Serbian imperative ends so.
    static ORDER_SR = r"^[a-z]{3,}(?:i|aj|uj|ij|ite|ajte|ujte)\s+\S";
    pub(super) static NOT_ORDER = r"^(?:please |and |but |also |just |so |ok |you |then |molim te |a |ali )*(?:do not|don't|dont|never|avoid|you (?:may|can|must|should) ?not|you can't|nemoj\w*|ne smes|ne smete|ne sme\w*|nikad\w* (?:ne|nemoj)|bez|no more)\s+(\S.*)$";
    pub(super) static MUST = r"\b(?:must(?: not|n't)?|mustn't|needs? to|has to|have to|shall(?: not)?|should(?: not|n't)?|may not|ne sme\w*|mora\w*|ne treba|treba da|trebalo bi da|obavezno)\b";
    pub(super) static ENSURE = r"^(?:please |and |also |but |just )*(?:make sure|ensure|be sure|see to it|be careful|mind that|pazi|vodi racuna|obavezno|postaraj se)\b";
    pub(super) static FIRST_PERSON_NEED = r"^(?:i|we|ja|mi|do (?:i|we)|does|did)\b.{0,24}\b(?:must|have to|need to|should|mora\w*|treba)\b";
    pub(super) static HEDGE = r"\b(?:maybe|perhaps|not sure|i think|i guess|i wonder|might|could|mozda|nisam sigur\w*|valjda|mislim da)\b";
    pub(super) static HISTORY = r"\b(?:was|were|had|did|didn't|used to|yesterday|last (?:week|time)|bilo|bio|bila|juce)\b";
    /// Something that waits: to be asked, to be found out, to be done some day.
    pub(super) static OPEN = r"^(?:and |but |also |so |then |a |i |ali )*(?:(?:i|we|you|someone|somebody|they) (?:still|also still|later|yet|eventually|some ?day)\b.{0,12}?\b(?:have|has|need|needs|must|should|ought)\b(?: to)?|(?:i|we) have yet to|(?:it|what) (?:still )?remains (?:open|unclear|to be|is)|(?:it is|it's) still (?:open|unclear|undecided|not (?:clear|decided))|(?:we|i) (?:still )?(?:have not|haven't|don't|do not) (?:yet )?(?:decided?|know|agreed?|chosen?)\b.{0,60}\byet|(?:we|i) still (?:don't|do not) know|remind (?:me|us) (?:later |again )*(?:to|about|of|that|before|when)|(?:tek |jos uvek |jos |i dalje )+(?:treba|trebamo|moram|moramo|imamo|nismo|nisam|ne znam|ne znamo)|(?:treba|moramo|moram) (?:jos|tek|i dalje)|ostaje (?:jos )?(?:da|otvoreno)|podseti (?:me|nas))\b.{6,}$";
}

pub(super) fn statement(text: &str, seen: &str) -> Option<Captured> {
    let said = |kind: Kind, confidence: f32| {
        Some(Captured::new(kind, text.trim_end_matches(['.', '!']), Source::User, confidence))
    };
    if WE_NEVER.is_match(seen) && !HISTORY.is_match(seen) && !ASK_ME.is_match(seen) {
        return said(Kind::Constraint, 0.8);
    }
    if ASK_ME.is_match(seen) || (PREFER.is_match(seen) && !HISTORY.is_match(seen)) {
        return said(Kind::Learning, 0.85);
    }
    if SETTLED_CUE.is_match(seen)
        && let Some(found) =
            SETTLED_VERB.captures(seen).or_else(|| SETTLED.captures(seen)).and_then(|found| found.get(1))
    {
        let head = words_before(seen, found.start());
        let count = found.as_str().word_count();
        let what: Vec<&str> = skip_words(text, head).split_whitespace().take(count).collect();
        let mut settled = Captured::task(text, TaskState::Done, Source::User, 0.8);
        settled.resolves = Some(what.join(" "));
        return Some(settled);
    }
    if OPEN.is_match(seen) {
        return said(Kind::OpenItem, 0.8);
    }
    if HEDGE.is_match(seen) {
        return None;
    }
    if permits(seen) {
        return said(Kind::Constraint, 0.85);
    }
    if WE_NEED.is_match(seen) {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    let told_not = NOT_ORDER.captures(seen).and_then(|found| found.get(1)).is_some_and(|rest| {
        rest.as_str().word_count() >= 2
            && !names_nothing(rest.as_str())
            && !rest.as_str().starts_with("worry")
            && !rest.as_str().starts_with("know")
            && !rest.as_str().starts_with("think")
    });
    if told_not
        || forbids_in_serbian(seen)
        || ENSURE.is_match(seen)
        || ONLY_WANT.is_match(seen)
        || (ONLY.is_match(seen) && !HISTORY.is_match(seen))
    {
        return said(Kind::Constraint, 0.9);
    }
    let plain = if scan::holds_any(seen, b"(") { ASIDE.replace_all(seen, "") } else { seen.into() };
    let need = MUST.is_match(&plain)
        && !SUBJECTLESS.is_match(&plain)
        && !NO_SUBJECT.is_match(&plain)
        && !FIRST_PERSON_NEED.is_match(&plain)
        && !EMBEDDED.is_match(&plain);
    let need = need && !AS_IS.is_match(&plain);
    if (need || ALWAYS.is_match(seen) || LIMIT.is_match(seen) && scan::holds_digit(seen))
        && !HISTORY.is_match(seen)
        && !seen.starts_with("if ")
    {
        return said(Kind::Constraint, if need { 0.8 } else { 0.75 });
    }
    if NO_THING.is_match(seen)
        && !seen.starts_with("no problem")
        && !seen.starts_with("no idea")
        && !HISTORY.is_match(seen)
        && seen.word_count() <= 14
    {
        return said(Kind::Constraint, 0.7);
    }
    if let Some(found) = LETS.captures(seen) {
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
    if takes_a_stance(seen) {
        return said(Kind::Decision, 0.85);
    }
    if appoints(text, seen) {
        return said(Kind::Decision, 0.75);
    }
    if seen.split_whitespace().next().is_some_and(is_serbian_change)
        && ORDER_SR.is_match(seen)
        && !names_nothing(seen)
    {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    if starts_with_order(seen) && !names_nothing(seen) {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    if WANT_THING.is_match(seen) && !NOT_THING.is_match(seen) && !HEDGE.is_match(seen) {
        return said(Kind::Decision, 0.7);
    }
    if orders_by_shape(seen) {
        return Some(Captured::task(text, TaskState::Open, Source::User, 0.6));
    }
    if let Some(found) = WANT.captures(seen).and_then(|found| found.get(1)) {
        let body = found.as_str();
        let work = starts_with_order(body) || body.split_whitespace().next().is_some_and(is_serbian_change);
        return (work && body.word_count() >= 3)
            .then(|| Captured::task(text, TaskState::Open, Source::User, 0.75));
    }
    None
}

/// `Don't change anything, just explain it`: the rule holds for the answer that is asked for beside it, and no longer.
pub(super) fn is_for_now(rule: &str, message: &str) -> bool {
    ANYTHING.is_match(rule) && ONLY_LOOK.is_match(message)
}

/// `can you X?`, `please X`: work, or a stance where it says how things are to be.
pub(super) fn request(text: &str, seen: &str) -> Option<Captured> {
    let found = CAN_YOU.captures(seen)?.get(1)?;
    let body = found.as_str();
    let head = words_before(seen, found.start());
    let words = skip_words(text, head).trim_end_matches(['?', '!', '.']);
    if words.word_count() < 2 || names_nothing(body) {
        return None;
    }
    if STANCE.is_match(body) || another::settles(body) {
        return Some(Captured::new(Kind::Decision, words, Source::User, 0.65));
    }
    let work = starts_with_order(body) || body.split_whitespace().next().is_some_and(is_serbian_change);
    work.then(|| Captured::task(words, TaskState::Open, Source::User, 0.7))
}

/// The clause chooses: `use X`, `change the limit to 5`, `we go with X`.
pub(super) fn takes_a_stance(seen: &str) -> bool {
    let seen = behind_topic(seen).unwrap_or(seen);
    let used = WE_USE.captures(seen).and_then(|found| found.get(1)).map(|what| what.as_str());
    STANCE.is_match(seen) && !names_nothing(seen)
        || another::settles(seen)
        || WE_CHOOSE.is_match(seen)
        || LET_IT.is_match(seen) && !HEDGE.is_match(seen)
        || recurs(seen)
        || used.is_some_and(|what| !POINTER.is_match(what) && !names_nothing(&format!("use {what}")))
}

/// The sentence appoints who or when something is from now on.
fn appoints(text: &str, seen: &str) -> bool {
    let Some(found) = IS_FROM_NOW.captures(seen) else { return false };
    let (Some(what), Some(is)) = (found.get(1), found.get(2)) else { return false };
    let head = words_before(seen, is.start());
    let name = skip_words(text, head);
    let word = name.split_whitespace().next().unwrap_or_default();
    let proper = word.chars().next().is_some_and(char::is_uppercase) && word.chars().any(char::is_lowercase);
    (proper || APPOINTS.is_match(is.as_str())) && !OBSERVED.is_match(what.as_str())
}

/// An order for a time that recurs.
fn recurs(seen: &str) -> bool {
    HABIT.is_match(seen)
        && (starts_with_order(seen) || ORDER_SR.is_match(seen) || orders_by_shape(seen))
        && !names_nothing(seen)
}

/// `You may edit X now`: what was forbidden is allowed.
pub(super) fn permits(seen: &str) -> bool {
    if ALLOWED.is_match(seen) {
        return true;
    }
    let Some(found) = PERMIT.captures(seen) else { return false };
    let verb = found.get(1).map_or("", |verb| verb.as_str());
    let rest = found.get(2).map_or("", |rest| rest.as_str()).trim();
    let changes =
        is_change(verb) && announces_decision(verb, rest) || is_serbian_change(verb) || TOUCH.is_match(verb);
    changes && !names_nothing(&format!("{verb} {rest}")) && !clause::points_back(rest)
}

/// What is said of a thing that is named first: `za prijavu koristi JWT`, `for the login use JWT`.
fn behind_topic(seen: &str) -> Option<&str> {
    let rest = TOPIC_FIRST.captures(seen)?.get(1)?.as_str();
    (rest.word_count() >= 2 && !USE_NOUN.is_match(rest)).then_some(rest)
}

/// `Folder api ne diraj`: the thing stands before what must not be done with it.
fn forbids_behind(seen: &str) -> bool {
    let Some(what) = OBJECT_FIRST.captures(seen).and_then(|found| found.get(1)) else { return false };
    !NO_OBJECT.is_match(what.as_str()) && !names_nothing(&format!("diraj {}", what.as_str()))
}

/// Whether a text forbids something.
pub(crate) fn forbids(text: &str) -> bool {
    let seen = sense(text);
    NOT_ORDER.is_match(&seen) || forbids_in_serbian(&seen)
}

/// `Ne diraj X`: the imperative after `ne`. Its ending `-i` is that of the third person too, so that only a verb of
/// change counts, and not `ne radi X`, which reports.
pub(super) fn forbids_in_serbian(seen: &str) -> bool {
    if forbids_behind(seen) {
        return true;
    }
    let mut words = seen.split_whitespace();
    if words.next() != Some("ne") {
        return false;
    }
    let (Some(verb), Some(object)) = (words.next(), words.next()) else { return false };
    let imperative = ["aj", "uj", "ajte", "ujte", "ite"].iter().any(|ending| verb.ends_with(ending));
    let either = verb.ends_with('i') && is_serbian_change(verb) && !verb.starts_with("radi");
    (imperative || either)
        && object != "se"
        && !names_nothing(&seen.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}
