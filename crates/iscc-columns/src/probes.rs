//! Searches columns with probes: chooses between lists, graph and scan by their planned costs, and runs what was chosen.

mod choice;
mod column_rows;
mod columns;
mod plan;
mod work;

pub use choice::{Choices, choose};
pub use column_rows::{ColumnRows, SimprintRows, UnitRows};
pub use columns::{ColumnProbe, Hits, Pass, PassFound, Probes};
pub use plan::{RowHit, Rows, probe_of};
pub use work::Work;

/// How units are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The cheapest method.
    Planned,
    /// Always with a scan.
    Scan,
    /// With lists if they can find all matches, even if a scan is cheaper.
    Lists,
}
