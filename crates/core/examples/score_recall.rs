//! Scores ranking on public conversations: `score_recall DIR`, where DIR holds `locomo/locomo10.json` and
//! `qmsum/{val,test}.jsonl`. Share of the evidence among the first 5 and 10 messages, with the message alone and with
//! its surroundings. Says so where a file is not there.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a command for developers"
)]

use clawback_core::recall::analyze::{Kind, analyze};
use clawback_core::recall::query::Query;
use clawback_core::recall::rank::{Hit, Lengths, Matches, SIGNALS, Signal, rank_by};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

struct Talk {
    messages: Vec<String>,
    questions: Vec<(String, HashSet<u32>)>,
}

struct Indexed {
    lengths: Lengths,
    terms: HashMap<String, Vec<Hit>>,
}

fn indexed(messages: &[String]) -> Indexed {
    let mut found = Indexed { lengths: Lengths::default(), terms: HashMap::new() };
    for (position, text) in (0_u32..).zip(messages) {
        let mut words = 0;
        analyze(text, &mut |term, kind| {
            words += u32::from(kind == Kind::Word);
            let hits = found.terms.entry(term.to_owned()).or_default();
            match hits.last_mut() {
                Some(hit) if hit.position == position => hit.count += 1,
                _ => hits.push(Hit { position, count: 1 }),
            }
        });
        found.lengths.push(words);
    }
    found
}

fn matches(talk: &Indexed, query: &Query) -> Vec<Matches> {
    let of = |concept: &clawback_core::recall::query::Concept| {
        let mut hits: Vec<Hit> = concept
            .terms
            .iter()
            .flat_map(|term| talk.terms.get(term).into_iter().flatten().copied())
            .collect();
        hits.sort_by_key(|hit| hit.position);
        hits.dedup_by_key(|hit| hit.position);
        Matches { hits, whole: concept.whole, named: concept.named }
    };
    query.concepts.iter().map(of).collect()
}

fn score(talks: &[Talk], signals: &[Signal]) -> (usize, f64, f64) {
    let (mut asked, mut at_5, mut at_10) = (0_usize, 0.0, 0.0);
    for talk in talks {
        let index = indexed(&talk.messages);
        for (question, evidence) in &talk.questions {
            let concepts = matches(&index, &Query::new(question));
            let found = rank_by(signals, &index.lengths, &concepts, &HashMap::new(), 10, &|_| true);
            let share = |first: usize| {
                found.iter().take(first).filter(|hit| evidence.contains(&hit.position)).count() as f64
                    / evidence.len() as f64
            };
            asked += 1;
            at_5 += share(5);
            at_10 += share(10);
        }
    }
    (asked, at_5 / asked as f64, at_10 / asked as f64)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Evidence is named `D1:3`, sometimes several in one string, sometimes with a zero in front.
fn names(evidence: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r"D(\d+):0*(\d+)").unwrap();
    pattern.captures_iter(evidence).map(|found| format!("D{}:{}", &found[1], &found[2])).collect()
}

fn locomo(json: &str) -> Vec<Talk> {
    let samples: Vec<Value> = serde_json::from_str(json).unwrap();
    let mut talks = Vec::new();
    for sample in &samples {
        let conversation = sample["conversation"].as_object().unwrap();
        let mut talk = Talk { messages: Vec::new(), questions: Vec::new() };
        let mut ids: HashMap<String, u32> = HashMap::new();
        for number in 1..=conversation.len() {
            for turn in
                conversation.get(&format!("session_{number}")).and_then(Value::as_array).into_iter().flatten()
            {
                ids.insert(text(turn, "dia_id").to_owned(), u32::try_from(talk.messages.len()).unwrap());
                let caption = match text(turn, "blip_caption") {
                    "" => String::new(),
                    caption => format!(" [image: {caption}]"),
                };
                talk.messages.push(format!("{}: {}{caption}", text(turn, "speaker"), text(turn, "text")));
            }
        }
        for question in sample["qa"].as_array().unwrap() {
            let evidence: HashSet<u32> = question["evidence"]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|one| names(one.as_str().unwrap_or_default()))
                .filter_map(|name| ids.get(&name).copied())
                .collect();
            if !evidence.is_empty() {
                talk.questions.push((text(question, "question").to_owned(), evidence));
            }
        }
        talks.push(talk);
    }
    talks
}

fn qmsum(lines: &str) -> Vec<Talk> {
    let mut talks = Vec::new();
    for line in lines.lines() {
        let meeting: Value = serde_json::from_str(line).unwrap();
        let turns = meeting["meeting_transcripts"].as_array().unwrap();
        let messages: Vec<String> = turns
            .iter()
            .map(|turn| format!("{}: {}", text(turn, "speaker"), text(turn, "content")))
            .collect();
        let last = u32::try_from(messages.len()).unwrap();
        let mut questions = Vec::new();
        for question in meeting["specific_query_list"].as_array().unwrap() {
            let mut evidence = HashSet::new();
            for span in question["relevant_text_span"].as_array().into_iter().flatten() {
                let end =
                    |index: usize| span[index].as_str().and_then(|n| n.parse::<u32>().ok()).unwrap_or(last);
                evidence.extend((end(0)..=end(1)).filter(|position| *position < last));
            }
            if !evidence.is_empty() {
                questions.push((text(question, "query").to_owned(), evidence));
            }
        }
        talks.push(Talk { messages, questions });
    }
    talks
}

fn main() {
    let directory = std::env::args().nth(1).unwrap_or_default();
    let read = |name: &str| std::fs::read_to_string(format!("{directory}/{name}"));
    let sets = [
        ("LoCoMo", read("locomo/locomo10.json").map(|json| locomo(&json))),
        ("QMSum", read("qmsum/val.jsonl").and_then(|val| Ok(qmsum(&(val + &read("qmsum/test.jsonl")?))))),
    ];
    println!("| | questions | ranked by | R@5 | R@10 |\n|---|---|---|---|---|");
    for (name, talks) in sets {
        let Ok(talks) = talks else {
            println!("| {name} | is not there | | | |");
            continue;
        };
        for (how, signals) in [("the message alone", &SIGNALS[..1]), ("with its surroundings", SIGNALS)] {
            let (asked, at_5, at_10) = score(&talks, signals);
            println!("| {name} | {asked} | {how} | {at_5:.4} | {at_10:.4} |");
        }
    }
}
