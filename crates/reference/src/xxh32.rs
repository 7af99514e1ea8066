//! xxHash32 with seed 0, as in its specification.

const PRIMES: [u32; 5] = [2_654_435_761, 2_246_822_519, 3_266_489_917, 668_265_263, 374_761_393];

/// The hash of `message`.
pub fn hash(message: &[u8]) -> u32 {
    let [p1, p2, p3, p4, p5] = PRIMES;
    let mut at = 0;
    let mut hash = if message.len() >= 16 {
        let mut lanes = [p1.wrapping_add(p2), p2, 0, 0u32.wrapping_sub(p1)];
        while message.len() - at >= 16 {
            for lane in &mut lanes {
                *lane = lane
                    .wrapping_add(word(message, at).wrapping_mul(p2))
                    .rotate_left(13)
                    .wrapping_mul(p1);
                at += 4;
            }
        }
        let [a, b, c, d] = lanes;
        a.rotate_left(1)
            .wrapping_add(b.rotate_left(7))
            .wrapping_add(c.rotate_left(12))
            .wrapping_add(d.rotate_left(18))
    } else {
        p5
    };
    hash = hash.wrapping_add(message.len() as u32);
    while message.len() - at >= 4 {
        hash = hash.wrapping_add(word(message, at).wrapping_mul(p3)).rotate_left(17);
        hash = hash.wrapping_mul(p4);
        at += 4;
    }
    for &byte in &message[at..] {
        hash = hash.wrapping_add(u32::from(byte).wrapping_mul(p5)).rotate_left(11);
        hash = hash.wrapping_mul(p1);
    }
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(p2);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(p3);
    hash ^ hash >> 16
}

fn word(message: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]])
}
