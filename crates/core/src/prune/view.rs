//! What the model sees while an epoch lasts.

use super::entry::{Entry, Frozen};
use super::layout::{Layout, lay_out};

/// What the model sees of `entries` in a frozen view: indices, ascending. `running`: the running turn is in the array;
/// false when it comes as a prompt of its own.
///
/// Calls and results are matched by id in both directions and a result that came twice is kept once, the first time;
/// raw summaries and clawback's own texts are out; calls of older turns that never got a result leave with their
/// message and its other results; the running turn is untouched. The view starts with a person's message, wherever a
/// person's message can be shown, or a packet leads it ([`Frozen::led`]); of an array without one it shows what there is. Never empty unless nothing can be
/// shown. Linear in the number of messages from the boundary on.
///
/// **Stable**: of an array that grew by messages of the running turn it shows all that it showed before, first and in
/// the same order, at every point where the model can be called. Between a person's message and the result of a call
/// that was made before it, the call is out (it has no result yet) and comes back together with its result. When a
/// person speaks, calls of the turn before that are still without a result leave.
pub fn visible(entries: &[Entry], frozen: &Frozen, running: bool) -> Vec<usize> {
    seen(entries, frozen, running).shown
}

/// The turns and messages that are seen. If there is a person, but none from the boundary on: the newest turn.
pub(super) fn seen(entries: &[Entry], frozen: &Frozen, running: bool) -> Layout {
    let layout = lay_out(entries, frozen.boundary, running, frozen.led);
    let speaks = |index: &usize| entries.get(*index).is_some_and(Entry::opens_turn);
    if frozen.boundary == 0 || layout.shown.iter().any(speaks) {
        return layout;
    }
    let all = lay_out(entries, 0, running, false);
    match all.starts.last() {
        Some(&newest) => lay_out(entries, newest, running, false),
        None if layout.shown.is_empty() => all,
        None => layout,
    }
}
