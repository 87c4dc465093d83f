//! The conversation as hosts hand it over: roles, blocks, tool calls. Reading never fails: unknown roles and blocks
//! are carried along by name, `null` and odd shapes become empty content (FAULTS E4).

mod align;
mod identity;
mod parse;
mod tokens;

pub use align::{Aligner, Alignment, Incoming, Known, Slot};
pub use identity::{Key, KeyParts, role_name, sample, unseen};
pub(crate) use parse::timestamp;
pub use tokens::{IMAGE_TOKENS, estimate_message_tokens};

use serde_json::Value;

/// One message of a host, in the shape that all rooms use.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The content in order; a plain string is one text block.
    pub blocks: Vec<Block>,
    /// Epoch milliseconds, where the host gives them.
    pub timestamp: Option<i64>,
    /// For a tool result: the id of the call that it answers.
    pub tool_call_id: Option<String>,
    /// For a tool result: the tool's name.
    pub tool_name: Option<String>,
    /// For a tool result: the tool failed. For `bashExecution`: a non-zero exit code.
    pub is_error: bool,
    /// For an assistant message: `stop`, `toolUse`, `aborted`, `error`, `length`, ...
    pub stop_reason: Option<String>,
    /// For an assistant message: tokens of this one provider call.
    pub usage: Option<Usage>,
    /// For a custom message: the extension's name of it, such as `openclaw.runtime-context`.
    pub custom_type: Option<String>,
}

/// The role of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Role {
    /// A person, or text that a host puts into the user's role.
    User,
    /// The model.
    Assistant,
    /// The answer of a tool.
    ToolResult,
    /// Pi's or OpenClaw's summary of dropped history.
    CompactionSummary,
    /// Pi's summary of a branch that was left.
    BranchSummary,
    /// A message of an extension.
    Custom,
    /// A command that the user ran in Pi with `!`.
    BashExecution,
    /// A system message.
    System,
    /// A role that clawback does not know; it passes through.
    Other(String),
}

/// One block of content.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Visible text.
    Text(String),
    /// The model's thinking (`thinking` text; signatures are not kept).
    Thinking(String),
    /// A call of a tool.
    ToolCall {
        /// The call's id, empty if the host gives none.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as the model gave them.
        arguments: Value,
    },
    /// A result inside a user message (Anthropic's shape).
    ToolResult {
        /// The call that it answers.
        id: String,
        /// Its text.
        text: String,
        /// The tool failed.
        is_error: bool,
    },
    /// A picture; the data itself is not carried.
    Image {
        /// Length of the encoded data in bytes.
        bytes: usize,
    },
    /// Anything else, by its `type`.
    Other {
        /// The block's `type`.
        kind: String,
        /// Length of its JSON in bytes.
        bytes: usize,
    },
}

/// Tokens that the provider reported for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// New input tokens.
    pub input: u64,
    /// Generated tokens.
    pub output: u64,
    /// Input tokens read from the prompt cache.
    pub cache_read: u64,
    /// Input tokens written to the prompt cache.
    pub cache_write: u64,
    /// The provider's own total for this call, where it gives one.
    pub total: Option<u64>,
}

impl Message {
    /// Reads a host's message object. Never fails: what is not understood is carried by name and size.
    pub fn from_value(value: &Value) -> Self {
        parse::message(value)
    }

    /// The visible text: text blocks joined by newlines; summaries and command output included, thinking, tool calls
    /// and pictures not.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            if let Block::Text(part) = block {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }

    /// All that can be read: text, results, tool calls in one line each; pictures by their size.
    pub fn readable_text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Text(text) | Block::ToolResult { text, .. } => parts.push(text.clone()),
                Block::ToolCall { name, arguments, .. } => {
                    parts.push(format!("[tool call {name} {arguments}]"))
                }
                Block::Image { bytes } => parts.push(format!("[image, {bytes} bytes]")),
                Block::Thinking(_) | Block::Other { .. } => {}
            }
        }
        parts.join("\n")
    }

    /// Ids of the tool calls that this message answers.
    pub fn answered_calls(&self) -> impl Iterator<Item = &str> {
        let inner = self.blocks.iter().filter_map(|block| match block {
            Block::ToolResult { id, .. } => Some(id.as_str()),
            _ => None,
        });
        self.tool_call_id.as_deref().into_iter().chain(inner)
    }

    /// The tool calls of an assistant message: id, name, arguments.
    pub fn tool_calls(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall { id, name, arguments } => Some((id.as_str(), name.as_str(), arguments)),
            _ => None,
        })
    }

    /// A user message with one text, for tests and for callers that have only a text.
    pub fn user(text: &str) -> Self {
        Self::plain(Role::User, text)
    }

    /// An assistant message with one text.
    pub fn assistant(text: &str) -> Self {
        Self::plain(Role::Assistant, text)
    }

    fn plain(role: Role, text: &str) -> Self {
        Self {
            role,
            blocks: vec![Block::Text(text.to_owned())],
            timestamp: None,
            tool_call_id: None,
            tool_name: None,
            is_error: false,
            stop_reason: None,
            usage: None,
            custom_type: None,
        }
    }
}
