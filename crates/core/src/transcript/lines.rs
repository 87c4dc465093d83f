//! Lines of a file of any size, one in memory at a time.

use std::io::{self, BufRead, BufReader, Read};

const BUFFER_BYTES: usize = 256 * 1024;

/// Reads line by line; a line above the cap is passed over without being held.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    buffer: Vec<u8>,
    cap: usize,
    number: u64,
    offset: u64,
}

/// A line as it was found.
pub(super) enum Line<'a> {
    /// Its bytes without the line end.
    Whole {
        /// From 1.
        number: u64,
        /// Without `\n`.
        bytes: &'a [u8],
        /// `false` for a last line without a newline: it may have been cut off.
        ended: bool,
    },
    /// Longer than the cap.
    TooLong {
        /// From 1.
        number: u64,
        /// How long, in bytes.
        length: u64,
    },
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R, cap: usize) -> Self {
        Self {
            source: BufReader::with_capacity(BUFFER_BYTES, source),
            buffer: Vec::new(),
            cap,
            number: 0,
            offset: 0,
        }
    }

    /// The next line, `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut length: u64 = 0;
        let mut ended = false;
        while !ended {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            let mut parts = chunk.splitn(2, |byte| *byte == b'\n');
            let part = parts.next().unwrap_or_default();
            ended = parts.next().is_some();
            if length + part.len() as u64 <= self.cap as u64 {
                self.buffer.extend_from_slice(part);
            }
            length += part.len() as u64;
            let used = part.len() + usize::from(ended);
            self.source.consume(used);
            self.offset += used as u64;
        }
        if length == 0 && !ended {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if length > self.cap as u64 {
            self.buffer = Vec::new();
            return Ok(Some(Line::TooLong { number, length }));
        }
        Ok(Some(Line::Whole { number, bytes: &self.buffer, ended }))
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Lines read so far.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn into_inner(self) -> R {
        self.source.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(bytes: &[u8], cap: usize) -> Vec<(u64, String)> {
        let mut lines = Lines::new(Cursor::new(bytes.to_vec()), cap);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole { number, bytes, ended } => {
                    (number, format!("{}{}", String::from_utf8_lossy(bytes), if ended { "" } else { "!" }))
                }
                Line::TooLong { number, length } => (number, format!("({length})")),
            });
        }
        assert_eq!(lines.offset(), bytes.len() as u64);
        found
    }

    #[test]
    fn a_last_line_without_newline_is_marked() {
        assert_eq!(read(b"a\n\nb", 10), [(1, "a".into()), (2, String::new()), (3, "b!".into())]);
        assert_eq!(read(b"a\n", 10), [(1, "a".into())]);
        assert_eq!(read(b"", 10), []);
    }

    #[test]
    fn a_line_above_the_cap_is_passed_over_and_the_next_one_read() {
        let long = "x".repeat(3 * BUFFER_BYTES);
        let text = format!("a\n{long}\nb\n");
        assert_eq!(
            read(text.as_bytes(), 100),
            [(1, "a".into()), (2, format!("({})", long.len())), (3, "b".into())]
        );
    }

    #[test]
    fn a_line_of_exactly_the_cap_is_read() {
        assert_eq!(read(b"12345\n123456\n", 5), [(1, "12345".into()), (2, "(6)".into())]);
    }
}
