//! Questions about a session: what became of a text, how the session is.

use super::super::observe::Sink;
use super::super::{Done, Preview, State, make, view};
use super::{Live, figures};
use crate::checkpoint::Trigger;
use crate::ledger::{Item, Source, Status};
use crate::packet;
use crate::text::normalize::normalize;
use crate::text::words::keywords;
use serde::Serialize;
use std::collections::HashSet;

/// What became of a text (API.md, `explain`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// Something remembered says this.
    pub found: bool,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// `active`, `superseded` or `resolved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What superseded or resolved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why the packet does not show it; missing where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not_in_packet: Option<String>,
}

/// The name in the public surface.
fn source_name(source: Source) -> Option<String> {
    serde_json::to_value(source).ok()?.as_str().map(str::to_owned)
}

/// How the session is (API.md, `Health`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Tokens of the request.
    pub current_tokens: u64,
    /// The window, in tokens.
    pub limit: u64,
    /// 0..1 and above.
    pub pct_used: f64,
    /// `green`, `yellow`, `red` or `compact`.
    pub zone: &'static str,
    /// Epochs count from 1.
    pub epoch: u64,
    /// Checkpoint files.
    pub checkpoints: usize,
    /// Events so far.
    pub journal_lines: u64,
    /// Messages that left the view and can be brought back.
    pub cold_chunks: u64,
    /// Size of the session's files, in bytes.
    pub bytes_on_disk: u64,
    /// The directory could not be written the last time it was tried.
    pub read_only: bool,
    /// What was found and repaired, or could not be, in words.
    pub problems: Vec<String>,
}

/// The id of the entry that holds every telling word of a text which none says as it stands: of what holds the newest,
/// else the newest.
fn by_words(state: &State, text: &str) -> Option<String> {
    let telling = |text: &str| -> HashSet<String> { keywords(text).into_iter().collect() };
    let asked = telling(text);
    let view = view::live(state);
    let says = |item: &&Item| asked.is_subset(&telling(&item.entry.text));
    let newest = |active: bool| view.items.iter().rev().filter(|item| item.is_active() == active).find(says);
    let found = (!asked.is_empty()).then(|| newest(true).or_else(|| newest(false)))??;
    Some(found.entry.id.clone())
}

impl Live {
    /// Where a remembered text came from, what became of it, and why the packet does not show it.
    pub fn explain(&self, text: String, done: Done<Explained>) {
        let live = self.clone();
        self.session.read(
            move |reader| {
                let (known, seq) = Preview::of(reader)?;
                let state = known.state();
                let by_words = || state.ledger.explain(&by_words(state, &text)?, &state.live);
                let Some(found) = state.ledger.explain(&text, &state.live).or_else(by_words) else {
                    return Ok(Explained::default());
                };
                let (status, why) = match &found.status {
                    Status::Active => ("active", None),
                    Status::Superseded(_) => ("superseded", Some("something newer replaced it")),
                    Status::Resolved(_) => ("resolved", Some("it is settled")),
                    Status::Withdrawn(_) => ("resolved", Some("it is no longer wanted")),
                };
                let mut explained = Explained {
                    found: true,
                    source: source_name(found.source),
                    status: Some(status.to_owned()),
                    by: found.by,
                    why_not_in_packet: why.map(str::to_owned),
                };
                if found.status == Status::Active {
                    explained.why_not_in_packet = live.why_not_shown(&known, seq, &found.id, &found.text);
                }
                Ok(explained)
            },
            done,
        );
    }

    /// Why what holds is not in the packet of now.
    fn why_not_shown(&self, known: &Preview, seq: u64, id: &str, text: &str) -> Option<String> {
        let request = self.request(Trigger::Epoch);
        let now = make::checkpoint(known, &request, self.session.key(), packet::UNWRITTEN, None, seq);
        let packet = packet::render(&now, &packet::RenderOptions::default());
        let shown = normalize(&packet.text);
        if shown.contains(normalize(text).trim()) {
            return None;
        }
        let view = view::live(known.state());
        let item = view.item_of(id)?;
        if shown.contains(normalize(&item.entry.text).trim()) {
            return None;
        }
        let cap = view::ITEMS_SHOWN;
        if !view.within(item.entry.kind, cap).iter().any(|other| other.entry.id == item.entry.id) {
            return Some(format!(
                "a checkpoint holds the newest {cap} entries of a kind, and so many newer ones hold; it stays in the \
                 journal, and a search finds its message"
            ));
        }
        Some(format!(
            "the packet holds {} tokens at most; other entries were more useful",
            packet::DEFAULT_MAX_TOKENS
        ))
    }

    /// How the session is.
    pub fn health(&self, done: Done<Health>) {
        let live = self.clone();
        self.session.read(
            move |reader| {
                let measure = figures::gauge(&live, None, &live.limits(None)).measure;
                let figures = reader.figures()?;
                let cold_chunks = reader.cold_chunks()?;
                let mut problems = figures.problems;
                let damaged = format!("damaged or missing journal lines: {}", figures.bad_lines);
                // The store notes the same when it meets them.
                if figures.bad_lines > 0 && !problems.contains(&damaged) {
                    problems.push(damaged);
                }
                let figures_now = live.own.figures();
                problems.extend(figures_now.waits_for_disk.clone().filter(|_| !figures_now.is_settled()));
                drop(figures_now);
                problems.extend(live.own.figures().take_trouble().map(|error| error.to_string()));
                Ok(Health {
                    current_tokens: measure.tokens,
                    limit: measure.context_window,
                    pct_used: measure.utilization,
                    zone: measure.zone.name(),
                    epoch: reader.state().epoch.as_ref().map_or(0, |epoch| epoch.n),
                    checkpoints: figures.checkpoints,
                    journal_lines: figures.journal_lines,
                    cold_chunks,
                    bytes_on_disk: figures.bytes,
                    read_only: figures.read_only,
                    problems,
                })
            },
            done,
        );
    }
}
