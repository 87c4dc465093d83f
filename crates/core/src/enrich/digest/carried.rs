//! What a summary from before carries on: its facts go through capture and ledger like any summary's; files, identifiers
//! and requests of ours, which capture does not read, are taken from their lines.

use super::LAST_LINE;
use crate::text::pattern::static_regex;

/// Labels of the lines that are read again.
pub(super) const REQUEST: &str = "Latest request (the user's words):";
pub(super) const REQUESTS: &str = "Earlier requests:";
pub(super) const MODIFIED: &str = "Files modified:";
pub(super) const READ: &str = "Files read:";
pub(super) const IDENTIFIERS: &str = "Exact identifiers:";
/// Requests that are kept.
pub(super) const KEPT_REQUESTS: usize = 8;
/// Files of one kind that are taken over.
const KEPT_FILES: usize = 60;
/// Of a summary so many bytes are looked at.
const LOOKED_AT: usize = 64 << 10;

static_regex! {
    static READ_FILES = r"(?s)<read-files>\n?(.*?)</read-files>";
    static MODIFIED_FILES = r"(?s)<modified-files>\n?(.*?)</modified-files>";
    /// From our steps and context on: they held when the summary was made.
    static PASSING = r"(?m)^## (?:Next Steps|Critical Context)[ \t]*$";
}

/// What is taken from the summary before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// The part with facts, for capture.
    pub facts: String,
    /// The request that was unanswered.
    pub request: Option<String>,
    /// What the user had asked for, oldest first.
    pub requests: Vec<String>,
    /// Written or edited.
    pub files_modified: Vec<String>,
    /// Read.
    pub files_read: Vec<String>,
    /// Addresses, paths, hashes, long numbers.
    pub identifiers: Vec<String>,
}

impl Carried {
    /// Reads a summary: ours, Pi's, OpenClaw's or anybody's.
    pub fn of(summary: &str) -> Self {
        let summary = summary.get(..summary.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        let mut carried = Self::default();
        for (pattern, files) in
            [(&READ_FILES, &mut carried.files_read), (&MODIFIED_FILES, &mut carried.files_modified)]
        {
            let listed = pattern.captures_iter(summary).filter_map(|found| found.get(1));
            files.extend(
                listed
                    .flat_map(|list| list.as_str().lines())
                    .map(str::trim)
                    .filter(|l| !l.is_empty())
                    .map(str::to_owned),
            );
            files.truncate(KEPT_FILES);
        }
        if !summary.trim_end().ends_with(LAST_LINE) {
            carried.facts = summary.to_owned();
            return carried;
        }
        carried.facts = summary
            .get(..PASSING.find(summary).map_or(summary.len(), |found| found.start()))
            .unwrap_or_default()
            .to_owned();
        carried.take_lines(summary);
        carried
    }

    fn take_lines(&mut self, summary: &str) {
        let mut in_requests = false;
        for line in summary.lines() {
            if let Some(item) = line.strip_prefix("  - ").filter(|_| in_requests) {
                self.requests.push(item.to_owned());
                continue;
            }
            in_requests = false;
            let Some(line) = line.strip_prefix("- ") else { continue };
            let names =
                |list: &str| list.split(", ").map(str::to_owned).filter(|name| !name.is_empty()).collect();
            if let Some(text) = line.strip_prefix(REQUEST) {
                self.request = Some(text.trim().to_owned());
            } else if let Some(rest) = line.strip_prefix(REQUESTS) {
                in_requests = true;
                self.requests.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned));
            } else if let Some(list) = line.strip_prefix(MODIFIED) {
                self.files_modified = names(list.trim());
            } else if let Some(list) = line.strip_prefix(READ) {
                self.files_read = names(list.trim());
            } else if let Some(list) = line.strip_prefix(IDENTIFIERS) {
                self.identifiers = names(list.trim());
            }
        }
        self.requests.extend(self.request.clone());
    }
}
