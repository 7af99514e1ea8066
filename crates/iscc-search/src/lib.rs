//! The similarity index: LMDB, vector columns, distance scan, HNSW segments, scoring.
//!
//! An [`Engine`] has all indexes of one location. Requests go in as JSON and come out as JSON;
//! what a request does wrong comes out as a [`Failure`] in the words that clients know.

mod allocator;
mod asset;
mod base64;
mod batch_queue;
pub mod bindings;
mod check;
mod code;
mod column;
mod distance;
mod engine;
mod failure;
mod graph;
mod id;
mod index;
mod json;
mod leb128;
mod memory_index;
mod options;
mod pass;
mod prefix_runs;
mod query;
pub mod read_only;
mod record;
mod reply;
mod request;
mod response;
pub mod scan;
mod scan_pool;
mod score;
mod segment;
mod slots;
mod snapshot;
mod store;
mod unit;

pub use engine::{Engine, OpenError};
pub use failure::{Answer, Failure, FailureKind};
pub use options::{Backend, BadLocation, Options};
pub use reply::Reply;
pub use store::StoreOptions;
