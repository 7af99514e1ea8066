//! Signs manifests, for demonstrations and tests.

use c2pa_manifest::{Binding, KeyKind, SignRequest, TestChain, sign};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_search::soft_bindings::SoftBinding;
use crate::error::{NativeError, Result};
use crate::runtime::CPU;

/// Certificates and a key, all in PEM.
#[napi(object)]
pub struct TestCertificate {
    /// The root certificate, a trust anchor.
    pub root_pem: String,
    /// The leaf certificate, signed by the root.
    pub chain_pem: String,
    /// Private key of the leaf, PKCS#8.
    pub key_pem: String,
}

/// The content of a manifest, and its signer.
#[napi(object)]
pub struct ManifestRequest {
    /// The leaf certificate, followed by the certificates up to its root.
    pub chain_pem: String,
    /// Private key of the leaf, PKCS#8.
    pub key_pem: String,
    /// Kind of that key.
    #[napi(ts_type = "'es256' | 'ed25519'")]
    pub algorithm: String,
    /// Title of the asset.
    pub title: String,
    /// Media type of the asset.
    pub format: String,
    /// SHA-256 of the asset.
    pub asset_hash: Buffer,
    /// One soft binding of one block for each.
    pub bindings: Vec<SoftBinding>,
    /// Label of the manifest. Default: a new `urn:c2pa:`.
    pub manifest_id: Option<String>,
    /// A small JPEG of the asset.
    pub thumbnail: Option<Buffer>,
    /// DER of an OCSP response about the leaf, to staple.
    pub ocsp_response: Option<Buffer>,
}

/// Generates a root and a leaf for signing claims, valid for a year. The root's key is discarded.
#[napi(
    catch_unwind,
    ts_args_type = "algorithm: 'es256' | 'ed25519', name: string",
    ts_return_type = "Promise<TestCertificate>"
)]
pub fn make_test_certificate<'env>(
    env: &'env Env,
    algorithm: String,
    name: String,
) -> Result<Object<'env>> {
    let kind = key_kind(&algorithm)?;
    CPU.run(env, move || {
        let chain = TestChain::generate(kind, &name).map_err(NativeError::invalid)?;
        Ok(TestCertificate { root_pem: chain.root, chain_pem: chain.chain, key_pem: chain.key })
    })
}

/// Signs a manifest with a claim that its asset was created. Resolves to a manifest store.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn sign_manifest<'env>(env: &'env Env, request: ManifestRequest) -> Result<Object<'env>> {
    let kind = key_kind(&request.algorithm)?;
    let asset_hash: [u8; 32] = request
        .asset_hash
        .as_ref()
        .try_into()
        .map_err(|_| NativeError::invalid("assetHash must be the 32 bytes of a SHA-256"))?;
    let ManifestRequest {
        chain_pem,
        key_pem,
        title,
        format,
        bindings,
        manifest_id,
        thumbnail,
        ocsp_response,
        ..
    } = request;
    let bindings: Vec<Binding> = bindings
        .into_iter()
        .map(|binding| Binding::new(binding.alg, binding.value.to_vec()))
        .collect();
    CPU.run(env, move || {
        let manifest = sign(&SignRequest {
            chain: &chain_pem,
            key: &key_pem,
            kind,
            title: &title,
            format: &format,
            asset_hash: &asset_hash,
            bindings: &bindings,
            manifest_id: manifest_id.as_deref(),
            thumbnail: thumbnail.as_deref(),
            ocsp_response: ocsp_response.as_deref(),
        });
        Ok(Buffer::from(manifest.map_err(NativeError::invalid)?))
    })
}

fn key_kind(algorithm: &str) -> Result<KeyKind> {
    match algorithm {
        "es256" => Ok(KeyKind::Es256),
        "ed25519" => Ok(KeyKind::Ed25519),
        _ => Err(NativeError::invalid("algorithm must be es256 or ed25519")),
    }
}
