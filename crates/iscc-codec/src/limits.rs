//! Shared sizes, and the scheme of canonical text.

/// Bytes of the longest body of a unit.
pub const BODY_BYTES_MAX: usize = 32;

/// Maximum number of units of an ISCC-CODE: Meta, Semantic, Content, Data and Instance.
pub const UNITS_MAX: usize = 5;

/// Bytes of the header of a unit or ISCC-CODE: all valid fields are below eight, so one nibble
/// each.
pub(crate) const HEADER_BYTES: usize = 2;

/// Header and body of the longest unit.
pub(crate) const UNIT_BYTES_MAX: usize = HEADER_BYTES + BODY_BYTES_MAX;

/// Header and body of the longest ISCC-CODE: five units of 64 bits.
pub(crate) const CODE_BYTES_MAX: usize = HEADER_BYTES + 40;

/// Base32 groups (five bytes, eight characters) of the longest code.
pub(crate) const GROUPS_MAX: usize = CODE_BYTES_MAX.div_ceil(5);

/// The scheme of a canonical code.
pub(crate) const PREFIX: &str = "ISCC:";
