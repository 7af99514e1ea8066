//! Parts of binary Office Open XML spreadsheets, `.xlsb` ([MS-XLSB]).

use std::rc::Rc;

use super::super::DocumentError;
use super::super::container::Container;
use super::super::ole::{slice, u16_at, u32_at, utf16};
use super::Formats;
use super::number;
use super::sheet::{AUTHOR_CHARACTERS_MAX, COLUMNS_MAX, Workbook, Writer};

/// Record types.
mod kind {
    pub const ROW: u32 = 0;
    pub const RK: u32 = 2;
    pub const ERROR: u32 = 3;
    pub const BOOL: u32 = 4;
    pub const REAL: u32 = 5;
    pub const STRING: u32 = 6;
    pub const SHARED_STRING: u32 = 7;
    pub const FORMULA_STRING: u32 = 8;
    pub const FORMULA_NUMBER: u32 = 9;
    pub const FORMULA_BOOL: u32 = 10;
    pub const FORMULA_ERROR: u32 = 11;
    pub const STRING_ITEM: u32 = 19;
    pub const FORMAT: u32 = 44;
    pub const STYLE: u32 = 47;
    pub const SHEET: u32 = 156;
    pub const BEGIN_CELL_STYLES: u32 = 617;
    pub const END_CELL_STYLES: u32 = 618;
    pub const AUTHOR: u32 = 632;
    pub const COMMENT: u32 = 635;
    pub const COMMENT_TEXT: u32 = 637;
}

/// The records of a part: types and contents. Ends before a damaged one.
fn records(mut rest: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let kind = number_of(&mut rest, 2)?;
        let length = number_of(&mut rest, 4)? as usize;
        let (data, tail) = rest.split_at_checked(length)?;
        rest = tail;
        Some((kind, data))
    })
}

/// A number in up to `max` bytes of seven bits.
fn number_of(rest: &mut &[u8], max: u32) -> Option<u32> {
    let mut number = 0;
    for index in 0..max {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u32::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

/// A string after its length; with the offset of what follows.
fn string(data: &[u8], at: usize) -> Option<(String, usize)> {
    let length = (u32_at(data, at)? as usize).checked_mul(2)?;
    Some((utf16(slice(data, at + 4, length)?), at + 4 + length))
}

/// Name and relationship id of each sheet, in the workbook's order.
pub fn sheets(workbook: &[u8]) -> Vec<(String, String)> {
    let sheets = records(workbook).filter(|(kind, _)| *kind == kind::SHEET);
    let sheet = |data: &[u8]| {
        // Beta versions of Excel 2007 wrote four more bytes before the number of the sheet, which is not 0.
        let start = if u32_at(data, 4)? == 0 { 12 } else { 8 };
        let (id, at) = string(data, start)?;
        Some((string(data, at)?.0, id))
    };
    sheets.filter_map(|(_, data)| sheet(data)).collect()
}

/// The strings that cells refer to by number.
pub fn shared_strings(part: &[u8]) -> Vec<String> {
    let items = records(part).filter(|(kind, _)| *kind == kind::STRING_ITEM);
    items.map(|(_, data)| string(data, 1).map_or_else(String::new, |(text, _)| text)).collect()
}

/// The number format of each cell style.
pub fn cell_formats(part: &[u8], formats: &mut Formats) {
    let mut is_cell_style = false;
    for (kind, data) in records(part) {
        match kind {
            kind::FORMAT => {
                if let (Some(id), Some((code, _))) = (u16_at(data, 0), string(data, 2)) {
                    formats.define(id.to_string(), code);
                }
            }
            kind::BEGIN_CELL_STYLES => is_cell_style = true,
            kind::END_CELL_STYLES => is_cell_style = false,
            kind::STYLE if is_cell_style => {
                formats.add_style(u16_at(data, 2).unwrap_or(0).to_string());
            }
            _ => {}
        }
    }
}

/// Appends the cells of a sheet.
pub fn append_cells(sheet: &[u8], workbook: &Workbook, writer: &mut Writer<'_>) {
    let mut row = None;
    for (kind, data) in records(sheet) {
        if kind == kind::ROW {
            if row.is_some() {
                writer.end_row();
            }
            row = u32_at(data, 0);
        } else if !writer.is_full()
            && let Some(text) = cell(kind, data, workbook)
        {
            let column = u32_at(data, 0).and_then(|column| column.checked_add(1));
            let place = row.and_then(|row: u32| row.checked_add(1)).zip(column);
            writer.cell(place.filter(|(_, column)| *column <= COLUMNS_MAX), &text);
        }
    }
    writer.end_row();
}

/// The displayed text of a cell; `None` for other records.
fn cell(kind: u32, data: &[u8], workbook: &Workbook) -> Option<String> {
    let style = || (u32_at(data, 4).unwrap_or(0) & 0xFF_FFFF) as usize;
    let formatted = |value: f64| match workbook.formats.get(style()) {
        Some(format) => format.format(value),
        None => number::general(value),
    };
    let real = || Some(f64::from_le_bytes(slice(data, 8, 8)?.try_into().ok()?));
    match kind {
        kind::RK => Some(formatted(number::rk(u32_at(data, 8)?))),
        kind::REAL | kind::FORMULA_NUMBER => Some(formatted(real()?)),
        kind::BOOL | kind::FORMULA_BOOL => {
            Some(if *data.get(8)? == 1 { "TRUE" } else { "FALSE" }.to_owned())
        }
        kind::ERROR | kind::FORMULA_ERROR => Some("ERROR".to_owned()),
        kind::STRING | kind::FORMULA_STRING => Some(string(data, 8)?.0),
        kind::SHARED_STRING => {
            Some(workbook.strings.get(u32_at(data, 8)? as usize).cloned().unwrap_or_default())
        }
        _ => None,
    }
}

/// Appends the comments on a sheet, each with its author.
pub fn append_comments(
    container: &mut Container<'_>,
    sheet: &str,
    text: &mut String,
) -> Result<(), DocumentError> {
    for part in container.related(sheet, "comments")? {
        let content = container.part(&part)?;
        let mut authors: Vec<Rc<str>> = Vec::new();
        let mut author: Option<Rc<str>> = None;
        for (kind, data) in records(&content) {
            match kind {
                kind::AUTHOR => {
                    let name = string(data, 0).map_or_else(String::new, |(name, _)| name);
                    let name: String = name.chars().take(AUTHOR_CHARACTERS_MAX).collect();
                    authors.push(name.into());
                }
                kind::COMMENT => {
                    author = u32_at(data, 0).and_then(|it| authors.get(it as usize)).cloned();
                }
                kind::COMMENT_TEXT => {
                    let comment = string(data, 1).map_or_else(String::new, |(text, _)| text);
                    text.push_str(author.as_deref().unwrap_or_default());
                    text.push_str(": ");
                    text.push_str(&comment);
                    text.push('\n');
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, parts: &[&[u8]]) -> Vec<u8> {
        let data = parts.concat();
        let kind = match kind {
            0..128 => vec![kind as u8],
            _ => vec![kind as u8 | 0x80, (kind >> 7) as u8],
        };
        [&kind, &[data.len() as u8][..], &data].concat()
    }

    fn wide(text: &str) -> Vec<u8> {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [&(units.len() as u32 / 2).to_le_bytes()[..], &units].concat()
    }

    #[test]
    fn sheets_of_beta_versions_have_names() {
        let released = record(kind::SHEET, &[&[0; 4], &[1, 0, 0, 0], &wide("rId1"), &wide("One")]);
        let beta = record(kind::SHEET, &[&[0; 8], &[2, 0, 0, 0], &wide("rId2"), &wide("Two")]);
        let pairs = sheets(&[released, beta].concat());
        let expected = [("One", "rId1"), ("Two", "rId2")];
        assert_eq!(pairs, expected.map(|(name, id)| (name.to_owned(), id.to_owned())));
    }

    #[test]
    fn cells_have_their_displayed_texts() {
        let styles = [
            record(kind::FORMAT, &[&[164, 0], &wide("0.0%")]),
            record(kind::BEGIN_CELL_STYLES, &[]),
            record(kind::STYLE, &[&[0, 0, 164, 0]]),
            record(kind::END_CELL_STYLES, &[]),
        ];
        let mut formats = Formats::default();
        cell_formats(&styles.concat(), &mut formats);
        let strings = shared_strings(&record(kind::STRING_ITEM, &[&[0], &wide("shared")]));
        let workbook = Workbook { strings, formats: formats.styles };
        let column = |column: u8| [column, 0, 0, 0, 0, 0, 0, 0];
        let sheet = [
            record(kind::ROW, &[&[0; 4]]),
            record(kind::SHARED_STRING, &[&column(0), &[0; 4]]),
            record(kind::REAL, &[&column(2), &0.125_f64.to_le_bytes()]),
            record(kind::ROW, &[&[1, 0, 0, 0]]),
            record(kind::BOOL, &[&column(0), &[1]]),
            record(kind::FORMULA_ERROR, &[&column(1), &[7]]),
            record(kind::STRING, &[&column(2), &wide("own")]),
        ]
        .concat();
        let text = |sheet: &[u8]| {
            let mut text = String::new();
            append_cells(sheet, &workbook, &mut Writer::new(&mut text, Default::default()));
            text
        };
        assert_eq!(text(&sheet), "\tshared\t\t12.5%\n\tTRUE\tERROR\town\n");
        for end in 0..sheet.len() {
            text(&sheet[..end]);
        }
    }
}
