//! Choice frames: the question a clause answers (its topic) and the answer it gives (its choice).

use super::gist::ascending;
use super::lexicon::class;
use super::prepare::{Segment, Slot, Token, prep};
use super::relate::Keys;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use siphasher::sip::SipHasher13;
use smallvec::SmallVec;

/// One reading of a clause as an answer to a question.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    topic: Things,
    choice: Things,
    /// Bits of [`class`] of its verb.
    class: u8,
    /// What follows "with" may be a part as well as a tool; such a choice must differ altogether.
    loose: bool,
}

/// Keys of tokens: within a language, and across.
type Things = Box<[(u64, u64)]>;

/// The readings of a clause, found when they are first asked for.
#[derive(Clone, Default)]
pub(super) struct Frames(OnceLock<Box<[Frame]>>);

impl Frames {
    pub(super) fn of(&self, segment: &Segment) -> &[Frame] {
        self.0.get_or_init(|| Frame::all_of(segment).into_boxed_slice())
    }
}

impl Segment {
    /// Names of the questions that its readings answer.
    pub(super) fn questions(&self) -> impl Iterator<Item = u64> {
        let mut questions: SmallVec<[u64; 4]> = SmallVec::new();
        readings(self, &mut |reading| questions.push(reading.question()));
        questions.into_iter()
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Frames")
    }
}

/// Tokens of a clause, in its order.
type Tokens<'a> = SmallVec<[&'a Token; 8]>;

/// What [`Frame`] keeps of it.
struct Reading<'a> {
    topic: Tokens<'a>,
    choice: Tokens<'a>,
    class: u8,
    loose: bool,
}

impl Reading<'_> {
    fn frame(&self) -> Frame {
        let things = |tokens: &Tokens<'_>| tokens.iter().map(|t| (t.key, t.alt)).collect();
        Frame {
            topic: things(&self.topic),
            choice: things(&self.choice),
            class: self.class,
            loose: self.loose,
        }
    }

    /// A name of the question, the same for readings that ask the same within one language.
    fn question(&self) -> u64 {
        let keys: SmallVec<[u64; 8]> = ascending(self.topic.iter().map(|t| t.key));
        let mut hasher = SipHasher13::new();
        keys.hash(&mut hasher);
        hasher.finish()
    }
}

/// Hands on the readings of a clause: `use X for T`, `store T in X`, `switch T to X`, `name T X`, `do T with X`, `X for T`.
fn readings<'a>(segment: &'a Segment, found: &mut dyn FnMut(Reading<'a>)) {
    let tokens = &segment.tokens;
    let verb = tokens.iter().find(|t| t.class != 0 && t.slot == Slot::Head);
    let class = verb.map_or(0, |t| t.class);
    let at_verb = |t: &Token| verb.is_some_and(|v| std::ptr::eq(v, t));
    let told = || tokens.iter().filter(|t| !t.light);
    let objects_of_verb = || told().filter(|t| !at_verb(t));
    let mut add = |topic: Tokens<'a>, choice: Tokens<'a>, class: u8, loose: bool| {
        if !topic.is_empty() && !choice.is_empty() {
            found(Reading { topic, choice, class, loose });
        }
    };
    if verb.is_none()
        && let Some((topic, choice)) = copula(segment)
    {
        add(topic, choice, 0, false);
    }
    let is_object = |t: &&Token| t.slot == Slot::Object;
    let is_head = |t: &&Token| t.slot == Slot::Head;
    if class & class::USE != 0 {
        let (choice, topic) = objects_of_verb().partition(is_object);
        add(topic, choice, class, false);
        // "Postgres is used for storage", "Za skladištenje se koristi Postgres"
        let (choice, topic) = objects_of_verb().filter(|t| !is_object(t)).partition(is_head);
        add(topic, choice, class, false);
    }
    if class & class::PLACE != 0 {
        let places = [prep::IN, prep::ON, prep::TO, prep::FROM, prep::UNDER, prep::OTHER];
        let (choice, topic) = objects_of_verb().partition(|t| after(t, &places));
        add(topic, choice, class, false);
        // "Host on Hetzner", "Deploy from main": the verb itself is the topic.
        if objects_of_verb().all(|t| matches!(t.slot, Slot::After(_))) {
            add(verb.into_iter().collect(), objects_of_verb().collect(), class, false);
        }
        return;
    }
    if class & class::ASSIGN != 0 {
        // "Ana leads the migration", "The migration is led by Ana"
        let (choice, topic) = objects_of_verb().partition(is_head);
        add(topic, choice, class, false);
        let (choice, topic) = objects_of_verb().partition(|t| after(t, &[prep::BY]));
        add(topic, choice, class, false);
        if segment.serbian {
            // "Projekat vodi Jovan"
            let (choice, topic) = objects_of_verb().partition(is_object);
            add(topic, choice, class, false);
        }
    }
    if class & class::CHANGE != 0 {
        let (choice, topic): (Tokens<'_>, Tokens<'_>) =
            objects_of_verb().partition(|t| after(t, &[prep::TO, prep::ON]));
        add(topic.into_iter().filter(|t| !after(t, &[prep::FROM])).collect(), choice, class, false);
    }
    let behind_head = |slots: &[u8]| -> (Tokens<'a>, Tokens<'a>) {
        told().filter(|t| !is_head(t)).partition(|t| after(t, slots))
    };
    if class & class::NAME != 0 {
        // "The default branch is called main", "Junakinja se zove Teodora"
        let (choice, topic): (Tokens<'_>, Tokens<'_>) = objects_of_verb().partition(is_object);
        add(topic.into_iter().filter(is_head).collect(), choice, class, false);
        // The first of the objects is what is named.
        let objects: Tokens<'_> = told().filter(is_object).collect();
        if let [topic, choice @ ..] = objects.as_slice()
            && !tokens.iter().any(|t| after(t, &[prep::TO, prep::AS]))
        {
            add(SmallVec::from_slice(&[*topic]), SmallVec::from_slice(choice), class, false);
        }
        let (choice, topic) = behind_head(&[prep::TO, prep::AS]);
        add(topic, choice, 0, false);
    }
    if class & class::ASSIGN != 0 {
        let (choice, topic) = behind_head(&[prep::TO]);
        add(topic, choice, 0, false);
    }
    // "encrypt backups with age", "T via X"; "send mail through X", where "with" names people and parts as well.
    let instruments: &[u8] = if class & class::TASK != 0 { &[prep::VIA] } else { &[prep::VIA, prep::WITH] };
    let (choice, topic): (Tokens<'_>, Tokens<'_>) = told().partition(|t| after(t, instruments));
    if topic.len() >= 2 {
        add(topic, choice, 0, true);
    }
    // "X for T" without a verb
    if verb.is_none() && tokens.iter().any(|t| after(t, &[prep::FOR])) {
        let choice: Tokens<'_> = told().filter(is_head).collect();
        if choice.len() == 1 {
            add(told().filter(|t| after(t, &[prep::FOR])).collect(), choice, 0, false);
        }
    }
}

/// "The conference is in Berlin", "The default branch is main": topic and choice.
fn copula(segment: &Segment) -> Option<(Tokens<'_>, Tokens<'_>)> {
    let (topic, choice) = segment.tokens.split_at_checked(segment.copula?)?;
    let [topic, choice] =
        [topic, choice].map(|part| part.iter().filter(|t| !t.light).collect::<Tokens<'_>>());
    let place = |t: &&Token| after(t, &[prep::IN, prep::ON, prep::TO, prep::OTHER]);
    let thing = |t: &&Token| segment.is_thing || t.name || t.proper || t.kind.is_some();
    let named = choice.len() == 1 && choice.iter().all(thing);
    (named || choice.iter().all(place)).then_some((topic, choice))
}

fn after(token: &Token, slots: &[u8]) -> bool {
    matches!(token.slot, Slot::After(slot) if slots.contains(&slot))
}

impl Frame {
    /// All readings of a clause.
    pub(super) fn all_of(segment: &Segment) -> Vec<Self> {
        let mut frames = Vec::new();
        readings(segment, &mut |reading| frames.push(reading.frame()));
        frames
    }

    /// The keys of the choice across languages, where it answers what is asked about `topic` and names nothing of `new`.
    pub(super) fn other_choice(&self, topic: &[u64], new: &[u64]) -> Option<Vec<u64>> {
        let about = self.topic.iter().all(|(_, alt)| topic.contains(alt))
            && topic.iter().all(|key| self.topic.iter().any(|(_, alt)| alt == key));
        let choice: Vec<u64> = self.choice.iter().map(|(_, alt)| *alt).collect();
        (about && !choice.iter().any(|key| new.contains(key))).then_some(choice)
    }

    /// The choice is just this, by its keys across languages.
    pub(super) fn chooses_just(&self, keys: &[u64]) -> bool {
        self.choice.iter().all(|(_, alt)| keys.contains(alt))
            && keys.iter().all(|key| self.choice.iter().any(|(_, alt)| alt == key))
    }

    /// Same question.
    pub(super) fn asks_the_same(&self, other: &Self, keys: Keys) -> bool {
        covers(&self.topic, &other.topic, keys) && covers(&other.topic, &self.topic, keys)
    }

    /// Same question, same answer, and the verbs bind it in different ways.
    pub(super) fn chooses_the_same(&self, other: &Self, keys: Keys) -> bool {
        let uses = |frame: &Self| frame.class & class::USE != 0;
        let places = |frame: &Self| frame.class & (class::PLACE | class::CHANGE) != 0;
        (uses(self) && places(other) || places(self) && uses(other))
            && self.asks_the_same(other, keys)
            && covers(&self.choice, &other.choice, keys)
            && covers(&other.choice, &self.choice, keys)
    }

    /// Same question, other answer.
    pub(super) fn chooses_otherwise(&self, other: &Self, keys: Keys) -> bool {
        self.asks_the_same(other, keys)
            && (!(self.loose || other.loose) || !meets(&self.choice, &other.choice, keys))
            && !covers(&other.choice, &self.choice, keys)
            && !covers(&self.choice, &other.choice, keys)
            // What one chooses is not what the other is about.
            && !meets(&self.choice, &other.topic, keys)
            && !meets(&other.choice, &self.topic, keys)
    }
}

/// Whether `all` holds every one of `some`.
fn covers(all: &Things, some: &Things, keys: Keys) -> bool {
    some.iter().all(|x| all.iter().any(|y| keys.pick(*x) == keys.pick(*y)))
}

/// Whether one thing is among both.
fn meets(some: &Things, others: &Things, keys: Keys) -> bool {
    some.iter().any(|x| others.iter().any(|y| keys.pick(*x) == keys.pick(*y)))
}

/// Equal as sets.
pub(super) fn same_things(a: &[u64], b: &[u64]) -> bool {
    a.iter().all(|k| b.contains(k)) && b.iter().all(|k| a.contains(k))
}
