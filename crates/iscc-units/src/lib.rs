//! ISCC-UNITs from prepared input (ISO 24138): one file per unit, kernels with run-time dispatch.
//!
//! Every unit is handed out as its 32-byte digest; `iscc-codec` turns a digest into code text, and
//! a shorter code is a prefix of a longer one. Where fewer bits save work, the function takes them.
//! The kernels choose their instruction set once, at start ([`simd`]).

pub mod compat;
pub mod kernels;
pub mod simd;

pub use compat::Compat;
