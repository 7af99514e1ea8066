//! xxHash32 with seed 0 (Yann Collet, xxHash specification): the feature hash of chunks and n-grams.

mod portable;

pub use portable::hash;
