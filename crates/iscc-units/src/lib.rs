//! ISCC-UNITs from prepared input: one file per unit, kernels with run-time dispatch.
