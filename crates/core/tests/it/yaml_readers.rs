//! Other readers see the values that were written (FAULTS D1-D4): npm `yaml` under both versions of YAML, and PyYAML,
//! which knows YAML 1.1 only. A reader that is not installed is skipped with a message.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use clawback_core::checkpoint::yaml;
use serde_json::{Value, json};

const STRINGS: &str = include_str!("../../../../fixtures/yaml/nasty-strings.json");

/// Reads YAML on standard input, writes a JSON list with what each of its readers saw.
const NODE: &str = r"
const { parse } = require('yaml')
const text = require('node:fs').readFileSync(0, 'utf8')
process.stdout.write(JSON.stringify(['1.1', '1.2'].map((version) => parse(text, { version }))))
";
const PYTHON: &str = r"
import json, sys, yaml
text = sys.stdin.buffer.read().decode('utf-8')
loaders = [yaml.SafeLoader] + [getattr(yaml, name) for name in ['CSafeLoader'] if hasattr(yaml, name)]
sys.stdout.write(json.dumps([yaml.load(text, Loader=loader) for loader in loaders]))
";

fn strings() -> Vec<String> {
    serde_json::from_str(STRINGS).unwrap()
}

/// Each string as a value, in a list, and under keys of a mapping in a list.
fn tree() -> Value {
    let strings = strings();
    let nested: Vec<Value> = strings.iter().map(|text| json!({"role": text, "gist": [text]})).collect();
    json!({"list": strings, "nested": nested, "none": null, "empty": [], "share": 0.81})
}

/// What a reader saw; `None` when it is not installed here.
fn ask(program: &str, probe: &[&str], script: &[&str], text: &str) -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&root).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    };
    if !run(probe).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let mut child = run(script).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{program} could not read it");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn check(reader: &str, seen: Option<Vec<Value>>) {
    let Some(seen) = seen else {
        println!("skipped: {reader} is not installed");
        return;
    };
    assert!(!seen.is_empty());
    for got in seen {
        for (index, text) in strings().iter().enumerate() {
            let place = got.pointer(&format!("/list/{index}"));
            assert_eq!(place.and_then(Value::as_str), Some(text.as_str()), "{reader} read another string");
        }
        assert_eq!(got, tree(), "{reader}");
    }
}

#[test]
fn npm_yaml_reads_the_same_values() {
    let text = yaml::emit(&tree()).unwrap();
    check("npm yaml", ask("node", &["-e", "require('yaml')"], &["-e", NODE], &text));
}

#[test]
fn pyyaml_reads_the_same_values() {
    let text = yaml::emit(&tree()).unwrap();
    check("PyYAML", ask("python3", &["-c", "import yaml"], &["-c", PYTHON], &text));
}
