//! Cold storage: which messages left the view, why, and until when they can be brought back (DESIGN section 5, seed
//! 003). The content itself stays among the message bodies; a [`DropRecord`] refers to it by chunk id.

mod record;
mod shelf;

pub use record::{DropReason, DropRecord};
pub(super) use shelf::Shelf;
