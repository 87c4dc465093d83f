//! Who does what to whom: the same words in two clauses, with their roles exchanged, or told the other way round.

use super::frame::same_things;
use super::prepare::{Segment, Slot, Token, mark, prep};
use super::relate::Keys;
use super::word::Order;

/// The same words with their roles exchanged.
pub(super) fn swapped(one: &Segment, other: &Segment, keys: Keys) -> bool {
    let (a, b) = (ordered(one), ordered(other));
    if same_order_told_conversely(one, other, keys) {
        return false;
    }
    if relations_swapped(one, other, keys) || pairings_differ(&a, &b, keys) {
        return true;
    }
    let same_order = a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| keys.same(x, y));
    if same_order || a.len() != b.len() {
        return false;
    }
    let one_passive = one.passive != other.passive;
    let same_skeleton = one.skeleton == other.skeleton;
    if !keys.across && !same_skeleton && changed_ends(one, other, &a, &b, keys) {
        return true;
    }
    if keys.across || !(one_passive || same_skeleton) {
        return false;
    }
    // Serbian cases carry the roles: the same word forms in one clause mean the same in any order.
    let one_clause = !one.skeleton.iter().any(|m| *m == mark::BREAK || *m == mark::AND);
    if one_clause && one.serbian && spelled(&a) == spelled(&b) {
        return false;
    }
    let moved: Vec<usize> =
        (0..a.len()).filter(|i| a.get(*i).zip(b.get(*i)).is_some_and(|(x, y)| !keys.same(x, y))).collect();
    if one_clause && one.serbian && other.serbian {
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
        let adjective = [i, j]
            .iter()
            .filter_map(|at| a.get(*at))
            .any(|t| !t.contraries.is_empty() && t.class == 0 && matches!(t.slot, Slot::Head | Slot::Object));
        return !(joined_by_and(one, i, j) || adjective && j - i == 1);
    }
    moved.len() >= 2 && exchanged(&a, &b, keys)
}

/// "The mobile app sends events to the gateway", "The gateway sends events to the mobile app": what one begins with the
/// other ends with, behind the same preposition, however many words either has.
fn changed_ends(a: &Segment, b: &Segment, told_a: &[&Token], told_b: &[&Token], keys: Keys) -> bool {
    let shape = |segment: &Segment| -> Vec<u8> {
        let mut shape = segment.skeleton.clone();
        shape.dedup_by(|x, y| *x == mark::TOKEN && *y == mark::TOKEN);
        shape
    };
    let end = |told: &[&Token]| -> Vec<u64> {
        let slot = told.last().map(|t| t.slot).filter(|slot| matches!(slot, Slot::After(_)));
        let mut end: Vec<u64> =
            told.iter().rev().take_while(|t| Some(t.slot) == slot && t.heavy()).map(|t| keys.of(t)).collect();
        end.reverse();
        end
    };
    let begins_with = |told: &[&Token], start: &[u64]| {
        !start.is_empty()
            && told.len() > start.len()
            && start.iter().zip(told).all(|(key, t)| *key == keys.of(t))
    };
    let behind = |told: &[&Token]| told.last().map(|t| t.slot);
    shape(a) == shape(b)
        && behind(told_a) == behind(told_b)
        && begins_with(told_a, &end(told_b))
        && begins_with(told_b, &end(told_a))
}

/// The spellings of some tokens, sorted.
fn spelled<'a>(tokens: &[&'a Token]) -> Vec<&'a str> {
    let mut words: Vec<&str> = tokens.iter().map(|t| &*t.word).collect();
    words.sort_unstable();
    words
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
pub(super) fn same_order_told_conversely(a: &Segment, b: &Segment, keys: Keys) -> bool {
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

#[cfg(test)]
mod tests {
    use super::super::{Comparison, compare};

    #[test]
    fn another_direction_is_a_conflict_however_many_words_the_ends_have() {
        for (a, b) in [
            (
                "The mobile app sends its events to the gateway",
                "The gateway sends its events to the mobile app",
            ),
            (
                "The mobile app sends its events to the gateway, which stores them in Kafka",
                "The gateway sends its events to the mobile app, which stores them in Kafka",
            ),
            ("The price list overrides the supplier feed", "The supplier feed overrides the price list"),
            ("Glavna aplikacija šalje događaje servisu", "Servis šalje događaje glavnoj aplikaciji"),
        ] {
            assert_eq!(compare(a, b), Comparison::Conflict, "{a} | {b}");
            assert_eq!(compare(b, a), Comparison::Conflict, "{b} | {a}");
        }
    }

    #[test]
    fn the_same_told_in_another_order_is_the_same() {
        for (a, b) in [
            ("Backups run every night at 2 AM", "Every night at 02:00 the backups run"),
            ("Use the shared cache for user profiles", "For user profiles use the shared cache"),
        ] {
            assert_eq!(compare(a, b), Comparison::Duplicate, "{a} | {b}");
        }
    }
}
