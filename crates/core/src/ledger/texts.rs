//! The index over the texts of a ledger's entries.

use std::collections::HashMap;
use std::sync::Arc;

use super::fact::Entry;
use super::index::{Index, Known, Slot};

/// See the module. An entry whose text was replaced keeps its old slot in the index, unused. How a text was read is not
/// kept: it takes several times the room of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    /// By slot.
    ids: Vec<Arc<str>>,
    slots: HashMap<Arc<str>, Slot>,
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
        self.index.add(slot, &Known::shared(&entry.text).signature);
        let id: Arc<str> = entry.id.as_str().into();
        self.slots.insert(Arc::clone(&id), slot);
        self.ids.push(id);
    }

    /// Ids of all entries that may not be distinct from `text`.
    pub(super) fn related(&self, text: &Known) -> impl Iterator<Item = &str> {
        self.index.candidates(&text.signature).into_iter().filter_map(|slot| {
            let id = self.ids.get(slot as usize)?;
            (self.slots.get(id) == Some(&slot)).then_some(&**id)
        })
    }
}
