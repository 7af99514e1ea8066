//! Audio: from decoded samples to the fingerprint that the Audio-Code is made of.

pub mod fingerprint;

pub use fingerprint::{Fingerprinter, SAMPLE_RATE_HZ};
