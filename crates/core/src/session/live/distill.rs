//! Texts that stand for bulky tool results of older turns.

use super::super::Journal;
use super::super::event::Replaced;
use super::super::observe::CALL_ID;
use super::sight::Sights;
use super::state;
use crate::Result;
use crate::message::Message;
use crate::prune::{Distill, Frozen, distill, shortened_head};
use crate::store::Body;
use crate::text::clip;
use crate::text::tokens::estimate_tokens;

/// The shortened texts of a view. One that an earlier epoch has made stays as it is, byte for byte. A result whose body
/// cannot be read is not shortened.
pub(super) fn texts(journal: &mut Journal<'_, '_>, seen: &Sights, frozen: &Frozen) -> Result<Vec<Replaced>> {
    let before = state(journal).epoch.clone().map(|epoch| epoch.replaced).unwrap_or_default();
    let mut replaced = Vec::with_capacity(frozen.distilled.len());
    for index in &frozen.distilled {
        let Some(entry) = seen.entries.get(*index).filter(|entry| entry.ordinal > 0) else { continue };
        if let Some(known) = before.iter().find(|known| known.ordinal == entry.ordinal) {
            replaced.push(known.clone());
            continue;
        }
        let Some(chunk) = state(journal).chunk(entry.ordinal) else { continue };
        let body = match journal.locked.reader().body(chunk) {
            Ok(body) => body,
            Err(error) => {
                tracing::warn!(%chunk, %error, "a tool result is kept whole: its body does not read");
                continue;
            }
        };
        // What a spill has left of a result stands for the whole of it.
        let (body, chunk) = match spilled(journal, &body) {
            Some(whole) => {
                let chunk = whole.chunk_id;
                (whole, chunk)
            }
            None => (body, chunk),
        };
        let arguments = arguments(journal, seen, *index).unwrap_or_default();
        let text = distill(&Distill {
            tool: body.tool.as_deref().unwrap_or("tool"),
            arguments: &arguments,
            text: &body.text,
            is_error: body
                .extra
                .get("is_error")
                .is_some_and(|failed| failed == &serde_json::Value::Bool(true)),
            chunk_id: Some(&chunk.to_string()),
        });
        replaced.push(Replaced { ordinal: entry.ordinal, text });
    }
    Ok(replaced)
}

/// The whole of a result that was spilled before it was seen, where this session has it.
pub(super) fn spilled(journal: &mut Journal<'_, '_>, short: &Body) -> Option<Body> {
    shortened_head(&short.text)?;
    let call = short.extra.get(CALL_ID)?.as_str()?;
    let chunk = state(journal).spilled(call)?.parse().ok()?;
    journal.locked.reader().body(chunk).ok()
}

/// What the tool was called with: it stands in the body of the message that made the call.
fn arguments(journal: &mut Journal<'_, '_>, seen: &Sights, result: usize) -> Option<String> {
    let call = *seen.entries.get(result)?.answers.first()?;
    let (caller, place) = seen.entries.get(..result)?.iter().rev().find_map(|entry| {
        let place = entry.calls.iter().position(|made| *made == call)?;
        Some((entry.ordinal, place))
    })?;
    let chunk = state(journal).chunk(caller)?;
    let body: Body = journal.locked.reader().body(chunk).ok()?;
    let line = body.text.lines().filter_map(|line| line.strip_prefix("[tool call ")).nth(place)?;
    let (_, arguments) = line.trim_end_matches(']').split_once(' ')?;
    Some(arguments.to_owned())
}

/// A copy's text of at most `max_tokens` for a result whose whole is stored under `chunk`: as it is where it fits.
/// `whole`: the stored text, where the message itself comes shortened.
pub(super) fn shortened(message: &Message, whole: Option<String>, max_tokens: u64, chunk: &str) -> String {
    let text = message.readable_text();
    if estimate_tokens(&text) <= max_tokens {
        return text;
    }
    let text = whole.unwrap_or(text);
    let short = distill(&Distill {
        tool: message.tool_name.as_deref().unwrap_or("tool"),
        arguments: "",
        text: &text,
        is_error: message.is_error,
        chunk_id: Some(chunk),
    });
    let (head, _) = short.split_once('\n').unwrap_or((&short, ""));
    let room = max_tokens.saturating_sub(estimate_tokens(head) + 1);
    if estimate_tokens(&short) > max_tokens {
        return clip::first_tokens(head, max_tokens).to_owned();
    }
    let longer =
        format!("{head}\n{}", clip::head_and_tail(&text, room, "\n[... the middle is left out ...]\n"));
    if estimate_tokens(&longer) <= max_tokens { longer } else { short }
}
