//! MinHash, Image-, Audio- and Video-Code, compared with iscc-lib.

mod common;

use bench_harness::Group;
use common::numbers;
use iscc_lib as peer;
use iscc_units::kernels::minhash::Minhash;
use iscc_units::simd::{self, Level};
use iscc_units::{Compat, audio, image, video};

fn main() {
    let random: Vec<u32> = numbers(3).map(|x| x as u32).take(1_000_000).collect();
    for (n, must) in [(100, 3.0), (400, 5.0), (10_000, 12.0), (1_000_000, 12.0)] {
        minhash(&format!("MinHash n = {n}"), &random[..n], must);
    }
    minhash("MinHash of equal features, n = 10000", &[random[0]; 10_000], 2.0);
    let repeating: Vec<u32> = random[..1000].iter().copied().cycle().take(100_000).collect();
    minhash("MinHash of 1000 features repeating, n = 100000", &repeating, 2.0);
    images();
    fingerprints();
    frames();
}

fn levels() -> Vec<Level> {
    let mut levels: Vec<_> = simd::levels().collect();
    levels.reverse();
    levels
}

fn minhash(name: &str, features: &[u32], must: f64) {
    let mut group = Group::new(name).per_call(64 * features.len(), "hash/s").must(must);
    for level in levels() {
        group = group.case(level.set().name(), move || {
            let mut state = Minhash::new_at(level);
            state.update(features);
            state.digest()
        });
    }
    group.case("iscc-lib alg_minhash_256", || peer::alg_minhash_256(features)).run();
}

fn images() {
    let pixels = common::random(1024);
    let array = pixels[..].try_into().unwrap();
    for (bits, must) in [(64, 25.0), (256, 18.0)] {
        let mut group = Group::new(format!("Image-Code {bits}")).per_call(1, "codes/s").must(must);
        for level in levels() {
            group = group.case(level.set().name(), move || {
                image::digest_at(level, array, bits, Compat::Sdk0_9_7)
            });
        }
        group.case("iscc-lib", || peer::gen_image_code_v0(&pixels, bits as u32).unwrap()).run();
    }
}

fn fingerprints() {
    // Like Chromaprint's: consecutive values differ in a few bits.
    let mut value = 0u32;
    let fingerprint: Vec<i32> = numbers(4)
        .map(|x| {
            value ^= (x & x >> 32 & x >> 16) as u32;
            value as i32
        })
        .take(4000)
        .collect();
    for (n, must) in [(300, 25.0), (4000, 60.0)] {
        let fingerprint = &fingerprint[..n];
        let mut group = Group::new(format!("Audio-Code {n}")).per_call(n, "values/s").must(must);
        for level in levels() {
            group = group.case(level.set().name(), move || audio::digest_at(level, fingerprint));
        }
        group.case("iscc-lib", || peer::gen_audio_code_v0(fingerprint, 256).unwrap()).run();
    }
}

fn frames() {
    let values: Vec<i32> = numbers(5).map(|x| (x % 3) as i32).take(380 * 1000).collect();
    let rows: Vec<Vec<i32>> = values.chunks(380).map(<[i32]>::to_vec).collect();
    let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
    for n in [10, 1000] {
        let (values, rows, bytes) = (&values[..380 * n], &rows[..n], &bytes[..380 * n]);
        let mut group =
            Group::new(format!("Video-Code {n} frames")).per_call(n, "frames/s").must(1.9);
        for level in levels() {
            group = group.case(level.set().name(), move || video::digest_at(level, values));
        }
        group
            .case("frames as bytes", || video::digest(bytes))
            .case("iscc-lib", || peer::gen_video_code_v0(rows, 64).unwrap())
            .run();
    }
}
