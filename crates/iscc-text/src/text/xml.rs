//! XML: all character data as text, and Dublin Core elements as metadata. Feeds have their own
//! reader in [`feed`](super::feed).

use quick_xml::NsReader;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

use super::{Extracted, feed};
use iscc_media::metadata::text::Keys;
use iscc_media::metadata::xmp::namespace::DC;
use iscc_media::xml::expanded;

/// Extracts the text of decoded XML up to the first error, with a space per start tag. Internal
/// entities of the document are expanded, within limits; external ones are never read.
pub fn extract(xml: &str) -> Extracted {
    let xml = expanded(xml);
    feed::extract(&xml).unwrap_or_else(|| character_data(&xml))
}

fn character_data(xml: &str) -> Extracted {
    let mut text = String::with_capacity(xml.len() / 2);
    let mut keys = Keys::default();
    let mut dublin_core: Option<(String, usize)> = None;
    for_each_piece(xml, |piece| {
        match piece {
            Piece::Open(element) => {
                text.push(' ');
                if element.namespace == DC {
                    dublin_core = Some((format!("dc:{}", element.local), text.len()));
                }
            }
            Piece::Empty(_) => text.push(' '),
            Piece::Close => {
                if let Some((key, start)) = dublin_core.take() {
                    keys.put(&key, &text[start..]);
                }
            }
            Piece::Text(piece) => text.push_str(piece),
        }
        true
    });
    Extracted { text, metadata: keys.metadata(), ..Extracted::default() }
}

/// A piece of XML.
pub(super) enum Piece<'a> {
    Open(Element<'a>),
    /// An element without content. No `Close` follows.
    Empty(Element<'a>),
    Close,
    /// Character data without references. A text can have several pieces.
    Text(&'a str),
}

/// A start tag with the resolved namespace of its name, `""` without one.
pub(super) struct Element<'a> {
    pub namespace: &'a str,
    pub local: &'a str,
    tag: &'a BytesStart<'a>,
}

impl Element<'_> {
    /// The value of the attribute with the given name, without its references resolved.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.tag.attributes();
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| attribute.key.as_ref() == name)?;
        Some(found.value.into_owned())
    }
}

/// Calls `visit` for each piece up to the first error, or until it returns false.
pub(super) fn for_each_piece(xml: &str, mut visit: impl FnMut(Piece<'_>) -> bool) {
    let mut reader = NsReader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    while let Ok(event) = reader.read_event() {
        let continues = match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let (resolved, local) = reader.resolver().resolve_element(tag.name());
                let namespace = match resolved {
                    ResolveResult::Bound(namespace) => namespace.into_inner(),
                    ResolveResult::Unbound | ResolveResult::Unknown(_) => "",
                };
                let element = Element { namespace, local: local.into_inner(), tag };
                let is_empty = matches!(event, Event::Empty(_));
                visit(if is_empty { Piece::Empty(element) } else { Piece::Open(element) })
            }
            Event::End(_) => visit(Piece::Close),
            Event::Text(text) => visit(Piece::Text(&text.xml10_content())),
            Event::CData(text) => visit(Piece::Text(text)),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => visit(Piece::Text(character.encode_utf8(&mut [0; 4]))),
                _ => visit(Piece::Text(resolve_html5_entity(reference).unwrap_or_default())),
            },
            Event::Eof => false,
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => true,
        };
        if !continues {
            return;
        }
    }
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
            ["1", "&", "2", "<3>", "eee4"]
        );
        assert_eq!(extract("<a><b>1</b><b>2</b></a>").text, "  1 2");
    }

    #[test]
    fn expands_internal_entities_only() {
        let text =
            |own: &str, body: &str| extract(&format!("<!DOCTYPE r [{own}]><r>{body}</r>")).text;
        assert_eq!(text("<!ENTITY a 'x <b>y</b>'><!ENTITY b '&a;!'>", "1 &b; 2"), " 1 x  y! 2");
        assert_eq!(text("<!ENTITY e SYSTEM 'file:///etc/passwd'>", "1&e;2"), " 12");
        let bomb: String = (1..9)
            .map(|level| format!("<!ENTITY e{level} '{}'>", format!("&e{};", level - 1).repeat(10)))
            .collect();
        assert_eq!(text(&format!("<!ENTITY e0 'lol'>{bomb}"), "1&e8;2"), " 12");
        let title =
            "<dc:title xmlns:dc='http://purl.org/dc/elements/1.1/'>The &co; title</dc:title>";
        let xml = format!("<!DOCTYPE r [<!ENTITY co 'Acme'>]><r>{title}</r>");
        assert_eq!(extract(&xml).metadata.name.as_deref(), Some("The Acme title"));
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
