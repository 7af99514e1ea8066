//! Codes to bytes and back, compared with iscc-lib. Each call processes a list of different codes,
//! so that branch prediction cannot learn one of them. Both sides return the same results.

use std::hint::black_box;

use bench_harness::Group;
use iscc_codec::{Code, Compat, IsccCode, Kind, Mode, Unit, explain_json};

const CODES: u64 = 64;

fn main() {
    for bits in [64, 256] {
        decode_units(bits);
        encode_units(bits);
    }
    decode_composites();
    decompose();
    compose();
    explain_composites();
}

/// A pseudo-random digest, the same in every run.
fn digest(seed: u64) -> [u8; 32] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

fn unit(kind: Kind, seed: u64, bits: usize) -> Unit {
    Unit::new(kind, &digest(seed), bits).expect("a valid length")
}

/// Meta, Content, Data and Instance.
fn four_units(seed: u64) -> [Unit; 4] {
    let kinds = [Kind::META, Kind::content(Mode::Image), Kind::DATA, Kind::INSTANCE];
    kinds.map(|kind| unit(kind, seed * 5 + kind.main() as u64, 256))
}

fn composites() -> Vec<String> {
    let compose = |seed| IsccCode::compose(&four_units(seed), false).expect("four units");
    (0..CODES).map(|seed| compose(seed).to_string()).collect()
}

fn each<T, R>(items: &[T], mut run: impl FnMut(&T) -> R) {
    for item in items {
        black_box(run(black_box(item)));
    }
}

fn group(name: String) -> Group<'static> {
    Group::new(name).per_call(CODES as usize, "/s")
}

fn decode_units(bits: usize) {
    let units: Vec<String> =
        (0..CODES).map(|seed| unit(Kind::DATA, seed, bits).to_string()).collect();
    let peers = units.clone();
    group(format!("codec: decode {CODES} units of {bits} bits"))
        .must(12.0)
        .case("ours", move || each(&units, |code| code.parse::<Code>()))
        .case("iscc-lib iscc_decode", move || each(&peers, |code| iscc_lib::iscc_decode(code)))
        .run();
}

fn decode_composites() {
    let codes = composites();
    let peers = codes.clone();
    group(format!("codec: decode {CODES} ISCC-CODEs"))
        .must(25.0)
        .case("ours", move || each(&codes, |code| code.parse::<Code>()))
        .case("iscc-lib iscc_decode", move || each(&peers, |code| iscc_lib::iscc_decode(code)))
        .run();
}

fn encode_units(bits: usize) {
    let digests: Vec<[u8; 32]> = (0..CODES).map(digest).collect();
    let (text, peers) = (digests.clone(), digests.clone());
    let encode =
        move |digest: &[u8; 32]| Unit::new(Kind::DATA, digest, bits).map(|unit| unit.text());
    group(format!("codec: encode {CODES} units of {bits} bits"))
        .must(2.0)
        .case("ours", move || each(&digests, |digest| encode(digest).map(|text| text.to_owned())))
        .case("ours, text without allocation", move || each(&text, encode))
        .case("iscc-lib encode_component", move || {
            each(&peers, |digest| iscc_lib::encode_component(3, 0, 0, bits as u32, digest))
        })
        .run();
}

fn decompose() {
    let codes = composites();
    let (stack, peers) = (codes.clone(), codes.clone());
    let texts = |code: &Code| -> Vec<String> {
        code.units().iter().map(|unit| unit.text().bare().to_owned()).collect()
    };
    group(format!("codec: decompose {CODES} ISCC-CODEs of 4 units"))
        .must(2.0)
        .case("ours", move || each(&codes, |code| code.parse::<Code>().map(|code| texts(&code))))
        .case("ours, units without allocation", move || {
            each(&stack, |code| code.parse::<Code>().map(|code| code.units()))
        })
        .case("iscc-lib iscc_decompose", move || {
            each(&peers, |code| iscc_lib::codec::iscc_decompose(code))
        })
        .run();
}

fn compose() {
    let texts: Vec<Vec<String>> =
        (0..CODES).map(|seed| four_units(seed).map(|unit| unit.to_string()).to_vec()).collect();
    let peers = texts.clone();
    group(format!("codec: compose {CODES} ISCC-CODEs of 4 units"))
        .must(2.0)
        .case("ours", move || {
            each(&texts, |units| IsccCode::compose_text(units, false).map(|code| code.to_string()))
        })
        .case("iscc-lib gen_iscc_code_v0", move || {
            each(&peers, |units| {
                let units: Vec<&str> = units.iter().map(String::as_str).collect();
                iscc_lib::gen_iscc_code_v0(&units, false)
            })
        })
        .run();
}

/// iscc-lib has no explain; it has to decompose the code and decode each unit at least.
fn explain_composites() {
    let codes = composites();
    let peers = codes.clone();
    group(format!("codec: explain {CODES} ISCC-CODEs of 4 units as JSON"))
        .case("ours", move || each(&codes, |code| explain_json(code, Compat::Sdk0_9_7)))
        .case("iscc-lib decompose and decode", move || {
            each(&peers, |code| {
                let units = iscc_lib::codec::iscc_decompose(code).unwrap_or_default();
                units.iter().map(|unit| iscc_lib::iscc_decode(unit)).collect::<Vec<_>>()
            })
        })
        .run();
}
