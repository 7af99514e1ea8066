//! Binding of the trust lists of `c2pa-manifest`.

use c2pa_manifest::TrustKind;
use napi_derive::napi;

use crate::error::{NativeError, Result};

/// Certificates that vouch for one kind of signers only.
#[napi(object)]
pub struct TrustList {
    /// Named in the verdict on a manifest whose signer it vouches for.
    pub name: String,
    /// Whom it vouches for: signers of claims, of CAWG identities or of time-stamps.
    #[napi(ts_type = "'signers' | 'identities' | 'time-stampers'")]
    pub kind: String,
    /// PEM; may be empty.
    pub pem: String,
}

/// What a file with a trust list contains.
#[napi(object)]
pub struct TrustListFile {
    /// The certificates as PEM, without repetitions and other texts.
    pub pem: String,
    /// How many they are.
    pub certificates: u32,
    /// How many of them have expired.
    pub expired: u32,
    /// Day on which the list was issued, as `2026-08-13`. Files in PEM have none.
    pub date: Option<String>,
}

/// The C2PA's lists of signers and of time-stampers that this version bundles.
#[napi(catch_unwind)]
pub fn bundled_trust_lists() -> Vec<TrustList> {
    let lists = c2pa_manifest::TrustList::bundled();
    lists
        .map(|list| TrustList { kind: kind_name(list.kind), name: list.name, pem: list.pem })
        .into()
}

/// Day of the last change of the bundled lists, as `2026-08-13`.
#[napi(catch_unwind)]
pub fn bundled_trust_lists_date() -> String {
    c2pa_manifest::LISTS_DATE.to_owned()
}

/// Reads a trust list as its publisher distributes it, in PEM or JSON (ETSI TS 119 602).
///
/// Throws `INVALID_ARGUMENT` if it is not one, if all its certificates have expired, or if one of
/// them is not an authority for signers of this kind.
#[napi(catch_unwind)]
pub fn read_trust_list(
    text: String,
    #[napi(ts_arg_type = "'signers' | 'identities' | 'time-stampers'")] kind: String,
) -> Result<TrustListFile> {
    let read =
        c2pa_manifest::read_trust_list(&text, kind_of(&kind)?).map_err(NativeError::invalid)?;
    let c2pa_manifest::TrustListFile { pem, certificates, expired, date } = read;
    Ok(TrustListFile { pem, certificates: certificates as u32, expired: expired as u32, date })
}

/// The list in the terms of `c2pa-manifest`.
pub(super) fn list(TrustList { name, kind, pem }: TrustList) -> Result<c2pa_manifest::TrustList> {
    Ok(c2pa_manifest::TrustList { name, kind: kind_of(&kind)?, pem })
}

fn kind_of(name: &str) -> Result<TrustKind> {
    match name {
        "signers" => Ok(TrustKind::Signers),
        "identities" => Ok(TrustKind::Identities),
        "time-stampers" => Ok(TrustKind::TimeStampers),
        _ => Err(NativeError::invalid("kind must be signers, identities or time-stampers")),
    }
}

fn kind_name(kind: TrustKind) -> String {
    let name = match kind {
        TrustKind::Signers => "signers",
        TrustKind::Identities => "identities",
        TrustKind::TimeStampers => "time-stampers",
    };
    name.to_owned()
}
