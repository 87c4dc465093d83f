//! All that can be searched below one state directory: the index, and for each session what came after it.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use super::disk::{Disk, Part, Pass, mark};
use super::entry::{Entry, name_hash};
use super::query::{Concept, Query};
use super::rank::{Hit, Lengths, Matches, rank};
use super::tail::{self, Progress, Tail};
use crate::store::{BodyFiles, BodySpot, ChunkId};
use crate::text::time::millis;
use crate::{Error, Result};

/// Bytes that may wait for the index in memory; above that they are read again for each question.
const TAIL_BYTES: u64 = 16 << 20;
/// Sessions whose search structures stay in memory.
const MAX_SHELVES: usize = 16;

/// Which messages may be found. Empty: all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Role, as the host names it.
    pub role: Option<String>,
    /// Name of the tool whose result it is.
    pub tool: Option<String>,
    /// Not before, in epoch milliseconds.
    pub since: Option<i64>,
    /// Not after, in epoch milliseconds.
    pub until: Option<i64>,
}

impl Filter {
    /// Reads the bounds. `InvalidInput` for a time that is none.
    pub fn new(
        role: Option<String>,
        tool: Option<String>,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<Self> {
        let time = |iso: &str| {
            let shown: String = iso.chars().take(40).collect();
            millis(iso)
                .ok_or_else(|| Error::InvalidInput(format!("{shown:?} is no time in ISO 8601 with its zone")))
        };
        Ok(Self { role, tool, since: since.map(time).transpose()?, until: until.map(time).transpose()? })
    }

    fn allows(&self, entry: &Entry) -> bool {
        self.role.as_deref().is_none_or(|role| name_hash(role) == entry.role)
            && self.tool.as_deref().is_none_or(|tool| name_hash(tool) == entry.tool)
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at <= until)
    }

    fn is_empty(&self) -> bool {
        self.role.is_none() && self.tool.is_none() && self.since.is_none() && self.until.is_none()
    }
}

/// What is sought in a session.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The question.
    pub query: Query,
    /// Which messages may be found.
    pub filter: Filter,
    /// The host's own scores, 0..1.
    pub scores: HashMap<ChunkId, f32>,
    /// How many are wanted.
    pub limit: usize,
    /// Only this generation.
    pub generation: Option<u32>,
}

/// A message that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Its id.
    pub chunk: ChunkId,
    /// Where its body is.
    pub spot: BodySpot,
    /// Order of hits, within a session and beyond.
    pub rank: f32,
    /// Share of the question's idf mass that the message matches, or the host's score if that is higher; 0..1.
    pub similarity: f32,
}

/// Called when an index was seen to.
pub type Waiter = Box<dyn FnOnce() + Send>;

/// The search structures of one state directory.
pub struct Library {
    state_dir: PathBuf,
    disk: Mutex<Option<Disk>>,
    shelves: Mutex<HashMap<String, Arc<Mutex<Shelf>>>>,
    checked: Mutex<bool>,
    /// Sessions that are being indexed, or are about to be, and who waits for that.
    claimed: Mutex<HashMap<String, Vec<Waiter>>>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("state_dir", &self.state_dir).finish_non_exhaustive()
    }
}

/// One session.
#[derive(Debug, Default)]
struct Shelf {
    /// The commit that `progress` and `conversations` are of.
    commit: Option<u64>,
    progress: Progress,
    conversations: HashMap<u32, Arc<Conversation>>,
    tail: Tail,
}

/// The indexed messages of one generation, in their order.
struct Conversation {
    parts: Vec<Part>,
    /// Part and index of each position.
    places: Vec<(u32, u32)>,
    /// Position of each message of each part; `u32::MAX`: a second copy.
    positions: Vec<Vec<u32>>,
    lengths: Lengths,
    ids: HashSet<(u64, u64)>,
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversation").field("messages", &self.places.len()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static LIBRARIES: LazyLock<Mutex<HashMap<PathBuf, Weak<Library>>>> = LazyLock::new(Mutex::default);

impl Library {
    /// The library of a state directory, shared by the whole process while somebody holds it. Touches no file.
    pub fn of(state_dir: &Path) -> Arc<Self> {
        let mut all = lock(&LIBRARIES);
        if let Some(library) = all.get(state_dir).and_then(Weak::upgrade) {
            return library;
        }
        all.retain(|_, library| library.strong_count() > 0);
        let library = Arc::new(Self {
            state_dir: state_dir.to_owned(),
            disk: Mutex::default(),
            shelves: Mutex::default(),
            checked: Mutex::default(),
            claimed: Mutex::default(),
        });
        all.insert(state_dir.to_owned(), Arc::downgrade(&library));
        library
    }

    /// Whether the caller is to see to a session's index. While somebody does, `waiter` is called when that ends.
    pub fn claim(&self, key: &str, waiter: Waiter) -> Option<Waiter> {
        match lock(&self.claimed).entry(key.to_owned()) {
            Slot::Occupied(mut busy) => {
                busy.get_mut().push(waiter);
                None
            }
            Slot::Vacant(free) => {
                free.insert(Vec::new());
                Some(waiter)
            }
        }
    }

    /// The session has been seen to.
    pub fn release(&self, key: &str) {
        let waiters = lock(&self.claimed).remove(key);
        waiters.into_iter().flatten().for_each(|waiter| waiter());
    }

    /// Bytes of a session that are stored and not indexed.
    pub fn pending(&self, files: &BodyFiles) -> Result<u64> {
        let progress = self.guarded(|disk| disk.searcher().and_then(|now| disk.progress(&now, files.name())));
        let progress = progress.unwrap_or_default();
        Ok(match tail::pending(files, &progress)? {
            Some(bytes) => bytes,
            None => tail::pending(files, &Progress::new())?.unwrap_or(0).max(1),
        })
    }

    /// Reads every file of the index once in the life of a process: one that is damaged, also in a byte that nobody
    /// asked for, is made again.
    pub fn check(&self) {
        let checked = std::mem::replace(&mut *lock(&self.checked), true);
        if !checked && self.guarded(|disk| Ok(disk.is_sound())) == Some(false) {
            self.discard("a file does not match its checksum");
        }
    }

    /// Indexes what is stored and not indexed yet, as far as one pass goes. An index that cannot be read is made again.
    pub fn index(&self, files: &BodyFiles) -> Result<Pass> {
        match self.try_index(files) {
            Err(Error::Corrupt(why)) => {
                self.discard(&why);
                self.try_index(files)
            }
            other => other,
        }
    }

    fn try_index(&self, files: &BodyFiles) -> Result<Pass> {
        // A handle of its own: questions are answered meanwhile.
        let mut disk = Disk::make(&self.state_dir)?;
        caught(|| disk.index(files))
    }

    fn discard(&self, why: &str) {
        tracing::warn!(state_dir = %self.state_dir.display(), why, "the search index is made again");
        *lock(&self.disk) = None;
        if let Err(error) = Disk::remove(&self.state_dir) {
            tracing::warn!(%error, "the search index could not be removed");
        }
    }

    /// Does something with the index; `None` where there is none or it cannot be read: then everything is scanned.
    fn guarded<T>(&self, work: impl FnOnce(&mut Disk) -> Result<T>) -> Option<T> {
        let mut slot = lock(&self.disk);
        if slot.as_ref().is_some_and(|disk| !disk.is_in_place()) {
            *slot = None;
        }
        if slot.is_none() {
            *slot = caught(|| Disk::open(&self.state_dir))
                .inspect_err(|error| tracing::warn!(%error, "the search index cannot be opened"))
                .ok()
                .flatten();
        }
        let disk = slot.as_mut()?;
        match caught(|| work(disk)) {
            Ok(done) => Some(done),
            Err(error) => {
                tracing::warn!(%error, "the search index cannot be read; searching without it");
                *slot = None;
                *lock(&self.checked) = false;
                None
            }
        }
    }

    /// The best messages of one session, best first.
    pub fn search(&self, files: &BodyFiles, request: &Request) -> Result<Vec<Found>> {
        let shelf = self.shelf(files.name());
        let mut shelf = lock(&shelf);
        let fresh = self.guarded(|disk| shelf.refresh(disk, files.name()));
        let void = fresh.is_none() || tail::pending(files, &shelf.progress)?.is_none();
        if void {
            // No index, or one of segments that are not there any more.
            *shelf = Shelf { tail: std::mem::take(&mut shelf.tail), ..Shelf::default() };
        }
        shelf.see_to_tail(files)?;
        let waiting = tail::pending(files, &shelf.tail.progress)?.unwrap_or(0);
        let once = if waiting > TAIL_BYTES {
            let terms = request.query.concepts.iter().flat_map(|concept| concept.terms.iter().cloned());
            let mut once = Tail::for_terms(shelf.progress.clone(), terms.collect());
            once.catch_up(files)?;
            Some(once)
        } else {
            shelf.tail.catch_up(files)?;
            None
        };
        let mut generations: Vec<u32> = match request.generation {
            Some(generation) => vec![generation],
            None => self.generations(&shelf, once.as_ref().unwrap_or(&shelf.tail), files),
        };
        generations.sort_unstable();
        let mut found = Vec::new();
        for generation in generations {
            let conversation = self.guarded(|disk| shelf.conversation(disk, files.name(), generation, void));
            let view = View {
                indexed: conversation.unwrap_or_default(),
                tail: once.as_ref().unwrap_or(&shelf.tail),
                mark: mark(files.name(), generation),
                generation,
            };
            found.extend(self.search_in(&view, request)?);
        }
        found.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(b.chunk.cmp(&a.chunk)));
        found.truncate(request.limit);
        Ok(found)
    }

    fn search_in(&self, view: &View<'_>, request: &Request) -> Result<Vec<Found>> {
        let (lengths, tail) = view.lengths();
        let mut concepts = Vec::with_capacity(request.query.concepts.len());
        for concept in &request.query.concepts {
            let indexed = self.guarded(|disk| view.indexed_hits(disk, concept)).unwrap_or_default();
            concepts.push(view.matches(concept, indexed, &tail));
        }
        keep_telling(&mut concepts);
        let entry = |position: u32| view.entry(position, &tail);
        let mut host = HashMap::new();
        if !request.scores.is_empty() {
            for position in 0..u32::try_from(lengths.count()).unwrap_or(u32::MAX) {
                let score = entry(position).and_then(|entry| request.scores.get(&entry.chunk));
                host.extend(score.map(|score| (position, score.clamp(0.0, 1.0))));
            }
        }
        let allowed = |position: u32| {
            request.filter.is_empty() || entry(position).is_some_and(|entry| request.filter.allows(&entry))
        };
        let ranked = rank(&lengths, &concepts, &host, request.limit, &allowed);
        Ok(ranked
            .into_iter()
            .filter_map(|ranked| {
                let entry = entry(ranked.position)?;
                let host = host.get(&ranked.position).copied().unwrap_or(0.0);
                Some(Found {
                    chunk: entry.chunk,
                    spot: entry.spot,
                    rank: ranked.rank,
                    similarity: ranked.similarity.max(host),
                })
            })
            .collect())
    }

    /// Every generation that has messages, from the bodies' ids: they are few.
    fn generations(&self, shelf: &Shelf, tail: &Tail, files: &BodyFiles) -> Vec<u32> {
        let mut found: HashSet<u32> = tail.entries.iter().map(|entry| entry.chunk.generation).collect();
        let newest = found.iter().copied().max().unwrap_or(0);
        // Generations count up from 0; the index is asked for each until several in a row are empty.
        let mut empty = 0;
        let mut generation = 0;
        while shelf.commit.is_some() && (generation <= newest || empty < 8) {
            let any = self
                .guarded(|disk| {
                    let searcher = disk.searcher()?;
                    Ok(!disk.conversation(&searcher, files.name(), generation)?.is_empty())
                })
                .unwrap_or(false);
            empty = if any { 0 } else { empty + 1 };
            if any {
                found.insert(generation);
            }
            generation += 1;
        }
        found.into_iter().collect()
    }

    fn shelf(&self, name: &str) -> Arc<Mutex<Shelf>> {
        let mut shelves = lock(&self.shelves);
        if shelves.len() >= MAX_SHELVES && !shelves.contains_key(name) {
            shelves.clear(); // whoever uses one holds it
        }
        Arc::clone(shelves.entry(name.to_owned()).or_default())
    }
}

/// More concepts than this do not make an answer better, only slower: the rarest count.
const LOOKED_AT: usize = 48;

fn keep_telling(concepts: &mut Vec<Matches>) {
    if concepts.len() > LOOKED_AT {
        concepts.sort_by_key(|concept| (concept.hits.is_empty(), concept.hits.len()));
        concepts.truncate(LOOKED_AT);
    }
}

impl Shelf {
    fn refresh(&mut self, disk: &mut Disk, session: &str) -> Result<()> {
        let searcher = disk.searcher()?;
        let commit = searcher.generation().generation_id();
        if self.commit != Some(commit) {
            self.progress = disk.progress(&searcher, session)?;
            self.conversations.clear();
            self.commit = Some(commit);
        }
        Ok(())
    }

    /// The tail follows the index; when that moved on, it begins anew.
    fn see_to_tail(&mut self, files: &BodyFiles) -> Result<()> {
        let follows =
            *self.tail.start() == self.progress && tail::pending(files, &self.tail.progress)?.is_some();
        if !follows {
            self.tail = Tail::after(self.progress.clone());
        }
        Ok(())
    }

    fn conversation(
        &mut self,
        disk: &mut Disk,
        session: &str,
        generation: u32,
        void: bool,
    ) -> Result<Option<Arc<Conversation>>> {
        if void || self.commit.is_none() {
            return Ok(None);
        }
        if let Some(known) = self.conversations.get(&generation) {
            return Ok(Some(Arc::clone(known)));
        }
        let searcher = disk.searcher()?;
        if self.commit != Some(searcher.generation().generation_id()) {
            return Err(Error::Corrupt("the index moved on; ask again".to_owned()));
        }
        let conversation = Arc::new(Conversation::new(disk.conversation(&searcher, session, generation)?));
        self.conversations.insert(generation, Arc::clone(&conversation));
        Ok(Some(conversation))
    }
}

impl Conversation {
    fn new(parts: Vec<Part>) -> Self {
        let mut order: Vec<(u64, u64, u32, u32, u32)> = Vec::new();
        for (number, part) in (0_u32..).zip(&parts) {
            for index in 0..part.len() {
                let (ordinal, fingerprint, words) = part.place(index);
                order.push((ordinal, fingerprint, number, u32::try_from(index).unwrap_or(u32::MAX), words));
            }
        }
        order.sort_unstable();
        let mut positions: Vec<Vec<u32>> = parts.iter().map(|part| vec![u32::MAX; part.len()]).collect();
        let (mut places, mut lengths, mut ids) = (Vec::new(), Lengths::default(), HashSet::new());
        for (ordinal, fingerprint, number, index, words) in order {
            if !ids.insert((ordinal, fingerprint)) {
                continue;
            }
            let slot = positions.get_mut(number as usize).and_then(|part| part.get_mut(index as usize));
            if let Some(slot) = slot {
                *slot = u32::try_from(places.len()).unwrap_or(u32::MAX);
            }
            places.push((number, index));
            lengths.push(words);
        }
        Self { parts, places, positions, lengths, ids }
    }
}

/// One conversation: what is indexed, then the tail.
struct View<'a> {
    indexed: Option<Arc<Conversation>>,
    tail: &'a Tail,
    mark: String,
    generation: u32,
}

/// Which of the tail's messages belong to the conversation, in order, and the place of each in that order.
struct InTail {
    entries: Vec<u32>,
    places: HashMap<u32, u32>,
    start: u32,
}

impl View<'_> {
    fn lengths(&self) -> (Lengths, InTail) {
        let mut lengths =
            self.indexed.as_ref().map_or_else(Lengths::default, |indexed| indexed.lengths.clone());
        let start = u32::try_from(lengths.count()).unwrap_or(u32::MAX);
        let mut tail = InTail { entries: Vec::new(), places: HashMap::new(), start };
        let mut seen = HashSet::new();
        for (number, entry) in (0_u32..).zip(&self.tail.entries) {
            let id = (entry.chunk.ordinal, entry.chunk.fingerprint);
            let known = self.indexed.as_ref().is_some_and(|indexed| indexed.ids.contains(&id));
            if entry.chunk.generation == self.generation && !known && seen.insert(id) {
                tail.places.insert(number, u32::try_from(tail.entries.len()).unwrap_or(u32::MAX));
                tail.entries.push(number);
                lengths.push(entry.words);
            }
        }
        (lengths, tail)
    }

    fn indexed_hits(&self, disk: &mut Disk, concept: &Concept) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        let Some(indexed) = &self.indexed else { return Ok(hits) };
        for term in &concept.terms {
            for (part, positions) in indexed.parts.iter().zip(&indexed.positions) {
                disk.postings(part, &self.mark, term, &mut |index, count| {
                    if let Some(&position) = positions.get(index).filter(|position| **position != u32::MAX) {
                        hits.push(Hit { position, count });
                    }
                })?;
            }
        }
        Ok(hits)
    }

    fn matches(&self, concept: &Concept, mut hits: Vec<Hit>, tail: &InTail) -> Matches {
        for term in &concept.terms {
            for (number, count) in self.tail.terms.get(term).into_iter().flatten() {
                if let Some(place) = tail.places.get(number) {
                    hits.push(Hit { position: tail.start.saturating_add(*place), count: *count });
                }
            }
        }
        // Runs in order, one behind the other: the sort sees that.
        hits.sort_by_key(|hit| hit.position);
        hits.dedup_by(|next, kept| {
            let same = next.position == kept.position;
            if same {
                kept.count = kept.count.max(next.count);
            }
            same
        });
        Matches { hits, whole: concept.whole, named: concept.named }
    }

    fn entry(&self, position: u32, tail: &InTail) -> Option<Entry> {
        if let Some(index) = position.checked_sub(tail.start) {
            return self.tail.entries.get(*tail.entries.get(index as usize)? as usize).copied();
        }
        let indexed = self.indexed.as_ref()?;
        let (part, index) = indexed.places.get(position as usize)?;
        Some(indexed.parts.get(*part as usize)?.entry(*index as usize))
    }
}

/// Damaged files can make the reader of them panic.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::Corrupt(format!("{}", Error::from_panic("search", &*panic)))))
}
