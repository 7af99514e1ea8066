//! Detects CBOR strings whose stated length exceeds the available bytes.
//!
//! The `c2pa` crate's decoder allocates memory for a string before reading it: four manipulated
//! bytes would cost gigabytes and a second.

/// Whether every string of definite length ends within `cbor`.
///
/// Heads of data items follow each other at any nesting depth, so there is no need to track depth.
/// Other faults are left to the decoder.
pub fn fit(mut cbor: &[u8]) -> bool {
    const BYTES: u8 = 2;
    const TEXT: u8 = 3;
    while let Some((&head, rest)) = cbor.split_first() {
        let Some((argument, rest)) = argument(head & 0x1f, rest) else { return true };
        let skipped = match head >> 5 {
            BYTES | TEXT => usize::try_from(argument).ok().and_then(|length| rest.get(length..)),
            _ => Some(rest),
        };
        match skipped {
            Some(after) => cbor = after,
            None => return false,
        }
    }
    true
}

/// The number after a head, and the bytes after it; `None` if it is truncated or reserved.
fn argument(info: u8, rest: &[u8]) -> Option<(u64, &[u8])> {
    /// Indefinite length: chunks with their own lengths follow, or this is the end of them.
    const INDEFINITE: u8 = 31;
    let bytes = match info {
        0..24 => return Some((info.into(), rest)),
        24..28 => 1 << (info - 24),
        INDEFINITE => return Some((0, rest)),
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(bytes)?;
    Some((number.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strings_beyond_the_end_are_detected() {
        // {"a": h'0102', "b": [1, -500, 1.5, tag(0) "x"], "c": (_ "y", "z")}
        let good = b"\xa3aaB\x01\x02ab\x84\x01\x39\x01\xf3\xf9\x3e\x00\xc0axac\x7fayaz\xff";
        assert!(fit(good) && fit(b"") && fit(b"\x40") && fit(b"\x78\x01a"));
        // Other faults, or an array that is too long: the decoder allocates nothing for these.
        assert!(fit(b"\x1c") && fit(b"\x19\x01") && fit(b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"));
        assert!(!fit(b"\x41") && !fit(b"\x61") && !fit(b"\xa1aa\x5a\x7f\xff\xff\xff\x00"));
        assert!(!fit(b"\x7b\xff\xff\xff\xff\xff\xff\xff\xff") && !fit(&good[..5]));
    }
}
