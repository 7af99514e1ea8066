//! Kernels against their slow twins.

use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::minhash::{MULTIPLIER, SUMMAND};
use iscc_units::{data, simd, simprint, text};

use crate::Target;

/// The twins take seconds for megabytes.
const BYTES_MAX: usize = 64 << 10;

pub const TARGETS: &[Target] = &[
    Target { name: "data-code", run: data_code, seeds: &[".txt", ".bin"], examples: &["a"] },
    Target {
        name: "text",
        run: text_code,
        seeds: &[".txt", ".md"],
        examples: &["e\u{301} \u{fb01}\n\n\n\nx"],
    },
];

fn data_code(input: &[u8]) {
    let input = &input[..input.len().min(BYTES_MAX)];
    let expected = reference::data::digest(input, &GEAR, &MULTIPLIER, &SUMMAND);
    for level in simd::levels() {
        assert_eq!(data::digest_at(level, input), expected, "{level:?}");
    }
}

fn text_code(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(&input[..input.len().min(BYTES_MAX)]) else { return };
    assert_eq!(text::clean(input), reference::text::clean(input));
    assert_eq!(text::collapse(input), reference::text::collapse(input));
    let found = simprint::simprints(input);
    for level in simd::levels() {
        assert_eq!(simprint::simprints_at(level, input), found, "{level:?}");
    }
}
