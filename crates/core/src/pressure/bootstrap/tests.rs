use super::*;
use proptest::prelude::*;

fn run(files: &[(&str, String)], max: u64) -> Vec<BootstrapFile> {
    truncate_bootstrap_files(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect(),
        max,
    )
}

fn total(files: &[BootstrapFile]) -> u64 {
    files.iter().map(|file| estimate_tokens(&file.content)).sum()
}

fn prose(lines: usize) -> String {
    (0..lines).map(|n| format!("Rule {n}: ask before you change the schedule of ferry {n}.\n")).collect()
}

#[test]
fn files_that_fit_together_are_not_touched() {
    let files = [("SOUL.md", prose(10)), ("EMPTY.md", String::new()), ("TOOLS.md", prose(20))];
    let all = files.iter().map(|(_, text)| estimate_tokens(text)).sum();
    let got = run(&files, all);
    assert!(
        got.iter()
            .zip(&files)
            .all(|(got, (path, text))| got.path == *path && got.content == *text && !got.truncated)
    );
}

#[test]
fn the_budget_is_for_all_files_together_and_small_ones_stay_whole() {
    let files = [("MEMORY.md", prose(2_000)), ("SOUL.md", prose(10)), ("TOOLS.md", prose(1_500))];
    let got = run(&files, 4_000);
    assert!(total(&got) <= 4_000 && total(&got) > 3_700, "{}", total(&got));
    assert_eq!(got.iter().map(|file| file.truncated).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(
        got.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        ["MEMORY.md", "SOUL.md", "TOOLS.md"]
    );
    let memory = &got[0].content;
    assert!(memory.starts_with("Rule 0: ") && memory.ends_with("ferry 1999.\n"));
    let marker = memory.lines().find(|line| line.starts_with("[... ")).unwrap();
    assert!(marker.contains("tokens of MEMORY.md cut here"), "{marker}");
    // whole lines around the marker
    assert!(memory.lines().all(|line| line.starts_with("Rule ") && line.ends_with('.') || line == marker));
}

#[test]
fn no_cut_leaves_a_fence_open() {
    let code = |lines: usize| format!("```sh\n{}```\n", "echo one more line of the script\n".repeat(lines));
    for text in [
        code(500),
        format!("{}{}{}", prose(30), code(400), prose(30)),
        format!("{}{}{}", prose(80), code(8), prose(200)),
        format!("{}{}", code(300), prose(3)),
        format!("{}~~~\n{}", prose(3), "never closed\n".repeat(900)),
    ] {
        for max in [60, 150, 400, 900] {
            let got = &run(&[("TOOLS.md", text.clone())], max)[0];
            assert!(got.truncated && estimate_tokens(&got.content) <= max);
            let (head, _) = got.content.split_once("[... ").unwrap();
            assert_eq!(open_fence(head), None, "{max}: {}", got.content);
            if open_fence(&text).is_none() {
                assert_eq!(open_fence(&got.content), None, "{max}: {}", got.content);
            }
        }
    }
}

#[test]
fn without_room_nothing_is_left_but_the_flag() {
    let got = run(&[("A.md", prose(100)), ("B.md", String::new())], 0);
    assert_eq!((got[0].content.as_str(), got[0].truncated, got[1].truncated), ("", true, false));
    let one = &run(&[("A.md", prose(100))], 30)[0];
    assert!(one.content.starts_with("[... ") && estimate_tokens(&one.content) <= 30, "{}", one.content);
    assert!(run(&[], 10).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_sum_always_fits_and_cuts_fall_between_graphemes(
        texts in proptest::collection::vec("([a-z ]{0,40}|👨‍👩‍👧‍👦|会議|\n|```\n|~~~py\n|é){0,60}", 0..5), max in 0u64..600,
    ) {
        let files: Vec<(String, String)> = texts.iter().enumerate().map(|(n, text)| (format!("{n}.md"), text.clone())).collect();
        let got = truncate_bootstrap_files(files, max);
        prop_assert!(total(&got) <= max);
        for (got, text) in got.iter().zip(&texts) {
            prop_assert_eq!(got.truncated, got.content != *text);
            let families = got.content.matches('👩').count();
            prop_assert_eq!(families, got.content.matches("👨‍👩‍👧‍👦").count());
        }
    }
}
