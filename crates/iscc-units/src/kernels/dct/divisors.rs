//! The divisors of the differences at each level of the transform.
//!
//! Constants, because a system's cosine may differ in the last bit, and the bits of the code depend
//! on that bit if an image is nearly flat.

/// `2 cos((i + 1/2) pi / 2)`.
#[rustfmt::skip]
pub const DIVISORS_2: [f64; 1] = [
    std::f64::consts::SQRT_2,
];

/// `2 cos((i + 1/2) pi / 4)`.
#[rustfmt::skip]
pub const DIVISORS_4: [f64; 2] = [
    1.8477590650225735, 0.7653668647301797,
];

/// `2 cos((i + 1/2) pi / 8)`.
#[rustfmt::skip]
pub const DIVISORS_8: [f64; 4] = [
    1.9615705608064609, 1.6629392246050905, 1.1111404660392046, 0.39018064403225666,
];

/// `2 cos((i + 1/2) pi / 16)`.
#[rustfmt::skip]
pub const DIVISORS_16: [f64; 8] = [
    1.9903694533443939, 1.9138806714644176, 1.76384252869671, 1.546020906725474,
    1.268786568327291, 0.9427934736519956, 0.5805693545089247, 0.19603428065912154,
];

/// `2 cos((i + 1/2) pi / 32)`.
#[rustfmt::skip]
pub const DIVISORS_32: [f64; 16] = [
    1.9975909124103448, 1.978353019929562, 1.940062506389088, 1.8830881303660416,
    1.8079785862468867, 1.7154572200005442, 1.6064150629612899, 1.4819022507099182,
    1.3431179096940367, 1.191398608984867, 1.0282054883864433, 0.8551101868605644,
    0.6737797067844401, 0.48596035980652796, 0.2934609489107235, 0.09813534865483625,
];
