//! OpenDocument: elements and user-defined properties of `office:meta` (ODF 1.3, 4.3).

use quick_xml::escape::escape;

use super::super::DocumentError;
use super::super::container::{Budget, Container};
use super::edit::{Edit, edit, rewrite};
use super::{Properties, replace, split};

const META: &str = "meta.xml";
const MANIFEST: &str = "META-INF/manifest.xml";
const META_NAMESPACE: &str = "urn:oasis:names:tc:opendocument:xmlns:meta:1.0";
const MANIFEST_NAMESPACE: &str = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0";

/// Metadata for documents without this part.
const EMPTY_META: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    r#"<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0""#,
    r#" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0""#,
    r#" xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3"><office:meta/>"#,
    r#"</office:document-meta>"#
);

pub fn embed(bytes: &[u8], properties: &Properties<'_>) -> Result<Vec<u8>, DocumentError> {
    let mut budget = Budget::default();
    let mut container = Container::open(bytes, &mut budget)?;
    let present = container.optional(META)?;
    let meta = edited(META, present.as_deref().unwrap_or(EMPTY_META.as_bytes()), properties)?;
    match container.optional(MANIFEST)? {
        Some(manifest) if !lists_meta(&manifest) => {
            let entry = format!(
                r#"<manifest:file-entry xmlns:manifest="{MANIFEST_NAMESPACE}" manifest:full-path="{META}" manifest:media-type="text/xml"/>"#
            );
            let manifest = super::package::append(MANIFEST, &manifest, &entry)?;
            replace(bytes, &[(META, meta), (MANIFEST, manifest)])
        }
        _ => replace(bytes, &[(META, meta)]),
    }
}

/// Whether the manifest has an entry for the metadata. Some programs read only parts that have one.
fn lists_meta(manifest: &[u8]) -> bool {
    let text = String::from_utf8_lossy(manifest);
    [r#""meta.xml""#, "'meta.xml'"].iter().any(|path| text.contains(path))
}

pub fn embed_flat(bytes: &[u8], properties: &Properties<'_>) -> Result<Vec<u8>, DocumentError> {
    const FILE: &str = "document";
    match edited(FILE, bytes, properties) {
        Err(DocumentError::Malformed(_)) => {
            edited(FILE, &with_empty_meta(FILE, bytes)?, properties)
        }
        done => done,
    }
}

/// A copy of a flat document with an empty metadata element as the first child of its root.
fn with_empty_meta(part: &str, bytes: &[u8]) -> Result<Vec<u8>, DocumentError> {
    use quick_xml::events::Event;
    let mut is_added = false;
    rewrite(part, bytes, |_, event, writer| {
        writer.write_event(event.borrow())?;
        if matches!(event, Event::Start(_)) && !is_added {
            is_added = true;
            writer.get_mut().extend_from_slice(b"<office:meta/>");
        }
        Ok(())
    })
}

fn edited(part: &str, meta: &[u8], properties: &Properties<'_>) -> Result<Vec<u8>, DocumentError> {
    let (elements, custom) = split(properties);
    let appended: String = custom
        .iter()
        .map(|(name, value)| {
            format!(
                r#"<meta:user-defined xmlns:meta="{META_NAMESPACE}" meta:name="{}">{}</meta:user-defined>"#,
                escape(*name),
                escape(*value)
            )
        })
        .collect();
    edit(
        part,
        meta,
        &Edit {
            elements: &elements,
            appended: &appended,
            is_parent: &|name| name == "meta",
            is_removed: &|name, attribute| {
                name == "meta:user-defined"
                    && attribute("name").is_some_and(|it| custom.iter().any(|(key, _)| *key == it))
            },
        },
    )
}
