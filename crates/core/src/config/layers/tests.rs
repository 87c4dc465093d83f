use super::*;
use proptest::prelude::*;
use serde_json::json;

fn file(text: &str) -> Result<Loaded> {
    Loaded::new(&Layers { file: Some(("config.yaml", text)), home: Some("/home/ada"), ..Layers::default() })
}

fn given(value: Value) -> Result<Loaded> {
    Loaded::new(&Layers { given: Some(&value), ..Layers::default() })
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.code(), "InvalidInput");
    error.to_string()
}

#[test]
fn every_knob_of_the_table_stands_in_the_configuration_and_no_other() {
    fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
        match value.as_object() {
            Some(fields) => fields.iter().for_each(|(key, value)| {
                leaves(value, if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, found);
            }),
            None => found.push(path),
        }
    }
    let mut found = Vec::new();
    leaves(&serde_json::to_value(Config::default()).unwrap(), String::new(), &mut found);
    let mut known: Vec<&str> = KNOBS.iter().map(|knob| knob.path).collect();
    found.sort();
    known.sort_unstable();
    assert_eq!(found, known);
    let mut uppers: Vec<&str> = KNOBS.iter().map(|knob| knob.upper).collect();
    uppers.sort_unstable();
    uppers.dedup();
    assert_eq!(uppers.len(), KNOBS.len());
}

#[test]
fn the_defaults_are_in_range_and_agree_with_each_other() {
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let loaded = given(defaults).unwrap();
    assert_eq!((loaded.config, loaded.warnings), (Config::default(), Vec::new()));
}

#[test]
fn the_file_of_seed_003_is_read_as_it_stands() {
    let loaded = file(
        "# Context Limits\nCOMPACTION_TRIGGER_PCT: 0.45      # Trigger\nMAX_CONTEXT_PCT: 0.85\nRELEVANCE_CUTOFF: 0.3\n\
         RECENCY_BONUS: 0.2\nIMPORTANCE_BOOT: 0.15\nMIN_CHUNKS_TO_KEEP: 7\nMEMFAS_MIN_SCORE: 0.05\nMEMFAS_WEIGHT: 0.6\n\
         CURATION_TRIGGER_PCT: 0.40\nCOLD_STORAGE_ENABLED: false\nCOLD_STORAGE_PATH: ~/.clawdbot/cold-storage/\n\
         RECOVERABLE_FOR_DAYS: 30\nSUMMARY_MODEL: minimax/MiniMax-M2.1\nLOG_PATH: ~/logs\nLOG_DROPS: false\n",
    )
    .unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let config = loaded.config;
    assert_eq!(
        (config.compaction_trigger_pct, config.max_context_pct, config.importance_bonus),
        (0.45, 0.85, 0.15)
    );
    assert_eq!((config.min_chunks_to_keep, config.cold_storage_enabled, config.log_drops), (7, false, false));
    assert_eq!(config.cold_storage_path.as_deref(), Some("/home/ada/.clawdbot/cold-storage/"));
    assert_eq!(config.log_path.as_deref(), Some("/home/ada/logs"));
    assert_eq!(config.summary_model.as_deref(), Some("minimax/MiniMax-M2.1"));
    assert_eq!(loaded.origins["maxContextPct"], Origin::File("config.yaml".into()));
    assert_eq!(loaded.origins["thresholdKeep"], Origin::Default);
}

#[test]
fn the_block_of_seed_004_is_read_alone_and_inside_a_hosts_file() {
    let block = "contextManagement:\n  enabled: false\n  budget:\n    historyRatio: 0.5\n    minResponseTokens: 2048\n  \
                 rollingSummary:\n    windowSize: 3\n  semanticHistory:\n    minRelevanceScore: 0.7\n";
    let host = format!(
        "gateway:\n  port: 1\nagents:\n  defaults:\n    model: x\n    {}",
        block.replace('\n', "\n    ")
    );
    for text in [block, host.as_str()] {
        let loaded = file(text).unwrap();
        assert!(loaded.warnings.is_empty(), "{text}: {:?}", loaded.warnings);
        let block = loaded.config.context_management;
        assert_eq!(
            (block.enabled, block.budget.history_ratio, block.budget.min_response_tokens),
            (false, 0.5, 2048)
        );
        assert_eq!((block.rolling_summary.window_size, block.semantic_history.min_relevance_score), (3, 0.7));
        assert_eq!(block.rolling_summary.summary_max_tokens, 2_000);
    }
}

#[test]
fn the_caller_wins_over_the_environment_and_that_over_the_file() {
    let env = [
        ("CLAWBACK_COMPACTION_TRIGGER_PCT".into(), "0.4".into()),
        ("CLAWBACK_LOG_DROPS".into(), "no".into()),
    ];
    let given = json!({"compactionTriggerPct": 0.3, "relevance": null});
    let loaded = Loaded::new(&Layers {
        file: Some(("f", "compactionTriggerPct: 0.6\nLOG_DROPS: true\nrelevance: true")),
        env: &env,
        given: Some(&given),
        home: None,
    })
    .unwrap();
    assert_eq!(
        (loaded.config.compaction_trigger_pct, loaded.config.log_drops, loaded.config.relevance),
        (0.3, false, true)
    );
    assert_eq!(loaded.origins["compactionTriggerPct"], Origin::Option);
    assert_eq!(loaded.origins["logDrops"], Origin::Env("CLAWBACK_LOG_DROPS".into()));
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest_name() {
    let loaded =
        file("COMPACTION_TRIGER_PCT: 0.4\ncontextManagement:\n  rolingSummary: {}\nzzz: 1\n").unwrap();
    let nearest: Vec<_> = loaded.warnings.iter().map(|warning| warning.nearest.as_deref()).collect();
    assert_eq!(nearest, [Some("compactionTriggerPct"), Some("contextManagement.rollingSummary"), None]);
    assert!(loaded.warnings[0].text.contains("did you mean compactionTriggerPct?"));
    assert_eq!(loaded.config, Config::default());
}

#[test]
fn a_misspelt_variable_is_reported_and_a_variable_of_somebody_else_is_not() {
    let names = [
        "CLAWBACK_COMPACTION_TRIGER_PCT",
        "CLAWBACK_compaction_trigger_pct",
        "CLAWBACK_LOGDROPS",
        "CLAWBACK_LOG_DROPS",
        "CLAWBACK_TEST_DIR",
        "CLAWBACK_TIMES",
        "CLAWBACK_PROFILE",
        "CLAWBACK_CONFIG",
        "CLAWBACK_HOME",
        "CLAWBACK_",
        "PATH",
    ];
    let env: Vec<(String, String)> = names.iter().map(|name| ((*name).into(), "true".into())).collect();
    let loaded = Loaded::new(&Layers { env: &env, ..Layers::default() }).unwrap();
    let told: Vec<_> =
        loaded.warnings.iter().map(|told| (told.key.as_str(), told.nearest.as_deref())).collect();
    assert_eq!(
        told,
        [
            ("CLAWBACK_COMPACTION_TRIGER_PCT", Some("CLAWBACK_COMPACTION_TRIGGER_PCT")),
            ("CLAWBACK_compaction_trigger_pct", Some("CLAWBACK_COMPACTION_TRIGGER_PCT")),
            ("CLAWBACK_LOGDROPS", Some("CLAWBACK_LOG_DROPS")),
        ]
    );
    assert!(loaded.warnings[0].text.ends_with("did you mean CLAWBACK_COMPACTION_TRIGGER_PCT?"));
}

#[test]
fn a_value_out_of_range_says_where_and_what_is_allowed() {
    let said = message(file("COMPACTION_TRIGGER_PCT: 50\n"));
    assert!(
        said.contains("compactionTriggerPct") && said.contains("config.yaml") && said.contains("0.5"),
        "{said}"
    );
    for wrong in [
        json!({"maxContextPct": "high"}),
        json!({"minChunksToKeep": -1}),
        json!({"minChunksToKeep": 2.5}),
        json!({"logDrops": "yes"}),
        json!({"durability": "most"}),
        json!({"contextManagement": 7}),
        json!({"compactionTriggerPct": 0.9, "maxContextPct": 0.9}),
        json!({"relevanceCutoff": 0.7}),
        json!({"coldStoragePath": ""}),
        json!([1]),
    ] {
        message(given(wrong));
    }
    let sum = message(given(json!({"contextManagement": {"budget": {"historyRatio": 0.8}}})));
    assert!(sum.contains("add up to 1.25"), "{sum}");
    let env = [("CLAWBACK_MAX_CONTEXT_PCT".to_owned(), "lots".to_owned())];
    assert!(message(Loaded::new(&Layers { env: &env, ..Layers::default() })).contains("environment"));
}

#[test]
fn a7_a_tilde_is_expanded_or_refused() {
    assert!(message(given(json!({"logPath": "~/logs"}))).contains("HOME is not set"));
    assert!(message(file("LOG_PATH: ~bob/logs")).contains("whole path"));
    assert_eq!(file("LOG_PATH: \"~\"").unwrap().config.log_path.as_deref(), Some("/home/ada"));
    assert_eq!(file("LOG_PATH: /a/~/b").unwrap().config.log_path.as_deref(), Some("/a/~/b"));
}

#[test]
fn odd_files_are_errors_or_nothing_but_never_half_a_configuration() {
    for empty in ["", "\u{feff}# only a comment\n", "{}"] {
        assert_eq!(file(empty).unwrap().config, Config::default());
    }
    for wrong in ["a: [1", "- 1\n- 2\n", "text", "LOG_DROPS: true\nLOG_DROPS: false\n", "a: 1\n---\nb: 2\n"] {
        message(file(wrong));
    }
    message(file(&format!("summaryModel: {}", "x".repeat(300_000))));
}

proptest! {
    #[test]
    fn whatever_is_accepted_reads_back_the_same(trigger in 0.05f64..0.6, chunks in 0u64..10_000, cold in any::<bool>(), model in "[a-z]{1,8}") {
        let value = json!({"compactionTriggerPct": trigger, "MIN_CHUNKS_TO_KEEP": chunks, "cold_storage_enabled": cold, "summaryModel": model});
        let config = given(value).unwrap().config;
        let again = given(serde_json::to_value(&config).unwrap()).unwrap();
        prop_assert_eq!(again.config, config);
        prop_assert!(again.warnings.is_empty());
    }

    #[test]
    fn no_text_breaks_it(text in "\\PC{0,80}") {
        let _ = file(&text);
        let _ = given(Value::Object([(text.clone(), Value::String(text))].into_iter().collect()));
    }
}
