//! Compares every kernel with the `reference` crate, every level with every other one, and any
//! split of the input. Compares all results with iscc-lib as well.

mod data;
mod inputs;
mod kernels;
mod peer;
mod text;
mod text_peer;
mod unicode;
mod units;
