//! Cells and comments of a sheet.

use std::collections::BTreeMap;

use super::super::DocumentError;
use super::super::container::Container;
use super::super::xml::{self, Token};
use super::number::{self, NumberFormat};

/// Strings and number formats that cells refer to.
pub struct Workbook {
    pub strings: Vec<String>,
    pub formats: Vec<NumberFormat>,
}

/// Row and column of a cell, from 1.
type Place = (u32, u32);

/// Columns of a sheet (ECMA-376 part 1, 18.3.1.73).
const COLUMNS_MAX: u32 = 16_384;

/// Maximum bytes of text. The first ten million characters count, so the rest is not needed.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// A cell while its element is open.
#[derive(Default)]
struct Cell {
    place: Option<Place>,
    kind: String,
    style: usize,
    value: String,
    /// Whether the cell has a value, which may be empty.
    has_value: bool,
}

impl Cell {
    /// The displayed text (ECMA-376 part 1, 18.18.11).
    fn text(&self, workbook: &Workbook) -> String {
        let Workbook { strings, formats } = workbook;
        match self.kind.as_str() {
            "s" => self.value.parse().ok().and_then(|index: usize| strings.get(index).cloned()),
            "b" => Some(if self.value == "1" { "TRUE" } else { "FALSE" }.to_owned()),
            "e" => Some(format!("ERROR:{}", self.value)),
            "" | "n" => self.value.parse().ok().map(|value: f64| match formats.get(self.style) {
                Some(format) => format.format(value),
                None => number::general(value),
            }),
            _ => None,
        }
        .unwrap_or_else(|| self.value.clone())
    }
}

/// Writes cells with a tab for each column.
struct Writer<'a> {
    text: &'a mut String,
    comments: BTreeMap<Place, String>,
    /// Columns of the current row so far.
    columns: u32,
}

impl Writer<'_> {
    /// Appends a cell with its comment, after the comments on empty cells before it.
    fn cell(&mut self, place: Option<Place>, value: &str) {
        if self.text.len() > TEXT_BYTES_MAX {
            return;
        }
        if let Some(place) = place {
            let later = self.comments.split_off(&place);
            let earlier = std::mem::replace(&mut self.comments, later);
            earlier.into_iter().for_each(|(place, comment)| self.comment(place, &comment));
        }
        self.start_cell(place);
        self.text.push_str(value);
        if let Some(comment) = place.and_then(|place| self.comments.remove(&place)) {
            self.text.push('\n');
            self.text.push_str(&comment);
        }
    }

    /// Appends a comment on an empty cell.
    fn comment(&mut self, place: Place, comment: &str) {
        if self.text.len() > TEXT_BYTES_MAX {
            return;
        }
        self.start_cell(Some(place));
        self.text.push('\n');
        self.text.push_str(comment);
    }

    /// Appends the tabs before a cell, including those of missing cells.
    fn start_cell(&mut self, place: Option<Place>) {
        let column = place.map_or(self.columns + 1, |(_, column)| column);
        let tabs = column.saturating_sub(self.columns).clamp(1, COLUMNS_MAX);
        self.text.extend(std::iter::repeat_n('\t', tabs as usize));
        self.columns = column.max(self.columns);
    }

    fn end_row(&mut self) {
        self.text.push('\n');
        self.columns = 0;
    }
}

/// Appends the cells of a sheet and their comments.
pub fn append_cells(
    part: &str,
    bytes: &[u8],
    workbook: &Workbook,
    comments: BTreeMap<Place, String>,
    text: &mut String,
) -> Result<(), DocumentError> {
    let mut writer = Writer { text, comments, columns: 0 };
    let mut cell = Cell::default();
    let mut in_value = false;
    xml::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "c", attributes } => {
            cell = Cell {
                place: attributes.get("r").as_deref().and_then(place),
                kind: attributes.get("t").unwrap_or_default(),
                style: attributes.get("s").and_then(|style| style.parse().ok()).unwrap_or(0),
                ..Cell::default()
            };
        }
        Token::Open { name: "v" | "t", .. } => {
            in_value = true;
            cell.has_value = true;
        }
        Token::Close { name: "v" | "t" } => in_value = false,
        Token::Text(piece) if in_value => cell.value.push_str(piece),
        Token::Close { name: "c" } if cell.has_value => {
            let value = if cell.value.is_empty() { String::new() } else { cell.text(workbook) };
            writer.cell(cell.place, &value);
            cell.has_value = false;
        }
        Token::Close { name: "row" } => writer.end_row(),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    for (place, comment) in std::mem::take(&mut writer.comments) {
        writer.comment(place, &comment);
        writer.end_row();
    }
    Ok(())
}

/// Parses a reference such as `B12`.
fn place(reference: &str) -> Option<Place> {
    let digits = reference.find(|character: char| character.is_ascii_digit())?;
    let (letters, row) = reference.split_at(digits);
    let column = letters.bytes().try_fold(0_u32, |column, letter| {
        let digit = letter.to_ascii_uppercase().checked_sub(b'A').filter(|digit| *digit < 26)?;
        column.checked_mul(26)?.checked_add(u32::from(digit) + 1)
    })?;
    (1..=COLUMNS_MAX).contains(&column).then_some((row.parse().ok()?, column))
}

/// Comments by place, each with its author.
pub fn comments(
    container: &mut Container<'_>,
    sheet: &str,
) -> Result<BTreeMap<Place, String>, DocumentError> {
    let mut comments = BTreeMap::new();
    for part in container.related(sheet, "comments")? {
        let content = container.part(&part)?;
        let mut authors: Vec<String> = Vec::new();
        let mut current: Option<(Place, String)> = None;
        let (mut in_author, mut in_text) = (false, false);
        xml::for_each_token(&part, &content, |token| match token {
            Token::Open { name: "author", .. } => {
                in_author = true;
                authors.push(String::new());
            }
            Token::Close { name: "author" } => in_author = false,
            Token::Open { name: "comment", attributes } => {
                let place = attributes.get("ref").as_deref().and_then(place);
                let author: Option<usize> =
                    attributes.get("authorId").and_then(|id| id.parse().ok());
                let author = author.and_then(|author| authors.get(author));
                let author = author.map_or("", String::as_str);
                current = place.map(|place| (place, format!("{author}: ")));
            }
            Token::Close { name: "comment" } => comments.extend(current.take()),
            Token::Open { name: "t", .. } => in_text = true,
            Token::Close { name: "t" } => in_text = false,
            Token::Text(piece) => {
                if let (true, Some(author)) = (in_author, authors.last_mut()) {
                    author.push_str(piece);
                } else if let (true, Some((_, comment))) = (in_text, &mut current) {
                    comment.push_str(piece);
                }
            }
            Token::Open { .. } | Token::Close { .. } => {}
        })?;
    }
    Ok(comments)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn parses_references() {
        assert_eq!(place("A1"), Some((1, 1)));
        assert_eq!(place("XFD1048576"), Some((1_048_576, 16_384)));
        for invalid in ["", "1", "A", "XFE1", "A1B", "é1", "AAAAAAAAAAA1", "A99999999999"] {
            assert_eq!(place(invalid), None, "{invalid}");
        }
    }
}
