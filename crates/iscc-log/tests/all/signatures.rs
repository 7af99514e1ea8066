//! Signatures have the same verdict alone and in every batch, also those that no conforming signer makes.

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signer, SigningKey};
use iscc_log::key::PublicKey;
use iscc_log::signature::{Unverified, verify_all};
use proptest::prelude::*;
use sha2::{Digest, Sha512};

/// A signature by one of five keys over its number.
fn signed(number: u8) -> (PublicKey, [u8; 64], [u8; 1]) {
    let key = SigningKey::from_bytes(&[number % 5 + 1; 32]);
    let message = [number];
    (PublicKey(key.verifying_key().to_bytes()), key.sign(&message).to_bytes(), message)
}

fn unverified(number: u8) -> Unverified {
    let (key, signature, message) = signed(number);
    Unverified::new(key, &signature, &message).expect("a signature in the right form")
}

/// Of the right form, but over another message.
fn invalid(number: u8) -> Unverified {
    let (key, signature, _) = signed(number);
    Unverified::new(key, &signature, b"another").expect("a signature in the right form")
}

/// Valid but for points of small order in the key and in R: no conforming signer makes these.
fn with_small_order(number: u8, in_key: usize, in_r: usize) -> Unverified {
    let secret = Scalar::from(u64::from(number) + 2);
    let nonce = Scalar::from(u64::from(number) + 1000);
    let a = EdwardsPoint::mul_base(&secret) + EIGHT_TORSION[in_key];
    let r = ED25519_BASEPOINT_POINT * nonce + EIGHT_TORSION[in_r];
    let (a, r) = (a.compress().to_bytes(), r.compress().to_bytes());
    let hash = Sha512::new().chain_update(r).chain_update(a).chain_update([number]).finalize();
    let s = nonce + Scalar::from_bytes_mod_order_wide(&hash.into()) * secret;
    let signature = [r, s.to_bytes()].concat();
    Unverified::new(PublicKey(a), &signature, &[number]).expect("a signature in the right form")
}

proptest! {
    #[test]
    fn invalid_ones_are_found(wrong in prop::collection::vec(any::<bool>(), 0..300)) {
        let all: Vec<_> = (0_u8..=255).cycle().zip(&wrong)
            .map(|(number, &is_wrong)| if is_wrong { invalid(number) } else { unverified(number) })
            .collect();
        let expected: Vec<_> = wrong.iter().map(|is_wrong| !is_wrong).collect();
        prop_assert_eq!(verify_all(&all.iter().collect::<Vec<_>>()), expected);
    }

    #[test]
    fn points_of_small_order_change_no_verdict(
        in_key in 0..8_usize,
        in_r in 0..8_usize,
        number in any::<u8>(),
        others in 0..40_u8,
    ) {
        let odd = with_small_order(number, in_key, in_r);
        let valid: Vec<_> = (0..others).map(unverified).collect();
        let all: Vec<_> = valid.iter().chain([&odd]).collect();
        prop_assert!(odd.verify());
        prop_assert!(verify_all(&all).into_iter().all(|is_valid| is_valid));
    }
}

#[test]
fn only_canonical_forms_are_accepted() {
    let (key, signature, message) = signed(1);
    let with = |at: usize, bytes: [u8; 32]| {
        let mut changed = signature;
        changed[at..at + 32].copy_from_slice(&bytes);
        Unverified::new(key, &changed, &message)
    };
    // s + order: the same equation, another text.
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let order = data_encoding::HEXLOWER.decode(order.as_bytes()).expect("hexadecimal digits");
    let mut sum = [0_u8; 32];
    let mut carry = 0;
    for (at, digit) in sum.iter_mut().enumerate() {
        let total = u16::from(signature[32 + at]) + u16::from(order[at]) + carry;
        *digit = u8::try_from(total & 0xff).expect("one byte");
        carry = total >> 8;
    }
    assert!(with(32, sum).is_none());
    // y = p + 1 stands for y = 1; x = 0 with a sign; y = p - 1 with a sign.
    let ends = |first: u8, middle: u8, last: u8| {
        let mut bytes = [middle; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    };
    assert!(with(0, ends(0x01, 0x00, 0x00)).is_some());
    for bytes in [ends(0xee, 0xff, 0x7f), ends(0x01, 0x00, 0x80), ends(0xec, 0xff, 0xff)] {
        assert!(with(0, bytes).is_none());
    }
    assert!(Unverified::new(key, &signature[..63], &message).is_none());
    // A key that is no point verifies nothing, alone or beside valid signatures.
    let no_point = Unverified::new(PublicKey([2; 32]), &signature, &message).expect("a signature");
    assert!(!no_point.verify());
    assert_eq!(verify_all(&[&no_point, &unverified(1)]), [false, true]);
}
