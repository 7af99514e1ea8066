//! One pass over the rows of a snapshot for all waiting queries.
//!
//! Reading the rows dominates the cost of a scan. Queries that wait at the same time therefore share one pass, and idle
//! threads help with a large one.

mod prefixes;
mod simprints;
mod step;
mod units;

pub use prefixes::{EqualSimprint, equal_simprints, prefixes};
pub use simprints::{
    SimprintQuery, SimprintRow, SimprintsFound, similar_simprints, simprints_work,
};
pub use step::near_assets;
pub use units::{Part, UnitHit, UnitProbe, Units, similar_units, units_work};
