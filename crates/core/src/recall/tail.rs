//! What is stored and not indexed yet: read from the bodies, kept in memory, searched as the index is.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::entry::Entry;
use crate::Result;
use crate::store::BodyFiles;

/// How far each segment of bodies was read, in bytes.
pub(super) type Progress = BTreeMap<u64, u64>;

/// Bytes read at once.
pub(super) const STEP: u64 = 1 << 20;

/// Messages in the order in which they were stored, and their terms.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Where it begins: what the index covers.
    start: Progress,
    /// How far was read, what the index covers included.
    pub(super) progress: Progress,
    /// The messages.
    pub(super) entries: Vec<Entry>,
    /// Index into `entries` and how often, for each term.
    pub(super) terms: HashMap<String, Vec<(u32, u32)>>,
    /// Only these terms are kept: for a question asked once of more than should stay in memory.
    wanted: Option<HashSet<String>>,
}

impl Tail {
    /// What comes after `progress`.
    pub(super) fn after(progress: Progress) -> Self {
        Self { start: progress.clone(), progress, ..Self::default() }
    }

    /// The same for one question: only its terms.
    pub(super) fn for_terms(progress: Progress, wanted: HashSet<String>) -> Self {
        Self { start: progress.clone(), progress, wanted: Some(wanted), ..Self::default() }
    }

    /// Where it begins.
    pub(super) fn start(&self) -> &Progress {
        &self.start
    }

    /// Reads what is new.
    pub(super) fn catch_up(&mut self, files: &BodyFiles) -> Result<()> {
        for (segment, len) in files.segments()? {
            let mut done = self.progress.get(&segment).copied().unwrap_or(0);
            while done < len {
                let Self { entries, terms, wanted, .. } = self;
                let end = files.read(segment, done, STEP, &mut |body, spot| {
                    let number = u32::try_from(entries.len()).unwrap_or(u32::MAX);
                    let entry = Entry::read(&body, spot, &mut |term| {
                        if wanted.as_ref().is_none_or(|wanted| wanted.contains(term)) {
                            count(terms, term, number);
                        }
                    });
                    entries.push(entry);
                })?;
                if end == done {
                    break; // half a line: somebody is writing it
                }
                done = end;
                self.progress.insert(segment, done);
            }
        }
        Ok(())
    }
}

fn count(terms: &mut HashMap<String, Vec<(u32, u32)>>, term: &str, number: u32) {
    let list = match terms.get_mut(term) {
        Some(list) => list,
        None => terms.entry(term.to_owned()).or_default(),
    };
    match list.last_mut() {
        Some((last, times)) if *last == number => *times += 1,
        _ => list.push((number, 1)),
    }
}

/// Bytes that `progress` has not seen; `None` where a segment is shorter than was read or gone, so that what is known of
/// it is void.
pub(super) fn pending(files: &BodyFiles, progress: &Progress) -> Result<Option<u64>> {
    let mut bytes = 0;
    let mut found = 0;
    for (segment, len) in files.segments()? {
        let done = progress.get(&segment).copied();
        found += usize::from(done.is_some());
        match len.checked_sub(done.unwrap_or(0)) {
            Some(rest) => bytes += rest,
            None => return Ok(None),
        }
    }
    Ok((found == progress.len()).then_some(bytes))
}
