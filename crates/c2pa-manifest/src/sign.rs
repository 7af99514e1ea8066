//! Creates a manifest store with one new manifest, as a sidecar of its asset.

use std::io::Cursor;

use c2pa::assertions::DataHash;
use c2pa::{
    BoxedSigner, Builder, BuilderIntent, Context, DigitalSourceType, Signer, SigningAlg,
    create_signer,
};
use ciborium::Value;
use serde_json::json;
use thiserror::Error;

use crate::certificate::KeyKind;

/// The contents of the manifest, and its signer.
#[derive(Debug, Clone)]
pub struct SignRequest<'a> {
    /// PEM of the leaf certificate and the intermediate ones up to the root, without the root.
    pub chain: &'a str,
    /// PEM of the leaf's private key, PKCS#8.
    pub key: &'a str,
    /// Kind of that key.
    pub kind: KeyKind,
    /// The asset's title.
    pub title: &'a str,
    /// The asset's media type.
    pub format: &'a str,
    /// SHA-256 of the asset.
    pub asset_hash: &'a [u8; 32],
    /// Soft bindings; each becomes an assertion with one block.
    pub bindings: &'a [Binding],
    /// The manifest's label; a new `urn:c2pa:` label if `None`.
    pub manifest_id: Option<&'a str>,
    /// A small JPEG of the asset.
    pub thumbnail: Option<&'a [u8]>,
    /// DER of an OCSP response about the leaf, to staple.
    pub ocsp_response: Option<&'a [u8]>,
}

/// A soft binding to write into a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Identifier of the algorithm.
    pub alg: String,
    /// The value, as a byte string.
    pub value: Vec<u8>,
}

impl Binding {
    /// A binding with this algorithm and value.
    pub fn new(alg: impl Into<String>, value: Vec<u8>) -> Self {
        Self { alg: alg.into(), value }
    }
}

/// The manifest could not be signed.
#[derive(Debug, Error)]
#[error("the manifest cannot be signed: {0}")]
pub struct SignError(#[from] c2pa::Error);

/// Signs a manifest with the action "created"; returns the bytes of its store.
pub fn sign(request: &SignRequest<'_>) -> Result<Vec<u8>, SignError> {
    const FORMAT: &str = "application/c2pa";
    // The name that the builder expects. The asset contains no manifest that must be excluded.
    const HASH_NAME: &str = "jumbf manifest";
    let algorithm = match request.kind {
        KeyKind::Es256 => SigningAlg::Es256,
        KeyKind::Ed25519 => SigningAlg::Ed25519,
    };
    let (chain, key) = (request.chain.as_bytes(), request.key.as_bytes());
    let signer = Stapling {
        signer: create_signer::from_keys(chain, key, algorithm, None)?,
        ocsp_response: request.ocsp_response.map(<[u8]>::to_vec),
    };
    let mut hash = DataHash::new(HASH_NAME, "sha256");
    hash.set_hash(request.asset_hash.to_vec());

    let mut builder = builder(request, signer)?;
    if let Some(jpeg) = request.thumbnail {
        builder.set_thumbnail("image/jpeg", &mut Cursor::new(jpeg))?;
    }
    builder.add_assertion("c2pa.hash.data", &hash)?;
    for binding in request.bindings {
        builder.add_assertion("c2pa.soft-binding", &soft_binding(binding))?;
    }
    Ok(builder.sign_embeddable(FORMAT)?)
}

/// A signer that staples an OCSP response.
struct Stapling {
    signer: BoxedSigner,
    ocsp_response: Option<Vec<u8>>,
}

impl Signer for Stapling {
    fn sign(&self, data: &[u8]) -> c2pa::Result<Vec<u8>> {
        self.signer.sign(data)
    }

    fn alg(&self) -> SigningAlg {
        self.signer.alg()
    }

    fn certs(&self) -> c2pa::Result<Vec<Vec<u8>>> {
        self.signer.certs()
    }

    fn reserve_size(&self) -> usize {
        self.signer.reserve_size() + self.ocsp_response.as_ref().map_or(0, Vec::len)
    }

    fn ocsp_val(&self) -> Option<Vec<u8>> {
        self.ocsp_response.clone()
    }
}

fn builder(request: &SignRequest<'_>, signer: Stapling) -> Result<Builder, c2pa::Error> {
    let context = Context::new().with_settings(json!({
        "verify": { "remote_manifest_fetch": false, "verify_after_sign": false },
        "builder": { "thumbnail": { "enabled": false } },
    }))?;
    let context = context.with_signer(signer);
    let mut definition = json!({
        "title": request.title,
        "format": request.format,
        "claim_generator_info": [{ "name": "isccd", "version": env!("CARGO_PKG_VERSION") }],
    });
    if let Some(id) = request.manifest_id {
        definition["label"] = json!(id);
    }
    let mut builder = Builder::from_context(context).with_definition(definition)?;
    builder.set_intent(BuilderIntent::Create(DigitalSourceType::DigitalCreation));
    Ok(builder)
}

/// CBOR of a soft-binding assertion.
fn soft_binding(binding: &Binding) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    let block = Value::Map(vec![
        (text("scope"), Value::Map(Vec::new())),
        (text("value"), Value::Bytes(binding.value.clone())),
    ]);
    Value::Map(vec![
        (text("alg"), text(&binding.alg)),
        (text("blocks"), Value::Array(vec![block])),
        (text("pad"), Value::Bytes(Vec::new())),
    ])
}
