//! Content audio simprints (experimental, version 0): the Audio-Code of each window of a fingerprint.
//!
//! Design: docs/design/clips.md.

use super::Features;
use crate::audio;

/// Items of a window: 4.5 s of sound, so that a clip of 5 s has one at least.
const WINDOW_ITEMS: usize = 16;
/// Items between the starts of two windows: 0.37 s. Windows of a clip that begins anywhere differ from the next of the
/// recording by half of it at most.
const HOP_ITEMS: usize = 3;
/// Fewest different items of a window. All items of silence are equal, so windows of silence would be similar.
const DISTINCT_MIN: usize = WINDOW_ITEMS / 2 + 1;

/// Samples between the starts of two items, and their rate in Hz: Chromaprint's algorithm TEST2.
const ITEM_SAMPLES: usize = 1365;
const SAMPLE_RATE_HZ: usize = 11_025;
/// Samples that decide an item: 19 frames of 4096, of which each begins [`ITEM_SAMPLES`] after the one before.
const REACH_SAMPLES: usize = 18 * ITEM_SAMPLES + 4096;

/// The simprints of a raw Chromaprint fingerprint in order, with offsets and sizes in milliseconds. Windows that overlap,
/// of which silent ones are left out. A sound of less than 4.5 s has none.
pub fn features(fingerprint: &[i32]) -> Features {
    let mut features = Features::default();
    for (number, window) in fingerprint.windows(WINDOW_ITEMS).step_by(HOP_ITEMS).enumerate() {
        if distinct(window) < DISTINCT_MIN {
            continue;
        }
        features.simprints.push(audio::digest(window));
        features.offsets.push(milliseconds(number * HOP_ITEMS * ITEM_SAMPLES));
        features.sizes.push(milliseconds((WINDOW_ITEMS - 1) * ITEM_SAMPLES + REACH_SAMPLES));
    }
    features
}

fn milliseconds(samples: usize) -> u64 {
    (samples * 1000 / SAMPLE_RATE_HZ) as u64
}

fn distinct(window: &[i32]) -> usize {
    let mut sorted = [0; WINDOW_ITEMS];
    sorted.copy_from_slice(window);
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(seed: i32, count: i32) -> Vec<i32> {
        (0..count).map(|at| (seed + at).wrapping_mul(-1_640_531_527)).collect()
    }

    #[test]
    fn windows_overlap() {
        let recording = items(1, 25);
        let found = features(&recording);
        assert_eq!(found.offsets, [0, 371, 742, 1114]);
        assert_eq!(found.sizes, [4457; 4]);
        assert_eq!(found.simprints[2], audio::digest(&recording[6..22]));
    }

    #[test]
    fn a_passage_has_the_same_simprints_in_other_recordings() {
        let passage = items(9, 40);
        let alone = features(&passage);
        let within = features(&[items(1, 30), passage, items(5, 20)].concat());
        assert_eq!(within.simprints[10..10 + alone.simprints.len()], alone.simprints);
    }

    #[test]
    fn silence_has_no_simprint() {
        let silent = vec![627_964_279; 60];
        assert_eq!(features(&silent), Features::default());
        let around = features(&[items(1, 16), silent, items(7, 16)].concat());
        assert_eq!(around.simprints.first(), Some(&audio::digest(&items(1, 16))));
        // Windows in which less than half is silent.
        assert_eq!(around.offsets.len(), 6);
    }

    #[test]
    fn short_sounds_have_none() {
        assert_eq!(features(&items(1, 15)), Features::default());
        assert_eq!(features(&[]), Features::default());
    }
}
