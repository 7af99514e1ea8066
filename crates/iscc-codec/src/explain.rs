//! What is in a code: its units, and other forms of writing it.

use std::fmt::{self, Display, Formatter};

use crate::Error;
use crate::base::base16;
use crate::id::{IsccId, LegacyIsccId};
use crate::multiformat::{self, Multibase};
use crate::normalize::Code;
use crate::numerals::{binary, decimal, iso_8601};
use crate::tables::{MainType, Version};
use crate::unit::Unit;

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
    let bare: Vec<_> = units.iter().map(|unit| unit.text().bare().to_owned()).collect();
    Ok(Explanation {
        iscc: code.to_string(),
        readable: readable(&code, compat)?,
        multiformat: multiformat::encode(code.as_bytes(), Multibase::Base64Url),
        decomposed: bare.join("-"),
        units: units.iter().map(|unit| explain_unit(unit, compat)).collect::<Result<_, _>>()?,
    })
}

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
            let sub = code.kind().sub_name();
            Ok(format!("ISCC-{sub}-V0-{}-{}", code.letters(), base16::encode(code.body())))
        }
    }
}

fn readable_unit(unit: &Unit, compat: Compat) -> Result<String, Error> {
    let kind = unit.kind();
    let (sub, version) = (kind.sub_name(), kind.version().name());
    let typed = format!("{}-{sub}-{version}-{}", kind.main().name(), unit.bits());
    match (kind.main(), kind.version()) {
        (MainType::Id, Version::V1) => {
            let id = IsccId::try_from(unit)?;
            let (time, hub) = (id.timestamp_us(), id.hub());
            Ok(match compat {
                Compat::Sdk095 => format!("{typed}-{time}-{hub}"),
                Compat::Sdk097 => format!("{typed}-{}-HUB_{hub}", iso_8601(time)),
            })
        }
        (MainType::Id, Version::V0) => {
            let id = LegacyIsccId::try_from(unit)?;
            let counter = id.counter.map_or(String::new(), |counter| format!("-{counter}"));
            Ok(format!("{typed}-{}{counter}", base16::encode(&id.hash)))
        }
        _ => Ok(format!("{typed}-{}", base16::encode(unit.body()))),
    }
}

impl Display for Explanation {
    /// The explanation as compact JSON, in the order of the fields. No value needs an escape.
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let Self { iscc, readable, multiformat, decomposed, units } = self;
        write!(out, r#"{{"iscc":"{iscc}","readable":"{readable}","multiformat":"{multiformat}""#)?;
        write!(out, r#","decomposed":"{decomposed}","units":["#)?;
        for (index, unit) in units.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(out, "{separator}{unit}")?;
        }
        out.write_str("]}")
    }
}

impl Display for UnitExplanation {
    /// The explanation as compact JSON, in the order of the fields. No value needs an escape.
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let Self { iscc_unit, readable, hash_hex, hash_uint, hash_bits } = self;
        write!(out, r#"{{"iscc_unit":"{iscc_unit}","readable":"{readable}","#)?;
        write!(out, r#""hash_hex":"{hash_hex}","hash_uint":"{hash_uint}","#)?;
        write!(out, r#""hash_bits":"{hash_bits}"}}"#)
    }
}
