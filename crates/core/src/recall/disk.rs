//! The index on disk: tantivy segments below `<stateDir>/context/index/`, derived from the message bodies and never
//! needed: whatever is wrong with it, it is made again.
//!
//! Each conversation (session and generation) has terms of its own: its mark stands before every term. So its postings
//! hold nothing of other chats, and its statistics come with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tantivy::columnar::Column;
use tantivy::directory::error::LockError;
use tantivy::indexer::IndexWriterOptions;
use tantivy::postings::Postings;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{
    DocId, DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TERMINATED,
    TantivyDocument, TantivyError, Term,
};

use super::entry::Entry;
use super::files::Files;
use super::tail::{Progress, STEP};
use crate::store::{Body, BodyFiles, BodySpot, ChunkId};
use crate::{Error, Result};

/// Changes with the layout and with what [`super::analyze`] makes of a text.
const VERSION: &str = "v1";
/// Bytes of bodies that one pass indexes: the writer's lock is not held for longer than that takes.
const PASS: u64 = 16 << 20;
const MEMORY: usize = 20_000_000;

/// Numbers that are kept of each message.
const COLUMNS: [&str; 8] = ["ordinal", "fingerprint", "words", "role", "tool", "segment", "offset", "len"];

/// What a pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Everything that is stored is indexed.
    Done,
    /// There is more.
    More,
    /// Another process (or thread) is writing.
    Busy,
}

#[derive(Debug, Clone)]
struct Fields {
    terms: Field,
    conversation: Field,
    piece: Field,
    session: Field,
    progress: Field,
    at: Field,
    numbers: [Field; 8],
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let fields = Fields {
        terms: builder.add_text_field("terms", TextOptions::default().set_indexing_options(indexing)),
        conversation: builder.add_text_field("conversation", STRING),
        piece: builder.add_text_field("piece", STRING),
        session: builder.add_text_field("session", STRING),
        progress: builder.add_text_field("progress", STORED),
        at: builder.add_i64_field("at", FAST),
        numbers: COLUMNS.map(|name| builder.add_u64_field(name, FAST)),
    };
    (builder.build(), fields)
}

/// An open index.
pub(super) struct Disk {
    path: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
    seen: Option<(SystemTime, u64)>,
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Corrupt(format!("the search index: {error}"))
}

/// `<stateDir>/context/index`.
fn folder(state_dir: &Path) -> PathBuf {
    state_dir.join("context").join("index")
}

impl Disk {
    /// The index as it is; `None`: there is none. Links are refused.
    pub(super) fn open(state_dir: &Path) -> Result<Option<Self>> {
        let path = folder(state_dir).join(VERSION);
        if !is_own_directory(&folder(state_dir))?
            || !is_own_directory(&path)?
            || !path.join("meta.json").exists()
        {
            return Ok(None);
        }
        Self::open_at(path).map(Some)
    }

    /// The index, made where there is none.
    pub(super) fn make(state_dir: &Path) -> Result<Self> {
        let path = folder(state_dir).join(VERSION);
        for directory in [&folder(state_dir), &path] {
            if !is_own_directory(directory)? {
                make_own_directory(directory)?;
            }
        }
        Self::open_at(path)
    }

    fn open_at(path: PathBuf) -> Result<Self> {
        let (schema, fields) = schema();
        let directory = Files::open(&path).map_err(failed)?;
        let index = Index::open_or_create(directory, schema).map_err(failed)?;
        let seen = meta_of(&path);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(failed)?;
        Ok(Self { path, index, reader, fields, seen })
    }

    /// Removes the index: it is made again from the bodies.
    pub(super) fn remove(state_dir: &Path) -> Result<()> {
        let path = folder(state_dir);
        if !is_own_directory(&path)? {
            return Ok(());
        }
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Io { doing: "removing the search index", path, cause: error.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Whether its files are still there.
    pub(super) fn is_in_place(&self) -> bool {
        self.path.join("meta.json").exists()
    }

    /// Whether every file is as it was written.
    pub(super) fn is_sound(&self) -> bool {
        self.index.validate_checksum().is_ok_and(|damaged| damaged.is_empty())
    }

    /// What is committed now, by whichever process.
    pub(super) fn searcher(&mut self) -> Result<Searcher> {
        let now = meta_of(&self.path);
        if now != self.seen {
            self.reader.reload().map_err(failed)?;
            self.seen = now;
        }
        Ok(self.reader.searcher())
    }

    /// How far a session is indexed.
    pub(super) fn progress(&self, searcher: &Searcher, session: &str) -> Result<Progress> {
        let term = Term::from_field_text(self.fields.session, session);
        let mut progress = Progress::new();
        for segment in searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.session).map_err(failed)?;
            let Some(mut postings) =
                inverted.read_postings(&term, IndexRecordOption::Basic).map_err(failed)?
            else {
                continue;
            };
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if !segment.is_deleted(doc) {
                    let store = segment.get_store_reader(1).map_err(failed)?;
                    let note: TantivyDocument = store.get(doc).map_err(failed)?;
                    let text = note.get_first(self.fields.progress).and_then(|value| value.as_str());
                    let pairs: Vec<(u64, u64)> =
                        serde_json::from_str(text.unwrap_or("[]")).map_err(failed)?;
                    progress.extend(pairs);
                }
                doc = postings.advance();
            }
        }
        Ok(progress)
    }

    /// The indexed messages of one conversation.
    pub(super) fn conversation(
        &self,
        searcher: &Searcher,
        session: &str,
        generation: u32,
    ) -> Result<Vec<Part>> {
        let mark = mark(session, generation);
        let term = Term::from_field_text(self.fields.conversation, &mark);
        let mut parts = Vec::new();
        for segment in searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.conversation).map_err(failed)?;
            let Some(mut postings) =
                inverted.read_postings(&term, IndexRecordOption::Basic).map_err(failed)?
            else {
                continue;
            };
            let mut docs = Vec::new();
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if !segment.is_deleted(doc) {
                    docs.push(doc);
                }
                doc = postings.advance();
            }
            if !docs.is_empty() {
                parts.push(Part::open(segment, docs, generation)?);
            }
        }
        Ok(parts)
    }

    /// Shows where a term occurs in a part: index into its documents, and how often.
    pub(super) fn postings(
        &self,
        part: &Part,
        mark: &str,
        term: &str,
        show: &mut dyn FnMut(usize, u32),
    ) -> Result<()> {
        let term = Term::from_field_text(self.fields.terms, &format!("{mark}{term}"));
        let inverted = part.segment.inverted_index(self.fields.terms).map_err(failed)?;
        let Some(mut postings) =
            inverted.read_postings(&term, IndexRecordOption::WithFreqs).map_err(failed)?
        else {
            return Ok(());
        };
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if let Some(index) = part.index_of(doc) {
                show(index, postings.term_freq());
            }
            doc = postings.advance();
        }
        Ok(())
    }

    /// Indexes what is stored of a session and not indexed yet, as far as one pass goes.
    pub(super) fn index(&mut self, files: &BodyFiles) -> Result<Pass> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(MEMORY)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let mut writer: IndexWriter = match self.index.writer_with_options(options) {
            Ok(writer) => writer,
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => return Ok(Pass::Busy),
            Err(error) => return Err(failed(error)),
        };
        // Under the writer's lock: nobody else moves on meanwhile.
        self.reader.reload().map_err(failed)?;
        let mut progress = self.progress(&self.reader.searcher(), files.name())?;
        let before = progress.clone();
        let segments = files.segments()?;
        for (segment, done) in before.iter() {
            let len = segments.iter().find(|(number, _)| number == segment).map(|(_, len)| *len);
            if len.is_none_or(|len| len < *done) {
                writer.delete_term(Term::from_field_text(self.fields.piece, &piece(files, *segment)));
                progress.remove(segment);
            }
        }
        let mut left = PASS;
        for (segment, len) in segments {
            let mut done = progress.get(&segment).copied().unwrap_or(0);
            while done < len && left > 0 {
                let mut problem = None;
                let end = files.read(segment, done, STEP, &mut |body, spot| {
                    if let Err(error) = writer.add_document(self.document(files, &body, spot)) {
                        problem = Some(failed(error));
                    }
                })?;
                problem.map_or(Ok(()), Err)?;
                if end == done {
                    break;
                }
                left = left.saturating_sub(end - done);
                done = end;
                progress.insert(segment, done);
            }
        }
        if progress != before {
            let session = Term::from_field_text(self.fields.session, files.name());
            writer.delete_term(session);
            let pairs: Vec<(u64, u64)> = progress.into_iter().collect();
            let mut note = TantivyDocument::default();
            note.add_text(self.fields.session, files.name());
            note.add_text(self.fields.progress, serde_json::to_string(&pairs).map_err(failed)?);
            writer.add_document(note).map_err(failed)?;
            writer.commit().map_err(failed)?;
        }
        writer.wait_merging_threads().map_err(failed)?;
        Ok(if left == 0 { Pass::More } else { Pass::Done })
    }

    fn document(&self, files: &BodyFiles, body: &Body, spot: BodySpot) -> TantivyDocument {
        let mark = mark(files.name(), body.chunk_id.generation);
        let mut tokens = Vec::new();
        let entry = Entry::read(body, spot, &mut |term| {
            // The default position is the largest number there is; only whether a word occurs is asked for.
            tokens.push(Token { text: format!("{mark}{term}"), position: 0, ..Token::default() });
        });
        let mut document = TantivyDocument::default();
        document
            .add_pre_tokenized_text(self.fields.terms, PreTokenizedString { text: String::new(), tokens });
        document.add_text(self.fields.conversation, &mark);
        document.add_text(self.fields.piece, piece(files, spot.segment));
        document.add_i64(self.fields.at, entry.at);
        let numbers = [
            entry.chunk.ordinal,
            entry.chunk.fingerprint,
            u64::from(entry.words),
            entry.role,
            entry.tool,
            spot.segment,
            spot.offset,
            spot.len,
        ];
        for (field, number) in self.fields.numbers.iter().zip(numbers) {
            document.add_u64(*field, number);
        }
        document
    }
}

/// What stands before every term of a conversation. The directory's name ends with the hash of the session's key.
pub(super) fn mark(session: &str, generation: u32) -> String {
    const DIGITS: usize = 16;
    let hash = session.get(session.len().saturating_sub(DIGITS)..).unwrap_or(session);
    format!("{hash}{generation:x}\u{0}")
}

fn piece(files: &BodyFiles, segment: u64) -> String {
    format!("{}/{segment}", files.name())
}

/// What one tantivy segment holds of a conversation.
pub(super) struct Part {
    segment: SegmentReader,
    docs: Vec<DocId>,
    generation: u32,
    at: Column<i64>,
    numbers: Vec<Column<u64>>,
}

impl Part {
    fn open(segment: &SegmentReader, docs: Vec<DocId>, generation: u32) -> Result<Self> {
        let columns = segment.fast_fields();
        let numbers =
            COLUMNS.iter().map(|name| columns.u64(name)).collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self {
            segment: segment.clone(),
            docs,
            generation,
            at: columns.i64("at").map_err(failed)?,
            numbers,
        })
    }

    /// Number of messages.
    pub(super) fn len(&self) -> usize {
        self.docs.len()
    }

    fn index_of(&self, doc: DocId) -> Option<usize> {
        let first = *self.docs.first()?;
        let offset = doc.checked_sub(first)? as usize;
        // Mostly a session is indexed alone, so that its documents follow one another.
        if self.docs.get(offset) == Some(&doc) { Some(offset) } else { self.docs.binary_search(&doc).ok() }
    }

    fn number(&self, column: usize, doc: DocId) -> u64 {
        self.numbers.get(column).and_then(|column| column.first(doc)).unwrap_or(0)
    }

    /// Ordinal, fingerprint and length of a message.
    pub(super) fn place(&self, index: usize) -> (u64, u64, u32) {
        let doc = self.docs.get(index).copied().unwrap_or(0);
        let words = u32::try_from(self.number(2, doc)).unwrap_or(u32::MAX);
        (self.number(0, doc), self.number(1, doc), words)
    }

    /// A message.
    pub(super) fn entry(&self, index: usize) -> Entry {
        let doc = self.docs.get(index).copied().unwrap_or(0);
        let (ordinal, fingerprint, words) = self.place(index);
        Entry {
            chunk: ChunkId { generation: self.generation, ordinal, fingerprint },
            at: self.at.first(doc).unwrap_or(0),
            role: self.number(3, doc),
            tool: self.number(4, doc),
            words,
            spot: BodySpot {
                segment: self.number(5, doc),
                offset: self.number(6, doc),
                len: self.number(7, doc),
            },
        }
    }
}

fn meta_of(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = fs::metadata(path.join("meta.json")).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Whether a directory is there and is one; a link or a file in its place is `Refused`.
fn is_own_directory(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(true),
        Ok(_) => {
            Err(Error::Refused { path: path.to_owned(), why: "it is a link or not a directory".to_owned() })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::Io {
            doing: "looking at the search index",
            path: path.to_owned(),
            cause: error.to_string(),
        }),
    }
}

fn make_own_directory(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::Io {
            doing: "making the search index",
            path: path.to_owned(),
            cause: error.to_string(),
        }),
        _ => Ok(()),
    }
}
