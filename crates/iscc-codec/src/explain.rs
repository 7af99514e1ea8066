//! What is in a code: its units, and other forms of writing it.

use crate::Error;
use crate::base::base16;
use crate::id::{IsccId, LegacyIsccId};
use crate::multiformat::{self, Multibase};
use crate::normalize::Code;
use crate::numerals::{binary, decimal, iso_8601};
use crate::tables::{MainType, Version};
use crate::unit::Unit;
use crate::units::Units;

/// Which reference's readable form an ISCC-IDv1 gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compat {
    /// iscc-sdk 0.9.5: `ID-REALM_0-V1-64-<microseconds>-<hub>`.
    Sdk095,
    /// iscc-sdk 0.9.7: `ID-REALM_0-V1-64-<ISO 8601>-HUB_<hub>`.
    #[default]
    Sdk097,
}

/// A code in all its forms. Every value is ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Canonical code.
    pub iscc: String,
    /// Type, length and body, for people.
    pub readable: String,
    /// Multiformat in base64url.
    pub multiformat: String,
    /// The units without `ISCC:`, joined by hyphens.
    pub decomposed: String,
    /// The units in body order; a single unit is its own.
    pub units: Vec<UnitExplanation>,
}

/// A unit in all its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitExplanation {
    /// Canonical unit.
    pub iscc_unit: String,
    /// Type, length and body, for people.
    pub readable: String,
    /// The body in lower-case hexadecimal.
    pub hash_hex: String,
    /// The body as an unsigned decimal number of up to 78 digits.
    pub hash_uint: String,
    /// The body in binary digits, most significant first.
    pub hash_bits: String,
}

/// Takes a code in any accepted form apart.
pub fn explain(text: &str, compat: Compat) -> Result<Explanation, Error> {
    let code: Code = text.parse()?;
    let units = code.units();
    Ok(Explanation {
        iscc: code.to_string(),
        readable: readable(&code, compat)?,
        multiformat: multiformat::encode(code.as_bytes(), Multibase::Base64Url),
        decomposed: decomposed(&units),
        units: units.iter().map(|unit| explain_unit(unit, compat)).collect::<Result<_, _>>()?,
    })
}

fn decomposed(units: &Units) -> String {
    let mut text = String::with_capacity(units.len() * UNIT_CHARACTERS_MAX);
    for unit in units.iter() {
        let separator = if text.is_empty() { "" } else { "-" };
        push_all(&mut text, &[separator, unit.text().bare()]);
    }
    text
}

/// Two bytes of header and 32 of body in base32, and a hyphen.
const UNIT_CHARACTERS_MAX: usize = 56;

fn explain_unit(unit: &Unit, compat: Compat) -> Result<UnitExplanation, Error> {
    Ok(UnitExplanation {
        iscc_unit: unit.to_string(),
        readable: readable_unit(unit, compat)?,
        hash_hex: base16::encode(unit.body()),
        hash_uint: decimal(unit.body()),
        hash_bits: binary(unit.body()),
    })
}

fn readable(code: &Code, compat: Compat) -> Result<String, Error> {
    match code {
        Code::Unit(unit) => readable_unit(unit, compat),
        Code::Composite(code) => {
            let (sub, letters) = (code.kind().sub_name(), code.letters());
            let body = base16::encode(code.body());
            Ok(["ISCC-", sub, "-V0-", letters, "-", &body].concat())
        }
    }
}

fn readable_unit(unit: &Unit, compat: Compat) -> Result<String, Error> {
    let kind = unit.kind();
    let bits = unit.bits().to_string();
    let (main, sub, version) = (kind.main().name(), kind.sub_name(), kind.version().name());
    let detail = match (kind.main(), kind.version()) {
        (MainType::Id, Version::V1) => {
            let id = IsccId::try_from(unit)?;
            let (time, hub) = (id.timestamp_us(), id.hub());
            match compat {
                Compat::Sdk095 => format!("{time}-{hub}"),
                Compat::Sdk097 => format!("{}-HUB_{hub}", iso_8601(time)),
            }
        }
        (MainType::Id, Version::V0) => {
            let id = LegacyIsccId::try_from(unit)?;
            let counter = id.counter.map_or(String::new(), |counter| format!("-{counter}"));
            base16::encode(&id.hash) + &counter
        }
        _ => base16::encode(unit.body()),
    };
    Ok([main, "-", sub, "-", version, "-", &bits, "-", &detail].concat())
}

impl Explanation {
    /// Compact JSON, in the order of the fields. No value needs an escape.
    pub fn to_json(&self) -> String {
        let units: usize = self.units.iter().map(UnitExplanation::json_bytes).sum();
        let forms = [&self.iscc, &self.readable, &self.multiformat, &self.decomposed];
        let length = forms.iter().map(|form| form.len()).sum::<usize>() + units + KEYS_BYTES;
        let mut json = String::with_capacity(length);
        let [iscc, readable, multiformat, decomposed] = forms;
        push_all(&mut json, &[r#"{"iscc":""#, iscc, r#"","readable":""#, readable]);
        push_all(&mut json, &[r#"","multiformat":""#, multiformat]);
        push_all(&mut json, &[r#"","decomposed":""#, decomposed, r#"","units":["#]);
        for (index, unit) in self.units.iter().enumerate() {
            json.push_str(if index == 0 { "" } else { "," });
            unit.push_json(&mut json);
        }
        json.push_str("]}");
        json
    }
}

/// More than the keys of an explanation, or of one of its units, take with their punctuation.
const KEYS_BYTES: usize = 80;

impl UnitExplanation {
    fn json_bytes(&self) -> usize {
        let Self { iscc_unit, readable, hash_hex, hash_uint, hash_bits } = self;
        let forms = [iscc_unit, readable, hash_hex, hash_uint, hash_bits];
        forms.iter().map(|form| form.len()).sum::<usize>() + KEYS_BYTES
    }

    fn push_json(&self, json: &mut String) {
        let Self { iscc_unit, readable, hash_hex, hash_uint, hash_bits } = self;
        push_all(json, &[r#"{"iscc_unit":""#, iscc_unit, r#"","readable":""#, readable]);
        push_all(json, &[r#"","hash_hex":""#, hash_hex, r#"","hash_uint":""#, hash_uint]);
        push_all(json, &[r#"","hash_bits":""#, hash_bits, r#""}"#]);
    }
}

fn push_all(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
}
