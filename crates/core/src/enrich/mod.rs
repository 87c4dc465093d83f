//! A model's help: prompts for it, and reading and checking what comes back (seed 000, improvement 5; seed 004). Also the
//! summary that needs no model. Pure functions: the model itself is called from JavaScript, and nothing here trusts it.

pub mod check;
pub mod digest;
pub mod fence;
pub mod lenient;
pub mod parse;
pub mod prompt;
pub mod rolling;

pub use parse::{Enrichment, parse_enrichment};
pub use prompt::{Prompt, enrichment_prompt};
pub use rolling::{Spoken, check_summary, condense_prompt, rolling_prompt, summary_block, summary_tokens};
