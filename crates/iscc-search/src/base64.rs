//! Base64 as clients send simprints: either alphabet, padded or not.

/// The bytes of a text; `None` if it is not base64. Bits beyond the last byte do not count.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use iscc_codec::base::base64url::encode;

    use super::*;

    #[test]
    fn text_and_bytes_are_each_others_inverse() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|index| (index * 91 + 200) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
        for same in ["-_8", "+/8", "-_8=", "+/8=", "-_9"] {
            assert_eq!(decode(same), Some(vec![0xfb, 0xff]));
        }
        assert_eq!(decode("AAAAA"), None);
        assert_eq!(decode("A=AA"), None);
    }
}
