//! Reads and writes the subset of DER that certificates need.

/// SEQUENCE.
pub const SEQUENCE: u8 = 0x30;
/// SET.
pub const SET: u8 = 0x31;
/// BOOLEAN.
pub const BOOLEAN: u8 = 0x01;
/// INTEGER.
pub const INTEGER: u8 = 0x02;
/// OCTET STRING.
pub const OCTET_STRING: u8 = 0x04;
/// BIT STRING.
pub const BIT_STRING: u8 = 0x03;
/// OBJECT IDENTIFIER.
pub const OBJECT_IDENTIFIER: u8 = 0x06;
/// ENUMERATED.
pub const ENUMERATED: u8 = 0x0a;
/// UTF8String.
pub const UTF8_STRING: u8 = 0x0c;
/// UTCTime.
pub const UTC_TIME: u8 = 0x17;
/// GeneralizedTime.
pub const GENERALIZED_TIME: u8 = 0x18;
/// `[number]`: an explicit tag.
pub const fn explicit(number: u8) -> u8 {
    0xa0 | number
}

/// One element: tag, length, contents.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut bytes = vec![tag];
    if length < 0x80 {
        bytes.push(length as u8);
    } else {
        let digits = length.to_be_bytes();
        let digits = &digits[length.leading_zeros() as usize / 8..];
        bytes.push(0x80 | digits.len() as u8);
        bytes.extend_from_slice(digits);
    }
    bytes.extend_from_slice(contents);
    bytes
}

/// A SEQUENCE of elements.
pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    element(SEQUENCE, &parts.concat())
}

/// An OBJECT IDENTIFIER.
pub fn object_id(arcs: &[u32]) -> Vec<u8> {
    let mut contents = vec![(arcs[0] * 40 + arcs[1]) as u8];
    for &arc in &arcs[2..] {
        let groups = (32 - arc.leading_zeros()).div_ceil(7).max(1);
        for group in (0..groups).rev() {
            let more = if group == 0 { 0 } else { 0x80 };
            contents.push((arc >> (7 * group)) as u8 & 0x7f | more);
        }
    }
    element(OBJECT_IDENTIFIER, &contents)
}

/// A BIT STRING with `unused` padding bits at its end.
pub fn bit_string(unused: u8, bytes: &[u8]) -> Vec<u8> {
    element(BIT_STRING, &[&[unused], bytes].concat())
}

/// Contents of the element at the start, which must have this tag, and the bytes after it.
pub fn read(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    const LENGTH_BYTES_MAX: usize = 4;
    let (&first, bytes) = bytes.strip_prefix(&[tag])?.split_first()?;
    let digits = if first < 0x80 { 0 } else { usize::from(first & 0x7f) };
    // 0x80 alone is an indefinite length, which DER does not have.
    if first == 0x80 || digits > LENGTH_BYTES_MAX {
        return None;
    }
    let (length, bytes) = bytes.split_at_checked(digits)?;
    let length = length.iter().fold(0, |length, &digit| length << 8 | usize::from(digit));
    bytes.split_at_checked(if digits == 0 { usize::from(first) } else { length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_as_written() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let bytes = [element(SEQUENCE, &vec![7; length]), vec![9]].concat();
            assert_eq!(read(SEQUENCE, &bytes), Some((&vec![7; length][..], &[9][..])));
            assert_eq!(read(SET, &bytes), None);
            assert_eq!(read(SEQUENCE, &bytes[..length]), None);
        }
        // The longest length, with zeros in front.
        assert_eq!(read(SEQUENCE, &[SEQUENCE, 0x84, 0, 0, 0, 1, 7]), Some((&[7][..], &[][..])));
        // An indefinite length, and one that is too long.
        assert_eq!(read(SEQUENCE, &[SEQUENCE, 0x80, 0, 0]), None);
        assert_eq!(read(SEQUENCE, &[SEQUENCE, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]), None);
    }

    #[test]
    fn lengths_and_identifiers_are_minimal() {
        assert_eq!(element(SEQUENCE, &[0; 127])[..2], [0x30, 127]);
        assert_eq!(element(SEQUENCE, &[0; 128])[..3], [0x30, 0x81, 128]);
        assert_eq!(element(SEQUENCE, &[0; 256])[..4], [0x30, 0x82, 1, 0]);
        // commonName, and RSA's arc.
        assert_eq!(object_id(&[2, 5, 4, 3]), [6, 3, 0x55, 4, 3]);
        assert_eq!(object_id(&[1, 2, 840, 113_549]), [6, 6, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]);
    }
}
