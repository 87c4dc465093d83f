//! What stands in the place of a secret without being one: a variable, a type, a mask, a call that fetches it.

use super::MARKER_START;
use crate::text::fold::fold;
use crate::text::pattern::static_regex;

static_regex! {
    /// A variable of a shell, a template or a format; a mask; an angle-bracketed name.
    static STAND_IN = r"(?x)^(?:
        \$\{?\{?[A-Za-z_0-9(\x20.][^\n]*          # $TOKEN ${TOKEN} ${{ secrets.TOKEN }} $(pass show x)
      | \{\{?[^{}\n]*\}?\}?                       # {token} {{ token }}
      | %[A-Za-z_]*%? | %\([^)\n]*\)s | %[A-Z_]+% # %s %TOKEN%
      | <[^<>\n]*>?                               # <token>
      | \[[^\]\n]*\]?                             # [your token]
      | [*•.…_-]+ | [xX]{3,}                      # *** ... xxxx
      | [A-Za-z_-]{0,8}(?:\.{3}|…|\*{3,}|[xX]{4,}) # sk-... sk-xxxx
      | @[A-Za-z][^\n]*                           # @file
      | `[^`\n]*`?
    )$";
    /// An expression that names where the value comes from.
    static SOURCE = r"(?x)^(?:
        (?:process|os|std|env|self|this|import|config|cfg|settings|options|opts|secrets|ENV|Deno|Bun|System|args|params|ctx|req|request|response|res|data|app|event|vault)\s*(?:\??\.|\[|::|\().*
      | [A-Za-z_][\w.:?!]*\s*[(\[{].*            # a call or an index
      | (?:await|new|typeof|function|async|return|null|let|const)\b.*
    )$";
    /// A path of a file: named parts after a root.
    static PATH = r"^(?:~|\.{1,2})?(?:/[\w.@-]{1,60})+/?$|^[A-Za-z]:\\[\w.\\ -]*$";
    /// A path part that a person would write.
    static PATH_WORD = r"/[a-z][a-z._-]+(?:/|$)";
}

/// Words that a type, a schema, a form or a message puts there.
const WORDS: &[&str] = &[
    "string",
    "str",
    "text",
    "number",
    "int",
    "integer",
    "float",
    "bool",
    "boolean",
    "bytes",
    "object",
    "array",
    "any",
    "unknown",
    "void",
    "never",
    "null",
    "nil",
    "none",
    "undefined",
    "nan",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "optional",
    "required",
    "option",
    "secret",
    "secretstr",
    "token",
    "password",
    "passwd",
    "key",
    "apikey",
    "redacted",
    "hidden",
    "masked",
    "removed",
    "empty",
    "missing",
    "invalid",
    "expired",
    "wrong",
    "incorrect",
    "changed",
    "unset",
    "todo",
    "tbd",
    "example",
    "placeholder",
    "inherit",
    "include",
    "omit",
    "same-origin",
    "basic",
    "uint8array",
    "base64",
    "sha256",
    "oauth2",
    "bearer",
    "default",
    "self",
    "is",
    "must",
    "the",
    "a",
];

/// True if a value is no secret: nothing, a marker of ours, a variable, a mask, a type or a status word.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim().trim_end_matches([';', ',']);
    if value.is_empty() || value.starts_with(MARKER_START) {
        return true;
    }
    if value.len() > 200 {
        return false;
    }
    let word = value.trim_end_matches(['.', '?', '!', ':', '[', ']', ')']).to_lowercase();
    WORDS.contains(&word.as_str())
        || word.starts_with("your") && word.chars().all(|c| c.is_alphabetic() || "_- ".contains(c))
        || STAND_IN.is_match(value)
        || is_path(value)
}

/// Words of rules and news about passwords.
const ABOUT: &[&str] = &[
    "min",
    "minimum",
    "max",
    "maximum",
    "length",
    "character",
    "characters",
    "chars",
    "char",
    "letters",
    "digits",
    "long",
    "short",
    "reset",
    "rotated",
    "rotate",
    "updated",
    "policy",
    "rules",
    "hash",
    "hashed",
    "hashing",
    "salted",
    "bcrypt",
    "argon2",
    "field",
    "form",
    "input",
    "prompt",
    "manager",
    "stored",
    "encrypted",
    "encryption",
    "protected",
    "strength",
    "strong",
    "weak",
    "login",
    "validation",
    "confirmation",
    "hint",
    "check",
    "fix",
    "bug",
    "issue",
    "test",
    "tests",
    "ask",
    "see",
    "use",
    "add",
    "get",
    "env",
    "vault",
    "ends",
    "begins",
    "click",
    "enter",
    "type",
    "choose",
    "pick",
    "send",
    "sent",
    "open",
    "press",
    "create",
    "confirm",
    "forgot",
    "generate",
    "generated",
    "trim",
    "najmanje",
    "znakova",
    "duzina",
    "promenjena",
    "promenjen",
    "obavezna",
    "pitaj",
    "vidi",
    "koristi",
    "unesi",
    "promeni",
];

/// True if a word tells something about a password and is hardly part of one.
pub(super) fn is_about_passwords(word: &str) -> bool {
    let word = fold(word);
    let word = word.trim_end_matches(['!', '?']);
    WORDS.contains(&word) || ABOUT.contains(&word)
}

/// True if an unquoted value is code that computes the secret.
pub(super) fn is_source(value: &str) -> bool {
    value.len() <= 200 && SOURCE.is_match(value)
}

fn is_path(value: &str) -> bool {
    PATH.is_match(value) && (!value.starts_with('/') || PATH_WORD.is_match(value))
}

/// True if a text looks made by a machine: letters and digits together, at least 8 of them; or long, in mixed case.
pub(super) fn looks_random(text: &str) -> bool {
    let count = |test: fn(&char) -> bool| text.chars().filter(test).count();
    let digits = count(char::is_ascii_digit);
    let upper = count(char::is_ascii_uppercase);
    let lower = count(char::is_ascii_lowercase);
    let length = text.chars().count();
    (digits > 0 && upper + lower > 0 && length >= 8 && (digits * 12 >= length || upper > 0))
        || (length >= 24 && upper >= 4 && lower >= 4)
        || (length >= 16 && text.ends_with('=') && upper > 0)
}
