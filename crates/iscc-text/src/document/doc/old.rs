//! Documents of Word 6 and 95: all stories in the order of the file, with the codes of fields, as in the reference.

use encoding_rs::{MACINTOSH, WINDOWS_1252};

use super::super::ole::{slice, u16_at, u32_at};

/// Start of the file information block.
pub const MAGIC: u16 = 0xA5DC;

/// The text; `None` for damaged documents.
pub fn text(main: &[u8]) -> Option<String> {
    const FLAGS: usize = 10;
    const IS_COMPLEX: u16 = 4;
    const CHARACTER_SET: usize = 20;
    const MAC: u16 = 256;
    const FIRST: usize = 24;
    const END: usize = 28;
    let bytes = if u16_at(main, FLAGS)? & IS_COMPLEX > 0 {
        pieces(main)?
    } else {
        let start = u32_at(main, FIRST)?;
        slice(main, start as usize, u32_at(main, END)?.checked_sub(start)? as usize)?.to_vec()
    };
    let is_of_mac = u16_at(main, CHARACTER_SET)? == MAC;
    let encoding = if is_of_mac { MACINTOSH } else { WINDOWS_1252 };
    let text = encoding.decode_without_bom_handling(&bytes).0;
    // As the reference does: its result is XML, which has no place for control characters.
    let is_control = |it: char| it < ' ' && !matches!(it, '\t' | '\n' | '\r');
    Some(text.replace('\r', "\n").replace(is_control, "\u{fffd}"))
}

/// The bytes of a document that was saved in pieces.
fn pieces(main: &[u8]) -> Option<Vec<u8>> {
    const TABLE: usize = 352;
    const PROPERTIES: u8 = 1;
    const PIECE_BYTES: usize = 8;
    let table = slice(main, u32_at(main, TABLE)? as usize, u32_at(main, TABLE + 4)? as usize)?;
    let mut at = 0;
    while *table.get(at)? == PROPERTIES {
        at += 3 + usize::from(u16_at(table, at + 1)?);
    }
    let pieces = slice(table, at + 5, u32_at(table, at + 1)? as usize)?;
    let count = pieces.len().checked_sub(4)? / (4 + PIECE_BYTES);
    let mut bytes = Vec::new();
    for index in 0..count {
        let start = u32_at(pieces, index * 4)?;
        let length = u32_at(pieces, index * 4 + 4)?.checked_sub(start)? as usize;
        let place = u32_at(pieces, (count + 1) * 4 + index * PIECE_BYTES + 2)? as usize;
        // Pieces may overlap in a damaged file, which must not multiply its text.
        if bytes.len() > main.len() {
            return None;
        }
        bytes.extend(slice(main, place, length)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(flags: u8, numbers: &[(usize, u32)], rest: &[u8]) -> Vec<u8> {
        let mut main = vec![0; 400];
        main[..2].copy_from_slice(&MAGIC.to_le_bytes());
        main[10] = flags;
        for (at, number) in numbers {
            main[*at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        main.extend(rest);
        main
    }

    #[test]
    fn text_is_a_range_of_the_file() {
        let main = document(0, &[(24, 400), (28, 408)], b"caf\xe9\r\x13x\x15 not text");
        assert_eq!(text(&main).as_deref(), Some("caf\u{e9}\n\u{fffd}x\u{fffd}"));
        assert_eq!(text(&document(0, &[(24, 400), (28, 900)], b"x")), None);
        let of_mac = document(0, &[(20, 256), (24, 400), (28, 404)], b"caf\x8e");
        assert_eq!(text(&of_mac).as_deref(), Some("caf\u{e9}"));
    }

    #[test]
    fn text_in_pieces_has_the_order_of_the_table() {
        let numbers = |values: &[u32]| -> Vec<u8> {
            values.iter().flat_map(|value| value.to_le_bytes()).collect()
        };
        let piece = |place: u32| [&[0; 2][..], &place.to_le_bytes(), &[0; 2]].concat();
        let pieces = [numbers(&[0, 3, 5]), piece(402), piece(400)].concat();
        let table =
            [&[1, 2, 0, 9, 9, 2][..], &(pieces.len() as u32).to_le_bytes(), &pieces].concat();
        let rest = [b"de", &b"abc"[..], &table].concat();
        let main = document(4, &[(352, 405), (356, table.len() as u32)], &rest);
        assert_eq!(text(&main).as_deref(), Some("abcde"));
    }
}
