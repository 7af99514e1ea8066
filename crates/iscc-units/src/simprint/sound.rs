//! Content audio simprints (experimental, version 0): the Audio-Code of each window of a fingerprint.
//!
//! Design: docs/design/clips.md.

use super::Features;
use crate::audio;

/// Items of a window: 4.5 s of sound, so that a clip of 5 s has one at least.
const WINDOW_ITEMS: usize = 16;
/// Items between the starts of two windows: 0.25 s. Windows of a clip that begins anywhere differ from the next of the
/// recording by half of it at most.
const HOP_ITEMS: usize = 2;
/// Fewest different items of a window. Those of a single tone are equal.
const DISTINCT_MIN: usize = WINDOW_ITEMS / 2 + 1;

/// The item of silence, and in how many bits an item differs from it that has almost only silence.
const SILENCE: i32 = 627_964_279;
const SILENT_BITS: u32 = 6;
/// Number of items before and after a silent one that have a part of the silence. How a sound ends and begins is alike in
/// all recordings.
const SILENCE_REACH: usize = 16;

/// Samples between the starts of two items, and their rate in Hz: Chromaprint's algorithm TEST2.
const ITEM_SAMPLES: usize = 1365;
const SAMPLE_RATE_HZ: usize = 11_025;
/// Samples that decide an item: 19 frames of 4096, of which each begins [`ITEM_SAMPLES`] after the one before.
const REACH_SAMPLES: usize = 18 * ITEM_SAMPLES + 4096;

/// The simprints of a raw Chromaprint fingerprint in order, with offsets and sizes in milliseconds: windows that overlap.
/// Those with silence are left out. A sound of less than 4.5 s has none.
pub fn features(fingerprint: &[i32]) -> Features {
    let mut features = Features::default();
    let is_left_out = near_silence(fingerprint);
    let starts = (0..fingerprint.len().saturating_sub(WINDOW_ITEMS - 1)).step_by(HOP_ITEMS);
    for range in starts.map(|start| start..start + WINDOW_ITEMS) {
        let window = &fingerprint[range.clone()];
        if is_left_out[range.clone()].contains(&true) || distinct(window) < DISTINCT_MIN {
            continue;
        }
        features.simprints.push(audio::digest(window));
        features.offsets.push(milliseconds(range.start * ITEM_SAMPLES));
        features.sizes.push(milliseconds((WINDOW_ITEMS - 1) * ITEM_SAMPLES + REACH_SAMPLES));
    }
    features
}

fn milliseconds(samples: usize) -> u64 {
    (samples * 1000 / SAMPLE_RATE_HZ) as u64
}

/// Which items are silent or near a silent one.
fn near_silence(fingerprint: &[i32]) -> Vec<bool> {
    let mut near = vec![false; fingerprint.len()];
    for (at, item) in fingerprint.iter().enumerate() {
        if (item ^ SILENCE).count_ones() <= SILENT_BITS {
            let end = (at + SILENCE_REACH + 1).min(near.len());
            near[at.saturating_sub(SILENCE_REACH)..end].fill(true);
        }
    }
    near
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
        let recording = items(1, 23);
        let found = features(&recording);
        assert_eq!(found.offsets, [0, 247, 495, 742]);
        assert_eq!(found.sizes, [4457; 4]);
        assert_eq!(found.simprints[2], audio::digest(&recording[4..20]));
    }

    #[test]
    fn a_passage_has_the_same_simprints_in_other_recordings() {
        let passage = items(9, 40);
        let alone = features(&passage);
        let within = features(&[items(1, 30), passage, items(5, 20)].concat());
        assert_eq!(within.simprints[15..15 + alone.simprints.len()], alone.simprints);
    }

    #[test]
    fn silence_and_what_is_near_it_has_no_simprint() {
        let silent = vec![SILENCE ^ 0b1001; 60];
        assert_eq!(features(&silent), Features::default());
        let around = features(&[items(1, 33), silent, items(7, 33)].concat());
        assert_eq!(around.simprints.first(), Some(&audio::digest(&items(1, 16))));
        assert_eq!(around.offsets, [0, 13_619]);
    }

    #[test]
    fn a_single_tone_has_no_simprint() {
        assert_eq!(features(&[7; 60]), Features::default());
        // Half of the items of the first window are equal.
        let around = features(&[vec![7; 9], items(7, 16)].concat());
        assert_eq!(around.offsets.first(), Some(&247));
    }

    #[test]
    fn short_sounds_have_none() {
        assert_eq!(features(&items(1, 15)), Features::default());
        assert_eq!(features(&[]), Features::default());
    }
}
