//! JavaScript face of `iscc-codec`.
