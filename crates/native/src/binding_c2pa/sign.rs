//! JavaScript face of the making of manifests, for demonstrations and tests.

use std::sync::OnceLock;

use c2pa_manifest::{Binding, KeyKind, SignRequest, TestChain, sign};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_c2pa::reason;
use crate::binding_search::soft_bindings::SoftBinding;
use crate::runtime::Pool;

/// Certificates and a key, all of them PEM.
#[napi(object)]
pub struct TestCertificate {
    /// The root: a trust anchor.
    pub root_pem: String,
    /// The leaf that the root signed.
    pub chain_pem: String,
    /// Private key of the leaf, PKCS#8.
    pub key_pem: String,
}

/// What a manifest is to say, and who says it.
#[napi(object)]
pub struct ManifestRequest {
    /// The leaf certificate and what stands between it and its root.
    pub chain_pem: String,
    /// Private key of the leaf, PKCS#8.
    pub key_pem: String,
    /// Kind of that key.
    #[napi(ts_type = "'es256' | 'ed25519'")]
    pub algorithm: String,
    /// The asset's title.
    pub title: String,
    /// The asset's media type.
    pub format: String,
    /// SHA-256 of the asset.
    pub asset_hash: Buffer,
    /// A soft binding of one block for each.
    pub bindings: Vec<SoftBinding>,
    /// The manifest's label; a new `urn:c2pa:` if absent.
    pub manifest_id: Option<String>,
}

/// Makes a throw-away root and a leaf for claims, valid for a year. The root's key is forgotten.
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
    pool().run(env, move || {
        let chain = TestChain::generate(kind, &name).map_err(reason)?;
        Ok(TestCertificate { root_pem: chain.root, chain_pem: chain.chain, key_pem: chain.key })
    })
}

/// Signs a manifest that says that its asset was created; gives the bytes of a sidecar.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn sign_manifest<'env>(env: &'env Env, request: ManifestRequest) -> Result<Object<'env>> {
    let kind = key_kind(&request.algorithm)?;
    let asset_hash: [u8; 32] = request.asset_hash.as_ref().try_into().map_err(|_| {
        Error::new(Status::InvalidArg, "assetHash must be the 32 bytes of a SHA-256".to_owned())
    })?;
    let ManifestRequest { chain_pem, key_pem, title, format, bindings, manifest_id, .. } = request;
    let bindings: Vec<Binding> = bindings
        .into_iter()
        .map(|binding| Binding::new(binding.alg, binding.value.to_vec()))
        .collect();
    pool().run(env, move || {
        let manifest = sign(&SignRequest {
            chain: &chain_pem,
            key: &key_pem,
            kind,
            title: &title,
            format: &format,
            asset_hash: &asset_hash,
            bindings: &bindings,
            manifest_id: manifest_id.as_deref(),
        });
        Ok(Buffer::from(manifest.map_err(reason)?))
    })
}

fn key_kind(algorithm: &str) -> Result<KeyKind> {
    match algorithm {
        "es256" => Ok(KeyKind::Es256),
        "ed25519" => Ok(KeyKind::Ed25519),
        _ => Err(Error::new(Status::InvalidArg, "algorithm must be es256 or ed25519".to_owned())),
    }
}

/// Signing is seldom: one thread.
fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new("sign", 1))
}
