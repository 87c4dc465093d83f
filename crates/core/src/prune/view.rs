//! What the model sees while an epoch lasts.

use super::entry::{Entry, Frozen};
use super::layout::{Layout, lay_out};

/// What the model sees of `entries` in a frozen view: indices, ascending. `running`: the running turn is in the array;
/// false when it comes as a prompt of its own.
///
/// Calls and results are matched by id in both directions and a result that came twice is kept once, the first time;
/// raw summaries and clawback's own texts are out; calls of older turns that never got a result leave with their
/// message and its other results; the running turn is untouched. The view starts with a person's message, wherever a
/// person's message can be shown; of an array without one it shows what there is. Never empty unless nothing can be
/// shown. Linear in the number of messages from the boundary on.
///
/// **Stable**: of an array that grew by messages of the running turn it shows all that it showed before, first and in
/// the same order, at every point where the model can be called. Between a person's message and the result of a call
/// that was made before it, the call is out (it has no result yet) and comes back together with its result. When a
/// person speaks, calls of the turn before that are still without a result leave.
pub fn visible(entries: &[Entry], frozen: &Frozen, running: bool) -> Vec<usize> {
    seen(entries, frozen.boundary, running).shown
}

/// The turns and messages that are seen from `boundary` on. If no turn begins there, the newest turn of all.
pub(super) fn seen(entries: &[Entry], boundary: usize, running: bool) -> Layout {
    let layout = lay_out(entries, boundary, running);
    if boundary == 0 || !layout.starts.is_empty() {
        return layout;
    }
    let all = lay_out(entries, 0, running);
    match all.starts.last() {
        Some(&newest) => lay_out(entries, newest, running),
        None if layout.shown.is_empty() => all,
        None => layout,
    }
}
