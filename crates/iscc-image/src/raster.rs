//! Decoded pixels.

/// Samples per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// One sample
    Gray,
    /// Three samples: red, green, blue
    Rgb,
}

impl Channels {
    /// Number of samples per pixel.
    pub fn count(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
        }
    }
}

/// What a raster lacks of the picture in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Gray levels of more than 8 bits were clipped.
    Depth,
    /// The end of the file is missing.
    End,
}

/// An opaque image of 8-bit samples, top row first, without padding. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    width: usize,
    height: usize,
    channels: Channels,
    samples: Vec<u8>,
    loss: Option<Loss>,
}

impl Raster {
    /// `None` if the number of samples is zero or not `width x height x channels`.
    pub fn new(width: usize, height: usize, channels: Channels, samples: Vec<u8>) -> Option<Self> {
        let count = width.checked_mul(height)?.checked_mul(channels.count())?;
        (count > 0 && samples.len() == count).then_some(Self {
            width,
            height,
            channels,
            samples,
            loss: None,
        })
    }

    /// The same raster with a note of what it lacks.
    pub fn with_loss(self, loss: Option<Loss>) -> Self {
        Self { loss, ..self }
    }

    /// What the raster lacks of the picture in the file.
    pub fn loss(&self) -> Option<Loss> {
        self.loss
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples per pixel.
    pub fn channels(&self) -> Channels {
        self.channels
    }

    /// All samples, row by row.
    pub fn samples(&self) -> &[u8] {
        &self.samples
    }

    /// Consumes the raster and returns its samples.
    pub fn into_samples(self) -> Vec<u8> {
        self.samples
    }

    /// Samples of the pixels `left..right` in row `y`.
    pub fn row(&self, y: usize, left: usize, right: usize) -> &[u8] {
        let count = self.channels.count();
        &self.samples[(y * self.width + left) * count..(y * self.width + right) * count]
    }

    /// All samples of row `y`.
    pub fn row_mut(&mut self, y: usize) -> &mut [u8] {
        let length = self.width * self.channels.count();
        &mut self.samples[y * length..(y + 1) * length]
    }
}

/// Unpacks samples of 1, 2 or 4 bits, highest bits first in padded rows, and multiplies them by `scale`.
pub fn unpacked(packed: &[u8], width: usize, bits: u8, scale: u8) -> Vec<u8> {
    let per_byte = usize::from(8 / bits);
    let highest = (1u8 << bits) - 1;
    let sample = |row: &[u8], x: usize| {
        let shift = 8 - bits * ((x % per_byte) as u8 + 1);
        (row[x / per_byte] >> shift & highest) * scale
    };
    let rows = packed.chunks_exact(width.div_ceil(per_byte));
    rows.flat_map(|row| (0..width).map(move |x| sample(row, x))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_are_unpacked_and_scaled() {
        assert_eq!(unpacked(&[0b1010_0000, 0b0110_0000], 3, 1, 255), [255, 0, 255, 0, 255, 255]);
        assert_eq!(unpacked(&[0b0001_1011], 4, 2, 85), [0, 85, 170, 255]);
        assert_eq!(unpacked(&[0x0f, 0x80], 3, 4, 17), [0, 255, 136]);
    }
}
