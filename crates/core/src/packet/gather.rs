//! What could stand in a packet: each item of the checkpoint as one safe line with its words and its age.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::files;
use super::neutral::neutralise;
use super::root::Root;
use super::section::Section;
use super::tasks::Tasks;
use crate::checkpoint::Checkpoint;
use crate::text::clip;
use crate::text::fold::fold;
use crate::text::words::is_stop_word;

/// Letters of a word that tell its subject; what follows is mostly grammar.
const STEM: usize = 6;

/// Words of an item, each as a hash, for comparing subjects: ascending, each once.
pub(super) type Words = Vec<u64>;

/// Most items of a section that are looked at, newest first: more than any checkpoint of ours holds. An object from
/// elsewhere with a hundred thousand of them must not hold up the host.
pub(super) const MOST: usize = 200;

/// How many older items of each section were not looked at.
pub(super) type Beyond = [u64; Section::ALL.len()];

/// An item that may be shown.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) section: Section,
    /// One line, safe, at most `section.longest()` graphemes.
    pub(super) line: String,
    pub(super) words: Words,
    /// Above 0 to 1; the newest of its section is 1.
    pub(super) recency: f64,
    /// Worth beside an ordinary item of its section.
    pub(super) standing: f64,
}

impl Candidate {
    /// Of the oldest third of its section.
    pub(super) fn is_early(&self) -> bool {
        self.recency * 3.0 <= 1.0
    }
}

/// All items, in the order of the packet, oldest first within a section, each text once. `shown` holds texts that
/// stand in the head of the packet already.
pub(super) fn candidates(checkpoint: &Checkpoint, root: &Root, shown: &[&str]) -> (Vec<Candidate>, Beyond) {
    let mut all = Vec::new();
    let mut beyond = Beyond::default();
    let head: Vec<String> = shown.iter().map(|text| fingerprint(text)).collect();
    let mut seen: BTreeSet<String> = head.iter().cloned().collect();
    let is_said = |gist: &str| {
        let gist = fingerprint(gist.trim_end_matches('…'));
        head.iter().any(|text| text.starts_with(&gist))
    };
    let tasks = Tasks::of(&checkpoint.tasks);
    let mut talk: Words = joined(shown.iter().flat_map(|text| words(text)));
    for section in Section::ALL {
        let texts = texts(checkpoint, section, &tasks, &is_said);
        if let Some(count) = beyond.get_mut(section as usize) {
            *count = texts.len().saturating_sub(MOST) as u64;
        }
        let lines: Vec<String> = newest(&texts, MOST)
            .iter()
            .map(|text| neutralise(clip::first_graphemes(text, 4 * section.longest())))
            .map(|text| match section {
                Section::FilesModified | Section::FilesRead => root.relative(&text),
                _ => text,
            })
            .map(|text| clause(&once(&text), section.longest()))
            // What stands in a row with others needs no full stop.
            .map(|line| if section == Section::Done { line.trim_end_matches('.').to_owned() } else { line })
            .filter(|line| !line.is_empty())
            .collect();
        // Of equal lines the newest stays, so the walk is backwards.
        let count = lines.len() as f64;
        let mut kept: Vec<Candidate> = lines
            .into_iter()
            .enumerate()
            .rev()
            .filter(|(_, line)| seen.insert(fingerprint(line)))
            .map(|(index, line)| Candidate {
                section,
                words: words(&line),
                standing: if section.is_files() { files::worth(&line, &talk) } else { standing(&line) },
                line,
                recency: (index as f64 + 1.0) / count,
            })
            .collect();
        if !section.is_files() {
            let said = kept.iter().flat_map(|candidate| candidate.words.iter().copied());
            talk = joined(talk.into_iter().chain(said));
        }
        kept.reverse();
        all.append(&mut kept);
    }
    (all, beyond)
}

fn texts(
    checkpoint: &Checkpoint,
    section: Section,
    tasks: &Tasks,
    is_said: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    match section {
        Section::Constraints => checkpoint.constraints.clone(),
        Section::Decisions => checkpoint.decisions.iter().map(|decision| decision.what.clone()).collect(),
        Section::Blocked => tasks.blocked.clone(),
        Section::Tasks => tasks.open.clone(),
        Section::OpenItems => checkpoint.open_items.clone(),
        Section::Errors => newest(&checkpoint.thread.errors, 3).to_vec(),
        Section::FilesModified => files::distinct(&checkpoint.resources.files_modified),
        Section::FilesRead => files::distinct(&checkpoint.resources.files_read),
        Section::Agents => checkpoint
            .agents
            .iter()
            .map(|agent| match &agent.task {
                Some(task) => format!("{}: {task}", agent.id),
                None => agent.id.clone(),
            })
            .collect(),
        Section::Learnings => checkpoint.learnings.clone(),
        Section::Done => tasks.done.clone(),
        Section::Thread => thread(checkpoint, is_said),
        Section::Tools => checkpoint.resources.tools_used.clone(),
    }
}

/// The exchanges that the head does not say already; the summary before them only where no goal says what it is all
/// about.
fn thread(checkpoint: &Checkpoint, is_said: &dyn Fn(&str) -> bool) -> Vec<String> {
    let thread = &checkpoint.thread;
    let summary = Some(&thread.summary).filter(|text| checkpoint.goal.is_none() && !text.is_empty());
    let exchanges = thread
        .key_exchanges
        .iter()
        .filter(|exchange| !is_said(&exchange.gist))
        .map(|exchange| format!("{}: {}", exchange.role, exchange.gist));
    summary.cloned().into_iter().chain(exchanges).collect()
}

pub(super) fn newest(items: &[String], count: usize) -> &[String] {
    items.get(items.len().saturating_sub(count)..).unwrap_or_default()
}

/// A line of at most `longest` graphemes. A longer one ends where a clause does, if that leaves most of it.
pub(super) fn clause(line: &str, longest: usize) -> String {
    let cut = clip::ellipsize(line, longest);
    if cut.len() == line.len() {
        return line.to_owned();
    }
    let kept = cut.trim_end_matches('…');
    let end = kept.match_indices([',', ';', '.', ':', '(', '–', '—']).map(|(at, _)| at).rfind(|at| {
        let rest = kept.get(*at..).unwrap_or_default();
        *at * 3 >= kept.len() * 2 && (rest.starts_with('(') || rest.chars().nth(1) == Some(' '))
    });
    let kept = end.and_then(|end| kept.get(..end)).unwrap_or(kept);
    format!("{}…", kept.trim_end())
}

/// A line without the clauses that it says twice.
fn once(line: &str) -> String {
    if !line.contains("; ") {
        return line.to_owned();
    }
    let mut seen = BTreeSet::new();
    line.split("; ").filter(|part| seen.insert(fingerprint(part))).collect::<Vec<_>>().join("; ")
}

/// Letters and digits of a text in lower case: equal for texts that differ only in marks and case.
pub(super) fn fingerprint(text: &str) -> String {
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
        return letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    }
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Stems, roughly, of the words that tell a subject, parts of paths and identifiers among them. Cutting endings off by
/// length serves any inflected language well enough to see that two lines are about one thing.
pub(super) fn words(text: &str) -> Words {
    let folded = fold(&apart(text));
    let words = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2 || word.contains(|c: char| c.is_ascii_digit()))
        .filter(|word| !is_stop_word(word));
    joined(words.map(|word| {
        let mut hasher = SipHasher13::new();
        let end = word.char_indices().nth(STEM).map_or(word.len(), |(at, _)| at);
        hasher.write(word.get(..end).unwrap_or(word).as_bytes());
        hasher.finish()
    }))
}

/// Words of several texts as those of one.
fn joined(words: impl Iterator<Item = u64>) -> Words {
    let mut words: Words = words.collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// `AgentSession` as two words.
fn apart(text: &str) -> Cow<'_, str> {
    let is_joint = |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']);
    if text.is_ascii() && !text.as_bytes().windows(2).any(is_joint) {
        return Cow::Borrowed(text);
    }
    let mut apart = String::with_capacity(text.len() + 8);
    let mut was_lower = false;
    for c in text.chars() {
        if was_lower && c.is_uppercase() {
            apart.push(' ');
        }
        was_lower = c.is_lowercase();
        apart.push(c);
    }
    Cow::Owned(apart)
}

/// Share of `item`'s words that are in `other`, 0..1.
pub(super) fn overlap(item: &Words, other: &Words) -> f64 {
    share(item.iter().filter(|word| other.binary_search(word).is_ok()).count(), item)
}

/// How much of an item so many of its words are, 0..1.
pub(super) fn share(count: usize, item: &Words) -> f64 {
    if item.is_empty() { 0.0 } else { count as f64 / item.len() as f64 }
}

/// What an agent gets wrong without it: a choice that replaced another one.
const REVERSED: f64 = 2.0;

fn standing(line: &str) -> f64 {
    let folded = fold(line);
    if [" instead of ", " umesto "].iter().any(|words| folded.contains(words)) { REVERSED } else { 1.0 }
}
