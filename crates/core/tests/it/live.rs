//! The handle on a live session through the core's own surface: what another process's lock does to it.

use super::store_support::home;
use clawback_core::message::{Incoming, Message};
use clawback_core::session::live::{ContextPlan, Live, LiveOptions, PlanRequest};
use clawback_core::session::{OpenOptions, SessionView};
use clawback_core::store::wait;
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

const KEY: &str = "agent:main:main";

fn open(dir: &Path) -> Live {
    let open = OpenOptions { lock_timeout: Duration::from_millis(80), ..OpenOptions::default() };
    let mut options = LiveOptions { open, ..LiveOptions::default() };
    options.limits.context_window = 200_000;
    wait(|done| Live::open(dir, KEY, options, done)).unwrap()
}

/// Hands an array over as JavaScript does: only what is wanted.
fn sync(live: &Live, array: &[Value]) {
    let incoming = array
        .iter()
        .map(|value| Incoming { key: Message::from_value(value).key(), is_summary: false })
        .collect();
    let synced = live.sync(0, incoming, false);
    let wanted: Vec<&Value> = synced.wanted.iter().map(|index| &array[*index as usize]).collect();
    if synced.ticket > 0 {
        live.hand_over(synced.ticket, synced.wanted.clone(), json!(wanted).to_string(), true);
    }
}

fn plan(live: &Live) -> ContextPlan {
    wait(|done| live.plan(PlanRequest::default(), done)).unwrap()
}

fn view(live: &Live) -> SessionView {
    wait(|done| live.session().read_state(done)).unwrap()
}

fn user(at: i64, text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": at})
}

fn agent(at: i64, text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop", "timestamp": at})
}

/// Another process's lock on the session.
fn locked_by_another(dir: &Path) -> File {
    let lock = std::fs::OpenOptions::new().write(true).open(home(dir).join(".lock")).unwrap();
    lock.try_lock().unwrap();
    lock
}

#[test]
fn what_is_synced_while_another_process_holds_the_lock_is_seen_at_once_and_stored_when_it_lets_go() {
    let temp = tempfile::tempdir().unwrap();
    let live = open(temp.path());
    let mut array = vec![user(1, "Please look at the importer."), agent(2, "It reads row after row.")];
    sync(&live, &array);
    assert_eq!(plan(&live).keep, [0, 1]);

    let other = locked_by_another(temp.path());
    array.push(user(3, "Never edit the files below migrations/."));
    sync(&live, &array);
    let held = plan(&live);
    assert_eq!(held.keep, [0, 1, 2]);
    assert!(
        held.warnings.iter().any(|warning| warning.contains("planned from memory")),
        "{:?}",
        held.warnings
    );
    array.push(agent(4, "I leave them alone."));
    sync(&live, &array);
    assert_eq!(wait(|done| live.flush(done)).unwrap_err().code(), "Locked");

    drop(other);
    assert_eq!(plan(&live).keep, [0, 1, 2, 3]);
    wait(|done| live.flush(done)).unwrap();
    let texts: Vec<String> = view(&live).constraints.into_iter().map(|item| item.text).collect();
    assert_eq!(texts, ["Never edit the files below migrations/"]);
}

#[test]
fn closing_stores_what_could_not_be_stored_before() {
    let temp = tempfile::tempdir().unwrap();
    let live = open(temp.path());
    sync(&live, &[user(1, "Please look at the importer.")]);
    plan(&live);
    let other = locked_by_another(temp.path());
    let array = [user(1, "Please look at the importer."), user(2, "Never edit the files below migrations/.")];
    sync(&live, &array);
    plan(&live);
    drop(other);
    wait(|done| live.close(done)).unwrap();
    assert_eq!(view(&open(temp.path())).constraints.len(), 1);
}
