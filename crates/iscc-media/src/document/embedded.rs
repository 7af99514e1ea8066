//! Pictures and documents embedded in Office Open XML. The reference adds their file names at the
//! end of the text, followed by the text of embedded documents.

use std::collections::HashSet;

use super::DocumentError;
use super::Format;
use super::container::{Container, Relationship};
use crate::text;
use crate::text::charset;

/// Kinds of relationships to embedded parts.
const KINDS: [&str; 3] = ["image", "oleObject", "package"];

/// The embedded parts of one document.
#[derive(Default)]
pub struct Embedded {
    /// Names of the parts so far; each appears once.
    seen: HashSet<String>,
}

impl Embedded {
    /// Appends the names and texts of the parts that `part` refers to. Follows relationships of the
    /// kinds in `through`, too.
    pub fn append(
        &mut self,
        container: &mut Container<'_>,
        part: &str,
        through: &[&str],
        text: &mut String,
    ) -> Result<(), DocumentError> {
        for relationship in container.sorted_relationships(part)? {
            let is = |kinds: &[&str]| kinds.iter().any(|kind| relationship.is(kind));
            if relationship.is_external || !is(&KINDS) && !is(through) {
                continue;
            }
            let Relationship { target, .. } = &relationship;
            if !self.seen.insert(target.clone()) {
                continue;
            }
            if is(through) {
                self.append(container, target, &[], text)?;
            } else if let Some(content) = container.optional(target)? {
                let name = target.rsplit('/').next().unwrap_or(target);
                text.push_str(name);
                text.push('\n');
                append_content(container, name, &content, text)?;
                text.push('\n');
            }
        }
        Ok(())
    }
}

/// Appends the text of an embedded document. Ignores documents that cannot be read, and those in
/// too many levels of documents.
fn append_content(
    container: &mut Container<'_>,
    name: &str,
    content: &[u8],
    text: &mut String,
) -> Result<(), DocumentError> {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let format = match extension.as_str() {
        "docx" => Format::Docx,
        "pptx" => Format::Pptx,
        "xlsx" => Format::Xlsx,
        "svg" => {
            text.push_str(&text::xml::extract(&charset::decode_xml(content)).text);
            return Ok(());
        }
        _ => return Ok(()),
    };
    if let Some(document) = super::read_inner(format, content, container.budget)? {
        // The reference doubles the white space between lines and cells.
        let nested = document.text.replace('\n', "\n\n").replace('\t', "\t\t");
        let left = container.budget.bytes.checked_sub(nested.len() as u64);
        container.budget.bytes = left.ok_or(DocumentError::TooLarge)?;
        text.push_str(&nested);
    }
    Ok(())
}
