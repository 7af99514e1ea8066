//! Recorded results of the reference implementations, bit for bit.

mod algorithms;
mod constants;
mod fixture;
