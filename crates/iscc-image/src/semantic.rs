//! Images to the input of the Semantic-Code's image model: oriented, trimmed, and scaled to a
//! square in colour.

use super::gray::Gray;
use super::orientation::Orientation;
use super::raster::{Channels, Raster};
use super::resample::{self, Filter};
use super::trim::{self, Trim, Window};

/// Side of the model's input, in pixels.
pub const SEMANTIC_SIDE: usize = 512;

/// The red, then the green, then the blue plane, each with [`SEMANTIC_SIDE`] squared levels from -1
/// to 1, row by row.
pub fn semantic_input(raster: &Raster, orientation: Orientation, trim: Trim) -> Vec<f32> {
    let window = trim::window(raster, orientation, trim);
    let channels = raster.channels().count();
    let squares: Vec<Vec<u8>> = (0..channels)
        .map(|channel| {
            let plane = plane(raster, window, channel).oriented(orientation);
            resample::to_square::<SEMANTIC_SIDE>(&plane, Filter::Bilinear)
        })
        .collect();
    let of_channel = |channel: usize| &squares[if channels == 1 { 0 } else { channel }];
    (0..Channels::Rgb.count()).flat_map(of_channel).map(|level| normalized(*level)).collect()
}

/// One channel of the pixels in the window.
fn plane(raster: &Raster, window: Window, channel: usize) -> Gray {
    let step = raster.channels().count();
    let (width, height) = (window.right - window.left, window.bottom - window.top);
    let mut levels = Vec::with_capacity(width * height);
    for y in window.top..window.bottom {
        let row = raster.row(y, window.left, window.right);
        levels.extend(row.iter().skip(channel).step_by(step));
    }
    Gray { width, height, levels }
}

/// The order of operations is the reference's, because each operation rounds.
fn normalized(level: u8) -> f32 {
    (f32::from(level) / 255.0 - 0.5) / 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_consecutive_planes() {
        let samples = [255, 0, 51].repeat(40 * 30);
        let raster = Raster::new(40, 30, Channels::Rgb, samples).unwrap();
        let input = semantic_input(&raster, Orientation::UPRIGHT, Trim::Tolerant);
        let size = SEMANTIC_SIDE * SEMANTIC_SIDE;
        assert_eq!(input.len(), 3 * size);
        assert!(input[..size].iter().all(|level| *level == 1.0));
        assert!(input[size..2 * size].iter().all(|level| *level == -1.0));
        assert!(input[2 * size..].iter().all(|level| (level + 0.6).abs() < 1e-6));
    }

    #[test]
    fn gray_images_have_three_equal_planes() {
        let raster = Raster::new(2, 2, Channels::Gray, vec![0, 255, 255, 0]).unwrap();
        let input = semantic_input(&raster, Orientation::UPRIGHT, Trim::Exact);
        let size = SEMANTIC_SIDE * SEMANTIC_SIDE;
        assert_eq!(input[..size], input[size..2 * size]);
        assert_eq!(input[..size], input[2 * size..]);
    }
}
