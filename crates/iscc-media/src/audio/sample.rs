//! Sample arithmetic of FFmpeg's resampler: 16-bit samples in fixed point, others in single
//! precision.

/// One sample of one channel.
pub trait Sample: Copy {
    /// Weight of a sample.
    type Weight: Copy;

    /// Converts a weight; all weights of an output sum to 1.
    fn weight(exact: f64) -> Self::Weight;

    /// The weighted sum of samples; both slices have the same length.
    fn weighted_sum(samples: &[Self], weights: &[Self::Weight]) -> Self;

    /// Mixes two channels to mono.
    fn mixed(left: Self, right: Self) -> Self;

    /// Converts to 16 bits, the input of fingerprints.
    fn to_i16(self) -> i16;
}

/// Fraction bits of a weight in fixed point.
const WEIGHT_BITS: u32 = 15;

impl Sample for i16 {
    type Weight = i16;

    fn weight(exact: f64) -> i16 {
        // FFmpeg converts to single precision first.
        rounded((exact * f64::from(1 << WEIGHT_BITS)) as f32)
    }

    fn weighted_sum(samples: &[i16], weights: &[i16]) -> i16 {
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

/// Independent partial sums, so that the compiler can vectorise.
const LANES: usize = 8;

impl Sample for f32 {
    type Weight = f32;

    fn weight(exact: f64) -> f32 {
        exact as f32
    }

    fn weighted_sum(samples: &[f32], weights: &[f32]) -> f32 {
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
