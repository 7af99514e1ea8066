//! Spreadsheets of Excel 2 to 95 (BIFF2 to BIFF5). The reference shows the names of the sheets and one line per text and
//! number, in the order of the file. It omits rich text, booleans and runs of numbers in one record, so this does, too.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::super::ole::{slice, u16_at, u32_at};
use super::super::rtf::charset::of_code_page;
use super::super::xlsx::number::decimal::java_double;
use super::super::xlsx::number::rk;
use super::super::{Document, DocumentError, Properties};
use super::{TEXT_BYTES_MAX, f64_at, kind};

/// Record types that differ from those of BIFF8.
mod old_kind {
    pub const LABEL_2: u16 = 0x0004;
    pub const STRING_2: u16 = 0x0007;
    pub const BOF_2: u16 = 0x0009;
    pub const CODE_PAGE: u16 = 0x0042;
    pub const FORMULA_3: u16 = 0x0206;
    pub const BOF_3: u16 = 0x0209;
    pub const FORMULA_4: u16 = 0x0406;
    pub const BOF_4: u16 = 0x0409;
}

/// The first version with 16-bit characters.
const BIFF8: u16 = 0x0600;

/// Whether a file is a spreadsheet without a container, as before Excel 5.
pub fn is_bare(bytes: &[u8]) -> bool {
    let is_bof = |kind| [old_kind::BOF_2, old_kind::BOF_3, old_kind::BOF_4].contains(&kind);
    u16_at(bytes, 0).is_some_and(is_bof)
        && u16_at(bytes, 2).is_some_and(|it| (4..=16).contains(&it))
}

/// Whether the stream of a workbook is older than BIFF8.
pub fn is_old(stream: &[u8]) -> bool {
    is_bare(stream)
        || u16_at(stream, 0) == Some(kind::BOF)
            && u16_at(stream, 4).is_some_and(|it| (1..BIFF8).contains(&it))
}

/// Reads a spreadsheet without a container.
pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    Ok(Document { text: text(bytes)?, properties: Properties::default(), ..Document::default() })
}

/// The text of a stream for which [`is_old`] holds, up to the first damaged record.
pub fn text(stream: &[u8]) -> Result<String, DocumentError> {
    let is_2 = u16_at(stream, 0) == Some(old_kind::BOF_2);
    let mut sheet = Sheet { text: String::new(), encoding: WINDOWS_1252, is_2 };
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        if kind == kind::FILE_PASS {
            return Err(DocumentError::Encrypted);
        }
        let Some(data) = slice(stream, at + 4, usize::from(length)) else { break };
        if sheet.text.len() >= TEXT_BYTES_MAX {
            break;
        }
        // A damaged record costs its own text.
        let _ = sheet.record(kind, data);
        at += 4 + data.len();
    }
    Ok(sheet.text)
}

struct Sheet {
    text: String,
    encoding: &'static Encoding,
    /// BIFF2 has short lengths, and styles of three bytes.
    is_2: bool,
}

impl Sheet {
    fn record(&mut self, kind: u16, data: &[u8]) -> Option<()> {
        match kind {
            old_kind::CODE_PAGE => self.encoding = encoding_of(u16_at(data, 0)?),
            kind::BOUND_SHEET => {
                let name = self.short_string(data, 6)?;
                self.line(&format!("Sheet: {name}"));
            }
            old_kind::LABEL_2 => self.show(self.short_string(data, 7)),
            kind::LABEL => self.show(self.string(data, 6)),
            old_kind::STRING_2 => self.show(self.short_string(data, 0)),
            kind::STRING => self.show(self.string(data, 0)),
            kind::NUMBER => self.number(f64_at(data, 6)?),
            kind::RK => self.number(rk(u32_at(data, 6)?)),
            kind::FORMULA => self.result(data, if self.is_2 { 7 } else { 6 })?,
            old_kind::FORMULA_3 | old_kind::FORMULA_4 => self.result(data, 6)?,
            _ => {}
        }
        Some(())
    }

    /// The result of a formula, if it is a number. A text follows in a record of its own.
    fn result(&mut self, data: &[u8], at: usize) -> Option<()> {
        if slice(data, at, 8)?[6..] != [0xFF, 0xFF] {
            self.number(f64_at(data, at)?);
        }
        Some(())
    }

    fn number(&mut self, value: f64) {
        self.line(&java_double(value));
    }

    fn show(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.line(&text);
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A string after its length in two bytes.
    fn string(&self, data: &[u8], at: usize) -> Option<String> {
        self.decoded(slice(data, at + 2, usize::from(u16_at(data, at)?))?)
    }

    /// A string after its length in one byte.
    fn short_string(&self, data: &[u8], at: usize) -> Option<String> {
        self.decoded(slice(data, at + 1, usize::from(*data.get(at)?))?)
    }

    fn decoded(&self, bytes: &[u8]) -> Option<String> {
        Some(self.encoding.decode_without_bom_handling(bytes).0.into_owned())
    }
}

fn encoding_of(code_page: u16) -> &'static Encoding {
    /// Macintosh in BIFF2 and BIFF3.
    const MACINTOSH: u16 = 0x8000;
    of_code_page(if code_page == MACINTOSH { 10_000 } else { i32::from(code_page) })
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::super::super::container::Budget;
    use super::super::super::ole;
    use super::super::record;

    /// The text of a workbook in a container.
    fn text(stream: &[u8]) -> String {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_stream("/Book").unwrap().write_all(stream).unwrap();
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        ole::read(&bytes, &mut Budget::default()).unwrap().text
    }

    /// Row, column and style of a cell.
    const PLACE: &[u8] = &[0, 0, 1, 0, 15, 0];

    fn book(code_page: u16, name: &[u8], label: &[u8]) -> Vec<u8> {
        let value = |number: f64| record(0x0203, &[PLACE, &number.to_le_bytes()]);
        let formula = |result: [u8; 8]| record(0x0006, &[PLACE, &result, &[0; 8]]);
        [
            record(0x0809, &[&[0, 5, 5, 0, 0, 0, 0, 0]]),
            record(0x0042, &[&code_page.to_le_bytes()]),
            record(0x0085, &[&[0; 6], &[name.len() as u8], name]),
            record(0x0204, &[PLACE, &[label.len() as u8, 0], label]),
            value(12.5),
            value(1e20),
            record(0x027E, &[PLACE, &((1000u32 << 2) | 2).to_le_bytes()]),
            formula((1.0f64 / 3.0).to_le_bytes()),
            formula([0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            record(0x0207, &[&[6, 0], b"result"]),
            // A boolean, and rich text.
            formula([1, 0, 1, 0, 0, 0, 0xFF, 0xFF]),
            record(0x00D6, &[PLACE, &[4, 0], b"rich", &[0; 3]]),
            record(0x000A, &[]),
        ]
        .concat()
    }

    #[test]
    fn excel_95_has_the_text_of_the_reference() {
        let numbers = "12.5\n1.0E20\n1000.0\n0.3333333333333333\nresult\n";
        let western = text(&book(1252, b"Gr\xf6\xdfe", b"M\xfcller"));
        assert_eq!(western, format!("Sheet: Größe\nMüller\n{numbers}"));
        let cyrillic = text(&book(1251, b"\xcb", b"\xcf\xf0"));
        assert_eq!(cyrillic, format!("Sheet: Л\nПр\n{numbers}"));
        let macintosh = text(&book(0x8000, b"a", b"\x9f"));
        assert_eq!(macintosh, format!("Sheet: a\nü\n{numbers}"));
    }

    #[test]
    fn a_truncated_workbook_has_the_text_before() {
        let whole = book(1252, b"a", b"text");
        assert_eq!(text(&whole[..whole.len() - 30]), text(&whole)[..]);
        assert_eq!(text(&whole[..60]), "Sheet: a\ntext\n");
    }

    #[test]
    fn spreadsheets_without_a_container_have_text() {
        let read = |stream: &[u8]| ole::read(stream, &mut Budget::default()).unwrap().text;
        let four = [
            record(0x0409, &[&[0, 0, 16, 0, 0, 0]]),
            record(0x0204, &[PLACE, &[4, 0], b"four"]),
            record(0x0406, &[PLACE, &7.25f64.to_le_bytes(), &[0; 4]]),
        ];
        assert_eq!(read(&four.concat()), "four\n7.25\n");
        let two = [
            record(0x0009, &[&[2, 0, 16, 0]]),
            record(0x0004, &[&[0; 7], &[3], b"two"]),
            record(0x0006, &[&[0; 7], &1.5f64.to_le_bytes(), &[0; 4]]),
        ];
        assert_eq!(read(&two.concat()), "two\n1.5\n");
    }
}
