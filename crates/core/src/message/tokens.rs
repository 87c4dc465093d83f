//! What a message costs in a request: every block has a cost, also those that clawback does not know (FAULTS E2, E4).

use super::{Block, Message};
use crate::text::tokens::estimate_tokens;
use serde_json::Value;

/// Tokens of one picture: about what providers charge for one of 1,000 x 1,000 pixels. The data's length says nothing.
pub const IMAGE_TOKENS: u64 = 1_200;
/// Role and delimiters of a message.
const FRAME_TOKENS: u64 = 5;
/// Id, name and delimiters of a tool call or of its result.
const TOOL_FRAME_TOKENS: u64 = 12;
/// Bytes of an unknown block that cost one token.
const UNKNOWN_BYTES_PER_TOKEN: u64 = 4;
/// Tokens that current models count for what o200k_base counts as 100: those of Anthropic count more, and an estimate
/// that is too low compacts too late. Calibration on the host's own figures corrects it for each session (DESIGN section 3).
const MODEL_PERCENT: u64 = 120;

/// Estimated tokens of a message in a request: its text, thinking, tool names and arguments, a fixed cost per picture, its
/// frame.
pub fn estimate_message_tokens(message: &Message) -> u64 {
    let content: u64 = message.blocks.iter().map(block).sum();
    let frame = if message.tool_call_id.is_some() { FRAME_TOKENS + TOOL_FRAME_TOKENS } else { FRAME_TOKENS };
    content.saturating_add(frame)
}

fn block(block: &Block) -> u64 {
    match block {
        Block::Text(text) | Block::Thinking(text) => model_tokens(estimate_tokens(text)),
        Block::ToolCall { name, arguments, .. } => {
            TOOL_FRAME_TOKENS + model_tokens(estimate_tokens(name) + json(arguments))
        }
        Block::ToolResult { text, .. } => TOOL_FRAME_TOKENS + model_tokens(estimate_tokens(text)),
        Block::Image { .. } => IMAGE_TOKENS,
        Block::Other { bytes, .. } => model_tokens(*bytes as u64 / UNKNOWN_BYTES_PER_TOKEN) + 1,
    }
}

fn model_tokens(tokens: u64) -> u64 {
    tokens.saturating_mul(MODEL_PERCENT) / 100
}

/// Tokens of a value as compact JSON, without making it. The depth is bounded by the reader that made the value.
fn json(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 1,
        Value::Number(number) => estimate_tokens(&number.to_string()),
        Value::String(text) => estimate_tokens(text) + text.matches('\n').count() as u64 / 2 + 2,
        Value::Array(items) => 1 + items.iter().map(json).sum::<u64>(),
        Value::Object(fields) => {
            1 + fields.iter().map(|(key, item)| estimate_tokens(key) + 2 + json(item)).sum::<u64>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tokens(value: Value) -> u64 {
        estimate_message_tokens(&Message::from_value(&value))
    }

    #[test]
    fn a_picture_costs_the_same_whatever_its_size() {
        let picture = |bytes: usize| {
            tokens(
                json!({"role": "user", "content": [{"type": "image", "data": "A".repeat(bytes), "mimeType": "image/png"}]}),
            )
        };
        assert_eq!(picture(3_000_000), picture(3_000));
        assert!((1_000..2_000).contains(&picture(10)));
    }

    #[test]
    fn arguments_and_thinking_count() {
        let body = "let total = items.iter().map(price).sum();\n".repeat(1_000);
        let call = json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": "c1", "name": "write", "arguments": {"path": "a.rs", "content": body}}]});
        assert!(tokens(call) > 9_000);
        let thinking = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "so it is ".repeat(100)}]});
        assert!(tokens(thinking) > 250);
    }

    #[test]
    fn odd_shapes_cost_their_frame_and_unknown_blocks_their_size() {
        for value in [json!({"role": "assistant", "content": null}), json!(42), json!({"content": []})] {
            assert!((1..=20).contains(&tokens(value)));
        }
        let unknown =
            json!({"role": "assistant", "content": [{"type": "serverTool", "payload": "x".repeat(4_000)}]});
        assert!((900..1_300).contains(&tokens(unknown)));
    }
}
