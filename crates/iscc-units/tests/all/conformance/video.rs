//! Video-Codes from frame signatures.

use super::fixture::{assert_code, cases, conformance, read, text};
use iscc_units::simd;
use iscc_units::video::{self, VideoError};
use serde_json::Value;

const HEADER: u8 = 0x23;

#[test]
fn video_json() {
    for case in cases(&read("video.json"), "cases") {
        let frames: Vec<u8> = case["frames"]
            .as_array()
            .expect("frames")
            .iter()
            .flat_map(|frame| text(frame).bytes().map(|digit| digit - b'0'))
            .collect();
        let wide: Vec<i32> = frames.iter().map(|&value| i32::from(value)).collect();
        for level in simd::levels() {
            let made = video::digest_at(level, &frames);
            assert_eq!(made, video::digest_at(level, &wide));
            if frames.is_empty() {
                assert_eq!(made, Err(VideoError::NoFrames));
                assert!(text(&case["256"]).starts_with("ERR"));
                continue;
            }
            let digest = made.expect("frames");
            for bits in ["64", "128", "256"] {
                assert_code(&case[bits], HEADER, &digest, bits);
            }
        }
    }
}

#[test]
fn published() {
    for (inputs, outputs) in
        conformance(&read("conformance_iscc_core_1_5_0.json"), "gen_video_code_v0")
    {
        let value = |x: &Value| i32::try_from(x.as_i64().expect("a value")).expect("32 bits");
        let frames: Vec<i32> = inputs[0]
            .as_array()
            .expect("frames")
            .iter()
            .flat_map(|frame| frame.as_array().expect("a frame").iter().map(value))
            .collect();
        for level in simd::levels() {
            let digest = video::digest_at(level, &frames).expect("frames");
            assert_code(&outputs["iscc"], HEADER, &digest, "published");
        }
    }
}
