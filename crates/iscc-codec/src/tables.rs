//! MainTypes, SubTypes and versions (ISO 24138, tables of the header).

use std::fmt::{self, Display, Formatter};

/// First field of a header: the kind of information in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MainType {
    /// Similarity of metadata.
    Meta = 0,
    /// Similarity of meaning.
    Semantic = 1,
    /// Similarity of perceptible content.
    Content = 2,
    /// Similarity of the raw bytes.
    Data = 3,
    /// Checksum of the raw bytes.
    Instance = 4,
    /// Composite of units under one header: an ISCC-CODE.
    Iscc = 5,
    /// Identifier issued by a hub: an ISCC-ID.
    Id = 6,
    /// Unique, time-sorted identifier.
    Flake = 7,
}

/// Third field of a header: the version of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Version {
    /// All MainTypes.
    V0 = 0,
    /// ISCC-IDs only.
    V1 = 1,
}

/// SubType of Semantic- and Content-Codes, and of an ISCC-CODE that contains one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Mode {
    /// Text.
    Text = 0,
    /// Still image.
    Image = 1,
    /// Audio.
    Audio = 2,
    /// Moving image.
    Video = 3,
    /// Several of the other modes.
    Mixed = 4,
}

/// SubTypes of an ISCC-CODE in addition to those of [`Mode`].
pub(crate) mod iscc_sub {
    /// Data and Instance only.
    pub(crate) const SUM: u8 = 5;
    /// Neither Semantic nor Content unit, but a Meta unit.
    pub(crate) const NONE: u8 = 6;
    /// Data and Instance only, 128 bits of each.
    pub(crate) const WIDE: u8 = 7;
}

const NONE: &[&str] = &["NONE"];
const MODES: &[&str] = &["TEXT", "IMAGE", "AUDIO", "VIDEO", "MIXED"];
const COMPOSITES: &[&str] = &["TEXT", "IMAGE", "AUDIO", "VIDEO", "MIXED", "SUM", "NONE", "WIDE"];
const CHAINS: &[&str] = &["PRIVATE", "BITCOIN", "ETHEREUM", "POLYGON"];
const REALMS: &[&str] = &["REALM_0", "REALM_1"];

impl MainType {
    const ALL: [Self; 8] = [
        Self::Meta,
        Self::Semantic,
        Self::Content,
        Self::Data,
        Self::Instance,
        Self::Iscc,
        Self::Id,
        Self::Flake,
    ];

    /// The MainType with this number in the header.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Name in readable forms, in upper case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Meta => "META",
            Self::Semantic => "SEMANTIC",
            Self::Content => "CONTENT",
            Self::Data => "DATA",
            Self::Instance => "INSTANCE",
            Self::Iscc => "ISCC",
            Self::Id => "ID",
            Self::Flake => "FLAKE",
        }
    }
}

impl Display for MainType {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Version {
    /// The version with this number in the header.
    pub fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::V0),
            1 => Some(Self::V1),
            _ => None,
        }
    }

    /// Name in readable forms.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "V0",
            Self::V1 => "V1",
        }
    }
}

/// Names of the SubTypes by number; empty if the MainType does not exist in this version.
pub(crate) fn sub_types(main: MainType, version: Version) -> &'static [&'static str] {
    match (main, version) {
        (MainType::Meta | MainType::Data | MainType::Instance | MainType::Flake, Version::V0) => {
            NONE
        }
        (MainType::Semantic | MainType::Content, Version::V0) => MODES,
        (MainType::Iscc, Version::V0) => COMPOSITES,
        (MainType::Id, Version::V0) => CHAINS,
        (MainType::Id, Version::V1) => REALMS,
        (_, Version::V1) => &[],
    }
}
