//! Gray samples of more than 8 bits: integers, signed integers and floating-point numbers.

use super::raster::Loss;

/// How gray samples of more than 8 bits become levels of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// Samples above 255 are white, samples below 0 black, and fractions are dropped, as with Pillow.
    /// Most pictures become white. Codes of the reference need this.
    #[default]
    Clipped,
    /// The picture keeps its gray levels.
    Scaled,
}

/// Largest samples of the usual depths: scanners and cameras store 10, 12 or 14 bits in 16.
const LARGEST: [f64; 5] = [255.0, 1023.0, 4095.0, 16_383.0, 65_535.0];

/// Levels of 8 bits, and the loss if samples were clipped. Numbers that are not finite are 0.
pub fn gray_levels<Samples>(samples: Samples, depth: Depth) -> (Vec<u8>, Option<Loss>)
where
    Samples: Iterator<Item = f64> + Clone,
{
    let range = Range::of(samples.clone());
    if range == Range::LEVELS || depth == Depth::Clipped {
        let loss = (range != Range::LEVELS).then_some(Loss::Depth);
        // The cast saturates and drops fractions.
        return (samples.map(|sample| sample as u8).collect(), loss);
    }
    (samples.map(|sample| range.level(sample)).collect(), None)
}

/// The samples that black and white are.
#[derive(Debug, PartialEq)]
struct Range {
    black: f64,
    white: f64,
}

impl Range {
    /// Samples that are levels of 8 bits already.
    const LEVELS: Self = Self { black: 0.0, white: LARGEST[0] };

    /// From 0 to 1 for fractions, from the smallest to the largest for samples below 0, else from 0 to
    /// the largest of a usual depth.
    fn of(samples: impl Iterator<Item = f64>) -> Self {
        let (mut black, mut white, mut has_fractions) = (0f64, 0f64, false);
        for sample in samples.filter(|sample| sample.is_finite()) {
            (black, white) = (black.min(sample), white.max(sample));
            has_fractions |= sample.fract() != 0.0;
        }
        if black < 0.0 {
            return Self { black, white };
        }
        if has_fractions && white <= 1.0 {
            return Self { black, white: 1.0 };
        }
        let usual = LARGEST.into_iter().find(|largest| white.floor() <= *largest);
        Self { black, white: usual.unwrap_or(white) }
    }

    fn level(&self, sample: f64) -> u8 {
        if !sample.is_finite() {
            return 0;
        }
        (255.0 * (sample - self.black) / (self.white - self.black)).round() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(samples: &[f64]) -> Vec<u8> {
        gray_levels(samples.iter().copied(), Depth::Scaled).0
    }

    #[test]
    fn samples_are_scaled_by_the_depth_that_holds_the_largest() {
        assert_eq!(scaled(&[0.0, 257.0, 65_535.0]), [0, 1, 255]);
        assert_eq!(scaled(&[0.0, 2048.0, 4095.0]), [0, 128, 255]);
        assert_eq!(scaled(&[0.0, 7.0, 255.0]), [0, 7, 255]);
        assert_eq!(scaled(&[0.0, 5e9, 1e10]), [0, 128, 255]);
    }

    #[test]
    fn fractions_and_negative_samples_keep_their_order() {
        assert_eq!(scaled(&[0.0, 0.5, 1.0]), [0, 128, 255]);
        assert_eq!(scaled(&[0.5, 20.5, 255.5]), [0, 20, 255]);
        assert_eq!(scaled(&[-32_768.0, 0.0, 32_767.0]), [0, 128, 255]);
        assert_eq!(scaled(&[f64::NAN, f64::INFINITY, 0.5, 1.0]), [0, 0, 128, 255]);
        assert_eq!(scaled(&[-5.0, -5.0]), [0, 0]);
    }

    #[test]
    fn only_clipped_samples_are_a_loss() {
        let clipped = |samples: &[f64]| gray_levels(samples.iter().copied(), Depth::Clipped);
        assert_eq!(clipped(&[0.0, 9.5, 255.0]), (vec![0, 9, 255], None));
        assert_eq!(clipped(&[0.0, 1.0]), (vec![0, 1], None));
        assert_eq!(clipped(&[7.0, 256.0]), (vec![7, 255], Some(Loss::Depth)));
        assert_eq!(clipped(&[0.2, 0.9]), (vec![0, 0], Some(Loss::Depth)));
        assert_eq!(clipped(&[-1.0, 9.0]), (vec![0, 9], Some(Loss::Depth)));
    }
}
