//! C2PA manifest stores, alone and in files.

use std::cell::OnceCell;
use std::io::Cursor;
use std::time::{Duration, Instant};

use c2pa_manifest::{Validator, active_label, embedded, is_manifest_id};

use crate::Target;

pub const TARGETS: &[Target] = &[
    Target { name: "manifest-framing", run: framing, seeds: &[".c2pa"], examples: &["urn:c2pa:1"] },
    Target { name: "manifest", run: manifest, seeds: &[".c2pa"], examples: &[] },
    Target {
        name: "manifest-embedded",
        run: in_file,
        seeds: &[".jpg", ".png", ".webp", ".gif", ".mp4", ".svg", ".pdf"],
        examples: &[],
    },
];

fn framing(input: &[u8]) {
    let _ = active_label(input);
    let _ = is_manifest_id(&String::from_utf8_lossy(input));
}

fn manifest(input: &[u8]) {
    thread_local! {
        static VALIDATOR: OnceCell<Validator> = const { OnceCell::new() };
    }
    let deadline = Some(Instant::now() + Duration::from_secs(5));
    VALIDATOR.with(|validator| {
        let validator = validator.get_or_init(|| Validator::new(&[]).expect("no anchors"));
        let _ = validator.validate(input, deadline);
    });
}

fn in_file(input: &[u8]) {
    for mediatype in
        ["image/jpeg", "image/png", "image/webp", "image/gif", "video/mp4", "image/svg+xml"]
    {
        let _ = embedded(mediatype, Cursor::new(input));
    }
}
