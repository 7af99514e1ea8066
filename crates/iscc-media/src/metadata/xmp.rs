//! XMP packets (ISO 16684-1): reads properties of the RDF descriptions.

mod write;

pub use write::{Values, description, write};

use crate::charset;
use crate::xml::tree::{self, Element};

/// Namespaces of the properties that this crate reads.
pub mod namespace {
    /// Creative Commons
    pub const CC: &str = "http://creativecommons.org/ns#";
    /// Dublin Core
    pub const DC: &str = "http://purl.org/dc/elements/1.1/";
    /// ISCC
    pub const ISCC: &str = "http://purl.org/iscc/schema/";
    /// IPTC Extension
    pub const IPTC_EXT: &str = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";
    /// PDF
    pub const PDF: &str = "http://ns.adobe.com/pdf/1.3/";
    /// Adobe Photoshop
    pub const PHOTOSHOP: &str = "http://ns.adobe.com/photoshop/1.0/";
    /// Picture Licensing Universal System
    pub const PLUS: &str = "http://ns.useplus.org/ldf/xmp/1.0/";
    /// The same namespace as the reference writes it
    pub const PLUS_SHORT: &str = "http://ns.useplus.org/";
    /// RDF
    pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    /// XML
    pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
    /// Declarations of namespaces
    pub const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
    /// XMP basic
    pub const XMP: &str = "http://ns.adobe.com/xap/1.0/";
    /// XMP dynamic media
    pub const XMP_DM: &str = "http://ns.adobe.com/xmp/1.0/DynamicMedia/";
    /// XMP rights management
    pub const XMP_RIGHTS: &str = "http://ns.adobe.com/xap/1.0/rights/";
}

use namespace::{RDF, XML, XMLNS};

/// Maximum bytes of a packet; the rest is not read. Packets of photographs have a few KiB.
pub const XMP_BYTES_MAX: usize = 16 << 20;

/// The properties of a packet.
pub struct Xmp {
    descriptions: Vec<Element>,
}

impl Xmp {
    /// Parses a packet up to the first XML error.
    pub fn parse(packet: &[u8]) -> Self {
        let packet = &packet[..packet.len().min(XMP_BYTES_MAX)];
        let tree = tree::parse(&charset::decode_xml(packet));
        let rdf = tree.find(RDF, "RDF").cloned().unwrap_or_default();
        let is_description = |child: &Element| child.name.is(RDF, "Description");
        Self { descriptions: rdf.children.into_iter().filter(is_description).collect() }
    }

    /// Text of a property. Of a language alternative, the default or first language; of a list, all
    /// items joined with `, `. `None` for structures and empty values.
    pub fn text(&self, namespace: &str, local: &str) -> Option<String> {
        let as_attribute =
            |description: &Element| description.attribute(namespace, local).map(str::to_owned);
        let as_child = |description: &Element| text_of(description.child(namespace, local)?);
        self.descriptions
            .iter()
            .find_map(|description| as_attribute(description).or_else(|| as_child(description)))
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    /// The first description that declares a namespace under a prefix. The reference reads PDF metadata from no other.
    pub fn schema<'a>(&'a self, prefix: &str, namespace: &'a str) -> Option<Schema<'a>> {
        let mut declaring = self.descriptions.iter();
        let description = declaring.find(|it| it.attribute(XMLNS, prefix) == Some(namespace))?;
        Some(Schema { description, namespace })
    }

    /// A field of the first structure in a list property.
    pub fn first_item_field(&self, namespace: &str, local: &str, field: &str) -> Option<String> {
        let list = self.descriptions.iter().find_map(|it| it.child(namespace, local))?;
        let item = items(list)?.first()?;
        let structure = item.child(RDF, "Description").unwrap_or(item);
        let as_child = || structure.child(namespace, field).and_then(text_of);
        let value = structure.attribute(namespace, field).map(str::to_owned).or_else(as_child)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }
}

/// The properties of one namespace in one description.
pub struct Schema<'a> {
    description: &'a Element,
    namespace: &'a str,
}

impl Schema<'_> {
    /// Of a language alternative, the first text in the packet's order. `None` for other values.
    pub fn first_alternative(&self, local: &str) -> Option<String> {
        let alternatives = self.child(local)?.child(RDF, "Alt")?.children.iter();
        let mut texts = alternatives.map(|item| item.text.trim());
        texts.find(|text| !text.is_empty()).map(str::to_owned)
    }

    /// The items of a list, joined with `, `. `None` for other values.
    pub fn joined_items(&self, local: &str) -> Option<String> {
        let property = self.child(local)?;
        let list = property.child(RDF, "Seq").or_else(|| property.child(RDF, "Bag"))?;
        let texts = list.children.iter().map(|item| item.text.trim());
        let joined = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
        Some(joined).filter(|joined| !joined.is_empty())
    }

    /// A value without structure, from an attribute or an element.
    pub fn value(&self, local: &str) -> Option<String> {
        let attribute = self.description.attribute(self.namespace, local);
        let text = attribute.or_else(|| Some(self.child(local)?.text.as_str()))?.trim();
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    fn child(&self, local: &str) -> Option<&Element> {
        self.description.child(self.namespace, local)
    }
}

fn text_of(property: &Element) -> Option<String> {
    if let Some(items) = items(property) {
        let texts = items.iter().map(|item| item.text.trim());
        if property.child(RDF, "Alt").is_some() {
            let is_default = |item: &&Element| item.attribute(XML, "lang") == Some("x-default");
            return items.iter().find(is_default).or(items.first()).map(|item| item.text.clone());
        }
        return Some(texts.collect::<Vec<_>>().join(", "));
    }
    if let Some(resource) = property.attribute(RDF, "resource") {
        return Some(resource.to_owned());
    }
    property.children.is_empty().then(|| property.text.clone())
}

/// The items of an array property.
fn items(property: &Element) -> Option<&[Element]> {
    let array = ["Alt", "Bag", "Seq"].iter().find_map(|kind| property.child(RDF, kind))?;
    Some(&array.children)
}

#[cfg(test)]
mod tests {
    use super::namespace::*;
    use super::*;

    fn packet(properties: &str) -> Xmp {
        Xmp::parse(
            format!(
                "<?xpacket begin='\u{feff}'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
                <rdf:RDF xmlns:rdf='{RDF}' xmlns:dc='{DC}' xmlns:plus='{PLUS}' xmlns:xmp='{XMP}'>
                <rdf:Description rdf:about='' xmp:Nickname='Nick'/>
                <rdf:Description rdf:about=''>{properties}</rdf:Description>
                </rdf:RDF></x:xmpmeta>"
            )
            .as_bytes(),
        )
    }

    #[test]
    fn reads_alternatives_lists_and_plain_values() {
        let xmp = packet(
            "<dc:title><rdf:Alt><rdf:li xml:lang='de'>Titel</rdf:li>
            <rdf:li xml:lang='x-default'> Title </rdf:li></rdf:Alt></dc:title>
            <dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>
            <dc:source rdf:resource='urn:x'/><dc:type>plain</dc:type><dc:format> </dc:format>",
        );
        assert_eq!(xmp.text(DC, "title").unwrap(), "Title");
        assert_eq!(xmp.text(DC, "creator").unwrap(), "A, B");
        assert_eq!(xmp.text(DC, "source").unwrap(), "urn:x");
        assert_eq!(xmp.text(DC, "type").unwrap(), "plain");
        assert_eq!(xmp.text(DC, "format"), None);
        assert_eq!(xmp.text(XMP, "Nickname").unwrap(), "Nick");
        assert_eq!(xmp.text(XMP, "nickname"), None);
    }

    #[test]
    fn reads_fields_of_structures_in_lists() {
        let nested = "<plus:Licensor><rdf:Seq><rdf:li rdf:parseType='Resource'>
            <plus:LicensorURL>http://a</plus:LicensorURL></rdf:li></rdf:Seq></plus:Licensor>";
        let short = "<plus:Licensor><rdf:Bag><rdf:li><rdf:Description plus:LicensorURL='http://a'/>
            </rdf:li></rdf:Bag></plus:Licensor>";
        for form in [nested, short] {
            let url = packet(form).first_item_field(PLUS, "Licensor", "LicensorURL");
            assert_eq!(url.unwrap(), "http://a");
            assert_eq!(packet(form).first_item_field(PLUS, "Licensor", "LicensorName"), None);
        }
    }

    #[test]
    fn invalid_packets_have_no_properties() {
        for invalid in [&b""[..], b"\xff\xfe\x00", b"<rdf:RDF", b"<a><b></a>"] {
            assert_eq!(Xmp::parse(invalid).text(DC, "title"), None);
        }
    }
}
