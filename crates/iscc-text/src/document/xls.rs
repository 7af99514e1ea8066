//! Binary spreadsheet, `.xls` ([MS-XLS], BIFF8): the cells of each sheet as in Office Open XML, then its
//! comments and text boxes, as in the reference. [`old`] reads earlier versions.

mod encrypted;
pub mod old;
mod strings;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use self::strings::{Strings, record_text};
use super::ole::{Ole, slice, u16_at, u32_at};
use super::xlsx::number::{self, NumberFormat};
use super::{Document, DocumentError, blip, object};

/// Maximum bytes of text. The first ten million characters count, so the rest is not needed.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Columns of a sheet. Higher numbers are damage.
const COLUMNS_MAX: u16 = 256;

pub fn read(ole: &mut Ole<'_>) -> Result<Document, DocumentError> {
    let stream = match ole.optional("/Workbook")? {
        Some(stream) => stream,
        None => ole.stream("/Book")?,
    };
    let mut text = if old::is_old(&stream) {
        old::text(&stream)?
    } else {
        let mut workbook = Workbook::default();
        workbook.read(&encrypted::opened(stream)?)?;
        blip::append(&workbook.drawings, ole.budget(), &mut workbook.text)?;
        workbook.text
    };
    object::append_storages(ole, "", |name| name.starts_with("MBD"), &mut text)?;
    Ok(Document { text, properties: ole.properties()?, ..Document::default() })
}

/// Record types.
mod kind {
    pub const FORMULA: u16 = 0x0006;
    pub const EOF: u16 = 0x000A;
    pub const FILE_PASS: u16 = 0x002F;
    pub const CONTINUE: u16 = 0x003C;
    pub const BOUND_SHEET: u16 = 0x0085;
    pub const MUL_RK: u16 = 0x00BD;
    pub const XF: u16 = 0x00E0;
    pub const DRAWINGS: u16 = 0x00EB;
    pub const SST: u16 = 0x00FC;
    pub const LABEL_SST: u16 = 0x00FD;
    pub const TEXT_OBJECT: u16 = 0x01B6;
    pub const LINK: u16 = 0x01B8;
    pub const NUMBER: u16 = 0x0203;
    pub const LABEL: u16 = 0x0204;
    pub const STRING: u16 = 0x0207;
    pub const RK: u16 = 0x027E;
    pub const FORMAT: u16 = 0x041E;
    pub const BOF: u16 = 0x0809;
    pub const SERIES_TEXT: u16 = 0x100D;
}

/// The records that the reference looks at.
const TEXT_RECORDS: [u16; 16] = [
    kind::FORMULA,
    kind::EOF,
    kind::BOUND_SHEET,
    kind::MUL_RK,
    kind::XF,
    kind::DRAWINGS,
    kind::SST,
    kind::LABEL_SST,
    kind::TEXT_OBJECT,
    kind::LINK,
    kind::NUMBER,
    kind::LABEL,
    kind::STRING,
    kind::RK,
    kind::BOF,
    kind::SERIES_TEXT,
];

#[derive(Default)]
struct Workbook {
    text: String,
    strings: Vec<String>,
    sheet_names: Vec<String>,
    codes: HashMap<u16, String>,
    /// Number format of each cell style.
    styles: Vec<u16>,
    formats: HashMap<u16, NumberFormat>,
    sheet: Option<Cells>,
    /// Comments and text boxes that no sheet has shown yet.
    extra: Vec<String>,
    /// The records of all pictures.
    drawings: Vec<u8>,
    /// Bytes of all cells, comments and text boxes so far. Cells can share long strings.
    used: usize,
    /// Number of the current sheet.
    index: usize,
    previous: u16,
    /// Whether the last record was the end of a part, apart from records without text.
    is_between_parts: bool,
    /// Cell of a formula whose text follows.
    formula: Option<(u16, u16)>,
}

/// The cells of a sheet by row and column.
type Cells = BTreeMap<(u16, u16), String>;

impl Workbook {
    fn read(&mut self, stream: &[u8]) -> Result<(), DocumentError> {
        let mut at = 0;
        while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
            let end = (at + 4 + usize::from(length)).min(stream.len());
            let data = &stream[at + 4..end];
            if kind == kind::FILE_PASS {
                return Err(DocumentError::Encrypted);
            }
            match kind {
                kind::SST => self.strings = Strings::new(stream, at).read(),
                kind::TEXT_OBJECT => self.text_object(data, stream, end),
                kind::DRAWINGS => self.drawings.extend(data),
                kind::CONTINUE if self.previous == kind::DRAWINGS => {
                    self.drawings.extend(data);
                    at = end;
                    continue;
                }
                kind::STRING => drop(self.formula_text(stream, at)),
                _ => drop(self.record(kind, data)),
            }
            self.previous = kind;
            if TEXT_RECORDS.contains(&kind) {
                self.is_between_parts = kind == kind::EOF;
            }
            at = end;
        }
        self.end_extra();
        Ok(())
    }

    /// Reads a record. Stops at the end of a damaged record.
    fn record(&mut self, kind: u16, data: &[u8]) -> Option<()> {
        match kind {
            kind::BOF => self.begin(u16_at(data, 2)?),
            kind::EOF => self.end_sheet(),
            kind::BOUND_SHEET => {
                let length = usize::from(*data.get(6)?);
                self.sheet_names.push(record_text(data, 7, length)?);
            }
            kind::FORMAT => {
                let length = usize::from(u16_at(data, 2)?);
                self.codes.insert(u16_at(data, 0)?, record_text(data, 4, length)?);
            }
            kind::XF => self.styles.push(u16_at(data, 2)?),
            kind::LABEL_SST => {
                let text = self.strings.get(u32_at(data, 6)? as usize)?;
                // Many cells may have the same long string: its copies count before they are made.
                if self.used < TEXT_BYTES_MAX && !text.is_empty() {
                    let text = text.clone();
                    self.put(place(data)?, &text);
                }
            }
            kind::LABEL => {
                let text = record_text(data, 8, usize::from(u16_at(data, 6)?))?;
                self.put(place(data)?, &text);
            }
            kind::NUMBER => self.put_number(place(data)?, u16_at(data, 4)?, f64_at(data, 6)?),
            kind::RK => {
                self.put_number(place(data)?, u16_at(data, 4)?, number::rk(u32_at(data, 6)?))
            }
            kind::MUL_RK => {
                let (row, first) = place(data)?;
                let count = data.len().saturating_sub(6) / 6;
                for index in 0..count as u16 {
                    let at = 4 + usize::from(index) * 6;
                    let column = first.checked_add(index)?;
                    self.put_number(
                        (row, column),
                        u16_at(data, at)?,
                        number::rk(u32_at(data, at + 2)?),
                    );
                }
            }
            // The reference repeats the text of a cell with a link.
            kind::LINK => {
                let place = (u16_at(data, 0)?, u16_at(data, 4)?);
                let text = self.sheet.as_ref()?.get(&place)?;
                if self.used < TEXT_BYTES_MAX {
                    self.extra(&text.clone());
                }
            }
            kind::FORMULA => self.begin_formula(data)?,
            kind::SERIES_TEXT => {
                let text = record_text(data, 3, usize::from(*data.get(2)?))?;
                self.extra(&text);
            }
            _ => {}
        }
        Some(())
    }

    fn begin(&mut self, substream: u16) {
        const GLOBALS: u16 = 0x05;
        const WORKSHEET: u16 = 0x10;
        const CHART: u16 = 0x20;
        match substream {
            GLOBALS => self.index = 0,
            WORKSHEET => self.begin_sheet(),
            CHART if self.is_between_parts => self.begin_sheet(),
            // A chart in a sheet ends its cells and starts another part under the same name.
            CHART if self.sheet.is_some() => {
                self.end_sheet();
                self.index = self.index.saturating_sub(1);
                self.begin_sheet();
            }
            _ => {}
        }
    }

    fn begin_sheet(&mut self) {
        self.index += 1;
        self.sheet = Some(Cells::new());
    }

    /// Appends the sheet's text.
    fn end_sheet(&mut self) {
        let Some(cells) = self.sheet.take() else { return };
        if let Some(name) = self.index.checked_sub(1).and_then(|at| self.sheet_names.get(at)) {
            self.text.push_str(name);
            self.text.push('\n');
        }
        self.text.push('\t');
        let (mut row, mut column) = (0, 0);
        for ((y, x), value) in cells {
            if row < y {
                self.text.push_str("\n\t");
                (row, column) = (y, 0);
            }
            while column < x.min(COLUMNS_MAX) {
                self.text.push('\t');
                column += 1;
            }
            self.text.push_str(&value);
        }
        self.text.push_str("\n\n");
        self.end_extra();
        self.text.push('\n');
    }

    fn end_extra(&mut self) {
        for value in std::mem::take(&mut self.extra) {
            self.text.push_str(&value);
            self.text.push('\n');
        }
    }

    /// Cells outside of sheets, such as those of macros, follow the sheet; so does a second value of a cell, as the columns
    /// of a chart have.
    fn put(&mut self, place: (u16, u16), text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.sheet.as_mut().map(|sheet| sheet.entry(place)) {
            Some(Entry::Vacant(cell)) if self.used < TEXT_BYTES_MAX => {
                self.used += text.len();
                cell.insert(text.trim().to_owned());
            }
            Some(Entry::Vacant(_)) => {}
            Some(Entry::Occupied(_)) | None => self.extra(text),
        }
    }

    fn put_number(&mut self, place: (u16, u16), style: u16, value: f64) {
        let Self { codes, formats, styles, .. } = self;
        let id = styles.get(usize::from(style)).copied().unwrap_or(0);
        let format = formats.entry(id).or_insert_with(|| {
            let code = codes.get(&id).map(String::as_str);
            let built_in = || number::built_in(&id.to_string());
            NumberFormat::new(code.or_else(built_in).unwrap_or("General"))
        });
        let text = format.format(value);
        self.put(place, &text);
    }

    fn extra(&mut self, text: &str) {
        if self.used < TEXT_BYTES_MAX && !text.trim().is_empty() {
            self.used += text.len();
            self.extra.push(text.trim().to_owned());
        }
    }

    /// A formula's result: a number here, or text in the next record.
    fn begin_formula(&mut self, data: &[u8]) -> Option<()> {
        let place = place(data)?;
        let result = slice(data, 6, 8)?;
        self.formula = None;
        if result[6..] == [0xFF, 0xFF] {
            match result[0] {
                0 => self.formula = Some(place),
                // Booleans and errors. The reference shows them as zero.
                _ => self.put_number(place, u16_at(data, 4)?, 0.0),
            }
            return Some(());
        }
        self.put_number(place, u16_at(data, 4)?, f64_at(data, 6)?);
        Some(())
    }

    /// The text result of the last formula, in the record at `record` and those that continue it.
    fn formula_text(&mut self, stream: &[u8], record: usize) -> Option<()> {
        let place = self.formula.take()?;
        let text = Strings::new(stream, record).string()?;
        self.put(place, &text);
        Some(())
    }

    /// The text of a comment or a text box is in the records that follow its object.
    fn text_object(&mut self, data: &[u8], stream: &[u8], next: usize) {
        let text = || {
            let mut left = usize::from(u16_at(data, 10)?);
            let mut text = String::new();
            let mut at = next;
            while left > 0 && u16_at(stream, at)? == kind::CONTINUE {
                let length = usize::from(u16_at(stream, at + 2)?);
                let part = slice(stream, at + 4, length)?;
                let width = 1 + usize::from(part.first()? & 1);
                let count = left.min((length - 1) / width);
                text.push_str(&record_text_of(part, count)?);
                left -= count;
                at += 4 + length;
                if count == 0 {
                    break;
                }
            }
            Some(text)
        };
        if let Some(text) = text() {
            self.extra(&text.replace('\r', "\n"));
        }
    }
}

/// Characters after a flags byte.
fn record_text_of(part: &[u8], count: usize) -> Option<String> {
    strings::characters(part.get(1..)?, count, part[0] & 1 == 1)
}

fn place(data: &[u8]) -> Option<(u16, u16)> {
    Some((u16_at(data, 0)?, u16_at(data, 2)?))
}

fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    Some(f64::from_le_bytes(slice(data, at, 8)?.try_into().ok()?))
}

/// A record, for tests.
#[cfg(test)]
fn record(kind: u16, parts: &[&[u8]]) -> Vec<u8> {
    let data = parts.concat();
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), &data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(records: &[Vec<u8>]) -> String {
        let mut workbook = Workbook::default();
        workbook.read(&records.concat()).unwrap();
        workbook.text
    }

    /// A formula in row 0 whose result is the text of the next record.
    fn formula(column: u8) -> Vec<u8> {
        record(
            kind::FORMULA,
            &[&[0, 0, column, 0, 15, 0], &[0, 0, 0, 0, 0, 0, 0xFF, 0xFF], &[0; 8]],
        )
    }

    #[test]
    fn cells_outside_of_sheets_follow_the_sheet() {
        let chart = || record(kind::BOF, &[&[0, 6, 0x20, 0, 0, 0, 0, 0]]);
        let label = |text: &[u8; 3]| record(kind::LABEL, &[&[0, 0, 0, 0, 0, 0, 3, 0, 0], text]);
        let end = || record(kind::EOF, &[]);
        // A sheet whose two charts have cells of their own.
        let text = text(&[
            record(kind::BOF, &[&[0, 6, 0x10, 0, 0, 0, 0, 0]]),
            label(b"one"),
            [chart(), label(b"two"), end()].concat(),
            record(kind::DRAWINGS, &[]),
            [chart(), label(b"six"), end()].concat(),
            end(),
        ]);
        let lines: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(lines, ["one", "two", "six"]);
    }

    #[test]
    fn charts_after_one_another_are_parts_of_their_own() {
        const DRAWING: u16 = 0x00EC;
        let bof = |kind: u8| record(kind::BOF, &[&[0, 6, kind, 0, 0, 0, 0, 0]]);
        let name = |name: &[u8; 1]| record(kind::BOUND_SHEET, &[&[0; 6], &[1, 0], name]);
        let number = |row: u8, value: f64| {
            record(kind::NUMBER, &[&[row, 0, 0, 0, 0, 0], &value.to_le_bytes()])
        };
        let end = || record(kind::EOF, &[]);
        let chart = |shift: f64| {
            // Both columns of the chart have the same cells.
            let values = [number(0, 1.0), number(1, 2.0), number(0, 3.0), number(1, 4.0)];
            [bof(0x20), values.concat(), number(2, shift), end()].concat()
        };
        let text = text(&[
            [bof(5), name(b"A"), name(b"B"), end()].concat(),
            [bof(0x10), number(0, 9.0), record(DRAWING, &[])].concat(),
            [chart(5.0), record(DRAWING, &[]), chart(6.0), end()].concat(),
        ]);
        let lines: Vec<&str> = text.split_whitespace().collect();
        let values = ["1", "2", "5", "3", "4", "B", "1", "2", "6", "3", "4"];
        assert_eq!(lines, [&["A", "9", "A"][..], &values].concat());
    }

    #[test]
    fn strings_have_their_phonetic_text() {
        let reading: Vec<u8> = "カナ".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let extension = [&[1, 0, 14, 0, 0, 0, 0, 0, 1, 0, 2, 0, 2, 0], &reading[..]].concat();
        let table = |first: &[u8], second: &[u8]| {
            let text: Vec<u8> = "漢字".encode_utf16().flat_map(u16::to_le_bytes).collect();
            let start =
                [&[1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 5, 18, 0, 0, 0], &text[..], first].concat();
            [record(kind::SST, &[&start]), record(kind::CONTINUE, &[second])].concat()
        };
        // The extension may continue in the next record.
        for cut in [0, 7, 18] {
            let stream = table(&extension[..cut], &extension[cut..]);
            assert_eq!(Strings::new(&stream, 0).read(), ["漢字 カナ"], "{cut}");
        }
    }

    #[test]
    fn formulas_have_their_texts() {
        let sheet = record(kind::BOF, &[&[0, 6, 0x10, 0, 0, 0, 0, 0]]);
        let wide: Vec<u8> = "漢字".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let long = [[b'a'; 10], [b'b'; 10]];
        let text = text(&[
            sheet,
            formula(0),
            record(kind::STRING, &[&[4, 0, 0], b"text"]),
            formula(1),
            record(kind::STRING, &[&[2, 0, 1], &wide]),
            formula(2),
            record(kind::STRING, &[&[20, 0, 0], &long[0]]),
            record(kind::CONTINUE, &[&[0], &long[1]]),
            record(kind::EOF, &[]),
        ]);
        assert_eq!(text.trim(), "text\t漢字\taaaaaaaaaabbbbbbbbbb");
    }
}
