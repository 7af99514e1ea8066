//! Text normalisation and Text-Code.

use iscc_units::{simd, text};

use super::fixture::{self, assert_code, cases, conformance, hex, number, read, text as string};

#[test]
fn normalised_text() {
    let file = read("text.json");
    for case in cases(&file, "cases") {
        let input = string(&case["text"]);
        assert_eq!(text::clean(input), string(&case["text_clean"]), "{input:?}");
        assert_eq!(text::collapse(input), string(&case["text_collapse"]), "{input:?}");
        let line = string(&case["text_remove_newlines"]);
        assert_eq!(text::remove_newlines(input), line, "{input:?}");
        for (max_bytes, trimmed) in case["trim"].as_object().expect("an object") {
            let max_bytes = max_bytes.parse().expect("a number");
            assert_eq!(text::trim(input, max_bytes), string(trimmed), "{input:?} to {max_bytes}");
        }
    }
}

#[test]
fn unicode_is_16_0() {
    let file = read("text.json");
    for probe in cases(&file, "unicode_version_probes") {
        let code_point = string(&probe["char"]).trim_start_matches("U+");
        let c =
            char::from_u32(u32::from_str_radix(code_point, 16).expect("hex")).expect("a scalar");
        let collapsed = text::collapse(&format!("x{c}y"));
        assert_eq!(collapsed, string(&probe["text_collapse_iscc_lib_0_7"]), "U+{code_point}");
        assert_eq!(collapsed != "xy", probe["kept_by_iscc_lib_0_7"], "U+{code_point}");
    }
}

/// First byte of a Text-Code's header.
const HEADER: u8 = 0x20;

#[test]
fn text_codes() {
    let file = read("text.json");
    for case in cases(&file, "cases") {
        let (input, recorded) = (string(&case["text"]), &case["text_code"]);
        for level in simd::levels() {
            let code = text::code_at(level, input);
            assert_eq!(hex(&code.digest), string(&recorded["digest_hex"]), "{input:?}");
            assert_eq!(code.characters, number(&recorded["characters"]), "{input:?}");
            for bits in ["32", "64", "128", "256"] {
                assert_code(&recorded[bits], HEADER, &code.digest, input);
            }
            let code = text::code_at(level, &text::clean_at(level, input));
            assert_code(&case["text_code_after_clean_256"], HEADER, &code.digest, input);
        }
    }
}

#[test]
fn published() {
    let file = read("conformance_iscc_core_1_5_0.json");
    for (inputs, outputs) in conformance(&file, "gen_text_code_v0") {
        let code = text::code(string(&inputs[0]));
        assert_code(&outputs["iscc"], HEADER, &code.digest, "published");
        assert_eq!(code.characters, number(&outputs["characters"]));
    }
}

#[test]
fn plain_text_files() {
    let file = read("plain_text_files.json");
    for case in cases(&file, "cases") {
        let name = string(&case["file"]);
        let bytes = fixture::file(name);
        let decoded = decode(&bytes, string(&case["decoded_as"]));
        let code = text::code(&text::clean(&decoded));
        assert_code(&case["text_code_256"], HEADER, &code.digest, name);
        assert_eq!(code.characters, number(&case["characters"]), "{name}");
    }
}

fn decode(bytes: &[u8], charset: &str) -> String {
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|bytes| unit(*bytes)).collect();
        String::from_utf16(&units).expect("UTF-16")
    };
    let utf8 = || String::from_utf8(bytes.to_vec()).expect("UTF-8");
    match charset {
        "utf-8" => utf8(),
        "utf-8-sig" => utf8().trim_start_matches('\u{feff}').to_owned(),
        "utf-16" if bytes.starts_with(&[0xFF, 0xFE]) => utf16(u16::from_le_bytes),
        "utf-16" => utf16(u16::from_be_bytes),
        // Equal to Latin-1 except for 0x80 to 0x9F, which the fixtures do not contain.
        "cp1252" => {
            assert!(!bytes.iter().any(|byte| (0x80..0xA0).contains(byte)));
            bytes.iter().map(|byte| char::from(*byte)).collect()
        }
        other => panic!("{other}: not a charset of the fixtures"),
    }
}
