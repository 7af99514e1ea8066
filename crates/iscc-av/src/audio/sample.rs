//! Sample arithmetic of FFmpeg's resampler: 16-bit samples in fixed point, others in single
//! precision.

/// One sample of one channel. The functions that are called for each sample are inlined, so that
/// they are compiled for the processor of their caller.
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

/// Independent partial sums, so that the compiler can vectorise.
const LANES: usize = 8;

/// Fraction bits of a weight in fixed point.
const WEIGHT_BITS: u32 = 15;

impl Sample for i16 {
    type Weight = i16;

    fn weight(exact: f64) -> i16 {
        // FFmpeg converts to single precision first.
        rounded((exact * f64::from(1 << WEIGHT_BITS)) as f32)
    }

    #[inline(always)]
    fn weighted_sum(mut samples: &[i16], mut weights: &[i16]) -> i16 {
        let mut sum = 1 << (WEIGHT_BITS - 1);
        while let Some(part) = first_sum::<MANY>(&mut samples, &mut weights) {
            sum = part.wrapping_add(sum);
        }
        while let Some(part) = first_sum::<LANES>(&mut samples, &mut weights) {
            sum = part.wrapping_add(sum);
        }
        sum = products(samples, weights).fold(sum, i32::wrapping_add);
        (sum >> WEIGHT_BITS).clamp(i16::MIN.into(), i16::MAX.into()) as i16
    }

    #[inline(always)]
    fn mixed(left: i16, right: i16) -> i16 {
        ((i32::from(left) + i32::from(right) + 1) >> 1) as i16
    }

    #[inline(always)]
    fn to_i16(self) -> i16 {
        self
    }
}

/// Samples of a sum whose number the compiler knows, so that it vectorises all of it: those of an
/// output at 44.1 kHz.
const MANY: usize = 80;

/// Takes the first samples and weights; returns their weighted sum. `None` if there are fewer.
#[inline(always)]
fn first_sum<const COUNT: usize>(samples: &mut &[i16], weights: &mut &[i16]) -> Option<i32> {
    let (first_samples, other_samples) = samples.split_first_chunk::<COUNT>()?;
    let (first_weights, other_weights) = weights.split_first_chunk::<COUNT>()?;
    (*samples, *weights) = (other_samples, other_weights);
    Some(products(first_samples, first_weights).fold(0, i32::wrapping_add))
}

#[inline(always)]
fn products(samples: &[i16], weights: &[i16]) -> impl Iterator<Item = i32> {
    samples.iter().zip(weights).map(|(sample, weight)| i32::from(*sample) * i32::from(*weight))
}

impl Sample for f32 {
    type Weight = f32;

    fn weight(exact: f64) -> f32 {
        exact as f32
    }

    #[inline(always)]
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

    #[inline(always)]
    fn mixed(left: f32, right: f32) -> f32 {
        left * 0.5 + right * 0.5
    }

    #[inline(always)]
    fn to_i16(self) -> i16 {
        rounded(self * 32_768.0)
    }
}

#[inline(always)]
fn rounded(value: f32) -> i16 {
    value.round_ties_even().clamp(i16::MIN.into(), i16::MAX.into()) as i16
}
