//! EXIF orientation (tag 0x0112): how stored rows and columns map to the displayed image.

use super::heif;
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::exif::{Directory, tag};
use iscc_media::metadata::image::Blocks;

/// One of the eight orientations of the EXIF standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Orientation {
    /// Swap rows and columns, before the flips.
    transposed: bool,
    /// Swap left and right of the displayed image.
    flipped_x: bool,
    /// Swap top and bottom of the displayed image.
    flipped_y: bool,
}

impl Orientation {
    /// Stored as displayed.
    pub const UPRIGHT: Self = Self { transposed: false, flipped_x: false, flipped_y: false };

    /// The orientation of an EXIF value. Values other than 2 to 8 are upright.
    pub fn from_exif_value(value: u32) -> Self {
        let (transposed, flipped_x, flipped_y) = match value {
            2 => (false, true, false),
            3 => (false, true, true),
            4 => (false, false, true),
            5 => (true, false, false),
            6 => (true, true, false),
            7 => (true, true, true),
            8 => (true, false, true),
            _ => (false, false, false),
        };
        Self { transposed, flipped_x, flipped_y }
    }

    /// The orientation of a file with these blocks, for pixels as decoders return them. Pillow reads
    /// none from JPEG 2000 files. Decoders turn HEIC and AVIF images as the container says. Where it
    /// says nothing, Pillow still ignores EXIF, and reads XMP of AVIF only.
    pub fn of_file(file: &Sniffed<'_>, blocks: &Blocks<'_>) -> Self {
        match file.mediatype {
            Some("image/jp2" | "image/heic") => Self::UPRIGHT,
            Some("image/avif") => {
                let has_exif = || blocks.exif.as_deref().and_then(in_exif).is_some();
                if heif::is_turned(file.bytes) || has_exif() {
                    Self::UPRIGHT
                } else {
                    let by_xmp = blocks.xmp.as_deref().and_then(in_xmp);
                    by_xmp.map_or(Self::UPRIGHT, Self::from_exif_value)
                }
            }
            _ => Self::from_blocks(blocks),
        }
    }

    /// Turned by 90 degrees to the left after this orientation.
    pub(super) fn then_turned_left(self) -> Self {
        let Self { transposed, flipped_x, flipped_y } = self;
        Self { transposed: !transposed, flipped_x: flipped_y, flipped_y: !flipped_x }
    }

    /// Left and right swapped after this orientation.
    pub(super) fn then_mirrored(self) -> Self {
        Self { flipped_x: !self.flipped_x, ..self }
    }

    /// Top and bottom swapped after this orientation.
    pub(super) fn then_turned_over(self) -> Self {
        Self { flipped_y: !self.flipped_y, ..self }
    }

    /// The orientation in EXIF, else `tiff:Orientation` in XMP, as in Pillow.
    pub fn from_blocks(blocks: &Blocks<'_>) -> Self {
        let by_exif = blocks.exif.as_deref().and_then(in_exif);
        let by_xmp = || blocks.xmp.as_deref().and_then(in_xmp);
        by_exif.or_else(by_xmp).map_or(Self::UPRIGHT, Self::from_exif_value)
    }

    /// Stored position (x, y) of the displayed top left pixel, in an area of `width` x `height`.
    pub(super) fn stored_corner(self, width: usize, height: usize) -> (usize, usize) {
        let (flipped_columns, flipped_rows) = if self.transposed {
            (self.flipped_y, self.flipped_x)
        } else {
            (self.flipped_x, self.flipped_y)
        };
        (if flipped_columns { width - 1 } else { 0 }, if flipped_rows { height - 1 } else { 0 })
    }

    /// Orients `width` x `height` stored samples or pixels. Returns the new width, height and samples.
    pub(super) fn apply<T: Copy + Default>(
        self,
        width: usize,
        height: usize,
        stored: Vec<T>,
    ) -> (usize, usize, Vec<T>) {
        if self == Self::UPRIGHT {
            return (width, height, stored);
        }
        let (width, height, mut displayed) = if self.transposed {
            (height, width, transposed(width, height, &stored))
        } else {
            (width, height, stored)
        };
        if self.flipped_x {
            displayed.chunks_exact_mut(width).for_each(<[T]>::reverse);
        }
        if self.flipped_y {
            let (upper, lower) = displayed.split_at_mut(height / 2 * width);
            let lower = lower.chunks_exact_mut(width).rev();
            upper.chunks_exact_mut(width).zip(lower).for_each(|(a, b)| a.swap_with_slice(b));
        }
        (width, height, displayed)
    }
}

/// Swaps rows and columns in square tiles. Row by row, every sample of a large image would be a
/// cache miss.
fn transposed<T: Copy + Default>(width: usize, height: usize, stored: &[T]) -> Vec<T> {
    const TILE: usize = 32;
    let mut turned = vec![T::default(); stored.len()];
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for y in top..height.min(top + TILE) {
                for x in left..width.min(left + TILE) {
                    turned[x * height + y] = stored[y * width + x];
                }
            }
        }
    }
    turned
}

/// The value of the tag. As in Pillow, one that is no number of two or more bytes is upright, and
/// keeps that in XMP from being used.
fn in_exif(exif: &[u8]) -> Option<u32> {
    const STORED_AS_DISPLAYED: u32 = 1;
    let value = Directory::first(exif)?.value(tag::ORIENTATION)?;
    match value.bytes().len() {
        0 => None,
        1 => Some(STORED_AS_DISPLAYED),
        _ => Some(value.number().unwrap_or(STORED_AS_DISPLAYED)),
    }
}

/// The digit after `tiff:Orientation="` or `tiff:Orientation>`.
fn in_xmp(xmp: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"tiff:Orientation";
    let mut rest = xmp;
    loop {
        let at = rest.windows(NAME.len()).position(|window| window == NAME)?;
        rest = &rest[at + NAME.len()..];
        let value = rest.strip_prefix(b"=\"").or_else(|| rest.strip_prefix(b">"));
        if let Some(digit) = value.and_then(<[u8]>::first).filter(|byte| byte.is_ascii_digit()) {
            return Some(u32::from(digit - b'0'));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 3 x 2 image in all eight orientations, written by hand from the standard's table.
    #[test]
    fn applies_all_eight_orientations() {
        let seen = |value| Orientation::from_exif_value(value).apply(3, 2, vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(seen(1), (3, 2, vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(seen(2), (3, 2, vec![3, 2, 1, 6, 5, 4]));
        assert_eq!(seen(3), (3, 2, vec![6, 5, 4, 3, 2, 1]));
        assert_eq!(seen(4), (3, 2, vec![4, 5, 6, 1, 2, 3]));
        assert_eq!(seen(5), (2, 3, vec![1, 4, 2, 5, 3, 6]));
        assert_eq!(seen(6), (2, 3, vec![4, 1, 5, 2, 6, 3]));
        assert_eq!(seen(7), (2, 3, vec![6, 3, 5, 2, 4, 1]));
        assert_eq!(seen(8), (2, 3, vec![3, 6, 2, 5, 1, 4]));
        assert_eq!(seen(9), seen(1));
    }

    #[test]
    fn the_stored_corner_is_the_first_displayed_pixel() {
        let stored: Vec<u8> = (0..6).collect();
        for value in 1..=8 {
            let orientation = Orientation::from_exif_value(value);
            let (x, y) = orientation.stored_corner(3, 2);
            assert_eq!(orientation.apply(3, 2, stored.clone()).2[0], stored[y * 3 + x], "{value}");
        }
    }

    #[test]
    fn turns_and_mirrors_after_an_orientation() {
        let image: Vec<u8> = (0..6).collect();
        for value in 1..=8 {
            let before = Orientation::from_exif_value(value);
            let (width, height, seen) = before.apply(3, 2, image.clone());
            for (after, exif_value) in [
                (before.then_turned_left(), 8),
                (before.then_mirrored(), 2),
                (before.then_turned_over(), 4),
            ] {
                let step = Orientation::from_exif_value(exif_value);
                let expected = step.apply(width, height, seen.clone());
                assert_eq!(after.apply(3, 2, image.clone()), expected, "{value} {exif_value}");
            }
        }
    }

    #[test]
    fn transposing_in_tiles_swaps_all_rows_and_columns() {
        let (width, height) = (70, 45);
        let stored: Vec<u8> = (0..width * height).map(|i| (i * 7 % 251) as u8).collect();
        let turned = transposed(width, height, &stored);
        for y in 0..height {
            for x in 0..width {
                assert_eq!(turned[x * height + y], stored[y * width + x]);
            }
        }
    }

    #[test]
    fn only_numbers_of_two_or_more_bytes_are_orientations() {
        const XMP: &[u8] = b"<a tiff:Orientation=\"8\"/>";
        const BYTE: u16 = 1;
        const TEXT: u16 = 2;
        const SHORT: u16 = 3;
        const LONG: u16 = 4;
        const UNKNOWN: u16 = 99;
        let seen = |kind: u16, count: u32| {
            let entry =
                [&b"\x12\x01"[..], &kind.to_le_bytes(), &count.to_le_bytes(), &[6, 0, 0, 0]];
            let exif = [b"II*\0\x08\0\0\0\x01\0", &entry.concat()[..], &[0; 4]].concat();
            Orientation::from_blocks(&Blocks {
                exif: Some(exif.into()),
                xmp: Some(XMP.into()),
                ..Blocks::default()
            })
        };
        for (kind, count, expected) in [
            (SHORT, 1, 6),
            (LONG, 1, 6),
            (BYTE, 1, 1),
            (TEXT, 1, 1),
            (BYTE, 2, 1),
            (SHORT, 2, 1),
            (SHORT, 0, 8),
            (UNKNOWN, 1, 8),
        ] {
            let expected = Orientation::from_exif_value(expected);
            assert_eq!(seen(kind, count), expected, "{kind} {count}");
        }
    }

    #[test]
    fn reads_the_orientation_in_xmp() {
        assert_eq!(in_xmp(b"<a tiff:Orientation=\"6\"/>"), Some(6));
        assert_eq!(in_xmp(b"<tiff:Orientation>8</tiff:Orientation>"), Some(8));
        assert_eq!(in_xmp(b"tiff:OrientationX tiff:Orientation=\"\""), None);
    }
}
