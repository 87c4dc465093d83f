//! Prints `{"yaml", "expected"}` for the strings of `fixtures/yaml/nasty-strings.json`, so that other YAML readers can
//! be asked whether they see the same values: `cargo run -p clawback-core --example nasty_yaml`.

use std::error::Error;
use std::io::Write as _;

use clawback_core::checkpoint::yaml;
use serde_json::{Value, json};

const STRINGS: &str = include_str!("../../../fixtures/yaml/nasty-strings.json");

fn main() -> Result<(), Box<dyn Error>> {
    let strings: Vec<String> = serde_json::from_str(STRINGS)?;
    let nested: Vec<Value> = strings.iter().map(|text| json!({"role": text, "gist": [text]})).collect();
    let expected = json!({"list": strings, "nested": nested, "none": null, "empty": [], "share": 0.81});
    let report = json!({"yaml": yaml::emit(&expected)?, "expected": expected});
    writeln!(std::io::stdout(), "{report}")?;
    Ok(())
}
