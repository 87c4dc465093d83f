//! The directory that most files of a session share, said once instead of before each name.

use std::collections::BTreeMap;

use super::gather::{MOST, newest};
use super::neutral::neutralise;
use crate::checkpoint::Resources;

/// Bytes that a directory must save beyond the line that explains it.
const WORTHWHILE: usize = 20;
/// Bytes of that line without the directory.
const LINE: usize = 14;
/// A longer directory is left where it is: its line would be cut.
const LONGEST: usize = 120;

/// The shared directory with its closing separator; empty if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Root(String);

impl Root {
    /// Stands for the directory in a name. Names without it are as the tools gave them.
    pub(super) const MARK: &'static str = "…/";

    /// The directory that saves most.
    pub(super) fn of(resources: &Resources) -> Self {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for path in newest(&resources.files_modified, MOST).iter().chain(newest(&resources.files_read, MOST))
        {
            let path = neutralise(path);
            for (at, _) in path.match_indices(['/', '\\']).filter(|(at, _)| *at < LONGEST) {
                if let Some(directory) = path.get(..=at) {
                    *uses.entry(directory.to_owned()).or_default() += 1;
                }
            }
        }
        let saving = |directory: &str, count: usize| {
            (count * directory.len().saturating_sub(Self::MARK.len())).saturating_sub(directory.len() + LINE)
        };
        uses.into_iter()
            .filter(|(directory, count)| *count > 2 && saving(directory, *count) >= WORTHWHILE)
            .max_by_key(|(directory, count)| saving(directory, *count))
            .map(|(directory, _)| Self(directory))
            .unwrap_or_default()
    }

    /// A name as it is shown.
    pub(super) fn relative(&self, path: &str) -> String {
        match path.strip_prefix(&self.0) {
            Some(rest) if !self.0.is_empty() && !rest.is_empty() => format!("{}{rest}", Self::MARK),
            _ => path.to_owned(),
        }
    }

    /// The line that explains the mark.
    pub(super) fn line(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| format!("Below, {} is {}", Self::MARK, self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root_of(paths: &[&str]) -> Root {
        let files_modified = paths.iter().map(|path| (*path).to_owned()).collect();
        Root::of(&Resources { files_modified, ..Resources::default() })
    }

    #[test]
    fn the_directory_that_saves_most_is_said_once() {
        let root = root_of(&[
            "/home/ana/work/shop/src/cart.ts",
            "/home/ana/work/shop/src/user.ts",
            "/home/ana/work/shop/docs/plan.md",
            "/home/ana/work/shop/README.md",
            "/tmp/out.log",
        ]);
        assert_eq!(root.line().as_deref(), Some("Below, …/ is /home/ana/work/shop/"));
        assert_eq!(root.relative("/home/ana/work/shop/src/cart.ts"), "…/src/cart.ts");
        assert_eq!(root.relative("/tmp/out.log"), "/tmp/out.log");
        assert_eq!(root.relative("src/other.ts"), "src/other.ts");
    }

    #[test]
    fn short_or_few_names_stay_whole() {
        for paths in [&["src/a.ts", "src/b.ts", "src/c.ts"][..], &["/home/ana/work/shop/src/cart.ts"], &[]] {
            let root = root_of(paths);
            assert_eq!((root.line(), root.relative("src/a.ts")), (None, "src/a.ts".to_owned()));
        }
    }
}
