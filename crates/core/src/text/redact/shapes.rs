//! Secrets that are told by their shape, whatever stands around them, and by the place that they stand in.

use super::placeholder::{is_placeholder, looks_random};
use super::{Edit, MARKER_START, may_hold};
use crate::text::pattern::{Pattern, static_regex};
use crate::text::scan::holds_pair;
use std::borrow::Cow;
use std::sync::LazyLock;

static_regex! {
    /// Keys with the prefix that their provider gave them so that they can be found; the group's name is the kind.
    static KEYS = concat!(
        r"(?P<anthropic>\bsk-ant-[A-Za-z0-9_-]{10,})",
        r"|(?P<openai>\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,})",
        r"|(?P<github>(?:\b|_)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}))",
        r"|(?P<gitlab>\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{16,})",
        r"|(?P<slack>\bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,})",
        r"|(?P<stripe>\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,})",
        r"|(?P<aws>\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b)",
        r"|(?P<google>\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\b1//0[A-Za-z0-9_-]{30,})",
        r"|(?P<npm>\bnpm_[A-Za-z0-9]{30,})",
        r"|(?P<pypi>\bpypi-AgE[A-Za-z0-9_-]{20,})",
        r"|(?P<huggingface>\bhf_[A-Za-z0-9]{30,})",
        r"|(?P<sendgrid>\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
        r"|(?P<twilio>\b(?:AC|SK)[0-9a-f]{32}\b)",
        r"|(?P<telegram>(?:\b|bot)\d{8,12}:(?:AA[A-Za-z0-9_-]{31,34}|[A-Za-z0-9_-]{35})\b)",
        r"|(?P<discord>\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b)",
        r"|(?P<jwt>\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
        r"|(?P<age>\bAGE-SECRET-KEY-1[A-Z0-9]{20,})",
        r"|(?P<key>\b(?:key-[0-9a-f]{32}|do[opr]_v1_[a-f0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        r"|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}|gsk_[A-Za-z0-9]{40,}",
        r"|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{36,}|tvly-[A-Za-z0-9-]{20,}|hvs\.[A-Za-z0-9_-]{20,}",
        r"|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9_.-]{30,}|dckr_pat_[A-Za-z0-9_-]{20,}|ATATT3[A-Za-z0-9_=-]{30,}|figd_[A-Za-z0-9_-]{20,}",
        r"|PMAK-[a-f0-9-]{30,}|sntrys_[A-Za-z0-9_=+/-]{20,}|sb[pt]_[a-f0-9]{40}|NRAK-[A-Z0-9]{20,}|rubygems_[a-f0-9]{40,}",
        r"|sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}))",
    );
    /// Addresses that are themselves the right to post.
    static HOOKS = r"(https://hooks\.slack\.com/(?:services|workflows|triggers)/|https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/\d+/)([A-Za-z0-9/_-]{8,})";
    /// `scheme://user:password@host`, and a long token alone before the `@`.
    static URL = r#"\b([A-Za-z][A-Za-z0-9+.-]{1,20}://)(?:([^\s/:@"'`<>?#]{0,100}:)([^\s/"'`<>?#]{1,300})|([A-Za-z0-9_-]{20,300}))@"#;
    /// The value of an authorization header, with or without its scheme.
    static AUTHORIZATION = r#"(?i)\b(?:proxy-)?authorization\b[\\"'`\]]*\s{0,3}[:=,]\s{0,3}[\\"'`]*(?:[fbr]["'])?((?:bearer|basic|token|digest|apikey|api-key|negotiate|aws4-hmac-sha256|bot)\s{1,3})?([^\s"'`\\,;)\]}<>&][^\s"'`\\;)\]}<>&]*)"#;
    /// A bearer token anywhere.
    static BEARER = r"(?i)\b(?:bearer|basic)\s{1,3}([A-Za-z0-9_.~+/=-]{16,})";
    /// All cookies of a header.
    static COOKIE = r#"(?im)(?:^|[\s"'`{,>])(?:set-)?cookie[\\"'`\]]*\s{0,3}:\s{0,3}[\\"'`]*([A-Za-z0-9_.$!%-]{1,80}=[^\r\n"'`\\]+)"#;
    /// A word of all headers, schemes and signatures that are found here, in small letters.
    static HEADER_CUE = r"authorization|bearer|basic|cookie|sig=|signature=";
    /// The signature that makes an address a right to read or write.
    static SIGNATURE = r"(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature)=([A-Za-z0-9%+/=_-]{16,})";
    /// A password given to a command by a flag of one letter.
    static FLAG = r#"\b(?:curl|wget|http|https)\b[^\n|;&]{0,300}? (?:-u|--user)[ =]?["']?([^\s:"']{1,100}:)([^\s"']{1,200})|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,300}? -p([^\s"']{1,200})|\b(?:sshpass|docker login)\b[^\n|;&]{0,300}? -p ?["']?([^\s"']{1,200})|\b(?:redis-cli|valkey-cli)\b[^\n|;&]{0,300}? (?:-a|--pass)[ =]?["']?([^\s"']{1,200})|\b(?:mongo|mongosh|mongodump|mongorestore)\b[^\n|;&]{0,300}? -p[ =]?["']?([^\s"']{1,200})|\b(?:sqlcmd|bcp|zip|unzip)\b[^\n|;&]{0,300}? -P ?["']?([^\s"']{1,200})|\bldap(?:search|modify|add|delete|whoami|passwd)\b[^\n|;&]{0,300}? -w ?["']?([^\s"']{1,200})"#;
}

/// The kinds of [`KEYS`], by group.
static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| KEYS.capture_names().flatten().collect());

/// Replaces keys by their shape.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut edit = Edit::new(text);
    for found in KEYS.captures_iter(text) {
        let group = KINDS.iter().find_map(|kind| found.name(kind).map(|key| (*kind, key)));
        let Some((kind, key)) = group else { continue };
        // `sk-` also starts names of style classes
        if kind == "openai" && !looks_random(key.as_str().trim_start_matches("sk-")) {
            continue;
        }
        let joint =
            usize::from(key.as_str().starts_with('_')) + 3 * usize::from(key.as_str().starts_with("bot"));
        edit.hide(key.start() + joint, key.end(), kind);
    }
    edit.finish()
}

/// Where a secret may stand: its pattern, its kind, and what no text without it can match, which is told besides whether
/// it has a word of headers. The patterns are large: what has neither must not pay for them, nor each thread for its caches.
type Place = (&'static Pattern, &'static str, fn(&str, bool) -> bool);

const PLACES: [Place; 7] = [
    (&HOOKS, "webhook", |text, _| text.contains("https://")),
    (&URL, "password", |text, _| text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'))),
    (&AUTHORIZATION, "authorization", |_, header| header),
    (&BEARER, "authorization", |_, header| header),
    (&COOKIE, "cookie", |_, header| header),
    (&FLAG, "password", |text, _| {
        holds_pair(text, &[*b" -"])
            && [" -u", " --user", " -p", " -a", " --pass", " -P", " -w"]
                .iter()
                .any(|flag| text.contains(flag))
    }),
    (&SIGNATURE, "signature", |_, header| header),
];

/// Replaces what stands in a place for secrets.
pub(super) fn redact_places(text: &str) -> Cow<'_, str> {
    let header = may_hold(&HEADER_CUE, text);
    let mut current = Cow::Borrowed(text);
    for (pattern, kind, may_match) in PLACES {
        if !may_match(&current, header) {
            continue;
        }
        if let Cow::Owned(changed) = hide_groups(&current, pattern, kind) {
            current = Cow::Owned(changed);
        }
    }
    current
}

/// Replaces, in each match, the last group that took part, unless it is a placeholder.
fn hide_groups<'a>(text: &'a str, pattern: &Pattern, kind: &str) -> Cow<'a, str> {
    let mut edit = Edit::new(text);
    for found in pattern.captures_iter(text) {
        let groups: Vec<_> = found.iter().skip(1).flatten().collect();
        let Some(secret) = groups.last() else { continue };
        let shown = secret.as_str();
        if shown.starts_with(MARKER_START) || is_placeholder(shown) || is_plain(pattern, shown, groups.len())
        {
            continue;
        }
        edit.hide(secret.start(), secret.end(), kind);
    }
    edit.finish()
}

/// True for what these places hold without being secret: an ordinary word after "basic" or "authorization:", a user
/// name before an `@`.
fn is_plain(pattern: &Pattern, shown: &str, groups: usize) -> bool {
    let word = !looks_random(shown);
    match pattern.as_str() {
        p if p == BEARER.as_str() => word,
        p if p == AUTHORIZATION.as_str() => groups == 1 && (word || shown.contains('(')),
        p if p == URL.as_str() => groups == 2 && word,
        _ => false,
    }
}
