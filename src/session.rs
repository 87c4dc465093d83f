//! A live session: `index.js` puts `ContextSession` around this class. Sync methods look only at memory.

use crate::bridge::promise;
use crate::checkpoint::{CheckpointInput, Packet, RunningAgentInput, packet_tokens, request, to_packet};
use crate::config::ConfigSources;
use crate::error::{guard, to_js};
use crate::input::count;
use crate::pressure::{HostUsageInput, Measure, host_usage};
use clawback_core::config::Config;
use clawback_core::message::{Incoming, KeyParts, Role};
use clawback_core::pressure::Limits;
use clawback_core::session::live::{
    CompactRequest, Compacted, ContextPlan, Live, LiveOptions, Mode, PinTarget, PlanRequest, Reason,
};
use clawback_core::{Error, Result, session};
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use serde_json::Value;

/// How a session is opened.
#[napi(object)]
pub struct SessionOptions {
    /// The host's state directory.
    pub state_dir: String,
    /// The session's key.
    pub session_key: String,
    /// The model's window in tokens.
    pub context_window: f64,
    /// Kept free for the answer, in tokens.
    pub reserve_tokens: Option<f64>,
    /// System prompt and tools, in tokens.
    pub overhead_tokens: Option<f64>,
    /// The host's own threshold, in tokens of the whole request.
    pub host_compacts_at: Option<f64>,
    /// `prune`, `compact` or `complement`.
    pub mode: Option<String>,
    /// The host's agent.
    pub agent_id: Option<String>,
    /// `telegram`, ...
    pub channel: Option<String>,
    /// The host's transcript.
    pub session_file: Option<String>,
    /// A part of the configuration, as JSON.
    pub config: Option<String>,
}

/// Limits that changed.
#[napi(object)]
pub struct LimitsInput {
    /// The model's window in tokens.
    pub context_window: Option<f64>,
    /// Kept free for the answer.
    pub reserve_tokens: Option<f64>,
    /// System prompt and tools.
    pub overhead_tokens: Option<f64>,
    /// The host's own threshold.
    pub host_compacts_at: Option<f64>,
}

/// What a sync found.
#[derive(Default)]
#[napi(object)]
pub struct SyncedKeys {
    /// Messages whose text is wanted, counted from the first key.
    pub wanted: Vec<u32>,
    /// New messages.
    pub added: f64,
    /// Messages that left the live path.
    pub rewound: f64,
    /// The host dropped the head of what was visible.
    pub host_compacted: bool,
    /// Names this sync.
    pub ticket: f64,
    /// Nothing was done: the whole array must be handed over.
    pub wants_all: bool,
}

/// What a plan goes by.
#[napi(object)]
pub struct PlanInput {
    /// Room for history alone, in tokens.
    pub budget_tokens: Option<f64>,
    /// The running request, where it is not in the array.
    pub prompt: Option<String>,
    /// A new epoch now.
    pub force: Option<bool>,
}

/// A message whose text is replaced.
#[napi(object)]
pub struct Replaced {
    /// Index into the array last synced.
    pub index: u32,
    /// Its text.
    pub text: String,
}

/// What the model sees.
#[napi(object)]
pub struct Plan {
    /// Epochs count from 1.
    pub epoch: f64,
    /// `green`, `yellow`, `red` or `compact`.
    pub zone: String,
    /// The first message; null when there is none.
    pub packet: napi::Either<String, napi::bindgen_prelude::Null>,
    /// The last message; null when there is none.
    pub tail: napi::Either<String, napi::bindgen_prelude::Null>,
    /// Indices of kept messages, ascending.
    pub keep: Uint32Array,
    /// Kept messages whose text is replaced.
    pub replace: Vec<Replaced>,
    /// Tokens of the whole array.
    pub tokens_before: f64,
    /// Tokens of the view.
    pub tokens_after: f64,
    /// Messages that are not in the view.
    pub dropped_messages: f64,
    /// The epoch's checkpoint.
    pub checkpoint_id: Option<String>,
    /// What the host's user should know.
    pub warnings: Vec<String>,
}

/// What a compaction goes by.
#[napi(object)]
pub struct CompactInput {
    /// `threshold`, `budget`, `overflow` or `manual`.
    pub reason: String,
    /// Also where no threshold asks for it.
    pub force: Option<bool>,
    /// Room for history alone.
    pub budget_tokens: Option<f64>,
    /// Tokens of the request as the host counts them.
    pub current_tokens: Option<f64>,
}

/// What became of a compaction.
#[napi(object)]
pub struct CompactOutcome {
    /// The view became smaller.
    pub compacted: bool,
    /// Why, or why not.
    pub reason: String,
    /// Before.
    pub tokens_before: f64,
    /// After.
    pub tokens_after: f64,
    /// The packet.
    pub summary: String,
}

/// The gauge.
#[napi(object)]
pub struct GaugeReading {
    /// Tokens of the whole request.
    pub tokens: f64,
    /// The model's window.
    pub context_window: f64,
    /// 0..1 and above.
    pub utilization: f64,
    /// The zone.
    #[napi(ts_type = "'green' | 'yellow' | 'red' | 'compact'")]
    pub zone: String,
    /// Where the figure is from.
    #[napi(ts_type = "'host' | 'usage' | 'estimate' | 'unknown'")]
    pub source: String,
    /// The line for the model; null below 0.70.
    pub line: napi::Either<String, napi::bindgen_prelude::Null>,
    /// Share of usable.
    pub pressure: f64,
}

/// How a compaction of the host ended.
#[napi(object)]
pub struct SettledInput {
    /// It worked.
    pub ok: bool,
    /// Tokens after it.
    pub tokens_after: Option<f64>,
    /// Why not, in the host's words.
    pub reason: Option<String>,
}

/// A shortened copy's text and where the whole is.
#[napi(object)]
pub struct Spilled {
    /// At most as many tokens as asked for.
    pub text: String,
    /// The whole, by its id.
    pub chunk_id: String,
}

type Nullable = napi::Either<String, napi::bindgen_prelude::Null>;

fn nullable(text: Option<String>) -> Nullable {
    text.map_or(napi::Either::B(napi::bindgen_prelude::Null), napi::Either::A)
}

fn change(limits: &mut Limits, input: &LimitsInput) {
    if let Some(window) = count(input.context_window) {
        limits.context_window = window;
    }
    if let Some(reserve) = count(input.reserve_tokens) {
        limits.reserve = Some(reserve);
    }
    if let Some(overhead) = count(input.overhead_tokens) {
        limits.overhead = overhead;
    }
    if let Some(at) = count(input.host_compacts_at) {
        limits.host_compacts_at = Some(at);
    }
}

/// Keys as `lib/keys.js` packs them: role and tool call id of each message, and three numbers.
fn incoming(names: &str, numbers: &[f64]) -> Result<Vec<Incoming>> {
    let lines: Vec<&str> = if numbers.is_empty() { Vec::new() } else { names.split('\0').collect() };
    if lines.len() * 3 != numbers.len() {
        return Err(Error::InvalidInput("sync: keys and their numbers do not match".to_owned()));
    }
    let one = |(line, numbers): (&str, &[f64])| {
        let (role, id) = line.split_once('\u{1}').unwrap_or((line, ""));
        let (time, length, sample) = match numbers {
            [time, length, sample] => (*time, *length, *sample),
            _ => (f64::NAN, 0.0, 0.0),
        };
        let key = KeyParts {
            role,
            tool_call_id: Some(id).filter(|id| !id.is_empty()),
            timestamp: time.is_finite().then_some(time as i64),
            text: (length as u64, sample as u32),
        }
        .key();
        Incoming {
            key,
            is_summary: matches!(Role::from_name(role), Role::CompactionSummary | Role::BranchSummary),
        }
    };
    Ok(lines.into_iter().zip(numbers.chunks(3)).map(one).collect())
}

/// A live session.
#[napi]
pub struct NativeSession {
    pub(crate) live: Live,
}

/// Opens a session and restores what is known of it.
#[napi(catch_unwind, ts_return_type = "Promise<NativeSession>")]
pub fn open_session<'env>(
    env: &'env Env,
    options: SessionOptions,
    sources: ConfigSources,
) -> napi::Result<Object<'env>> {
    promise(
        env,
        |done| {
            let mode = match options.mode.as_deref().map(Mode::from_name).transpose() {
                Ok(mode) => mode.unwrap_or_default(),
                Err(error) => return done(Err(error)),
            };
            let given = options.config.clone();
            let open = move |configured: Result<(Config, Vec<String>)>| {
                let (config, warnings) = match configured {
                    Ok(configured) => configured,
                    Err(error) => return done(Err(error)),
                };
                let (state_dir, key) = (options.state_dir.clone(), options.session_key.clone());
                let warn = move |opened: Result<Live>| {
                    done(opened.inspect(|live| warnings.into_iter().for_each(|warning| live.warn(warning))));
                };
                Live::open(state_dir.as_ref(), &key, live_options(options, mode, config), Box::new(warn));
            };
            session::in_background(move || sources.of_session(given.as_deref()), Box::new(open));
        },
        |live| NativeSession { live },
    )
}

fn live_options(options: SessionOptions, mode: Mode, config: Config) -> LiveOptions {
    LiveOptions {
        limits: Limits {
            context_window: count(Some(options.context_window)).unwrap_or(0),
            reserve: count(options.reserve_tokens),
            overhead: count(options.overhead_tokens).unwrap_or(0),
            budget: None,
            host_compacts_at: count(options.host_compacts_at),
        },
        mode,
        agent_id: options.agent_id,
        channel: options.channel,
        session_file: options.session_file,
        config,
        ..LiveOptions::default()
    }
}

impl NativeSession {
    /// For methods that live in files of their own.
    pub(crate) fn live(&self) -> &Live {
        &self.live
    }
}

#[napi]
impl NativeSession {
    /// A model was switched, or its limits were learned.
    #[napi(catch_unwind)]
    pub fn set_limits(&self, limits: LimitsInput, now_ms: f64) -> napi::Result<()> {
        guard("setLimits", || {
            self.live.set_limits(|known| change(known, &limits), now_ms as u64);
            Ok(())
        })
    }

    /// The array's keys from index `keep` on; the messages before it are those of the last sync. `whole`: the caller has
    /// the others too, should they be wanted again. `texts`: the messages of these keys as a JSON array; where all of them
    /// are wanted, they are taken and nothing is asked for.
    #[napi(catch_unwind)]
    pub fn sync(
        &self,
        keep: u32,
        names: String,
        numbers: Float64Array,
        rewind: bool,
        whole: bool,
        texts: Option<String>,
    ) -> napi::Result<SyncedKeys> {
        guard("sync", || {
            if whole && keep > 0 && self.live.wants_all() {
                return Ok(SyncedKeys { wants_all: true, ..SyncedKeys::default() });
            }
            let incoming = incoming(&names, &numbers)?;
            let given = incoming.len();
            let mut synced = self.live.sync(keep as usize, incoming, rewind);
            if let Some(texts) = texts.filter(|_| synced.ticket > 0 && synced.wanted.len() == given) {
                let wanted = std::mem::take(&mut synced.wanted);
                self.live.hand_over(std::mem::take(&mut synced.ticket), wanted, texts, true);
            }
            Ok(SyncedKeys {
                wanted: synced.wanted,
                added: synced.added as f64,
                rewound: synced.rewound as f64,
                host_compacted: synced.host_compacted,
                ticket: synced.ticket as f64,
                wants_all: false,
            })
        })
    }

    /// Texts that a sync wanted, as a JSON array.
    #[napi(catch_unwind)]
    pub fn hand_over(
        &self,
        ticket: f64,
        indices: Vec<u32>,
        messages: String,
        last: bool,
    ) -> napi::Result<()> {
        guard("sync", || {
            self.live.hand_over(ticket as u64, indices, messages, last);
            Ok(())
        })
    }

    /// How full the context is.
    #[napi(catch_unwind)]
    pub fn gauge(&self, usage: Option<HostUsageInput>, now_ms: f64) -> napi::Result<GaugeReading> {
        guard("gauge", || {
            let gauge = self.live.gauge(usage.map(host_usage), now_ms as u64);
            let measure = Measure::from(gauge.measure);
            Ok(GaugeReading {
                tokens: measure.tokens,
                context_window: measure.context_window,
                utilization: measure.utilization,
                zone: measure.zone,
                source: measure.source,
                line: nullable(gauge.line),
                pressure: gauge.pressure,
            })
        })
    }

    /// Whether the host should compact now.
    #[napi(catch_unwind)]
    pub fn should_compact(&self, now_ms: f64) -> napi::Result<bool> {
        guard("shouldCompact", || Ok(self.live.should_compact(now_ms as u64)))
    }

    /// The host has begun to compact.
    #[napi(catch_unwind)]
    pub fn compaction_started(&self, now_ms: f64) -> napi::Result<()> {
        guard("compactionStarted", || {
            self.live.compaction_started(now_ms as u64);
            Ok(())
        })
    }

    /// What became of it.
    #[napi(catch_unwind)]
    pub fn compaction_settled(&self, outcome: SettledInput, now_ms: f64) -> napi::Result<()> {
        guard("compactionSettled", || {
            let after = count(outcome.tokens_after);
            self.live.compaction_settled(outcome.ok, after, outcome.reason.as_deref(), now_ms as u64);
            Ok(())
        })
    }

    /// What the model sees of the array last synced.
    #[napi(catch_unwind, ts_return_type = "Promise<Plan>")]
    pub fn plan<'env>(&self, env: &'env Env, input: PlanInput, now_ms: f64) -> napi::Result<Object<'env>> {
        let request = PlanRequest {
            budget: count(input.budget_tokens),
            prompt: input.prompt,
            force: input.force.unwrap_or(false),
            now_ms: now_ms as u64,
        };
        promise(env, |done| self.live.plan(request, done), to_plan)
    }

    /// Answers a compaction of the host.
    #[napi(catch_unwind, ts_return_type = "Promise<CompactOutcome>")]
    pub fn compact<'env>(
        &self,
        env: &'env Env,
        input: CompactInput,
        now_ms: f64,
    ) -> napi::Result<Object<'env>> {
        let request = CompactRequest {
            reason: Reason::from_name(&input.reason).map_err(to_js)?,
            force: input.force.unwrap_or(false),
            budget: count(input.budget_tokens),
            current_tokens: count(input.current_tokens),
            now_ms: now_ms as u64,
        };
        promise(
            env,
            |done| self.live.compact(request, done),
            |Compacted { compacted, reason, tokens_before, tokens_after, summary }| CompactOutcome {
                compacted,
                reason,
                tokens_before: tokens_before as f64,
                tokens_after: tokens_after as f64,
                summary,
            },
        )
    }

    /// Takes the messages of a turn in, once per key.
    #[napi(catch_unwind, ts_return_type = "Promise<'committed' | 'duplicate'>")]
    pub fn commit<'env>(
        &self,
        env: &'env Env,
        messages: Vec<String>,
        key: String,
    ) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| self.live.commit(messages, key, done),
            |committed| if committed { "committed" } else { "duplicate" },
        )
    }

    /// A checkpoint of what is known now.
    #[napi(catch_unwind, ts_return_type = "Promise<object>")]
    pub fn checkpoint<'env>(&self, env: &'env Env, input: CheckpointInput) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| match request(input) {
                Ok(request) => self.live.checkpoint(request, done),
                Err(error) => done(Err(error)),
            },
            |outcome| serde_json::to_value(outcome).unwrap_or(Value::Null),
        )
    }

    /// The packet of what is known now.
    #[napi(catch_unwind, ts_return_type = "Promise<Packet | null>")]
    pub fn packet<'env>(&self, env: &'env Env, max_tokens: Option<f64>) -> napi::Result<Object<'env>> {
        let limit = packet_tokens(max_tokens);
        promise(
            env,
            |done| self.live.packet(limit, done),
            |packet| packet.map(|packet| -> Packet { to_packet(packet) }),
        )
    }

    /// Stores the whole of a message and gives a shortened copy's text.
    #[napi(catch_unwind, ts_return_type = "Promise<Spilled>")]
    pub fn spill<'env>(
        &self,
        env: &'env Env,
        message: String,
        max_tokens: f64,
    ) -> napi::Result<Object<'env>> {
        let max_tokens = count(Some(max_tokens)).unwrap_or(0);
        promise(
            env,
            |done| self.live.spill(message, max_tokens, done),
            |(text, chunk_id)| Spilled { text, chunk_id },
        )
    }

    /// Never dropped by relevance, never expires. `message`: the target is a JSON array with one message.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn pin<'env>(&self, env: &'env Env, target: String, message: bool) -> napi::Result<Object<'env>> {
        let target = if message { PinTarget::Message(target) } else { PinTarget::Chunk(target) };
        promise(env, |done| self.live.pin(target, done), |()| ())
    }

    /// What became of a text.
    #[napi(catch_unwind, ts_return_type = "Promise<object>")]
    pub fn explain<'env>(&self, env: &'env Env, text: String) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| self.live.explain(text, done),
            |found| serde_json::to_value(found).unwrap_or(Value::Null),
        )
    }

    /// A subagent or job runs.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn agent_started<'env>(
        &self,
        env: &'env Env,
        agent: RunningAgentInput,
    ) -> napi::Result<Object<'env>> {
        let agent = agent.into();
        promise(env, |done| self.live.agent_started(&agent, done), |()| ())
    }

    /// It ended.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn agent_ended<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.agent_ended(id, done), |()| ())
    }

    /// A child session begins with what is known here.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn fork<'env>(&self, env: &'env Env, child: String) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.fork(&child, done), |()| ())
    }

    /// A clean generation.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn reset<'env>(&self, env: &'env Env, reason: String, now_ms: f64) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.reset(reason, now_ms as u64, done), |()| ())
    }

    /// Checkpoint, archive, close.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn end<'env>(&self, env: &'env Env, reason: String) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.end(reason, done), |()| ())
    }

    /// How the session is.
    #[napi(catch_unwind, ts_return_type = "Promise<object>")]
    pub fn health<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(
            env,
            |done| self.live.health(done),
            |health| serde_json::to_value(health).unwrap_or(Value::Null),
        )
    }

    /// Everything queued so far is durable.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn flush<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.flush(done), |()| ())
    }

    /// Flushes and gives the handle back.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(env, |done| self.live.close(done), |()| ())
    }
}

fn to_plan(plan: ContextPlan) -> Plan {
    Plan {
        epoch: plan.epoch as f64,
        zone: plan.zone.map_or("green", clawback_core::pressure::Zone::name).to_owned(),
        packet: nullable(plan.packet),
        tail: nullable(plan.tail),
        keep: Uint32Array::new(plan.keep),
        replace: plan.replace.into_iter().map(|r| Replaced { index: r.index, text: r.text }).collect(),
        tokens_before: plan.tokens_before as f64,
        tokens_after: plan.tokens_after as f64,
        dropped_messages: plan.dropped_messages as f64,
        checkpoint_id: plan.checkpoint_id,
        warnings: plan.warnings,
    }
}
