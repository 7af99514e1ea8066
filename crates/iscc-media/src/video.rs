//! Video: frame signatures that the Video-Code is made of.

mod bits;
pub mod signature;
