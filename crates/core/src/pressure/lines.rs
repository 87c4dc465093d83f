//! The log lines of seed 004, "Verification Logging", word for word.

/// Characters that the seed counts for a token.
const CHARS_PER_TOKEN: u64 = 4;

/// The budget of bootstrap files, tokens.
pub fn bootstrap_line(tokens: u64) -> String {
    let chars = tokens.saturating_mul(CHARS_PER_TOKEN);
    format!("context management: bootstrap budget={tokens} tokens, maxChars={chars}")
}

/// Relevant prior context was found.
pub fn semantic_line(chunks: u64, tokens: u64) -> String {
    format!("semantic history: retrieved {chunks} chunks, {tokens} tokens")
}

/// A rolling summary is about to be made.
pub fn summary_triggered_line(messages: u64) -> String {
    format!("rolling summary: triggering summarization for {messages} messages")
}

/// A rolling summary was made.
pub fn summarized_line(summarized: u64, kept: u64, total_tokens: u64) -> String {
    format!("rolling summary: summarized {summarized} messages, kept {kept}, totalTokens={total_tokens}")
}

/// A rolling summary entered the view.
pub const SUMMARY_INJECTED_LINE: &str = "rolling summary: injected summary as leading context message";

/// What went into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinalStats {
    /// The model's window, tokens.
    pub context_window: u64,
    /// What the system prompt took, tokens.
    pub system_prompt: u64,
    /// What the bootstrap files took, tokens.
    pub bootstrap: u64,
    /// Room for history, tokens.
    pub history_budget: u64,
    /// Messages of the host.
    pub messages_in: u64,
    /// Messages of the view.
    pub messages_out: u64,
    /// A rolling summary leads the view.
    pub with_rolling_summary: bool,
}

/// The last line of a plan.
pub fn final_line(stats: &FinalStats) -> String {
    let FinalStats {
        context_window,
        system_prompt,
        bootstrap,
        history_budget,
        messages_in,
        messages_out,
        ..
    } = stats;
    let summary = if stats.with_rolling_summary { " (with rolling summary)" } else { "" };
    format!(
        "context management: contextWindow={context_window} systemPrompt={system_prompt} bootstrap={bootstrap} \
         historyBudget={history_budget} messagesIn={messages_in} messagesOut={messages_out}{summary}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_seed() {
        let stats = FinalStats {
            context_window: 200_000,
            system_prompt: 8_500,
            bootstrap: 3_200,
            history_budget: 110_300,
            messages_in: 47,
            messages_out: 12,
            with_rolling_summary: true,
        };
        let lines = [
            bootstrap_line(20_000),
            semantic_line(3, 1_500),
            summary_triggered_line(47),
            summarized_line(35, 12, 8_500),
            SUMMARY_INJECTED_LINE.to_owned(),
            final_line(&stats),
        ];
        assert_eq!(
            lines.join("\n"),
            "context management: bootstrap budget=20000 tokens, maxChars=80000\n\
             semantic history: retrieved 3 chunks, 1500 tokens\n\
             rolling summary: triggering summarization for 47 messages\n\
             rolling summary: summarized 35 messages, kept 12, totalTokens=8500\n\
             rolling summary: injected summary as leading context message\n\
             context management: contextWindow=200000 systemPrompt=8500 bootstrap=3200 historyBudget=110300 messagesIn=47 \
             messagesOut=12 (with rolling summary)"
        );
    }
}
