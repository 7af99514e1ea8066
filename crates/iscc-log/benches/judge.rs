//! Judging of log entries, and its steps alone: leaf hash, JSON, canonical JSON, Ed25519. One call is a bundle of the
//! fixture log. The last case is the whole of it, so the ratios are the shares of the steps.

use std::hint::black_box;
use std::path::Path;

use bench_harness::Group;
use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use iscc_codec::base::base58;
use iscc_log::entry::{self, Log};
use iscc_log::judge::{Judge, Nothing};
use iscc_log::key::PublicKey;
use iscc_log::signature::{self, Unverified};
use iscc_log::{TILE_WIDTH, bundle, tree};
use serde_json::Value;

const BUNDLE: &str = "../../test/fixtures/network/log-a/tile/entries/000";
const LOG: Log = Log { realm: 0, hub: 7 };

/// What a declarer signed.
struct Signed {
    note: Value,
    bytes: Vec<u8>,
    key: VerifyingKey,
    signature: Signature,
}

impl Signed {
    fn unverified(&self) -> Option<Unverified> {
        Unverified::new(PublicKey(self.key.to_bytes()), &self.signature.to_bytes(), &self.bytes)
    }
}

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(BUNDLE);
    let bytes = std::fs::read(&path).expect("the fixture log");
    let records = bundle::records(&bytes, TILE_WIDTH).expect("a full bundle");
    let signed: Vec<_> = records.iter().filter_map(|record| signed(record)).collect();
    Group::new("judge a bundle")
        .per_call(TILE_WIDTH, "entry/s")
        .case("leaf hashes", || {
            tree::root(&records.iter().map(|record| tree::leaf(record)).collect::<Vec<_>>())
        })
        .case("JSON", || {
            for record in &records {
                let _ = black_box(serde_json::from_slice::<Value>(record));
            }
        })
        .case("canonical JSON", || {
            for Signed { note, .. } in &signed {
                let _ = black_box(serde_json_canonicalizer::to_vec(note));
            }
        })
        .case("Ed25519, one by one", || {
            for Signed { bytes, key, signature, .. } in &signed {
                let _ = black_box(key.verify(bytes, signature));
            }
        })
        .case("Ed25519, together", || {
            let signatures: Vec<_> = signed.iter().filter_map(Signed::unverified).collect();
            signature::verify_all(&signatures.iter().collect::<Vec<_>>())
        })
        .case("all of it", || {
            let mut judge = Judge::new(Nothing);
            for (leaf, entry) in (0..).zip(entry::parse_all(&records, LOG)) {
                let Ok(_) = judge.take(leaf, entry);
            }
            let root =
                tree::root(&records.iter().map(|record| tree::leaf(record)).collect::<Vec<_>>());
            (judge.counts, root)
        })
        .run();
}

/// Note, signed bytes, key and signature of an entry; `None` if its signature is not well-formed.
fn signed(record: &[u8]) -> Option<Signed> {
    let mut note = serde_json::from_slice::<Value>(record).ok()?.get("note")?.clone();
    let signature = note.get_mut("signature")?.as_object_mut()?;
    let proof = multibase(signature.remove("proof")?.as_str()?)?;
    let key = multibase(signature.get("pubkey")?.as_str()?)?;
    let key = VerifyingKey::try_from(key.get(2..)?).ok()?;
    let bytes = serde_json_canonicalizer::to_vec(&note).ok()?;
    Some(Signed { note, bytes, key, signature: Signature::from_slice(&proof).ok()? })
}

fn multibase(text: &str) -> Option<Vec<u8>> {
    base58::decode(text.strip_prefix('z')?.as_bytes()).ok()
}
