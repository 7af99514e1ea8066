//! The XMP packet of a PDF, and the fields that the reference reads from it.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use encoding_rs::UTF_16BE;
use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, Stream};
use memchr::memmem;

use iscc_media::metadata::xmp::{XMP_BYTES_MAX, Xmp};

/// Fields of the packet. The reference uses them where the information dictionary has none.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PdfXmp {
    /// First language of `dc:title`.
    pub title: Option<String>,
    /// First language of `dc:description`.
    pub description: Option<String>,
    /// Items of `dc:creator`, joined with `, `.
    pub creator: Option<String>,
    /// First language of `dc:rights`.
    pub rights: Option<String>,
    /// `pdf:Keywords`. The reference does not read `dc:subject`.
    pub keywords: Option<String>,
}

/// The fields of the document's packet; none if there is no packet, or if it or the document is damaged.
pub fn xmp(bytes: &[u8]) -> PdfXmp {
    packet(bytes).map(|packet| fields(&packet)).unwrap_or_default()
}

/// The packet of the catalog. Packets of pictures and attachments are others.
fn packet(bytes: &[u8]) -> Option<Vec<u8>> {
    // Most documents without a packet need not be parsed.
    let may_have = |name: &[u8]| memmem::find(bytes, name).is_some();
    if !may_have(b"/Metadata") && !may_have(b"/ObjStm") {
        return None;
    }
    let pdf = Pdf::new(Arc::new(bytes.to_vec())).ok()?;
    let catalog: Dict<'_> = pdf.xref().get(pdf.xref().root_id())?;
    let stream: Stream<'_> = catalog.get("Metadata")?;
    let data = stream.raw_data();
    match stream.filters().as_slice() {
        [] => Some(data.into_owned()),
        [Filter::FlateDecode] => Some(inflated(&data)),
        _ => stream.decoded_data().ok().map(Cow::into_owned),
    }
}

/// What can be decompressed of a packet, within its limit.
fn inflated(data: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    // A damaged end is as good as a missing one.
    let _ = ZlibDecoder::new(data).take(XMP_BYTES_MAX as u64).read_to_end(&mut packet);
    packet
}

fn fields(packet: &[u8]) -> PdfXmp {
    use iscc_media::metadata::xmp::namespace::{DC, PDF};
    let xmp = Xmp::parse(packet);
    let dublin_core = xmp.schema("dc", DC);
    let alternative = |local| dublin_core.as_ref()?.first_alternative(local).map(unescaped);
    PdfXmp {
        title: alternative("title"),
        description: alternative("description"),
        creator: dublin_core.as_ref().and_then(|it| it.joined_items("creator")),
        rights: alternative("rights"),
        keywords: xmp.schema("pdf", PDF).and_then(|it| it.value("Keywords")),
    }
}

/// Text that is written as the octets of a PDF string in UTF-16: old printers to PDF copied these from the information
/// dictionary.
fn unescaped(value: String) -> String {
    const MARK: &str = r"\376\377";
    let Some(mut rest) = value.strip_prefix(MARK) else { return value };
    let mut octets = Vec::new();
    while let Some(first) = rest.chars().next() {
        let digits = rest.get(1..4).filter(|_| first == '\\');
        if let Some(octet) = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            octets.push(octet);
            rest = &rest[4..];
            continue;
        }
        let escaped = rest[first.len_utf8()..].chars().next().filter(|_| first == '\\');
        octets.push(match escaped {
            Some('n') => b'\n',
            Some('r') => b'\r',
            Some('t') => b'\t',
            other => u8::try_from(other.unwrap_or(first)).unwrap_or(b'?'),
        });
        rest = &rest[first.len_utf8() + escaped.map_or(0, char::len_utf8)..];
    }
    UTF_16BE.decode_without_bom_handling(&octets).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &str = r#"<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 pdf:Keywords="k1, k2">
<dc:title><rdf:Alt><rdf:li xml:lang="de"></rdf:li><rdf:li xml:lang="fr">Titre</rdf:li>
<rdf:li xml:lang="x-default">Title</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li></rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>
<dc:description>no alternative</dc:description>
<dc:rights><rdf:Seq><rdf:li>no alternative</rdf:li></rdf:Seq></dc:rights>
</rdf:Description></rdf:RDF></x:xmpmeta>"#;

    /// A document with a packet under the catalog, and one of a picture before it.
    fn document(entries: &str, packet: &[u8]) -> Vec<u8> {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut places = Vec::new();
        let mut object = |number: u32, dict: &str, data: Option<&[u8]>| {
            places.push(bytes.len());
            bytes.extend(format!("{number} 0 obj\n{dict}\n").bytes());
            if let Some(data) = data {
                bytes.extend(b"stream\n");
                bytes.extend(data);
                bytes.extend(b"\nendstream\n");
            }
            bytes.extend(b"endobj\n");
        };
        let other = PACKET.replace("Titre", "Picture");
        let stream = |length: usize, more: &str| {
            format!("<</Type/Metadata/Subtype/XML/Length {length}{more}>>")
        };
        object(1, "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>", None);
        object(2, "<</Type/Pages/Kids[5 0 R]/Count 1>>", None);
        object(3, &stream(other.len(), ""), Some(other.as_bytes()));
        object(4, &stream(packet.len(), entries), Some(packet));
        object(5, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Metadata 3 0 R>>", None);
        let table = bytes.len();
        bytes.extend(b"xref\n0 6\n0000000000 65535 f \n");
        places.iter().for_each(|at| bytes.extend(format!("{at:010} 00000 n \n").bytes()));
        bytes.extend(b"trailer\n<</Size 6/Root 1 0 R>>\n");
        bytes.extend(format!("startxref\n{table}\n%%EOF").bytes());
        bytes
    }

    #[test]
    fn fields_are_those_of_the_reference() {
        let expected = PdfXmp {
            title: Some("Titre".to_owned()),
            creator: Some("A, B".to_owned()),
            keywords: Some("k1, k2".to_owned()),
            ..PdfXmp::default()
        };
        assert_eq!(xmp(&document("", PACKET.as_bytes())), expected);
        let mut encoder = flate2::read::ZlibEncoder::new(PACKET.as_bytes(), Default::default());
        let mut compressed = Vec::new();
        encoder.read_to_end(&mut compressed).unwrap();
        assert_eq!(xmp(&document("/Filter/FlateDecode", &compressed)), expected);
    }

    #[test]
    fn escaped_octets_of_utf_16_are_text() {
        let text = |value: &str| unescaped(value.to_owned());
        assert_eq!(text(r"\376\377\000M\000\344\040\254\000\(\000\\"), "Mä€(\\");
        assert_eq!(text(r"\376 is octal"), r"\376 is octal");
        assert_eq!(text(r"\376\377\"), "\u{fffd}");
        assert_eq!(text(r"\376\377\000é"), "é");
    }

    #[test]
    fn damage_costs_only_the_fields() {
        let whole = document("", PACKET.as_bytes());
        for cut in (0..whole.len()).step_by(7) {
            xmp(&whole[..cut]);
        }
        assert_eq!(xmp(&document("/Filter/FlateDecode", b"no zlib")), PdfXmp::default());
        assert_eq!(xmp(b"%PDF-1.7 /Metadata"), PdfXmp::default());
        assert_eq!(xmp(b""), PdfXmp::default());
    }
}
