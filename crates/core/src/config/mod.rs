//! One typed configuration and its sources (DESIGN section 6, seeds 003 and 004).
