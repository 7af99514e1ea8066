//! One pass over the rows of a snapshot for all queries that wait.
//!
//! Reading the rows is what a scan costs, so queries that wait at the same time share one pass, and
//! the threads that are idle help with a large pass.

mod plan;
mod prefixes;
mod simprints;
mod units;

pub use prefixes::{equal_simprints, prefixes};
pub use simprints::{SimprintHit, SimprintProbe, similar_simprints};
pub use units::{UnitHit, UnitProbe, similar_units};
