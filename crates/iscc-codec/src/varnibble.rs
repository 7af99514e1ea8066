//! Varnibbles: header numbers of one to four nibbles.
//!
//! | value | prefix | data bits | nibbles |
//! |---|---|---|---|
//! | 0 to 7 | `0` | 3 | 1 |
//! | 8 to 71 | `10` | 6 (value - 8) | 2 |
//! | 72 to 583 | `110` | 9 (value - 72) | 3 |
//! | 584 to 4679 | `1110` | 12 (value - 584) | 4 |

use crate::Error;

/// Reads the varnibble at nibble `at`; returns it with the position after it.
pub(crate) fn decode(bytes: &[u8], at: usize) -> Result<(u16, usize), Error> {
    let first = nibble(bytes, at)?;
    let (more, base) = match first {
        0b0000..=0b0111 => (0, 0),
        0b1000..=0b1011 => (1, 8),
        0b1100..=0b1101 => (2, 72),
        0b1110 => (3, 584),
        _ => return Err(Error::HeaderField),
    };
    // Bits of the first nibble after the prefix and its terminating zero.
    let mut value = first & (0b0111 >> more);
    for offset in 1..=more {
        value = value << 4 | nibble(bytes, at + offset)?;
    }
    Ok((value + base, at + more + 1))
}

fn nibble(bytes: &[u8], at: usize) -> Result<u16, Error> {
    let byte = *bytes.get(at / 2).ok_or(Error::HeaderTruncated)?;
    let nibble = if at.is_multiple_of(2) { byte >> 4 } else { byte & 15 };
    Ok(u16::from(nibble))
}

/// The bits of a varnibble, right-aligned, and its length in nibbles.
pub(crate) fn encode(value: u16) -> Result<(u16, usize), Error> {
    match value {
        0..8 => Ok((value, 1)),
        8..72 => Ok((0x80 | (value - 8), 2)),
        72..584 => Ok((0xC00 | (value - 72), 3)),
        584..4680 => Ok((0xE000 | (value - 584), 4)),
        _ => Err(Error::HeaderField),
    }
}
