//! Pixel layouts of uncompressed rows.

/// Layouts of uncompressed pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Palette indices of 1, 4 or 8 bits.
    Indexed(u8),
    /// 5 bits per colour, blue lowest.
    Bgr555,
    /// 5, 6 and 5 bits, blue lowest.
    Bgr565,
    Bgr,
    /// Four bytes per pixel, with the byte offsets of red, green and blue.
    Four([usize; 3]),
    /// Four bytes per pixel, with the byte offsets of red, green, blue and alpha.
    FourAlpha([usize; 4]),
}

impl Layout {
    /// The layout of direct colours by bits per pixel and the masks of red, green, blue and alpha,
    /// if any. `None` for layouts that Pillow does not read.
    pub fn direct(bits: u16, masks: Option<[u32; 4]>) -> Option<Self> {
        Some(match (bits, masks) {
            (16, None | Some([0x7c00, 0x3e0, 0x1f, _])) => Self::Bgr555,
            (16, Some([0xf800, 0x7e0, 0x1f, _])) => Self::Bgr565,
            (24, None | Some([0xff_0000, 0xff00, 0xff, _])) => Self::Bgr,
            (32, None | Some([0xff_0000, 0xff00, 0xff, 0])) => Self::Four([2, 1, 0]),
            (32, Some([0xff00_0000, 0xff_0000, 0xff00, 0])) => Self::Four([3, 2, 1]),
            (32, Some([0xff00_0000, 0xff00, 0xff, 0])) => Self::Four([3, 1, 0]),
            (32, Some([0xff00_0000, 0xff00, 0xff, 0xff_0000])) => Self::FourAlpha([3, 1, 0, 2]),
            (32, Some([0xff00_0000, 0xff_0000, 0xff00, 0xff])) => Self::FourAlpha([3, 2, 1, 0]),
            (32, Some([0xff, 0xff00, 0xff_0000, 0xff00_0000])) => Self::FourAlpha([0, 1, 2, 3]),
            (32, Some([0xff_0000, 0xff00, 0xff, 0xff00_0000] | [0, 0, 0, 0])) => {
                Self::FourAlpha([2, 1, 0, 3])
            }
            _ => return None,
        })
    }

    pub fn bits(self) -> usize {
        match self {
            Self::Indexed(bits) => usize::from(bits),
            Self::Bgr555 | Self::Bgr565 => 16,
            Self::Bgr => 24,
            Self::Four(_) | Self::FourAlpha(_) => 32,
        }
    }

    pub fn has_alpha(self) -> bool {
        matches!(self, Self::FourAlpha(_))
    }

    /// Appends the samples of a row: three per pixel, four with alpha.
    pub fn append(
        self,
        row: &[u8],
        width: usize,
        color: impl Fn(u8) -> [u8; 3],
        samples: &mut Vec<u8>,
    ) {
        match self {
            Self::Indexed(bits) => {
                let per_byte = usize::from(8 / bits);
                let mask = 0xff >> (8 - bits);
                samples.extend((0..width).flat_map(|x| {
                    let shift = 8 - bits * ((x % per_byte) as u8 + 1);
                    color(row[x / per_byte] >> shift & mask)
                }));
            }
            Self::Bgr555 => samples.extend(shorts(row).flat_map(|pixel| {
                [widened(pixel >> 10, 5), widened(pixel >> 5, 5), widened(pixel, 5)]
            })),
            Self::Bgr565 => samples.extend(shorts(row).flat_map(|pixel| {
                [widened(pixel >> 11, 5), widened(pixel >> 5, 6), widened(pixel, 5)]
            })),
            Self::Bgr => {
                samples.extend(row.as_chunks().0.iter().flat_map(|[b, g, r]| [*r, *g, *b]));
            }
            Self::Four(at) => samples.extend(fours(row).flat_map(|pixel| at.map(|i| pixel[i]))),
            Self::FourAlpha(at) => {
                samples.extend(fours(row).flat_map(|pixel| at.map(|i| pixel[i])));
            }
        }
    }
}

fn shorts(row: &[u8]) -> impl Iterator<Item = u16> {
    row.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

fn fours(row: &[u8]) -> impl Iterator<Item = &[u8; 4]> {
    row.as_chunks().0.iter()
}

/// Scales the lowest `bits` bits to 0..=255, rounding down.
fn widened(pixel: u16, bits: u32) -> u8 {
    let highest = (1 << bits) - 1;
    (u32::from(pixel & highest) * 255 / u32::from(highest)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mask for each of four bytes.
    const MASKS: [u32; 4] = [0xff, 0xff00, 0xff_0000, 0xff00_0000];

    #[test]
    fn masks_choose_the_bytes_of_colours_and_alpha() {
        let orders = [[3, 2, 1, 0], [0, 1, 2, 3], [2, 1, 0, 3], [3, 1, 0, 2]];
        for order @ [red, green, blue, alpha] in orders {
            let masks = order.map(|byte| MASKS[byte]);
            let layout = Layout::direct(32, Some(masks)).unwrap();
            let mut samples = Vec::new();
            layout.append(&[10, 11, 12, 13], 1, |_| [0; 3], &mut samples);
            assert_eq!(samples, order.map(|byte| 10 + byte as u8));
            if alpha != 3 || (red, green, blue) == (2, 1, 0) {
                let opaque = Layout::direct(32, Some([masks[0], masks[1], masks[2], 0])).unwrap();
                assert_eq!(opaque, Layout::Four([red, green, blue]));
            }
        }
    }
}
