//! Text: normalising, folding, words, cutting, token estimates, redaction. Pure functions; nothing here does I/O.

pub mod clip;
pub mod fold;
pub mod normalize;
pub(crate) mod pattern;
pub mod redact;
pub(crate) mod scan;
pub mod stem;
pub mod time;
pub mod tokens;
pub mod wellformed;
pub mod words;
pub mod yaml;

pub use fold::fold;
pub use normalize::{clean, normalize, strip_marks};
pub use words::{STOP_WORDS, is_stop_word, keywords, sentences, words};
