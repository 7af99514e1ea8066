//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod judging;
mod properties;
mod signatures;
mod vectors;
