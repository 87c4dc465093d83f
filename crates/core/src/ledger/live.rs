//! The live path: which messages of a session count now, after rewinds and resets.

use serde::{Deserialize, Serialize};

use super::fact::{Entry, Place, Scope};

/// A generation, and the stretches of it that were rewound (branch, edit, retry). Messages that the host dropped stay
/// on the path; only rewound ones leave it (DESIGN section 3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LivePath {
    /// Facts of other generations do not count.
    pub generation: u32,
    /// Rewound ordinals: first and last, both included.
    #[serde(default)]
    pub rewound: Vec<(u64, u64)>,
}

impl LivePath {
    /// The whole of `generation`, nothing rewound.
    pub fn new(generation: u32) -> Self {
        Self { generation, rewound: Vec::new() }
    }

    /// Takes the messages from `first` to `last` off the path.
    pub fn rewind(&mut self, first: u64, last: u64) {
        self.rewound.push((first, last));
    }

    /// Puts rewound messages from `first` to `last` back: the branch is visited again.
    pub fn restore(&mut self, first: u64, last: u64) {
        let outside = |&(from, to): &(u64, u64)| {
            let before = (from < first).then(|| (from, to.min(first.saturating_sub(1))));
            let after = (to > last).then(|| (from.max(last.saturating_add(1)), to));
            [before, after].into_iter().flatten()
        };
        self.rewound = self.rewound.iter().flat_map(outside).collect();
    }

    /// Whether the message at `place` lies on the path.
    pub fn holds(&self, place: &Place) -> bool {
        place.generation == self.generation && self.holds_ordinal(place.ordinal)
    }

    /// Whether the message with this ordinal of the running generation lies on the path.
    pub fn holds_ordinal(&self, ordinal: u64) -> bool {
        !self.rewound.iter().any(|(first, last)| (first..=last).contains(&&ordinal))
    }

    /// Whether `entry` counts: session-scoped ones do on every path of their generation.
    pub fn counts(&self, entry: &Entry) -> bool {
        match entry.scope {
            Scope::Session => entry.place.generation == self.generation,
            Scope::Branch => self.holds(&entry.place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewound_stretch_leaves_and_returns() {
        let mut path = LivePath::new(1);
        let at = |ordinal| Place { generation: 1, ordinal, position: 0 };
        path.rewind(5, 9);
        let held = |path: &LivePath| (4..=10).filter(|o| path.holds(&at(*o))).collect::<Vec<_>>();
        assert_eq!(held(&path), [4, 10]);
        path.restore(6, 7);
        assert_eq!(held(&path), [4, 6, 7, 10]);
        path.restore(0, 100);
        assert_eq!(path, LivePath::new(1));
        assert!(!path.holds(&Place { generation: 2, ordinal: 4, position: 0 }));
    }
}
