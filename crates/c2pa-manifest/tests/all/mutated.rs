//! Damaged sidecars: each gets a result; none makes the validation panic.
//!
//! `ISCCD_MUTATIONS` sets the number of sidecars. A full run has 100,000:
//! `ISCCD_MUTATIONS=100000 cargo test --release -p c2pa-manifest --test all mutated:: -- --nocapture`.

use crate::common;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use c2pa_manifest::Outcome;

const MUTATIONS: usize = 3000;

static PANICS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn damaged_sidecars_get_a_result() {
    let (test, default) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        // Other tests have other threads.
        if std::thread::current().id() == test {
            PANICS.fetch_add(1, Ordering::Relaxed);
        }
        default(info);
    }));
    let wanted = std::env::var("ISCCD_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let wanted: usize = wanted.unwrap_or(MUTATIONS);
    let sidecars = sidecars();
    assert!(sidecars.len() > 90);
    let validator = common::validator();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    let mut slowest = (Duration::ZERO, "");
    for number in 0..wanted {
        let (name, original) = &sidecars[number % sidecars.len()];
        let damaged = damage(original, &sidecars, &mut random);
        let start = Instant::now();
        let code = match validator.validate(&damaged, None) {
            Outcome::Accepted(_) => "accepted".to_owned(),
            Outcome::Refused(refusal) => refusal.code.into_owned(),
            Outcome::Overdue => panic!("{name}: there was no deadline"),
        };
        slowest = slowest.max((start.elapsed(), name));
        *codes.entry(code).or_default() += 1;
    }
    println!("{wanted} damaged sidecars, slowest {slowest:?}, {codes:#?}");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "something panicked");
    // Sidecars with damage in unsigned parts, such as padding, are accepted.
    assert!(codes.len() > 5, "the damage is not diverse: {codes:?}");
}

fn sidecars() -> Vec<(String, Vec<u8>)> {
    let index = common::json("manifests/index.json");
    let items = index["items"].as_array().unwrap().iter();
    let read = |file: &str| (file.to_owned(), std::fs::read(common::path(file)).unwrap());
    let sidecars = items.map(|item| read(item["file"].as_str().unwrap()));
    sidecars.filter(|(_, bytes)| !bytes.is_empty()).collect()
}

/// Changes a few bytes, cuts or doubles a piece, or inserts a piece of another sidecar.
fn damage(original: &[u8], others: &[(String, Vec<u8>)], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(64)).min(bytes.len());
        match random.below(16) {
            0 => bytes.truncate(at + 1),
            1 if bytes.len() > 80 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let (_, other) = &others[random.below(others.len())];
                let from = random.below(other.len());
                let piece = &other[from..(from + 1 + random.below(256)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            4..8 => bytes[at] ^= 1 << random.below(8),
            _ => bytes[at] = random.below(256) as u8,
        }
    }
    // A wrong outer length fails the first check, so most of them are corrected.
    if bytes.len() >= 8 && random.below(4) > 0 {
        let length = bytes.len() as u32;
        bytes[..4].copy_from_slice(&length.to_be_bytes());
    }
    bytes
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
