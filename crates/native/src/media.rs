//! JavaScript face of `iscc-media`.
