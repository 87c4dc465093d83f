//! What a person's message says: goals, constraints, preferences, decisions, work, problems, and what is settled.

use super::amount;
use super::another;
use super::captured::{Captured, MAX_CAPTURED, Withdrawn};
use super::clause::{self, Opened};
use super::decision::{self, clip_decision, tier};
use super::goal;
use super::keeps;
use super::kinds::{Kind, Source, TaskState};
use super::lexicon::{is_serbian_change, names_nothing, starts_with_order};
use super::lift;
use super::listed;
use super::pasted;
use super::prose::{Place, Sentence, sentences};
use super::sense::{CountWords, sense, skip_words, words_before};
use super::statement::{
    ENSURE, FIRST_PERSON_NEED, HEDGE, HISTORY, MUST, NOT_ORDER, OPEN, forbids_in_serbian, permits, request,
    statement, takes_a_stance,
};
use super::swap;
use super::withdraw::Before;
use crate::text::pattern::static_regex;
use crate::text::{clip, scan};

/// Shorter sentences say nothing by themselves.
const MIN_WORDS: usize = 2;
/// Longer ones are stories.
const MAX_WORDS: usize = 60;

static_regex! {
    static LEARN = r"^(?:and |also |btw |please |fyi |molim te |i )*(?:remember|keep in mind|note that|for future reference|for the record|fyi|bear in mind|zapamti|imaj u vidu|upamti|za ubuduce)\b[\s,:]*(?:that |da )?(\S.*)$";
    static TODO = r"^(?:todo|to do|fixme|next|zatim|sledece|za uraditi)\s*[:.-]\s*(\S.*)$";
    static ARROW = r"^(\S[^<>=]{0,120}?)\s+(?:->|=>|→|⇒)\s+(\S.{0,120})$";
    static TAG_QUESTION = r",?\s+(?:no|right|correct|ok|okay|yes|zar ne|je l' tako|jel da|jelda)\s*\?+$";
    static NO_MORE = r"^(?:we|i|you|they|mi) (?:do not|don't|no longer|will not|won't|are not|aren't|vise ne|necemo)\b";
    /// After a change of mind: how it is from now on.
    static IS_NOW = r"^(?:the |our |my |nas \w+ )?[a-z][\w-]*(?: [\w-]+){0,5}? (?:is|are|becomes?|stays?|will be|je|su|postaje|ostaje) (?:now |sada )?\S+(?: \S+){0,6}$";
    /// Why it changed: `the throughput is terrible`, `the table is too big`.
    static JUDGES = r"\b(?:is|are|je|su|bil[aio]) (?:now |sada |just |really |way |far |simply |so |much |a bit |pretty |still |already |previse |malo |bas |jako |mnogo )*(?:too\b|overkill|enough|(?:un)?necessary|useless|pointless|bad|good|great|better|best|worse|worst|terrible|awful|horrible|slow|fast|heavy|expensive|cheap|ugly|wrong|broken|dead|down|flaky|unstable|unreliable|hard|difficult|complex|complicated|confusing|dovoljn\w*|dosta|los\w*|dobr\w*|gor[aei]\w*|bolj[aei]\w*|uzas\w*|grozn\w*|spor\w*|brz\w*|skup\w*|jeftin\w*|tezak|tesk\w*|pre(?:skup|spor|tez|tes|velik|slozen|komplikovan|glomazn)\w*|nepotreb\w*|beskoris\w*|pokvaren\w*|komplikovan\w*|slozen\w*)";
    /// A pronoun for others than those who talk.
    static BY_OTHERS = r"^(?:nobody|no one|none|everyone|everybody|people|they|he|she|it|niko|nikome|nikom|svi|oni|one|on|ona|ono)\b";
    /// `Reviewer change: Jelena reviews the backend`, `Deadline moved: the launch is on May 3`.
    static CHANGE_OF = r"^(?:the |our )?(?:[a-z][a-z-]*(?: [a-z][a-z-]*){0,2} (?:has |have |was |is )?(?:moved|changed?|update[ds]?|promenjen\w*|pomeren\w*|promena|izmena)|(?:promena|izmena) [a-z]+(?: [a-z]+){0,2}): (?:\S+ ){2,}\S+";
    /// What changed of itself, or in the work.
    static OTHER_CHANGE = r"^(?:the |our )?(?:breaking|code|files?|api|last|latest|recent|git|status|what|nothing|something|i|we|you|it|this|that|error|test|tests|output|log)\b";
    /// `Final answer 45 s`.
    static FINAL = r"\bfinal (?:answer|decision|value|call|choice|word)(?: is)?:? [^\s?]|\bkonacn[ao] (?:odluka|odgovor|vrednost)(?: je)?:? [^\s?]";
    /// `Open question: do we keep the export?`
    static OPEN_QUESTION = r"^(?:(?:still )?open (?:questions?|points?|issues?)|(?:unanswered|unresolved|pending) questions?|question (?:for later|to settle)|to be decided|tbd|otvoren[oa] pitanj[ea]|pitanje za kasnije)\s*[:-]\s+(\S+ \S.*)$";
    /// After a change of mind: `we do gRPC`.
    static WE_DO = r"^(?:we|mi) (?:do|use|take|run|have|radimo|koristimo|uzimamo|imamo) [a-z0-9][\w.+#/-]*(?: [\w.+#/-]+){0,3}[.!]*$";
    /// A reason for what follows: `8080 is taken, use 8443`.
    static REASON = r"^(?:so |the |our |ta[jo]? )*\S+(?: \S+){0,4} (?:is|are|isn't|aren't|has|won't|collides|je|su|nije|nisu) \S+(?: \S+){0,5}$";
    static CONDITION = r"^(?:if|when|whenever|once|after|before|unless|until|while|as|since|because|what|which|how|why|where|who|ako|kad\w*|dok|cim|posto|jer|sta|kako|koji)\b";
    /// Words before an order.
    static NOW = r"^(?:(?:ok|okay|now|then|and|so|please|go ahead and|let's|yes|sad|sada|onda|hajde|molim te|dobro|da|idemo),? )+";
    /// Words that name nothing in a thing to remember.
    static EMPTY_WORD = r"[/@\\]|^(?:the|a|an|this|that|it|one|thing|things|file|folder|doc|docs|btw|also|please|too|all|these|those|and|taj|ta|to|ovo|fajl|ovaj|molim)[.,!]*$";
    /// Output that was pasted.
    static DUMP = r#"\{"|"\}|":|\\n|^>|</?[a-z]+>|=>\s*\{|;$|\(\)\s*\{"#;
    /// Speaks for all, not for what the person does meanwhile.
    static OURS = r"\b(?:we|we'll|let's|our|mi)\b";
    /// What the person did, as a report: only a choice counts.
    static OWN_DOING = r"^(?:(?:ok|okay|so|and|but|then|hm+|well|now|also|just|btw|ja|sad|sada),? )*(?:i|i've|i have|i just|[a-z]+(?:o|la) sam)\b(?: \w+ly| also| just| now| already| have| then| vec)* (?:selected|picked|rejected|committed|resolved|settled|removed|replaced|moved|changed|deleted|dropped|renamed|switched|split|set|put|kept|made|cut|used|turned|disabled|enabled|reverted|\w+ed)\b";
    static CHOSE = r"\b(?:decided|agreed|opted|chosen?|chose|landed on|settled on|odlucil\w*|odlucio|dogovoril\w*|izabra\w+)\b";
    /// The subject or the object is what was named before.
    static OF_THAT = r"^(?:(?:and|also|then|please|just|but|make sure|ensure)(?: that)? )*(?:(?:it|they|this|that|these|those)(?: \w+)? (?:must|should|needs?|has|have|shall|may|can|will|also|only|is|are)\b|(?:put|make|keep|call|name|store|place|move|add|save|write|run|use|leave|open|send|show) (?:it|them|this|that|those|these)\b|(?:ono|to|ovo|on|ona|oni) (?:mora|moraju|treba|ne sme|ne smeju)\b|\w+ (?:ga|ih) (?:u|na|za|sa|kao)\b)";
}

/// What a typed text says.
pub(super) struct Heard {
    /// What its sentences say, in order.
    pub(super) found: Vec<Captured>,
    /// The error that was pasted.
    pub(super) error: Option<String>,
    /// What it lists as left to do.
    pub(super) left: Vec<String>,
}

/// What the sentences of a typed text say. `first` tells that nobody asked for anything before.
pub(super) fn read(text: &str, first: bool, before: &Before<'_>) -> Heard {
    let parts = sentences(text);
    let mut found: Vec<Captured> = Vec::new();
    let mut asks = Vec::new();
    let mut answered = false;
    let mut last: Option<&Sentence> = None;
    let (mut removed, mut allowed) = (Vec::new(), Vec::new());
    for part in &parts {
        let _noted = part.seen.noted();
        removed.extend(keeps::removals(part));
        allowed.extend(lift::permissions(part));
        let mut said = match amount::other(part, last, before, &found) {
            Some(other) => vec![other],
            None => sentence(part, answered, before, &found),
        };
        // `Ten minutes is too long. Make it 2`: alone it says nothing.
        if let ([one], Some(last)) = (said.as_mut_slice(), last)
            && one.withdraws.is_none()
            && amount::names_none(&part.seen)
        {
            one.text = joined(&last.text, &one.text);
        }
        last = Some(part).filter(|_| said.is_empty());
        answered = goal::answers_only(&part.seen);
        if first {
            asks.push(goal::may_name(part, &said));
        }
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
            said.withdraws = Some(match swap::back_to(&said.text) {
                Some(name) => Withdrawn::BackTo { name, change: Some(change) },
                None => Withdrawn::Change(change),
            });
        }
    }
    if found.is_empty() {
        found.extend(swap::turned_down(&parts));
    }
    found.extend(removed);
    found.extend(allowed);
    if first && let Some(goal) = goal::first(text, &parts, &asks) {
        found.insert(0, goal);
    }
    let pasted = pasted::error(text).map(|error| Captured::new(Kind::OpenItem, &error, Source::User, 0.6));
    let error = pasted.as_ref().map(|pasted| pasted.text.clone());
    found.extend(pasted);
    Heard { found, error, left: listed::left(&parts) }
}

/// Whether a text orders something to be changed, whatever it is.
pub(super) fn orders_change(text: &str) -> bool {
    sentences(text).iter().any(|part| {
        let opened = clause::opened(&part.text, &part.seen);
        let lead = NOW.find(opened.seen).map_or(0, |lead| lead.end());
        let seen = opened.seen.get(lead..).unwrap_or(opened.seen);
        let first = seen.split_whitespace().next().unwrap_or("");
        let orders = starts_with_order(seen) || is_serbian_change(first);
        orders && !NOT_ORDER.is_match(seen) && !part.text.ends_with('?')
    })
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
    let dump = || scan::holds_any(&part.text, br#""\><;("#) && DUMP.is_match(&part.text);
    if matches!(part.place, Place::Quote | Place::Row) || dump() {
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
        let seen = skip_words(&part.seen, words).to_owned().into();
        let rest = Sentence { text: rest.to_owned(), seen, ..part.clone() };
        let last = matches!(&withdrawal, Some(Captured { withdraws: Some(Withdrawn::Said(_)), .. }));
        let mut said = stated(&rest, answered, true);
        // `Never mind the export, nobody uses it`: behind what is named stands why.
        if said.iter().any(|said| explains(said) && (!last || BY_OTHERS.is_match(&sense(&said.text)))) {
            said = stated(&rest, answered, false);
        }
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

/// How something is, or what others do: neither an order nor a choice of ours.
fn explains(said: &Captured) -> bool {
    let seen = sense(&said.text);
    said.kind == Kind::Decision && !directs(&seen) && !OURS.is_match(&seen)
}

/// `Use Memcached instead`: it takes the place of what was said before.
fn with_instead(
    mut said: Vec<Captured>,
    part: &Sentence,
    before: &Before<'_>,
    here: &[Captured],
) -> Vec<Captured> {
    if let Some(found) = said.iter_mut().find(|found| found.kind != Kind::Goal)
        && let Some(place) = before.place_of(&part.seen, here)
    {
        // `Make the timeout 60 s instead` says itself what it changes.
        let says = another::change(&found.text).is_some_and(|change| !change.what.is_empty());
        if !says {
            found.withdraws.get_or_insert(place);
        }
    } else if said.is_empty() && part.seen.trim_end_matches(['.', '!']).ends_with(" instead") {
        said.extend(before.alternative(&part.text, &part.seen, here));
    }
    said
}

/// What one sentence says: mostly one thing or nothing. `changes` tells that something was taken back right before.
fn stated(part: &Sentence, answered: bool, changes: bool) -> Vec<Captured> {
    let whole = part.seen.as_str();
    let words = whole.word_count();
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
    // The last is how `→` and `⇒` begin.
    if words <= 30 && scan::holds_any(whole, b">\xE2") && ARROW.is_match(whole) {
        return vec![Captured::new(Kind::Decision, &part.text, Source::User, 0.8)];
    }
    let listed = listed::items(part);
    if !listed.is_empty() {
        return listed;
    }
    let mut opened = clause::opened(&part.text, &part.seen);
    opened.answers |= answered;
    opened.changes |= changes;
    if let Some(goal) =
        goal::named(opened.text, opened.seen).or_else(|| goal::changed(&part.text, whole, rules))
    {
        return vec![goal];
    }
    if let Some(asked) = OPEN_QUESTION.captures(opened.seen).and_then(|found| found.get(1)) {
        let words = words_before(opened.seen, asked.start());
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
        && (IS_NOW.is_match(opened.seen) && !JUDGES.is_match(opened.seen) || WE_DO.is_match(opened.seen))
        && !HEDGE.is_match(opened.seen)
    {
        let text = opened.text.trim_end_matches(['.', '!']);
        return vec![Captured::new(Kind::Decision, text, Source::User, 0.75)];
    }
    if opened.changes && said.iter().any(|said| goal::starts_anew(said, opened.seen)) {
        return vec![Captured::new(Kind::Goal, opened.text, Source::User, 0.85)];
    }
    if said.is_empty() { swap::verbless(part).into_iter().collect() } else { said }
}

/// The sentence says that something it names changed, and to what; or gives its final value.
fn changed_of(seen: &str) -> bool {
    let told = CHANGE_OF.is_match(seen) && !OTHER_CHANGE.is_match(seen) || FINAL.is_match(seen);
    told && !HEDGE.is_match(seen) && !HISTORY.is_match(seen) && !MUST.is_match(seen)
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
    let kept = clause::slice(text, 0, statement.word_count());
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
    let end = seen.word_count();
    let mut starts: Vec<(usize, usize)> = vec![(0, 0)];
    starts.extend(cuts);
    let ends = starts.iter().skip(1).map(|(end, _)| *end).chain([end]);
    let places = || starts.iter().map(|(_, start)| *start).zip(ends.clone());
    // Where no other clause than the first says something by itself, they say it together.
    let says = |seen: &str| directs(seen) && !clause::points_back(seen);
    let more = |seen: &str| says(seen) || clause::is_setting(seen);
    if !places().skip(1).any(|(start, end)| more(clause::part(seen, start, end))) {
        return one(text, seen, opened.answers);
    }
    // Start, end and what it says.
    let mut pieces: Vec<(usize, usize, Captured)> = Vec::new();
    for (start, end) in places() {
        let (piece, piece_seen) = (clause::part(text, start, end), clause::part(seen, start, end));
        let said = (start == 0 || says(piece_seen))
            .then(|| one(piece, piece_seen, opened.answers).into_iter().next())
            .flatten();
        match (said, pieces.last_mut()) {
            (Some(said), Some((_, last_end, last)))
                if last.kind == said.kind
                    && !NOT_ORDER.is_match(piece_seen)
                    && !(said.kind == Kind::Decision && stands_alone(piece_seen)) =>
            {
                *last_end = end;
            }
            (Some(said), _) => pieces.push((start, end, said)),
            // `Retry at most 3 times, timeout 30 seconds`: a change of one leaves the other.
            (None, Some((_, _, last)))
                if clause::is_setting(piece_seen) && last.text.contains(|c: char| c.is_ascii_digit()) =>
            {
                let said = Captured::new(last.kind, piece, Source::User, last.confidence);
                pieces.push((start, end, said));
            }
            (None, Some((_, last_end, _))) => *last_end = end,
            // `don't do that, use X`, `we do not use Y any more, go with X`: what is refused is said elsewhere.
            (None, None) if NOT_ORDER.is_match(piece_seen) || NO_MORE.is_match(piece_seen) => {}
            (None, None) if REASON.is_match(piece_seen) && !CONDITION.is_match(piece_seen) => {}
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
    seen.word_count() >= clause::MIN_CHOICE
}

fn one(text: &str, seen: &str, answers: bool) -> Vec<Captured> {
    let from = |found: regex::Match<'_>| {
        let head = words_before(seen, found.start());
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
