//! Merging two lists of items: a model's list and what was captured (seed 000 issue 2, API `mergeItems`).

use super::compare::{Comparison, Prepared, Signature, Verdict, compare_prepared};
use super::index::{Index, Known, Slot};

/// What became of two lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    /// Primary items in their order, then the secondary items that they do not cover, newest last.
    pub items: Vec<String>,
    /// Secondary items that say the same as another, with the wording that stays.
    pub folded: Vec<(String, String)>,
    /// Items that were replaced, with the newer wording that replaced them.
    pub superseded: Vec<(String, String)>,
}

/// Merges `secondary`, which is newer, into `primary`.
///
/// A secondary item that says the same as another is folded into it. In a conflict both stay, the secondary last,
/// unless it plainly replaces the other (same subject, other value). What was said last wins, also where it repeats an
/// older item; `merge_items(x, x)` gives `x`. Same result as comparing every pair, but through an index.
pub fn merge_items(primary: &[String], secondary: &[String]) -> Merged {
    let mut index = Index::default();
    merge(primary, secondary, |slot, signature| {
        let candidates = index.candidates(&signature);
        index.add(slot, &signature);
        candidates
    })
}

/// Through the index and by comparing every pair.
#[cfg(test)]
pub(super) fn merge_both_ways(primary: &[String], secondary: &[String]) -> (Merged, Merged) {
    let by_pairs = merge(primary, secondary, |slot, _| (0..slot).collect());
    (merge_items(primary, secondary), by_pairs)
}

/// `earlier` gives the numbers of the older texts that one is compared with.
fn merge(
    primary: &[String],
    secondary: &[String],
    mut earlier: impl FnMut(Slot, Signature) -> Vec<Slot>,
) -> Merged {
    let texts: Vec<&String> = primary.iter().chain(secondary).collect();
    let mut known: Vec<Prepared> = Vec::with_capacity(texts.len());
    let mut fold = Fold::new(primary.len(), texts.len());
    for (slot, text) in (0..).zip(&texts) {
        let Known { prepared, signature } = Known::new(text);
        let relate = |other: Slot| {
            let at = usize::try_from(other).ok()?;
            let older = known.get(at)?;
            let verdict = compare_prepared(older, &prepared);
            (verdict.comparison != Comparison::Distinct)
                .then(|| (at, verdict, older.says_literally(&prepared)))
        };
        let found: Vec<Found> = earlier(slot, signature).into_iter().filter_map(relate).collect();
        fold.take(slot as usize, &found);
        known.push(prepared);
    }
    fold.finish(&texts)
}

/// Number of an older item, how it relates, whether it is the same words.
type Found = (usize, Verdict, bool);

/// Items by number: those below `primary` are the primary ones.
struct Fold {
    primary: usize,
    /// Into which item each was folded.
    into: Vec<Option<usize>>,
    /// When each item was said last.
    said: Vec<usize>,
    /// The same within the primary list alone: its order before anything was said again.
    listed: Vec<usize>,
    /// Pairs of which the newer plainly replaces the older, in the order of their numbers.
    conflicts: Vec<(usize, usize)>,
}

impl Fold {
    fn new(primary: usize, count: usize) -> Self {
        let order: Vec<usize> = (0..count).collect();
        Self { primary, into: vec![None; count], said: order.clone(), listed: order, conflicts: Vec::new() }
    }

    fn take(&mut self, slot: usize, found: &[Found]) {
        let in_primary = slot < self.primary;
        let stands = |at: usize| self.into.get(at).is_some_and(Option::is_none);
        // The same words first, then the newest wording.
        let same = found
            .iter()
            .filter(|(at, verdict, _)| {
                !in_primary && verdict.comparison == Comparison::Duplicate && stands(*at)
            })
            .max_by_key(|(at, _, literal)| (*literal, *at))
            .map(|(at, ..)| *at);
        // A list may hold the same words twice: each of them was said again.
        for (at, ..) in found.iter().filter(|(at, _, literal)| *literal || same == Some(*at)) {
            if let Some(said) = self.said.get_mut(*at) {
                *said = slot;
            }
            if let Some(listed) = self.listed.get_mut(*at).filter(|_| in_primary) {
                *listed = slot;
            }
        }
        if same.is_some() {
            if let Some(into) = self.into.get_mut(slot) {
                *into = same;
            }
            return;
        }
        let plain = found.iter().filter(|(_, verdict, _)| verdict.supersedes()).map(|(at, ..)| (*at, slot));
        self.conflicts.extend(plain);
    }

    fn finish(self, texts: &[&String]) -> Merged {
        let said = |at: usize| self.said.get(at).copied().unwrap_or(at);
        let listed = |at: usize| self.listed.get(at).copied().unwrap_or(at);
        let mut by: Vec<Option<usize>> = vec![None; texts.len()];
        for (first, second) in &self.conflicts {
            if [first, second].iter().any(|at| self.into.get(**at).is_some_and(Option::is_some)) {
                continue;
            }
            let (older, newer) =
                if said(*first) < said(*second) { (*first, *second) } else { (*second, *first) };
            // Two primary items keep their order's meaning; only a repetition that reverses it counts.
            let reversed = listed(older) > listed(newer);
            if newer < self.primary && older < self.primary && !reversed {
                continue;
            }
            if let Some(entry) = by.get_mut(older)
                && entry.is_none_or(|at| said(at) < said(newer))
            {
                *entry = Some(newer);
            }
        }
        let text = |at: usize| texts.get(at).map(|t| (*t).clone()).unwrap_or_default();
        let mut merged = Merged::default();
        for at in 0..texts.len() {
            match (self.into.get(at).copied().flatten(), by.get(at).copied().flatten()) {
                (Some(into), _) => merged.folded.push((text(at), text(into))),
                (None, Some(newer)) => merged.superseded.push((text(at), text(said(newer)))),
                (None, None) => merged.items.push(text(at)),
            }
        }
        merged
    }
}
