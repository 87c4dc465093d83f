//! The texts of a ledger's entries, read for comparison, with the index over them.

use std::collections::HashMap;
use std::sync::Arc;

use super::fact::Entry;
use super::index::{Index, Known, Slot};

/// See the module. An entry whose text was replaced keeps its old slot in the index, unused.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    /// Id and text by slot.
    known: Vec<(Arc<str>, Arc<Known>)>,
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
        let Ok(slot) = Slot::try_from(self.known.len()) else { return };
        let known = Known::shared(&entry.text);
        self.index.add(slot, &known.signature);
        let id: Arc<str> = entry.id.as_str().into();
        self.slots.insert(Arc::clone(&id), slot);
        self.known.push((id, known));
    }

    /// The text of the entry with this id.
    pub(super) fn get(&self, id: &str) -> Option<&Arc<Known>> {
        let slot = self.slots.get(id)?;
        self.known.get(*slot as usize).map(|(_, known)| known)
    }

    /// Ids and texts of all entries that may not be distinct from `text`.
    pub(super) fn related(&self, text: &Known) -> impl Iterator<Item = (&str, &Known)> {
        self.index.candidates(&text.signature).into_iter().filter_map(|slot| {
            let (id, known) = self.known.get(slot as usize)?;
            (self.slots.get(id) == Some(&slot)).then_some((&**id, &**known))
        })
    }
}
