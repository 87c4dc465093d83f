//! How two clauses relate: what they share, what each has alone, and what that means.

use super::Comparison;
use super::frame::Frame;
use super::lexicon::class;
use super::prepare::{Segment, Slot, Token, prep};
use super::roles::{same_order_told_conversely, swapped};
use super::value::{Dimension, Value};

/// The outcome for two clauses, with what supersession needs to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Relation {
    pub(super) outcome: Comparison,
    /// Share of content words that agree once differing values, negations and opposites are taken out, 0..1.
    pub(super) agreement: f32,
    /// The newer says which it replaces ("instead of X").
    pub(super) explicit: bool,
    /// One turns down what the other says.
    pub(super) turned_down: bool,
    /// Both speak of something that the other does not mention.
    pub(super) apart: bool,
}

impl Relation {
    fn new(outcome: Comparison, agreement: f32) -> Self {
        Self { outcome, agreement, explicit: false, turned_down: false, apart: false }
    }
}

/// Which key to match by: across languages the one without Serbian endings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    pub(super) across: bool,
}

impl Keys {
    pub(super) fn of(self, token: &Token) -> u64 {
        if self.across { token.alt } else { token.key }
    }

    /// The one of a token's two keys.
    pub(super) fn pick(self, (key, alt): (u64, u64)) -> u64 {
        if self.across { alt } else { key }
    }

    pub(super) fn same(self, a: &Token, b: &Token) -> bool {
        self.of(a) == self.of(b)
    }
}

/// What one side has that the other lacks.
struct Alone<'a> {
    heavy: Vec<(usize, &'a Token)>,
    generic: usize,
    values: Vec<&'a Token>,
}

/// The two clauses side by side.
struct Sides<'a> {
    a: &'a Segment,
    b: &'a Segment,
    keys: Keys,
    left: Alone<'a>,
    right: Alone<'a>,
    /// Content words that both have, each once.
    common: usize,
    common_values: usize,
    common_light: usize,
    /// The polarity differs.
    opposed: bool,
    /// A pair of words that exclude each other was found and taken out.
    contrary: bool,
    /// How many pairs were taken out.
    pairs: usize,
}

/// Relates `b`, the newer, to `a`.
pub(super) fn relate(a: &Segment, b: &Segment, keys: Keys) -> Relation {
    if speak_of_others(a, b, keys) {
        return Relation { apart: true, ..Relation::new(Comparison::Distinct, 0.0) };
    }
    word_by_word(a, b, keys)
}

/// The same words in both clauses, with their roles exchanged.
pub(super) fn roles_exchanged(a: &Segment, b: &Segment, keys: Keys) -> bool {
    let sides = Sides::new(a, b, keys);
    sides.common >= 2
        && sides.left.size() + sides.right.size() + sides.pairs == 0
        && !sides.opposed
        && swapped(a, b, keys)
}

pub(super) fn word_by_word(a: &Segment, b: &Segment, keys: Keys) -> Relation {
    let sides = Sides::new(a, b, keys);
    // "port 8080 for service 1", "port 9090 for service 2": with two values apart, one of them may name the thing.
    let values_apart = sides.left.values.len().min(sides.right.values.len());
    let agreement = if values_apart >= 2 { 0.0 } else { sides.agreement() };
    if let Some(explicit) = sides.replaces() {
        return Relation {
            outcome: Comparison::Conflict,
            agreement,
            explicit,
            turned_down: true,
            apart: false,
        };
    }
    let (left, right) = (sides.left.heavy.len(), sides.right.heavy.len());
    let topics_differ = left > 0 && right > 0;
    let values_differ = sides.values_differ();
    if sides.labels_differ() && (sides.opposed || sides.contrary || values_apart >= 2) {
        return Relation { apart: true, ..Relation::new(Comparison::Distinct, 0.0) };
    }
    let same_frame = !topics_differ && sides.shared_but_for_changes();
    if same_frame && (sides.opposed || sides.contrary || values_differ) {
        return Relation { explicit: sides.forbids_more(), ..Relation::new(Comparison::Conflict, agreement) };
    }
    if topics_differ && (sides.opposed || sides.contrary) && sides.mostly_shared() && sides.reworded(0.6) {
        return Relation::new(Comparison::Conflict, agreement);
    }
    if sides.shared_but_for_changes() && sides.chooses_otherwise() {
        // The topics are equal and the choices are the differing values.
        return Relation::new(Comparison::Conflict, 1.0);
    }
    if sides.mostly_shared() && sides.other_occasion() {
        return Relation::new(Comparison::Conflict, agreement);
    }
    if sides.chooses_the_same() {
        return Relation::new(Comparison::Duplicate, 1.0);
    }
    if sides.other_of_a_kind() {
        let agreement = if sides.common > 0 { 1.0 } else { 0.0 };
        return Relation::new(Comparison::Conflict, agreement);
    }
    if sides.opposed || sides.contrary || values_differ {
        return Relation { apart: topics_differ, ..Relation::new(Comparison::Distinct, agreement) };
    }
    let values_equal = sides.left.values.is_empty() && sides.right.values.is_empty();
    let nothing_alone = left == 0 && right == 0;
    let generic_only = sides.left.generic == 0 || sides.right.generic == 0;
    if nothing_alone && values_equal && sides.common + sides.common_values >= 1 && generic_only {
        let lone_generics = sides.left.generic + sides.right.generic;
        let outcome = if !sides.mostly_shared() {
            Comparison::Distinct
        } else if swapped(a, b, keys) {
            Comparison::Conflict
        } else if lone_generics > 0 && sides.common < 2
            || sides.common + sides.common_values + sides.common_light < 2 && !sides.same_size()
        {
            Comparison::Distinct
        } else {
            Comparison::Duplicate
        };
        return Relation::new(outcome, agreement);
    }
    if sides.only_named() && values_equal && !swapped(a, b, keys) {
        return Relation::new(Comparison::Duplicate, agreement);
    }
    if topics_differ && values_equal && sides.reworded(0.7) {
        return Relation::new(Comparison::Duplicate, agreement);
    }
    Relation { apart: topics_differ, ..Relation::new(Comparison::Distinct, agreement) }
}

/// Whether two clauses are plainly distinct: each has words of its own, neither turns anything down, and they answer no
/// question that is the same.
fn speak_of_others(a: &Segment, b: &Segment, keys: Keys) -> bool {
    !keys.across
        && a.rejected.is_empty()
        && b.rejected.is_empty()
        && a.gist.differs(&b.gist)
        && !frames(a, b, |x, y| x.asks_the_same(y, keys))
}

/// Whether this holds between some reading of one clause and some reading of the other.
fn frames(a: &Segment, b: &Segment, holds: impl Fn(&Frame, &Frame) -> bool) -> bool {
    let ours = a.frames.of(a);
    !ours.is_empty() && b.frames.of(b).iter().any(|y| ours.iter().any(|x| holds(x, y)))
}

impl<'a> Sides<'a> {
    fn new(a: &'a Segment, b: &'a Segment, keys: Keys) -> Self {
        let mut left: Vec<(usize, &Token)> = unmatched(a, b, keys);
        let mut right: Vec<(usize, &Token)> = unmatched(b, a, keys);
        if same_order_told_conversely(a, b, keys) {
            left.retain(|(_, t)| t.word.order().is_none());
            right.retain(|(_, t)| t.word.order().is_none());
        }
        let mut opposed = a.negative != b.negative;
        let mut contrary = false;
        let mut pairs = 0;
        let task = is_task(a) && is_task(b);
        while let Some((i, j, negating)) = find_pair(&left, &right, task) {
            left.swap_remove(i);
            right.swap_remove(j);
            pairs += 1;
            if negating { opposed ^= true } else { contrary = true }
        }
        // "stay on 14", "upgrade to 16": what is stayed on or changed to counts, not which of the two it is.
        let change = |(_, t): &(usize, &Token)| t.class & class::CHANGE != 0 && t.slot == Slot::Head;
        if left.iter().any(change) != right.iter().any(change) || left.iter().any(change) {
            let light = |s: &Segment| s.tokens.iter().any(|t| t.light && t.class & class::CHANGE != 0);
            if left.iter().any(change) && right.iter().any(change) || light(a) || light(b) {
                left.retain(|t| !change(t));
                right.retain(|t| !change(t));
            }
        }
        let mut seen: Vec<u64> = Vec::new();
        let (mut common, mut common_values) = (0, 0);
        let light = |s: &Segment, t: &Token| s.tokens.iter().any(|x| x.light && keys.same(x, t));
        let common_light = a.tokens.iter().filter(|t| t.light && light(b, t)).count();
        for token in &a.tokens {
            let key = keys.of(token);
            if seen.contains(&key)
                || !b.tokens.iter().any(|t| keys.same(token, t) && (t.light <= token.light))
            {
                continue;
            }
            seen.push(key);
            if token.value.is_some() {
                common_values += 1;
            } else if !token.light {
                common += 1;
            }
        }
        Self {
            a,
            b,
            keys,
            left: Alone::of(left),
            right: Alone::of(right),
            common,
            common_values,
            common_light,
            opposed,
            contrary,
            pairs,
        }
    }

    /// Whether at least half of what each side says is shared. Everything but a distinct outcome rests on it, so that
    /// an index can leave out what shares less.
    fn mostly_shared(&self) -> bool {
        let shared = self.common + self.common_values;
        shared >= 1 && shared >= self.pairs + self.left.size().max(self.right.size())
    }

    /// The same, where verbs of change are left out: "The demo is on Monday", "The demo moved to Friday".
    fn shared_but_for_changes(&self) -> bool {
        let shared = self.common + self.common_values;
        let size = |alone: &Alone<'_>| alone.size() - alone.heavy.iter().filter(|(_, t)| t.changes()).count();
        shared >= 1 && shared >= self.pairs + size(&self.left).max(size(&self.right))
    }

    /// The newer forbids whatever the older asks for, and more: "use Redis for the cache", "do not use Redis".
    fn forbids_more(&self) -> bool {
        let thing = |t: &Token| t.heavy() && t.class == 0 && !t.generic;
        self.b.negative
            && !self.a.negative
            && self.right.size() == 0
            && !self.b.tokens.iter().any(|t| t.negative)
            && self.b.tokens.iter().any(|t| thing(t) && self.a.tokens.iter().any(|x| self.keys.same(x, t)))
    }

    /// Each has a value of its own, and they could answer one question: "at 02:00" and "for 60 days" do not.
    fn values_differ(&self) -> bool {
        let lasts = |t: &Token| t.slot == Slot::After(prep::FOR);
        let at = |value: &Value| matches!(value.dimension, Dimension::Clock | Dimension::Night);
        let compared = |x: &Token, y: &Token| {
            let Some((a, b)) = x.value.as_ref().zip(y.value.as_ref()) else { return false };
            a.is_comparable(b) && !(at(a) && lasts(y) || at(b) && lasts(x))
        };
        self.left.values.iter().any(|x| self.right.values.iter().any(|y| compared(x, y)))
    }

    /// Each numbers the thing that it speaks of, and otherwise: "chapter 1", "chapter 7".
    fn labels_differ(&self) -> bool {
        let label = |t: &&&Token| t.label;
        let dimension = |t: &&Token| t.value.as_ref().map(|value| value.dimension);
        let theirs = self.right.values.iter().filter(label).map(dimension);
        let ours: Vec<_> = self.left.values.iter().filter(label).map(dimension).collect();
        theirs.into_iter().any(|dimension| ours.contains(&dimension))
    }

    fn agreement(&self) -> f32 {
        let shared = self.common as f32;
        let alone = (self.left.heavy.len() + self.right.heavy.len()) as f32;
        if shared == 0.0 { 0.0 } else { shared / (shared + alone) }
    }

    fn same_size(&self) -> bool {
        self.a.tokens.len() == self.b.tokens.len()
    }

    /// The same said in another construction: little left on either side, and no word simply put in another's place.
    fn reworded(&self, least: f32) -> bool {
        let (left, right) = (&self.left.heavy, &self.right.heavy);
        let all = (self.common + left.len() + right.len()) as f32;
        left.len() <= 1
            && right.len() <= 1
            && self.common as f32 / all >= least
            && self.left.generic + self.right.generic + self.left.values.len() + self.right.values.len() == 0
            && !left.iter().any(|x| right.iter().any(|y| self.same_place(x.0, y.0)))
            && !left.iter().chain(right).any(|(_, t)| t.name || t.class != 0)
    }

    /// Whether the tokens stand beside the same neighbour, so that one was put in the other's place.
    fn same_place(&self, at_a: usize, at_b: usize) -> bool {
        let neighbour = |segment: &'a Segment, at: Option<usize>| {
            at.and_then(|i| segment.tokens.get(i)).map(|t| self.keys.of(t))
        };
        neighbour(self.a, at_a.checked_sub(1)) == neighbour(self.b, at_b.checked_sub(1))
            || neighbour(self.a, Some(at_a + 1)) == neighbour(self.b, Some(at_b + 1))
    }

    /// One turns down what the other says: `Some(true)` when the newer does so in as many words.
    fn replaces(&self) -> Option<bool> {
        let turned_down =
            |by: &Segment, other: &Segment| other.tokens.iter().any(|t| self.is_rejected(t, by));
        let newer = turned_down(self.b, self.a);
        let older = turned_down(self.a, self.b);
        if !newer && !older {
            return None;
        }
        // What was turned down and what replaces it differ, of course; the rest must not.
        let rest = |alone: &Alone<'_>, other: &Segment| {
            alone.heavy.iter().filter(|(_, t)| !self.is_rejected(t, other)).count()
        };
        let (left, right) = (rest(&self.left, self.b), rest(&self.right, self.a));
        let on_topic =
            |turned_down: usize, turner: usize| turned_down == 0 || turner <= 1 && self.common >= 1;
        (newer && on_topic(left, right) || older && on_topic(right, left)).then_some(newer)
    }

    /// The same answer to the same question under another verb: "use X for T", "store T in X".
    fn chooses_the_same(&self) -> bool {
        let even =
            !self.opposed && !self.contrary && self.left.values.is_empty() && self.right.values.is_empty();
        even && self.mostly_shared() && frames(self.a, self.b, |x, y| x.chooses_the_same(y, self.keys))
    }

    fn is_rejected(&self, token: &Token, by: &Segment) -> bool {
        by.rejected
            .iter()
            .any(|(key, alt)| if self.keys.across { *alt == token.alt } else { *key == token.key })
    }

    /// Done on an event ("on push") by one, at a time ("nightly") by the other.
    fn other_occasion(&self) -> bool {
        let event = |alone: &Alone<'_>| {
            alone.values.is_empty()
                && matches!(alone.heavy.as_slice(), [(_, t)] if t.slot == Slot::After(prep::ON) && !t.name)
        };
        let time = |alone: &Alone<'_>| {
            alone.heavy.is_empty()
                && matches!(alone.values.as_slice(), [t] if t.value.as_ref().is_some_and(|value| value.is_cadence()))
        };
        event(&self.left) && time(&self.right) || time(&self.left) && event(&self.right)
    }

    /// All that one has alone is the verb, and the other has none: "Offer a free trial", "Free trial".
    fn only_named(&self) -> bool {
        let verb = |alone: &Alone<'_>| {
            alone.size() == 1
                && matches!(alone.heavy.as_slice(), [(0, t)]
                    if t.class != 0 && t.slot == Slot::Head && !t.polar && t.contraries.is_empty())
        };
        let verbless = |s: &Segment| s.tokens.iter().all(|t| t.class == 0 || t.slot != Slot::Head);
        self.common + self.common_values >= 2
            && (verb(&self.left) && self.right.size() == 0 && verbless(self.b)
                || verb(&self.right) && self.left.size() == 0 && verbless(self.a))
    }

    /// The same question answered with another choice.
    fn chooses_otherwise(&self) -> bool {
        frames(self.a, self.b, |x, y| x.chooses_otherwise(y, self.keys))
    }

    /// One word put in another's place, both of one kind, under a verb of choice: "Use Vite", "Use Webpack".
    fn other_of_a_kind(&self) -> bool {
        let ([(i, x)], [(j, y)]) = (self.left.heavy.as_slice(), self.right.heavy.as_slice()) else {
            return false;
        };
        let topic = |t: &Token| t.slot == Slot::After(prep::FOR);
        let lone = |s: &Segment| s.tokens.iter().filter(|t| !t.light).count() == 1;
        x.kind.is_some()
            && x.kind == y.kind
            && (self.mostly_shared() || lone(self.a) && lone(self.b))
            && self.same_place(*i, *j)
            && !is_task(self.a)
            && !is_task(self.b)
            && !topic(x)
            && !topic(y)
    }
}

impl<'a> Alone<'a> {
    fn size(&self) -> usize {
        self.heavy.len() + self.generic + self.values.len()
    }

    fn of(tokens: Vec<(usize, &'a Token)>) -> Self {
        let generic = tokens.iter().filter(|(_, t)| t.generic && t.value.is_none()).count();
        let values = tokens.iter().filter(|(_, t)| t.value.is_some()).map(|(_, t)| *t).collect();
        let heavy = tokens.into_iter().filter(|(_, t)| t.heavy() && !t.generic).collect();
        Self { heavy, generic, values }
    }
}

/// Whether a clause names work to be done.
fn is_task(segment: &Segment) -> bool {
    segment.tokens.iter().any(|t| t.class & class::TASK != 0)
}

fn unmatched<'a>(from: &'a Segment, other: &Segment, keys: Keys) -> Vec<(usize, &'a Token)> {
    let mut out: Vec<(usize, &Token)> = Vec::new();
    for (at, token) in from.tokens.iter().enumerate() {
        if !other.tokens.iter().any(|t| keys.same(token, t)) && !out.iter().any(|(_, t)| keys.same(t, token))
        {
            out.push((at, token));
        }
    }
    out
}

/// A pair that excludes each other; the flag says that one is the negation of the other (`un-`).
fn find_pair(
    left: &[(usize, &Token)],
    right: &[(usize, &Token)],
    task: bool,
) -> Option<(usize, usize, bool)> {
    for (i, (_, x)) in left.iter().enumerate() {
        for (j, (_, y)) in right.iter().enumerate() {
            if x.word.negates(&y.word) || y.word.negates(&x.word) {
                return Some((i, j, true));
            }
            let contrary = x
                .contraries
                .iter()
                .any(|(g, side)| y.contraries.iter().any(|(h, other)| g == h && side != other));
            // "fix the import", "fix the export": two pieces of work.
            let objects =
                task && x.slot == Slot::Object && y.slot == Slot::Object && x.word.order().is_none();
            // "X for old users", "X for new users": two cases, unless they stand on a scale like the days of a week.
            let cases = x.slot == Slot::After(prep::FOR)
                && y.slot == x.slot
                && x.kind.is_none()
                && x.word.order().is_none();
            if contrary && !objects && (!cases || x.scale) {
                return Some((i, j, false));
            }
        }
    }
    None
}
