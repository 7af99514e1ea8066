//! Audio: fingerprints, the input of an Audio-Code, and tags.

mod chromaprint;
pub mod fingerprint;
mod flac;
mod mp3;
mod resample;
mod sample;
pub mod sound;
pub mod tags;

pub use fingerprint::{Fingerprinter, SAMPLE_RATE_HZ};
