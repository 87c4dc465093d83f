//! What stands before a statement: words that say nothing, and words that conclude from what was said.

use super::prose::is_ornament;
use super::sense::CountWords;
use super::settled;
use crate::text::pattern::static_regex;

static_regex! {
    /// Words before the statement that conclude from what was said.
    static CONCLUDING = r"^(?:so|therefore|thus|hence|consequently|accordingly|in short|bottom line|that's why|that is why|this is why|for that reason|in that case|zato|dakle|stoga|prema tome|znaci|u tom slucaju|zbog toga|na kraju|in the end|after all|ultimately|still|instead|ipak|change of plans?|promena plana)[:,]?\s+";
    static CONCLUDING_PHRASE = r"^(?:with (?:that|this|all that|all this)\b|with [^,]{2,40} in mind\b|given (?:that|this|the|your|all)\b|based on\b|since (?:you|we|both|nobody|no one)\b|because (?:you|of)\b|after (?:your|that|the|all|our|this)\b|as (?:you|discussed|agreed|planned|promised)\b|thinking about it\b|on (?:reflection|balance|second thought)\b|in the end\b|all things considered\b|considering\b|to (?:keep|avoid|make|stay|simplify|be safe)\b|per your\b|following your\b|posto\b|buduci da\b|s obzirom\b|kad (?:vec|je) \b|imajuci\b|posle\b|nakon\b|na osnovu\b)[^,]{0,110},\s+";
    /// Words before the statement that say nothing.
    static FILLER = r"^(?:(?:to|just to) (?:recap|sum up|summari[sz]e|confirm|be clear|repeat)|recap|in summary|ukratko|da rezimiram|da ponovim|(?:yep|yeah|yes|ok|okay|sure|right|cool|da) (?:makes sense|sounds good|that works|got it|good point|fair enough|agreed|vazi|moze)|sounds (?:good|great|fine|right)|works for me|that works|fair|ok|okay|alright|all right|right|well|yes|yeah|yep|sure(?: thing)?|fine|very well|deal|perfect|great|good|got it|agreed|absolutely|understood|thanks|thank you|fair enough|no problem|of course|makes sense|actually|honestly|and|but|also|then|now|hm+|ah|oh|haha|super|vazi|moze|hajde|u redu|naravno|dobro|da|e|pa|a|onda|odlicno|jasno|dogovoreno|razumem|hvala|important|note|for now|za sada|meanwhile|btw|anyway|first|finally|next|edit|update|correction|ispravka)(?:[,:!.]| -)\s+|^(?:and|but|then|okay so|ok so|ok then|okay then|alright then|now|actually|honestly|well|pa|a|onda|ali)\s+";
}

/// Takes openers off: the statement, how many words were taken, and whether they conclude.
pub(super) fn open(seen: &str) -> (&str, usize, bool) {
    let mut main = seen.trim().trim_start_matches(is_ornament);
    let mut concluding = false;
    for _ in 0..4 {
        let found = if let Some(found) = CONCLUDING
            .find(main)
            .or_else(|| CONCLUDING_PHRASE.find(main))
            .or_else(|| settled::deliberate(main))
        {
            concluding = true;
            found
        } else if let Some(found) = FILLER.find(main) {
            found
        } else {
            break;
        };
        let rest = main.get(found.end()..).unwrap_or("");
        if rest.split_whitespace().nth(1).is_none() {
            break;
        }
        main = rest;
    }
    let taken = match seen.len() - main.len() {
        0 => 0,
        _ => seen.word_count() - main.word_count(),
    };
    (main, taken, concluding)
}
