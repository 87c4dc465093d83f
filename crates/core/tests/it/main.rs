//! Integration tests of the core: one binary, one module per room.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "helpers of tests may fail loudly; the lint exempts test functions only"
)]

mod calibration;
mod fuzz;
mod live;
mod recall;
mod session;
mod store_basic;
mod store_cold;
mod store_expiry;
mod store_faults;
mod store_journal;
mod store_logs;
mod store_processes;
mod store_support;
mod tokens;
mod transcript;
mod walls;
mod yaml_readers;
mod capture;
mod capture_changed;
mod capture_reported;
mod capture_support;
mod capture_turns;
mod capture_withdrawn;
