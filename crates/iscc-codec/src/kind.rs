//! MainType, SubType and version: the type of a code without its length.

use std::fmt::{self, Display, Formatter};

use crate::Error;
use crate::tables::{MainType, Mode, Version, sub_types};

/// A valid combination of MainType, SubType and version.
///
/// Formats as the search service names unit types: `META_NONE_V0`, `CONTENT_TEXT_V0`,
/// `ID_REALM_0_V1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    main: MainType,
    sub: u8,
    version: Version,
}

impl Kind {
    /// Meta-Code.
    pub const META: Self = Self::plain(MainType::Meta);
    /// Data-Code.
    pub const DATA: Self = Self::plain(MainType::Data);
    /// Instance-Code.
    pub const INSTANCE: Self = Self::plain(MainType::Instance);
    /// Flake.
    pub const FLAKE: Self = Self::plain(MainType::Flake);

    const fn plain(main: MainType) -> Self {
        Self { main, sub: 0, version: Version::V0 }
    }

    /// Semantic-Code of one kind of content.
    pub const fn semantic(mode: Mode) -> Self {
        Self { main: MainType::Semantic, sub: mode as u8, version: Version::V0 }
    }

    /// Content-Code of one kind of content.
    pub const fn content(mode: Mode) -> Self {
        Self { main: MainType::Content, sub: mode as u8, version: Version::V0 }
    }

    /// The kind in a validated header of two bytes.
    #[inline]
    pub(crate) fn of_checked_header([first, second]: [u8; 2]) -> Self {
        let main = MainType::from_number(first >> 4).unwrap_or(MainType::Meta);
        let version = if second & 0x10 == 0 { Version::V0 } else { Version::V1 };
        Self { main, sub: first & 15, version }
    }

    /// ISCC-CODE. `sub` must be one of its eight SubTypes.
    pub(crate) const fn iscc(sub: u8) -> Self {
        Self { main: MainType::Iscc, sub, version: Version::V0 }
    }

    /// ISCC-ID of version 1. `realm` must be 0 or 1.
    pub(crate) const fn realm(realm: u8) -> Self {
        Self { main: MainType::Id, sub: realm, version: Version::V1 }
    }

    /// Unit of version 0. `sub` must be a SubType of `main`.
    pub(crate) const fn of_unit(main: MainType, sub: u8) -> Self {
        Self { main, sub, version: Version::V0 }
    }

    /// Validates three header fields.
    #[inline]
    pub fn new(main: u16, sub: u16, version: u16) -> Result<Self, Error> {
        let known = u8::try_from(main).ok().and_then(MainType::from_number);
        let typed = known.ok_or(Error::MainType(main))?;
        let versions = u8::try_from(version).ok().and_then(Version::from_number);
        let names = versions.map_or(&[][..], |version| sub_types(typed, version));
        let Some(version) = versions.filter(|_| !names.is_empty()) else {
            return Err(Error::Version { main: typed, version });
        };
        if usize::from(sub) >= names.len() {
            return Err(Error::SubType { main: typed, sub });
        }
        Ok(Self { main: typed, sub: sub as u8, version })
    }

    /// First field of the header.
    #[inline]
    pub fn main(self) -> MainType {
        self.main
    }

    /// Second field of the header, as a number.
    #[inline]
    pub fn sub(self) -> u8 {
        self.sub
    }

    /// Name of the SubType, upper-case.
    pub fn sub_name(self) -> &'static str {
        sub_types(self.main, self.version).get(usize::from(self.sub)).copied().unwrap_or("NONE")
    }

    /// Third field of the header.
    #[inline]
    pub fn version(self) -> Version {
        self.version
    }

    /// Length of the body in bytes for a length field; `None` if the field is invalid.
    ///
    /// Units and Flakes: (field + 1) * 32 bits, up to 256. ISCC-ID: 64 bits plus as many counter
    /// bytes as the field states. Version 1 has no counter. The 88-bit ISCC-ID is invalid, as in the
    /// reference's table of lengths.
    #[inline]
    pub(crate) fn body_bytes(self, length: u16) -> Option<usize> {
        let length = usize::from(length);
        match self.main {
            MainType::Id if self.version == Version::V0 => {
                matches!(length, 0 | 1 | 2 | 4).then_some(8 + length)
            }
            MainType::Id => (length == 0).then_some(8),
            MainType::Iscc if self.sub == crate::tables::iscc_sub::WIDE => {
                (length < 8).then_some(32)
            }
            MainType::Iscc => (length < 8).then_some(16 + 8 * length.count_ones() as usize),
            _ => (length < 8).then_some(4 * (length + 1)),
        }
    }

    /// The length field of a unit with a body of `body_bytes`: the inverse of `body_bytes`, except
    /// for ISCC-CODEs.
    #[inline]
    pub(crate) fn length_field(self, body_bytes: usize) -> Option<u16> {
        let field = match self.main {
            MainType::Iscc => return None,
            MainType::Id => body_bytes.checked_sub(8)?,
            _ => (body_bytes / 4).checked_sub(1)?,
        };
        let field = u16::try_from(field).ok()?;
        (self.body_bytes(field) == Some(body_bytes)).then_some(field)
    }
}

impl Display for Kind {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}_{}_{}", self.main.name(), self.sub_name(), self.version.name())
    }
}
