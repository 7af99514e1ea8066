//! `algorithms.json`: the algorithms below the units.

use super::fixture::{cases, hex, lcg_bytes, number, read, text, unhex};
use iscc_units::kernels::minhash::Minhash;
use iscc_units::kernels::simhash::simhash;
use iscc_units::kernels::{cdc, xxh32};
use iscc_units::simd;

#[test]
fn chunking_parameters() {
    for case in cases(&read("algorithms.json"), "cdc_params") {
        let params = cdc::Params::new(number(&case["avg"]) as u32).expect("in range");
        let recorded: Vec<_> = cases(case, "params").iter().map(number).collect();
        let derived = [
            params.min(),
            params.max(),
            params.center(),
            params.mask_before_center() as usize,
            params.mask_after_center() as usize,
        ];
        assert_eq!(derived[..], recorded, "average {}", case["avg"]);
    }
}

#[test]
fn chunk_sizes() {
    for case in cases(&read("algorithms.json"), "cdc") {
        let (data, key, unit) = match case["utf32"].as_bool().expect("a flag") {
            false => (lcg_bytes(case), "chunk_sizes", 1),
            true => (utf32_be(text(&case["text"])), "chunk_sizes_chars", 4),
        };
        let params = cdc::Params::new(number(&case["avg"]) as u32).expect("in range");
        let mut start = 0;
        let sizes: Vec<_> = cdc::boundaries(&data, params.with_unit(unit))
            .map(|end| (end - std::mem::replace(&mut start, end)) / unit as usize)
            .collect();
        let recorded: Vec<_> = cases(case, key).iter().map(number).collect();
        assert_eq!(sizes, recorded, "average {}, {key}", case["avg"]);
    }
}

fn utf32_be(text: &str) -> Vec<u8> {
    text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()
}

#[test]
fn minhash() {
    for case in cases(&read("algorithms.json"), "minhash") {
        let features: Vec<_> = cases(case, "features").iter().map(|x| number(x) as u32).collect();
        let recorded: Vec<_> = cases(case, "minhash").iter().map(|x| number(x) as u32).collect();
        for level in simd::levels() {
            let mut state = Minhash::new_at(level);
            state.update(&features);
            assert_eq!(state.minima()[..], recorded, "{level:?}");
            assert_eq!(hex(&state.digest()), text(&case["minhash_256_hex"]), "{level:?}");
            assert_eq!(hex(&state.digest()[..8]), text(&case["minhash_64_hex"]), "{level:?}");
        }
    }
}

#[test]
fn simhash_of_digests_of_every_recorded_length() {
    for case in cases(&read("algorithms.json"), "simhash") {
        let digests: Vec<_> = cases(case, "digests_hex").iter().map(|x| unhex(text(x))).collect();
        let hash = match digests[0].len() {
            4 => hex(&of_length::<4>(&digests)),
            8 => hex(&of_length::<8>(&digests)),
            16 => hex(&of_length::<16>(&digests)),
            32 => hex(&of_length::<32>(&digests)),
            other => panic!("{other} bytes: a length without a test"),
        };
        assert_eq!(hash, text(&case["simhash_hex"]));
    }
}

fn of_length<const N: usize>(digests: &[Vec<u8>]) -> [u8; N] {
    let digests: Vec<[u8; N]> =
        digests.iter().map(|digest| digest[..].try_into().expect("one length")).collect();
    simhash(&digests)
}

#[test]
fn xxh32_of_text() {
    for case in cases(&read("algorithms.json"), "xxh32") {
        assert_eq!(xxh32::hash(text(&case["utf8"]).as_bytes()) as usize, number(&case["xxh32"]));
    }
}

#[test]
fn blake3_of_bytes() {
    for case in cases(&read("algorithms.json"), "blake3") {
        let hash = blake3::hash(&unhex(text(&case["hex"])));
        assert_eq!(hash.to_hex().as_str(), text(&case["blake3"]));
    }
}
