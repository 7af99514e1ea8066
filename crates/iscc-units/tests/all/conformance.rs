//! Recorded results of the reference implementations, to the bit, at every level of this machine.

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
