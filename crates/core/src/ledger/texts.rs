//! The texts of a ledger's entries: the index over them, and each of them ready for comparison.

use std::sync::Arc;

use super::fact::Entry;
use super::index::{Index, Known, Slot};

/// See the module. How a text was read is not kept: it takes several times the room of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    /// By slot.
    ids: Vec<Box<str>>,
    index: Index,
}

impl Texts {
    /// Reads the texts of these entries.
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut texts = Self::default();
        entries.for_each(|entry| texts.learn(entry));
        texts
    }

    /// Reads one more.
    pub(super) fn learn(&mut self, entry: &Entry) {
        let Ok(slot) = Slot::try_from(self.ids.len()) else { return };
        self.index.add(slot, &read(entry).signature);
        self.ids.push(entry.id.as_str().into());
    }

    /// Ids of all entries that may not be distinct from `text`.
    pub(super) fn related(&self, text: &Known) -> impl Iterator<Item = &str> {
        let found = self.index.candidates(&text.signature).into_iter();
        found.filter_map(|slot| self.ids.get(slot as usize).map(|id| &**id))
    }
}

/// The text of an entry, ready for comparison: see [`Known::shared`].
pub(super) fn read(entry: &Entry) -> Arc<Known> {
    Known::shared(&entry.text)
}
