//! Samples as FFmpeg's resampler calculates with them: 16-bit ones in fixed point, others in single precision.

/// One sample of one channel.
pub trait Sample: Copy {
    /// What samples are weighed with.
    type Weight: Copy;

    /// One of the weights that sum to 1.
    fn weight(exact: f64) -> Self::Weight;

    /// The weighed sum of as many samples as there are weights.
    fn weighed(samples: &[Self], weights: &[Self::Weight]) -> Self;

    /// Two channels to one.
    fn mixed(left: Self, right: Self) -> Self;

    /// As fingerprints are made of it.
    fn to_i16(self) -> i16;
}

/// Fraction bits of a weight in fixed point.
const WEIGHT_BITS: u32 = 15;

impl Sample for i16 {
    type Weight = i16;

    fn weight(exact: f64) -> i16 {
        // Single precision first, as there.
        rounded((exact * f64::from(1 << WEIGHT_BITS)) as f32)
    }

    fn weighed(samples: &[i16], weights: &[i16]) -> i16 {
        let products = samples.iter().zip(weights).map(|(a, b)| i32::from(*a) * i32::from(*b));
        let sum = products.fold(1 << (WEIGHT_BITS - 1), i32::wrapping_add);
        (sum >> WEIGHT_BITS).clamp(i16::MIN.into(), i16::MAX.into()) as i16
    }

    fn mixed(left: i16, right: i16) -> i16 {
        ((i32::from(left) + i32::from(right) + 1) >> 1) as i16
    }

    fn to_i16(self) -> i16 {
        self
    }
}

/// Sums that are made side by side, so that the compiler can.
const LANES: usize = 8;

impl Sample for f32 {
    type Weight = f32;

    fn weight(exact: f64) -> f32 {
        exact as f32
    }

    fn weighed(samples: &[f32], weights: &[f32]) -> f32 {
        let (samples, last) = samples.as_chunks::<LANES>();
        let (weights, last_weights) = weights.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (samples, weights) in samples.iter().zip(weights) {
            for lane in 0..LANES {
                sums[lane] += samples[lane] * weights[lane];
            }
        }
        let rest: f32 = last.iter().zip(last_weights).map(|(a, b)| a * b).sum();
        sums.iter().sum::<f32>() + rest
    }

    fn mixed(left: f32, right: f32) -> f32 {
        left * 0.5 + right * 0.5
    }

    fn to_i16(self) -> i16 {
        rounded(self * 32_768.0)
    }
}

fn rounded(value: f32) -> i16 {
    value.round_ties_even().clamp(i16::MIN.into(), i16::MAX.into()) as i16
}
