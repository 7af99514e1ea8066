//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod common;
mod mediatype;
mod sanitize;
