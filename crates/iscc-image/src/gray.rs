//! One gray channel.

use multiversion::multiversion;

use super::orientation::Orientation;
use super::raster::{Channels, Raster};
use super::trim::Window;

/// Gray levels, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gray {
    pub width: usize,
    pub height: usize,
    pub levels: Vec<u8>,
}

impl Gray {
    /// Applies the orientation.
    pub fn oriented(self, orientation: Orientation) -> Self {
        let (width, height, levels) = orientation.apply(self.width, self.height, self.levels);
        Self { width, height, levels }
    }
}

/// Luma of the pixels in the window.
pub fn window_to_gray(raster: &Raster, window: Window) -> Gray {
    let (width, height) = (window.right - window.left, window.bottom - window.top);
    let mut levels = Vec::with_capacity(width * height);
    for y in window.top..window.bottom {
        let row = raster.row(y, window.left, window.right);
        match raster.channels() {
            Channels::Gray => levels.extend_from_slice(row),
            Channels::Rgb => add_luma(&mut levels, row.as_chunks().0),
        }
    }
    Gray { width, height, levels }
}

#[multiversion(targets("x86_64+avx2"))]
fn add_luma(levels: &mut Vec<u8>, row: &[[u8; 3]]) {
    levels.extend(row.iter().map(luma));
}

/// ITU-R BT.601 luma in 16-bit fixed point, rounded, as in Pillow.
#[inline]
fn luma(&[red, green, blue]: &[u8; 3]) -> u8 {
    let sum = 19_595 * u32::from(red) + 38_470 * u32::from(green) + 7_471 * u32::from(blue);
    ((sum + 0x8000) >> 16) as u8
}

#[cfg(test)]
mod tests {
    use super::luma;

    #[test]
    fn luma_of_gray_is_the_gray_level() {
        for level in 0..=255 {
            assert_eq!(luma(&[level; 3]), level);
        }
        assert_eq!([luma(&[255, 0, 0]), luma(&[0, 255, 0]), luma(&[0, 0, 255])], [76, 150, 29]);
    }
}
