//! The checkpoint as a YAML file (DESIGN section 5): written so that every reader gets the same values back, read so
//! that a cut, edited or hostile file is an error and never half a checkpoint (FAULTS theme D).

mod emit;
mod foreign;

use sha2::{Digest, Sha256};

use super::schema::{Checkpoint, Integrity, SCHEMA, SCHEMA_VERSION};
use crate::error::{Error, Result};
use crate::text::yaml::{self, Limits};

pub use emit::emit;
pub use foreign::parse_foreign;

/// Largest checkpoint file in bytes, for writing and for reading. The caps of `build` keep real ones far below it.
pub const MAX_BYTES: usize = 2 << 20;

/// Deepest nesting of mappings and lists. The schema needs 4.
const MAX_DEPTH: usize = 12;

/// Start of the end mark. Always at column 0, where no text of a block scalar can stand.
const END_MARK: &str = "\nintegrity:\n";

/// The file of a checkpoint. `integrity` is computed anew over the bytes before it; only its `state_seq` is kept.
///
/// # Errors
/// `InvalidInput` when the text would exceed [`MAX_BYTES`], so that nothing is written that cannot be read.
pub fn format(checkpoint: &Checkpoint) -> Result<String> {
    Ok(seal(checkpoint)?.1)
}

/// The checkpoint with its `integrity` filled in, and its file.
///
/// # Errors
/// As [`format`].
pub fn seal(checkpoint: &Checkpoint) -> Result<(Checkpoint, String)> {
    let mut sealed = checkpoint.clone();
    let state_seq = sealed.integrity.take().map_or(0, |end| end.state_seq);
    let mut tree = serde_json::to_value(&sealed)
        .map_err(|cause| Error::InvalidInput(format!("checkpoint cannot be written: {cause}")))?;
    if let Some(fields) = tree.as_object_mut() {
        fields.remove("integrity");
    }
    let mut text = emit(&tree)?;
    let integrity = Integrity { bytes: text.len() as u64, hash: hex_digest(text.as_bytes()), state_seq };
    text.push_str(&end_block(&integrity));
    if text.len() > MAX_BYTES {
        return Err(Error::InvalidInput(format!(
            "checkpoint of {} bytes is above the limit of {MAX_BYTES}; shorten its items",
            text.len()
        )));
    }
    sealed.integrity = Some(integrity);
    Ok((sealed, text))
}

/// Reads a file that [`format`] wrote. A byte order mark before it is accepted.
///
/// # Errors
/// `Corrupt`, with the line where there is one: too large, cut off, edited, not YAML, aliases, deep nesting, duplicate
/// keys, a second document, another schema.
pub fn parse(text: &str) -> Result<Checkpoint> {
    let text = within_limit(text)?;
    let (body, stored) = verify(text)?;
    let mut checkpoint: Checkpoint = read(body, 0)?;
    if checkpoint.schema != SCHEMA {
        return Err(corrupt(&format!("schema is not {SCHEMA}")));
    }
    if checkpoint.schema_version != SCHEMA_VERSION {
        return Err(corrupt(&format!(
            "schema_version {} is not {SCHEMA_VERSION}: written by another version",
            checkpoint.schema_version
        )));
    }
    if checkpoint.integrity.replace(stored).is_some() {
        return Err(corrupt("two end marks"));
    }
    Ok(checkpoint)
}

fn within_limit(text: &str) -> Result<&str> {
    if text.len() > MAX_BYTES {
        return Err(corrupt(&format!("{} bytes are above the limit of {MAX_BYTES}", text.len())));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Splits off the end mark and checks it. The mark must be, byte for byte, the one that belongs to the body, so
/// nothing can be added after it either.
fn verify(text: &str) -> Result<(&str, Integrity)> {
    let cut = || corrupt("end mark `integrity` is missing or incomplete: the file was cut off or edited");
    let at = text.rfind(END_MARK).ok_or_else(cut)? + 1;
    let (body, end) = text.split_at_checked(at).ok_or_else(cut)?;
    let state_seq = end
        .lines()
        .find_map(|line| line.strip_prefix("  state_seq: "))
        .and_then(|number| number.parse().ok())
        .ok_or_else(cut)?;
    let expected = Integrity { bytes: body.len() as u64, hash: hex_digest(body.as_bytes()), state_seq };
    if end == end_block(&expected) {
        Ok((body, expected))
    } else {
        Err(corrupt("content does not match `integrity`: the file was cut off or edited"))
    }
}

fn end_block(end: &Integrity) -> String {
    format!("integrity:\n  bytes: {}\n  hash: \"{}\"\n  state_seq: {}\n", end.bytes, end.hash, end.state_seq)
}

fn hex_digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// YAML to a value. `aliases` is how many alias nodes may stand in the text: none in our own files.
fn read<T: serde::de::DeserializeOwned>(text: &str, aliases: usize) -> Result<T> {
    let limits = Limits { bytes: MAX_BYTES, depth: MAX_DEPTH, aliases, merge_keys: 0 };
    yaml::read(text, limits).map_err(|why| corrupt(&why))
}

fn corrupt(why: &str) -> Error {
    Error::Corrupt(format!("checkpoint file: {why}"))
}

#[cfg(test)]
mod tests;
