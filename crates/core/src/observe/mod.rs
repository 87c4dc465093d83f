//! Activity logs, health, statistics for tuning (seed 003).
