//! Image-Codes from pixels for both releases, and the transform alone.

use super::fixture::{assert_code, cases, conformance, hex, read, text, unbase64};
use iscc_units::image::{self, Pixels};
use iscc_units::{Compat, simd};
use serde_json::Value;

const HEADER: u8 = 0x21;

#[test]
fn image_pixels_json() {
    for case in cases(&read("image_pixels.json"), "cases") {
        let pixels: Pixels = unbase64(text(&case["pixels_b64"])).try_into().expect("1024 pixels");
        let label = text(&case["label"]);
        for level in simd::levels() {
            for bits in [64, 128, 192, 256] {
                let digest = image::digest_at(level, &pixels, bits, Compat::Sdk0_9_7);
                assert_code(&case[format!("iscc_{bits}")], HEADER, &digest, label);
                assert_eq!(digest[bits / 8..], [0; 32][bits / 8..], "{label}");
            }
            let digest = image::digest_at(level, &pixels, 256, Compat::Sdk0_9_7);
            assert_eq!(hex(&digest), text(&case["digest_256_hex"]), "{label}");
            for bits in [64, 128, 256] {
                let digest = image::digest_at(level, &pixels, bits, Compat::Sdk0_9_5);
                assert_code(&case[format!("iscc_{bits}_profile_A")], HEADER, &digest, label);
            }
        }
    }
}

#[test]
fn published() {
    for (inputs, outputs) in
        conformance(&read("conformance_iscc_core_1_5_0.json"), "gen_image_code_v0")
    {
        let pixels: Vec<u8> = inputs[0].as_array().expect("pixels").iter().map(gray).collect();
        let bits = inputs[1].as_u64().expect("bits") as usize;
        for level in simd::levels() {
            let pixels = pixels[..].try_into().expect("1024 pixels");
            let digest = image::digest_at(level, &pixels, bits, Compat::Sdk0_9_7);
            assert_code(&outputs["iscc"], HEADER, &digest, "published");
        }
    }
}

#[test]
fn the_reference_crate_computes_the_recorded_transforms() {
    for case in cases(&read("image_pixels.json"), "dct") {
        let values = |key: &str| -> Vec<f64> {
            cases(case, key).iter().map(|x| x.as_f64().expect("a float")).collect()
        };
        assert_eq!(reference::dct::dct(&values("input")), values("output"));
    }
}

fn gray(value: &Value) -> u8 {
    u8::try_from(value.as_u64().expect("a gray value")).expect("8 bits")
}
