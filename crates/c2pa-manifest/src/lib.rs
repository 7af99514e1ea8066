//! C2PA manifest stores as sidecars (`application/c2pa`), as far as a soft-binding store needs
//! them.
//!
//! [`Validator::validate`] accepts or refuses the bytes of a sidecar. An accepted sidecar has an
//! id, a trusted or untrusted signer, and soft bindings to index. A refusal has a code of the C2PA
//! or one that starts with `manifest.`. The strict framing check runs first: the `c2pa` crate
//! ignores trailing bytes, second stores and wrong outer lengths, and needs quadratic time for
//! many assertions.
//!
//! [`sign`] and [`TestChain`] create manifests for demonstrations and tests.

mod algorithm;
mod binding;
mod boxes;
mod brob;
mod cbor_limits;
mod certificate;
mod deadline;
mod der;
mod details;
mod digest;
mod embedded;
mod error_code;
mod framing;
mod manifest_id;
mod ocsp;
mod refusal;
mod sign;
mod soft_binding;
mod summary;
mod superbox;
mod trust;
mod trust_file;
mod validator;

pub use algorithm::{Algorithm, AlgorithmKind, AlgorithmList, AlgorithmListError, ISCC};
pub use binding::{BindingUnit, IndexedBinding, Skipped};
pub use certificate::{CertificateError, KeyKind, TestChain};
pub use digest::sha256_hex;
pub use embedded::embedded;
pub use framing::active_label;
pub use manifest_id::is_manifest_id;
pub use ocsp::OcspResponse;
pub use refusal::Refusal;
pub use sign::{Binding, SignError, SignRequest, sign};
pub use summary::{Action, Ingredient, Summary};
pub use trust::{LISTS_DATE, TrustError, TrustKind, TrustList, check_anchors};
pub use trust_file::{TrustFileError, TrustListFile, read_trust_list};
pub use validator::{Accepted, Facts, Outcome, Validator};
