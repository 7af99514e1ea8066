//! Chromaprint's algorithm TEST2: an item of 32 bits for each 0.124 s of sound. `chroma` measures
//! how loud the notes are, `items` compares their loudness over some seconds.

mod chroma;
mod items;

pub use self::chroma::Chroma;
pub use self::items::Items;

/// Notes of an octave.
const NOTES: usize = 12;

/// A value for each note.
type Notes = [f64; NOTES];
