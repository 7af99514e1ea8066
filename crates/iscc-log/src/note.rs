//! The signed note of an entry: form of its members and its signature.

use iscc_codec::{IsccCode, MainType, Unit};
use serde_json::{Map, Value};

use crate::code_text::{iscc_code, iscc_unit};
use crate::key::{PublicKey, multibase};
use crate::signature::Unverified;

const SIGNATURE_VERSION: &str = "ISCC-SIG v1.0";
/// Multihash prefix of BLAKE3 with 32 bytes.
const DATAHASH_PREFIX: &str = "1e20";
const DATAHASH_BYTES: usize = 32;
const UNITS_MAX: usize = 4;

type Members = Map<String, Value>;

/// Members of a declaration in the right form.
pub(crate) struct Declaration<'a> {
    pub code: IsccCode,
    pub code_text: &'a str,
    pub units: Vec<Unit>,
    pub datahash: [u8; DATAHASH_BYTES],
    pub datahash_text: &'a str,
    pub gateway: Option<&'a str>,
}

/// Lower-case hexadecimal digits of exactly `N` bytes.
pub(crate) fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).ok()?;
    bytes.try_into().ok()
}

/// The members of a declaration; `None` if one breaks its rule.
pub(crate) fn declaration(note: &Members) -> Option<Declaration<'_>> {
    let datahash_text = note.get("datahash")?.as_str()?;
    let datahash = hex(datahash_text.strip_prefix(DATAHASH_PREFIX)?)?;
    let code_text = note.get("iscc_code")?.as_str()?;
    let code = iscc_code(code_text)?;
    let instance =
        code.units().iter().find(|unit| unit.kind().main() == MainType::Instance).copied()?;
    let units = match note.get("units") {
        None => Vec::new(),
        Some(units) => declared_units(units, &code)?,
    };
    let gateway = match note.get("gateway") {
        None => None,
        Some(gateway) => Some(gateway.as_str()?),
    };
    let is_of_code = datahash.starts_with(instance.body());
    is_of_code.then_some(Declaration { code, code_text, units, datahash, datahash_text, gateway })
}

/// The declared units: one per unit of the code except Instance, each starting with the code's body of it.
fn declared_units(units: &Value, code: &IsccCode) -> Option<Vec<Unit>> {
    let texts = units.as_array().filter(|texts| (1..=UNITS_MAX).contains(&texts.len()))?;
    let units: Vec<_> =
        texts.iter().map(|text| iscc_unit(text.as_str()?)).collect::<Option<_>>()?;
    let parts = code.units();
    let wanted: Vec<_> =
        parts.iter().filter(|part| part.kind().main() != MainType::Instance).collect();
    let matches = |part: &&&Unit| {
        units.iter().any(|unit| unit.kind() == part.kind() && unit.body().starts_with(part.body()))
    };
    (wanted.len() == units.len() && wanted.iter().filter(matches).count() == units.len())
        .then_some(units)
}

/// The members of a signature in the right form, not yet verified.
pub(crate) struct NoteSignature<'a> {
    version: &'a str,
    pubkey: &'a str,
    proof: &'a str,
}

/// The signature's members; `None` if one is missing or no string.
pub(crate) fn signature(note: &Members) -> Option<NoteSignature<'_>> {
    let members = note.get("signature")?.as_object()?;
    let text = |name: &str| members.get(name)?.as_str();
    let is_text_or_absent = |name: &str| members.get(name).is_none_or(Value::is_string);
    if !is_text_or_absent("controller") || !is_text_or_absent("keyid") {
        return None;
    }
    Some(NoteSignature {
        version: text("version")?,
        pubkey: text("pubkey")?,
        proof: text("proof")?,
    })
}

impl NoteSignature<'_> {
    /// The signature over the canonical JSON (RFC 8785) of the note without its proof, and its key.
    pub fn unverified(&self, note: &Members) -> Option<(PublicKey, Unverified)> {
        if self.version != SIGNATURE_VERSION {
            return None;
        }
        let key = PublicKey::from_multibase(self.pubkey)?;
        let signature = Unverified::new(key, &multibase(self.proof)?, &signed_bytes(note)?)?;
        Some((key, signature))
    }
}

fn signed_bytes(note: &Members) -> Option<Vec<u8>> {
    let mut note = note.clone();
    note.get_mut("signature")?.as_object_mut()?.remove("proof");
    serde_json_canonicalizer::to_vec(&note).ok()
}
