//! Turns hits into ranked matches.

mod simprints;
mod top_k;
mod units;

pub use simprints::{ChunkMatch, TypeMatch, approximate_simprints, equal_simprints};
pub use units::{GlobalMatch, approximate_units, prefix_units};
