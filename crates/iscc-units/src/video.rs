//! Content-Code Video (ISO 24138) from MPEG-7 frame signatures.

use crate::kernels::wta::{self, COLUMNS, Value};
use crate::simd::{self, Level};

/// Maximum number of frames: 150 days at five frames per second.
pub const FRAMES_MAX: usize = 1 << 26;

/// The reason that a Video-Code cannot be computed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VideoError {
    /// There are no frames.
    #[error("frames: a video needs at least one frame signature")]
    NoFrames,
    /// The number of values is not a multiple of that of a frame.
    #[error("frames: {0} values are not a multiple of {COLUMNS}, the values of a frame signature")]
    PartialFrame(usize),
    /// More than [`FRAMES_MAX`].
    #[error("frames: {0} frame signatures are more than {FRAMES_MAX}")]
    TooManyFrames(usize),
}

/// The Video-Code digest of concatenated frame signatures of 380 values each (`u8` as parsed from a
/// signature file, or `i32`). Repeated frames count once.
pub fn digest<T: Value>(frames: &[T]) -> Result<[u8; 32], VideoError> {
    digest_at(simd::level(), frames)
}

/// [`digest`] at a given SIMD level.
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
