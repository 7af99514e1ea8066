//! Content-Code Video (ISO 24138) from MPEG-7 frame signatures.

use crate::kernels::wta::{self, COLUMNS, Value};
use crate::simd::{self, Level};

/// Frames a video may have at most: 150 days at five per second.
pub const FRAMES_MAX: usize = 1 << 26;

/// Why there is no Video-Code.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VideoError {
    /// No frame at all.
    #[error("frames: a video needs at least one frame signature")]
    NoFrames,
    /// The values do not divide into frames.
    #[error("frames: {0} values are not a multiple of {COLUMNS}, the values of a frame signature")]
    PartialFrame(usize),
    /// More than [`FRAMES_MAX`].
    #[error("frames: {0} frame signatures are more than {FRAMES_MAX}")]
    TooManyFrames(usize),
}

/// The Video-Code digest of frame signatures, 380 values each, one after another (`u8` as parsed
/// from a signature file, or `i32`). Frames are a set: repeats change nothing.
pub fn digest<T: Value>(frames: &[T]) -> Result<[u8; 32], VideoError> {
    digest_at(simd::level(), frames)
}

/// [`digest`] with the kernels of a level.
pub fn digest_at<T: Value>(level: Level, frames: &[T]) -> Result<[u8; 32], VideoError> {
    let (rows, rest) = frames.as_chunks::<COLUMNS>();
    if !rest.is_empty() {
        return Err(VideoError::PartialFrame(frames.len()));
    }
    match rows.len() {
        0 => Err(VideoError::NoFrames),
        1..=FRAMES_MAX => Ok(wta::hash_at(level, rows)),
        frames => Err(VideoError::TooManyFrames(frames)),
    }
}
