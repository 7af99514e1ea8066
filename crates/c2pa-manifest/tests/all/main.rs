//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod anchors;
mod chain;
mod common;
mod details;
mod embedded;
mod fixtures;
mod limits;
mod mutated;
mod ocsp;
mod sign;
mod summary;
