//! Bootstrap files within a budget for all of them together (seed 004, DESIGN 6.8).

use super::fence::{Fence, open_fence};
use crate::text::clip::{first_tokens, last_tokens};
use crate::text::tokens::estimate_tokens;

/// A file that is read at the start of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapFile {
    /// Its name, for the marker.
    pub path: String,
    /// Its text.
    pub content: String,
    /// Something was cut from it.
    pub truncated: bool,
}

/// Below this room nothing but the marker is worth showing, tokens.
const LEAST: u64 = 16;

/// Cuts files so that they take at most `max_tokens` together, in the order they came. Small files stay whole; the large
/// ones share what is left evenly, and keep their head and tail around a line that says how much was cut. A cut falls
/// between lines where it can, never inside a grapheme, and leaves no code fence open.
pub fn truncate_bootstrap_files(files: Vec<(String, String)>, max_tokens: u64) -> Vec<BootstrapFile> {
    let sizes: Vec<u64> = files.iter().map(|(_, content)| estimate_tokens(content)).collect();
    let room = level(&sizes, max_tokens);
    files
        .into_iter()
        .zip(sizes)
        .map(|((path, content), size)| {
            if size <= room {
                return BootstrapFile { path, content, truncated: false };
            }
            let content = cut(&path, &content, size, room);
            BootstrapFile { path, content, truncated: true }
        })
        .collect()
}

/// The highest room per file at which all files together stay within the limit.
fn level(sizes: &[u64], max: u64) -> u64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = max;
    for (at, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at) as u64;
        if *size > share {
            return share;
        }
        left -= size;
    }
    u64::MAX
}

/// Head, marker and tail of a text of `size` tokens, in at most `max` tokens.
fn cut(path: &str, text: &str, size: u64, max: u64) -> String {
    let marker =
        |kept: u64| format!("[... {} of {size} tokens of {path} cut here ...]", size.saturating_sub(kept));
    let mut room = max.saturating_sub(estimate_tokens(&marker(0)) + 2);
    while room >= LEAST {
        let (head, tail) = (head(text, room - room / 3), tail(text, room / 3));
        let kept = estimate_tokens(&head) + estimate_tokens(&tail);
        let whole = join(&head, &marker(kept), &tail);
        // a cut in the middle of a fence's own line can upset the blocks behind it
        let sound = open_fence(&whole).is_none() || open_fence(text).is_some();
        if sound && estimate_tokens(&whole) <= max {
            return whole;
        }
        room -= (room / 16).max(1);
    }
    let short = [marker(0), "[cut]".to_owned()];
    short.into_iter().find(|marker| estimate_tokens(marker) <= max).unwrap_or_default()
}

fn join(head: &str, marker: &str, tail: &str) -> String {
    let mut whole = String::with_capacity(head.len() + marker.len() + tail.len() + 4);
    for part in [head, marker, tail] {
        if part.is_empty() {
            continue;
        }
        if !whole.is_empty() && !whole.ends_with('\n') {
            whole.push('\n');
        }
        whole.push_str(part);
    }
    whole
}

/// The beginning of a text: whole lines where that costs little, and no open fence.
fn head(text: &str, max: u64) -> String {
    let raw = first_tokens(text, max);
    if raw.len() == text.len() {
        return raw.to_owned();
    }
    let lines = match raw.rfind('\n') {
        Some(end) if end >= raw.len() / 2 => raw.get(..=end).unwrap_or(raw),
        _ => raw,
    };
    match open_fence(lines) {
        None => lines.to_owned(),
        // the block begins late: leave it out
        Some(fence) if fence.at >= lines.len() / 2 => lines.get(..fence.at).unwrap_or_default().to_owned(),
        Some(fence) => closed(lines, &fence),
    }
}

/// The end of a text, in the same way.
fn tail(text: &str, max: u64) -> String {
    let raw = last_tokens(text, max);
    if raw.is_empty() {
        return String::new();
    }
    let lines = match raw.find('\n') {
        Some(end) if end < raw.len() / 2 => raw.get(end + 1..).unwrap_or_default(),
        _ => raw,
    };
    let before = text.get(..text.len() - lines.len()).unwrap_or_default();
    let Some(fence) = open_fence(before) else { return lines.to_owned() };
    match fence.end_in(lines) {
        // the block ends early: begin behind it
        Some(end) if end <= lines.len() / 2 => lines.get(end..).unwrap_or_default().to_owned(),
        _ => format!("{}\n{lines}", fence.line),
    }
}

fn closed(lines: &str, fence: &Fence<'_>) -> String {
    let gap = if lines.ends_with('\n') { "" } else { "\n" };
    format!("{lines}{gap}{}\n", fence.mark)
}

#[cfg(test)]
mod tests;
