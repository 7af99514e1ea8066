//! Office Open XML spreadsheet: per sheet its name, a line per row with a tab before each cell,
//! comments, texts of drawings and hyperlinks; then the names of pictures and the contents of
//! embedded documents.

mod binary;
pub(super) mod number;
mod sheet;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use self::number::NumberFormat;
use self::sheet::Workbook;
use super::container::{Budget, Container, TEXT_BYTES_MAX, join};
use super::embedded::{self, Embedded};
use super::prefix;
use super::{Document, DocumentError, graphics, properties};
use iscc_media::xml::{self, Token};

/// Conventional name of the main part.
const WORKBOOK: &str = "xl/workbook.xml";

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open_package(bytes, budget)?;
    let main = container.main_part(WORKBOOK)?;
    let content = container.part(&main)?;
    let workbook = Workbook {
        strings: shared_strings(&mut container, &main)?,
        formats: cell_formats(&mut container, &main)?,
    };
    let relationships = container.relationships(&main)?;
    let targets: HashMap<_, _> =
        relationships.into_iter().map(|found| (found.id, found.target)).collect();
    let listed = if is_binary(&main) { binary::sheets(&content) } else { sheets(&main, &content)? };
    let mut text = String::new();
    let mut parts = Vec::new();
    for (name, id) in listed {
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
        embedded.append(&mut container, part, &mut text)?;
        for kind in ["drawing", "vmlDrawing"] {
            for drawing in container.related(part, kind)? {
                embedded.append(&mut container, &drawing, &mut text)?;
            }
        }
    }
    embedded::append_thumbnail(&mut container, &mut text)?;
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, ..Document::default() })
}

/// Appends the targets of the links of shapes.
fn append_links(
    container: &mut Container<'_>,
    drawing: &str,
    content: &[u8],
    text: &mut String,
) -> Result<(), DocumentError> {
    let relationships = container.relationships(drawing)?;
    let targets: HashMap<String, String> = relationships
        .into_iter()
        .filter(|it| it.is_external || it.target.starts_with('#'))
        .map(|it| (it.id, it.target))
        .collect();
    prefix::for_each_token(drawing, content, |token| {
        if let Token::Open { name: "a:hlinkClick", attributes } = token
            && text.len() < TEXT_BYTES_MAX
            && let Some(target) = attributes.get("r:id").and_then(|id| targets.get(&id))
        {
            text.push_str(target);
        }
    })?;
    Ok(())
}

/// Whether a part is that of a binary workbook.
fn is_binary(part: &str) -> bool {
    part.to_ascii_lowercase().ends_with(".bin")
}

/// Appends the cells of a sheet, its drawings and its hyperlinks. Chart sheets have no cells.
fn append_sheet(
    container: &mut Container<'_>,
    part: &str,
    workbook: &Workbook,
    text: &mut String,
) -> Result<(), DocumentError> {
    let content = container.part(part)?;
    if is_binary(part) {
        let mut writer = sheet::Writer::new(text, BTreeMap::new());
        binary::append_cells(&content, workbook, &mut writer);
        binary::append_comments(container, part, text)?;
    } else {
        let comments = sheet::comments(container, part)?;
        sheet::append_cells(part, &content, workbook, comments, text)?;
    }
    text.push('\n');
    for comments in container.related(part, "threadedComment")? {
        let content = container.part(&comments)?;
        append_conversations(&comments, &content, text)?;
    }
    for drawing in container.related(part, "drawing")? {
        let content = container.part(&drawing)?;
        append_links(container, &drawing, &content, text)?;
        graphics::append_part(&drawing, &content, text)?;
        graphics::append(container, &drawing, text)?;
    }
    let relationships = container.sorted_relationships(part)?;
    let links = relationships.into_iter().filter(|it| it.is("hyperlink"));
    let links: Vec<_> = links.map(|link| link.target).collect();
    text.push_str(&links.join(" "));
    Ok(())
}

/// Appends conversations about cells ([MS-XLSX] 2.6.203): the texts, without their authors.
fn append_conversations(part: &str, bytes: &[u8], text: &mut String) -> Result<(), DocumentError> {
    let mut in_text = false;
    prefix::for_each_token(part, bytes, |token| match token {
        Token::Open { name, .. } if xml::local(name) == "text" => in_text = true,
        Token::Close { name } if xml::local(name) == "text" => {
            in_text = false;
            text.push_str("\n\n");
        }
        Token::Text(piece) if in_text => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(())
}

/// Name and relationship id of each sheet, in the workbook's order.
fn sheets(part: &str, workbook: &[u8]) -> Result<Vec<(String, String)>, DocumentError> {
    let mut sheets = Vec::new();
    prefix::for_each_token(part, workbook, |token| {
        if let Token::Open { name: "sheet", attributes } = token {
            let name = attributes.get("name").unwrap_or_default();
            sheets.push((name, attributes.get("r:id").unwrap_or_default()));
        }
    })?;
    Ok(sheets)
}

/// The strings that cells refer to by number, each with its phonetic runs after it, as in the
/// reference.
fn shared_strings(
    container: &mut Container<'_>,
    workbook: &str,
) -> Result<Vec<String>, DocumentError> {
    let mut strings = Vec::new();
    let part = container.related_or(workbook, "sharedStrings", "sharedStrings.xml")?;
    let Some(bytes) = container.optional(&part)? else { return Ok(strings) };
    if is_binary(&part) {
        return Ok(binary::shared_strings(&bytes));
    }
    let mut current = String::new();
    let mut in_text = false;
    prefix::for_each_token(&part, &bytes, |token| match token {
        Token::Open { name: "rPh", .. } => current.push(' '),
        Token::Open { name: "t", .. } => in_text = true,
        Token::Close { name: "t" } => in_text = false,
        Token::Text(piece) if in_text => current.push_str(piece),
        Token::Close { name: "si" } => strings.push(std::mem::take(&mut current)),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(strings)
}

/// The number format of each cell style. Styles with the same code share it: a style takes a few
/// bytes in the document, and formats of dates have a state.
#[derive(Default)]
struct Formats {
    codes: HashMap<String, String>,
    by_id: HashMap<String, Rc<NumberFormat>>,
    by_code: HashMap<String, Rc<NumberFormat>>,
    styles: Vec<Rc<NumberFormat>>,
}

impl Formats {
    /// Gives a number of a format its code.
    fn define(&mut self, id: String, code: String) {
        self.by_id.remove(&id);
        self.codes.insert(id, code);
    }

    /// Adds a style with the number of its format.
    fn add_style(&mut self, id: String) {
        let Self { codes, by_id, by_code, styles } = self;
        let format = by_id.entry(id).or_insert_with_key(|id| {
            let code = codes.get(id).map(String::as_str).or_else(|| number::built_in(id));
            let code = code.unwrap_or("General");
            let parse = || Rc::new(NumberFormat::new(code));
            Rc::clone(by_code.entry(code.to_owned()).or_insert_with(parse))
        });
        styles.push(Rc::clone(format));
    }
}

/// The number format of each cell style.
fn cell_formats(
    container: &mut Container<'_>,
    workbook: &str,
) -> Result<Vec<Rc<NumberFormat>>, DocumentError> {
    let mut formats = Formats::default();
    let part = container.related_or(workbook, "styles", "styles.xml")?;
    let Some(bytes) = container.optional(&part)? else { return Ok(Vec::new()) };
    if is_binary(&part) {
        binary::cell_formats(&bytes, &mut formats);
        return Ok(formats.styles);
    }
    let mut in_cell_styles = false;
    prefix::for_each_token(&part, &bytes, |token| match token {
        Token::Open { name: "numFmt", attributes } => {
            let get = |name| attributes.get(name).unwrap_or_default();
            formats.define(get("numFmtId"), get("formatCode"));
        }
        Token::Open { name: "cellXfs", .. } => in_cell_styles = true,
        Token::Close { name: "cellXfs" } => in_cell_styles = false,
        Token::Open { name: "xf", attributes } if in_cell_styles => {
            formats.add_style(attributes.get("numFmtId").unwrap_or_default());
        }
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(formats.styles)
}

#[cfg(test)]
mod tests {
    use super::super::container::{archive, relations};
    use super::*;

    const SHEET: &str = concat!(
        r#"<worksheet><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c>"#,
        r#"<c s="0"><v>0.5</v></c></row></worksheet>"#
    );
    const STRINGS: &str = "<sst><si><t>first</t></si></sst>";
    const STYLES: &str = r#"<styleSheet><cellXfs><xf numFmtId="9"/></cellXfs></styleSheet>"#;

    /// The text of a workbook with a sheet, with the given names of the parts and the targets of
    /// their relationships.
    fn text_of(main: &str, strings: (&str, &str), styles: (&str, &str)) -> String {
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = main.rsplit('/').next().unwrap();
        let package = relations(&[("officeDocument", main)]);
        let relations = relations(&[
            ("worksheet", "sheet1.xml"),
            ("sharedStrings", strings.1),
            ("styles", styles.1),
        ]);
        let workbook = r#"<workbook><sheet name="One" r:id="rId1"/></workbook>"#;
        let bytes = archive(&[
            ("_rels/.rels", package.as_str()),
            (main, workbook),
            (&format!("{folder}/_rels/{file}.rels"), &relations),
            (&format!("{folder}/sheet1.xml"), SHEET),
            (strings.0, STRINGS),
            (styles.0, STYLES),
        ]);
        read(&bytes, &mut Budget::default()).unwrap().text
    }

    #[test]
    fn parts_are_found_by_relationship_and_without_case() {
        let expected = "One\n\tfirst\t\t50%\n\n\n";
        for (main, strings, styles) in [
            (
                "xl/workbook.xml",
                ("xl/sharedStrings.xml", "sharedStrings.xml"),
                ("xl/styles.xml", "styles.xml"),
            ),
            (
                "xl/workbook2.xml",
                ("xl/SharedStrings.xml", "sharedStrings.xml"),
                ("XL/styles.xml", "styles.xml"),
            ),
            ("a/b.xml", ("xl/strings.xml", "../xl/strings.xml"), ("a/s.xml", "/A/S.xml")),
            // Relationships without a part: conventional names beside the workbook.
            ("a/b.xml", ("a/sharedStrings.xml", "none.xml"), ("a/styles.xml", "none.xml")),
        ] {
            assert_eq!(text_of(main, strings, styles), expected, "{main} {strings:?}");
        }
    }

    #[test]
    fn parts_may_have_any_prefix() {
        let sheet = concat!(
            "<x:sst xmlns:x=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:q=\"",
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships\">"
        );
        let part = |content: &str| format!("{sheet}{content}</x:sst>");
        let bytes = archive(&[
            ("xl/workbook.xml", part(r#"<x:sheet name="One" q:id="rId1"/>"#).as_str()),
            ("xl/_rels/workbook.xml.rels", &relations(&[("worksheet", "s.xml")])),
            ("xl/s.xml", &part(r#"<x:row><x:c t="s" s="0"><x:v>0</x:v></x:c></x:row>"#)),
            ("xl/sharedStrings.xml", &part("<x:si><x:t>first</x:t></x:si>")),
        ]);
        let text = read(&bytes, &mut Budget::default()).unwrap().text;
        assert_eq!(text, "One\n\tfirst\n\n\n");
    }

    #[test]
    fn links_of_shapes_may_lead_into_the_workbook() {
        let shape = concat!(
            r#"<xdr:sp><a:hlinkClick r:id="rId1"/></xdr:sp><xdr:sp><a:hlinkClick r:id="rId2"/></xdr:sp>"#,
            r#"<xdr:sp><a:hlinkClick r:id="rId3"/></xdr:sp>"#
        );
        let file = r#"C:\a.xlsx" TargetMode="External"#;
        let links = relations(&[("hyperlink", "#B!A1"), ("hyperlink", file), ("image", "i.png")]);
        let bytes = archive(&[
            ("xl/workbook.xml", r#"<workbook><sheet name="One" r:id="rId1"/></workbook>"#),
            ("xl/_rels/workbook.xml.rels", &relations(&[("worksheet", "s.xml")])),
            ("xl/s.xml", "<worksheet/>"),
            ("xl/_rels/s.xml.rels", &relations(&[("drawing", "d.xml")])),
            ("xl/d.xml", shape),
            ("xl/_rels/d.xml.rels", &links),
        ]);
        let text = read(&bytes, &mut Budget::default()).unwrap().text;
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["One", "#B!A1C:/a.xlsx"]);
    }

    #[test]
    fn conversations_follow_the_cells() {
        const OFFICE_2018: &str =
            "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments";
        let comments = format!(
            r#"<ThreadedComments xmlns="{OFFICE_2018}"><threadedComment><text>Why?</text></threadedComment></ThreadedComments>"#
        );
        let shape = "<xdr:sp><a:p><a:r><a:t>drawn</a:t></a:r></a:p></xdr:sp>";
        let parts = relations(&[("drawing", "d.xml"), ("threadedComment", "t.xml")]);
        let bytes = archive(&[
            ("xl/workbook.xml", r#"<workbook><sheet name="One" r:id="rId1"/></workbook>"#),
            ("xl/_rels/workbook.xml.rels", &relations(&[("worksheet", "s.xml")])),
            ("xl/s.xml", r#"<worksheet><row><c><v>7</v></c></row></worksheet>"#),
            ("xl/_rels/s.xml.rels", &parts),
            ("xl/t.xml", &comments),
            ("xl/d.xml", shape),
        ]);
        let text = read(&bytes, &mut Budget::default()).unwrap().text;
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["One", "7", "Why?", "drawn"]);
    }

    #[test]
    fn styles_with_the_same_code_share_their_format() {
        let styles = concat!(
            r#"<styleSheet><numFmts><numFmt numFmtId="200" formatCode="0%"/></numFmts><cellXfs>"#,
            r#"<xf numFmtId="9"/><xf numFmtId="200"/><xf numFmtId="9"/><xf/></cellXfs></styleSheet>"#
        );
        let bytes = archive(&[("xl/styles.xml", styles)]);
        let mut budget = Budget::default();
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        let formats = cell_formats(&mut container, WORKBOOK).unwrap();
        assert!(Rc::ptr_eq(&formats[0], &formats[1]) && Rc::ptr_eq(&formats[0], &formats[2]));
        assert_eq!(*formats[3], NumberFormat::General);
    }

    #[test]
    fn a_cell_without_its_string_has_no_text() {
        let strings = ("other.xml", "sharedStrings.xml");
        let text = text_of("xl/workbook.xml", strings, ("xl/styles.xml", "styles.xml"));
        assert_eq!(text, "One\n\t\t\t50%\n\n\n");
    }
}
