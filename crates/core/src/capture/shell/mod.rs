//! Files in a shell command, only where the meaning is certain: redirects, and the plain commands that read, write,
//! move or delete. Globs, computed words, directories and scripts are left out: a list of files that is short is better
//! than one that is wrong.

mod place;
mod words;

use place::{Place, is_directory, last_part, names_file};
use words::{Word, words};

/// Longer commands are scripts; their start is read.
const MAX_COMMAND: usize = 8_000;

/// Files that a command line reads and changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Touched {
    /// Files whose content was shown.
    pub(super) read: Vec<String>,
    /// Files written, moved or deleted.
    pub(super) modified: Vec<String>,
}

/// Files read and files changed by a command line. Paths are told from `directory` and from what the command changes
/// into with `cd`; without a known directory they stay relative to the session's own.
pub(super) fn files(command: &str, directory: Option<&str>) -> Touched {
    let mut end = command.len().min(MAX_COMMAND);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    let words = words(command.get(..end).unwrap_or(""));
    let mut place = Place::new(directory);
    let mut outer: Vec<Place> = Vec::new();
    let mut touched = Touched::default();
    let mut part: Vec<&Word> = Vec::new();
    for word in &words {
        if !(word.operator && matches!(word.text.as_str(), ";" | ";;" | "&&" | "||" | "|" | "&" | "(" | ")"))
        {
            part.push(word);
            continue;
        }
        simple(&part, &mut place, &mut touched);
        part.clear();
        match word.text.as_str() {
            "(" => outer.push(place.clone()),
            ")" => {
                if let Some(before) = outer.pop() {
                    place = before;
                }
            }
            _ => {}
        }
    }
    simple(&part, &mut place, &mut touched);
    touched
}

/// `["bash", "-lc", "cat a"]` as the command that is run.
pub(super) fn of_words(words: &[&str]) -> String {
    match words {
        [shell, flag, script, ..] if shell.ends_with("sh") && flag.starts_with('-') => (*script).to_owned(),
        _ => words.join(" "),
    }
}

/// One command with its redirects.
fn simple(part: &[&Word], place: &mut Place, touched: &mut Touched) {
    let mut plain: Vec<&Word> = Vec::new();
    let mut words = part.iter();
    while let Some(word) = words.next() {
        if !word.operator {
            plain.push(word);
            continue;
        }
        let target = words.next().filter(|target| certain(target)).and_then(|word| place.file(&word.text));
        match (word.text.as_str(), target) {
            (">" | ">>" | "&>" | "&>>", Some(target)) => touched.modified.push(target),
            ("<", Some(target)) => touched.read.push(target),
            _ => {}
        }
    }
    let plain: Vec<&Word> = plain
        .into_iter()
        .skip_while(|word| {
            matches!(
                word.text.as_str(),
                "sudo" | "time" | "env" | "command" | "nohup" | "do" | "then" | "else" | "if" | "!" | "{"
            ) || word.text.contains('=') && !word.text.starts_with('-')
        })
        .collect();
    let Some((command, arguments)) = plain.split_first() else { return };
    let known: Vec<&str> = plain_words(arguments);
    let each = |list: &mut Vec<String>, words: &[&str]| {
        list.extend(words.iter().filter_map(|word| place.file(word)));
    };
    match command.text.as_str() {
        "cd" | "pushd" => {
            let target = arguments.iter().find(|word| !word.text.starts_with("--"));
            place.change(target.filter(|word| certain(word)).map(|word| word.text.as_str()));
        }
        "popd" => place.change(None),
        "cat" | "less" | "more" | "head" | "tail" | "wc" | "nl" | "bat" | "xxd" => {
            each(&mut touched.read, &known);
        }
        "tee" | "touch" | "truncate" | "unlink" => each(&mut touched.modified, &known),
        "rm" => removed(&known, is_recursive(arguments), place, &mut touched.modified),
        "mv" => moved(arguments, true, place, &mut touched.modified),
        "cp" => moved(arguments, false, place, &mut touched.modified),
        "sed" | "perl" if edits_in_place(arguments) => {
            each(&mut touched.modified, &after_script(arguments));
        }
        "git" => match arguments.split_first() {
            Some((verb, rest)) if verb.text == "mv" => moved(rest, true, place, &mut touched.modified),
            Some((verb, rest)) if verb.text == "rm" => {
                removed(&plain_words(rest), is_recursive(rest), place, &mut touched.modified);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Arguments that are neither options, nor numbers, nor computed.
fn plain_words<'a>(arguments: &[&'a Word]) -> Vec<&'a str> {
    arguments
        .iter()
        .filter(|word| !word.text.starts_with('-') && certain(word))
        .map(|word| word.text.as_str())
        .filter(|word| !word.chars().all(|c| c.is_ascii_digit()))
        .collect()
}

fn is_recursive(arguments: &[&Word]) -> bool {
    arguments.iter().any(|word| {
        word.text == "--recursive" || is_short_option(&word.text) && word.text.contains(['r', 'R'])
    })
}

fn is_short_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// `rm -r x` removes a directory unless the name says otherwise.
fn removed(words: &[&str], recursive: bool, place: &Place, out: &mut Vec<String>) {
    out.extend(
        words.iter().filter(|word| !recursive || names_file(word)).filter_map(|word| place.file(word)),
    );
}

/// What a move or a copy changes: the new file, and with `mv` the old one. Into a directory the name is kept. Where
/// neither name says that it is a file's, both may be directories.
fn moved(arguments: &[&Word], leaves: bool, place: &Place, out: &mut Vec<String>) {
    let words: Vec<&&Word> = arguments.iter().filter(|word| !word.text.starts_with('-')).collect();
    let Some((target, sources)) = words.split_last() else { return };
    let into = is_directory(&target.text) || sources.len() > 1;
    let target = Some(target.text.as_str()).filter(|_| certain(target));
    for source in sources.iter().filter(|word| certain(word)).map(|word| word.text.as_str()) {
        let renames = !into && target.is_some_and(names_file);
        if !names_file(source) && !renames {
            continue;
        }
        if leaves {
            out.extend(place.file(source));
        }
        let new = match target {
            Some(directory) if into => {
                Some(format!("{}/{}", directory.trim_end_matches('/'), last_part(source)))
            }
            Some(file) if names_file(file) => Some(file.to_owned()),
            _ => None,
        };
        out.extend(new.and_then(|new| place.file(&new)));
    }
}

fn edits_in_place(arguments: &[&Word]) -> bool {
    arguments.iter().any(|word| {
        word.text.starts_with("--in-place")
            || is_short_option(&word.text)
                && word.text.split('.').next().is_some_and(|flags| flags.contains('i'))
    })
}

/// The files of `sed -i` and `perl -pi`: what stands after the script, which is the first plain word or follows `-e`.
fn after_script<'a>(arguments: &[&'a Word]) -> Vec<&'a str> {
    let mut script_seen = false;
    let mut words = arguments.iter().peekable();
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text.is_empty() {
            continue; // `-i ''`: no suffix
        }
        if text.starts_with('-') {
            if matches!(text, "--expression" | "--file")
                || is_short_option(text) && text.ends_with(['e', 'E', 'f'])
            {
                script_seen = true;
                words.next();
            }
            continue;
        }
        if !script_seen {
            script_seen = true;
            continue;
        }
        if certain(word) && !place::looks_like_script(text) {
            files.push(text);
        }
    }
    files
}

/// A word that names one file: nothing computed, no glob, no device, no text.
fn certain(word: &Word) -> bool {
    let text = word.text.as_str();
    !word.operator
        && !text.is_empty()
        && !text.starts_with("/dev/")
        && !text
            .contains(['$', '*', '?', '`', '{', '}', '[', '!', '\n', '|', '"', '\'', '<', '>', ';', '^', '&'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, read: &[&str], modified: &[&str]) {
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            files(command, None),
            Touched { read: owned(read), modified: owned(modified) },
            "{command}"
        );
    }

    #[test]
    fn plain_commands_and_redirects() {
        check("cat a.txt | grep x > out.log", &["a.txt"], &["out.log"]);
        check("head -n 20 a.log 2>/dev/null", &["a.log"], &[]);
        check("npm test 2>&1 | tee out.txt", &[], &["out.txt"]);
        check("FOO=1 cat 'my file.txt'", &["my file.txt"], &[]);
        check("cat <<EOF > conf.ini\nrm -f x.rs\nEOF\ncat x", &["x"], &["conf.ini"]);
        check("truncate -s 0 big.log; rm a.tmp", &[], &["big.log", "a.tmp"]);
        check("wc -l < in.txt; cat <<< 'word'", &["in.txt"], &[]);
    }

    #[test]
    fn paths_are_told_from_where_the_command_went() {
        check("cd /r/src && sed -i 's/a/b/' core/x.rs", &[], &["/r/src/core/x.rs"]);
        check(
            "cd /r/src\n\n# move it\nmv utils/config.ts .",
            &[],
            &["/r/src/utils/config.ts", "/r/src/config.ts"],
        );
        check("cd src && git mv a.rs ../b.rs", &[], &["src/a.rs", "b.rs"]);
        check("(cd /tmp/x && touch y) && touch z", &[], &["/tmp/x/y", "z"]);
        check("cd $DIR && touch a.txt && touch /b.txt", &[], &["/b.txt"]);
        check("cat ./a.rs ../b.rs", &["a.rs", "../b.rs"], &[]);
        assert_eq!(files("rm a.txt", Some("/home/me")).modified, ["/home/me/a.txt"]);
    }

    #[test]
    fn a_script_is_no_file() {
        check(r#"sed -i '' 's|from "../utils/config.js"|from "./x.js"|g' main.ts"#, &[], &["main.ts"]);
        check("sed -i.bak -e 's/a/b/' -e 's/c/d/' x.rs y.rs", &[], &["x.rs", "y.rs"]);
        check("perl -pi -e 's/a/b/' x.rs; perl -i -pe 's/c/d/' y.rs", &[], &["x.rs", "y.rs"]);
        check("sed -i 's/a/b/g' *.ts", &[], &[]);
        check("sed -n '1,5p' x.rs", &[], &[]);
        check("sed 's/a/b/' x.rs", &[], &[]);
        check("git commit -m \"first\n\nrm x.rs > y.rs\"", &[], &[]);
        check("node -e \"a > b\nrm x.rs\"", &[], &[]);
    }

    #[test]
    fn directories_are_no_files() {
        check("mv a.ts b.ts core/", &[], &["a.ts", "core/a.ts", "b.ts", "core/b.ts"]);
        check("mv tools oauth core/; mv src lib; rm -rf old; cp -r src dst", &[], &[]);
        check("rm -rf dist/a.js", &[], &["dist/a.js"]);
        check("git mv a.rs b.rs; git rm -r docs", &[], &["a.rs", "b.rs"]);
        check("cp a.ts b.ts; cp c.ts d", &[], &["b.ts"]);
        check("git mv LICENSE LICENSE.md", &[], &["LICENSE", "LICENSE.md"]);
    }

    #[test]
    fn what_is_not_certain_is_left_out() {
        check("rm $FILE *.o \"$(ls)\"", &[], &[]);
        check("for f in *.ts; do [ \"$f\" != \"a.ts\" ] && mv \"$f\" ../components/; done", &[], &[]);
        check("mv theme/* modes/theme/ && rmdir theme", &[], &[]);
        check("echo 'a > b'", &[], &[]);
        check("grep -r x src", &[], &[]);
        check("cat", &[], &[]);
    }
}
