//! What a file says about itself, in the fields of an ISCC's metadata.

pub mod exif;
pub mod image;
pub mod iptc;
pub mod name;
pub mod text;
pub mod xmp;

use crate::sanitize::plain_text;

/// Bytes of a value that are looked at; no honest file says more in one field. What crosses to the
/// service is small then, however much a document unpacks to.
pub const VALUE_BYTES_MAX: usize = 192 << 10;

/// Metadata fields; all values are cleaned, none is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Title
    pub name: Option<String>,
    /// Description
    pub description: Option<String>,
    /// Extended metadata, a Data-URL
    pub meta: Option<String>,
    /// Who made it; several joined with `, `
    pub creator: Option<String>,
    /// URL of the licence
    pub license: Option<String>,
    /// URL where one can acquire a licence
    pub acquire: Option<String>,
    /// Copyright notice
    pub rights: Option<String>,
    /// Whom to credit
    pub credit: Option<String>,
    /// Identifier given by others
    pub identifier: Option<String>,
    /// Language
    pub language: Option<String>,
    /// Keywords; several joined with `, `
    pub keywords: Option<String>,
}

/// The fields by name, so that maps from a format's keys to fields are plain tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// [`Metadata::name`]
    Name,
    /// [`Metadata::description`]
    Description,
    /// [`Metadata::meta`]
    Meta,
    /// [`Metadata::creator`]
    Creator,
    /// [`Metadata::license`]
    License,
    /// [`Metadata::acquire`]
    Acquire,
    /// [`Metadata::rights`]
    Rights,
    /// [`Metadata::credit`]
    Credit,
    /// [`Metadata::identifier`]
    Identifier,
    /// [`Metadata::language`]
    Language,
    /// [`Metadata::keywords`]
    Keywords,
}

impl Field {
    /// Whether a list of values stands for one value, of which the first is meant.
    pub fn is_single(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Description
                | Self::Meta
                | Self::Rights
                | Self::License
                | Self::Acquire
                | Self::Credit
        )
    }

    /// Whether the beginning of a value is of use. That of an address is another address.
    fn can_be_cut(self) -> bool {
        !matches!(
            self,
            Self::Meta | Self::License | Self::Acquire | Self::Identifier | Self::Language
        )
    }
}

impl Metadata {
    /// Sets a field that is not set yet, to the cleaned value unless that is empty. Of a value
    /// above [`VALUE_BYTES_MAX`] the beginning counts, or nothing.
    pub fn offer(&mut self, field: Field, value: &str) {
        let value = match value.len() {
            0..=VALUE_BYTES_MAX => value,
            _ if field.can_be_cut() => &value[..value.floor_char_boundary(VALUE_BYTES_MAX)],
            _ => return,
        };
        let slot = match field {
            Field::Name => &mut self.name,
            Field::Description => &mut self.description,
            Field::Meta => &mut self.meta,
            Field::Creator => &mut self.creator,
            Field::License => &mut self.license,
            Field::Acquire => &mut self.acquire,
            Field::Rights => &mut self.rights,
            Field::Credit => &mut self.credit,
            Field::Identifier => &mut self.identifier,
            Field::Language => &mut self.language,
            Field::Keywords => &mut self.keywords,
        };
        if slot.is_none() {
            *slot = Some(plain_text(value)).filter(|value| !value.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Metadata, VALUE_BYTES_MAX};

    #[test]
    fn of_endless_values_the_beginning_or_nothing_counts() {
        let mut metadata = Metadata::default();
        let endless = format!("a{}", "ü".repeat(VALUE_BYTES_MAX));
        metadata.offer(Field::Creator, &endless);
        assert_eq!(metadata.creator.as_deref(), endless.get(..VALUE_BYTES_MAX - 1));
        metadata.offer(Field::License, &endless);
        assert_eq!(metadata.license, None);
        metadata.offer(Field::License, "https://example.com/");
        assert_eq!(metadata.license.as_deref(), Some("https://example.com/"));
        let longest = "k".repeat(VALUE_BYTES_MAX);
        metadata.offer(Field::Meta, &longest);
        assert_eq!(metadata.meta, Some(longest));
    }
}
