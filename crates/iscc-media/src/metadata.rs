//! Metadata of a file, in the fields of an ISCC result.

pub mod exif;
pub mod image;
pub mod iptc;
pub mod name;
pub mod text;
pub mod xmp;

use crate::sanitize::plain_text;

/// Maximum bytes of one value. Real values are far shorter. The limit keeps results small, however
/// large a document decompresses to.
pub const VALUE_BYTES_MAX: usize = 192 << 10;

/// Metadata fields. Values are plain text (see [`plain_text`]) and never empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Title
    pub name: Option<String>,
    /// Description
    pub description: Option<String>,
    /// Extended metadata, a Data-URL
    pub meta: Option<String>,
    /// Creators, joined with `, `
    pub creator: Option<String>,
    /// URL of the licence
    pub license: Option<String>,
    /// URL where a licence can be acquired
    pub acquire: Option<String>,
    /// Copyright notice
    pub rights: Option<String>,
    /// Credit line
    pub credit: Option<String>,
    /// External identifier
    pub identifier: Option<String>,
    /// Language
    pub language: Option<String>,
    /// Keywords, joined with `, `
    pub keywords: Option<String>,
}

/// Name of a field, for tables that map a format's keys to fields.
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
    /// Whether only the first of several values counts.
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

    /// Whether a truncated value is useful. A truncated URL is a different URL.
    fn can_be_truncated(self) -> bool {
        !matches!(
            self,
            Self::Meta | Self::License | Self::Acquire | Self::Identifier | Self::Language
        )
    }
}

impl Metadata {
    /// Names and values of the fields that are present.
    pub fn into_fields(self) -> impl Iterator<Item = (&'static str, String)> {
        let fields = [
            ("name", self.name),
            ("description", self.description),
            ("meta", self.meta),
            ("creator", self.creator),
            ("license", self.license),
            ("acquire", self.acquire),
            ("rights", self.rights),
            ("credit", self.credit),
            ("identifier", self.identifier),
            ("language", self.language),
            ("keywords", self.keywords),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// Sets a field to the plain text of `value`, unless the field is already set or the text is
    /// empty. Values longer than [`VALUE_BYTES_MAX`] are truncated, or ignored where truncation
    /// would change their meaning.
    pub fn offer(&mut self, field: Field, value: &str) {
        let value = match value.len() {
            0..=VALUE_BYTES_MAX => value,
            _ if field.can_be_truncated() => &value[..value.floor_char_boundary(VALUE_BYTES_MAX)],
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
    fn too_long_values_are_truncated_or_ignored() {
        let mut metadata = Metadata::default();
        let too_long = format!("a{}", "ü".repeat(VALUE_BYTES_MAX));
        metadata.offer(Field::Creator, &too_long);
        assert_eq!(metadata.creator.as_deref(), too_long.get(..VALUE_BYTES_MAX - 1));
        metadata.offer(Field::License, &too_long);
        assert_eq!(metadata.license, None);
        metadata.offer(Field::License, "https://example.com/");
        assert_eq!(metadata.license.as_deref(), Some("https://example.com/"));
        let longest = "k".repeat(VALUE_BYTES_MAX);
        metadata.offer(Field::Meta, &longest);
        assert_eq!(metadata.meta, Some(longest));
    }
}
