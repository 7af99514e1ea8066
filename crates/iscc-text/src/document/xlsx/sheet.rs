//! Cells and comments of a sheet.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::DocumentError;
use super::super::container::{Container, TEXT_BYTES_MAX};
use super::super::prefix;
use super::number::NumberFormat;
use iscc_media::xml::Token;

/// Strings and number formats that cells refer to.
pub struct Workbook {
    pub strings: Vec<String>,
    pub formats: Vec<Rc<NumberFormat>>,
}

/// Row and column of a cell, from 1.
pub type Place = (u32, u32);

/// Columns of a sheet (ECMA-376 part 1, 18.3.1.73).
pub const COLUMNS_MAX: u32 = 16_384;

/// Maximum characters of an author, which each comment repeats.
pub const AUTHOR_CHARACTERS_MAX: usize = 255;

/// A comment on a cell.
pub struct Comment {
    author: Rc<str>,
    text: String,
}

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
    fn text<'a>(&'a self, workbook: &'a Workbook) -> Cow<'a, str> {
        let Workbook { strings, formats } = workbook;
        let value = self.value.as_str();
        match self.kind.as_str() {
            _ if value.is_empty() => "".into(),
            // The index of a missing string is not text.
            "s" => value
                .parse()
                .ok()
                .and_then(|index: usize| strings.get(index))
                .map_or("", String::as_str)
                .into(),
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.into(),
            "e" => format!("ERROR:{value}").into(),
            "" | "n" => match (value.parse::<f64>(), formats.get(self.style)) {
                (Ok(number), Some(format)) => format.format(number).into(),
                // Without styles, the reference shows numbers as they are stored.
                (Ok(_), None) | (Err(_), _) => value.into(),
            },
            _ => value.into(),
        }
    }
}

/// Writes cells with a tab for each column.
pub struct Writer<'a> {
    text: &'a mut String,
    comments: BTreeMap<Place, Comment>,
    /// Columns of the current row so far.
    columns: u32,
}

impl<'a> Writer<'a> {
    pub fn new(text: &'a mut String, comments: BTreeMap<Place, Comment>) -> Self {
        Self { text, comments, columns: 0 }
    }

    /// Whether the text has all that counts.
    pub fn is_full(&self) -> bool {
        self.text.len() > TEXT_BYTES_MAX
    }

    /// Appends a cell with its comment, after the comments on empty cells before it.
    pub fn cell(&mut self, place: Option<Place>, value: &str) {
        if let Some(place) = place {
            while let Some(first) = self.comments.first_entry()
                && *first.key() < place
            {
                let (place, comment) = first.remove_entry();
                self.comment(place, &comment);
            }
        }
        self.start_cell(place);
        self.text.push_str(value);
        if let Some(comment) = place.and_then(|place| self.comments.remove(&place)) {
            self.push_comment(&comment);
        }
    }

    /// Appends a comment on an empty cell.
    fn comment(&mut self, place: Place, comment: &Comment) {
        if self.is_full() {
            return;
        }
        self.start_cell(Some(place));
        self.push_comment(comment);
    }

    fn push_comment(&mut self, Comment { author, text }: &Comment) {
        for piece in ["\n", author, ": ", text] {
            self.text.push_str(piece);
        }
    }

    /// Appends the tabs before a cell, including those of missing cells.
    fn start_cell(&mut self, place: Option<Place>) {
        let column = place.map_or(self.columns + 1, |(_, column)| column);
        let tabs = column.saturating_sub(self.columns).clamp(1, COLUMNS_MAX);
        self.text.extend(std::iter::repeat_n('\t', tabs as usize));
        self.columns = column.max(self.columns);
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        self.text.push('\n');
        self.columns = 0;
    }
}

/// Appends the cells of a sheet and their comments.
pub fn append_cells(
    part: &str,
    bytes: &[u8],
    workbook: &Workbook,
    comments: BTreeMap<Place, Comment>,
    text: &mut String,
) -> Result<(), DocumentError> {
    let mut writer = Writer::new(text, comments);
    let mut cell = Cell::default();
    let mut in_value = false;
    prefix::for_each_token(part, bytes, |token| match token {
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
            if !writer.is_full() {
                writer.cell(cell.place, &cell.text(workbook));
            }
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
) -> Result<BTreeMap<Place, Comment>, DocumentError> {
    let mut comments = BTreeMap::new();
    for part in container.related(sheet, "comments")? {
        let content = container.part(&part)?;
        let mut authors: Vec<Rc<str>> = Vec::new();
        let mut author: Option<String> = None;
        let mut current: Option<(Place, Comment)> = None;
        let mut in_text = false;
        prefix::for_each_token(&part, &content, |token| match token {
            Token::Open { name: "author", .. } => author = Some(String::new()),
            Token::Close { name: "author" } => {
                if let Some(author) = author.take() {
                    let author: String = author.chars().take(AUTHOR_CHARACTERS_MAX).collect();
                    authors.push(author.into());
                }
            }
            Token::Open { name: "comment", attributes } => {
                let place = attributes.get("ref").as_deref().and_then(place);
                let author: Option<usize> =
                    attributes.get("authorId").and_then(|id| id.parse().ok());
                let author = author.and_then(|author| authors.get(author)).cloned();
                let comment = Comment { author: author.unwrap_or_default(), text: String::new() };
                current = place.map(|place| (place, comment));
            }
            Token::Close { name: "comment" } => comments.extend(current.take()),
            Token::Open { name: "t", .. } => in_text = true,
            Token::Close { name: "t" } => in_text = false,
            Token::Text(piece) => {
                if let Some(author) = &mut author {
                    author.push_str(piece);
                } else if let (true, Some((_, comment))) = (in_text, &mut current) {
                    comment.text.push_str(piece);
                }
            }
            Token::Open { .. } | Token::Close { .. } => {}
        })?;
    }
    Ok(comments)
}

#[cfg(test)]
mod tests {
    use super::super::super::container::{Budget, archive, relations};
    use super::*;

    fn text_of(workbook: &Workbook, sheet: &str, comments: BTreeMap<Place, Comment>) -> String {
        let mut text = String::new();
        append_cells("sheet", sheet.as_bytes(), workbook, comments, &mut text).unwrap();
        text
    }

    #[test]
    fn repeated_strings_end_where_text_does_not_count() {
        const STRING_BYTES: usize = 1 << 20;
        let workbook = Workbook { strings: vec!["x".repeat(STRING_BYTES)], formats: Vec::new() };
        let cells = r#"<c t="s"><v>0</v></c>"#.repeat(200);
        let text = text_of(&workbook, &cells, BTreeMap::new());
        assert!(text.len() > TEXT_BYTES_MAX);
        assert!(text.len() <= TEXT_BYTES_MAX + STRING_BYTES + 1);
    }

    #[test]
    fn comments_share_the_beginning_of_their_author() {
        let author = "a".repeat(1000);
        let content = format!(
            concat!(
                "<x:comments xmlns:x=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">",
                "<x:author>{author}</x:author><x:author>B</x:author>",
                r#"<x:comment ref="B1" authorId="1"><x:t>one</x:t></x:comment>"#,
                r#"<x:comment ref="A1" authorId="0"><x:t>two</x:t></x:comment>"#,
                r#"<x:comment ref="A2" authorId="0"/><x:comment ref="A3" authorId="9"/></x:comments>"#
            ),
            author = author
        );
        let bytes = archive(&[
            ("xl/c.xml", content.as_str()),
            ("xl/_rels/s.xml.rels", &relations(&[("comments", "c.xml")])),
        ]);
        let mut budget = Budget::default();
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        let comments = comments(&mut container, "xl/s.xml").unwrap();
        assert!(Rc::ptr_eq(&comments[&(1, 1)].author, &comments[&(2, 1)].author));
        let workbook = Workbook { strings: Vec::new(), formats: Vec::new() };
        let text = text_of(&workbook, r#"<row><c r="B1"><v>1</v></c></row>"#, comments);
        let author = &author[..AUTHOR_CHARACTERS_MAX];
        let expected = format!("\t\n{author}: two\t1\nB: one\n\t\n{author}: \n\t\n: \n");
        assert_eq!(text, expected);
    }

    #[test]
    fn without_styles_numbers_are_shown_as_they_are_stored() {
        let cells = r#"<c><v>0.134500000</v></c><c s="7"><v>1E3</v></c>"#;
        let mut workbook = Workbook { strings: Vec::new(), formats: Vec::new() };
        assert_eq!(text_of(&workbook, cells, BTreeMap::new()), "\t0.134500000\t1E3");
        workbook.formats.push(Rc::new(NumberFormat::General));
        assert_eq!(text_of(&workbook, cells, BTreeMap::new()), "\t0.1345\t1E3");
    }

    #[test]
    fn parses_references() {
        assert_eq!(place("A1"), Some((1, 1)));
        assert_eq!(place("XFD1048576"), Some((1_048_576, 16_384)));
        for invalid in ["", "1", "A", "XFE1", "A1B", "é1", "AAAAAAAAAAA1", "A99999999999"] {
            assert_eq!(place(invalid), None, "{invalid}");
        }
    }
}
