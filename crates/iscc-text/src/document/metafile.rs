//! Text of Windows metafiles: WMF ([MS-WMF]) and EMF ([MS-EMF]), a line per line of text.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::ole::{slice, u16_at, u32_at, utf16};
use super::rtf::charset::of_charset;

/// Maximum bytes of a metafile's text.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// Appends the text of a metafile; nothing for other files. Damaged ones have their text up to the
/// damage.
pub fn append(file: &[u8], text: &mut String) {
    const PLACEABLE: &[u8] = b"\xd7\xcd\xc6\x9a";
    const PLACEABLE_BYTES: usize = 22;
    let start = text.len();
    let end = start + TEXT_BYTES_MAX;
    if is_emf(file) {
        let _ = append_emf(file, end, text);
    } else if let Some(rest) = file.starts_with(PLACEABLE).then(|| file.get(PLACEABLE_BYTES..)) {
        let _ = append_wmf(rest.unwrap_or_default(), end, text);
    } else if is_wmf(file) {
        let _ = append_wmf(file, end, text);
    }
    if text.len() > start && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The file name under an icon, if an EMF is the icon of an object.
pub fn icon_name(file: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"I\0c\0o\0n\0O\0n\0l\0y\0";
    if !is_emf(file) || memchr::memmem::find(file, MARK).is_none() {
        return None;
    }
    let mut name = String::new();
    append(file, &mut name);
    Some(name.replace('\n', "")).filter(|name| !name.is_empty())
}

fn is_emf(file: &[u8]) -> bool {
    file.starts_with(b"\x01\0\0\0") && slice(file, 40, 4) == Some(b" EMF")
}

fn is_wmf(file: &[u8]) -> bool {
    const HEADER_WORDS: [u8; 2] = [9, 0];
    matches!(file.first(), Some(1 | 2)) && slice(file, 2, 2) == Some(&HEADER_WORDS)
}

fn append_emf(file: &[u8], end: usize, text: &mut String) -> Option<()> {
    const COMMENT: u32 = 70;
    const TEXT_8_BIT: u32 = 83;
    const TEXT_WIDE: u32 = 84;
    let mut at = 0;
    let mut line = None;
    while text.len() < end {
        let (kind, size) = (u32_at(file, at)?, u32_at(file, at + 4)? as usize);
        let record = slice(file, at, size.max(8))?;
        if kind == COMMENT
            && let Some(old) = old_form(record)
        {
            let _ = append_wmf(old, end, text);
        }
        if matches!(kind, TEXT_8_BIT | TEXT_WIDE) {
            let y = u32_at(record, 40)?;
            if line.is_some_and(|line| line != y) {
                text.push('\n');
            }
            line = Some(y);
            let (count, place) = (u32_at(record, 44)? as usize, u32_at(record, 48)? as usize);
            if kind == TEXT_WIDE {
                text.push_str(&utf16(slice(record, place, count.checked_mul(2)?)?));
            } else {
                push_bytes(slice(record, place, count)?, WINDOWS_1252, text);
            }
        }
        at += record.len();
    }
    Some(())
}

/// The same picture as WMF, which some programs keep in a comment ([MS-EMF] 2.3.3.4.3). The reference shows the text of
/// both.
fn old_form(comment: &[u8]) -> Option<&[u8]> {
    const PUBLIC: &[u8] = b"GDIC";
    const WMF: u32 = 0x8000_0001;
    let is_old_form = slice(comment, 12, 4)? == PUBLIC && u32_at(comment, 16)? == WMF;
    let size = u32_at(comment, 32).filter(|_| is_old_form)? as usize;
    slice(comment, 36, size).filter(|file| is_wmf(file))
}

fn append_wmf(file: &[u8], end: usize, text: &mut String) -> Option<()> {
    const HEADER_BYTES: usize = 18;
    const FONT: u16 = 0x02FB;
    const TEXT: u16 = 0x0521;
    const EXTENDED_TEXT: u16 = 0x0A32;
    /// Flags of texts that have a rectangle.
    const HAS_RECTANGLE: u16 = 6;
    let mut at = HEADER_BYTES;
    let mut encoding = WINDOWS_1252;
    while text.len() < end {
        let size = (u32_at(file, at)? as usize).checked_mul(2)?.max(6);
        let record = slice(file, at, size)?;
        let string = match u16_at(record, 4)? {
            FONT => {
                let charset = record.get(6 + 13).copied().unwrap_or(0);
                encoding = of_charset(i32::from(charset)).unwrap_or(WINDOWS_1252);
                None
            }
            TEXT => slice(record, 8, usize::from(u16_at(record, 6)?)),
            EXTENDED_TEXT => {
                let start = if u16_at(record, 12)? & HAS_RECTANGLE > 0 { 22 } else { 14 };
                slice(record, start, usize::from(u16_at(record, 10)?))
            }
            _ => None,
        };
        if let Some(string) = string {
            push_bytes(string, encoding, text);
            text.push('\n');
        }
        at += size;
    }
    Some(())
}

fn push_bytes(bytes: &[u8], encoding: &'static Encoding, text: &mut String) {
    text.push_str(&encoding.decode_without_bom_handling(bytes).0);
}

/// A metafile with texts at heights, for tests.
#[cfg(test)]
pub fn emf(texts: &[(u32, &str)]) -> Vec<u8> {
    let mut file =
        [&1_u32.to_le_bytes()[..], &88_u32.to_le_bytes(), &[0; 32], b" EMF", &[0; 44]].concat();
    for (y, text) in texts {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let words = [
            84,
            76 + units.len() as u32,
            0,
            0,
            0,
            0,
            1,
            0,
            0,
            7,
            *y,
            text.encode_utf16().count() as u32,
            76,
        ];
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        file.extend([0; 24]);
        file.extend(units);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::{append, emf};

    fn text(file: &[u8]) -> String {
        let mut text = String::new();
        append(file, &mut text);
        text
    }

    #[test]
    fn text_of_a_line_is_joined() {
        assert_eq!(text(&emf(&[(9, "Zeile "), (9, "eins"), (20, "zwei")])), "Zeile eins\nzwei\n");
        let whole = emf(&[(1, "a"), (2, "b")]);
        assert_eq!(text(&whole[..whole.len() - 1]), "a\n");
        for end in 0..whole.len() {
            text(&whole[..end]);
        }
    }

    #[test]
    fn an_old_form_in_a_comment_has_text_of_its_own() {
        let text_record = [&[7, 0, 0, 0, 0x21, 0x05, 2, 0][..], b"ok", &[0; 4]].concat();
        let wmf = [&[1, 0, 9, 0][..], &[0; 14], &text_record].concat();
        let comment = |mark: &[u8; 4], kind: u32| {
            let size = 36 + wmf.len() as u32;
            let head = [70, size, size - 12].map(u32::to_le_bytes).concat();
            let numbers = [kind, 0, 0, 0, wmf.len() as u32].map(u32::to_le_bytes).concat();
            [head, mark.to_vec(), numbers, wmf.clone()].concat()
        };
        let drawn = emf(&[(1, "new")]);
        let with = |comment: Vec<u8>| [&drawn[..88], &comment, &drawn[88..]].concat();
        assert_eq!(text(&with(comment(b"GDIC", 0x8000_0001))), "ok\nnew\n");
        assert_eq!(text(&with(comment(b"GDIC", 2))), "new\n");
        assert_eq!(text(&with(comment(b"EMF+", 0x8000_0001))), "new\n");
    }

    #[test]
    fn text_has_the_encoding_of_its_font() {
        let header = [&[1, 0, 9, 0][..], &[0; 14]].concat();
        let record = |kind: u16, data: &[u8]| {
            let words = 3 + data.len() as u32 / 2;
            [&words.to_le_bytes()[..], &kind.to_le_bytes(), data].concat()
        };
        let font = [&[0; 13][..], &[204], &[0; 4]].concat();
        let plain = record(0x0521, &[&[3, 0][..], b"abc\0", &[0; 4]].concat());
        let cyrillic = record(0x0A32, &[&[0; 4][..], &[2, 0], &[0, 0], &[0xCF, 0xF0]].concat());
        let file = [header, plain, record(0x02FB, &font), cyrillic].concat();
        assert_eq!(text(&file), "abc\nПр\n");
    }
}
