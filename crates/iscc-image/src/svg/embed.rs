//! Writes metadata into a copy: title, description, and an XMP description.

use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, Writer};

use super::metadata::elements_of;
use super::{SvgError, guard, prefix, read};
use iscc_media::metadata::xmp;
use iscc_media::xml;

/// Id of the block that this module writes, so that the next write replaces it.
const BLOCK_ID: &str = "isccd-metadata";

/// Fields that can be embedded, named as in an ISCC result, and their XMP property.
const FIELDS: [(&str, &str); 10] = [
    ("name", "iscc:name"),
    ("description", "iscc:description"),
    ("meta", "iscc:meta"),
    ("creator", "dc:creator"),
    ("rights", "dc:rights"),
    ("identifier", "dc:identifier"),
    ("license", "cc:license"),
    ("acquire", "plus:Licensor"),
    ("credit", "photoshop:Credit"),
    ("keywords", "dc:subject"),
];

/// Names and values of fields to write. Fields that SVG does not support are ignored.
pub type Fields<'a> = [(&'a str, &'a str)];

/// A copy of the document in UTF-8 with the given fields. Other fields and the graphics are
/// unchanged.
pub fn embed(bytes: &[u8], fields: &Fields<'_>) -> Result<Vec<u8>, SvgError> {
    let text = guard(bytes)?;
    let present = read(bytes);
    let value = |name: &str| {
        let given = fields.iter().find(|(field, _)| *field == name).map(|(_, value)| *value);
        given.or_else(|| present.field(name))
    };
    let mut reader = Reader::from_str(&text);
    let mut writer = Writer::new(Vec::with_capacity(bytes.len() + 2048));
    let mut depth = 0_usize;
    // SVG elements may have a prefix, as in `svg:title`.
    let mut svg_prefix = String::new();
    loop {
        let event = reader.read_event().map_err(invalid)?;
        if let (0, Event::Start(root) | Event::Empty(root)) = (depth, &event) {
            svg_prefix = prefix(root.name().as_ref()).to_owned();
        }
        match &event {
            Event::Eof => break,
            Event::Decl(declaration) => {
                write(&mut writer, Event::Decl(xml::utf8_declaration(declaration)))?;
                continue;
            }
            Event::Start(start)
                if depth == 1 && is_replaced(start, &svg_prefix, &value)
                    || depth > 1 && is_old(start, fields) =>
            {
                reader.read_to_end(start.name()).map_err(invalid)?;
                continue;
            }
            Event::Empty(start) if depth > 1 && is_old(start, fields) => continue,
            Event::Start(_) => depth += 1,
            Event::Empty(start) if depth == 0 => {
                write(&mut writer, Event::Start(start.borrow()))?;
                writer.get_mut().extend_from_slice(block(&svg_prefix, &value).as_bytes());
                write(&mut writer, Event::End(start.to_end()))?;
                continue;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        let root_opened = depth == 1 && matches!(event, Event::Start(_));
        write(&mut writer, event)?;
        if root_opened {
            writer.get_mut().extend_from_slice(block(&svg_prefix, &value).as_bytes());
        }
    }
    Ok(writer.into_inner())
}

/// Whether the element is a title or description with a new value, or an earlier metadata block.
fn is_replaced<'a>(
    start: &BytesStart<'_>,
    svg_prefix: &str,
    value: &impl Fn(&str) -> Option<&'a str>,
) -> bool {
    match start.name().as_ref().strip_prefix(svg_prefix) {
        Some("title") => value("name").is_some(),
        Some("desc") => value("description").is_some(),
        Some("metadata") => {
            start.attributes().flatten().any(|id| id.key.as_ref() == "id" && id.value == BLOCK_ID)
        }
        _ => false,
    }
}

/// Title, description and the metadata block; without elements for fields that have no value.
fn block<'a>(svg_prefix: &str, value: &impl Fn(&str) -> Option<&'a str>) -> String {
    let element = |name: &str, field: &str| {
        value(field).map(|text| format!("<{name}>{}</{name}>", escape(text))).unwrap_or_default()
    };
    let mut block = element(&format!("{svg_prefix}title"), "name")
        + &element(&format!("{svg_prefix}desc"), "description");
    let mut properties = Vec::new();
    for (field, property) in FIELDS {
        match value(field) {
            Some(keywords) if field == "keywords" => {
                let items = keywords.split(',').map(str::trim).filter(|item| !item.is_empty());
                properties.extend(items.map(|item| (property, item)));
            }
            value => properties.extend(value.map(|value| (property, value))),
        }
    }
    if !properties.is_empty() {
        block.push_str(&format!(
            concat!(
                r#"<{prefix}metadata id="{id}">"#,
                r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{description}</rdf:RDF>"#,
                r#"</{prefix}metadata>"#
            ),
            prefix = svg_prefix,
            id = BLOCK_ID,
            description = xmp::description(&properties)
        ));
    }
    block
}

/// Whether the element is RDF with an old value of a given field.
fn is_old(start: &BytesStart<'_>, fields: &Fields<'_>) -> bool {
    let name = start.name();
    let name: &str = name.as_ref();
    name.contains(':') && fields.iter().any(|(field, _)| elements_of(field).contains(&name))
}

fn write(writer: &mut Writer<Vec<u8>>, event: Event<'_>) -> Result<(), SvgError> {
    writer.write_event(event).map_err(invalid)
}

fn invalid(error: impl std::fmt::Display) -> SvgError {
    SvgError::Invalid(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::rasterize;
    use super::{embed, read};

    const DRAWING: &str = r##"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><title>Old</title><desc>Kept &amp; safe</desc><g><title>A shape</title><rect width="9" height="9" fill="#123456"/></g></svg>"##;

    #[test]
    fn fields_are_read_back_and_the_image_is_unchanged() {
        let fields = [
            ("name", "New <name> & \"more\""),
            ("meta", "data:application/json;base64,e30="),
            ("creator", "A. Creator"),
            ("license", "https://example.com/license?a=1&b=2"),
            ("acquire", "https://example.com/acquire"),
            ("credit", "A & B"),
            ("keywords", "one, two"),
        ];
        let copy = embed(DRAWING.as_bytes(), &fields).unwrap();
        let metadata = read(&copy);
        for (name, value) in &fields {
            assert_eq!(metadata.field(name), Some(*value));
        }
        assert_eq!(metadata.field("description"), Some("Kept & safe"));
        assert_eq!(rasterize(&copy).unwrap(), rasterize(DRAWING.as_bytes()).unwrap());
        assert!(String::from_utf8(copy).unwrap().contains("<title>A shape</title>"));
    }

    #[test]
    fn a_second_write_replaces_given_fields_and_keeps_others() {
        let first = embed(DRAWING.as_bytes(), &[("name", "First"), ("rights", "(c)")]).unwrap();
        let second = embed(&first, &[("name", "Second")]).unwrap();
        let metadata = read(&second);
        assert_eq!(metadata.field("name"), Some("Second"));
        assert_eq!(metadata.field("rights"), Some("(c)"));
        assert_eq!(String::from_utf8(second).unwrap().matches("<metadata").count(), 1);
    }

    #[test]
    fn old_values_in_other_rdf_are_removed() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg"><metadata><rdf:RDF><cc:Work><dc:creator><cc:Agent><dc:title>Old</dc:title></cc:Agent></dc:creator><dc:title>Kept</dc:title><cc:license rdf:resource="Old"/></cc:Work></rdf:RDF></metadata></svg>"#;
        let fields = [("creator", "New"), ("license", "https://example.com/")];
        let copy = embed(svg.as_bytes(), &fields).unwrap();
        let text = String::from_utf8(copy.clone()).unwrap();
        assert!(!text.contains("Old") && text.contains("Kept"), "{text}");
        assert_eq!(embed(&copy, &fields).unwrap(), copy);
    }

    #[test]
    fn the_copy_is_utf_8_and_declares_it() {
        let declared =
            DRAWING.replace(r#"version="1.0""#, r#"version="1.0" encoding="iso-8859-1""#);
        let latin: Vec<u8> =
            declared.replace("safe", "f\u{fc}r").chars().map(|letter| letter as u8).collect();
        let wide: Vec<u8> = format!("\u{feff}{}", DRAWING.replace("safe", "für"))
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (file, description) in
            [(declared.as_bytes(), "Kept & safe"), (&latin, "Kept & für"), (&wide, "Kept & für")]
        {
            let copy = embed(file, &[("name", "Grüße 中")]).unwrap();
            let text = str::from_utf8(&copy).unwrap();
            assert!(!text.contains("iso-8859-1") && !text.contains('\u{feff}'), "{text}");
            assert_eq!(read(&copy).field("name"), Some("Grüße 中"));
            assert_eq!(read(&copy).field("description"), Some(description));
            assert_eq!(rasterize(&copy).unwrap(), rasterize(file).unwrap());
        }
        let copy = embed(&latin, &[("name", "x")]).unwrap();
        assert!(copy.starts_with(br#"<?xml version="1.0" encoding="UTF-8"?>"#));
    }

    #[test]
    fn documents_with_prefixed_names_get_prefixed_elements() {
        let drawing = DRAWING
            .replace("xmlns=", "xmlns:v=")
            .replace("</", "</v:")
            .replace("<title", "<v:title")
            .replace("<desc", "<v:desc")
            .replace("<svg", "<v:svg")
            .replace("<g>", "<v:g>")
            .replace("<rect", "<v:rect");
        assert_eq!(read(drawing.as_bytes()).field("name"), Some("Old"));
        let first = embed(drawing.as_bytes(), &[("name", "First")]).unwrap();
        let copy = String::from_utf8(embed(&first, &[("name", "New")]).unwrap()).unwrap();
        assert_eq!(read(copy.as_bytes()).field("name"), Some("New"));
        assert_eq!(copy.matches("<v:title>").count(), 2, "{copy}");
        assert_eq!(copy.matches("<v:metadata").count(), 1, "{copy}");
        assert_eq!(rasterize(copy.as_bytes()).unwrap(), rasterize(drawing.as_bytes()).unwrap());
    }

    #[test]
    fn reads_the_first_of_several_creators() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg"><metadata><rdf:RDF><cc:Work><dc:creator><rdf:Seq><rdf:li>One</rdf:li><rdf:li>Two</rdf:li></rdf:Seq></dc:creator><dc:title>T</dc:title></cc:Work></rdf:RDF></metadata></svg>"#;
        let metadata = read(svg.as_bytes());
        assert_eq!(metadata.field("creator"), Some("One"));
        assert_eq!(metadata.field("name"), Some("T"));
    }
}
