//! ISCC codec: bytes to code text and back (ISO 24138). No I/O; every function is total.
