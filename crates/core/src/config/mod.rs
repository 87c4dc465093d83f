//! One typed configuration and its sources (DESIGN section 6, seeds 003 and 004).
//!
//! Sources in the order in which they win, the last over the first: defaults, a YAML file, the environment, what the
//! caller gives. Files and the environment are read elsewhere and passed in as text. A value out of range is an error
//! that says where it stands; a key that nobody knows is a warning that names the nearest one.

mod knob;
mod layers;
mod read;
mod schema;

pub use knob::{KNOBS, Kind, Knob};
pub use layers::{Layers, Loaded, Origin, Warning};
pub use schema::{Budget, Config, ContextManagement, Durability, RollingSummary, SemanticHistory};
