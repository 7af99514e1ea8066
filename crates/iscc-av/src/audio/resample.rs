//! Resampling to the rate of fingerprints, with the arithmetic of FFmpeg's resampler and the
//! settings of Chromaprint's command `fpcalc`. Results are equal sample for sample, because
//! differences change the fingerprint. (In single precision, about one sample in thousands is off
//! by one, because FFmpeg sums in another order.)
//!
//! The settings: a windowed sinc of 16 zero crossings with its cutoff at 0.8 of the lower rate,
//! tabulated for up to 256 positions between two samples. Rates that need interpolation between
//! those are left to FFmpeg, whose interpolation rounds differently on different machines.

use std::f64::consts::PI;

use multiversion::multiversion;

use super::SAMPLE_RATE_HZ;
use super::sample::Sample;

/// Sample rates for which results equal FFmpeg's.
pub const RATES_HZ: [u32; 6] = [11_025, 22_050, 44_100, 48_000, 88_200, 96_000];

const CROSSINGS: f64 = 16.0;
const CUTOFF: f64 = 0.8;
const POSITIONS_MAX: usize = 256;
/// Parameter of the Kaiser window.
const BETA: f64 = 9.0;

/// Resamples one channel to [`SAMPLE_RATE_HZ`].
pub struct Resampler<S: Sample> {
    /// A row of weights per position between two samples.
    weights: Vec<Vec<S::Weight>>,
    /// Weights per row.
    length: usize,
    /// Distance of two outputs, in positions.
    step: usize,
    /// Position of the next output after the sample at the start of `pending`.
    position: usize,
    /// Inputs that later outputs need.
    pending: Vec<S>,
    /// Whether the input was extended at its start.
    started: bool,
}

impl<S: Sample> Resampler<S> {
    /// `None` for a rate outside [`RATES_HZ`].
    pub fn new(rate_hz: u32) -> Option<Self> {
        if !RATES_HZ.contains(&rate_hz) {
            return None;
        }
        let (from, to) = (rate_hz as usize, SAMPLE_RATE_HZ as usize);
        let exact = to / common_divisor(from, to);
        let positions = exact * (POSITIONS_MAX / exact);
        let factor = (to as f64 * CUTOFF / from as f64).min(1.0);
        let length = ((CROSSINGS / factor).ceil() as usize).next_multiple_of(2);
        Some(Self {
            weights: (0..positions)
                .map(|position| weights::<S>(position, positions, length, factor))
                .collect(),
            length,
            step: from * positions / to,
            position: 0,
            pending: Vec::new(),
            started: false,
        })
    }

    /// Adds input samples and appends the output samples that they complete.
    pub fn push(&mut self, samples: impl Iterator<Item = S>, output: &mut Vec<S>) {
        if self.step == self.weights.len() {
            // The input already has the output's rate.
            output.extend(samples);
            return;
        }
        self.pending.extend(samples);
        if !self.started && !self.start() {
            return;
        }
        self.drain(output);
    }

    /// Appends the remaining output. The input is extended by its mirror image.
    pub fn finish(&mut self, output: &mut Vec<S>) {
        if !self.started {
            return;
        }
        let count = self.pending.len();
        let mirrored = count.min(self.length).div_ceil(2);
        let tail: Vec<S> = self.pending[count - mirrored..].iter().rev().copied().collect();
        self.pending.extend(tail);
        self.drain(output);
    }

    /// Extends the start of the input by its mirror image, because the first sample is in the
    /// middle of the first output's window. Returns false if more input is needed.
    fn start(&mut self) -> bool {
        if self.pending.len() <= self.length {
            return false;
        }
        let before = (self.length - 1) / 2;
        let mirrored: Vec<S> = self.pending[1..=before].iter().rev().copied().collect();
        self.pending.splice(..0, mirrored);
        self.started = true;
        true
    }

    fn drain(&mut self, output: &mut Vec<S>) {
        let next = filter(&self.pending, &self.weights, self.position, self.step, output);
        let done = (next / self.weights.len()).min(self.pending.len());
        self.pending.drain(..done);
        self.position = next - done * self.weights.len();
    }
}

/// Appends the outputs whose windows are in the samples: the first at the position, each other a
/// step later. Returns the position of the first output that is not.
#[multiversion(targets("x86_64+avx2"))]
fn filter<S: Sample>(
    samples: &[S],
    weights: &[Vec<S::Weight>],
    position: usize,
    step: usize,
    output: &mut Vec<S>,
) -> usize {
    let positions = weights.len();
    let (mut first, mut position) = (position / positions, position % positions);
    let (samples_per_step, positions_per_step) = (step / positions, step % positions);
    loop {
        let row = &weights[position];
        let Some(window) = samples.get(first..first + row.len()) else { break };
        output.push(S::weighted_sum(window, row));
        first += samples_per_step;
        position += positions_per_step;
        if position >= positions {
            first += 1;
            position -= positions;
        }
    }
    first * positions + position
}

/// Weights of an output that is `position / positions` after the middle sample. The second half of
/// the positions mirrors the first.
fn weights<S: Sample>(
    position: usize,
    positions: usize,
    length: usize,
    factor: f64,
) -> Vec<S::Weight> {
    if positions.is_multiple_of(2) && position > positions / 2 {
        let mut mirrored = weights::<S>(positions - position, positions, length, factor);
        mirrored.reverse();
        return mirrored;
    }
    let middle = (length - 1) / 2;
    let exact: Vec<f64> = (0..length)
        .map(|tap| {
            let distance = tap as f64 - middle as f64 - position as f64 / positions as f64;
            let x = PI * distance * factor;
            let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
            let edge = 2.0 * x / (factor * length as f64 * PI);
            sinc * bessel(BETA * (1.0 - edge * edge).max(0.0).sqrt())
        })
        .collect();
    let total: f64 = exact.iter().sum();
    exact.iter().map(|weight| S::weight(weight / total)).collect()
}

/// Modified Bessel function of the first kind and order zero, by its power series.
fn bessel(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut k = 1.0;
    while term > sum * f64::EPSILON / 4.0 {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resampled(rate_hz: u32, samples: &[i16], piece: usize) -> Vec<i16> {
        let mut resampler = Resampler::new(rate_hz).unwrap();
        let mut output = Vec::new();
        samples.chunks(piece).for_each(|piece| resampler.push(piece.iter().copied(), &mut output));
        resampler.finish(&mut output);
        output
    }

    fn tone(rate_hz: u32, hz: f64, seconds: u32) -> Vec<i16> {
        let sample = |n: u32| 12_000.0 * (2.0 * PI * hz * f64::from(n) / f64::from(rate_hz)).sin();
        (0..rate_hz * seconds).map(|n| sample(n) as i16).collect()
    }

    #[test]
    fn other_rates_are_rejected() {
        assert!(Resampler::<i16>::new(8000).is_none());
        assert!(Resampler::<f32>::new(0).is_none());
    }

    #[test]
    fn a_tone_keeps_frequency_and_phase() {
        for rate in RATES_HZ {
            let output = resampled(rate, &tone(rate, 440.0, 1), 1000);
            let expected = tone(SAMPLE_RATE_HZ, 440.0, 1);
            assert_eq!(output.len(), expected.len(), "{rate}");
            // The mirrored input distorts both ends.
            let inner = 100..output.len() - 100;
            let pairs = output[inner.clone()].iter().zip(&expected[inner]);
            let worst = pairs.map(|(a, b)| a.abs_diff(*b)).max();
            assert!(worst < Some(40), "{rate}: {worst:?}");
        }
    }

    #[test]
    fn frequencies_above_the_new_limit_are_removed() {
        for rate in [44_100, 48_000] {
            let output = resampled(rate, &tone(rate, 9000.0, 1), 1000);
            assert!(output[100..10_000].iter().all(|sample| sample.abs() < 20));
        }
    }

    #[test]
    fn single_precision_gives_the_same_samples() {
        for rate in RATES_HZ {
            let samples = tone(rate, 500.0, 1);
            let mut resampler = Resampler::new(rate).unwrap();
            let mut output: Vec<f32> = Vec::new();
            let exact = samples.iter().map(|s| f32::from(*s) / 32_768.0);
            resampler.push(exact, &mut output);
            resampler.finish(&mut output);
            let fixed = resampled(rate, &samples, samples.len());
            assert_eq!(output.len(), fixed.len());
            assert!(output.iter().zip(fixed).all(|(a, b)| a.to_i16().abs_diff(b) <= 3));
        }
    }

    #[test]
    fn chunks_may_end_anywhere() {
        let samples = tone(48_000, 1000.0, 1);
        let whole = resampled(48_000, &samples, samples.len());
        for piece in [1, 7, 89, 4096] {
            assert_eq!(resampled(48_000, &samples, piece), whole);
        }
    }

    #[test]
    fn too_few_samples_have_no_output() {
        assert_eq!(resampled(44_100, &[1; 80], 80), []);
        assert_eq!(resampled(44_100, &[], 80), []);
    }

    /// What [`filter`] appends, for any processor and with this sum.
    fn simple<S: Sample>(
        resampler: &Resampler<S>,
        samples: &[S],
        sum: impl Fn(&[S], &[S::Weight]) -> S,
    ) -> Vec<S> {
        let Resampler { weights, length, step, .. } = resampler;
        let place = |output: usize| (output * step / weights.len(), output * step % weights.len());
        let window =
            |(first, row): (usize, usize)| Some((samples.get(first..first + length)?, row));
        let windows = (0..).map_while(|output| window(place(output)));
        windows.map(|(window, row)| sum(window, &weights[row])).collect()
    }

    /// A sum of 32 bits, from the first sample to the last.
    fn fixed_sum(samples: &[i16], weights: &[i16]) -> i16 {
        let taps = samples.iter().zip(weights);
        let sum = taps.fold(1 << 14, |sum: i32, (sample, weight)| {
            sum.wrapping_add(i32::from(*sample) * i32::from(*weight))
        });
        (sum >> 15).clamp(i16::MIN.into(), i16::MAX.into()) as i16
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn vectors_change_no_bit(
            rate in prop::sample::select(&RATES_HZ[1..]),
            samples in prop::collection::vec(
                prop_oneof![any::<i16>(), Just(i16::MIN), Just(i16::MAX)],
                0..1500,
            ),
        ) {
            let fixed = Resampler::<i16>::new(rate).unwrap();
            let mut output = Vec::new();
            filter(&samples, &fixed.weights, 0, fixed.step, &mut output);
            prop_assert_eq!(output, simple(&fixed, &samples, fixed_sum));

            let float = Resampler::<f32>::new(rate).unwrap();
            let samples: Vec<f32> = samples.iter().map(|s| f32::from(*s) / 32_768.0).collect();
            let mut output = Vec::new();
            filter(&samples, &float.weights, 0, float.step, &mut output);
            prop_assert_eq!(output, simple(&float, &samples, f32::weighted_sum));
        }
    }
}
