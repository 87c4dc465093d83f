//! Files in a shell command, only where the meaning is certain: redirects, and the plain commands that read, write,
//! move or delete. What is quoted, globbed or computed is left out: a list of files that is short is better than one
//! that is wrong.

/// Longer commands are scripts; their start is read.
const MAX_COMMAND: usize = 8_000;

/// Files read and files changed by a command line.
pub(super) fn files(command: &str) -> (Vec<String>, Vec<String>) {
    let (mut read, mut modified) = (Vec::new(), Vec::new());
    let mut end = command.len().min(MAX_COMMAND);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    let mut heredoc: Option<String> = None;
    for line in command.get(..end).unwrap_or("").lines() {
        if let Some(mark) = &heredoc {
            if line.trim() == mark {
                heredoc = None;
            }
            continue;
        }
        let words = words(line);
        heredoc = words
            .iter()
            .position(|word| word.text == "<<")
            .and_then(|at| words.get(at + 1))
            .map(|word| word.text.trim_start_matches('-').to_owned());
        for part in words.split(|word| {
            word.operator && matches!(word.text.as_str(), ";" | "&&" | "||" | "|" | "&" | "(" | ")")
        }) {
            simple(part, &mut read, &mut modified);
        }
    }
    (read, modified)
}

/// `["bash", "-lc", "cat a"]` as the command that is run.
pub(super) fn of_words(words: &[&str]) -> String {
    match words {
        [shell, flag, script, ..] if shell.ends_with("sh") && flag.starts_with('-') => (*script).to_owned(),
        _ => words.join(" "),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    operator: bool,
}

/// Splits a line into words and operators, quotes taken off.
fn words(line: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    let push = |word: &mut String, out: &mut Vec<Word>| {
        if !word.is_empty() {
            out.push(Word { text: std::mem::take(word), operator: false });
        }
    };
    while let Some(c) = chars.next() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => word.push(c),
            None => match c {
                '\'' | '"' => quote = Some(c),
                '\\' => word.extend(chars.next()),
                '#' if word.is_empty() => break,
                ';' | '|' | '&' | '>' | '<' | '(' | ')' => {
                    let descriptor =
                        c == '>' && !word.is_empty() && word.chars().all(|digit| digit.is_ascii_digit());
                    let number = if descriptor { std::mem::take(&mut word) } else { String::new() };
                    push(&mut word, &mut out);
                    let mut operator = c.to_string();
                    while chars.peek() == Some(&c)
                        || (c == '>' && chars.peek() == Some(&'&'))
                        || (c == '&' && chars.peek() == Some(&'>'))
                    {
                        operator.extend(chars.next());
                    }
                    out.push(Word {
                        text: if number == "2" { "2>".to_owned() } else { operator },
                        operator: true,
                    });
                }
                c if c.is_whitespace() => push(&mut word, &mut out),
                c => word.push(c),
            },
        }
    }
    push(&mut word, &mut out);
    out
}

fn simple(part: &[Word], read: &mut Vec<String>, modified: &mut Vec<String>) {
    let mut plain: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(word) = part.get(at) {
        if word.operator {
            let target = part.get(at + 1).map(|word| word.text.as_str()).filter(|target| certain(target));
            match (word.text.as_str(), target) {
                (">" | ">>" | "&>", Some(target)) => modified.push(target.to_owned()),
                ("<", Some(target)) => read.push(target.to_owned()),
                _ => {}
            }
            at += 2;
            continue;
        }
        plain.push(&word.text);
        at += 1;
    }
    let plain: Vec<&str> = plain
        .into_iter()
        .skip_while(|word| {
            matches!(*word, "sudo" | "time" | "env" | "command" | "nohup")
                || word.contains('=') && !word.starts_with('-')
        })
        .collect();
    let Some((command, arguments)) = plain.split_first() else { return };
    let files = || {
        arguments
            .iter()
            .copied()
            .filter(|argument| !argument.starts_with('-') && certain(argument))
            .map(str::to_owned)
    };
    match *command {
        "cat" | "less" | "more" | "head" | "tail" | "wc" | "nl" | "bat" | "xxd" => {
            read.extend(files().filter(|file| !file.chars().all(|c| c.is_ascii_digit())))
        }
        "tee" | "touch" | "rm" | "mv" | "truncate" | "unlink" => modified.extend(files()),
        "cp" | "ln" => modified.extend(files().next_back()),
        "sed" | "perl"
            if arguments.iter().any(|argument| {
                argument.starts_with("-i") || argument.starts_with("-pi") || *argument == "--in-place"
            }) =>
        {
            // The last word is the file; those before it are the script.
            modified.extend(files().next_back());
        }
        "git" => {
            if let Some(("mv" | "rm", rest)) = arguments.split_first().map(|(verb, rest)| (*verb, rest)) {
                modified.extend(
                    rest.iter()
                        .copied()
                        .filter(|argument| !argument.starts_with('-') && certain(argument))
                        .map(str::to_owned),
                );
            }
        }
        _ => {}
    }
}

/// A word that names one file: nothing computed, no glob, no device.
fn certain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with("/dev/")
        && !word.starts_with('&')
        && !word.contains(['$', '*', '?', '`', '{', '}', '[', '!', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, read: &[&str], modified: &[&str]) {
        let (found_read, found_modified) = files(command);
        assert_eq!(
            (found_read, found_modified),
            (
                read.iter().map(|s| (*s).to_owned()).collect(),
                modified.iter().map(|s| (*s).to_owned()).collect()
            ),
            "{command}"
        );
    }

    #[test]
    fn plain_commands_and_redirects() {
        check("cat a.txt | grep x > out.log", &["a.txt"], &["out.log"]);
        check("cd src && git mv a.rs b.rs; rm -rf old", &[], &["a.rs", "b.rs", "old"]);
        check("sed -i 's/a/b/' x.rs", &[], &["x.rs"]);
        check("sed -n '1,5p' x.rs", &[], &[]);
        check("cp a b", &[], &["b"]);
        check("head -n 20 a.log 2>/dev/null", &["a.log"], &[]);
        check("npm test 2>&1 | tee out.txt", &[], &["out.txt"]);
        check("FOO=1 cat 'my file.txt'", &["my file.txt"], &[]);
        check("cat <<EOF > conf.ini\nrm -rf /\nEOF\ncat x", &["x"], &["conf.ini"]);
    }

    #[test]
    fn what_is_not_certain_is_left_out() {
        check("rm $FILE *.o \"$(ls)\"", &[], &[]);
        check("echo 'a > b'", &[], &[]);
        check("grep -r x src", &[], &[]);
        check("cat", &[], &[]);
    }
}
