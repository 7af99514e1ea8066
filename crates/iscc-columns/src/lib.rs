//! Columns of bodies of units and simprints, and how they are searched: by a scan with vector instructions, by lists
//! (multi-index hashing) and by graphs (HNSW). Without I/O, except for mapped files.
//!
//! Design: docs/design/search-index.md.

#[cfg(test)]
extern crate self as iscc_columns;

pub mod array;
pub mod code;
pub mod column;
pub mod distance;
pub mod frozen;
pub mod graph;
pub mod id_filter;
pub mod lists;
pub mod map;
pub mod methods;
pub mod prefix_runs;
pub mod probes;
pub mod scan;
pub mod scan_pool;
pub mod sections;
pub mod slots;
pub mod unit;
