//! Which names say that their value is secret. A name is read in parts (`dbPassword`, `DB_PASSWORD` and `db-password`
//! are the same), and its last part decides: `max_tokens`, `token_count` and `passwordField` are not secret.

use crate::text::fold::fold;

/// Longest word before "key" that is looked at, in characters.
const MAX_WORD_CHARS: usize = 16;

/// A name's parts in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        let ends = !c.is_alphanumeric() || (c.is_uppercase() && lower_before);
        if ends && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        lower_before = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The kind of secret that a name promises: `password`, `token`, `secret`, `api-key`, or nothing.
pub(super) fn secret_kind(name: &str) -> Option<&'static str> {
    let mut parts = parts(name);
    // what says which one it is, not what it is
    while parts.len() > 1 && parts.last().is_some_and(|part| is_suffix(part)) {
        parts.pop();
    }
    let last = parts.pop()?;
    let before = parts.last().map_or("", String::as_str);
    match last.as_str() {
        "password" | "passwd" | "passphrase" | "passcode" | "pwd" | "pass" => {
            (last != "pwd" || !before.is_empty() || name != "PWD").then_some("password")
        }
        "secret" => Some("secret"),
        "token" => (!is_model_token(before)).then_some("token"),
        "apikey" | "apitoken" | "authtoken" | "accesstoken" => Some("api-key"),
        "dbpassword" | "userpassword" | "pgpassword" | "mysqlpwd" => Some("password"),
        "clientsecret" | "secretkey" | "privatekey" | "accesskey" => Some("secret"),
        "key" => match before {
            "api" => Some("api-key"),
            "secret" | "private" | "access" | "encryption" | "signing" | "master" | "account" | "auth"
            | "license" | "webhook" | "jwt" | "shared" => Some("secret"),
            _ => None,
        },
        "auth" => (name == "_auth").then_some("token"),
        _ => matches!(
            fold(&last).as_str(),
            "lozinka" | "lozinke" | "lozinku" | "lozinkom" | "sifra" | "sifre" | "sifru" | "sifrom"
        )
        .then_some("password"),
    }
}

/// The kind of secret that two words name: `API key`, `private key`, `API ključ`.
pub(super) fn spoken_kind(before: &str, name: &str) -> Option<&'static str> {
    if !matches!(fold(name).as_str(), "key" | "kljuc") {
        return None;
    }
    let word = before.strip_suffix([' ', '-'])?;
    let from =
        word.char_indices().rev().take(MAX_WORD_CHARS).take_while(|(_, c)| c.is_alphanumeric()).last()?.0;
    secret_kind(&format!("{}_key", word.get(from..)?))
}

fn is_suffix(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_digit())
        || matches!(
            part,
            "prod"
                | "production"
                | "dev"
                | "test"
                | "staging"
                | "old"
                | "new"
                | "live"
                | "base"
                | "value"
                | "b64"
                | "base64"
        )
}

/// Tokens that models count or programs pass around: not secret.
fn is_model_token(before: &str) -> bool {
    matches!(
        before,
        "max"
            | "min"
            | "num"
            | "per"
            | "next"
            | "page"
            | "continuation"
            | "cancel"
            | "cancellation"
            | "stop"
            | "eos"
            | "bos"
            | "pad"
            | "unk"
            | "mask"
            | "sep"
            | "cls"
            | "special"
            | "input"
            | "output"
            | "prompt"
            | "first"
            | "last"
            | "current"
    )
}

#[cfg(test)]
mod tests {
    use super::secret_kind;

    #[test]
    fn the_last_part_of_a_name_decides() {
        for name in [
            "PASSWORD",
            "db_password",
            "dbPassword",
            "DB-PASSWORD",
            "apiKey",
            "X-Api-Key",
            "API_KEY",
            "OPENAI_API_KEY",
            "token",
            "GITHUB_TOKEN",
            "accessToken",
            "client_secret",
            "SECRET_KEY_BASE",
            "API_KEY_2",
            "_authToken",
            "AccountKey",
            "лозинка",
        ] {
            assert!(secret_kind(name).is_some(), "{name}");
        }
        for name in [
            "max_tokens",
            "tokens",
            "token_count",
            "tokenBudget",
            "maxToken",
            "eos_token",
            "passwordField",
            "secretName",
            "key",
            "publicKey",
            "primary_key",
            "sessionKey",
            "tokenizer",
            "compass",
            "bypass",
            "PWD",
            "author",
            "next_page_token",
        ] {
            assert_eq!(secret_kind(name), None, "{name}");
        }
    }
}
