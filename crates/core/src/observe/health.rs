//! The figures of `health()` (API.md, `Health`).

use crate::store::Figures;

/// Part of a whole, 0..1 and above; 0 of nothing.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What only the session knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HealthInput<'a> {
    /// Tokens in use.
    pub current_tokens: u64,
    /// Tokens of the window.
    pub limit: u64,
    /// Zone of the pressure: `green`, `yellow`, `red`, `compact`.
    pub zone: &'a str,
    /// Number of the current epoch.
    pub epoch: u64,
    /// Messages that left the view and can be brought back.
    pub cold_chunks: u64,
    /// Bytes that message bodies may take; `None`: any.
    pub quota: Option<u64>,
}

/// How a session is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Health {
    /// Tokens in use.
    pub current_tokens: u64,
    /// Tokens of the window.
    pub limit: u64,
    /// Their share, 0..1 and above.
    pub pct_used: f64,
    /// Zone of the pressure.
    pub zone: String,
    /// Number of the current epoch.
    pub epoch: u64,
    /// Checkpoint files.
    pub checkpoints: u64,
    /// Events in the journal so far.
    pub journal_lines: u64,
    /// Messages that left the view and can be brought back.
    pub cold_chunks: u64,
    /// Bytes of message bodies.
    pub bytes_on_disk: u64,
    /// The directory could not be written the last time it was tried.
    pub read_only: bool,
    /// What was found and repaired, or could not be, in words.
    pub problems: Vec<String>,
}

/// Puts both together.
pub fn health(input: &HealthInput<'_>, figures: &Figures) -> Health {
    let mut problems = figures.problems.clone();
    if figures.bad_lines > 0 {
        problems.push(format!("{} journal lines are damaged or missing", figures.bad_lines));
    }
    if figures.quarantined > 0 {
        problems.push(format!("{} damaged files were set aside in quarantine/", figures.quarantined));
    }
    if let Some(quota) = input.quota.filter(|quota| figures.body_bytes > *quota) {
        problems.push(format!(
            "message bodies take {} bytes, more than the quota of {quota}",
            figures.body_bytes
        ));
    }
    // The store may have noted the same.
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    Health {
        current_tokens: input.current_tokens,
        limit: input.limit,
        pct_used: share(input.current_tokens, input.limit),
        zone: input.zone.to_owned(),
        epoch: input.epoch,
        checkpoints: figures.checkpoints as u64,
        journal_lines: figures.journal_lines,
        cold_chunks: input.cold_chunks,
        bytes_on_disk: figures.body_bytes,
        read_only: figures.read_only,
        problems,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_told_once_and_in_words() {
        let figures = Figures {
            bad_lines: 2,
            quarantined: 1,
            body_bytes: 2_000,
            problems: vec!["2 journal lines are damaged or missing".into()],
            ..Figures::default()
        };
        let input = HealthInput {
            current_tokens: 45,
            limit: 100,
            zone: "green",
            quota: Some(1_000),
            ..HealthInput::default()
        };
        let health = health(&input, &figures);
        assert_eq!(health.problems.len(), 3, "{:?}", health.problems);
        assert!((health.pct_used - 0.45).abs() < 1e-9);
    }

    #[test]
    fn an_unknown_window_is_no_pressure() {
        assert_eq!(
            health(&HealthInput { current_tokens: 9, ..HealthInput::default() }, &Figures::default())
                .pct_used,
            0.0
        );
    }
}
