//! The similarity index: LMDB storage, vector columns, distance scan, HNSW graphs, scoring.
//!
//! An [`Engine`] owns all indexes of one location. Requests and responses are JSON; an invalid request returns a
//! [`Failure`] with the error text of the reference service.
//!
//! Design: docs/design/search-index.md.

mod allocator;
mod array;
mod asset;
mod asset_match;
mod background;
mod base64;
mod batch_queue;
pub mod bindings;
mod changes;
mod check;
mod code;
pub mod column;
mod cursor;
mod decision;
mod distance;
mod engine;
mod failure;
mod filter;
pub mod foreign;
pub mod frozen;
pub mod graph;
mod id;
mod index;
mod index_files;
mod json;
mod leb128;
pub mod lists;
mod lmdb_file;
pub mod log_index;
mod options;
mod pass;
mod paths;
pub mod prefix_runs;
mod query;
pub mod read_only;
mod record;
mod reply;
mod request;
mod response;
mod row;
pub mod scan;
mod scan_pool;
mod score;
mod sealed;
mod search;
mod segment;
mod slots;
mod snapshot;
mod store;
pub mod transfer;
mod unit;

pub use asset_match::AssetMatch;
pub use engine::{BatchForm, ChangeForm, ChangeRequest, Engine, OpenError, Rows, SearchBody};
pub use failure::{Failure, FailureKind, Response};
pub use index::{IndexState, LogRow, Rehearsal};
pub use lists::ListSizes;
pub use options::{
    Backend, BadLocation, EarlyEnd, Method, Options, SealHook, Sealing, SegmentSizes, SimprintLists,
};
pub use reply::{Found, Reply, SearchReport};
pub use request::queries::split as split_queries;
pub use request::query::SearchParameters;
pub use request::selection::SelectionParameters;
pub use response::Fields;
pub use segment::Chunk;
pub use store::{LogTable, StoreOptions};
