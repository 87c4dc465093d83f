//! Which messages the model still sees: epochs, turn plan, distilling (DESIGN section 3, seed 001).
//!
//! Pure functions over light [`Entry`] values. Three rules hold in every zone, also when nothing is dropped:
//! calls and results leave together or stay together (FAULTS B1-B4); turns are kept or dropped whole and the view
//! starts with a person's message (B5, B6); what a frozen view shows of an array is also the beginning of what it
//! shows of the longer array, so the provider's cache stays valid (B8).
//!
//! Nothing inside an assistant message is ever touched, signed thinking included (B7): messages leave as a whole, and
//! only results of tools are shortened.

mod check;
mod cut;
mod distill;
mod entry;
mod layout;
mod pairs;
#[cfg(test)]
mod test_cases;
#[cfg(test)]
mod test_properties;
#[cfg(test)]
mod test_support;
mod view;

pub use check::violations;
pub use cut::{Cut, CutRequest, Relevance, Verdict, max_turns, seen_turns};
pub use distill::{
    DISTILLED_ERROR_TOKENS, DISTILLED_TOKENS, Distill, distill, distilled_tokens, shortened_head, whole_of,
};
pub use entry::{Entry, EntryKind, Frozen};
pub use view::visible;

pub use cut::cut;
