//! The similarity index: LMDB, vector columns, distance scan, HNSW segments, scoring.
//!
//! An [`Engine`] has all indexes of one location. Requests go in as JSON and come out as JSON;
//! what a request does wrong comes out as a [`Failure`] in the words that clients know.

mod allocator;
mod answer;
mod asset;
mod base64;
pub mod beside;
pub mod bindings;
mod bytes;
mod check;
mod code;
mod column;
mod distance;
mod engine;
mod failure;
mod graph;
mod id;
mod index;
mod memory;
mod options;
mod ordered;
mod pass;
mod query;
mod record;
mod reply;
mod request;
pub mod scan;
mod scanners;
mod score;
mod segment;
mod slots;
mod snapshot;
mod store;
mod unit;
mod workers;

pub use engine::{Engine, OpenError};
pub use failure::{Answer, Failure, FailureKind};
pub use options::{Backend, BadLocation, Options};
pub use reply::Reply;
pub use store::StoreOptions;
