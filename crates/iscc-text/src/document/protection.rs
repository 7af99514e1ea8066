//! Encryption of documents whose archive itself can be read.

use std::collections::HashSet;

use super::DocumentError;
use super::container::{Container, percent_decoded};
use iscc_media::xml::{self, Token};

/// Lists the encrypted parts of an OpenDocument file (ODF 1.3 part 2, 3.3).
const MANIFEST: &str = "META-INF/manifest.xml";

/// Lists the encrypted resources of a book (EPUB Open Container Format, 4.2.6.3.2).
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Methods that disguise fonts and are no encryption: IDPF and Adobe.
const OBFUSCATIONS: [&str; 2] =
    ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// Whether an OpenDocument file is encrypted. A damaged list is ignored.
pub fn is_open_document_encrypted(container: &mut Container<'_>) -> Result<bool, DocumentError> {
    let Some(bytes) = container.optional(MANIFEST)? else { return Ok(false) };
    let mut is_encrypted = false;
    let _ = xml::for_each_token(MANIFEST, &bytes, |token| {
        if let Token::Open { name, .. } = token {
            is_encrypted |= xml::local(name) == "encryption-data";
        }
    });
    Ok(is_encrypted)
}

/// Paths of the encrypted resources of a book. A damaged list is ignored.
pub fn encrypted_resources(
    container: &mut Container<'_>,
) -> Result<HashSet<String>, DocumentError> {
    let mut paths = HashSet::new();
    let Some(bytes) = container.optional(ENCRYPTION)? else { return Ok(paths) };
    let mut is_obfuscated = false;
    let _ = xml::for_each_token(ENCRYPTION, &bytes, |token| {
        let Token::Open { name, attributes } = token else { return };
        match xml::local(name) {
            "EncryptedData" => is_obfuscated = false,
            "EncryptionMethod" => {
                let method = attributes.get("Algorithm").unwrap_or_default();
                is_obfuscated = OBFUSCATIONS.contains(&method.as_str());
            }
            "CipherReference" if !is_obfuscated => {
                paths.extend(attributes.get("URI").map(|uri| percent_decoded(&uri)));
            }
            _ => {}
        }
    });
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::super::container::archive;
    use super::super::{DocumentError, Format, read};

    #[test]
    fn encrypted_open_documents_are_refused_as_such() {
        let manifest = |inner: &str| {
            let entry = format!("<m:file-entry m:full-path='content.xml'>{inner}</m:file-entry>");
            format!("<m:manifest xmlns:m='urn:m'>{entry}</m:manifest>")
        };
        let content = "<office:document-content xmlns:office='o' xmlns:text='t'><office:body>\
            <text:p>Text</text:p></office:body></office:document-content>";
        let odt = |content: &str, inner: &str| {
            let manifest = manifest(inner);
            let bytes = archive(&[("content.xml", content), (super::MANIFEST, manifest.as_str())]);
            read(Format::Odt, &bytes, &[]).map(|document| document.text.trim().to_owned())
        };
        assert_eq!(odt(content, "").unwrap(), "Text");
        let encrypted = odt("\u{7}\u{8}", "<m:encryption-data/>");
        assert!(matches!(encrypted, Err(DocumentError::Encrypted)), "{encrypted:?}");
    }

    #[test]
    fn books_with_encrypted_chapters_are_refused_as_such() {
        let book = |method: &str, uri: &str| {
            let encryption = format!(
                "<encryption xmlns:e='urn:e'><e:EncryptedData><e:EncryptionMethod Algorithm='{method}'/>\
                 <e:CipherData><e:CipherReference URI='{uri}'/></e:CipherData></e:EncryptedData></encryption>"
            );
            let bytes = archive(&[
                ("META-INF/container.xml", "<c><rootfile full-path='o/a.opf'/></c>"),
                (super::ENCRYPTION, encryption.as_str()),
                (
                    "o/a.opf",
                    "<package><manifest><item id='c' href='c%201.xhtml' media-type='application/xhtml+xml'/>\
                     <item id='f' href='f.otf' media-type='font/otf'/></manifest>\
                     <spine><itemref idref='c'/></spine></package>",
                ),
                ("o/c 1.xhtml", "<html><body><p>Text</p></body></html>"),
                ("o/f.otf", "font"),
            ]);
            read(Format::Epub, &bytes, &[]).map(|document| document.text.trim().to_owned())
        };
        let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";
        let chapter = book(aes, "o/c%201.xhtml");
        assert!(matches!(chapter, Err(DocumentError::Encrypted)), "{chapter:?}");
        assert_eq!(book(aes, "o/f.otf").unwrap(), "Text");
        assert_eq!(book(super::OBFUSCATIONS[0], "o/c%201.xhtml").unwrap(), "Text");
    }
}
