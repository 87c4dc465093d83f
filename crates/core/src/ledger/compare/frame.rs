//! Choice frames: the question a clause answers (its topic) and the answer it gives (its choice).

use super::lexicon::class;
use super::prepare::{Segment, Slot, Token, prep};
use super::relate::Keys;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use siphasher::sip::SipHasher13;

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
    /// Names of the questions that its readings answer, each once.
    pub(super) fn questions(&self) -> Box<[u64]> {
        let mut questions: Vec<u64> = Frame::all_of(self).iter().map(Frame::question).collect();
        questions.sort_unstable();
        questions.dedup();
        questions.into_boxed_slice()
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Frames")
    }
}

impl Frame {
    fn new(topic: &[&Token], choice: &[&Token], class: u8, loose: bool) -> Self {
        let things = |tokens: &[&Token]| tokens.iter().map(|t| (t.key, t.alt)).collect();
        Self { topic: things(topic), choice: things(choice), class, loose }
    }

    /// The readings of a clause: `use X for T`, `store T in X`, `switch T to X`, `name T X`, `do T with X`, `X for T`.
    pub(super) fn all_of(segment: &Segment) -> Vec<Self> {
        let tokens = &segment.tokens;
        let verb = tokens.iter().find(|t| t.class != 0 && t.slot == Slot::Head);
        let bits = verb.map_or(0, |t| t.class);
        let at_verb = |t: &Token| verb.is_some_and(|v| std::ptr::eq(v, t));
        let mut frames: Vec<Self> =
            if verb.is_none() { Self::copula(segment).into_iter().collect() } else { Vec::new() };
        let mut add = |is_choice: &dyn Fn(&Token) -> bool, is_topic: &dyn Fn(&Token) -> bool| {
            let (mut topic, mut choice) = (Vec::new(), Vec::new());
            for token in tokens.iter().filter(|t| !t.light && !at_verb(t)) {
                if is_choice(token) {
                    choice.push(token);
                } else if is_topic(token) {
                    topic.push(token);
                }
            }
            if !topic.is_empty() && !choice.is_empty() {
                frames.push(Self::new(&topic, &choice, bits, false));
            }
        };
        let after = |t: &Token, slots: &[u8]| matches!(t.slot, Slot::After(s) if slots.contains(&s));
        if bits & class::USE != 0 {
            add(&|t| t.slot == Slot::Object, &|_| true);
            // "Postgres is used for storage", "Za skladištenje se koristi Postgres"
            add(&|t| t.slot == Slot::Head, &|t| t.slot != Slot::Object);
        }
        if bits & class::PLACE != 0 {
            add(
                &|t| after(t, &[prep::IN, prep::ON, prep::TO, prep::FROM, prep::UNDER, prep::OTHER]),
                &|_| true,
            );
            // "Host on Hetzner", "Deploy from main": the verb itself is the topic.
            if let Some(verb) = verb {
                let choice: Vec<&Token> = tokens.iter().filter(|t| !t.light && !at_verb(t)).collect();
                if choice.iter().all(|t| matches!(t.slot, Slot::After(_))) && !choice.is_empty() {
                    frames.push(Self::new(&[verb], &choice, bits, false));
                }
            }
            return frames;
        }
        if bits & class::ASSIGN != 0 {
            // "Ana leads the migration", "The migration is led by Ana"
            add(&|t| t.slot == Slot::Head, &|t| t.slot != Slot::Head);
            add(&|t| after(t, &[prep::BY]), &|_| true);
            if segment.serbian {
                // "Projekat vodi Jovan"
                add(&|t| t.slot == Slot::Object, &|t| t.slot != Slot::Object);
            }
        }
        if bits & class::CHANGE != 0 {
            add(&|t| after(t, &[prep::TO, prep::ON]), &|t| !after(t, &[prep::FROM]));
        }
        if bits & class::NAME != 0 {
            // "The default branch is called main", "Junakinja se zove Teodora"
            add(&|t| t.slot == Slot::Object, &|t| t.slot == Slot::Head);
            // The last of the objects is the name.
            let objects: Vec<&Token> = tokens.iter().filter(|t| t.slot == Slot::Object && !t.light).collect();
            if let Some((_, topic)) = objects.split_last()
                && !topic.is_empty()
                && !tokens.iter().any(|t| after(t, &[prep::TO, prep::AS]))
            {
                let last_topic = topic.len().min(1);
                let (topic, choice) = objects.split_at(last_topic);
                frames.push(Self::new(topic, choice, bits, false));
            }
            add_after(&mut frames, segment, &[prep::TO, prep::AS]);
        }
        if bits & class::ASSIGN != 0 {
            add_after(&mut frames, segment, &[prep::TO]);
        }
        if bits & class::TASK != 0 {
            // "send mail through X"; "with" names people and parts as well.
            frames.extend(Self::instrument(segment, &[prep::VIA]));
        } else {
            // "encrypt backups with age", "X for T" without a verb, "T via X"
            frames.extend(Self::instrument(segment, &[prep::VIA, prep::WITH]));
            if verb.is_none() && tokens.iter().any(|t| after(t, &[prep::FOR])) {
                let choice: Vec<&Token> =
                    tokens.iter().filter(|t| !t.light && t.slot == Slot::Head).collect();
                let topic: Vec<&Token> =
                    tokens.iter().filter(|t| !t.light && after(t, &[prep::FOR])).collect();
                if choice.len() == 1 && !topic.is_empty() {
                    frames.push(Self::new(&topic, &choice, bits, false));
                }
            }
        }
        frames
    }

    /// "The conference is in Berlin", "The default branch is main"
    fn copula(segment: &Segment) -> Option<Self> {
        let (topic, choice) = segment.tokens.split_at_checked(segment.copula?)?;
        let [topic, choice] =
            [topic, choice].map(|part| part.iter().filter(|t| !t.light).collect::<Vec<_>>());
        let place = |t: &&Token| matches!(t.slot, Slot::After(prep::IN | prep::ON | prep::TO | prep::OTHER));
        let thing = |t: &&Token| segment.is_thing || t.name || t.proper || t.kind.is_some();
        let named = choice.len() == 1 && choice.iter().all(thing);
        (!topic.is_empty() && !choice.is_empty() && (named || choice.iter().all(place)))
            .then(|| Self::new(&topic, &choice, 0, false))
    }

    fn instrument(segment: &Segment, slots: &[u8]) -> Option<Self> {
        let is_choice = |t: &&&Token| matches!(t.slot, Slot::After(s) if slots.contains(&s));
        let told: Vec<&Token> = segment.tokens.iter().filter(|t| !t.light).collect();
        let choice: Vec<&Token> = told.iter().filter(is_choice).copied().collect();
        let topic: Vec<&Token> = told.iter().filter(|t| !is_choice(t)).copied().collect();
        (!choice.is_empty() && topic.len() >= 2).then(|| Self::new(&topic, &choice, 0, true))
    }

    /// A name of the question, the same for frames that ask the same within one language.
    fn question(&self) -> u64 {
        let mut keys: Vec<u64> = self.topic.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut hasher = SipHasher13::new();
        keys.hash(&mut hasher);
        hasher.finish()
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

fn add_after(frames: &mut Vec<Frame>, segment: &Segment, slots: &[u8]) {
    let is_choice = |t: &Token| matches!(t.slot, Slot::After(s) if slots.contains(&s));
    let told = segment.tokens.iter().filter(|t| !t.light && t.slot != Slot::Head);
    let (choice, topic): (Vec<&Token>, Vec<&Token>) = told.partition(|t| is_choice(t));
    if !choice.is_empty() && !topic.is_empty() {
        frames.push(Frame::new(&topic, &choice, 0, false));
    }
}

/// Equal as sets.
pub(super) fn same_things(a: &[u64], b: &[u64]) -> bool {
    a.iter().all(|k| b.contains(k)) && b.iter().all(|k| a.contains(k))
}
