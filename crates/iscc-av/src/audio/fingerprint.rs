//! Chromaprint's raw fingerprint of a stream of samples.

use super::chromaprint::{Chroma, Items};

/// The sample rate of Chromaprint. The decoder must resample to it, because the resampler's filter
/// decides bits of the fingerprint.
pub const SAMPLE_RATE_HZ: u32 = 11_025;

/// Samples converted from bytes at a time.
const BLOCK_SAMPLES: usize = 4096;

/// Computes the fingerprint of a stream of mono 16-bit samples at [`SAMPLE_RATE_HZ`].
///
/// The algorithm is Chromaprint's TEST2 (its default), over the whole stream: one item per 1365
/// samples (0.124 s), the first after about 2.6 s. Memory use is constant apart from the items.
pub struct Fingerprinter {
    chroma: Chroma,
    items: Items,
    /// The first byte of a sample whose second byte is in the next chunk.
    half_sample: Option<u8>,
}

impl Default for Fingerprinter {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprinter {
    /// Starts an empty stream.
    pub fn new() -> Self {
        Self { chroma: Chroma::new(), items: Items::default(), half_sample: None }
    }

    /// Adds bytes of little-endian samples. A chunk may end inside a sample.
    pub fn push_bytes(&mut self, mut bytes: &[u8]) {
        if let (Some(low), Some((&high, rest))) = (self.half_sample, bytes.split_first()) {
            self.push(&[i16::from_le_bytes([low, high])]);
            self.half_sample = None;
            bytes = rest;
        }
        let (pairs, half) = bytes.as_chunks::<2>();
        let mut block = [0i16; BLOCK_SAMPLES];
        for pairs in pairs.chunks(BLOCK_SAMPLES) {
            let samples = &mut block[..pairs.len()];
            for (sample, pair) in samples.iter_mut().zip(pairs) {
                *sample = i16::from_le_bytes(*pair);
            }
            self.push(samples);
        }
        if let Some(&low) = half.first() {
            self.half_sample = Some(low);
        }
    }

    /// Adds samples.
    pub fn push(&mut self, samples: &[i16]) {
        self.chroma.push(samples, |notes| self.items.push(notes));
    }

    /// The fingerprint as signed integers, as the Audio-Code needs them. Empty for a stream shorter
    /// than about 2.6 s.
    pub fn finish(self) -> Vec<i32> {
        self.items.into_items().into_iter().map(u32::cast_signed).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusty_chromaprint::Configuration;

    use super::*;

    /// A chord with a slow vibrato, so that adjacent items of its fingerprint differ.
    fn chord(seconds: u32) -> Vec<i16> {
        let sample = |n: u32| {
            let t = f64::from(n) / f64::from(SAMPLE_RATE_HZ);
            let tone = |hz: f64| (std::f64::consts::TAU * hz * t + (3.0 * t).sin()).sin();
            (9000.0 * (tone(220.0) + tone(277.2) * (1.7 * t).cos() + tone(329.6))) as i16
        };
        (0..seconds * SAMPLE_RATE_HZ).map(sample).collect()
    }

    fn fingerprint(samples: &[i16]) -> Vec<i32> {
        let mut fingerprinter = Fingerprinter::new();
        fingerprinter.push(samples);
        fingerprinter.finish()
    }

    #[test]
    fn one_second_is_too_short_for_an_item() {
        assert_eq!(fingerprint(&[]), []);
        assert_eq!(fingerprint(&chord(1)), []);
    }

    #[test]
    fn one_item_per_1365_samples() {
        // Frames of 4096 samples; smoothing takes 4 rows, the widest filter 15 more than one.
        let items = |samples: usize| (samples.saturating_sub(4096) / 1365 + 1).saturating_sub(19);
        for seconds in [3, 4, 10] {
            let samples = chord(seconds);
            assert_eq!(fingerprint(&samples).len(), items(samples.len()), "{seconds} s");
        }
    }

    #[test]
    fn chunks_may_end_anywhere() {
        let samples = chord(6);
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let whole = fingerprint(&samples);
        assert!(!whole.is_empty());
        for chunk in [1, 3, 4095, 8193, 65_536, bytes.len()] {
            let mut fingerprinter = Fingerprinter::new();
            bytes.chunks(chunk).for_each(|part| fingerprinter.push_bytes(part));
            assert_eq!(fingerprinter.finish(), whole, "chunks of {chunk} bytes");
        }
    }

    #[test]
    fn a_trailing_half_sample_is_ignored() {
        let mut bytes: Vec<u8> = chord(4).iter().flat_map(|sample| sample.to_le_bytes()).collect();
        bytes.push(7);
        let mut fingerprinter = Fingerprinter::new();
        fingerprinter.push_bytes(&bytes);
        assert_eq!(fingerprinter.finish(), fingerprint(&chord(4)));
    }

    /// The fingerprint by another implementation.
    fn expected(samples: &[i16]) -> Vec<i32> {
        let mut other = rusty_chromaprint::Fingerprinter::new(&Configuration::preset_test2());
        other.start(SAMPLE_RATE_HZ, 1).unwrap();
        other.consume(samples);
        other.finish();
        other.fingerprint().iter().map(|item| item.cast_signed()).collect()
    }

    /// Tones that glide and change every second, noise, and silence.
    fn sound(seconds: u32, loudness: f64, noise: f64, seed: u32) -> Vec<i16> {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        let mut samples = Vec::new();
        for _ in 0..seconds {
            let (hz, glide, silent) = (60.0 + 2000.0 * random(), 500.0 * random(), random() < 0.1);
            for at in 0..SAMPLE_RATE_HZ {
                let t = f64::from(at) / f64::from(SAMPLE_RATE_HZ);
                let tone = |hz: f64| (std::f64::consts::TAU * (hz + glide * t) * t).sin();
                let level = tone(hz) + 0.5 * tone(1.5 * hz) + noise * (random() - 0.5);
                samples.push(if silent { 0 } else { (loudness * level) as i16 });
            }
        }
        samples
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn equals_another_implementation(
            (seconds, seed) in (3u32..20, any::<u32>()),
            loudness in prop_oneof![Just(1.0), Just(300.0), Just(15_000.0), Just(40_000.0)],
            noise in 0.0..2.0,
        ) {
            let samples = sound(seconds, loudness, noise, seed);
            prop_assert_eq!(fingerprint(&samples), expected(&samples));
        }
    }

    #[test]
    fn long_sound_has_the_items_of_another_implementation() {
        let samples = sound(20, 9000.0, 0.5, 7).repeat(15);
        assert!(fingerprint(&samples) == expected(&samples));
    }
}
