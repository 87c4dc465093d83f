//! What must hold for any bytes at all. Each function is the body of a fuzz target here, and of a bounded property test
//! in `crates/core/tests/it/fuzz.rs`, so that every run of the tests exercises it without a fuzzer.

use clawback_core::checkpoint::yaml;
use clawback_core::store::Line;
use clawback_core::text::{clip, redact, tokens, wellformed};
use clawback_core::transcript::{Options, TranscriptReader};
use std::io::Cursor;

/// An estimate is zero for the empty text only, and never above three tokens per byte.
pub fn tokens(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let estimate = tokens::estimate_tokens(&text);
    assert_eq!(estimate == 0, text.is_empty());
    assert!(estimate <= 3 * text.len() as u64);
}

/// Cuts keep to their budget and are pieces of the text; one line has no line break.
pub fn clip(data: &[u8]) {
    let (first, rest) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    let text = String::from_utf8_lossy(rest);
    let max = u64::from(first);
    assert!(text.starts_with(clip::first_graphemes(&text, usize::from(first))));
    assert!(text.ends_with(clip::last_tokens(&text, max)));
    for cut in [clip::ellipsize_tokens(&text, max), clip::head_and_tail(&text, max, "[...]")] {
        assert!(tokens::estimate_tokens(&cut) <= max);
    }
    assert!(clip::graphemes(&clip::ellipsize(&text, usize::from(first))).count() <= usize::from(first));
    assert!(!clip::one_line(&text).contains(['\n', '\r', '\u{2028}']));
    assert_eq!(clip::one_line(&text), clip::one_line(&clip::one_line(&text)));
}

/// Redacting twice is redacting once.
pub fn redact(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let once = redact::redact_secrets(&text);
    assert_eq!(redact::redact_secrets(&once), once);
    let repaired = wellformed::repair_json_surrogates(&text);
    if let Ok(value) = serde_json::from_str(&repaired) {
        let once = redact::redact_value(&value);
        assert_eq!(redact::redact_value(&once), once);
    }
}

/// A checkpoint that parses is written and read back as the same.
pub fn yaml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(checkpoint) = yaml::parse(&text) {
        let written = yaml::format(&checkpoint).unwrap_or_default();
        assert_eq!(yaml::parse(&written).map(|read| read.decisions), Ok(checkpoint.decisions));
    }
}

/// A line of a journal that reads is written and read back as the same. The bytes are tried as they are, and with a
/// checksum that fits, which no fuzzer would find.
pub fn journal(data: &[u8]) {
    let mut sealed = data.to_vec();
    sealed.extend_from_slice(format!(",\"crc\":\"{:08x}\"}}\n", crc32fast::hash(data)).as_bytes());
    for bytes in [data, sealed.as_slice()] {
        if let Some(line) = Line::parse(bytes)
            && let Ok(written) = line.to_bytes()
        {
            assert_eq!(Line::parse(&written), Some(line));
        }
    }
}

/// A transcript of any bytes is read to its end, in batches of bounded size.
pub fn transcript(data: &[u8]) {
    let options = Options { max_line_bytes: 4_096, ..Options::default() };
    let Ok(mut reader) = TranscriptReader::from_source(Cursor::new(data), "memory", options) else { return };
    let mut batches = 0;
    while let Ok(Some(batch)) = reader.next_batch(8, 1_024) {
        assert!(batch.events.len() <= 8);
        batches += 1;
        assert!(batches <= 2 * data.len() + 16, "the reader does not come to an end");
    }
}
