//! One pass over the rows of a snapshot for all waiting queries.
//!
//! Reading the rows dominates the cost of a scan. Queries that wait at the same time therefore share one pass, and idle
//! threads help with a large one.

mod choice;
mod column_rows;
mod columns;
mod plan;
mod prefixes;
mod simprints;
mod units;
mod ways;

pub use column_rows::{ColumnRows, SimprintRows, UnitRows};
pub use plan::Rows;
pub use prefixes::{EqualSimprint, equal_simprints, prefixes};
pub use simprints::{SimprintQuery, SimprintRow, SimprintsFound, similar_simprints};
pub use units::{UnitHit, UnitProbe, similar_units};
pub use ways::{Times, WayTotals, Ways};
