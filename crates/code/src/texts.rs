//! `explain` and `compare` of codes.

use iscc_codec::{Code, Compat, Explanation};
use iscc_content::compared::{self, ComparedUnits};
use serde::Serialize;

use crate::failure::{EXIT_FAILED, Failed};
use crate::number;
use crate::output::{self, printable};

const LABEL_CHARACTERS: usize = 12;
const BAR_CHARACTERS: usize = 20;
/// Of units with 64 bits, the shortest codes that are found anywhere.
const CODE_CHARACTERS_MIN: usize = 16;

/// The parts of codes, as text or as the JSON of the service.
pub fn explain(codes: &[String], json: bool) -> Result<(), Failed> {
    let mut failures = Vec::new();
    for code in codes {
        let explained = match json {
            true => iscc_codec::explain_json(code, Compat::default()).map(|json| json + "\n"),
            false => iscc_codec::explain(code, Compat::default()).map(|parts| described(&parts)),
        };
        match explained {
            Ok(text) => output::text(&text)?,
            Err(error) => failures.push(printable(
                &unlike_code(code)
                    .unwrap_or_else(|| format!("{code} is not a valid ISCC: {error}")),
            )),
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failed::new(EXIT_FAILED, failures.join("\nisccd-code: "))),
    }
}

/// Why a text that the decoder refuses is no code; `None` if it looks like one, so that the decoder's reason says more.
fn unlike_code(text: &str) -> Option<String> {
    let bare = text.trim();
    let bare = match bare.get(..5) {
        Some(prefix) if prefix.eq_ignore_ascii_case("iscc:") => &bare[5..],
        _ => bare,
    };
    let is_like = bare.len() >= CODE_CHARACTERS_MIN
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+/=-".contains(&byte));
    let rule = format!(
        "a code is ISCC: and at least {CODE_CHARACTERS_MIN} letters A to Z and digits 2 to 7"
    );
    (!is_like).then(|| format!("{text} is not a code: {rule}; multiformat is accepted, too"))
}

fn described(parts: &Explanation) -> String {
    let mut lines = vec![
        ("iscc", parts.iscc.as_str()),
        ("readable", &parts.readable),
        ("multiformat", &parts.multiformat),
        ("decomposed", &parts.decomposed),
    ];
    for unit in &parts.units {
        lines.extend([
            ("", ""),
            ("unit", unit.iscc_unit.as_str()),
            ("readable", &unit.readable),
            ("hash_hex", &unit.hash_hex),
            ("hash_uint", &unit.hash_uint),
            ("hash_bits", &unit.hash_bits),
        ]);
        if unit.featureless {
            lines.push(("featureless", "matches of this Content-Code mean nothing"));
        }
    }
    let lines = lines.iter().map(|(name, value)| {
        let line = format!("{name:LABEL_CHARACTERS$}{value}");
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n") + "\n\n"
}

/// The units of a code. Errors say why it is not one.
pub fn units_of(code: &str) -> Result<Vec<String>, String> {
    let code: Code = code.parse().map_err(|error: iscc_codec::Error| error.to_string())?;
    Ok(code.units().iter().map(|unit| unit.text().bare().to_owned()).collect())
}

/// Writes the similarity of the units that both lists have.
pub fn compare(left: &[String], right: &[String], json: bool) -> Result<(), Failed> {
    let mut compared = Vec::new();
    for one in left {
        for other in right {
            let units = compared::compare(one, other);
            compared.extend(units.map_err(|error| Failed::new(EXIT_FAILED, error))?);
        }
    }
    if compared.is_empty() {
        return Err(Failed::new(EXIT_FAILED, "the codes have no units of the same type"));
    }
    if json {
        let lines: Vec<Line> = compared.iter().map(Line::from).collect();
        let json = serde_json::to_string(&lines)
            .map_err(|error| Failed::new(EXIT_FAILED, error.to_string()))?;
        return output::text(&(json + "\n"));
    }
    output::text(&compared.iter().map(bar).collect::<String>())
}

/// As JavaScript writes it.
#[derive(Serialize)]
struct Line<'a> {
    kind: &'a str,
    bits: usize,
    distance: usize,
    #[serde(serialize_with = "number::serialize")]
    similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    featureless: Option<bool>,
}

impl<'a> From<&'a ComparedUnits> for Line<'a> {
    fn from(units: &'a ComparedUnits) -> Self {
        let ComparedUnits { kind, bits, distance, similarity, featureless } = units;
        Self {
            kind,
            bits: *bits,
            distance: *distance,
            similarity: *similarity,
            featureless: *featureless,
        }
    }
}

fn bar(units: &ComparedUnits) -> String {
    let ComparedUnits { kind, bits, similarity, featureless, .. } = units;
    let filled = (similarity * BAR_CHARACTERS as f64).round() as usize;
    let bar = "#".repeat(filled) + &".".repeat(BAR_CHARACTERS - filled);
    let percent = format!("{:.1} %", similarity * 100.0);
    let reason = match featureless {
        None => "",
        Some(_) if kind.contains("_TEXT_") => "  means nothing: the document has no text",
        Some(_) => "  means nothing: the image is featureless",
    };
    format!("{kind:20} {bar} {percent:>8} of {bits} bits{reason}\n")
}
