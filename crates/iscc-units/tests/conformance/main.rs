//! Recorded results of the reference implementations, bit for bit, at every level of the machine.

mod algorithms;
mod audio;
mod constants;
mod data;
mod fixture;
mod image;
mod meta;
mod mixed;
mod simprints;
mod text;
mod video;
