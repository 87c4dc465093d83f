//! A process to be killed, starved and unplugged: writes through the store and says on standard output, line by line,
//! what was acknowledged. Crash tests run it, and `verify` tells afterwards whether all of it is there, once.
//!
//! ```text
//! worker append     DIR [--key K] [--count N] [--prefix P] [--full] [--in-flight N] [--naive]
//! worker checkpoint DIR [--key K] [--count N] [--prefix P] [--naive]
//! worker mixed      DIR [--key K] [--count N] [--prefix P] [--full]     a checkpoint after every tenth append
//! worker drop       DIR [--key K] [--count N] [--prefix P]     messages stored and dropped, every third past its time; then expiry
//! worker index      DIR [--key K]     what is stored goes into the search index
//! worker find       DIR [--key K] < acknowledged     each dropped message is found once, and none that expired
//! worker verify     DIR [--key K] [--no-probe] [--naive] < acknowledged
//! ```
//!
//! With the feature `failpoints`, `--kill-at N` ends the process before its N-th step (from 0) on disk, as a kill would:
//! for machines where nothing can trace it.
//!
//! Exit codes: 0 fine; 1 something is lost, there twice or damaged; 2 usage; 3 an error of the store, its code on
//! standard error. `verify` also appends a line, since the next call must work, unless `--no-probe` is given (full or
//! read-only disks).
//!
//! `--naive` writes the same data as an unsuspecting program would (in place, no sync): the negative control.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for tests talks through its standard streams"
)]

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use clawback_core::recall::query::Query;
use clawback_core::recall::{Library, Pass, Request};
use clawback_core::store::{
    Body, BodyFiles, CheckpointInfo, ChunkId, Content, DropReason, DropRecord, Durability, Group, Handle,
    Line, Locked, OpenOptions, Readable, Registry, SessionState, Settings, wait,
};
use clawback_core::{Error, Result};
use serde_json::{Map, Value, json};

/// All texts ever appended, in order.
#[derive(Debug, Default)]
struct Texts(Vec<String>);

impl SessionState for Texts {
    fn apply(&mut self, line: &Line) {
        self.0.extend(line.fields.get("text").and_then(Value::as_str).map(str::to_owned));
    }

    fn restore(snapshot: &str) -> Result<Self> {
        serde_json::from_str(snapshot).map(Self).map_err(|error| Error::Corrupt(error.to_string()))
    }

    fn snapshot(&self) -> Value {
        json!(self.0)
    }

    fn readable(&self) -> Vec<Readable> {
        vec![Readable { file: "decisions.json", content: Content::Items(json!(self.0.last())) }]
    }
}

/// A checkpoint of the worker: one line of JSON, which is YAML too, closed by its own length.
fn checkpoint_bytes(id: &str, state: &Texts, seq: u64) -> Vec<u8> {
    json!({ "id": id, "seq": seq, "texts": state.0.len(), "end": true }).to_string().into_bytes()
}

fn inspect(bytes: &[u8]) -> Result<CheckpointInfo> {
    let bad = || Error::Corrupt("not a checkpoint of the worker".into());
    let value: Value = serde_json::from_slice(bytes).map_err(|_| bad())?;
    Ok(CheckpointInfo {
        id: value.get("id").and_then(Value::as_str).ok_or_else(bad)?.to_owned(),
        created_at: String::new(),
        trigger: "manual".into(),
        group: Group::Rare,
        state_seq: value.get("seq").and_then(Value::as_u64).ok_or_else(bad)?,
    })
}

struct Arguments {
    command: String,
    dir: PathBuf,
    key: String,
    count: u64,
    prefix: String,
    full: bool,
    in_flight: usize,
    naive: bool,
    kill_at: Option<usize>,
    probe: bool,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let mut found = Arguments {
        command: words.next()?,
        dir: words.next()?.into(),
        key: "agent:main:main".into(),
        count: 10,
        prefix: "n".into(),
        full: false,
        in_flight: 1,
        naive: false,
        kill_at: None,
        probe: true,
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--key" => found.key = words.next()?,
            "--count" => found.count = words.next()?.parse().ok()?,
            "--prefix" => found.prefix = words.next()?,
            "--in-flight" => found.in_flight = words.next()?.parse().ok()?,
            "--kill-at" => found.kill_at = Some(words.next()?.parse().ok()?),
            "--full" => found.full = true,
            "--naive" => found.naive = true,
            "--no-probe" => found.probe = false,
            _ => return None,
        }
    }
    Some(found)
}

/// One line, out at once: the reader counts on it.
fn acknowledge(what: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{what}").and_then(|()| out.flush());
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: worker append|checkpoint|mixed|verify DIR [--key K] [--count N] [--prefix P] ...");
        return ExitCode::from(2);
    };
    let _armed = match arguments.kill_at.map(|step| kill_at(&arguments.dir, step)) {
        Some(None) => {
            eprintln!("--kill-at needs the feature `failpoints`");
            return ExitCode::from(2);
        }
        armed => armed,
    };
    let done = if arguments.naive { naive(&arguments) } else { through_the_store(&arguments) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", error.code());
            ExitCode::from(3)
        }
    }
}

#[cfg(feature = "failpoints")]
fn kill_at(dir: &Path, step: usize) -> Option<clawback_core::store::fail::Armed> {
    use clawback_core::store::fail::{Action, arm};
    Some(arm(dir, step, Action::Kill))
}

#[cfg(not(feature = "failpoints"))]
fn kill_at(_dir: &Path, _step: usize) -> Option<()> {
    None
}

fn through_the_store(arguments: &Arguments) -> Result<bool> {
    let registry: Registry<Texts> = Registry::new(Settings::default());
    let options = OpenOptions { lock_patience: Duration::from_secs(60), ..OpenOptions::default() };
    let handle = registry.open(&arguments.dir, &arguments.key, options)?;
    match arguments.command.as_str() {
        "append" => append(&handle, arguments)?,
        "checkpoint" => (0..arguments.count).try_for_each(|_| checkpoint(&handle))?,
        "mixed" => {
            for number in 0..arguments.count {
                append_one(&handle, arguments, number)?;
                if number % 10 == 9 {
                    checkpoint(&handle)?;
                }
            }
        }
        "drop" => drop_and_expire(&handle, arguments)?,
        "index" => index(arguments)?,
        "find" => return find(arguments),
        "verify" => return verify(&handle, arguments.probe),
        other => return Err(Error::InvalidInput(format!("unknown command {other}"))),
    }
    wait(|done| handle.close(done))?;
    Ok(true)
}

fn durability(arguments: &Arguments) -> Durability {
    if arguments.full { Durability::Full } else { Durability::Written }
}

fn append_one(handle: &Handle<Texts>, arguments: &Arguments, number: u64) -> Result<()> {
    let text = format!("{}{number}", arguments.prefix);
    let fields = Map::from_iter([("text".to_owned(), text.as_str().into())]);
    handle.run(durability(arguments), |session: &mut Locked<'_, Texts>| session.append("note", fields))?;
    acknowledge(&text);
    Ok(())
}

/// Appends with up to `in_flight` calls under way at once.
fn append(handle: &Handle<Texts>, arguments: &Arguments) -> Result<()> {
    if arguments.in_flight <= 1 {
        return (0..arguments.count).try_for_each(|number| append_one(handle, arguments, number));
    }
    let (sender, receiver) = mpsc::channel();
    let mut under_way = 0;
    let take = || receiver.recv().unwrap_or_else(|_| Err(Error::Closed("no answer".into())));
    for number in 0..arguments.count {
        if under_way == arguments.in_flight {
            take().map(|text: String| acknowledge(&text))?;
            under_way -= 1;
        }
        let (sender, text) = (sender.clone(), format!("{}{number}", arguments.prefix));
        let fields = Map::from_iter([("text".to_owned(), text.as_str().into())]);
        handle.submit(
            |session| session.append("note", fields),
            durability(arguments),
            move |done| {
                let _ = sender.send(done.map(|_| text));
            },
        );
        under_way += 1;
    }
    (0..under_way).try_for_each(|_| take().map(|text| acknowledge(&text)))
}

fn checkpoint(handle: &Handle<Texts>) -> Result<()> {
    let written = handle.run(Durability::Full, |session| {
        session.write_checkpoint(&mut |id, state, seq| Ok(checkpoint_bytes(id, state, seq)), &inspect)
    })?;
    acknowledge(&written.id);
    Ok(())
}

const FAR: &str = "2126-01-01T00:00:00Z";
const PAST: &str = "2020-01-01T00:00:00Z";
const NOW: &str = "2026-01-01T00:00:00Z";

/// The message whose text this is.
fn message(text: &str) -> Body {
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    let chunk_id = ChunkId { generation: 0, ordinal: hash.finish() >> 40, fingerprint: hash.finish() };
    let (at, role) = (NOW.to_owned(), "user".to_owned());
    Body { chunk_id, at, role, tool: None, text: text.to_owned(), extra: Map::new() }
}

/// Stores messages and lets them leave the view; then those past their time expire.
fn drop_and_expire(handle: &Handle<Texts>, arguments: &Arguments) -> Result<()> {
    let mut old = Vec::new();
    for number in 0..arguments.count {
        let text = format!("{}{number}", arguments.prefix);
        let body = message(&text);
        let past = number % 3 == 2;
        let record = DropRecord {
            chunk_id: body.chunk_id,
            epoch: 1,
            session_id: arguments.key.clone(),
            timestamp: NOW.into(),
            role: body.role.clone(),
            tokens: 1,
            drop_reason: DropReason::Epoch,
            relevance_score: None,
            prompt_at_drop: None,
            recoverable_until: if past { PAST } else { FAR }.into(),
        };
        handle.run(Durability::Written, move |session| {
            session.append_bodies(&[body])?;
            session.append_drops(&[record])
        })?;
        if past {
            old.push(text);
        } else {
            acknowledge(&format!("dropped {text}"));
        }
    }
    handle.run(Durability::Written, |session| session.expire(NOW, &HashSet::new(), None))?;
    old.iter().for_each(|text| acknowledge(&format!("expired {text}")));
    Ok(())
}

/// Each message that was dropped is there with its record, once; none that expired is; no record is without its body.
fn cold_is_whole(handle: &Handle<Texts>, acknowledged: &[String]) -> Result<bool> {
    let (bodies, drops) = handle.read(|session| {
        let (mut bodies, mut drops) = (Vec::new(), Vec::new());
        session.scan_bodies(&mut |body| {
            bodies.push(body.text);
            true
        })?;
        session.drops(&mut |record| {
            drops.push(record.chunk_id);
            true
        })?;
        Ok((bodies, drops))
    })?;
    let times = |text: &str| {
        let chunk = message(text).chunk_id;
        let copies = bodies.iter().filter(|body| *body == text).count();
        (copies, drops.iter().filter(|there| **there == chunk).count())
    };
    let mut fine = true;
    for line in acknowledged {
        let wrong = match line.split_once(' ') {
            Some(("dropped", text)) => times(text) != (1, 1),
            Some(("expired", text)) => times(text) != (0, 0),
            _ => false,
        };
        if wrong {
            eprintln!("{line}, but it is not so");
            fine = false;
        }
    }
    let stored: HashSet<ChunkId> = bodies.iter().map(|text| message(text).chunk_id).collect();
    if drops.iter().any(|chunk| !stored.contains(chunk)) {
        eprintln!("a drop record is without its message");
        fine = false;
    }
    Ok(fine)
}

/// Where the messages of the session are; `NotFound` where none are.
fn stored(arguments: &Arguments) -> Result<BodyFiles> {
    BodyFiles::of(&arguments.dir, &arguments.key)?
        .ok_or_else(|| Error::NotFound("the session does not exist".into()))
}

fn index(arguments: &Arguments) -> Result<()> {
    let (library, files) = (Library::of(&arguments.dir), stored(arguments)?);
    while library.index(&files)? == Pass::More {}
    Ok(())
}

/// Asks for each message that was acknowledged by its own words, whatever became of the index.
fn find(arguments: &Arguments) -> Result<bool> {
    let (library, files) = (Library::of(&arguments.dir), stored(arguments)?);
    let mut fine = true;
    for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
        let (text, times) = match line.split_once(' ') {
            Some(("dropped", text)) => (text, 1),
            Some(("expired", text)) => (text, 0),
            _ => continue,
        };
        let request = Request { query: Query::new(text), limit: 50, ..Request::default() };
        let found = library.search(&files, &request)?;
        let chunk = message(text).chunk_id;
        let there = found.iter().filter(|found| found.chunk == chunk).count();
        if there != times {
            eprintln!("{line}, but it is found {there} times");
            fine = false;
        }
    }
    Ok(fine)
}

/// Reads what was acknowledged from standard input and looks whether it is all there, once.
fn verify(handle: &Handle<Texts>, probe: bool) -> Result<bool> {
    let (texts, checkpoints, latest) = handle.read(|session| {
        let texts = session.state().0.clone();
        Ok((texts, session.checkpoints(&inspect)?, session.latest_checkpoint(&inspect)?))
    })?;
    // The next call must work too.
    if probe {
        handle.run(Durability::Full, |session| session.append("probe", Map::new()))?;
    }
    let damaged = checkpoints.iter().filter(|file| file.info.is_none()).count();
    if damaged > 0 {
        eprintln!("{damaged} checkpoints are damaged");
    }
    let newest = latest.map(|latest| latest.id);
    let acknowledged = acknowledged();
    let cold = cold_is_whole(handle, &acknowledged)?;
    Ok(compare(&acknowledged, &texts, newest.as_deref()) && cold && damaged == 0)
}

fn number_of(checkpoint: &str) -> Option<u64> {
    checkpoint.strip_prefix("cp_")?.parse().ok()
}

/// What a worker said before, line by line.
fn acknowledged() -> Vec<String> {
    std::io::stdin().lock().lines().map_while(std::io::Result::ok).collect()
}

/// Acknowledged texts must be there once; the newest checkpoint must not be older than an acknowledged one.
fn compare(acknowledged: &[String], texts: &[String], newest: Option<&str>) -> bool {
    let mut there: HashMap<&str, u32> = HashMap::new();
    texts.iter().for_each(|text| *there.entry(text).or_default() += 1);
    let mut fine = true;
    let mut complain = |what: String| {
        eprintln!("{what}");
        fine = false;
    };
    for (text, times) in there.iter().filter(|(_, times)| **times > 1) {
        complain(format!("{text} is there {times} times"));
    }
    let newest_number = newest.and_then(number_of).unwrap_or(0);
    for line in acknowledged {
        match number_of(line) {
            // Looked at elsewhere.
            None if line.contains(' ') => {}
            Some(number) if number > newest_number => {
                complain(format!("{line} was acknowledged, the newest is {newest:?}"));
            }
            None if !there.contains_key(line.as_str()) => complain(format!("{line} is lost")),
            _ => {}
        }
    }
    println!(
        "acknowledged {}, texts {}, newest checkpoint {}",
        acknowledged.len(),
        texts.len(),
        newest.unwrap_or("none")
    );
    fine
}

/// The negative control: the same data, written as programs often do.
fn naive(arguments: &Arguments) -> Result<bool> {
    let io = |doing: &'static str, path: &Path| {
        let path = path.to_path_buf();
        move |error: std::io::Error| Error::Io { doing, path, cause: error.to_string() }
    };
    let (state, newest) = (arguments.dir.join("naive.json"), arguments.dir.join("naive-checkpoint.json"));
    let read = || -> Vec<String> {
        std::fs::read(&state).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    };
    let newest_id = || -> Option<String> {
        let bytes = std::fs::read(&newest).ok()?;
        inspect(&bytes).ok().map(|info| info.id)
    };
    match arguments.command.as_str() {
        "append" | "mixed" => {
            for number in 0..arguments.count {
                let mut texts = read();
                texts.push(format!("{}{number}", arguments.prefix));
                std::fs::write(&state, json!(texts).to_string()).map_err(io("writing", &state))?;
                texts.last().into_iter().for_each(|text| acknowledge(text));
            }
            Ok(true)
        }
        "checkpoint" => {
            for _ in 0..arguments.count {
                let number = newest_id().as_deref().and_then(number_of).unwrap_or(0) + 1;
                let id = format!("cp_{number:03}");
                let bytes = checkpoint_bytes(&id, &Texts::default(), 0);
                std::fs::write(&newest, bytes).map_err(io("writing", &newest))?;
                acknowledge(&id);
            }
            Ok(true)
        }
        "verify" => Ok(compare(&acknowledged(), &read(), newest_id().as_deref())),
        other => Err(Error::InvalidInput(format!("unknown command {other}"))),
    }
}
