//! Video: frame signatures, the input of a Video-Code.

mod bits;
pub mod signature;
