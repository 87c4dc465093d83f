//! A realistic checkpoint for the tests of this room and of the packet.

use super::*;
use crate::ledger::TaskState;

fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub(crate) fn checkpoint() -> Checkpoint {
    let decision = |id: &str, what: &str, when: &str| Decision {
        id: id.to_owned(),
        what: what.to_owned(),
        when: when.to_owned(),
    };
    let task = |what: &str, state| Task { what: what.to_owned(), state };
    let exchange = |role: &str, gist: &str| Exchange { role: role.to_owned(), gist: gist.to_owned() };
    Checkpoint {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        meta: Meta {
            checkpoint_id: "cp_003".to_owned(),
            session_key: "telegram:user123".to_owned(),
            session_file: Some("sessions/telegram-user123.jsonl".to_owned()),
            created_at: "2026-02-24T15:30:00Z".to_owned(),
            trigger: Trigger::Auto80Pct,
            compaction_count: 2,
            token_usage: TokenUsage { input_tokens: 162_431, context_window: 200_000, utilization: 0.81 },
            previous_checkpoint: Some("cp_002".to_owned()),
            channel: Some("telegram".to_owned()),
            agent_id: Some("default".to_owned()),
        },
        active_request: Some(
            "The importer still drops rows with a missing currency. Find out why,\nfix it, and add a test with the \
             file fixtures/rates-2026-02.csv."
                .to_owned(),
        ),
        goal: Some("Move the nightly rates importer from cron scripts into the billing service".to_owned()),
        working: Working {
            topic: "The importer still drops rows with a missing currency.".to_owned(),
            status: WorkStatus::InProgress,
            interrupted: true,
            last_tool_call: Some(ToolCall {
                name: "bash".to_owned(),
                params_summary: "npm test -- importer/currency".to_owned(),
            }),
            next_action: "Read parseRow in src/importer/rows.ts and look at how an empty currency is handled".to_owned(),
        },
        constraints: list(&["Never write to the production database from tests", "Keep Node 20 compatibility"]),
        decisions: vec![
            decision("d1", "Use NATS instead of RabbitMQ for the import queue", "2026-02-24T14:15:00Z"),
            decision("d2", "Request timeout for the rates provider is 60 s", "2026-02-24T14:22:00Z"),
            decision("d3", "Rows with a missing currency fall back to EUR and are logged", "2026-02-24T15:02:00Z"),
        ],
        tasks: vec![
            task("Port the cron schedule to the scheduler module", TaskState::Done),
            task("Write the migration for rates_history", TaskState::Done),
            task("Add the currency test", TaskState::Open),
            task("Switch staging to the new importer; waits for credentials from Ana", TaskState::Blocked),
        ],
        resources: Resources {
            files_read: list(&["src/importer/schedule.ts", "docs/rates.md"]),
            files_modified: list(&["src/importer/rows.ts", "src/importer/queue.ts", "migrations/0042_rates.sql"]),
            tools_used: list(&["read", "bash", "edit"]),
        },
        thread: Thread {
            summary: "Move the nightly rates importer into billing ... The importer still drops rows".to_owned(),
            key_exchanges: vec![
                exchange("user", "Move the nightly rates importer into the billing service"),
                exchange("agent", "Proposed four steps: schedule, queue, rows, switch-over"),
            ],
            errors: list(&["bash: npm test: 1 failing: importer/currency keeps rows without currency"]),
        },
        open_items: list(&["Does finance want the fallback rate of the previous day?"]),
        learnings: list(&["The user prefers small commits with one topic each"]),
        agents: vec![Agent {
            id: "sub-7".to_owned(),
            task: Some("Compare last month's totals of old and new importer".to_owned()),
            started_at: Some("2026-02-24T15:20:00Z".to_owned()),
        }],
        superseded: 1,
        integrity: None,
    }
}
