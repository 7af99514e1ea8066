//! Texts of ISCCs, and ISCC-SEQ.

use iscc_codec::{Code, Compat, clean, explain_json, normalize, seq, validate};
use reference::codec;

use crate::Target;

pub const TARGETS: &[Target] = &[
    Target {
        name: "code-text",
        run: text,
        seeds: &[],
        examples: &[
            "ISCC:KACT4EBWK27737D2AYCJRAL5Z36G76RFRMO4554RU26HZ4ORJGIVHDI",
            "ISCC:AAA6R6CQ4Y4DUKJB",
            "ISCC:MAIFWLLNFLOEEXMW",
            "iscc:aaa-6r6c-q4y4-dukjb",
            "fAA",
            "bzqavabj6ca6dp3sh",
        ],
    },
    Target { name: "code-bytes", run: bytes, seeds: &[], examples: &["\0\u{1}abcdefgh"] },
    Target {
        name: "iscc-seq",
        run: sequence,
        seeds: &[],
        examples: &["\0\u{1}abcdefgh\0\u{1}abcdefgh"],
    },
];

fn text(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let _ = clean(text);
    if let Ok(json) = explain_json(text, Compat::default()) {
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
    }
    if validate(text) {
        text.parse::<Code>().expect("a valid text parses");
    }
    let Ok(code) = text.parse::<Code>() else { return };
    assert_eq!(code.text().parse(), Ok(code), "the text of {text:?}");
    assert_eq!(Code::from_bytes(code.as_bytes()), Ok(code), "the bytes of {text:?}");
    let normal = normalize(text).expect("a parsed text has a normal form");
    assert_eq!(normalize(&normal).as_deref(), Ok(&*normal));
    twin(text);
}

/// The slow codec reads the same unit.
fn twin(text: &str) {
    let (Some(expected), Ok(Code::Unit(unit))) = (codec::decode_unit(text), text.parse()) else {
        return;
    };
    let kind = unit.kind();
    let length = unit.bits() as u32 / 32 - 1;
    let found = (
        kind.main() as u32,
        kind.sub().into(),
        kind.version() as u32,
        length,
        codec::bits(unit.body()),
    );
    assert_eq!(found, expected, "{text:?}");
}

fn bytes(input: &[u8]) {
    let Ok(code) = Code::from_bytes(input) else { return };
    assert_eq!(code.text().parse(), Ok(code));
}

fn sequence(input: &[u8]) {
    let _ = seq::query_units(input);
    if let Ok(units) = seq::decode(input) {
        seq::display(input).expect("decoded units have a text");
        let known: Vec<String> =
            units.iter().filter_map(|unit| Some(unit.known()?.text().to_string())).collect();
        let _ = seq::encode(&known);
    }
    if seq::decode_c2pa(input).is_ok() {
        seq::decode(input).expect("a sequence of C2PA is a sequence");
    }
}
