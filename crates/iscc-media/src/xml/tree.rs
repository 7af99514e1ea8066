//! XML as a tree with resolved namespaces, for small documents such as XMP packets.

use quick_xml::NsReader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, ResolveResult};

/// Maximum depth. Deeper elements and their content are ignored.
pub const DEPTH_MAX: usize = 64;

/// A local name and its namespace's URI, `""` without namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    pub namespace: String,
    pub local: String,
}

impl Name {
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local == local
    }
}

/// An element. `text` is the concatenated text between its children.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    pub name: Name,
    pub attributes: Vec<(Name, String)>,
    pub text: String,
    pub children: Vec<Element>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, namespace: &str, local: &str) -> Option<&str> {
        let matches = |(name, _): &&(Name, String)| name.is(namespace, local);
        self.attributes.iter().find(matches).map(|(_, value)| value.as_str())
    }

    /// The first child with the name.
    pub fn child(&self, namespace: &str, local: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name.is(namespace, local))
    }

    /// The first element with the name in document order: this one or a descendant.
    pub fn find(&self, namespace: &str, local: &str) -> Option<&Element> {
        if self.name.is(namespace, local) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(namespace, local))
    }
}

/// Parses `xml` up to the first error. Ignores entities other than XML's predefined ones: nothing
/// is expanded or fetched.
pub fn parse(xml: &str) -> Element {
    let mut reader = NsReader::from_str(xml);
    reader.config_mut().allow_dangling_amp = true;
    let mut open = vec![Element::default()];
    let mut skipped = 0usize;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) if open.len() > DEPTH_MAX || skipped > 0 => {
                drop(start);
                skipped += 1;
            }
            Event::Start(start) => open.push(element(&start, reader.resolver())),
            Event::Empty(start) if skipped == 0 => {
                let child = element(&start, reader.resolver());
                current(&mut open).children.push(child);
            }
            Event::End(_) if skipped > 0 => skipped -= 1,
            Event::End(_) => close(&mut open),
            Event::Text(text) if skipped == 0 => {
                current(&mut open).text.push_str(&text.xml10_content());
            }
            Event::CData(data) if skipped == 0 => current(&mut open).text.push_str(&data),
            Event::GeneralRef(reference) if skipped == 0 => {
                let text = &mut current(&mut open).text;
                match reference.resolve_char_ref() {
                    Ok(Some(character)) => text.push(character),
                    _ => text.push_str(resolve_xml_entity(&reference).unwrap_or_default()),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().unwrap_or_default()
}

/// The innermost open element. The first in the list is the document itself, so the list is never
/// empty.
fn current(open: &mut [Element]) -> &mut Element {
    let last = open.len() - 1;
    &mut open[last]
}

fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(child) = open.pop()
    {
        current(open).children.push(child);
    }
}

fn element(start: &BytesStart<'_>, resolver: &NamespaceResolver) -> Element {
    let (namespace, local) = resolver.resolve_element(start.name());
    let mut element = Element { name: name(&namespace, local.into_inner()), ..Element::default() };
    for attribute in start.attributes().with_checks(false).flatten() {
        let (namespace, local) = resolver.resolve_attribute(attribute.key);
        let escaped = attribute.value;
        let value =
            unescape(&escaped).map_or_else(|_| escaped.to_string(), |value| value.into_owned());
        element.attributes.push((name(&namespace, local.into_inner()), value));
    }
    element
}

fn name(namespace: &ResolveResult<'_>, local: &str) -> Name {
    let namespace = match namespace {
        ResolveResult::Bound(namespace) => namespace.into_inner().to_owned(),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => String::new(),
    };
    Name { namespace, local: local.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_names() {
        let tree = parse("<a xmlns='u' xmlns:p='v'><p:b c='1' p:d='x &amp; &lt;'/>t&#252;</a>");
        let root = tree.child("u", "a").unwrap();
        let child = root.child("v", "b").unwrap();
        assert_eq!(child.attribute("", "c"), Some("1"));
        assert_eq!(child.attribute("v", "d"), Some("x & <"));
        assert_eq!(root.text, "tü");
    }

    #[test]
    fn entities_are_not_expanded() {
        let tree = parse("<!DOCTYPE a [<!ENTITY e 'eee'>]><a>1&e;&amp;2</a>");
        assert_eq!(tree.child("", "a").unwrap().text, "1&2");
    }

    #[test]
    fn deep_and_broken_documents_are_parsed_partially() {
        let deep = "<a>".repeat(100_000);
        assert_eq!(parse(&deep).children.len(), 1);
        let depth = |levels: usize| {
            let xml = format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
            std::iter::successors(Some(&parse(&xml)), |it| it.children.first()).count() - 1
        };
        assert_eq!((depth(DEPTH_MAX), depth(DEPTH_MAX + 1)), (DEPTH_MAX, DEPTH_MAX));
        assert_eq!(parse("<a><b>x</a>").child("", "a").unwrap().children.len(), 1);
        assert_eq!(parse("no markup").text, "no markup");
        assert_eq!(parse(""), Element::default());
    }
}
