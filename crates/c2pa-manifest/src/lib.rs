//! C2PA manifest stores as sidecars (`application/c2pa`): what a soft-binding store must know of
//! them.
//!
//! [`Validator::validate`] takes the bytes of a sidecar and either accepts it, with its id, whether
//! its signer is trusted and the soft bindings to index, or refuses it with a code that the C2PA
//! names or that starts with `manifest.`. The strict framing check comes first: the `c2pa` crate
//! reads past bytes after the end, second stores and wrong outer lengths, and needs quadratic time
//! for many assertions.
//!
//! [`sign`] and [`TestChain`] make manifests for demonstrations and tests.

mod algorithm;
mod binding;
mod boxes;
mod brob;
mod cbor_lengths;
mod certificate;
mod deadline;
mod der;
mod digest;
mod error_code;
mod framing;
mod key;
mod manifest_id;
mod refusal;
mod sign;
mod soft_binding;
mod superbox;
mod trust;
mod validator;

pub use algorithm::{Algorithm, AlgorithmKind, ISCC, algorithms};
pub use binding::{BindingUnit, IndexedBinding, Skipped};
pub use certificate::{CertificateError, TestChain};
pub use digest::sha256_hex;
pub use key::KeyKind;
pub use manifest_id::is_manifest_id;
pub use refusal::Refusal;
pub use sign::{Binding, SignError, SignRequest, sign};
pub use trust::{TrustError, check_anchors};
pub use validator::{Accepted, Outcome, Validator};
