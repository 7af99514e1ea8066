//! JavaScript face of `iscc-units`.
