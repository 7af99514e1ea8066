//! The similarity index: LMDB storage, vector columns, distance scan, HNSW graphs, scoring.
//!
//! An [`Engine`] owns all indexes of one location. Requests and responses are JSON; an invalid request returns a
//! [`Failure`] with the error text of the reference service.
//!
//! Design: docs/design/search-index.md.

mod allocator;
mod asset;
mod asset_match;
mod background;
mod base64;
mod batch_queue;
pub mod bindings;
mod cursor;
mod decision;
mod engine;
mod failure;
mod fields;
pub mod foreign;
mod index;
pub mod log_index;
mod options;
mod query;
pub mod read_only;
mod reply;
mod request;
mod response;
mod row;
mod score;
mod search;
pub mod transfer;

pub use asset_match::AssetMatch;
pub use engine::{BatchForm, ChangeForm, ChangeRequest, Engine, OpenError, Rows, SearchBody};
pub use failure::{Failure, FailureKind, Response};
pub use fields::Fields;
pub use index::{IndexState, LogRow, Rehearsal};
pub use iscc_columns::frozen::Chunk;
pub use iscc_columns::lists::ListSizes;
pub use iscc_columns::probes::Method;
pub use iscc_index::options::{SealHook, Sealing, SegmentSizes, SimprintLists};
pub use iscc_index::store::{LogTable, StoreOptions};
pub use options::{Backend, BadLocation, EarlyEnd, Options};
pub use reply::{Found, Reply, SearchReport};
pub use request::queries::split as split_queries;
pub use request::query::SearchParameters;
pub use request::selection::SelectionParameters;
