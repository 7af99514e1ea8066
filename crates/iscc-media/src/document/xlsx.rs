//! Office Open XML spreadsheet: per sheet its name, a line per row with a tab before each cell,
//! comments, texts of drawings and hyperlinks; then the names of pictures and the contents of
//! embedded documents.

pub(super) mod number;
mod sheet;

use std::collections::HashMap;

use self::number::NumberFormat;
use self::sheet::Workbook;
use super::container::{Budget, Container, join};
use super::embedded::Embedded;
use super::xml::{self, Token};
use super::{Document, DocumentError, graphics, properties};

const WORKBOOK: &str = "xl/workbook.xml";
const SHARED_STRINGS: &str = "xl/sharedStrings.xml";
const STYLES: &str = "xl/styles.xml";

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes, budget)?;
    let content = container.part(WORKBOOK)?;
    let workbook = Workbook {
        strings: shared_strings(&mut container)?,
        formats: cell_formats(&mut container)?,
    };
    let relationships = container.relationships(WORKBOOK)?;
    let targets: HashMap<_, _> =
        relationships.into_iter().map(|found| (found.id, found.target)).collect();
    let mut text = String::new();
    let mut parts = Vec::new();
    for (name, id) in sheets(&content)? {
        let Some(target) = targets.get(&id) else { continue };
        let part = join("", target);
        text.push_str(&name);
        text.push('\n');
        append_sheet(&mut container, &part, &workbook, &mut text)?;
        text.push('\n');
        parts.push(part);
    }
    let mut embedded = Embedded::default();
    for part in &parts {
        embedded.append(&mut container, part, &["drawing"], &mut text)?;
    }
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, cover: None })
}

/// Appends the cells of a sheet, its drawings and its hyperlinks. Chart sheets have no cells.
fn append_sheet(
    container: &mut Container<'_>,
    part: &str,
    workbook: &Workbook,
    text: &mut String,
) -> Result<(), DocumentError> {
    let content = container.part(part)?;
    let comments = sheet::comments(container, part)?;
    sheet::append_cells(part, &content, workbook, comments, text)?;
    text.push('\n');
    for drawing in container.related(part, "drawing")? {
        let content = container.part(&drawing)?;
        graphics::append_part(&drawing, &content, text)?;
        graphics::append(container, &drawing, text)?;
    }
    let relationships = container.sorted_relationships(part)?;
    let links = relationships.into_iter().filter(|it| it.is("hyperlink"));
    let links: Vec<_> = links.map(|link| link.target).collect();
    text.push_str(&links.join(" "));
    Ok(())
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
