//! Random inputs, compared with iscc-lib.

use super::inputs::{large_data, noise};
use iscc_lib as peer;
use iscc_units::kernels::wta::COLUMNS;
use iscc_units::{Compat, audio, data, image, instance, sum, video};
use proptest::collection::vec;
use proptest::prelude::*;

/// The body of a 256-bit code.
fn body(code: &str) -> Vec<u8> {
    peer::iscc_decode(code).unwrap().4
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn data_and_instance(data in large_data(4, 300_000)) {
        let sum = sum::digest(&data);
        prop_assert_eq!(&sum.data[..], body(&peer::gen_data_code_v0(&data, 256).unwrap().iscc));
        let instance = peer::gen_instance_code_v0(&data, 256).unwrap();
        prop_assert_eq!(&sum.instance[..], body(&instance.iscc));
        prop_assert_eq!(instance::multihash(&sum.instance), instance.datahash);
        prop_assert_eq!(sum.size, instance.filesize);
    }

    #[test]
    fn images(pixels in vec(any::<u8>(), 1024)) {
        let digest = image::digest(pixels[..].try_into().unwrap(), 256, Compat::Sdk0_9_7);
        prop_assert_eq!(&digest[..], body(&peer::gen_image_code_v0(&pixels, 256).unwrap().iscc));
    }

    #[test]
    fn audio_of_any_fingerprint(fingerprint in vec(any::<i32>(), 1..900)) {
        let digest = audio::digest(&fingerprint);
        let code = peer::gen_audio_code_v0(&fingerprint, 256).unwrap();
        prop_assert_eq!(&digest[..], body(&code.iscc));
    }

    #[test]
    fn video_of_any_frames(frames in vec(vec(0i32..3, COLUMNS), 1..30)) {
        let digest = video::digest(&frames.concat()).unwrap();
        let code = peer::gen_video_code_v0(&frames, 256).unwrap();
        prop_assert_eq!(&digest[..], body(&code.iscc));
    }
}

#[test]
fn every_small_size() {
    let noise: Vec<u8> = noise(77).take(3000).collect();
    for size in 0..noise.len() {
        let data = &noise[..size];
        let code = peer::gen_data_code_v0(data, 256).unwrap();
        assert_eq!(data::digest(data)[..], body(&code.iscc), "{size} bytes");
    }
}
