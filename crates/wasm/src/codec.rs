//! Requests about codes.

use iscc_codec::{Code, Compat, IsccCode};
use serde_json::{Value, json};

use crate::error::{Failure, Result};

pub fn explain(code: &str) -> Result<Value> {
    let json = iscc_codec::explain_json(code, Compat::default())?;
    serde_json::from_str(&json).map_err(|error| Failure::new("INTERNAL", error))
}

pub fn normalize(code: &str) -> Result<Value> {
    Ok(iscc_codec::normalize(code)?.into())
}

pub fn decode(code: &str) -> Result<Value> {
    let code: Code = code.parse()?;
    let kind = code.kind();
    Ok(json!({
        "main": kind.main() as u8,
        "sub": kind.sub(),
        "version": kind.version() as u8,
        "bits": code.body().len() * 8,
        "body": code.body(),
    }))
}

pub fn decompose(code: &str) -> Result<Value> {
    let code: Code = code.parse()?;
    Ok(code.units().iter().map(|unit| unit.text().bare().to_owned()).collect())
}

pub fn compose(units: &[String], wide: bool) -> Result<Value> {
    let units: Vec<&str> = units.iter().map(String::as_str).collect();
    Ok(IsccCode::compose_text(&units, wide)?.to_string().into())
}

pub fn compare(a: &str, b: &str) -> Result<Value> {
    let compared = iscc_content::compared::compare(a, b).map_err(Failure::invalid)?;
    serde_json::to_value(compared).map_err(|error| Failure::new("INTERNAL", error))
}
