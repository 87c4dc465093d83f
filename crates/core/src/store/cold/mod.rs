//! Cold storage: which messages left the view, why, and until when they can be brought back (DESIGN section 5, seed
//! 003). The content itself stays among the message bodies; a [`DropRecord`] refers to it by chunk id.

mod expire;
mod record;
mod shelf;

pub use expire::Expired;
pub(super) use expire::now_ms;
pub use record::{DropReason, DropRecord};
pub(super) use shelf::{FOLDER, Shelf};
