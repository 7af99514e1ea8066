//! EPUB: the documents of the spine in order, then the paths of the images, as in the reference.

use std::collections::HashMap;

use super::container::{Container, join};
use super::properties::{self, Properties};
use super::xml::{self, Token};
use super::{Document, DocumentError};

const CONTAINER: &str = "META-INF/container.xml";

/// Elements that start and end a line.
const BLOCKS: [&str; 31] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// Elements whose content is not text.
const IGNORED: [&str; 4] = ["head", "script", "style", "title"];

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes)?;
    let package = package(&mut container)?;
    let mut text = String::new();
    for path in package.spine_paths() {
        // Ignores spine items that are missing from the archive.
        if let Some(content) = container.optional(&path)? {
            chapter(&path, &content, &mut text)?;
            text.push('\n');
        }
    }
    for name in container.names() {
        if package.items.iter().any(|item| item.path == name && item.is_raster_image()) {
            text.push_str(&name);
            text.push('\n');
        }
    }
    let cover = match package.cover() {
        Some(path) => container.optional(path)?,
        None => None,
    };
    Ok(Document { text, properties: package.properties, cover })
}

/// A manifest item of the package document.
struct Item {
    id: String,
    href: String,
    path: String,
    mediatype: String,
    properties: String,
}

impl Item {
    fn is_raster_image(&self) -> bool {
        self.mediatype.starts_with("image/") && self.mediatype != "image/svg+xml"
    }
}

/// The package document (EPUB 3.3, 5).
#[derive(Default)]
struct Package {
    properties: Properties,
    items: Vec<Item>,
    spine: Vec<String>,
    /// The item id in EPUB 2's `<meta name="cover">`.
    cover_id: Option<String>,
}

impl Package {
    fn spine_paths(&self) -> Vec<String> {
        let paths: HashMap<_, _> = self.items.iter().map(|item| (&item.id, &item.path)).collect();
        self.spine.iter().filter_map(|id| paths.get(id).map(|path| (*path).clone())).collect()
    }

    /// Path of EPUB 2's cover, else EPUB 3's, else the first image with `cover` in its path.
    fn cover(&self) -> Option<&str> {
        let find = |matches: &dyn Fn(&Item) -> bool| self.items.iter().find(|item| matches(item));
        find(&|item| self.cover_id.as_ref() == Some(&item.id))
            .or_else(|| find(&|item| item.properties.split(' ').any(|name| name == "cover-image")))
            .or_else(|| {
                find(&|item| item.is_raster_image() && item.href.to_lowercase().contains("cover"))
            })
            .map(|item| item.path.as_str())
    }
}

/// Name of the package document (EPUB Open Container Format, 4.2.6.3).
pub(super) fn package_path(container: &mut Container<'_>) -> Result<String, DocumentError> {
    let bytes = container.part(CONTAINER)?;
    let mut path = None;
    xml::for_each_token(CONTAINER, &bytes, |token| {
        if let Token::Open { name, attributes } = token
            && local(name) == "rootfile"
            && path.is_none()
        {
            path = attributes.get("full-path");
        }
    })?;
    path.ok_or_else(|| DocumentError::PartMissing("package document".to_owned()))
}

fn package(container: &mut Container<'_>) -> Result<Package, DocumentError> {
    let path = package_path(container)?;
    let bytes = container.part(&path)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut package = Package::default();
    xml::for_each_token(&path, &bytes, |token| {
        if let Token::Open { name, attributes } = token {
            match local(name) {
                "item" => {
                    let href = attributes.get("href").unwrap_or_default();
                    package.items.push(Item {
                        id: attributes.get("id").unwrap_or_default(),
                        path: join(folder, &percent_decoded(&href)),
                        href,
                        mediatype: attributes.get("media-type").unwrap_or_default(),
                        properties: attributes.get("properties").unwrap_or_default(),
                    });
                }
                "itemref" => package.spine.extend(attributes.get("idref")),
                "meta" if attributes.get("name").as_deref() == Some("cover") => {
                    package.cover_id = attributes.get("content");
                }
                _ => {}
            }
        }
    })?;
    properties::for_each_leaf(&path, &bytes, |name, text| package.properties.add(name, text))?;
    Ok(package)
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn percent_decoded(href: &str) -> String {
    let bytes = href.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let digits = href.get(index + 1..index + 3).filter(|_| bytes[index] == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                index += 3;
            }
            None => {
                decoded.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn chapter(path: &str, bytes: &[u8], text: &mut String) -> Result<(), DocumentError> {
    let mut ignored = 0_u32;
    xml::for_each_token(path, bytes, |token| match token {
        Token::Open { name, .. } if IGNORED.contains(&name) => ignored += 1,
        Token::Close { name } if IGNORED.contains(&name) => ignored = ignored.saturating_sub(1),
        Token::Open { name, .. } | Token::Close { name } if BLOCKS.contains(&name) => {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        Token::Text(piece) if ignored == 0 => {
            // White space between blocks is indentation of the markup.
            if !piece.trim().is_empty() || !text.ends_with('\n') {
                text.push_str(piece);
            }
        }
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })
}
