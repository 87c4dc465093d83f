use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::time::{Duration, Instant};

/// Texts with one secret each: the secret must be gone and a marker there. Keys are put together here so that scanners
/// of this repository find none.
fn secrets() -> Vec<(String, String)> {
    let random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let hex = "0123456789abcdef0123456789abcdef";
    let first = |count: usize| random.chars().take(count).collect::<String>();
    let keys = [
        format!("sk-{random}"),
        format!("sk-proj-{random}_{random}"),
        format!("sk-ant-api03-{random}"),
        format!("ghp_{random}"),
        format!("github_pat_{random}"),
        format!("glpat-{}", first(20)),
        format!("xoxb-1234567890-{random}"),
        format!("sk_live_{}", first(24)),
        format!("AKIA{}", "ABCDEFGH23456777"),
        format!("AIza{}", first(35)),
        format!("npm_{random}"),
        format!("pypi-AgE{random}"),
        format!("12345678:{}", first(35)),
        format!("123456789:AA{}", first(32)),
        format!("eyJhbGciOiJI.eyJzdWIiOiIx.{random}"),
        format!("hf_{random}"),
        format!("SG.{}.{}", first(22), random),
        format!("SK{hex}"),
    ];
    let mut rows: Vec<(String, String)> = Vec::new();
    for key in keys {
        for frame in ["use {} now", "KEY={}", "\"{}\"", "https://x.test/?k={}&a=1", "`{}`,", "bot said: {}."]
        {
            rows.push((frame.replace("{}", &key), key.clone()));
        }
    }
    for (frame, secret) in [
        ("PASSWORD={}", "hunter2"),
        ("export DB_PASSWORD={}", "p&ss;w0rd"),
        ("password={}&user=a", "hunter2"),
        ("PASSWORD=\"{}\"", "two words 7"),
        ("password: {}", "hunter2"),
        ("db:\n  password: {}\n  user: x", "correcthorse"),
        ("password: >-\n  {}\nuser: a", "hunter2 and more"),
        ("{\"apiKey\": \"{}\"}", "abcdef"),
        ("{\"apiKey\":\n  \"{}\"}", "abcdef"),
        ("{\\\"token\\\": \\\"{}\\\"}", "abcdef"),
        ("const apiKey = '{}';", "abcdef"),
        ("config[\"client_secret\"] = \"{}\"", "abc def"),
        ("tool --password {} --verbose", "hunter2"),
        ("tool --token={}", "abcdef"),
        ("tool --api-key '{}'", "ab cd"),
        ("mysql -u root -p{} db", "hunter2"),
        ("curl -u admin:{} https://x.test", "hunter2"),
        ("postgres://app:{}@db.test:5432/app", "hunter2"),
        ("redis://:{}@cache.test", "p@ss"),
        ("amqp://a:{}@h", "q7"),
        ("curl -H 'Authorization: Bearer {}' https://x.test", "abcdefgh"),
        ("Authorization: Basic {}", "dXNlcjpwYXNz"),
        ("{\"Authorization\": \"Bearer {}\"}", "abc.def"),
        ("headers: {'X-Api-Key': '{}'}", "abcdef"),
        ("X-Api-Key: {}", "a1b2c3d4e5"),
        ("Cookie: {}", "sid=abc; theme=dark"),
        ("Set-Cookie: {}", "sid=abc; HttpOnly"),
        ("//registry.example.org/:_authToken={}", "abcdef"),
        ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"),
        ("<password>{}</password>", "hunter2"),
        ("DefaultEndpointsProtocol=https;AccountKey={};x=y", "abcd1234=="),
        ("lozinka: {}", "hunter2"),
        ("password: \"{}", "cut off here 1"),
        ("X-Auth-Token: {}", "abc123"),
        ("the password is {}", "hunter2"),
        ("lozinka je {}", "hunter2"),
        ("šifra: {}", "tajna123"),
        ("Шифра: {}", "tajna123"),
        ("the password is {}", "Tr0ub4dor&3x"),
        ("password: {} AKIAIOSFODNN7EXAMPLE", "hunter2secret"),
        ("PGPASSWORD={} psql -h db", "hunter2"),
        ("auth: { user: 'a', pass: '{}' }", "hunter2"),
        ("https://b.test/x?sv=1&sig={}&se=2", "aB3dE5fG7hI9jK1lM3%3D"),
        ("access_token={}&scope=all", "abcdef"),
        ("password: {}", "two words"),
        ("my wifi password: {}", "hunter2 blue sky"),
        ("- passphrase: {}\nnext line", "correct horse battery staple"),
        ("db password = {}", "correct horse battery staple"),
        ("lozinka: {}", "plavi zec trči"),
        ("password {}", "hunter2"),
        ("use password {} for staging.", "hunter2"),
        ("the password for staging is {}", "x7Kp2mQ9"),
        ("Password for the admin user of staging is now {}, do not share it", "hunter2"),
        ("password for db.test: {}", "hunter2"),
        ("the password is \"{}\"", "correcthorse"),
        ("lozinka za bazu je {}", "x7Kp2mQ9"),
        ("Lozinka je sada {}.", "x7Kp2mQ9"),
        ("promeni lozinku za bazu na {}", "x7Kp2mQ9"),
        ("лозинка за базу је {}", "x7Kp2mQ9"),
        ("шифра за сервер гласи {}", "тајна2024"),
        ("prijavi se šifrom {} na server", "tajna123"),
        ("set OPENAI_API_KEY to {}", "x7Kp2mQ9"),
        ("OPENAI_API_KEY should be {} on staging", "x7Kp2mQ9"),
        ("the API key is {}", "x7Kp2mQ9vL4n"),
        ("API key: {}", "x7Kp2mQ9vL4n"),
        ("API ključ za mapu je {}", "x7Kp2mQ9vL4n"),
        ("change the token for prod to {}", "x7Kp2mQ9vL4n"),
        ("token {} works", "x7Kp2mQ9vL4n"),
        ("redis-cli -h cache -a {} ping", "hunter2"),
        ("redis-cli --pass {} ping", "hunter2"),
        ("mongosh -u root -p {} admin", "hunter2"),
        ("sqlcmd -S db -U sa -P '{}' -Q x", "hunter2"),
        ("https://hooks.slack.com/services/{}", "T000/B000/XXXXXXXX"),
    ] {
        rows.push((frame.replace("{}", secret), secret.to_owned()));
    }
    rows
}

#[test]
fn secrets_of_every_shape_and_place_are_replaced() {
    let missed: Vec<_> = secrets()
        .into_iter()
        .filter(|(text, secret)| {
            let redacted = redact_secrets(text);
            redacted.contains(secret.as_str()) || !redacted.contains(MARKER_START)
        })
        .map(|(text, _)| (redact_secrets(&text).into_owned(), text))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn names_of_secrets_are_known_in_small_and_in_capital_letters() {
    let secret = "a1B2c3D4e5F6g7H8";
    for frame in [
        "db_pass={}",
        "db_pwd={}",
        "client_secret={}",
        "access_token={}",
        "api_key={}",
        "lozinka={}",
        "sifra={}",
        "authorization: bearer {}",
        "basic {}",
        "cookie: session={}",
        "https://x.test/a?sig={}",
        "https://x.test/a?x-amz-signature={}",
    ] {
        for frame in [frame.to_owned(), frame.to_uppercase(), format!("é {frame}")] {
            let text = frame.replace("{}", secret);
            assert!(!redact_secrets(&text).contains(secret), "{text}");
        }
    }
}

#[test]
fn what_is_no_secret_stays() {
    let changed: Vec<_> = [
        "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
        "password reset",
        "Pass `options` to the function",
        "with token counts: cl100k_base and more",
        "the password is wrong",
        "the password is wrong!",
        "lozinka je zaboravljena",
        "lozinka na server2 ne radi",
        "zaboravio sam lozinku za nalog 123456",
        "set NODE_ENV to production",
        "set TOKEN_LIMIT to 4000",
        "token limit is 4000",
        "the token for the parser is read twice",
        "unexpected token 'else'",
        "Unexpected token \"<\" at position 120",
        "Failed password for root from 10.0.0.1 port 22 ssh2",
        "the password for me@example.org is in the vault",
        "password reset_v2 endpoint",
        "the password file is backup2024.zip",
        "password hashing uses argon2id",
        "the password for staging is 12-character minimum",
        "a password of 16chars or more",
        "see password AUTH-1234 for the ticket",
        "primary key is user2id7",
        "the key is user2id7",
        "redis-cli -h cache ping",
        "the API key is missing",
        "API ključ je istekao",
        "zip -r a.zip src",
        "set the password field to required",
        "commit 3f2c9d1e8b7a6f5c4d3e2f1a0b9c8d7e6f5a4b3c",
        "the password: it must be long",
        "Password: minimum 12 characters",
        "password: reset link sent",
        "password: at least two words",
        "We talked about the old password: nobody knows",
        "PASSWORD: ask Ana for it",
        "lozinka: najmanje 12 znakova",
        "sha256:5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "/home/ana/projects/token/src/main.rs:120",
        "TOKEN=${TOKEN}",
        "export TOKEN=$TOKEN",
        "--token <token>",
        "TOKEN=***",
        "token: '${{ secrets.GITHUB_TOKEN }}'",
        "const token = process.env.TOKEN;",
        "token = os.environ[\"TOKEN\"]",
        "password=self.password",
        "api_key=settings.API_KEY",
        "password = None",
        "token: string",
        "password: string;",
        "function login(password: string, token?: string)",
        "max_tokens=500",
        "tokens: 128",
        "token: 128",
        "\"max_tokens\": 4096",
        "total tokens = 12345",
        "token_count: 88",
        "const token = await fetchToken(user);",
        "let secret = getSecret();",
        "token = next(stream)",
        "Password: must be at least 8 characters",
        "The password is required.",
        "token: expired",
        "Invalid token: unexpected end",
        "\"password\": \"Enter your password\"",
        "secrets: inherit",
        "credentials: 'include'",
        "key: value",
        "primary_key: id",
        "sessionKey: \"pi:abc123\"",
        "cp_003 [redacted:token]",
        "KEY=[redacted:openai]",
        "class=\"sk-folding-cube-animation-container\"",
        "ssh://git@github.com:22/a/b",
        "http://localhost:3000/@scope/pkg",
        "npm i @scope/pkg@1.2.3",
        "Basic authentication is enough",
        "Authorization: Bearer ${token}",
        "Authorization: Bearer <token>",
        "`Bearer ${token}`",
        "postgres://app:${DB_PASS}@db/app",
        "postgres://user:***@db/app",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "we pass: the test",
        "PWD=/work",
        "SSH_PRIVATE_KEY=~/.ssh/id_rsa",
        "private_key: /etc/ssl/private/server.key",
        "keyboard: qwerty12345",
        "monkey=banana123456",
        "tests pass: 12345",
        "unexpected token: handle null",
        "token: Uint8Array",
        "token: u64",
        "secret: &str",
        "let tokens: List<Token>items",
        "if token>limit {",
        "use <password> here",
        "api_key=\"sk-...\"",
        "API_KEY=sk-xxxxxxxx",
        "\"password\": null",
        "password_hash=$2b$12$abc",
        "tokenizer.pad_token = tokenizer.eos_token",
        "secret = secrets.token_hex(16)",
        "token === other",
        "--token-limit 5",
        "\"passwordRequired\": true",
        "the password is required",
        "<input type=\"password\" name=\"password\" placeholder=\"x\">",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ user@host",
        "password=password",
        "token=token",
        "if (token == null) return",
        "token => token.text",
        "secret?: string | null",
    ]
    .into_iter()
    .filter_map(|text| match redact_secrets(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(redacted) => Some((text, redacted)),
    })
    .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn private_keys_go_whole_cut_off_and_inside_strings() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\nC7VJTUt9Us8cKj+MzEfYyjiWA4R4==";
    let begin = "-----BEGIN RSA PRIVATE KEY-----";
    let end = "-----END RSA PRIVATE KEY-----";
    let whole = format!("before\n{begin}\n{body}\n{end}\nafter");
    assert_eq!(redact_secrets(&whole), "before\n[redacted:private-key]\nafter");
    let escaped = format!("{{\"k\": \"{begin}\\n{}\\n{end}\\n\", \"b\": 1}}", body.replace('\n', "\\n"));
    assert_eq!(redact_secrets(&escaped), "{\"k\": \"[redacted:private-key]\\n\", \"b\": 1}");
    let cut = format!("{begin}\n{body}");
    assert_eq!(redact_secrets(&cut), "[redacted:private-key]");
    let cut = format!("{begin}\n{body}\n\nThen the tool stopped.");
    assert_eq!(redact_secrets(&cut), "[redacted:private-key]\n\nThen the tool stopped.");
    let one_line = format!("KEY=\"{begin} {} {end}\"", body.replace('\n', " "));
    assert!(!redact_secrets(&one_line).contains("MIIE") && !redact_secrets(&one_line).contains("C7VJ"));
    let code =
        format!("key = \"{begin}\\n\" +\n  \"{}\\n\" +\n  \"{end}\"", body.replace('\n', "\\n\" +\n  \""));
    assert!(!redact_secrets(&code).contains("C7VJ"), "{}", redact_secrets(&code));
}

#[test]
fn the_rest_of_the_line_stays_readable() {
    assert_eq!(
        redact_secrets("curl -H 'Authorization: Bearer abcdef123456' https://x.test/v1"),
        "curl -H 'Authorization: Bearer [redacted:authorization]' https://x.test/v1"
    );
    assert_eq!(
        redact_secrets("postgres://app:hunter2@db:5432/app"),
        "postgres://app:[redacted:password]@db:5432/app"
    );
    assert_eq!(redact_secrets("a=1 PASSWORD='x y1' b=2"), "a=1 PASSWORD='[redacted:password]' b=2");
}

#[test]
fn tool_parameters_are_read_with_their_keys() {
    let redacted = redact_value(&json!({
        "command": "curl -u a:hunter2 https://x.test", "password": "correct horse", "pin": 1234, "max_tokens": 500,
        "headers": {"Authorization": "Bearer abc", "Accept": "*/*"}, "env": [{"name": "API_KEY", "value": "abc"}],
        "args": ["--token", "abc", "--limit", "5"], "token": null, "apiKey": "${API_KEY}", "path": "src/token.rs",
    }));
    assert_eq!(
        redacted,
        json!({
            "command": "curl -u a:[redacted:password] https://x.test", "password": "[redacted:password]", "pin": 1234, "max_tokens": 500,
            "headers": {"Authorization": "[redacted:authorization]", "Accept": "*/*"},
            "env": [{"name": "API_KEY", "value": "[redacted:api-key]"}],
            "args": ["--token", "[redacted:token]", "--limit", "5"], "token": null, "apiKey": "${API_KEY}", "path": "src/token.rs",
        })
    );
    assert_eq!(redact_value(&redacted), redacted);
}

#[test]
fn hostile_texts_take_linear_time() {
    let started = Instant::now();
    for unit in [
        "_",
        "token=",
        "password: \"",
        "-----BEGIN PRIVATE KEY-----\n",
        "a://b:",
        "eyJa",
        "sk-",
        "\\\"token\\\":",
        "Bearer ",
        "--token ",
        "password for ",
        "set token to ",
        "api key is 'a",
    ] {
        redact_secrets(&unit.repeat(300_000 / unit.len()));
    }
    redact_secrets(&format!("{}x", "_".repeat(100_000)));
    assert!(started.elapsed() < Duration::from_secs(30), "took {:?}", started.elapsed());
}

proptest! {
    #[test]
    fn twice_is_once_and_the_text_around_survives(
        parts in proptest::collection::vec(
            prop_oneof![
                proptest::sample::select(secrets()).prop_map(|(text, _)| text),
                "[ -~\\n]{0,30}", "\\PC{0,10}",
                proptest::sample::select(vec!["password=", "\"token\": \"", "token: ", "://a:", "@", "[redacted:token]", "\\\"", "'", "\n", "Cookie: ", "--secret "]).prop_map(str::to_owned),
            ], 0..8)
    ) {
        let text = parts.concat();
        let once = redact_secrets(&text).into_owned();
        prop_assert_eq!(&redact_secrets(&once), &once);
        prop_assert!(once.matches(MARKER_START).count() <= text.matches(MARKER_START).count() + text.len());
    }

    #[test]
    fn a_known_secret_between_ordinary_lines_is_always_found(
        row in proptest::sample::select(secrets()), before in "([a-z]{1,9} ){0,8}", after in "([a-z]{1,9} ){0,8}"
    ) {
        let text = format!("{before}\n{}\n{after}", row.0);
        prop_assert!(!redact_secrets(&text).contains(&row.1));
    }
}
