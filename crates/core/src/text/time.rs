//! Times as they stand in files: ISO 8601 with its zone.

/// Epoch milliseconds; `None` for what is no time.
pub fn millis(iso: &str) -> Option<i64> {
    iso.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// Hours from one time to another; `None` where one of them is none.
pub fn hours_between(from: &str, to: &str) -> Option<f64> {
    Some(millis(to)?.saturating_sub(millis(from)?) as f64 / 3_600_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_count_and_what_is_no_time_is_none() {
        assert_eq!(hours_between("2026-01-01T12:00:00+02:00", "2026-01-01T11:30:00Z"), Some(1.5));
        assert_eq!(hours_between("yesterday", "2026-01-01T11:30:00Z"), None);
    }
}
