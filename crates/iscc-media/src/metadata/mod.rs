//! What a file says about itself, in the fields of an ISCC's metadata.

pub mod exif;
pub mod image;
pub mod iptc;
pub mod name;
pub mod text;
pub mod xmp;

use crate::sanitize::plain_text;

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
}

impl Metadata {
    /// Sets a field that is not set yet, to the cleaned value unless that is empty.
    pub fn offer(&mut self, field: Field, value: &str) {
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
