//! Office Open XML spreadsheet: per sheet its name, then a line per row with a tab before each
//! cell.

mod number;

use std::collections::HashMap;

use self::number::NumberFormat;
use super::container::{Container, join};
use super::properties;
use super::xml::{self, Token};
use super::{Document, DocumentError};

const WORKBOOK: &str = "xl/workbook.xml";
const SHARED_STRINGS: &str = "xl/sharedStrings.xml";
const STYLES: &str = "xl/styles.xml";

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes)?;
    let workbook = container.part(WORKBOOK)?;
    let strings = shared_strings(&mut container)?;
    let formats = cell_formats(&mut container)?;
    let relationships = container.relationships(WORKBOOK)?;
    let targets: HashMap<_, _> =
        relationships.into_iter().map(|found| (found.id, found.target)).collect();
    let mut text = String::new();
    for (name, id) in sheets(&workbook)? {
        let Some(target) = targets.get(&id) else { continue };
        let content = container.part(&join("", target))?;
        text.push_str(&name);
        text.push('\n');
        // Chart sheets have no cells, and come out as their name alone.
        cells(target, &content, &strings, &formats, &mut text)?;
        text.push('\n');
    }
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, cover: None })
}

/// Name and relationship id of each sheet, in the workbook's order.
fn sheets(workbook: &[u8]) -> Result<Vec<(String, String)>, DocumentError> {
    let mut sheets = Vec::new();
    xml::for_each_token(WORKBOOK, workbook, |token| {
        if let Token::Open { name: "sheet", attributes } = token {
            let name = attributes.get("name").unwrap_or_default();
            sheets.push((name, attributes.get("r:id").unwrap_or_default()));
        }
    })?;
    Ok(sheets)
}

/// The strings that cells refer to by number, without phonetic runs.
fn shared_strings(container: &mut Container<'_>) -> Result<Vec<String>, DocumentError> {
    let mut strings = Vec::new();
    let Some(bytes) = container.optional(SHARED_STRINGS)? else { return Ok(strings) };
    let mut current = String::new();
    let (mut in_text, mut in_phonetic) = (false, false);
    xml::for_each_token(SHARED_STRINGS, &bytes, |token| match token {
        Token::Open { name: "rPh", .. } => in_phonetic = true,
        Token::Close { name: "rPh" } => in_phonetic = false,
        Token::Open { name: "t", .. } => in_text = true,
        Token::Close { name: "t" } => in_text = false,
        Token::Text(piece) if in_text && !in_phonetic => current.push_str(piece),
        Token::Close { name: "si" } => strings.push(std::mem::take(&mut current)),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(strings)
}

/// The number format of each cell style.
fn cell_formats(container: &mut Container<'_>) -> Result<Vec<NumberFormat>, DocumentError> {
    let mut formats = Vec::new();
    let Some(bytes) = container.optional(STYLES)? else { return Ok(formats) };
    let mut codes = HashMap::new();
    let mut in_cell_styles = false;
    xml::for_each_token(STYLES, &bytes, |token| match token {
        Token::Open { name: "numFmt", attributes } => {
            let code = attributes.get("formatCode").unwrap_or_default();
            codes.insert(attributes.get("numFmtId").unwrap_or_default(), code);
        }
        Token::Open { name: "cellXfs", .. } => in_cell_styles = true,
        Token::Close { name: "cellXfs" } => in_cell_styles = false,
        Token::Open { name: "xf", attributes } if in_cell_styles => {
            let id = attributes.get("numFmtId").unwrap_or_default();
            let code = codes.get(&id).cloned();
            formats.push(NumberFormat::new(
                code.as_deref().or_else(|| number::built_in(&id)).unwrap_or("General"),
            ));
        }
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(formats)
}

/// One cell while its element is open.
#[derive(Default)]
struct Cell {
    kind: String,
    style: usize,
    value: String,
}

impl Cell {
    /// What a reader of the sheet sees (ECMA-376 part 1, 18.18.11).
    fn shown(&self, strings: &[String], formats: &[NumberFormat]) -> String {
        match self.kind.as_str() {
            "s" => self.value.parse().ok().and_then(|index: usize| strings.get(index).cloned()),
            "b" => Some(if self.value == "1" { "TRUE" } else { "FALSE" }.to_owned()),
            "" | "n" => self.value.parse().ok().map(|value: f64| match formats.get(self.style) {
                Some(format) => format.show(value),
                None => number::general(value),
            }),
            _ => None,
        }
        .unwrap_or_else(|| self.value.clone())
    }
}

fn cells(
    part: &str,
    bytes: &[u8],
    strings: &[String],
    formats: &[NumberFormat],
    text: &mut String,
) -> Result<(), DocumentError> {
    let mut cell = Cell::default();
    let mut in_value = false;
    xml::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "c", attributes } => {
            cell = Cell {
                kind: attributes.get("t").unwrap_or_default(),
                style: attributes.get("s").and_then(|style| style.parse().ok()).unwrap_or(0),
                value: String::new(),
            };
        }
        Token::Open { name: "v" | "t", .. } => in_value = true,
        Token::Close { name: "v" | "t" } => in_value = false,
        Token::Text(piece) if in_value => cell.value.push_str(piece),
        Token::Close { name: "c" } if !cell.value.is_empty() => {
            text.push('\t');
            text.push_str(&cell.shown(strings, formats));
        }
        Token::Close { name: "row" } => text.push('\n'),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })
}
