//! Every kernel against its plain twin, every level against every other, any split of the input,
//! and all of it against the reference implementation in Rust.

mod data;
mod inputs;
mod kernels;
mod peer;
mod text;
mod text_peer;
mod unicode;
mod units;
