//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

#[path = "../../../iscc-media/tests/all/common/mod.rs"]
mod common;
mod documents;
mod embedded;
mod texts;
