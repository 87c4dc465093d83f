//! What a person's message says: goals, constraints, preferences, decisions, work, problems, and what is settled.

use super::another;
use super::captured::{Captured, MAX_CAPTURED, Withdrawn};
use super::clause::{self, Opened};
use super::decision::{self, clip_decision, tier};
use super::goal;
use super::kinds::{Kind, Source, TaskState};
use super::lexicon::{
    announces_decision, is_change, is_serbian_change, names_nothing, orders_by_shape, starts_with_order,
};
use super::pasted;
use super::prose::{Place, Sentence, sentences};
use super::sense::{sense, skip_words};
use super::withdraw::{self, Before};
use crate::text::clip;
use crate::text::pattern::static_regex;

/// Shorter sentences say nothing by themselves.
const MIN_WORDS: usize = 2;
/// Longer ones are stories.
const MAX_WORDS: usize = 60;

static_regex! {
    static WANT = r"^(?:i|we|ja|mi)(?:'d| would)?\s+(?:actually |really |basically |just |also |now )*(?:want|like|need|love|zelim|zelimo|hocu|hocemo|treba mi|trebaju nam)\s+(?:you |us |to |for |da |ti )*(.*)$";
    /// `I want GraphQL for the public endpoints`.
    static WANT_THING = r"^(?:i|we)(?:'d| would)? (?:really |just |still )*(?:want|like|prefer) (?:[a-z][\w.+#-]+ ){1,3}(?:for|in|on|as|with|over|instead of|rather than) (?:the |our |all |every |each |this )?[\w./-]+(?: [\w./-]+){0,5}[.!]*$|^(?:hocu|hocemo|zelim|zelimo) (?:[a-z][\w.+#-]+ ){1,3}(?:za|u|na|kao|umesto) [\w./-]+(?: [\w./-]+){0,5}[.!]*$";
    static NOT_THING = r"^\S+(?:'d| would)? (?:really |just |still )*(?:want|like|prefer|hocu|hocemo|zelim|zelimo) (?:to|you|it|this|that|them|more|less|someone|something|us|him|her|the same|da|te|vas|ovo|to)\b";
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
    static STANCE = r"^(?:just |please |and |but |so |then |ok |instead |rather |radije |bolje |samo |neka )*(?:use|keep|go with|go for|stick|stay|leave|call|name|prefer|choose|pick|take|set|store|put|make it|default|skip|drop|target|support|assume|treat|don't use|koristi\w*|ostavi\w*|zadrzi\w*|neka|uzmi\w*|cuvaj\w*|drzi\w*|nazovi\w*|stavi\w*|postavi\w*|podesi\w*|izaberi\w*)\b";
    /// `We go with SQLite`.
    static WE_CHOOSE = r"^(?:ok |so |and |but |then |now |ipak |onda |dakle )*(?:we|mi) (?:now |all |then |just |sada )?(?:go (?:with|for|back to)|stick (?:with|to)|stay (?:with|on)|idemo sa|ostajemo (?:na|pri|uz)) \S+";
    /// `We use SQLite for the ledger`.
    static WE_USE = r"^(?:ok |so |and |but |then |now |dakle )*(?:we|mi) (?:now |all |only |just |sada )*(?:use|run|koristimo) ((?:[^\s,;]+ ){1,4}?)(?:for|as|everywhere|za|kao|svuda)\b";
    /// `Izveštaj neka ide ponedeljkom`.
    static LET_IT = r"^(?:i |a |ali |svi |sve |sva )*(?:[a-z][\w/.-]* ){1,4}neka (?:se |ne |uvek )*[a-z]{3,} \S";
    /// An order for a time that recurs holds on: `send the report on Fridays`.
    static HABIT = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bevery (?:other )?(?:day|week|month|quarter|morning|evening|night|hour|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bsvak(?:og|e|i|u) (?:dan\w*|jutr\w*|vec\w*|noc\w*|sat\w*|sedmic\w*|mesec\w*|ponedelj\w+|utor\w+|sred\w+|cetvrt\w+|pet\w+|subot\w+|nedelj\w+)\b|\b(?:ponedeljkom|utorkom|sredom|cetvrtkom|petkom|subotom|nedeljom)\b";
    static POINTER = r"^(?:this|that|these|those|it|them|ovo|to|ovaj|taj|ovu|tu)\b";
    static NO_MORE = r"^(?:we|i|you|they|mi) (?:do not|don't|no longer|will not|won't|are not|aren't|vise ne|necemo)\b";
    /// After a change of mind: how it is from now on.
    static IS_NOW = r"^(?:the |our |my |nas \w+ )?[a-z][\w-]*(?: [\w-]+){0,5}? (?:is|are|becomes?|stays?|will be|je|su|postaje|ostaje) (?:now |sada )?\S+(?: \S+){0,6}$";
    /// `Reviewer change: Jelena reviews the backend`, `Deadline moved: the launch is on May 3`.
    static CHANGE_OF = r"^(?:the |our )?(?:[a-z][a-z-]*(?: [a-z][a-z-]*){0,2} (?:has |have |was |is )?(?:moved|changed?|update[ds]?|promenjen\w*|pomeren\w*|promena|izmena)|(?:promena|izmena) [a-z]+(?: [a-z]+){0,2}): (?:\S+ ){2,}\S+";
    /// What changed of itself, or in the work.
    static OTHER_CHANGE = r"^(?:the |our )?(?:breaking|code|files?|api|last|latest|recent|git|status|what|nothing|something|i|we|you|it|this|that|error|test|tests|output|log)\b";
    /// `Final answer 45 s`.
    static FINAL = r"\bfinal (?:answer|decision|value|call|choice|word)(?: is)?:? [^\s?]|\bkonacn[ao] (?:odluka|odgovor|vrednost)(?: je)?:? [^\s?]";
    /// `The reviewer is now Ana`; what is written as a name, a day or a date was appointed and not observed.
    static IS_FROM_NOW = r"^(?:the |our |my )?([a-z][\w-]*(?: [\w-]+){0,4}?) (?:is|are|je|su) (?:now|sad|sada|od sada) (?:on |at |in |u |na )?(\S+(?: \S+){0,3}?)[.!]*$";
    static APPOINTS = r"^(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|^\d{1,2}(?::\d\d)?(?:\.| ?h\b| ?am\b| ?pm\b)|^(?:ponedelj|utor|sred|cetvrt|pet(?:ak|kom)|subot|nedelj)";
    static OBSERVED = r"^(?:it|this|that|there|here|he|she|they|everything|all|what|which|who|ono|to|ovo|sve)\b";
    /// `Open question: do we keep the export?`
    static OPEN_QUESTION = r"^(?:(?:still )?open (?:questions?|points?|issues?)|(?:unanswered|unresolved|pending) questions?|question (?:for later|to settle)|to be decided|tbd|otvoren[oa] pitanj[ea]|pitanje za kasnije)\s*[:-]\s+(\S+ \S.*)$";
    /// After a change of mind: `we do gRPC`.
    static WE_DO = r"^(?:we|mi) (?:do|use|take|run|have|radimo|koristimo|uzimamo|imamo) [a-z0-9][\w.+#/-]*(?: [\w.+#/-]+){0,3}[.!]*$";
    /// A reason for what follows: `8080 is taken, use 8443`.
    static REASON = r"^(?:so |the |our |ta[jo]? )*\S+(?: \S+){0,4} (?:is|are|isn't|aren't|has|won't|collides|je|su|nije|nisu) \S+(?: \S+){0,5}$";
    static CONDITION = r"^(?:if|when|whenever|once|after|before|unless|until|while|as|since|because|what|which|how|why|where|who|ako|kad\w*|dok|cim|posto|jer|sta|kako|koji)\b";
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
    /// Speaks for all, not for what the person does meanwhile.
    static OURS = r"\b(?:we|we'll|let's|our|mi)\b";
    /// What the person did, as a report: only a choice counts.
    static OWN_DOING = r"^(?:(?:ok|okay|so|and|but|then|hm+|well|now|also|just|btw|ja|sad|sada),? )*(?:i|i've|i have|i just|[a-z]+(?:o|la) sam)\b(?: \w+ly| also| just| now| already| have| then| vec)* (?:selected|picked|rejected|committed|resolved|settled|removed|replaced|moved|changed|deleted|dropped|renamed|switched|split|set|put|kept|made|cut|used|turned|disabled|enabled|reverted|\w+ed)\b";
    static CHOSE = r"\b(?:decided|agreed|opted|chosen?|chose|landed on|settled on|odlucil\w*|odlucio|dogovoril\w*|izabra\w+)\b";
    /// The subject or the object is what was named before.
    static OF_THAT = r"^(?:(?:and|also|then|please|just|but|make sure|ensure)(?: that)? )*(?:(?:it|they|this|that|these|those)(?: \w+)? (?:must|should|needs?|has|have|shall|may|can|will|also|only|is|are)\b|(?:put|make|keep|call|name|store|place|move|add|save|write|run|use|leave|open|send|show) (?:it|them|this|that|those|these)\b|(?:ono|to|ovo|on|ona|oni) (?:mora|moraju|treba|ne sme|ne smeju)\b|\w+ (?:ga|ih) (?:u|na|za|sa|kao)\b)";
    /// What it should stay like is not said.
    static AS_IS = r"\b(?:as (?:it |they )?(?:is|are|was|were)|like (?:that|this|before)|the same|this way|that way|kako (?:jeste|je bilo|je)|isto)[.!]*$";
    static HISTORY = r"\b(?:was|were|had|did|didn't|used to|yesterday|last (?:week|time)|bilo|bio|bila|juce)\b";
}

/// What a typed text says.
pub(super) struct Heard {
    /// What its sentences say, in order.
    pub(super) found: Vec<Captured>,
    /// The error that was pasted.
    pub(super) error: Option<String>,
}

/// What the sentences of a typed text say. `first` tells that nobody asked for anything before.
pub(super) fn read(text: &str, first: bool, before: &Before<'_>) -> Heard {
    let parts = sentences(text);
    let mut found: Vec<Captured> = Vec::new();
    let mut asks = Vec::with_capacity(parts.len());
    let mut answered = false;
    for part in &parts {
        let said = sentence(part, answered, before, &found);
        answered = goal::answers_only(&part.seen);
        asks.push(goal::may_name(part, &said));
        for said in said {
            if let Some(before) = found.last_mut().filter(|before| belongs(&said, before, first)) {
                before.text = joined(&before.text, &said.text);
            } else if found.iter().all(|known| known.text != said.text) {
                found.push(said);
            }
        }
    }
    for said in &mut found {
        // `Vrati iznose na dinare` takes nothing away.
        let open = matches!(said.withdraws, None | Some(Withdrawn::Thing(_)));
        let settles = said.kind == Kind::Decision || said.task == Some(TaskState::Open);
        if open
            && settles
            && let Some(change) = another::change(&said.text)
        {
            said.withdraws = Some(Withdrawn::Change(change));
        }
    }
    if first && let Some(goal) = goal::first(text, &parts, &asks) {
        found.insert(0, goal);
    }
    let pasted = pasted::error(text).map(|error| Captured::new(Kind::OpenItem, &error, Source::User, 0.6));
    let error = pasted.as_ref().map(|pasted| pasted.text.clone());
    found.extend(pasted);
    Heard { found, error }
}

/// `Write a test. Put it in tests/.`: what a sentence says of the work that the one before asks for is part of that work.
/// What the first request demands stays a rule of its own.
fn belongs(said: &Captured, before: &Captured, first: bool) -> bool {
    let seen = sense(&said.text);
    let work = before.is_entry() && before.task == Some(TaskState::Open);
    if said.kind == Kind::OpenItem && before.kind == Kind::OpenItem {
        return clause::points_back(&seen) && before.is_entry();
    }
    !first
        && work
        && said.withdraws.is_none()
        && matches!(said.kind, Kind::Constraint | Kind::Decision | Kind::Task)
        && said.task != Some(TaskState::Done)
        && before.text.chars().count() < MAX_CAPTURED * 3 / 4
        && OF_THAT.is_match(&seen)
}

fn joined(before: &str, more: &str) -> String {
    let both = if before.ends_with('?') {
        format!("{before} {more}")
    } else {
        format!("{}; {more}", before.trim_end_matches(['.', '!', ';', ' ']))
    };
    clip::ellipsize(&both, MAX_CAPTURED).into_owned()
}

/// What one sentence says, first what it takes back. `answered` tells that a bare yes or no stands before it, `here`
/// what the message said so far.
fn sentence(part: &Sentence, answered: bool, before: &Before<'_>, here: &[Captured]) -> Vec<Captured> {
    if matches!(part.place, Place::Quote | Place::Row) || DUMP.is_match(&part.text) {
        return Vec::new();
    }
    let Some((withdrawal, words)) = before.withdrawal(&part.text, &part.seen, here) else {
        let changes = here.iter().any(|found| !found.is_entry());
        return with_instead(stated(part, answered, changes), part, before, here);
    };
    let rest = skip_words(&part.text, words);
    let mut said = if withdrawal.as_ref().is_some_and(Captured::is_entry) {
        stated(part, answered, false)
    } else if rest.is_empty() {
        Vec::new()
    } else if let Some(goal) = goal::changed(&part.text, &part.seen, rules) {
        vec![goal]
    } else {
        let seen = skip_words(&part.seen, words).to_owned();
        let rest = Sentence { text: rest.to_owned(), seen, ..part.clone() };
        let said = stated(&rest, answered, true);
        let last = matches!(&withdrawal, Some(Captured { withdraws: Some(Withdrawn::Said(_)), .. }));
        let other =
            if said.is_empty() && last { before.alternative(&rest.text, &part.seen, here) } else { None };
        said.into_iter().chain(other).collect()
    };
    let Some(withdrawal) = withdrawal else { return said };
    match said.first_mut().filter(|said| withdrawal.is_entry() && said.kind != Kind::Goal) {
        Some(first) => first.withdraws = withdrawal.withdraws,
        None => said.insert(0, withdrawal),
    }
    said
}

/// `Use Memcached instead`: it takes the place of what was said before.
fn with_instead(
    mut said: Vec<Captured>,
    part: &Sentence,
    before: &Before<'_>,
    here: &[Captured],
) -> Vec<Captured> {
    if let Some(found) = said.iter_mut().find(|found| found.kind != Kind::Goal)
        && withdraw::says_instead(&part.seen)
    {
        found.withdraws.get_or_insert_with(|| before.instead(here));
    } else if said.is_empty() && part.seen.trim_end_matches(['.', '!']).ends_with(" instead") {
        said.extend(before.alternative(&part.text, &part.seen, here));
    }
    said
}

/// What one sentence says: mostly one thing or nothing. `changes` tells that something was taken back right before.
fn stated(part: &Sentence, answered: bool, changes: bool) -> Vec<Captured> {
    let whole = part.seen.as_str();
    let words = whole.split_whitespace().count();
    if !(MIN_WORDS..=MAX_WORDS).contains(&words) {
        return Vec::new();
    }
    if let Some(state) = part.checked {
        let state = if state { TaskState::Done } else { TaskState::Open };
        return vec![Captured::task(&part.text, state, Source::User, 0.9)];
    }
    // A lead-in says nothing without what it leads to, which is read by itself.
    if part.place == Place::Heading || whole.ends_with(':') {
        return Vec::new();
    }
    if words <= 30 && whole.contains(['>', '→', '⇒']) && ARROW.is_match(whole) {
        return vec![Captured::new(Kind::Decision, &part.text, Source::User, 0.8)];
    }
    let mut opened = clause::opened(&part.text, whole);
    opened.answers |= answered;
    opened.changes |= changes;
    if let Some(goal) =
        goal::named(opened.text, opened.seen).or_else(|| goal::changed(&part.text, whole, rules))
    {
        return vec![goal];
    }
    if let Some(asked) = OPEN_QUESTION.captures(opened.seen).and_then(|found| found.get(1)) {
        let words = opened.seen.get(..asked.start()).map_or(0, |head| head.split_whitespace().count());
        return vec![Captured::new(Kind::OpenItem, skip_words(opened.text, words), Source::User, 0.8)];
    }
    if whole.ends_with('?') {
        return question(&opened).into_iter().collect();
    }
    if changed_of(opened.seen) {
        let text = opened.text.trim_end_matches(['.', '!']);
        return vec![Captured::new(Kind::Decision, text, Source::User, 0.8)];
    }
    let mut said = clauses(&opened);
    // `Nemoj Redis, stavi Valkey`: what is refused stands in the clause before.
    if let [choice] = said.as_mut_slice()
        && choice.kind == Kind::Decision
        && choice.text.len() < opened.text.trim_end_matches(['.', '!']).len()
    {
        choice.withdraws = another::change(opened.text).map(Withdrawn::Change);
    }
    if said.is_empty() || decision::is_marked(whole) {
        // An answer tells how things are.
        let decided = if opened.answers { None } else { decided(part, opened.changes) };
        said = if decided.is_some() { decided.into_iter().collect() } else { said };
    }
    if opened.changes
        && said.is_empty()
        && (IS_NOW.is_match(opened.seen) || WE_DO.is_match(opened.seen))
        && !HEDGE.is_match(opened.seen)
    {
        let text = opened.text.trim_end_matches(['.', '!']);
        return vec![Captured::new(Kind::Decision, text, Source::User, 0.75)];
    }
    if opened.changes && said.iter().any(|said| goal::starts_anew(said, opened.seen)) {
        return vec![Captured::new(Kind::Goal, opened.text, Source::User, 0.85)];
    }
    said
}

/// The sentence says that something it names changed, and to what; or gives its final value.
fn changed_of(seen: &str) -> bool {
    let told = CHANGE_OF.is_match(seen) && !OTHER_CHANGE.is_match(seen) || FINAL.is_match(seen);
    told && !HEDGE.is_match(seen) && !HISTORY.is_match(seen) && !MUST.is_match(seen)
}

/// The sentence appoints who or when something is from now on.
fn appoints(text: &str, seen: &str) -> bool {
    let Some(found) = IS_FROM_NOW.captures(seen) else { return false };
    let (Some(what), Some(is)) = (found.get(1), found.get(2)) else { return false };
    let head = seen.get(..is.start()).map_or(0, |head| head.split_whitespace().count());
    let name = skip_words(text, head);
    let word = name.split_whitespace().next().unwrap_or_default();
    let proper = word.chars().next().is_some_and(char::is_uppercase) && word.chars().any(char::is_lowercase);
    (proper || APPOINTS.is_match(is.as_str())) && !OBSERVED.is_match(what.as_str())
}

/// A decision that a sentence states as such: `Decision: X`, `we decided on X`, `so we keep X`. What a person announces to
/// do themselves is none.
fn decided(part: &Sentence, changes: bool) -> Option<Captured> {
    let stated = decision::stated_in(part, changes).filter(|stated| stated.strength >= tier::STANDING)?;
    if stated.strength == tier::INTENT && !OURS.is_match(&part.seen)
        || OWN_DOING.is_match(&part.seen) && !CHOSE.is_match(&part.seen)
        || HEDGE.is_match(&part.seen)
    {
        return None;
    }
    let confidence = if stated.strength >= tier::CONCLUSION { 0.9 } else { 0.7 };
    Some(Captured::new(Kind::Decision, clip_decision(&stated.text).as_str(), Source::User, confidence))
}

fn question(opened: &Opened<'_>) -> Option<Captured> {
    let (text, seen) = (opened.text, opened.seen);
    let Some(tag) = TAG_QUESTION.find(seen) else { return request(text, seen) };
    let statement = seen.get(..tag.start()).unwrap_or(seen);
    let kept = clause::slice(text, 0, statement.split_whitespace().count());
    (MUST.is_match(statement) && !HISTORY.is_match(statement) && !FIRST_PERSON_NEED.is_match(statement))
        .then(|| Captured::new(Kind::Constraint, kept.trim_end_matches(','), Source::User, 0.6))
}

/// The clauses of a statement: neighbours that say the same kind of thing stay together, but each
/// prohibition stands alone.
fn clauses(opened: &Opened<'_>) -> Vec<Captured> {
    let (text, seen) = (opened.text, opened.seen);
    if let Some((words, only_leads)) = clause::lead_in(seen) {
        let rest = Opened {
            text: skip_words(text, words),
            seen: skip_words(seen, words),
            answers: false,
            changes: opened.changes,
        };
        if !HEDGE.is_match(seen) && (only_leads && OPEN.is_match(rest.seen) || directs(rest.seen)) {
            return if only_leads { clauses(&rest) } else { one(text, rest.seen, opened.answers) };
        }
    }
    let cuts = clause::cuts(seen);
    if cuts.is_empty() {
        return one(text, seen, opened.answers);
    }
    let end = seen.split_whitespace().count();
    let mut starts: Vec<(usize, usize)> = vec![(0, 0)];
    starts.extend(cuts);
    let ends = starts.iter().skip(1).map(|(end, _)| *end).chain([end]);
    // Start, end and what it says.
    let mut pieces: Vec<(usize, usize, Captured)> = Vec::new();
    for ((_, start), end) in starts.iter().zip(ends) {
        let (piece, piece_seen) = clause::sliced(text, *start, end);
        let said = (*start == 0 || directs(&piece_seen) && !clause::points_back(&piece_seen))
            .then(|| one(&piece, &piece_seen, opened.answers).into_iter().next())
            .flatten();
        match (said, pieces.last_mut()) {
            (Some(said), Some((_, last_end, last)))
                if last.kind == said.kind
                    && !NOT_ORDER.is_match(&piece_seen)
                    && !(said.kind == Kind::Decision && stands_alone(&piece_seen)) =>
            {
                *last_end = end;
            }
            (Some(said), _) => pieces.push((*start, end, said)),
            (None, Some((_, last_end, _))) => *last_end = end,
            // `don't do that, use X`, `we do not use Y any more, go with X`: what is refused is said elsewhere.
            (None, None) if NOT_ORDER.is_match(&piece_seen) || NO_MORE.is_match(&piece_seen) => {}
            (None, None) if REASON.is_match(&piece_seen) && !CONDITION.is_match(&piece_seen) => {}
            (None, None) => return one(text, seen, opened.answers),
        }
    }
    if pieces.first().is_none_or(|(start, end_at, _)| *start == 0 && *end_at == end) {
        return one(text, seen, opened.answers);
    }
    pieces
        .into_iter()
        .map(|(start, end, said)| {
            let whole = clause::slice(text, start, end);
            let whole = whole.trim_end_matches([',', ';', '.', '!', ' ', '-']);
            Captured {
                position: said.position,
                task: said.task,
                ..Captured::new(said.kind, whole, Source::User, said.confidence)
            }
        })
        .collect()
}

/// Says by itself what is decided: `keep the cache in SQLite`, not `keep them`.
fn stands_alone(seen: &str) -> bool {
    seen.split_whitespace().count() >= clause::MIN_CHOICE
}

fn one(text: &str, seen: &str, answers: bool) -> Vec<Captured> {
    let from = |found: regex::Match<'_>| {
        let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
        skip_words(text, head).trim_end_matches(['?', '!', '.']).to_owned()
    };
    if let Some(found) = LEARN.captures(seen).and_then(|found| found.get(1)) {
        let told = from(found);
        let telling = told.split_whitespace().filter(|word| !EMPTY_WORD.is_match(&sense(word))).count();
        let said = (telling >= 2).then(|| Captured::new(Kind::Learning, &told, Source::User, 0.9));
        return said.into_iter().collect();
    }
    if let Some(found) = TODO.captures(seen).and_then(|found| found.get(1)) {
        return vec![Captured::task(&from(found), TaskState::Open, Source::User, 0.9)];
    }
    // An answer tells how things are; only what it plainly orders is a rule.
    if answers && !directs(seen) && !MUST.is_match(seen) {
        return statement(text, seen).filter(|said| said.kind != Kind::Constraint).into_iter().collect();
    }
    statement(text, seen).or_else(|| request(text, seen)).into_iter().collect()
}

/// The clause is said as an order, a rule or a stance.
fn directs(seen: &str) -> bool {
    rules(seen) || starts_with_order(seen) && !names_nothing(seen)
}

/// The clause says how work is done, not which.
fn rules(seen: &str) -> bool {
    NOT_ORDER.is_match(seen)
        || forbids_in_serbian(seen)
        || ENSURE.is_match(seen)
        || permits(seen)
        || takes_a_stance(seen)
}

/// The clause chooses: `use X`, `change the limit to 5`, `we go with X`.
fn takes_a_stance(seen: &str) -> bool {
    let used = WE_USE.captures(seen).and_then(|found| found.get(1)).map(|what| what.as_str());
    STANCE.is_match(seen) && !names_nothing(seen)
        || another::settles(seen)
        || WE_CHOOSE.is_match(seen)
        || LET_IT.is_match(seen) && !HEDGE.is_match(seen)
        || recurs(seen)
        || used.is_some_and(|what| !POINTER.is_match(what) && !names_nothing(&format!("use {what}")))
}

/// An order for a time that recurs.
fn recurs(seen: &str) -> bool {
    let order = starts_with_order(seen) || ORDER_SR.is_match(seen) || orders_by_shape(seen);
    HABIT.is_match(seen) && order && !names_nothing(seen)
}

/// `Ne diraj X`: the imperative after `ne`. Its ending `-i` is that of the third person too, so that only a verb of
/// change counts, and not `ne radi X`, which reports.
fn forbids_in_serbian(seen: &str) -> bool {
    let mut words = seen.split_whitespace();
    let (Some("ne"), Some(verb), Some(object)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let imperative = ["aj", "uj", "ajte", "ujte", "ite"].iter().any(|ending| verb.ends_with(ending));
    let either = verb.ends_with('i') && is_serbian_change(verb) && !verb.starts_with("radi");
    (imperative || either)
        && object != "se"
        && !names_nothing(&seen.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}

/// `You may edit X now`: what was forbidden is allowed.
fn permits(seen: &str) -> bool {
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

static_regex! {
    static PERMIT = r"^(?:(?:now|from now on|so|sada|od sada|ipak) )*(?:you (?:may|can|are (?:now )?(?:allowed|free|welcome|permitted) to)|feel free to|(?:it is|it's|its) (?:now |again )?(?:ok|okay|fine|allowed|safe|permitted|alright|all right) (?:now |again )?(?:for you )?to|(?:ti |sada |opet |ipak )*(?:smes|smete|mozes|mozete|slobodno|dozvoljeno (?:ti |vam )?je|dozvoljavam (?:ti|vam)?|u redu je))(?: (?:now|again|also|freely|sada|opet|slobodno|i|da))* ([a-z-]+)\s+(\S.*)$";
    /// The permission names its object first.
    static ALLOWED = r"^(?:(?:now|from now on|sada|od sada) )*[^,.;:?]{3,60} (?:is|are|je|su) (?:now |again |sada |opet )*(?:allowed|permitted|fine|ok|okay|dozvoljen\w*|u redu)(?: (?:now|again|from now on|sada|opet|od sada))*[.!]*$";
    static TOUCH = r"^(?:edit|modify|touch|alter|access|overwrite|adjust|commit|rely|dira\w*|edituj\w*|pipa\w*|pristupa\w*)$";
    /// Something that waits: to be asked, to be found out, to be done some day.
    static OPEN = r"^(?:and |but |also |so |then |a |i |ali )*(?:(?:i|we|you|someone|somebody|they) (?:still|also still|later|yet|eventually|some ?day)\b.{0,12}?\b(?:have|has|need|needs|must|should|ought)\b(?: to)?|(?:i|we) have yet to|(?:it|what) (?:still )?remains (?:open|unclear|to be|is)|(?:it is|it's) still (?:open|unclear|undecided|not (?:clear|decided))|(?:we|i) (?:still )?(?:have not|haven't|don't|do not) (?:yet )?(?:decided?|know|agreed?|chosen?)\b.{0,60}\byet|(?:we|i) still (?:don't|do not) know|remind (?:me|us) (?:later |again )*(?:to|about|of|that|before|when)|(?:tek |jos uvek |jos |i dalje )+(?:treba|trebamo|moram|moramo|imamo|nismo|nisam|ne znam|ne znamo)|(?:treba|moramo|moram) (?:jos|tek|i dalje)|ostaje (?:jos )?(?:da|otvoreno)|podseti (?:me|nas))\b.{6,}$";
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
            SETTLED_VERB.captures(seen).or_else(|| SETTLED.captures(seen)).and_then(|found| found.get(1))
    {
        let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
        let count = found.as_str().split_whitespace().count();
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
        rest.as_str().split_whitespace().count() >= 2
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
    let plain = if seen.contains('(') { ASIDE.replace_all(seen, "") } else { seen.into() };
    let need = MUST.is_match(&plain)
        && !SUBJECTLESS.is_match(&plain)
        && !NO_SUBJECT.is_match(&plain)
        && !FIRST_PERSON_NEED.is_match(&plain)
        && !EMBEDDED.is_match(&plain);
    let need = need && !AS_IS.is_match(&plain);
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
    if ORDER_SR.is_match(seen)
        && seen.split_whitespace().next().is_some_and(is_serbian_change)
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
    let found = CAN_YOU.captures(seen)?.get(1)?;
    let body = found.as_str();
    let head = seen.get(..found.start()).map_or(0, |head| head.split_whitespace().count());
    let words = skip_words(text, head).trim_end_matches(['?', '!', '.']);
    if words.split_whitespace().count() < 2 || names_nothing(body) {
        return None;
    }
    if STANCE.is_match(body) || another::settles(body) {
        return Some(Captured::new(Kind::Decision, words, Source::User, 0.65));
    }
    let work = starts_with_order(body) || body.split_whitespace().next().is_some_and(is_serbian_change);
    work.then(|| Captured::task(words, TaskState::Open, Source::User, 0.7))
}
