//! Rows of tables that say what was decided: by a column of answers, or by a cell that says so of its row.

use super::prose::Sentence;
use super::sense::sense;
use crate::text::pattern::static_regex;

static_regex! {
    /// Columns that hold answers.
    static ANSWERS = r"\b(?:decision|decided|answer|choice|chosen|choose|picked?|resolution|agreed|outcome|verdict|we (?:use|do)|setting|policy|rule|odluka|odgovor|izbor|izabrano|dogovor\w*|resenje|ishod)\b";
    /// A yes in this column agrees to its row.
    static AGREED = r"\b(?:agreed|decided|approved|accepted|dogovoreno|odobreno|odluceno)\b";
    /// Columns that say nothing of what was decided.
    static ASIDE = r"\b(?:owner|who|by|date|when|due|deadline|why|reasons?|rationale|notes?|comments?|status|state|ko|kad|rok|zasto|razlog|napomena|stanje)\b";
    /// Nothing is decided in this cell.
    static UNSETTLED = r"^(?:|[-?/.\s]+|no|none|n/?a|not\b.*|no decision.*|nothing.*|open.*|tbd.*|tba|todo.*|pending.*|undecided.*|unclear.*|waiting.*|later|next .*|postponed.*|deferred.*|to be .*|to discuss|still .*|in progress|in discussion.*|rejected.*|declined.*|dropped|discarded|ruled out|out|❌|✗|✘|⏳|❓|ne|nije.*|jos .*|ceka.*|odbijen\w*|odbacen\w*|otvoren\w*|nereseno.*|kasnije)$";
    /// The row is the one that was taken.
    static TAKEN = r"^(?:✅|✔|✓|☑|x|yes|da|chosen|picked|selected|winner|taken|(?:our|final|the) (?:choice|pick)|won|accepted|we (?:use|take|chose|picked) (?:this|it)|izabran\w*|odabran\w*|uzimamo)(?: (?:✅|✔|✓|option|one))?[.!]?$";
    /// What the row says is settled.
    static SETTLED = r"^(?:✅ ?|✔ ?)?(?:decided|agreed|settled|final|closed: agreed|approved|accepted|odluceno|dogovoreno|usvojeno|odobreno)(?: ✅| ✔)?[.!]?$";
}

/// What a row of a table says was decided.
pub(super) fn decided(row: &Sentence) -> Option<String> {
    let heads: Vec<&str> = row.intro.split(" | ").collect();
    let cells: Vec<(&str, String)> = row.cells.iter().map(|cell| (cell.as_str(), sense(cell))).collect();
    let head = |at: usize| heads.get(at).copied().unwrap_or("");
    // A number in front only counts the rows.
    let named = cells.iter().position(|(_, seen)| seen.chars().any(char::is_alphabetic)).unwrap_or(0);
    let first = cells.get(named)?.0;
    let answers = (0..cells.len()).rev().find(|at| ANSWERS.is_match(head(*at)));
    if let Some((text, seen)) = answers.and_then(|at| cells.get(at)) {
        if UNSETTLED.is_match(seen) || text.contains('?') || cells.iter().any(|(_, seen)| waits(seen)) {
            return None;
        }
        let agreed = answers.is_some_and(|at| AGREED.is_match(head(at)));
        if TAKEN.is_match(seen) && !agreed {
            return Some(first.to_owned()).filter(|first| !first.is_empty());
        }
        if !SETTLED.is_match(seen) && !TAKEN.is_match(seen) {
            return Some(if answers.is_some_and(|at| at <= named) {
                (*text).to_owned()
            } else {
                format!("{first}: {text}")
            });
        }
    }
    let agreed = answers.is_some_and(|at| AGREED.is_match(head(at)));
    let taken = !agreed && cells.iter().skip(1).any(|(_, seen)| seen.len() > 2 && TAKEN.is_match(seen));
    if taken {
        return Some(first.to_owned()).filter(|first| !first.is_empty());
    }
    if !agreed && !cells.iter().any(|(_, seen)| SETTLED.is_match(seen)) {
        return None;
    }
    let told: Vec<&str> = cells
        .iter()
        .enumerate()
        .filter(|(at, (text, seen))| {
            !text.is_empty()
                && *at >= named
                && Some(*at) != answers.filter(|_| agreed)
                && !SETTLED.is_match(seen)
                && !ASIDE.is_match(head(*at))
                && !UNSETTLED.is_match(seen)
        })
        .map(|(_, (text, _))| *text)
        .collect();
    (!told.is_empty()).then(|| told.join(": "))
}

/// A cell that says that the whole row waits.
fn waits(seen: &str) -> bool {
    matches!(seen, "open" | "pending" | "tbd" | "undecided" | "proposed" | "draft" | "otvoreno" | "predlog")
}

#[cfg(test)]
mod tests {
    use crate::capture::extract_decision;

    fn of(head: &str, rows: &[&str]) -> Option<String> {
        let rule = "|---".repeat(head.matches('|').count() - 1);
        extract_decision(&format!("{head}\n{rule}|\n{}", rows.join("\n")), None)
    }

    #[test]
    fn rows_are_read_by_their_answer_or_by_their_state() {
        assert_eq!(
            of(
                "| Topic | State | Outcome |",
                &["| Oars | open | - |", "| Rudder | decided | steel, painted |"]
            )
            .as_deref(),
            Some("Rudder: steel, painted")
        );
        assert_eq!(
            of("| Boat | Price | Verdict |", &["| Skiff | 900 | rejected |", "| Dory | 700 | chosen |"])
                .as_deref(),
            Some("Dory")
        );
        assert_eq!(
            of("| Soba | Odluka |", &["| hodnik | još nije rešeno |", "| kuhinja | žuta |"]).as_deref(),
            Some("kuhinja: žuta")
        );
        assert_eq!(
            of("| # | Idea | Decision |", &["| 1 | sell it | no |", "| 2 | repair it | yes |"]).as_deref(),
            Some("repair it")
        );
    }

    #[test]
    fn rows_that_compare_wait_or_report_decide_nothing() {
        assert_eq!(of("| Boat | Price |", &["| Skiff | 900 |", "| Dory | 700 |"]), None);
        assert_eq!(of("| Topic | Decision |", &["| Oars | pending |", "| Sails | TBD |"]), None);
        assert_eq!(of("| Bug | Status |", &["| leak | fixed |", "| creak | open |"]), None);
    }
}
