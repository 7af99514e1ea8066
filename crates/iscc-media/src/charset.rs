//! Decodes text whose encoding is unknown or only declared inside of it.

use std::borrow::Cow;
use std::cmp::Ordering;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    EUC_KR, Encoding, ISO_2022_JP, ISO_8859_15, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

/// Decodes text by its byte order mark, else as UTF-8 if valid, else with the encoding of a
/// detector. Invalid bytes become U+FFFD. The byte order mark is not part of the text.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    decode_by_bom(bytes).unwrap_or_else(|| decode_without_bom(bytes))
}

/// Decodes XML by its byte order mark, else by its declaration, else like other text.
pub fn decode_xml(bytes: &[u8]) -> Cow<'_, str> {
    decode_declared_xml(bytes).unwrap_or_else(|| decode_without_bom(bytes))
}

/// Decodes XML by its byte order mark, the zero bytes of UTF-16 at its first tag, or its
/// declaration. `None` if it has none of these.
pub fn decode_declared_xml(bytes: &[u8]) -> Option<Cow<'_, str>> {
    decode_by_bom(bytes).or_else(|| {
        let encoding = match bytes {
            [b'<', 0, ..] => UTF_16LE,
            [0, b'<', ..] => UTF_16BE,
            _ => declared_in_xml(bytes)?,
        };
        Some(encoding.decode_without_bom_handling(bytes).0)
    })
}

/// Decodes text that starts with a byte order mark.
pub fn decode_by_bom(bytes: &[u8]) -> Option<Cow<'_, str>> {
    // Before UTF-16, whose mark is a prefix of this one.
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe\0\0") {
        return Some(utf_32(rest, u32::from_le_bytes).into());
    }
    if let Some(rest) = bytes.strip_prefix(b"\0\0\xfe\xff") {
        return Some(utf_32(rest, u32::from_be_bytes).into());
    }
    let (encoding, length) = Encoding::for_bom(bytes)?;
    Some(encoding.decode_without_bom_handling(&bytes[length..]).0)
}

/// Decodes text without byte order mark.
pub fn decode_without_bom(bytes: &[u8]) -> Cow<'_, str> {
    if let Some(encoding) = utf_16_by_zeros(bytes) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    match str::from_utf8(bytes) {
        // ISO-2022-JP and -KR consist of ASCII bytes; only their escape sequences identify them.
        Ok(text) if !text.contains('\u{1b}') => Cow::Borrowed(text),
        _ => match iso_2022_kr(bytes) {
            Some(text) => text.into(),
            None => guess(bytes).decode_without_bom_handling(bytes).0,
        },
    }
}

/// Decodes ISO-2022-KR (RFC 1557), for which no library has a decoder. `None` without its header.
fn iso_2022_kr(bytes: &[u8]) -> Option<String> {
    const HEADER: &[u8] = b"\x1b$)C";
    const SHIFT_OUT: u8 = 0x0e;
    const SHIFT_IN: u8 = 0x0f;
    if !bytes.is_ascii() || !bytes.windows(HEADER.len()).any(|window| window == HEADER) {
        return None;
    }
    let mut output = Vec::with_capacity(bytes.len());
    let mut is_korean = false;
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        if let Some(after) = rest.strip_prefix(HEADER) {
            rest = after;
            continue;
        }
        rest = after;
        match *byte {
            SHIFT_OUT => is_korean = true,
            SHIFT_IN => is_korean = false,
            // The same characters as in EUC-KR, where the high bit takes the place of the shift.
            graphic @ 0x21..=0x7e if is_korean => output.push(graphic | 0x80),
            other => output.push(other),
        }
    }
    Some(EUC_KR.decode_without_bom_handling(&output).0.into_owned())
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Allow);
    match str::from_utf8(bytes) {
        Ok(_) if guess != ISO_2022_JP => UTF_8,
        Err(_) if guess == UTF_8 || guess == WINDOWS_1252 => western(bytes),
        _ => guess,
    }
}

/// ISO-8859-15 for text with its euro sign, else windows-1252. As in the reference, text with
/// carriage returns is of Windows, and only the start counts. Text with characters of windows-1252
/// at the control codes of ISO-8859 is windows-1252.
fn western(bytes: &[u8]) -> &'static Encoding {
    const SAMPLE_BYTES: usize = 16 << 10;
    const EURO: u8 = 0xa4;
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let is_windows = |byte: &u8| *byte == b'\r' || (0x80..0xa0).contains(byte);
    let is_latin_9 = sample.contains(&EURO) && !sample.iter().any(is_windows);
    if is_latin_9 { ISO_8859_15 } else { WINDOWS_1252 }
}

/// Detects UTF-16 without byte order mark: in most scripts, many of the high bytes are zero, and
/// almost none of the low bytes. In others, only those of blanks and line breaks are.
pub fn utf_16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    const SAMPLE_BYTES: usize = 4096;
    let units = bytes[..bytes.len().min(SAMPLE_BYTES)].as_chunks::<2>().0;
    let zeros = |half: usize| units.iter().filter(|unit| unit[half] == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = units.len().div_ceil(5).max(2);
    let few = units.len() / 50;
    if odd >= many && even <= few {
        Some(UTF_16LE)
    } else if even >= many && odd <= few {
        Some(UTF_16BE)
    } else {
        // Text in ASCII with zero bytes between its lines is not UTF-16.
        let is_foreign = |byte: &u8| *byte >= 0x80 || is_control(u16::from(*byte)) && *byte != 0;
        if even + odd == 0 || !units.as_flattened().iter().any(is_foreign) {
            return None;
        }
        let little = is_utf_16(units, u16::from_le_bytes).then_some(odd);
        let big = is_utf_16(units, u16::from_be_bytes).then_some(even);
        match little.cmp(&big) {
            Ordering::Greater => Some(UTF_16LE),
            Ordering::Less => Some(UTF_16BE),
            Ordering::Equal => None,
        }
    }
}

/// Whether the bytes start with a byte order mark of UTF-16 and are text in it.
pub fn is_marked_utf_16(bytes: &[u8]) -> bool {
    let units = bytes.as_chunks::<2>().0;
    match units {
        [[0xff, 0xfe], text @ ..] => is_utf_16(text, u16::from_le_bytes),
        [[0xfe, 0xff], text @ ..] => is_utf_16(text, u16::from_be_bytes),
        _ => false,
    }
}

/// Whether the units are text: without control characters, noncharacters, private characters and
/// unpaired surrogates. The last may lack its pair.
fn is_utf_16(units: &[[u8; 2]], unit: fn([u8; 2]) -> u16) -> bool {
    const PRIVATE: std::ops::Range<char> = '\u{e000}'..'\u{f900}';
    let whole = match units {
        [whole @ .., last] if (0xd800..0xdc00).contains(&unit(*last)) => whole,
        whole => whole,
    };
    let is_text = |character: char| {
        let is_noncharacter = u32::from(character) & 0xfffe == 0xfffe;
        let is_control = u16::try_from(u32::from(character)).is_ok_and(is_control);
        !is_control && !is_noncharacter && !PRIVATE.contains(&character)
    };
    char::decode_utf16(whole.iter().copied().map(unit)).all(|it| it.is_ok_and(is_text))
}

/// Whether the character is a control character other than those of text files.
fn is_control(character: u16) -> bool {
    character < 0x20 && !matches!(character, 0x08..=0x0d | 0x1a | 0x1b) || character == 0x7f
}

/// The encoding in an XML declaration of ASCII bytes.
fn declared_in_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    const DECLARATION_BYTES_MAX: usize = 200;
    let head = bytes[..bytes.len().min(DECLARATION_BYTES_MAX)].strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = str::from_utf8(&head[..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    for_label(value[1..].split(quote).next()?)
}

/// The encoding of a label. `None` also for known encodings without decoder: that of the Encoding
/// Standard makes the same single character of all input.
pub fn encoding(label: &str) -> Option<&'static Encoding> {
    // A name that the reference knows and the Encoding Standard does not.
    if matches!(label.trim().to_ascii_lowercase().as_str(), "latin9" | "latin-9") {
        return Some(ISO_8859_15);
    }
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// The encoding of a label inside of a document. For UTF-16 it is UTF-8, because a label that was
/// read as ASCII is not in a UTF-16 document.
pub fn for_label(label: &str) -> Option<&'static Encoding> {
    let encoding = encoding(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// Decodes text with the encoding of a label, else, if the label only lacks a decoder, like other
/// text. `None` for unknown labels.
pub fn decode_labelled<'a>(label: &str, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    match encoding(label) {
        Some(encoding) => Some(encoding.decode_without_bom_handling(bytes).0),
        None => Encoding::for_label(label.as_bytes()).map(|_| decode_without_bom(bytes)),
    }
}

fn utf_32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
    let character =
        |bytes: &[u8; 4]| char::from_u32(unit(*bytes)).unwrap_or(char::REPLACEMENT_CHARACTER);
    bytes.as_chunks().0.iter().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_by_byte_order_mark() {
        let text = "aü😀";
        let units = || "aü😀".encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(decode(&[b"\xff\xfe", &little[..]].concat()), text);
        assert_eq!(decode(&[b"\xfe\xff", &big[..]].concat()), text);
        assert_eq!(decode(&[b"\xff\xfe\0\0", &wide[..]].concat()), text);
        assert_eq!(decode(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), text);
        assert_eq!(decode(text.as_bytes()), text);
    }

    #[test]
    fn detects_legacy_encodings() {
        assert_eq!(decode(b"Gr\xfc\xdfe aus K\xf6ln, d\xe9j\xe0 vu."), "Grüße aus Köln, déjà vu.");
        let (russian, _, _) =
            encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок");
        assert_eq!(decode(&russian), "Съешь же ещё этих мягких французских булок");
        let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("吾輩は猫である。名前はまだ無い。");
        assert_eq!(decode(&japanese), "吾輩は猫である。名前はまだ無い。");
        let (japanese, _, _) = encoding_rs::ISO_2022_JP.encode("吾輩は猫である。");
        assert_eq!(decode(&japanese), "吾輩は猫である。");
        assert_eq!(decode(b"\x1b[1mbold\x1b[0m"), "\u{1b}[1mbold\u{1b}[0m");
        let unmarked: Vec<u8> =
            "plain words, no mark".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&unmarked), "plain words, no mark");
    }

    #[test]
    fn the_euro_sign_of_iso_8859_15_is_detected() {
        let latin_9: Vec<u8> = "Die Bücher kosten für Jörg größtenteils 25 \u{a4} im Frühling.\n"
            .chars()
            .map(|character| u8::try_from(u32::from(character)).unwrap())
            .collect();
        assert!(decode(&latin_9).contains("25 €"), "{}", decode(&latin_9));
        // As in the reference.
        let with_returns = [&latin_9[..latin_9.len() - 1], b"\r\n"].concat();
        assert!(decode(&with_returns).contains("25 \u{a4}"));
        let late = [&b"plain words \n".repeat(1300)[..], &latin_9].concat();
        assert!(decode(&late).contains("25 \u{a4}"));
        let windows = [&latin_9[..], b"\x84Zitat\x93\n"].concat();
        assert!(decode(&windows).ends_with("25 \u{a4} im Frühling.\n„Zitat“\n"));
        assert_eq!(decode_labelled("Latin9", b"\xa4").as_deref(), Some("€"));
    }

    #[test]
    fn utf_16_of_any_script_is_detected_by_its_blanks() {
        for text in
            ["毎朝、技術者はログを読みます。\n設定は一つ。", "Съешь же ещё этих мягких булок"]
        {
            let units = || text.encode_utf16();
            let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decode(&little), text);
            assert_eq!(decode(&big), text);
        }
        let lines = "first line.\0".repeat(9);
        assert_eq!(decode(lines.as_bytes()), lines);
    }

    #[test]
    fn marked_utf_16_is_text() {
        assert!(is_marked_utf_16(b"\xff\xfea\0\n\0"));
        assert!(is_marked_utf_16(b"\xfe\xff\0a\xd8\x3d"));
        assert!(!is_marked_utf_16(b"\xff\xfea\0\x01\0"));
        assert!(!is_marked_utf_16(b"\xfe\xff\0a\xd8\x3d\0a"));
        assert!(!is_marked_utf_16(b"a\0b\0"));
    }

    #[test]
    fn decodes_xml_by_its_declaration() {
        assert_eq!(
            decode_xml(b"<?xml version='1.0' encoding='ISO-8859-5'?><a>\xb0</a>"),
            "<?xml version='1.0' encoding='ISO-8859-5'?><a>А</a>"
        );
        assert!(
            decode_xml(b"<?xml version='1.0' encoding='utf-16'?><a>x</a>").ends_with("<a>x</a>")
        );
        let unmarked: Vec<u8> = "<?xml version='1.0' encoding='utf-16'?><a>ü</a>"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert!(decode_xml(&unmarked).ends_with("<a>ü</a>"));
        assert_eq!(decode_declared_xml(b"<a>x</a>"), None);
    }

    #[test]
    fn labels_of_encodings_without_decoder_are_like_missing_ones() {
        for label in ["iso-2022-kr", "hz-gb-2312", "iso-2022-cn"] {
            assert_eq!(for_label(label), None);
            let xml = format!("<?xml version='1.0' encoding='{label}'?><a>x</a>");
            assert_eq!(decode_xml(xml.as_bytes()), xml);
            assert_eq!(decode_labelled(label, b"x").as_deref(), Some("x"));
        }
        assert_eq!(decode_labelled("windows-1251", b"\xc0").as_deref(), Some("А"));
        assert_eq!(decode_labelled("no-such-label", b"x"), None);
    }

    #[test]
    fn decodes_iso_2022_kr() {
        assert_eq!(decode(b"\x1b$)Ca \x0e0!3* 0!\x0f 0!\n\x0e3*\x0f"), "a 가나 가 0!\n나");
        let xml = b"<?xml version='1.0' encoding='iso-2022-kr'?>\n\x1b$)C<a>\x0e0!\x0f</a>";
        assert!(decode_xml(xml).ends_with("\n<a>가</a>"));
        // Not the bytes of this encoding.
        assert_eq!(decode("\x1b$)C\x0eü".as_bytes()), "\x1b$)C\x0eü");
        assert_eq!(decode(b"\x0e0!\x0f"), "\x0e0!\x0f");
    }
}
