//! File names: which of them are worth showing, and how many fit in a line.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::{MOST, Words, overlap, words};

/// How much more a file that the talk is about is worth than another one.
const TALKED_ABOUT: f64 = 0.8;
/// How much more a document is worth when the talk is about it: plans and designs say what nothing else says.
const DOCUMENT: f64 = 1.5;
/// What a directory or something outside of the project is worth beside a file.
const LESSER: f64 = 0.5;

/// Names that may be files, oldest first, each file once: under its longest name, at its newest place.
pub(super) fn distinct(names: &[String]) -> Vec<String> {
    if names.len() > MOST {
        return names.to_vec();
    }
    let names: Vec<&String> = names.iter().filter(|name| is_name(name)).collect();
    let mut by_base: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in &names {
        by_base.entry(base(name)).or_default().push(name);
    }
    let whole = |short: &str| -> String {
        let known = by_base.get(base(short)).map(Vec::as_slice).unwrap_or_default();
        let longer: Vec<&str> = known
            .iter()
            .copied()
            .filter(|long| long.strip_suffix(short).is_some_and(|rest| rest.ends_with(['/', '\\'])))
            .collect();
        // A bare name may stand for any of several files.
        let is_clear = longer.len() == 1 || short.contains(['/', '\\']);
        let longest = longer.into_iter().max_by_key(|name| name.len()).filter(|_| is_clear);
        longest.unwrap_or(short).to_owned()
    };
    let mut seen = BTreeSet::new();
    let mut distinct: Vec<String> =
        names.into_iter().rev().map(|name| whole(name)).filter(|name| seen.insert(name.clone())).collect();
    distinct.reverse();
    distinct
}

/// What commands hand over is not always a name.
fn is_name(text: &str) -> bool {
    !text.contains(['|', '<', '>', '"', '*', '?', '$', '\n'])
        && !text.ends_with(['/', '\\'])
        && base(text) != "."
        && base(text) != ".."
}

/// Worth beside an ordinary file, from what the talk is about.
pub(super) fn worth(name: &str, talk: &Words) -> f64 {
    let base = base(name);
    let (stem, extension) = base.rsplit_once('.').unwrap_or((base, ""));
    let about = overlap(&words(stem), talk);
    let is_document = matches!(extension, "md" | "mdx" | "rst" | "adoc" | "txt" | "org");
    let is_directory = extension.is_empty() && !base.contains(char::is_uppercase) && !base.starts_with('.');
    let is_temporary = name.starts_with("/tmp/") || name.starts_with("/var/");
    (1.0 + TALKED_ABOUT * about)
        * if is_document && about >= 1.0 { DOCUMENT } else { 1.0 }
        * if is_directory || is_temporary { LESSER } else { 1.0 }
}

/// The directory of a name with its closing separator, or nothing.
pub(super) fn directory(name: &str) -> &str {
    name.get(..name.len() - base(name).len()).unwrap_or_default()
}

/// The last part of a name.
pub(super) fn base(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Names in one line, those of a directory together: `src/a.ts, b.ts; docs/plan.md`. Directories in the order of
/// their newest file.
pub(super) fn joined(names: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let place = groups.iter().position(|(known, _)| *known == directory(name));
        let mut group = place.map_or_else(|| (directory(name), Vec::new()), |place| groups.remove(place));
        group.1.push(base(name));
        groups.push(group);
    }
    groups
        .iter()
        .map(|(directory, bases)| format!("{directory}{}", bases.join(", ")))
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_file_under_two_names_is_one_file() {
        let got =
            distinct(&owned(&["core/run.ts", "/home/ana/shop/src/core/run.ts", "main.ts", "a/main.ts"]));
        assert_eq!(got, ["/home/ana/shop/src/core/run.ts", "a/main.ts"]);
        let several = distinct(&owned(&["index.ts", "a/index.ts", "b/index.ts"]));
        assert_eq!(several.len(), 3, "a bare name may be either");
    }

    #[test]
    fn scraps_of_commands_are_no_files() {
        let got = distinct(&owned(&[
            "s|from \"a\"|from \"b\"|g",
            ".",
            "utils/",
            "$OUT",
            "src/**/*.ts",
            "Makefile",
        ]));
        assert_eq!(got, ["Makefile"]);
    }

    #[test]
    fn names_of_a_directory_stand_together_and_the_newest_last() {
        assert_eq!(
            joined(&["src/a.ts", "docs/plan.md", "src/b.ts", "README.md"]),
            "docs/plan.md; src/a.ts, b.ts; README.md"
        );
        assert_eq!(joined(&["a.ts", "b.ts"]), "a.ts, b.ts");
    }

    #[test]
    fn a_file_that_the_talk_is_about_is_worth_more() {
        let talk = words("the plan lives in docs/move-plan.md; AgentSession is shared");
        assert!(worth("docs/move-plan.md", &talk) > worth("src/agent-session.ts", &talk));
        assert!(worth("src/agent-session.ts", &talk) > worth("src/shell.ts", &talk));
        assert!(worth("src/shell.ts", &talk) > worth("/tmp/out.log", &talk));
    }
}
