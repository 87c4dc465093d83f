//! How a request's window is divided, and the history that fits its part (seed 004).

use crate::capture::is_real_user_message as is_real;
use crate::config::Budget;
use crate::message::{Message, estimate_message_tokens};
use crate::{Error, Result};
use serde::Serialize;

/// Largest window that is believed, tokens.
const MAX_WINDOW: f64 = 1e12;

/// What the system prompt and the bootstrap files really take, tokens. `None`: not measured yet, taken as full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Actual {
    /// Instructions and tools.
    pub system_prompt: Option<u64>,
    /// Files read at the start.
    pub bootstrap: Option<u64>,
}

/// The regions of a window, tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    /// Instructions and tools.
    pub system_prompt: u64,
    /// Files read at the start.
    pub bootstrap: u64,
    /// The conversation: its own share, the reserve, and what the two above leave.
    pub history: u64,
    /// The model's answer.
    pub response: u64,
    /// What the shares leave of the window; it is counted in `history`.
    pub reserve: u64,
    /// What the system prompt and the bootstrap files leave; it is counted in `history`.
    pub reclaimed: u64,
}

/// Divides a window: history = its share + what system prompt and bootstrap files leave + the reserve (seed 004, 5). The
/// answer gets at least `min_response_tokens`, at most three fifths of the window; in a small window reserve and history give way.
///
/// # Errors
/// `InvalidInput` for a window that is no number of at least one token, for ratios outside of 0..1 and for ratios that add
/// up to more than 1.
pub fn allocate_budget(context_window: f64, budget: &Budget, actual: Actual) -> Result<Allocation> {
    if !(1.0..MAX_WINDOW).contains(&context_window) {
        return Err(Error::InvalidInput(format!(
            "contextWindow is {context_window}: a number of tokens of at least 1 is needed"
        )));
    }
    for (name, ratio) in [
        ("systemPromptRatio", budget.system_prompt_ratio),
        ("bootstrapRatio", budget.bootstrap_ratio),
        ("historyRatio", budget.history_ratio),
        ("responseRatio", budget.response_ratio),
    ] {
        if !(0.0..=1.0).contains(&ratio) {
            return Err(Error::InvalidInput(format!("{name} is {ratio}: a share from 0 to 1 is needed")));
        }
    }
    if budget.sum() > 1.0 + 1e-9 {
        return Err(Error::InvalidInput(format!(
            "the ratios add up to {:.2}; at most 1 is possible",
            budget.sum()
        )));
    }
    let window = context_window as u64;
    let share = |ratio: f64| ((ratio * window as f64 + 1e-6) as u64).min(window);
    let (system_prompt, bootstrap) = (share(budget.system_prompt_ratio), share(budget.bootstrap_ratio));
    let fixed = system_prompt + bootstrap;
    let least = budget.min_response_tokens.min(window / 5 * 3);
    let response = share(budget.response_ratio).max(least).min(window.saturating_sub(fixed));
    let own = share(budget.history_ratio).min(window.saturating_sub(fixed + response));
    let reserve = window.saturating_sub(fixed + response + own);
    let left = |region: u64, actual: Option<u64>| actual.map_or(0, |actual| region.saturating_sub(actual));
    let reclaimed = left(system_prompt, actual.system_prompt) + left(bootstrap, actual.bootstrap);
    Ok(Allocation {
        system_prompt,
        bootstrap,
        history: own + reclaimed + reserve,
        response,
        reserve,
        reclaimed,
    })
}

/// The messages that stay when history may take `max_tokens`: the longest end of whole turns that fits, the newest turn
/// always. Gives their indices, ascending. A turn runs from one message that a person typed to the next; what stands
/// before the first (a summary, a greeting of the host) is a turn of its own.
pub fn limit_history(messages: &[Message], max_tokens: u64) -> Vec<usize> {
    let mut begin = messages.len();
    let mut tokens = 0u64;
    let mut kept_a_turn = false;
    for (at, message) in messages.iter().enumerate().rev() {
        tokens = tokens.saturating_add(estimate_message_tokens(message));
        if kept_a_turn && tokens > max_tokens {
            break;
        }
        if at == 0 || is_real(message) {
            begin = at;
            kept_a_turn = true;
        }
    }
    (begin..messages.len()).collect()
}

#[cfg(test)]
mod tests;
