//! Metadata of text documents, under the keys of the reference's extractor.

use super::{Field, Metadata};

/// A multimap of the keys of [`FIELDS`] to values. Values keep the document's order. Others are not
/// kept: a document may have any number of them, and each is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<(&'static str, Vec<String>)>);

impl Keys {
    /// Adds a value; ignores blank values and keys without a field.
    pub fn put(&mut self, key: &str, value: &str) {
        let Some((key, _)) = FIELDS.iter().find(|(known, _)| *known == key) else { return };
        if value.trim().is_empty() {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) => values.push(value.to_owned()),
            None => self.0.push((key, vec![value.to_owned()])),
        }
    }

    /// Adds a value before the other values of the key.
    pub fn put_first(&mut self, key: &str, value: &str) {
        self.put(key, value);
        if !value.trim().is_empty()
            && let Some((_, values)) = self.0.iter_mut().find(|(known, _)| *known == key)
        {
            values.rotate_right(1);
        }
    }

    /// Adds the value of an HTML `meta` element: under the Dublin Core key for the common names,
    /// else under its own name.
    pub fn put_html_meta(&mut self, name: &str, content: &str) {
        match name.to_ascii_lowercase().as_str() {
            "description" => self.put("dc:description", content),
            "author" => self.put("dc:creator", content),
            "keywords" => self.put("meta:keyword", content),
            "title" => self.put("dc:title", content),
            _ => self.put(name, content),
        }
    }

    /// The metadata fields. A field gets its value from the first key of [`FIELDS`] that has one.
    pub fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        for (key, field) in FIELDS {
            if let Some((_, values)) = self.0.iter().find(|(known, _)| known == key) {
                let value = if field.is_single() { values[0].clone() } else { values.join(", ") };
                metadata.offer(*field, &value);
            }
        }
        metadata
    }
}

const FIELDS: &[(&str, Field)] = &[
    ("iscc_name", Field::Name),
    ("iscc_description", Field::Description),
    ("iscc_meta", Field::Meta),
    ("iscc_license", Field::License),
    ("iscc_acquire", Field::Acquire),
    ("iscc_credit", Field::Credit),
    ("iscc_rights", Field::Rights),
    ("iscc_identifier", Field::Identifier),
    ("custom:iscc_name", Field::Name),
    ("custom:iscc_description", Field::Description),
    ("custom:iscc_meta", Field::Meta),
    // The reference does not read the other custom properties.
    ("custom:iscc_license", Field::License),
    ("custom:iscc_acquire", Field::Acquire),
    ("custom:iscc_credit", Field::Credit),
    ("custom:iscc_rights", Field::Rights),
    ("custom:iscc_identifier", Field::Identifier),
    ("custom:iscc_keywords", Field::Keywords),
    ("pdf:docinfo:title", Field::Name),
    ("pdf:docinfo:subject", Field::Description),
    ("pdf:docinfo:author", Field::Creator),
    ("pdf:docinfo:creator", Field::Creator),
    ("pdf:docinfo:keywords", Field::Keywords),
    ("dc:title", Field::Name),
    ("dc:description", Field::Description),
    ("dc:creator", Field::Creator),
    ("dc:rights", Field::Rights),
    ("meta:keyword", Field::Keywords),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_wins_and_lists_are_joined() {
        let mut keys = Keys::default();
        keys.put("dc:title", "Second");
        keys.put_first("dc:title", "First");
        keys.put("dc:creator", "A");
        keys.put("dc:creator", "B");
        assert_eq!(keys.metadata().name.as_deref(), Some("First"));
        assert_eq!(keys.metadata().creator.as_deref(), Some("A, B"));
        keys.put("custom:iscc_name", "Own");
        assert_eq!(keys.metadata().name.as_deref(), Some("Own"));
        keys.put("iscc_name", " ");
        assert_eq!(keys.metadata().name.as_deref(), Some("Own"));
    }

    #[test]
    fn a_meta_element_may_have_the_title() {
        let mut keys = Keys::default();
        keys.put_html_meta("Title", "T");
        assert_eq!(keys.metadata().name.as_deref(), Some("T"));
        keys.put_first("dc:title", "Of the element");
        assert_eq!(keys.metadata().name.as_deref(), Some("Of the element"));
    }

    #[test]
    fn only_keys_of_fields_are_kept() {
        let mut keys = Keys::default();
        // A search among all keys takes a minute.
        for index in 0..300_000 {
            keys.put_html_meta(&format!("name{index}"), "x");
        }
        keys.put_first("other", "x");
        assert!(keys.0.is_empty());
        keys.put_html_meta("Author", "A");
        keys.put_html_meta("iscc_name", "N");
        let metadata = keys.metadata();
        assert_eq!((metadata.creator.as_deref(), metadata.name.as_deref()), (Some("A"), Some("N")));
    }
}
