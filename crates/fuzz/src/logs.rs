//! Logs of hubs.

use iscc_log::entry::Log;
use iscc_log::{bundle, checkpoint, code_text, entry, gateway, key};

use crate::Target;

pub const TARGETS: &[Target] = &[
    Target {
        name: "checkpoint",
        run: checkpoint,
        seeds: &["checkpoint-0", "checkpoint-3", "checkpoint-257", "checkpoint-275"],
        examples: &[],
    },
    Target {
        name: "bundle",
        run: bundle,
        seeds: &["/tile/entries/000", ".p/6", ".p/3"],
        examples: &[],
    },
    Target {
        name: "gateway",
        run: template,
        seeds: &[],
        examples: &["https://example.org/{iscc_id}{?x,y*}", "https://example.org/{iscc_code:3}"],
    },
];

fn checkpoint(input: &[u8]) {
    let keys: Vec<key::PublicKey> =
        key::PublicKey::from_multibase("z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
            .into_iter()
            .collect();
    let origin = input.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let origin = String::from_utf8_lossy(origin);
    assert!(
        checkpoint::judge(input, &origin, &keys).is_err(),
        "no fixture is signed with this key"
    );
}

fn bundle(input: &[u8]) {
    let log = Log { realm: 0, hub: 1 };
    for count in [1, 3, 256] {
        let Some(records) = bundle::records(input, count) else { continue };
        assert_eq!(records.len(), count);
        let _ = entry::parse_all(&records, log);
    }
    let _ = entry::parse(input, log);
}

fn template(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let _ = gateway::is_address(text);
    let _ = code_text::iscc_id(text);
    let _ = code_text::iscc_code(text);
    let _ = code_text::iscc_unit(text);
}
