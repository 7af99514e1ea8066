//! Audio: from decoded samples to the fingerprint that the Audio-Code is made of.

pub mod fingerprint;
mod mp3;
mod resample;
mod sample;
pub mod sound;
pub mod tags;

pub use fingerprint::{Fingerprinter, SAMPLE_RATE_HZ};
