//! Image-, Audio-, Video- and Mixed-Code, compared with the `reference` crate.

use iscc_units::kernels::wta::{COLUMNS, PAIRS};
use iscc_units::video::VideoError;
use iscc_units::{Compat, audio, image, mixed, simd, video};
use proptest::collection::vec;
use proptest::prelude::*;

const WINDOWS: [(Compat, [(usize, usize); 4]); 2] = [
    (Compat::Sdk0_9_7, [(0, 0), (8, 0), (0, 8), (8, 8)]),
    (Compat::Sdk0_9_5, [(0, 0), (1, 0), (0, 1), (1, 1)]),
];

/// Pixels from noise to a flat image with a single dot.
fn pixels() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 1024),
        (any::<u8>(), any::<u8>(), 0usize..1024).prop_map(|(gray, other, at)| {
            let mut pixels = vec![gray; 1024];
            pixels[at] = other;
            pixels
        }),
        (0usize..8, 0usize..8, any::<u8>()).prop_map(|(dx, dy, base)| {
            (0..1024).map(|i| base.wrapping_add((i % 32 * dx + i / 32 * dy) as u8)).collect()
        }),
    ]
}

proptest! {
    #[test]
    fn image_matches_the_reference_crate(pixels in pixels(), bits in 1usize..=256) {
        let array = pixels[..].try_into().unwrap();
        for (compat, windows) in WINDOWS {
            let mut expected = reference::image::digest(&pixels, &windows[..bits.div_ceil(64)]);
            expected.resize(32, 0);
            for level in simd::levels() {
                let digest = image::digest_at(level, array, bits, compat);
                prop_assert_eq!(&digest[..], &expected, "{:?} {:?}", level, compat);
            }
        }
    }

    #[test]
    fn audio_matches_the_reference_crate(
        fingerprint in prop_oneof![vec(any::<i32>(), 0..2000), vec(-2i32..3, 0..40)],
    ) {
        let expected = reference::audio::digest(&fingerprint);
        for level in simd::levels() {
            prop_assert_eq!(&audio::digest_at(level, &fingerprint)[..], &expected, "{:?}", level);
        }
    }

    #[test]
    fn video_matches_the_reference_crate(
        base in vec(0i32..3, COLUMNS),
        changes in vec((0usize..COLUMNS, any::<i32>()), 1..30),
    ) {
        // Frames that differ in one value or are equal.
        let frames: Vec<Vec<i32>> = changes
            .iter()
            .map(|&(column, value)| {
                let mut frame = base.clone();
                frame[column] = if value % 3 == 0 { frame[column] } else { value };
                frame
            })
            .collect();
        let expected = reference::video::digest(&frames, &PAIRS);
        for level in simd::levels() {
            let digest = video::digest_at(level, &frames.concat()).unwrap();
            prop_assert_eq!(&digest[..], &expected, "{:?}", level);
        }
    }

    #[test]
    fn video_of_bytes_equals_video_of_integers(frames in vec(vec(0u8..3, COLUMNS), 1..40)) {
        let bytes = frames.concat();
        let integers: Vec<i32> = bytes.iter().map(|&value| i32::from(value)).collect();
        for level in simd::levels() {
            prop_assert_eq!(video::digest_at(level, &bytes), video::digest_at(level, &integers));
        }
    }

    #[test]
    fn mixed_matches_the_reference_crate(
        bodies in vec((0u8..5, vec(any::<u8>(), 32)), 2..20),
        bytes in prop_oneof![Just(4usize), Just(8), Just(16), Just(32)],
    ) {
        let codes: Vec<Vec<u8>> =
            bodies.iter().map(|(subtype, body)| [&[0x20 | subtype, 7], &body[..]].concat()).collect();
        let parts: Vec<Vec<u8>> =
            codes.iter().map(|code| [&code[..1], &code[2..bytes + 1]].concat()).collect();
        let mut expected = reference::simhash::simhash(&parts);
        expected.resize(32, 0);
        let codes: Vec<&[u8]> = codes.iter().map(Vec::as_slice).collect();
        for level in simd::levels() {
            let digest = mixed::digest_at(level, &codes, 8 * bytes).unwrap();
            prop_assert_eq!(&digest[..], &expected, "{:?}", level);
        }
    }

    #[test]
    fn mixed_is_total(codes in vec(vec(any::<u8>(), 0..40), 0..5), bits in 0usize..300) {
        let codes: Vec<&[u8]> = codes.iter().map(Vec::as_slice).collect();
        let _ = mixed::digest(&codes, bits);
    }
}

#[test]
fn invalid_frames_are_errors() {
    assert_eq!(video::digest::<u8>(&[]), Err(VideoError::NoFrames));
    assert_eq!(video::digest(&[0u8; 379]), Err(VideoError::PartialFrame(379)));
    assert_eq!(video::digest(&[0i32; 381]), Err(VideoError::PartialFrame(381)));
}
