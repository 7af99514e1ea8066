//! Ed25519 signatures, one or many at once.
//!
//! A signature is valid by RFC 8032, section 5.1.7, with the cofactor: `8·s·B = 8·R + 8·k·A`. Encodings must be canonical
//! and `s` below the group order. Every signature of a conforming signer is valid. Unlike the equation without the
//! cofactor, this one gives a signature the same verdict alone and in any batch, so that all nodes judge a log alike.

use std::collections::HashMap;

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use sha2::{Digest, Sha512};

use crate::key::PublicKey;

/// A batch that fails is verified again in this many parts, to find its invalid signatures.
const PARTS: usize = 16;
/// Bytes of a coefficient. An invalid batch passes with probability 2^-128.
const COEFFICIENT_BYTES: usize = 16;
/// `y` of the points whose `x` is 0, little-endian: 1 and p - 1.
const ONE: [u8; 32] = little_endian(0x01, 0x00, 0x00);
const MINUS_ONE: [u8; 32] = little_endian(0xec, 0xff, 0x7f);
/// The field's prime p, little-endian.
const PRIME: [u8; 32] = little_endian(0xed, 0xff, 0x7f);

const fn little_endian(first: u8, middle: u8, last: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

/// A signature in the right form, not yet verified.
#[derive(Debug, Clone)]
pub struct Unverified {
    key: PublicKey,
    r: EdwardsPoint,
    s: Scalar,
    /// SHA-512(R ‖ A ‖ message).
    k: Scalar,
    /// R and s as they were sent.
    bytes: [u8; 64],
}

impl Unverified {
    /// `None` if the signature is not 64 bytes, not canonical, or no point.
    pub fn new(key: PublicKey, signature: &[u8], message: &[u8]) -> Option<Self> {
        let bytes: [u8; 64] = signature.try_into().ok()?;
        let (r, s) = signature.split_at_checked(32)?;
        let (r, s): ([u8; 32], [u8; 32]) = (r.try_into().ok()?, s.try_into().ok()?);
        let hash = Sha512::new().chain_update(r).chain_update(key.0).chain_update(message);
        Some(Self {
            key,
            r: point(r)?,
            s: Option::from(Scalar::from_canonical_bytes(s))?,
            k: Scalar::from_bytes_mod_order_wide(&hash.finalize().into()),
            bytes,
        })
    }

    /// Whether the signature is valid.
    pub fn verify(&self) -> bool {
        point(self.key.0).is_some_and(|a| self.verify_with(&a))
    }

    fn verify_with(&self, a: &EdwardsPoint) -> bool {
        // -k·A + s·B = R, but for points of small order.
        let r = EdwardsPoint::vartime_double_scalar_mul_basepoint(&-self.k, a, &self.s);
        (r - self.r).mul_by_cofactor().is_identity()
    }
}

/// Points of keys; `None` if a key is no point. Declarers sign many entries each.
type Points = HashMap<PublicKey, Option<EdwardsPoint>>;

/// Whether each signature is valid. Valid ones cost a third of [`Unverified::verify`] in batches of 100 and more.
pub fn verify_all(signatures: &[&Unverified]) -> Vec<bool> {
    let mut points = Points::new();
    for Unverified { key, .. } in signatures {
        points.entry(*key).or_insert_with(|| point(key.0));
    }
    verify_part(signatures, &points)
}

fn verify_part(signatures: &[&Unverified], points: &Points) -> Vec<bool> {
    match signatures {
        [] => Vec::new(),
        [only] => {
            let point = points.get(&only.key).copied().flatten();
            vec![point.is_some_and(|a| only.verify_with(&a))]
        }
        _ if holds(signatures, points) => vec![true; signatures.len()],
        _ => {
            let parts = signatures.chunks(signatures.len().div_ceil(PARTS));
            parts.flat_map(|part| verify_part(part, points)).collect()
        }
    }
}

/// Whether all keys are points, and a random linear combination of the signatures' equations holds.
fn holds(signatures: &[&Unverified], key_points: &Points) -> bool {
    let mut base = Scalar::ZERO;
    let mut keys: HashMap<PublicKey, Scalar> = HashMap::new();
    let mut scalars = Vec::with_capacity(2 * signatures.len() + 1);
    let mut points = Vec::with_capacity(2 * signatures.len() + 1);
    for (signature, z) in signatures.iter().zip(coefficients(signatures)) {
        base -= z * signature.s;
        *keys.entry(signature.key).or_insert(Scalar::ZERO) += z * signature.k;
        scalars.push(z);
        points.push(signature.r);
    }
    for (key, scalar) in keys {
        let Some(point) = key_points.get(&key).copied().flatten() else { return false };
        scalars.push(scalar);
        points.push(point);
    }
    scalars.push(base);
    points.push(ED25519_BASEPOINT_POINT);
    EdwardsPoint::vartime_multiscalar_mul(scalars, points).mul_by_cofactor().is_identity()
}

/// Coefficients that depend on all signatures, so that signatures can not be chosen to fit them.
fn coefficients(signatures: &[&Unverified]) -> Vec<Scalar> {
    let mut all = Sha512::new();
    for Unverified { key, bytes, k, .. } in signatures {
        all.update(key.0);
        all.update(bytes);
        all.update(k.as_bytes());
    }
    let seed = all.finalize();
    let blocks = (0_u64..).flat_map(|number| {
        let block: [u8; 64] =
            Sha512::new().chain_update(seed).chain_update(number.to_le_bytes()).finalize().into();
        let parts: Vec<_> = block.as_chunks::<COEFFICIENT_BYTES>().0.to_vec();
        parts
    });
    blocks.take(signatures.len()).map(|bytes| Scalar::from(u128::from_le_bytes(bytes))).collect()
}

/// The point of a canonical encoding.
fn point(bytes: [u8; 32]) -> Option<EdwardsPoint> {
    is_canonical(bytes).then(|| CompressedEdwardsY(bytes).decompress()).flatten()
}

/// Whether y is below the prime, and the sign of x = 0 is not negative.
fn is_canonical(bytes: [u8; 32]) -> bool {
    let mut y = bytes;
    y[31] &= 0x7f;
    let is_negative = bytes[31] != y[31];
    y.iter().rev().lt(PRIME.iter().rev()) && !(is_negative && (y == ONE || y == MINUS_ONE))
}
