//! Codes from iscc-web's tests and documentation: each is canonical, and each composite consists of
//! the units next to it.

use iscc_codec::{Compat, IsccCode, Unit, explain_json, validate};
use serde_json::Value;

use super::{fixture, text, texts};

/// Calls `visit` for every object in `value`, at any depth.
fn each_object(value: &Value, visit: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|inner| each_object(inner, visit));
        }
        Value::Array(items) => items.iter().for_each(|inner| each_object(inner, visit)),
        _ => {}
    }
}

#[test]
fn published_codes_consist_of_published_units() {
    let mut composed = 0;
    each_object(&fixture("known_answers_iscc_web_0_3.json"), &mut |object| {
        let (Some(iscc), Some(Value::Array(units))) = (object.get("iscc"), object.get("units"))
        else {
            return;
        };
        assert!(validate(text(iscc)), "{iscc}");
        if units.iter().all(Value::is_string) {
            composed += 1;
            let units = texts(&object["units"]);
            let wide = text(iscc).starts_with("ISCC:K4");
            let code = IsccCode::compose_text(&units, wide).expect("units of one code");
            assert_eq!(code.to_string(), text(iscc));
            let shortened = code.units().iter().zip(&units).all(|(part, unit)| {
                let unit: Unit = unit.parse().expect("a unit");
                unit.truncated(part.bits()) == Ok(*part)
            });
            assert!(shortened, "{iscc}");
        } else {
            let explained = explain_json(text(iscc), Compat::default()).expect("a code");
            let json: Value = serde_json::from_str(&explained).expect("JSON");
            assert_eq!(json["units"], object["units"]);
            assert_eq!(json["decomposed"], object["decomposed"]);
        }
    });
    assert!(composed > 0);
}
