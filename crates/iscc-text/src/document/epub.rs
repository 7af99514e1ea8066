//! EPUB: the documents of the spine in order, then the names and texts of the other items, as in the
//! reference.

use std::collections::{HashMap, HashSet};

use super::container::{Budget, Container, join, percent_decoded};
use super::hashed::sort_as_hashed;
use super::properties::{self, Properties};
use super::protection;
use super::{Document, DocumentError};
use crate::text::{self, html};
use iscc_media::charset;
use iscc_media::xml::{self, Token};

const CONTAINER: &str = "META-INF/container.xml";

/// Elements whose content is not text.
const IGNORED: [&str; 3] = ["head", "script", "style"];

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes, budget)?;
    let package = package(&mut container)?;
    let encrypted = protection::encrypted_resources(&mut container)?;
    let mut text = String::new();
    for item in package.spine_items().take_while(|item| !encrypted.contains(&item.path)) {
        // Ignores spine items that are missing from the archive.
        if let Some(content) = container.optional(&item.path)? {
            chapter(&item.path, &content, &mut text)?;
        }
    }
    // The text of the reference ends before an encrypted chapter.
    let is_encrypted = package.spine_items().any(|item| encrypted.contains(&item.path));
    if is_encrypted && text.trim().is_empty() {
        return Err(DocumentError::Encrypted);
    }
    if !is_encrypted && package.is_spine_complete(&container) {
        for item in package.other_items() {
            append_item(&mut container, item, &mut text)?;
        }
    }
    let cover = match package.cover() {
        Some(path) => container.optional(path)?,
        None => None,
    };
    Ok(Document { text, properties: package.properties, cover, ..Document::default() })
}

/// A manifest item of the package document.
struct Item {
    id: String,
    href: String,
    path: String,
    /// Whether `path` is the reference itself, without `.` and `..`.
    is_plain: bool,
    mediatype: String,
    properties: String,
}

impl Item {
    fn is_raster_image(&self) -> bool {
        self.mediatype.starts_with("image/") && self.mediatype != "image/svg+xml"
    }

    /// Whether the reference lists the item although it is not in the spine.
    fn is_listed(&self) -> bool {
        let kind = self.mediatype.to_ascii_lowercase();
        let is_skipped = ["css", "svg", "x-ibooks", "font", "opentype"];
        !is_skipped.iter().any(|part| kind.contains(part))
            && !kind.ends_with("/xml")
            && kind != "application/x-dtbncx+xml"
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
    fn spine_items(&self) -> impl Iterator<Item = &Item> {
        let items: HashMap<_, _> = self.items.iter().map(|item| (&item.id, item)).collect();
        self.spine.iter().filter_map(move |id| items.get(id).copied())
    }

    /// Whether the archive has each item of the spine under its literal name. If not, the reference
    /// ends with the spine.
    fn is_spine_complete(&self, container: &Container<'_>) -> bool {
        let mut count = 0;
        let has_all = self.spine_items().all(|item| {
            count += 1;
            item.is_plain && container.has(&item.path)
        });
        has_all && count == self.spine.len()
    }

    /// The items outside the spine, in the reference's order: that of a hash table of their ids.
    fn other_items(&self) -> Vec<&Item> {
        let mut ids = Vec::new();
        let mut items = HashMap::new();
        for item in &self.items {
            if items.insert(item.id.as_str(), item).is_none() {
                ids.push(item.id.as_str());
            }
        }
        sort_as_hashed(&mut ids);
        let spine: HashSet<&str> = self.spine.iter().map(String::as_str).collect();
        let found = ids.into_iter().filter(|id| !spine.contains(id));
        found.map(|id| items[id]).filter(|item| item.is_listed()).collect()
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

/// Appends the name of an item and its text, if it has one.
fn append_item(
    container: &mut Container<'_>,
    item: &Item,
    text: &mut String,
) -> Result<(), DocumentError> {
    // Pictures may be large; only their names are text.
    let kind = item.mediatype.as_str();
    let is_text = kind.starts_with("text/")
        || ["html", "xml", "json", "javascript"].iter().any(|end| kind.ends_with(end));
    if !item.is_plain || !container.has(&item.path) {
        return Ok(());
    }
    text.push_str(&item.path);
    text.push('\n');
    if is_text && let Some(content) = container.optional(&item.path)? {
        let mut inner = String::new();
        if kind.contains("html") {
            // A chapter that readers do not show may be damaged.
            let _ = chapter(&item.path, &content, &mut inner);
        } else if kind.ends_with("xml") {
            inner = text::xml::extract(&charset::decode_xml(&content)).text;
        } else {
            inner = charset::decode(&content).into_owned();
        }
        // The reference doubles the white space between lines and cells.
        text.push_str(&inner.replace('\n', "\n\n").replace('\t', "\t\t"));
    }
    text.push_str("\n\n\n");
    Ok(())
}

/// Name of the package document (EPUB Open Container Format, 4.2.6.3).
pub(super) fn package_path(container: &mut Container<'_>) -> Result<String, DocumentError> {
    let bytes = container.part(CONTAINER)?;
    let mut path = None;
    xml::for_each_token(CONTAINER, &bytes, |token| {
        if let Token::Open { name, attributes } = token
            && xml::local(name) == "rootfile"
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
            match xml::local(name) {
                "item" => {
                    let href = attributes.get("href").unwrap_or_default();
                    let decoded = percent_decoded(&href);
                    let path = join(folder, &decoded);
                    package.items.push(Item {
                        id: attributes.get("id").unwrap_or_default(),
                        is_plain: path.len()
                            == folder.len() + decoded.len() + usize::from(!folder.is_empty()),
                        path,
                        href,
                        mediatype: attributes.get("media-type").unwrap_or_default(),
                        properties: attributes.get("properties").unwrap_or_default(),
                    });
                }
                "itemref" => package.spine.extend(attributes.get("idref")),
                "meta" if attributes.get("name").as_deref() == Some("cover") => {
                    package.cover_id = attributes.get("content");
                }
                "meta" => {
                    let named = attributes.get("name").zip(attributes.get("content"));
                    package.properties.custom.extend(named);
                }
                _ => {}
            }
        }
    })?;
    properties::for_each_leaf(&path, &bytes, |name, text| package.properties.add(name, text))?;
    Ok(package)
}

/// Appends the text of a chapter with the line breaks of the reference.
fn chapter(path: &str, bytes: &[u8], text: &mut String) -> Result<(), xml::XmlError> {
    let mut ignored = 0_u32;
    let mut in_body = 0_u32;
    xml::for_each_token(path, bytes, |token| match token {
        Token::Open { name: "body", .. } => in_body += 1,
        Token::Close { name: "body" } => in_body = in_body.saturating_sub(1),
        Token::Open { name, .. } if IGNORED.contains(&name) => ignored += 1,
        Token::Close { name } if IGNORED.contains(&name) => ignored = ignored.saturating_sub(1),
        _ if ignored > 0 || in_body == 0 => {}
        Token::Open { name, .. } if html::starts_with_tab(name) => text.push('\t'),
        Token::Close { name } if html::ends_line(name) => text.push('\n'),
        Token::Text(piece) => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } => {}
    })
}
