//! Varnibbles and headers.

use iscc_codec::{Error, Header};

use super::{cases, hex, number, text};

/// A header that starts with the varnibble of `main`.
fn with_main(main: u16) -> Header {
    Header { main, sub: 0, version: 0, length: 0 }
}

#[test]
fn varnibbles() {
    for case in cases("varnibble") {
        let value = number(&case["n"]) as u16;
        let (bytes, count) = with_main(value).encode().expect("in range");
        let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
        assert!(bits.starts_with(text(&case["bits"])), "{value}: {bits}");
        assert_eq!(Header::decode(&bytes[..count]), Ok((with_main(value), count)));
    }
}

#[test]
fn varnibbles_out_of_range() {
    for case in cases("varnibble_invalid") {
        // The type excludes negative numbers.
        let Ok(value) = u16::try_from(case.as_i64().expect("a number")) else { continue };
        assert_eq!(with_main(value).encode(), Err(Error::HeaderField), "{value}");
    }
    assert_eq!(Header::decode(&[0xF0; 8]), Err(Error::HeaderField));
}

#[test]
fn headers() {
    for case in cases("headers") {
        let [main, sub, version, length] =
            [0, 1, 2, 3].map(|index| number(&case["fields"][index]) as u16);
        let header = Header { main, sub, version, length };
        let expected = hex(&case["header_hex"]);
        let (bytes, count) = header.encode().expect("in range");
        assert_eq!(&bytes[..count], expected, "{header:?}");
        assert_eq!(Header::decode(&expected), Ok((header, expected.len())));
        for cut in 0..expected.len() {
            assert_eq!(Header::decode(&expected[..cut]), Err(Error::HeaderTruncated), "{header:?}");
        }
    }
}

#[test]
fn a_padding_nibble_must_be_zero() {
    // Five nibbles: 2, 8 (two nibbles), 1, 0; then the padding.
    assert!(Header::decode(&[0x28, 0x01, 0x00]).is_ok());
    assert_eq!(Header::decode(&[0x28, 0x01, 0x05]), Err(Error::HeaderFill));
}
