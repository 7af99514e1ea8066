//! ISCC-UNITs from prepared input (ISO 24138): one file per unit, kernels with run-time dispatch.
//!
//! Every unit is handed out as its 32-byte digest; `iscc-codec` turns a digest into code text, and
//! a shorter code is a prefix of a longer one. Where fewer bits save work, the function takes them.
//! The kernels choose their instruction set once, at start ([`simd`]).

pub mod audio;
pub mod data;
pub mod image;
pub mod instance;
pub mod kernels;
pub mod meta;
pub mod mixed;
pub mod simd;
pub mod simprint;
pub mod sum;
pub mod text;
pub mod video;

mod chunks;
mod segments;
mod stream;

pub use iscc_codec::Compat;
pub use segments::Source;
