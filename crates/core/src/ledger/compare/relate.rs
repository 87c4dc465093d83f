//! How two clauses relate: what they share, what each has alone, and what that means.

use super::Comparison;
use super::frame::{Frame, same_things};
use super::lexicon::class;
use super::prepare::{Segment, Slot, Token, mark, prep};
use super::value::Value;
use super::word::Order;

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

    fn same(self, a: &Token, b: &Token) -> bool {
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
    let values_differ = !sides.left.values.is_empty() && !sides.right.values.is_empty();
    let same_frame = !topics_differ && sides.mostly_shared();
    if same_frame && (sides.opposed || sides.contrary || values_differ) {
        return Relation { explicit: sides.forbids_more(), ..Relation::new(Comparison::Conflict, agreement) };
    }
    if topics_differ && (sides.opposed || sides.contrary) && sides.mostly_shared() && sides.reworded(0.6) {
        return Relation::new(Comparison::Conflict, agreement);
    }
    if sides.mostly_shared() && sides.chooses_otherwise() {
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
        } else if sides.swapped() {
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
    if sides.only_named() && values_equal && !sides.swapped() {
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

    /// The newer forbids whatever the older asks for, and more: "use Redis for the cache", "do not use Redis".
    fn forbids_more(&self) -> bool {
        let thing = |t: &Token| t.heavy() && t.class == 0 && !t.generic;
        self.b.negative
            && !self.a.negative
            && self.right.size() == 0
            && !self.b.tokens.iter().any(|t| t.negative)
            && self.b.tokens.iter().any(|t| thing(t) && self.a.tokens.iter().any(|x| self.keys.same(x, t)))
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
                && matches!(alone.values.as_slice(), [t] if t.value.as_ref().is_some_and(Value::is_cadence))
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

    /// The same words with their roles exchanged.
    fn swapped(&self) -> bool {
        let a: Vec<&Token> = ordered(self.a);
        let b: Vec<&Token> = ordered(self.b);
        let keys = self.keys;
        if same_order_told_conversely(self.a, self.b, keys) {
            return false;
        }
        if relations_swapped(self.a, self.b, keys) || pairings_differ(&a, &b, keys) {
            return true;
        }
        let same_order = a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| keys.same(x, y));
        if same_order || a.len() != b.len() {
            return false;
        }
        let one_passive = self.a.passive != self.b.passive;
        let same_skeleton = self.a.skeleton == self.b.skeleton;
        if keys.across || !(one_passive || same_skeleton) {
            return false;
        }
        // Serbian cases carry the roles: the same word forms in one clause mean the same in any order.
        let one_clause = !self.a.skeleton.iter().any(|m| *m == mark::BREAK || *m == mark::AND);
        if one_clause && self.a.serbian && spelled(&a) == spelled(&b) {
            return false;
        }
        let moved: Vec<usize> = (0..a.len())
            .filter(|i| a.get(*i).zip(b.get(*i)).is_some_and(|(x, y)| !keys.same(x, y)))
            .collect();
        if one_clause && self.a.serbian && self.b.serbian {
            // Word order is free; who does what to whom shows in two nouns that change their cases.
            let declined =
                |i: &&usize| a.get(**i).is_some_and(|x| b.iter().all(|y| *x.word != *y.word) && x.class == 0);
            let neighbours = matches!(moved.as_slice(), [i, j] if j - i == 1);
            let related = moved.iter().filter_map(|i| a.get(*i)).any(|t| matches!(t.slot, Slot::After(_)));
            if neighbours && !related || moved.iter().filter(declined).count() < 2 {
                return false;
            }
        }
        if let (&[i, j], true) = (moved.as_slice(), same_skeleton) {
            // "keep requests small", "prefer small requests": an adjective stands on either side of its noun.
            let adjective = [i, j].iter().filter_map(|at| a.get(*at)).any(|t| {
                !t.contraries.is_empty() && t.class == 0 && matches!(t.slot, Slot::Head | Slot::Object)
            });
            return !(joined_by_and(self.a, i, j) || adjective && j - i == 1);
        }
        moved.len() >= 2 && exchanged(&a, &b, keys)
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

/// The spellings of some tokens, sorted.
fn spelled<'a>(tokens: &[&'a Token]) -> Vec<&'a str> {
    let mut words: Vec<&str> = tokens.iter().map(|t| &*t.word).collect();
    words.sort_unstable();
    words
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

/// Content tokens in the order of who does what: `Y is done by X` reads `X done Y`.
fn ordered(segment: &Segment) -> Vec<&Token> {
    let telling = |t: &&Token| !t.light;
    if !segment.passive {
        return segment.tokens.iter().filter(telling).collect();
    }
    let by = Slot::After(prep::BY);
    let start = segment.tokens.iter().position(|t| t.slot == by).unwrap_or(segment.tokens.len());
    let (before, after) = segment.tokens.split_at(start);
    let length = after.iter().take_while(|t| t.slot == by).count();
    let (actor, rest) = after.split_at(length);
    // The participle stands right before "by".
    let (object, verb) = before.split_at(before.len().saturating_sub(1));
    actor.iter().chain(verb).chain(object).chain(rest).filter(telling).collect()
}

/// Whether two stretches changed places around a fixed middle: `A verb B`, `B verb A`.
fn exchanged(a: &[&Token], b: &[&Token], keys: Keys) -> bool {
    let first_a = a.first().map(|t| keys.of(t));
    let first_b = b.first().map(|t| keys.of(t));
    let place = |tokens: &[&Token], key: Option<u64>| tokens.iter().position(|t| Some(keys.of(t)) == key);
    first_a != first_b
        && place(b, first_a).is_some_and(|i| i >= b.len() / 2)
        && place(a, first_b).is_some_and(|i| i >= a.len() / 2)
}

/// Whether the content tokens with numbers `i` and `j` are joined by `and` or `or`.
fn joined_by_and(segment: &Segment, i: usize, j: usize) -> bool {
    let telling: Vec<usize> =
        segment.tokens.iter().enumerate().filter(|(_, t)| !t.light).map(|(at, _)| at).collect();
    let (Some(from), Some(to)) = (telling.get(i), telling.get(j)) else { return false };
    let mut token = 0;
    let mut joined = false;
    for code in &segment.skeleton {
        match *code {
            mark::TOKEN => token += 1,
            mark::AND | mark::BREAK if token > *from && token <= *to => joined = true,
            _ if token > *from && token <= *to => return false,
            _ => {}
        }
    }
    joined && to - from == 1
}

/// `from A to B`, `A over B`, `A before B` with the sides exchanged.
fn relations_swapped(a: &Segment, b: &Segment, keys: Keys) -> bool {
    let of = |segment: &Segment, slot: u8| -> Vec<u64> {
        segment
            .tokens
            .iter()
            .filter(|t| t.slot == Slot::After(slot) && !t.light)
            .map(|t| keys.of(t))
            .collect()
    };
    let shares = |x: &[u64], y: &[u64]| x.iter().any(|k| y.contains(k));
    let from_to = {
        let to = |segment: &Segment| {
            // "iz Beograda u Niš"
            let direction = if segment.serbian { prep::IN } else { prep::TO };
            [of(segment, prep::TO), of(segment, direction)].concat()
        };
        let (from_a, to_a) = (of(a, prep::FROM), to(a));
        let (from_b, to_b) = (of(b, prep::FROM), to(b));
        let crossed = shares(&from_a, &to_b) || shares(&to_a, &from_b);
        crossed && !(shares(&from_a, &from_b) && shares(&to_a, &to_b))
    };
    let order = match (told_order(a, keys), told_order(b, keys)) {
        (Some((first_a, second_a)), Some((first_b, second_b))) => {
            let only =
                |x: &[u64], y: &[u64]| x.iter().copied().filter(|k| !y.contains(k)).collect::<Vec<_>>();
            let (fa, sa) = (only(&first_a, &second_a), only(&second_a, &first_a));
            let (fb, sb) = (only(&first_b, &second_b), only(&second_b, &first_b));
            shares(&fa, &sb) && shares(&sa, &fb)
        }
        _ => false,
    };
    let over = {
        let (over_a, over_b) = (of(a, prep::OVER), of(b, prep::OVER));
        !over_a.is_empty() && !over_b.is_empty() && !same_things(&over_a, &over_b)
    };
    from_to || order || over
}

/// What comes first and what second by "before" or "after".
fn told_order(segment: &Segment, keys: Keys) -> Option<(Vec<u64>, Vec<u64>)> {
    let at = segment.tokens.iter().position(|t| !t.contraries.is_empty() && t.word.order().is_some())?;
    let order = segment.tokens.get(at)?;
    let (before, rest) = segment.tokens.split_at(at);
    let after = rest.get(1..).unwrap_or_default();
    let list = |tokens: &[Token]| tokens.iter().filter(|t| !t.light).map(|t| keys.of(t)).collect::<Vec<_>>();
    let (first, second) =
        if before.is_empty() { (list(after), Vec::new()) } else { (list(before), list(after)) };
    Some(if order.word.order() == Some(Order::After) { (second, first) } else { (first, second) })
}

/// "X before Y" and "Y after X".
fn same_order_told_conversely(a: &Segment, b: &Segment, keys: Keys) -> bool {
    let later = |s: &Segment| s.tokens.iter().find_map(|t| t.word.order());
    if !matches!((later(a), later(b)), (Some(x), Some(y)) if x != y) {
        return false;
    }
    let Some(((first_a, second_a), (first_b, second_b))) = told_order(a, keys).zip(told_order(b, keys))
    else {
        return false;
    };
    let meets = |x: &[u64], y: &[u64]| x.iter().any(|k| y.contains(k));
    let apart = !meets(&first_a, &second_b) && !meets(&second_a, &first_b);
    apart && meets(&first_a, &first_b) && meets(&second_a, &second_b)
}

/// The same numbers beside other words: "two for core, one for docs" and the reverse.
fn pairings_differ(a: &[&Token], b: &[&Token], keys: Keys) -> bool {
    let pairs = |tokens: &[&Token]| -> Vec<(u64, Option<u64>)> {
        let mut out: Vec<(u64, Option<u64>)> = tokens
            .iter()
            .enumerate()
            .filter(|(_, t)| t.value.is_some())
            .map(|(i, t)| (keys.of(t), tokens.get(i + 1).map(|n| keys.of(n))))
            .collect();
        out.sort_unstable();
        out
    };
    let (x, y) = (pairs(a), pairs(b));
    if x.len() < 2 || x.len() != y.len() {
        return false;
    }
    // Only an exchange counts: every value is there, but two have each other's neighbour.
    let neighbours = |p: &[(u64, Option<u64>)]| {
        let mut n: Vec<Option<u64>> = p.iter().map(|(_, n)| *n).collect();
        n.sort_unstable();
        n
    };
    x != y && neighbours(&x) == neighbours(&y)
}
