//! Finds uniform borders.

use super::orientation::Orientation;
use super::raster::{Channels, Raster};

/// Which borders are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trim {
    /// One border of exactly the corner's colour, as in the reference up to 0.9.5.
    Exact,
    /// Nested borders close to the corner's colour, as in the reference from 0.9.7 on.
    Tolerant,
}

/// Maximum difference of a border pixel's samples from the corner's.
const TOLERANCE: u8 = 16;

/// Maximum nested borders; crafted images could have many.
const PASSES_MAX: usize = 16;

/// A part of an image: pixels `left..right` in rows `top..bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub left: usize,
    pub top: usize,
    pub right: usize,
    pub bottom: usize,
}

impl Window {
    fn whole(raster: &Raster) -> Self {
        Self { left: 0, top: 0, right: raster.width(), bottom: raster.height() }
    }
}

/// The image without its border. The border's colour is that of the corner that is displayed at the
/// top left.
pub fn window(raster: &Raster, orientation: Orientation, trim: Trim) -> Window {
    match raster.channels() {
        Channels::Gray => trimmed::<1>(raster, orientation, trim),
        Channels::Rgb => trimmed::<3>(raster, orientation, trim),
    }
}

fn trimmed<const N: usize>(raster: &Raster, orientation: Orientation, trim: Trim) -> Window {
    let mut window = Window::whole(raster);
    let (passes, tolerance) = match trim {
        Trim::Exact => (1, 0),
        Trim::Tolerant => (PASSES_MAX, TOLERANCE),
    };
    for _ in 0..passes {
        let corner = corner::<N>(raster, orientation, window);
        let Some(inner) = inner_window(raster, window, corner, tolerance) else { break };
        let sides = usize::from(inner.left > window.left)
            + usize::from(inner.top > window.top)
            + usize::from(inner.right < window.right)
            + usize::from(inner.bottom < window.bottom);
        // A border on one side only must be uniform; otherwise the skies of photographs would be
        // removed.
        let is_gradient = tolerance > 0
            && sides == 1
            && inner_window(raster, window, corner, tolerance / 2) != Some(inner);
        if sides == 0 || is_gradient {
            break;
        }
        window = inner;
    }
    window
}

fn corner<const N: usize>(raster: &Raster, orientation: Orientation, window: Window) -> [u8; N] {
    let (x, y) = orientation.stored_corner(window.right - window.left, window.bottom - window.top);
    let (x, y) = (window.left + x, window.top + y);
    let mut samples = [0; N];
    samples.copy_from_slice(raster.row(y, x, x + 1));
    samples
}

/// The smallest window with all pixels that differ from `corner` by more than `tolerance` in any
/// sample; `None` if no pixel does.
fn inner_window<const N: usize>(
    raster: &Raster,
    window: Window,
    corner: [u8; N],
    tolerance: u8,
) -> Option<Window> {
    let differs = |pixel: &[u8; N]| {
        pixel.iter().zip(corner).any(|(sample, other)| sample.abs_diff(other) > tolerance)
    };
    let pixels =
        |y: usize, left: usize, right: usize| raster.row(y, left, right).as_chunks::<N>().0.iter();
    let row_differs = |y: &usize| pixels(*y, window.left, window.right).any(differs);

    let top = (window.top..window.bottom).find(row_differs)?;
    let bottom = (top..window.bottom).rfind(row_differs)? + 1;
    let (mut left, mut right) = (window.right, window.left);
    for y in top..bottom {
        if let Some(x) = pixels(y, window.left, left).position(differs) {
            left = window.left + x;
        }
        if let Some(x) = pixels(y, right, window.right).rposition(differs) {
            right += x + 1;
        }
    }
    Some(Window { left, top, right, bottom })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gray rows as text; a digit is a tenth of the gray level.
    fn raster(rows: &[&str]) -> Raster {
        let samples = rows.concat().bytes().map(|digit| (digit - b'0') * 10).collect();
        Raster::new(rows[0].len(), rows.len(), Channels::Gray, samples).unwrap()
    }

    fn trimmed(rows: &[&str], trim: Trim) -> [usize; 4] {
        let Window { left, top, right, bottom } = window(&raster(rows), Orientation::UPRIGHT, trim);
        [left, top, right, bottom]
    }

    #[test]
    fn exact_removes_only_pixels_of_equal_colour() {
        let image = ["00000", "00900", "01000", "00000"];
        assert_eq!(trimmed(&image, Trim::Exact), [1, 1, 3, 3]);
        assert_eq!(trimmed(&image, Trim::Tolerant), [2, 1, 3, 2]);
    }

    #[test]
    fn uniform_images_are_unchanged() {
        for trim in [Trim::Exact, Trim::Tolerant] {
            assert_eq!(trimmed(&["000", "000"], trim), [0, 0, 3, 2]);
            assert_eq!(trimmed(&["5"], trim), [0, 0, 1, 1]);
        }
    }

    #[test]
    fn tolerant_removes_nested_borders() {
        let image = ["000000", "055550", "058950", "059850", "055550", "000000"];
        assert_eq!(trimmed(&image, Trim::Exact), [1, 1, 5, 5]);
        assert_eq!(trimmed(&image, Trim::Tolerant), [2, 2, 4, 4]);
    }

    #[test]
    fn a_gradient_on_one_side_is_kept() {
        let gradient = ["012345", "012345"];
        assert_eq!(trimmed(&gradient, Trim::Tolerant), [0, 0, 6, 2]);
        let flat = ["003345", "003345"];
        assert_eq!(trimmed(&flat, Trim::Tolerant), [2, 0, 6, 2]);
    }

    #[test]
    fn the_displayed_corner_decides() {
        let image = raster(&["0055", "0055"]);
        let mirrored = Orientation::from_exif_value(2);
        assert_eq!(window(&image, mirrored, Trim::Exact).right, 2);
        assert_eq!(window(&image, Orientation::UPRIGHT, Trim::Exact).left, 2);
    }
}
