//! Turns hits into ranked matches.

mod simprints;
mod top_k;
mod units;

pub use simprints::{ChunkMatch, TypeMatch, TypeMatches, equal_simprints, similar_simprints};
pub use top_k::higher_first;
pub use units::{Compared, GlobalMatch, approximate_units, prefix_units};
