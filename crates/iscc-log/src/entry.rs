//! One log entry by itself: the rules that need no earlier entry.

use iscc_codec::{Kind, MainType, Unit};
use serde_json::{Map, Value, json};

use crate::code_text::{LogId, iscc_id};
use crate::gateway::{self, Variables};
use crate::key::PublicKey;
use crate::signature::{self, Unverified};
use crate::{json, note};

/// Longest entry that is judged, in bytes.
pub const ENTRY_BYTES_MAX: usize = 16_384;
const NOTE_SCHEMA: &str = "http://purl.org/iscc/schema/iscc-note-0.8.0.json";
const DELETE_SCHEMA: &str = "http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json";
/// Bits of the Instance-Code that an asset gets from its datahash.
const INSTANCE_BITS: usize = 256;

/// What an entry turned out to be. Every entry has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// A declaration; the asset is added or replaced.
    Ok,
    /// A deletion; the asset is deleted.
    Deletion,
    /// Longer than [`ENTRY_BYTES_MAX`].
    Oversize,
    /// Not JSON, or a member breaks its rule.
    Malformed,
    /// Neither a declaration nor a deletion of a known version.
    UnknownSchema,
    /// The ISCC-ID is of another network.
    RealmMismatch,
    /// The ISCC-ID or the nonce is of another hub.
    HubMismatch,
    /// The declarer's signature does not verify.
    BadSignature,
    /// An earlier entry had the nonce.
    NonceReuse,
    /// A deletion of an id that is not in force.
    Orphan,
    /// A deletion by another key than the declaration's.
    Unauthorized,
    /// A declaration of an id that was deleted or that another key holds.
    Conflict,
}

impl Reason {
    /// All reasons, in the order of reports.
    pub const ALL: [Self; 12] = [
        Self::Ok,
        Self::Deletion,
        Self::UnknownSchema,
        Self::Malformed,
        Self::RealmMismatch,
        Self::Oversize,
        Self::HubMismatch,
        Self::BadSignature,
        Self::NonceReuse,
        Self::Orphan,
        Self::Unauthorized,
        Self::Conflict,
    ];

    /// The reason as reports and metrics name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Deletion => "deletion",
            Self::Oversize => "oversize",
            Self::Malformed => "malformed",
            Self::UnknownSchema => "unknown_schema",
            Self::RealmMismatch => "realm_mismatch",
            Self::HubMismatch => "hub_mismatch",
            Self::BadSignature => "bad_signature",
            Self::NonceReuse => "nonce_reuse",
            Self::Orphan => "orphan",
            Self::Unauthorized => "unauthorized",
            Self::Conflict => "conflict",
        }
    }
}

/// The log that an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// 0 test network, 1 main network.
    pub realm: u8,
    /// 0 to 4095.
    pub hub: u16,
}

/// A correctly signed entry of this log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The declared or deleted id.
    pub id: LogId,
    /// Starts with the hub's id, in 12 bits.
    pub nonce: [u8; 16],
    /// The declarer's key.
    pub key: PublicKey,
    /// The asset of a declaration; `None` for a deletion.
    pub asset: Option<Asset>,
}

/// What the index stores of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Canonical text.
    pub iscc_id: String,
    /// Canonical text.
    pub iscc_code: String,
    /// One unit per unit of the code, in its order; the Instance-Code has 256 bits.
    pub units: Vec<Unit>,
    /// Address of the manifest or of more information.
    pub gateway: Option<String>,
}

impl Asset {
    /// The asset as canonical JSON (RFC 8785), in the form of a search index.
    pub fn json(&self) -> String {
        let units: Vec<_> = self.units.iter().map(|unit| unit.text().to_string()).collect();
        let mut asset =
            json!({ "iscc_id": self.iscc_id, "iscc_code": self.iscc_code, "units": units });
        if let Some(gateway) = &self.gateway {
            asset["metadata"] = json!({ "gateway": gateway });
        }
        serde_json_canonicalizer::to_string(&asset).unwrap_or_else(|_| asset.to_string())
    }
}

/// Checks one entry by itself. Costs one signature verification for well-formed entries.
///
/// # Errors
/// The first rule that the entry breaks.
pub fn parse(record: &[u8], log: Log) -> Result<Signed, Reason> {
    let (signed, signature) = read(record, log)?;
    if signature.verify() { Ok(signed) } else { Err(Reason::BadSignature) }
}

/// [`parse`] of each entry. The signatures are verified together.
pub fn parse_all(records: &[&[u8]], log: Log) -> Vec<Result<Signed, Reason>> {
    let read: Vec<_> = records.iter().map(|record| read(record, log)).collect();
    let signatures: Vec<_> = read.iter().flatten().map(|(_, signature)| signature).collect();
    let mut verdicts = signature::verify_all(&signatures).into_iter();
    let judged = |entry: Result<(Signed, Unverified), Reason>| {
        let (signed, _) = entry?;
        if verdicts.next() == Some(true) { Ok(signed) } else { Err(Reason::BadSignature) }
    };
    read.into_iter().map(judged).collect()
}

/// Checks everything but the signature.
fn read(record: &[u8], log: Log) -> Result<(Signed, Unverified), Reason> {
    if record.len() > ENTRY_BYTES_MAX {
        return Err(Reason::Oversize);
    }
    let envelope = json::parse(record).ok_or(Reason::Malformed)?;
    let (note, schema) = note_of(&envelope).ok_or(Reason::Malformed)?;
    if schema != NOTE_SCHEMA && schema != DELETE_SCHEMA {
        return Err(Reason::UnknownSchema);
    }
    let text = |members: &'_ Value, name: &str| members.get(name)?.as_str().map(str::to_owned);
    let id_text = text(&envelope, "iscc_id").ok_or(Reason::Malformed)?;
    let id = iscc_id(&id_text).ok_or(Reason::Malformed)?;
    let nonce = note.get("nonce").and_then(Value::as_str).and_then(note::hex::<16>);
    let nonce = nonce.ok_or(Reason::Malformed)?;
    if id.realm != log.realm {
        return Err(Reason::RealmMismatch);
    }
    if id.hub() != log.hub || u16::from_be_bytes([nonce[0], nonce[1]]) >> 4 != log.hub {
        return Err(Reason::HubMismatch);
    }
    let signature = note::signature(note).ok_or(Reason::Malformed)?;
    let asset = if schema == NOTE_SCHEMA {
        Some(asset(note, &id_text).ok_or(Reason::Malformed)?)
    } else {
        let deleted = note.get("iscc_id").and_then(Value::as_str);
        (deleted == Some(&id_text)).then_some(()).ok_or(Reason::Malformed)?;
        None
    };
    let (key, signature) = signature.unverified(note).ok_or(Reason::BadSignature)?;
    Ok((Signed { id, nonce, key, asset }, signature))
}

fn note_of(envelope: &Value) -> Option<(&Map<String, Value>, &str)> {
    let note = envelope.as_object()?.get("note")?.as_object()?;
    Some((note, note.get("$schema")?.as_str()?))
}

fn asset(note: &Map<String, Value>, iscc_id: &str) -> Option<Asset> {
    let declaration = note::declaration(note)?;
    let units = declaration.code.units();
    let units = units
        .iter()
        .map(|part| match part.kind().main() {
            MainType::Instance => {
                Unit::new(Kind::INSTANCE, &declaration.datahash, INSTANCE_BITS).ok()
            }
            _ => Some(longer(part, &declaration.units)),
        })
        .collect::<Option<_>>()?;
    let variables = Variables {
        iscc_id,
        iscc_code: declaration.code_text,
        datahash: declaration.datahash_text,
    };
    let template = declaration.gateway.filter(|template| gateway::is_address(template));
    let gateway = template.map(|template| gateway::expand(template, &variables));
    Some(Asset {
        iscc_id: iscc_id.to_owned(),
        iscc_code: declaration.code_text.to_owned(),
        units,
        gateway,
    })
}

/// The declared unit of the same kind if it has more bits than the code's part.
fn longer(part: &Unit, declared: &[Unit]) -> Unit {
    let same_kind = declared.iter().find(|unit| unit.kind() == part.kind());
    same_kind.filter(|unit| unit.bits() > part.bits()).copied().unwrap_or(*part)
}
