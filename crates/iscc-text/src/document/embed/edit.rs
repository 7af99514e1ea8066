//! Edits the elements of an XML part and keeps everything else.

use std::collections::HashSet;

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, BytesText, Event};
use quick_xml::name::{Namespace, NamespaceResolver, QName, ResolveResult};
use quick_xml::{NsReader, Writer};

use super::super::DocumentError;
use iscc_media::xml::{self, malformed};

/// Returns the value of an attribute by its local name.
pub type AttributeOf<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Changes of a part. Names of elements are [`xml::property_name`]s.
pub struct Edit<'a> {
    /// New text of elements. Repeated names are a list. All old elements of a name are replaced.
    pub elements: &'a [(&'a str, &'a str)],
    /// XML that is added at the end of the parent.
    pub appended: &'a str,
    /// Whether the element with this local name is the parent of all properties.
    pub is_parent: &'a dyn Fn(&str) -> bool,
    /// Whether another element is removed.
    pub is_removed: &'a dyn Fn(&str, &AttributeOf<'_>) -> bool,
}

impl Edit<'_> {
    fn values(&self, name: &str) -> Vec<&str> {
        self.elements.iter().filter(|(it, _)| *it == name).map(|(_, value)| *value).collect()
    }
}

/// Rewrites `part`. The values of an element are where its first old element was. New elements are
/// at the end of the parent.
pub fn edit(part: &str, bytes: &[u8], edit: &Edit<'_>) -> Result<Vec<u8>, DocumentError> {
    let mut written: HashSet<String> = HashSet::new();
    let mut parent_seen = false;
    let edited = rewrite(part, bytes, |reader, event, writer| {
        let is_place =
            |name: QName<'_>| !parent_seen && (edit.is_parent)(name.local_name().as_ref());
        match event {
            Event::Start(start) | Event::Empty(start) => {
                let name = xml::property_name(reader.resolver(), start.name()).into_owned();
                let values = edit.values(&name);
                let is_empty = matches!(event, Event::Empty(_));
                if !values.is_empty() || is_removed(edit, &name, start) {
                    // An empty element is dropped; the new one is added at the end.
                    if !is_empty {
                        let old = text_of(&reader.read_text(start.name())?);
                        if !values.is_empty() && written.insert(name) {
                            for (index, value) in values.into_iter().enumerate() {
                                let start = start_of(start, index == 0, value == old);
                                write_element(writer, start, value)?;
                            }
                        }
                    }
                } else if is_empty && is_place(start.name()) {
                    writer.write_event(Event::Start(start.borrow()))?;
                    write_missing(writer, reader.resolver(), edit, &written)?;
                    writer.write_event(Event::End(start.to_end()))?;
                    parent_seen = true;
                } else {
                    writer.write_event(event.borrow())?;
                }
            }
            Event::End(end) if is_place(end.name()) => {
                write_missing(writer, reader.resolver(), edit, &written)?;
                writer.write_event(event.borrow())?;
                parent_seen = true;
            }
            _ => writer.write_event(event.borrow())?,
        }
        Ok(())
    })?;
    if parent_seen {
        Ok(edited)
    } else {
        Err(malformed(part, "the metadata element is missing").into())
    }
}

fn is_removed(edit: &Edit<'_>, name: &str, start: &BytesStart<'_>) -> bool {
    (edit.is_removed)(name, &|local| attribute(start, local))
}

/// The value of an attribute by its local name.
pub fn attribute(start: &BytesStart<'_>, local: &str) -> Option<String> {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|it| it.key.local_name().as_ref() == local)?;
    Some(quick_xml::escape::unescape(&found.value).ok()?.into_owned())
}

/// The plain text of an element's content.
pub fn text_of(content: &str) -> String {
    match quick_xml::escape::unescape(content) {
        Ok(text) => text.trim().to_owned(),
        Err(_) => content.trim().to_owned(),
    }
}

/// Whether an attribute or property of an EPUB's element describes that element's text, so that it
/// is wrong for another text.
pub fn is_describing(property: &str) -> bool {
    const DESCRIBING: [&str; 7] =
        ["file-as", "alternate-script", "alt-rep", "alt-rep-lang", "authority", "term", "voicing"];
    DESCRIBING.contains(&property)
}

/// The start of an element that gets a new text. Only the first of several elements may have the
/// id.
fn start_of(old: &BytesStart<'_>, is_first: bool, is_same_text: bool) -> BytesStart<'static> {
    let mut start = old.to_owned();
    start.clear_attributes();
    let mut attributes = old.attributes();
    attributes.with_checks(false);
    for attribute in attributes.flatten() {
        let is_stale = !is_same_text && is_describing(attribute.key.local_name().as_ref());
        let is_repeated = !is_first && attribute.key.local_name().as_ref() == "id";
        if !is_stale && !is_repeated {
            // The old value may have single quotes around it.
            let value = attribute.value.replace('"', "&quot;");
            start.push_attribute(Attribute { key: attribute.key, value: value.into() });
        }
    }
    start
}

/// Writes the elements that are missing, and the appended XML. Each element declares its prefix if
/// that is undeclared or bound to another namespace.
fn write_missing(
    writer: &mut Writer<Vec<u8>>,
    resolver: &NamespaceResolver,
    edit: &Edit<'_>,
    written: &HashSet<String>,
) -> Result<(), quick_xml::Error> {
    for (name, value) in edit.elements.iter().filter(|(name, _)| !written.contains(*name)) {
        let mut start = BytesStart::new(*name);
        let prefix = name.split(':').next().unwrap_or_default();
        if let Some(namespace) = xml::property_namespace(prefix)
            && resolver.resolve_element(QName(name)).0 != ResolveResult::Bound(Namespace(namespace))
        {
            start.push_attribute((&*format!("xmlns:{prefix}"), namespace));
        }
        write_element(writer, start, value)?;
    }
    writer.get_mut().extend_from_slice(edit.appended.as_bytes());
    Ok(())
}

fn write_element(
    writer: &mut Writer<Vec<u8>>,
    start: BytesStart<'_>,
    value: &str,
) -> Result<(), quick_xml::Error> {
    writer.write_event(Event::Start(start.borrow()))?;
    writer.write_event(Event::Text(BytesText::new(value)))?;
    writer.write_event(Event::End(start.to_end()))?;
    Ok(())
}

/// A copy of a part in UTF-8, with each event written by `write`.
pub fn rewrite(
    part: &str,
    bytes: &[u8],
    mut write: impl FnMut(
        &mut NsReader<&[u8]>,
        &Event<'_>,
        &mut Writer<Vec<u8>>,
    ) -> Result<(), quick_xml::Error>,
) -> Result<Vec<u8>, DocumentError> {
    let text = xml::decode(bytes);
    let mut reader = NsReader::from_str(&text);
    let mut writer = Writer::new(Vec::with_capacity(text.len() + 512));
    loop {
        let event = reader.read_event().map_err(|error| malformed(part, error))?;
        let done = match &event {
            Event::Eof => return Ok(writer.into_inner()),
            Event::Decl(declaration) => writer
                .write_event(Event::Decl(xml::utf8_declaration(declaration)))
                .map_err(Into::into),
            event => write(&mut reader, event, &mut writer),
        };
        done.map_err(|error: quick_xml::Error| malformed(part, error))?;
    }
}
