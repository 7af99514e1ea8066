//! XML: all character data as text, and Dublin Core elements as metadata.

use quick_xml::NsReader;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;

use super::Extracted;
use crate::metadata::text::Keys;
use crate::metadata::xmp::namespace::DC;

/// Extracts the text of decoded XML up to the first error, with a space per start tag. Ignores
/// entities that the document defines: nothing is expanded.
pub fn extract(xml: &str) -> Extracted {
    let mut reader = NsReader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut text = String::with_capacity(xml.len() / 2);
    let mut keys = Keys::default();
    let mut dublin_core: Option<(String, usize)> = None;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) => {
                text.push(' ');
                let (namespace, local) = reader.resolver().resolve_element(start.name());
                if matches!(namespace, ResolveResult::Bound(namespace) if namespace.into_inner() == DC)
                {
                    dublin_core = Some((format!("dc:{}", local.into_inner()), text.len()));
                }
            }
            Event::Empty(_) => text.push(' '),
            Event::End(_) => {
                if let Some((key, start)) = dublin_core.take() {
                    keys.put(&key, &text[start..]);
                }
            }
            Event::Text(piece) => text.push_str(&piece.xml10_content()),
            Event::CData(piece) => text.push_str(&piece),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => text.push(character),
                _ => text.push_str(resolve_html5_entity(&reference).unwrap_or_default()),
            },
            Event::Eof => break,
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
        }
    }
    Extracted { text, metadata: keys.metadata(), cover: None }
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn extracts_character_data_in_document_order() {
        let xml = "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'eee'>]><r a='no'><!-- no --><b>1 &amp; 2</b>
            <c><![CDATA[<3>]]></c> &e;&#x34;</r>";
        assert_eq!(
            extract(xml).text.split_whitespace().collect::<Vec<_>>(),
            ["1", "&", "2", "<3>", "4"]
        );
        assert_eq!(extract("<a><b>1</b><b>2</b></a>").text, "  1 2");
    }

    #[test]
    fn reads_dublin_core_as_metadata() {
        let metadata = extract(
            "<r xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>T</dc:title>
            <dc:creator>A</dc:creator><dc:creator>B</dc:creator><title>no</title></r>",
        )
        .metadata;
        assert_eq!(metadata.name.as_deref(), Some("T"));
        assert_eq!(metadata.creator.as_deref(), Some("A, B"));
    }

    #[test]
    fn reads_broken_documents_partially() {
        assert_eq!(extract("<a>1<b>2</a>3</c>").text.trim(), "1 23");
        assert_eq!(extract("").text, "");
    }
}
