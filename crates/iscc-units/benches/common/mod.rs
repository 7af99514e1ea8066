//! Pseudo-random inputs from fixed seeds.

/// Creates an input of this many bytes.
type Maker = fn(usize) -> Vec<u8>;

/// Different kinds of data, because chunk boundaries depend on them.
#[allow(dead_code, reason = "not every benchmark uses every kind")]
pub const KINDS: [(&str, Maker); 4] =
    [("random", random), ("log", log), ("zeros", zeros), ("period 256", period)];

/// An infinite sequence of random numbers (splitmix64).
pub fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = state;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    })
}

pub fn random(size: usize) -> Vec<u8> {
    numbers(1).flat_map(u64::to_le_bytes).take(size).collect()
}

#[allow(dead_code, reason = "not every benchmark uses every kind")]
fn zeros(size: usize) -> Vec<u8> {
    vec![0; size]
}

#[allow(dead_code, reason = "as above")]
fn period(size: usize) -> Vec<u8> {
    (0..=255).cycle().take(size).collect()
}

/// Lines like those of a web server's log.
#[allow(dead_code, reason = "as above")]
fn log(size: usize) -> Vec<u8> {
    let mut lines = String::with_capacity(size + 100);
    let mut time = 1_700_000_000u64;
    for x in numbers(2) {
        time += x % 3;
        let (path, status, bytes) = (x >> 8 & 0xFFF, 200 + (x >> 20) % 3 * 102, x >> 32 & 0xFFFF);
        lines += &format!("{time} 10.0.{}.7 GET /item/{path:04} {status} {bytes}\n", x >> 50 & 31);
        if lines.len() >= size {
            break;
        }
    }
    lines.truncate(size);
    lines.into_bytes()
}
