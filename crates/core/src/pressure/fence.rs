//! Code fences of Markdown, line by line: a run of at least three backticks or tildes opens one, a run of the same kind
//! that is at least as long and stands alone closes it. Reading lines keeps the place of a cut exact.

/// A fence that is open at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    /// Where its line begins, bytes.
    pub(super) at: usize,
    /// Its line, without the end of line: the mark and the language.
    pub(super) line: &'a str,
    /// The mark that closes it.
    pub(super) mark: &'a str,
}

impl Fence<'_> {
    /// Where the line that closes the fence ends in the text that follows it, bytes.
    pub(super) fn end_in(&self, text: &str) -> Option<usize> {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            if self.closes(line) {
                return Some(at);
            }
        }
        None
    }

    fn closes(&self, line: &str) -> bool {
        mark(line).is_some_and(|(found, rest)| {
            found.len() >= self.mark.len()
                && found.chars().next() == self.mark.chars().next()
                && rest.trim().is_empty()
        })
    }
}

/// The fence that is open at the end of a text.
pub(super) fn open_fence(text: &str) -> Option<Fence<'_>> {
    let mut open: Option<Fence<'_>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match open {
            Some(fence) if fence.closes(line) => open = None,
            Some(_) => {}
            None => {
                open = mark(line)
                    // a line with more backticks is code within a line
                    .filter(|(mark, rest)| !(mark.starts_with('`') && rest.contains('`')))
                    .map(|(mark, _)| Fence { at, line: line.trim_end_matches(['\n', '\r']), mark });
            }
        }
        at += line.len();
    }
    open
}

/// The mark at the start of a line, and what follows it.
fn mark(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches(' ');
    let first = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(first);
    let length = text.len() - rest.len();
    if line.len() - text.len() <= 3 && length >= 3 { text.split_at_checked(length) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_open_until_its_own_kind_closes_it() {
        assert_eq!(open_fence("a\n```rust\nlet a = 1;\n").unwrap().line, "```rust");
        assert_eq!(open_fence("```\nx\n```\n"), None);
        assert_eq!(open_fence("````\n```\n").unwrap().mark, "````");
        assert_eq!(open_fence("~~~\n```\n~~~\n"), None);
        assert_eq!(open_fence("```a```\n    ```\n"), None);
        assert_eq!(open_fence("text\n```\n").unwrap().at, 5);
        assert_eq!(open_fence("```\na").unwrap().end_in("b\n```\nc"), Some(6));
    }
}
