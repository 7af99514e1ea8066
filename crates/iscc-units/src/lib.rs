//! ISCC-UNITs from prepared input (ISO 24138): one file per unit, kernels with run-time dispatch.
//!
//! Functions return the 32-byte digest of a unit; `iscc-codec` converts it to text. A shorter code
//! is a prefix of a longer one. Where fewer bits take less time, the function has a parameter for
//! them. The kernels choose their instruction set once, at first use ([`simd`]).

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
