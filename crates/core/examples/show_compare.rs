//! Prints how two texts compare: `show_compare < PAIRS`, lines of `older<TAB>newer`.
#![allow(clippy::print_stdout, reason = "a command for developers")]

use clawback_core::ledger::{Prepared, compare_prepared};

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Some((older, newer)) = line.split_once('\t') else { continue };
        let verdict = compare_prepared(&Prepared::new(older), &Prepared::new(newer));
        println!(
            "{:?} {:.2}{}{} | {older} | {newer}",
            verdict.comparison,
            verdict.agreement,
            if verdict.explicit { " explicit" } else { "" },
            if verdict.supersedes() { " REPLACES" } else { "" },
        );
    }
}
