//! Text kernels and units, compared with iscc-lib: `cargo bench -p iscc-units --bench text`.

mod inputs;

use bench_harness::Group;
use inputs::Kind;
use iscc_lib as peer;
use iscc_units::kernels::{clean, collapse, ngram};
use iscc_units::meta::{self, Meta, Metadata};
use iscc_units::simd::{self, Level};
use iscc_units::{simprint, text};

const KB: usize = 1000;
const MB: usize = 1000 * KB;

fn main() {
    for (kind, must) in [
        (Kind::English, 60.0),
        (Kind::Typographic, 30.0),
        (Kind::Accented, 10.0),
        (Kind::Cjk, 12.0),
    ] {
        let text = inputs::text(kind, MB);
        levels("text_collapse", kind, &text, must, collapse::collapse_at)
            .case("iscc-lib", || peer::text_collapse(&text))
            .run();
    }
    for (kind, must) in [(Kind::English, 50.0), (Kind::Accented, 8.0), (Kind::Cjk, 8.0)] {
        let text = inputs::text(kind, MB);
        levels("text_clean", kind, &text, must, clean::clean_at)
            .case("iscc-lib", || peer::text_clean(&text))
            .run();
    }
    for (kind, must) in [(Kind::English, 5.0), (Kind::Cjk, 2.0), (Kind::Cyrillic, 3.0)] {
        let text = text::collapse(&inputs::text(kind, MB));
        levels("n-gram hashes", kind, &text, must, features)
            .case("iscc-lib's parts", || peer_features(&text))
            .run();
    }
    text_codes();
    simprints();
    meta_codes();
}

/// A group with one case per level of this machine, the highest one first.
fn levels<'a, R>(
    what: &str,
    kind: Kind,
    text: &'a str,
    must: f64,
    run: impl Fn(Level, &str) -> R + Copy + 'a,
) -> Group<'a> {
    let size = if text.len() < MB / 2 { "10 KB" } else { "1 MB" };
    let group = Group::new(format!("{what}, {} {size}", kind.name())).bytes(text.len()).must(must);
    let mut levels: Vec<Level> = simd::levels().collect();
    levels.reverse();
    levels
        .into_iter()
        .fold(group, |group, level| group.case(level.set().name(), move || run(level, text)))
}

/// Sum of all features, so that none can be optimised away.
fn features(level: Level, text: &str) -> u32 {
    let mut sum = 0u32;
    ngram::features_at(level, text, |features| {
        sum = features.iter().fold(sum, |sum, feature| sum.wrapping_add(*feature));
    });
    sum
}

fn peer_features(text: &str) -> u32 {
    let windows = peer::sliding_window(text, ngram::WINDOW).unwrap();
    windows
        .iter()
        .fold(0, |sum, window| sum.wrapping_add(xxhash_rust::xxh32::xxh32(window.as_bytes(), 0)))
}

fn text_codes() {
    for (kind, bytes, must) in [
        (Kind::English, 10 * KB, 12.0),
        (Kind::English, MB, 18.0),
        (Kind::Cjk, 10 * KB, 6.0),
        (Kind::Cjk, MB, 8.0),
        (Kind::Accented, 10 * KB, 6.0),
        (Kind::Accented, MB, 8.0),
    ] {
        let text = inputs::text(kind, bytes);
        levels("Text-Code", kind, &text, must, text::code_at)
            .case("iscc-lib", || peer::gen_text_code_v0(&text, 256).unwrap())
            .run();
    }
}

fn simprints() {
    for kind in [Kind::English, Kind::Cjk] {
        let text = text::clean(&inputs::text(kind, MB));
        levels("simprints", kind, &text, 7.0, simprint::simprints_at)
            .case("iscc-lib's parts", || peer_simprints(&text))
            .run();
    }
}

/// Simprints from the peer's public functions, combined as in iscc-sdk.
fn peer_simprints(text: &str) -> Vec<Vec<u8>> {
    let utf32: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
    let simprint = |chunk: &&[u8]| {
        let scalar = |bytes: &[u8; 4]| char::from_u32(u32::from_be_bytes(*bytes)).unwrap();
        let chunk: String = chunk.as_chunks().0.iter().map(scalar).collect();
        let windows = peer::sliding_window(&peer::text_collapse(&chunk), ngram::WINDOW).unwrap();
        let hash = |window: &String| xxhash_rust::xxh32::xxh32(window.as_bytes(), 0);
        peer::alg_minhash_256(&windows.iter().map(hash).collect::<Vec<_>>())
    };
    peer::alg_cdc_chunks(&utf32, true, 2048).unwrap().iter().map(simprint).collect()
}

fn meta_codes() {
    let name = "Die Unendliche Geschichte";
    let long = &inputs::text(Kind::English, KB)[..400];
    for (what, description, must) in
        [("25 characters", "", 4.0), ("25 + 16", "Von Michael Ende", 4.0), ("25 + 400", long, 20.0)]
    {
        let metadata = Metadata { name, description, meta: Meta::None };
        let group = Group::new(format!("Meta-Code, {what}")).per_call(1, "code/s").must(must);
        let mut levels: Vec<Level> = simd::levels().collect();
        levels.reverse();
        levels
            .into_iter()
            .fold(group, |group, level| {
                group.case(level.set().name(), move || meta::code_at(level, metadata).unwrap())
            })
            .case("iscc-lib", || {
                peer::gen_meta_code_v0(name, Some(description), None, 256).unwrap()
            })
            .run();
    }
}
