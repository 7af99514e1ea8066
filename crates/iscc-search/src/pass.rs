//! One pass over the rows of a snapshot for all waiting queries.
//!
//! Reading the rows dominates the cost of a scan. Queries that wait at the same time therefore share one pass, and idle
//! threads help with a large one.

mod choice;
mod plan;
mod prefixes;
mod simprints;
mod unit_rows;
mod units;
mod ways;

pub use plan::Rows;
pub use prefixes::{equal_simprints, prefixes};
pub use simprints::{SimprintHit, SimprintProbe, similar_simprints};
pub use unit_rows::UnitRows;
pub use units::{UnitHit, UnitProbe, similar_units};
pub use ways::{Times, WayTotals, Ways};
