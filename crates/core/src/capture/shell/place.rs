//! Where a command stands, and what a path names from there.

use crate::text::pattern::static_regex;

/// The directory that relative paths are told from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Empty: the session's own. `None`: somewhere unknown.
    directory: Option<String>,
}

static_regex! {
    /// A script of sed or perl.
    static SCRIPT = r"^[\d,$]*(?:s|y|tr|m)([/|#,@:%!~]).*[/|#,@:%!~]\w*$";
    /// Files that are named without an ending.
    static BARE_FILE = r"^(?:[A-Z][A-Z_-]{3,}|\w*file)$";
}

impl Place {
    pub(super) fn new(directory: Option<&str>) -> Self {
        Self { directory: Some(directory.unwrap_or("").to_owned()) }
    }

    /// `cd target`; `None` where the target is computed or missing.
    pub(super) fn change(&mut self, target: Option<&str>) {
        self.directory = target.filter(|target| *target != "-").and_then(|target| self.resolve(target));
    }

    /// The file that a word names; `None` for a directory, or for a relative path from an unknown place.
    pub(super) fn file(&self, word: &str) -> Option<String> {
        if is_directory(word) { None } else { self.resolve(word) }
    }

    fn resolve(&self, path: &str) -> Option<String> {
        if path.starts_with(['/', '~']) {
            return Some(shortened(path));
        }
        match self.directory.as_deref()? {
            "" => Some(shortened(path)),
            directory => Some(shortened(&format!("{directory}/{path}"))),
        }
    }
}

/// A path that can only be a directory.
pub(super) fn is_directory(path: &str) -> bool {
    path.ends_with('/') || matches!(last_part(path), "." | ".." | "~")
}

/// A name with an ending, or one that is always a file's.
pub(super) fn names_file(path: &str) -> bool {
    let name = last_part(path);
    !is_directory(path) && (name.contains('.') || BARE_FILE.is_match(name))
}

pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn looks_like_script(word: &str) -> bool {
    SCRIPT.is_match(word)
}

/// Without `.` and `..` where they can be taken out.
fn shortened(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let rooted = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "~")) => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened() {
        for (path, short) in
            [("./a/../b.rs", "b.rs"), ("../../a", "../../a"), ("/../a//b/.", "/a/b"), ("~/x", "~/x")]
        {
            assert_eq!(shortened(path), short);
        }
    }

    #[test]
    fn an_unknown_place_names_no_relative_file() {
        let mut place = Place::new(None);
        place.change(None);
        assert_eq!((place.file("a.rs"), place.file("/a.rs")), (None, Some("/a.rs".to_owned())));
        place.change(Some("/x/y"));
        assert_eq!(place.file("../a.rs").as_deref(), Some("/x/a.rs"));
    }
}
