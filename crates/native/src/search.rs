//! JavaScript face of `iscc-search`.
