//! The similarity index: LMDB, vector columns, distance scan, HNSW segments, scoring.
