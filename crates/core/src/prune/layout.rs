//! Turns of a conversation, and which of its messages can be shown.

use super::entry::{Entry, EntryKind};
use super::pairs::{Groups, Waiting};

/// The end of a conversation, from some message on.
#[derive(Debug)]
pub(super) struct Layout {
    /// Where turns begin, ascending. Messages before the first one are not shown; without any turn, all may be.
    pub(super) starts: Vec<usize>,
    /// Indices that can be shown, ascending.
    pub(super) shown: Vec<usize>,
}

/// Reads `entries` from index `from` on as if nothing stood before. `running`: the last turn goes on, its calls may
/// still be answered. `led`: the messages before the first person's are a turn too.
///
/// A turn begins with a person's message. It goes on, in spite of a person's message, as long as there is no reply to
/// the person yet, and where a call made before that message gets its result after it, but before the model speaks
/// again: the person spoke while a tool ran. Pairs therefore never cross from one turn into another. A result that
/// comes later still belongs to nothing: by then the model has been called without its call.
pub(super) fn lay_out(entries: &[Entry], from: usize, running: bool, led: bool) -> Layout {
    let mut scan = Scan::new(entries.len().saturating_sub(from));
    scan.starts.extend(led.then_some(from));
    for (index, entry) in entries.iter().enumerate().skip(from) {
        if !entry.is_left_out() {
            scan.read(index, index - from, entry);
        }
    }
    scan.finish(entries, from, running)
}

struct Scan {
    waiting: Waiting,
    starts: Vec<usize>,
    /// The running turn has more than a person's messages.
    replied: bool,
    /// The last turn has begun, and the model has not spoken in it.
    unheard: bool,
    /// Call and result, as indices.
    pairs: Vec<(usize, usize)>,
    /// By position: the message can be shown.
    fits: Vec<bool>,
}

impl Scan {
    fn new(len: usize) -> Self {
        Self {
            waiting: Waiting::default(),
            starts: Vec::new(),
            replied: false,
            unheard: false,
            pairs: Vec::new(),
            fits: vec![false; len],
        }
    }

    fn read(&mut self, index: usize, position: usize, entry: &Entry) {
        if !entry.answers.is_empty() {
            let known = self.pairs.len();
            if !self.waiting.answer(index, entry, &mut self.pairs) {
                return;
            }
            for &(caller, _) in self.pairs.get(known..).unwrap_or_default() {
                // the turn that began between the two goes on from before
                while self.starts.last().is_some_and(|&start| start > caller) {
                    self.starts.pop();
                    self.unheard = false;
                }
            }
            self.replied = true;
        } else if entry.kind == EntryKind::Person && (self.starts.is_empty() || self.replied) {
            if self.starts.is_empty() {
                self.waiting.give_up(); // what stands before the first turn cannot be shown with it
            }
            self.starts.push(index);
            self.replied = false;
            self.unheard = true;
        }
        if entry.kind == EntryKind::Assistant || !entry.calls.is_empty() {
            if self.unheard {
                self.waiting.give_up();
            }
            self.unheard = false;
            self.replied = true;
            self.waiting.ask(index, entry);
        }
        if let Some(fits) = self.fits.get_mut(position) {
            *fits = entry.kind != EntryKind::ToolResult || !entry.answers.is_empty();
        }
    }

    fn finish(mut self, entries: &[Entry], from: usize, running: bool) -> Layout {
        let first = self.starts.first().copied().unwrap_or(from);
        let untouched = if running { self.starts.last().copied().unwrap_or(from) } else { entries.len() };
        self.drop_unanswered(entries, from, untouched);
        let shown = (from..entries.len())
            .zip(&self.fits)
            .filter_map(|(index, &fits)| (fits && index >= first).then_some(index))
            .collect();
        Layout { starts: self.starts, shown }
    }

    /// A call before `untouched` that never got its result takes its message and all results of that message along
    /// (FAULTS B4).
    fn drop_unanswered(&mut self, entries: &[Entry], from: usize, untouched: usize) {
        let mut open: Vec<usize> = entries.iter().skip(from).map(|entry| entry.calls.len()).collect();
        for &(call, _) in &self.pairs {
            if let Some(count) = open.get_mut(call - from) {
                *count -= 1;
            }
        }
        let dangling: Vec<usize> = open
            .iter()
            .zip(&self.fits)
            .enumerate()
            .take(untouched.saturating_sub(from))
            .filter_map(|(position, (&count, &fits))| (fits && count > 0).then_some(position))
            .collect();
        if dangling.is_empty() {
            return;
        }
        let mut groups = Groups::new(self.fits.len());
        for &(call, result) in &self.pairs {
            groups.join(call - from, result - from);
        }
        let mut leaves = vec![false; self.fits.len()];
        for position in dangling {
            if let Some(leaves) = leaves.get_mut(groups.find(position)) {
                *leaves = true;
            }
        }
        for position in 0..self.fits.len() {
            let group = groups.find(position);
            if let (Some(fits), Some(true)) = (self.fits.get_mut(position), leaves.get(group)) {
                *fits = false;
            }
        }
    }
}
