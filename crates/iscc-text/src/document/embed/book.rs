//! EPUB: the metadata of the package document (EPUB 3.3, 5.5).

use std::collections::{HashMap, HashSet};

use quick_xml::NsReader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};

use super::super::container::{Budget, Container};
use super::super::{DocumentError, epub};
use super::edit::{Edit, attribute, edit, is_describing, text_of};
use super::{Properties, replace, split};
use iscc_media::xml::{self, malformed};

/// Id of the identifier that this module adds to a book, whose own identifier must not change.
const IDENTIFIER_ID: &str = "iscc-identifier";

pub fn embed(bytes: &[u8], properties: &Properties<'_>) -> Result<Vec<u8>, DocumentError> {
    let mut budget = Budget::default();
    let mut container = Container::open(bytes, &mut budget)?;
    let path = epub::package_path(&mut container)?;
    let package = container.part(&path)?;
    let edited = edited_package(&path, &package, properties)?;
    replace(bytes, &[(&path, edited)])
}

/// The package document with the given properties. Custom properties are OPF 2 `meta` elements,
/// which EPUB 3 permits as well.
fn edited_package(
    path: &str,
    package: &[u8],
    properties: &Properties<'_>,
) -> Result<Vec<u8>, DocumentError> {
    let (elements, custom) = split(properties);
    let (identifiers, mut elements): (Vec<_>, Vec<_>) =
        elements.into_iter().partition(|(name, _)| *name == "dc:identifier");
    let mut appended: String = identifiers
        .iter()
        .map(|(_, value)| {
            format!(
                r#"<dc:identifier xmlns:dc="http://purl.org/dc/elements/1.1/" id="{IDENTIFIER_ID}">{}</dc:identifier>"#,
                escape(*value)
            )
        })
        .collect();
    for (name, value) in &custom {
        appended.push_str(&format!(
            r#"<meta xmlns="http://www.idpf.org/2007/opf" name="{}" content="{}"/>"#,
            escape(*name),
            escape(*value)
        ));
    }
    let mut book = Book::read(path, package, |name| elements.iter().any(|(it, _)| *it == name))?;
    elements.retain(|(name, _)| !book.has(name, &elements_named(properties, name)));
    let stale = book.stale(&elements);
    edit(
        path,
        package,
        &Edit {
            elements: &elements,
            appended: &appended,
            // Early versions of EPUB use the element `dc-metadata`.
            is_parent: &|name| matches!(name, "metadata" | "dc-metadata"),
            is_removed: &|name, attribute| {
                let is_custom = xml::local(name) == "meta"
                    && attribute("name").is_some_and(|it| custom.iter().any(|(key, _)| *key == it));
                let is_identifier = !identifiers.is_empty()
                    && name == "dc:identifier"
                    && attribute("id").as_deref() == Some(IDENTIFIER_ID);
                let is_stale =
                    || Refining::of(name, attribute).is_some_and(|refining| stale.holds(&refining));
                is_custom || is_identifier || is_stale()
            },
        },
    )
}

fn elements_named<'a>(properties: &Properties<'a>, name: &str) -> Vec<&'a str> {
    properties.iter().filter(|(it, _)| *it == name).map(|(_, value)| *value).collect()
}

/// What of the package document matters before its elements are replaced.
#[derive(Default)]
struct Book {
    /// The elements to replace.
    old: Vec<Old>,
    refining: Vec<Refining>,
}

struct Old {
    name: String,
    id: Option<String>,
    /// `None` for an empty element.
    text: Option<String>,
}

/// A `meta` or `link` element that says more about another element.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Refining {
    id: Option<String>,
    /// Id of the other element.
    target: String,
    /// What it says, such as `role` or `file-as`.
    property: String,
}

impl Refining {
    fn of(name: &str, attribute: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        if !matches!(xml::local(name), "meta" | "link") {
            return None;
        }
        Some(Self {
            target: attribute("refines")?.trim().strip_prefix('#')?.to_owned(),
            property: attribute("property").or_else(|| attribute("rel")).unwrap_or_default(),
            id: attribute("id"),
        })
    }
}

/// Ids of elements that are removed, and of those that get another text.
struct Stale {
    removed: HashSet<String>,
    changed: HashSet<String>,
}

impl Stale {
    /// Whether an element is about a removed element, or about a text that changes. Roles, types and
    /// positions are those of the new text.
    fn holds(&self, refining: &Refining) -> bool {
        self.removed.contains(&refining.target)
            || self.changed.contains(&refining.target) && is_describing(refining.property.trim())
    }
}

impl Book {
    fn read(
        path: &str,
        package: &[u8],
        is_replaced: impl Fn(&str) -> bool,
    ) -> Result<Self, DocumentError> {
        let text = xml::decode(package);
        let mut reader = NsReader::from_str(&text);
        let mut book = Self::default();
        let failed = |error| malformed(path, error);
        loop {
            let event = reader.read_event().map_err(failed)?;
            let (start, is_empty) = match &event {
                Event::Start(start) => (start, false),
                Event::Empty(start) => (start, true),
                Event::Eof => return Ok(book),
                _ => continue,
            };
            let name = xml::property_name(reader.resolver(), start.name()).into_owned();
            if !is_replaced(&name) {
                book.add_refining(&name, start);
                continue;
            }
            let text = if is_empty {
                None
            } else {
                Some(text_of(&reader.read_text(start.name()).map_err(failed)?))
            };
            book.old.push(Old { name, id: attribute(start, "id"), text });
        }
    }

    fn add_refining(&mut self, name: &str, start: &BytesStart<'_>) {
        self.refining.extend(Refining::of(name, &|local| attribute(start, local)));
    }

    /// Whether the book has exactly these values already.
    fn has(&self, name: &str, values: &[&str]) -> bool {
        let old = self.old.iter().filter(|old| old.name == name);
        old.map(|old| old.text.as_deref()).eq(values.iter().map(|value| Some(*value)))
    }

    /// What is stale when `elements` replace the old elements. As in [`edit`], the first old element
    /// that is not empty gets the first value; the others are removed.
    fn stale(&mut self, elements: &[(&str, &str)]) -> Stale {
        let mut kept = HashMap::new();
        let (mut removed, mut changed) = (HashSet::new(), HashSet::new());
        let mut seen = HashSet::new();
        for old in &self.old {
            let Some((_, value)) = elements.iter().find(|(name, _)| *name == old.name) else {
                continue;
            };
            let is_kept = old.text.is_some() && seen.insert(old.name.as_str());
            let Some(id) = &old.id else { continue };
            if is_kept {
                kept.insert(id.clone(), old.text.as_deref() == Some(*value));
            } else {
                removed.insert(id.clone());
            }
        }
        removed.retain(|id| !kept.contains_key(id));
        changed.extend(kept.into_iter().filter(|(_, is_same)| !is_same).map(|(id, _)| id));
        let mut stale = Stale { removed, changed };
        self.follow(&mut stale);
        stale
    }

    /// Adds the ids of elements that go because what they refine goes.
    fn follow(&self, stale: &mut Stale) {
        let mut by_target: HashMap<&str, Vec<&Refining>> = HashMap::new();
        for refining in &self.refining {
            by_target.entry(&refining.target).or_default().push(refining);
        }
        let mut open: Vec<String> = stale.removed.iter().chain(&stale.changed).cloned().collect();
        while let Some(target) = open.pop() {
            for refining in by_target.get(target.as_str()).into_iter().flatten() {
                if let Some(id) = &refining.id
                    && stale.holds(refining)
                    && stale.removed.insert(id.clone())
                {
                    open.push(id.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Properties;
    use super::edited_package;

    const BOOK: &str = r##"<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title id="t1">Alt</dc:title><meta refines="#t1" property="title-type">main</meta><meta refines="#t1" property="file-as">Alt, A</meta><dc:title id="t2">Zwei</dc:title><meta refines="#t2" property="title-type">subtitle</meta><dc:creator id="c1">Anna Alt</dc:creator><meta refines="#c1" property="role">aut</meta><meta id="m1" refines="#c1" property="file-as">Alt, Anna</meta><meta refines="#m1" property="note">n1</meta><meta refines="#c1" property="display-seq">1</meta><link refines="#c1" rel="voicing" href="a.mp3"/><dc:creator id="c2">Bert Bei</dc:creator><meta id="m2" refines="#c2" property="role">ill</meta><meta refines="#m2" property="note">n2</meta><link refines="#c2" rel="record" href="r"/><dc:language>de</dc:language></metadata></package>"##;

    fn edited(book: &str, properties: &Properties<'_>) -> String {
        String::from_utf8(edited_package("p.opf", book.as_bytes(), properties).unwrap()).unwrap()
    }

    #[test]
    fn what_refines_a_replaced_element_goes_with_its_text() {
        let properties = [("dc:title", "Neu"), ("dc:creator", "Clara Neu")];
        let copy = edited(BOOK, &properties);
        let kept = r##"<dc:title id="t1">Neu</dc:title><meta refines="#t1" property="title-type">main</meta><dc:creator id="c1">Clara Neu</dc:creator><meta refines="#c1" property="role">aut</meta><meta refines="#c1" property="display-seq">1</meta><dc:language>"##;
        assert!(copy.contains(kept), "{copy}");
        assert_eq!(edited(&copy, &properties), copy);
    }

    #[test]
    fn what_refines_a_kept_text_stays() {
        assert_eq!(edited(BOOK, &[("dc:creator", "Anna Alt"), ("dc:creator", "Bert Bei")]), BOOK);
        let copy = edited(BOOK, &[("dc:creator", "Anna Alt")]);
        assert!(copy.contains("Alt, Anna") && copy.contains("n1") && copy.contains("voicing"));
        assert!(!copy.contains("#c2") && !copy.contains("#m2"), "{copy}");
        let copy = edited(BOOK, &[("dc:description", "B"), ("custom:x", "1")]);
        assert_eq!(copy.matches("refines").count(), BOOK.matches("refines").count());
    }

    #[test]
    fn more_values_have_neither_the_id_nor_the_sort_name_of_the_first() {
        let book = r##"<package xmlns="http://www.idpf.org/2007/opf" xmlns:opf="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator id="c1" opf:role="aut" opf:file-as="Alt, Anna">Anna Alt</dc:creator></metadata></package>"##;
        let copy = edited(book, &[("dc:creator", "Anna Alt"), ("dc:creator", "B")]);
        let expected = r#"opf:file-as="Alt, Anna">Anna Alt</dc:creator><dc:creator opf:role="aut">B</dc:creator>"#;
        assert!(copy.contains(expected), "{copy}");
        let copy = edited(book, &[("dc:creator", "B")]);
        assert!(copy.contains(r#"<dc:creator id="c1" opf:role="aut">B</dc:creator>"#), "{copy}");
    }

    #[test]
    fn chains_and_circles_of_refinements_end() {
        let book = r##"<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A</dc:title><dc:title id="x">B</dc:title><meta id="a" refines="#b"/><meta id="b" refines="#a"/><meta id="c" refines="#x"/><meta id="x" refines="#c"/></metadata></package>"##;
        let copy = edited(book, &[("dc:title", "C")]);
        assert!(copy.contains(r##"<dc:title>C</dc:title><meta id="a" refines="#b"/><meta id="b" refines="#a"/></metadata>"##), "{copy}");
    }
}
