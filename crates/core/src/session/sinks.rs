//! Where events go: the journal under its lock, or a copy of the state that is thrown away.

use super::event::Event;
use super::observe::Sink;
use super::state::State;
use super::{import, now};
use crate::Result;
use crate::store::{Body, Locked, NewLine, Reader};

/// The session's journal, its lock held.
pub(crate) struct Journal<'a, 'l> {
    pub(crate) locked: &'a mut Locked<'l, State>,
    hash_key: [u8; 16],
    now: String,
    /// Bodies of messages are kept.
    pub(crate) keeps_bodies: bool,
}

impl<'a, 'l> Journal<'a, 'l> {
    pub(crate) fn new(locked: &'a mut Locked<'l, State>, keeps_bodies: bool) -> Result<Self> {
        let hash_key = locked.info()?.hash_key;
        let now = locked.now().to_owned();
        Ok(Self { locked, hash_key, now, keeps_bodies })
    }
}

impl Sink for Journal<'_, '_> {
    fn state(&self) -> &State {
        self.locked.state()
    }

    fn append(&mut self, events: Vec<Event>) -> Result<()> {
        let lines = events
            .into_iter()
            .map(|event| {
                let (kind, fields) = event.into_line();
                NewLine::new(kind, fields)
            })
            .collect();
        self.locked.append_all(lines).map(|_| ())
    }

    fn append_bodies(&mut self, bodies: &[Body]) -> Result<()> {
        if self.keeps_bodies { self.locked.append_bodies(bodies) } else { Ok(()) }
    }

    fn hash_key(&self) -> [u8; 16] {
        self.hash_key
    }

    fn now(&self) -> &str {
        &self.now
    }
}

/// A copy of the state: what would be written is only looked at.
pub(crate) struct Preview {
    state: State,
    hash_key: [u8; 16],
    now: String,
}

impl Preview {
    pub(crate) fn new(state: State, hash_key: [u8; 16], now: String) -> Self {
        Self { state, hash_key, now }
    }
}

impl Preview {
    /// Of what is known now, and the journal's position.
    pub(crate) fn of(reader: &mut Reader<'_, State>) -> Result<(Self, u64)> {
        let hash_key = reader.info().map(|info| info.hash_key).unwrap_or_default();
        let seq = reader.seq();
        let state = import::readable_state(reader, now())?.into_owned();
        Ok((Self::new(state, hash_key, now()), seq))
    }

    pub(crate) fn into_state(self) -> State {
        self.state
    }
}

impl Sink for Preview {
    fn state(&self) -> &State {
        &self.state
    }

    fn append(&mut self, events: Vec<Event>) -> Result<()> {
        for event in events {
            self.state.take(event);
        }
        Ok(())
    }

    fn append_bodies(&mut self, _: &[Body]) -> Result<()> {
        Ok(())
    }

    fn hash_key(&self) -> [u8; 16] {
        self.hash_key
    }

    fn now(&self) -> &str {
        &self.now
    }
}
