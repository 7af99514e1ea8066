//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod common;
mod documents;
mod embedded;
mod images;
mod mediatype;
mod sanitize;
mod texts;
