//! Private keys that sign certificates and claims.

// The two crates use different versions of the traits.
use ed25519_dalek::Signer as _;
use ed25519_dalek::pkcs8::EncodePrivateKey as _;
use p256::ecdsa::signature::Signer as _;
use p256::pkcs8::{EncodePrivateKey as _, EncodePublicKey as _, LineEnding};

use super::CertificateError;
use crate::der::{bit_string, object_id, sequence};

/// Kinds of keys that sign claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// ECDSA over P-256 with SHA-256.
    Es256,
    /// Ed25519.
    Ed25519,
}

/// A private key.
pub enum Key {
    /// ECDSA over P-256.
    Es256(p256::ecdsa::SigningKey),
    /// Ed25519.
    Ed25519(ed25519_dalek::SigningKey),
}

impl Key {
    /// Generates a key.
    pub fn generate(kind: KeyKind) -> Result<Self, CertificateError> {
        let seed = random::<32>()?;
        Ok(match kind {
            KeyKind::Es256 => Self::Es256(
                p256::ecdsa::SigningKey::from_slice(&seed).map_err(CertificateError::encoding)?,
            ),
            KeyKind::Ed25519 => Self::Ed25519(ed25519_dalek::SigningKey::from_bytes(&seed)),
        })
    }

    /// DER of the AlgorithmIdentifier of the key's signatures.
    pub fn algorithm(&self) -> Vec<u8> {
        match self {
            Self::Es256(_) => sequence(&[&object_id(&[1, 2, 840, 10045, 4, 3, 2])]),
            Self::Ed25519(_) => sequence(&[&object_id(&[1, 3, 101, 112])]),
        }
    }

    /// DER of the SubjectPublicKeyInfo.
    pub fn public_key_info(&self) -> Result<Vec<u8>, CertificateError> {
        Ok(match self {
            Self::Es256(key) => key
                .verifying_key()
                .to_public_key_der()
                .map_err(CertificateError::encoding)?
                .into_vec(),
            Self::Ed25519(key) => {
                let public = bit_string(0, key.verifying_key().as_bytes());
                sequence(&[&self.algorithm(), &public])
            }
        })
    }

    /// The signature in the form that certificates use.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Es256(key) => {
                let signature: p256::ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
            Self::Ed25519(key) => key.sign(message).to_bytes().to_vec(),
        }
    }

    /// PEM of the PKCS#8 form.
    pub fn to_pem(&self) -> Result<String, CertificateError> {
        let pem = match self {
            Self::Es256(key) => p256::SecretKey::from(key)
                .to_pkcs8_pem(LineEnding::LF)
                .map_err(CertificateError::encoding)?,
            Self::Ed25519(key) => {
                key.to_pkcs8_pem(LineEnding::LF).map_err(CertificateError::encoding)?
            }
        };
        Ok(pem.to_string())
    }
}

/// Cryptographically secure random bytes.
pub fn random<const BYTES: usize>() -> Result<[u8; BYTES], CertificateError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(CertificateError::encoding)?;
    Ok(bytes)
}
