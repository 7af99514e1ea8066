//! Compressed RTF of Outlook ([MS-OXRTFCP]). Own code, because the crate for it panics on short input and allocates what
//! the input declares.

use super::super::ole::u32_at;

const HEADER_BYTES: usize = 16;
const COMPRESSED: u32 = 0x7546_5A4C;
const UNCOMPRESSED: u32 = 0x414C_454D;

/// The dictionary starts with these bytes.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}\
{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier\
{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const DICTIONARY_BYTES: usize = 4096;

/// At most `bytes_max` bytes of RTF; `None` for other data. Damage ends the output.
pub fn decompress(bytes: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let input = bytes.get(HEADER_BYTES..)?;
    match u32_at(bytes, 8)? {
        UNCOMPRESSED => Some(input[..input.len().min(bytes_max)].to_vec()),
        COMPRESSED => {
            let mut output = Output { all: DICTIONARY.to_vec() };
            let limit = DICTIONARY.len().checked_add(bytes_max)?;
            let _ = output.read(input, limit);
            Some(output.all.split_off(DICTIONARY.len()))
        }
        _ => None,
    }
}

/// The initial dictionary and all output after it. The dictionary is a ring: positions in it are those of
/// the last bytes here.
struct Output {
    all: Vec<u8>,
}

impl Output {
    /// Returns `None` at the end mark, at the end of the input and at the limit.
    fn read(&mut self, input: &[u8], limit: usize) -> Option<()> {
        let mut input = input.iter().copied();
        loop {
            let control = input.next()?;
            for bit in 0..8 {
                if self.all.len() >= limit {
                    return None;
                }
                let byte = input.next()?;
                if control >> bit & 1 == 0 {
                    self.all.push(byte);
                    continue;
                }
                let reference = usize::from(byte) << 8 | usize::from(input.next()?);
                self.copy(reference >> 4, (reference & 15) + 2)?;
            }
        }
    }

    /// Copies `length` bytes from a position in the ring. `None` at the end mark, which is the position
    /// of the next byte, and at a position without bytes.
    fn copy(&mut self, position: usize, length: usize) -> Option<()> {
        let distance = self.all.len().checked_sub(position)? % DICTIONARY_BYTES;
        if distance == 0 {
            return None;
        }
        let start = self.all.len() - distance;
        (start..start + length).for_each(|at| self.all.push(self.all[at]));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of [MS-OXRTFCP] 4.1 and 4.2.
    #[test]
    fn reads_the_examples_of_the_specification() {
        let simple = [
            0x2d, 0, 0, 0, 0x2b, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0,
            0x0a, 0, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68,
            0x65, 0x6c, 0x09, 0, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f,
            0xa0,
        ];
        let rtf = b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n";
        assert_eq!(decompress(&simple, 1000).unwrap(), rtf);
        let repeated = [
            0x1a, 0, 0, 0, 0x1c, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0,
            0x04, 0x20, 0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        assert_eq!(decompress(&repeated, 1000).unwrap(), b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
    }

    #[test]
    fn any_bytes_give_a_result_within_the_limit() {
        assert_eq!(decompress(b"short", 10), None);
        let mut bytes = [0; 2000];
        bytes[8..12].copy_from_slice(&COMPRESSED.to_le_bytes());
        for seed in 0..=255_u8 {
            for (at, byte) in bytes[16..].iter_mut().enumerate() {
                *byte = (at as u8).wrapping_mul(seed | 1).wrapping_add(seed);
            }
            let length = decompress(&bytes, 100).unwrap().len();
            assert!(length < 100 + 17, "{length}");
        }
    }
}
