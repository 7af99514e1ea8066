//! Random texts, compared with iscc-lib.

use iscc_lib as peer;
use iscc_units::meta::{self, Meta, Metadata};
use iscc_units::text;
use proptest::prelude::*;

use super::unicode;

/// The body of a 256-bit code.
fn body(code: &str) -> Vec<u8> {
    peer::iscc_decode(code).unwrap().4
}

/// Text without characters that the peer treats differently. The peer lower-cases with the Unicode
/// version of the compiler, so it maps some letters that 16.0 has not assigned to assigned ones.
fn comparable_text(max: usize) -> impl Strategy<Value = String> {
    unicode::text(max).prop_map(|text| text.chars().filter(|c| !is_later_letter(*c)).collect())
}

fn is_later_letter(c: char) -> bool {
    !c.to_lowercase().eq([c]) && text::collapse(c.encode_utf8(&mut [0; 4])).is_empty()
}

/// Removes the spaces of lines of white space, which the peer keeps, unlike the standard.
fn without_blank_spaces(cleaned: &str) -> String {
    let line = |line| if str::trim(line).is_empty() { "" } else { line };
    cleaned.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn text_code(text in comparable_text(200)) {
        let code = text::code(&text);
        let theirs = peer::gen_text_code_v0(&text, 256).unwrap();
        prop_assert_eq!(&code.digest[..], body(&theirs.iscc));
        prop_assert_eq!(code.characters, theirs.characters);
    }

    #[test]
    fn clean(text in comparable_text(200)) {
        // A line feed belongs to a carriage return before it, even if characters between them were
        // removed. The peer treats them as two line breaks.
        let text = text.replace('\r', "\n");
        prop_assert_eq!(text::clean(&text), without_blank_spaces(&peer::text_clean(&text)));
    }

    #[test]
    fn meta_code(name in comparable_text(30), description in comparable_text(300)) {
        let name = format!("a{name}");
        let description = text::clean(&description);
        let metadata = Metadata { name: &name, description: &description, meta: Meta::None };
        let code = meta::code(metadata).unwrap();
        let theirs = peer::gen_meta_code_v0(&name, Some(&description), None, 256).unwrap();
        prop_assert_eq!(&code.digest[..], body(&theirs.iscc));
        prop_assert_eq!(code.name, theirs.name);
        prop_assert_eq!(code.description, theirs.description);
        prop_assert_eq!(code.metahash, theirs.metahash);
    }

    #[test]
    fn meta_code_of_json(number in any::<f64>(), key in "[a-z\u{e9}\u{10000}@]{0,8}", list in any::<[i32; 3]>()) {
        let number = if number.is_finite() { number } else { 0.5 };
        let json = serde_json::json!({ key: number, "b": list, "a": { "\u{1f600}": null } }).to_string();
        let metadata = Metadata { name: "name", description: "", meta: Meta::Json(&json) };
        let code = meta::code(metadata).unwrap();
        let theirs = peer::gen_meta_code_v0("name", None, Some(&json), 256).unwrap();
        prop_assert_eq!(&code.digest[..], body(&theirs.iscc));
        prop_assert_eq!(code.meta, theirs.meta);
        prop_assert_eq!(code.metahash, theirs.metahash);
    }
}

#[test]
fn every_code_point() {
    let mut later = vec![];
    for c in '\0'..='\u{3ffff}' {
        if is_later_letter(c) {
            later.push(c);
            continue;
        }
        let text = format!("x{c}A{c}\u{301}");
        assert_eq!(text::collapse(&text), peer::text_collapse(&text), "{c:?}");
        assert_eq!(text::clean(&text), peer::text_clean(&text), "{c:?}");
    }
    // Letters of Unicode 17.0, unknown in 16.0.
    assert!(later.len() < 40, "{later:?}");
}
