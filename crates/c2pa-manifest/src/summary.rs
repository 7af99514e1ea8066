//! What the active manifest of a store says about its asset, for readers.

use std::collections::BTreeMap;

use c2pa::{Manifest, ManifestAssertion, Reader};
use data_encoding::BASE64;
use serde::Serialize;
use serde_json::Value;

use crate::trust::{has_time_stamp, identifying_list, time_stamping_list, trusting_list};

/// Maximum size of a thumbnail in a summary, in bytes. A larger one is left out.
const THUMBNAIL_BYTES_MAX: usize = 512 << 10;
/// Maximum number of actions, ingredients and failures in a summary. Further ones are left out.
const ENTRIES_MAX: usize = 50;
/// Maximum length of a text in characters. A longer one is cut.
const TEXT_CHARS_MAX: usize = 500;

/// Facts of a manifest. Texts are claims of its signer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Label of the active manifest.
    pub manifest_id: String,
    /// Whether signature and hashes are valid: `valid`, `trusted` or `invalid`.
    pub state: &'static str,
    /// Name of the trust list that vouches for the signer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_list: Option<String>,
    /// Name of the trust list that vouches for the time-stamper, so that the time-stamp counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_stamp_list: Option<String>,
    /// Name of the trust list that vouches for the first trusted CAWG identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_list: Option<String>,
    /// Status codes of the failures.
    pub failures: Vec<String>,
    /// Title of the asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Media type of the asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Common name of the signing certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Organisation of the signing certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Time of the signature by a time-stamp that counts, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Program that made the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_generator: Option<String>,
    /// What was done to the asset, in order.
    pub actions: Vec<Action>,
    /// What the asset was made of.
    pub ingredients: Vec<Ingredient>,
    /// Uses for AI training and data mining: `allowed`, `notAllowed` or `constrained`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub training: BTreeMap<String, String>,
    /// Data URL of a JPEG, PNG or WebP picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
}

impl Summary {
    /// As JSON in one line.
    pub fn json(&self) -> String {
        // Cannot fail: all keys are strings.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// Its name, such as `c2pa.created`.
    pub action: String,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Kind of source, a URI of the IPTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digital_source_type: Option<String>,
}

/// One ingredient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ingredient {
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Its relation to the asset, such as `parentOf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship: Option<String>,
    /// Label of its own manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_id: Option<String>,
}

/// The summary of what a reader has read; `None` without an active manifest.
///
/// `ignored`: status codes of failures that do not count.
pub fn summary(reader: &Reader, ignored: &[&str]) -> Option<Summary> {
    let manifest = reader.active_manifest()?;
    let failures = failures(reader, ignored);
    let active = reader.validation_results().and_then(|results| results.active_manifest());
    // Not the reader's state, which counts the ignored failures.
    let trust_list = active.and_then(trusting_list).filter(|_| failures.is_empty());
    let state = match trust_list {
        _ if !failures.is_empty() => "invalid",
        Some(_) => "trusted",
        None => "valid",
    };
    Some(Summary {
        manifest_id: manifest.label()?.to_owned(),
        state,
        trust_list: trust_list.map(cut),
        time_stamp_list: active.and_then(time_stamping_list).map(cut),
        identity_list: active.and_then(identifying_list).map(cut),
        failures,
        title: manifest.title().map(cut),
        format: manifest.format().map(cut),
        signer: manifest.common_name().as_deref().map(cut),
        issuer: manifest.issuer().as_deref().map(cut),
        time: manifest.time().filter(|_| active.is_some_and(has_time_stamp)).as_deref().map(cut),
        claim_generator: generator(manifest),
        actions: values(manifest, "c2pa.actions").flat_map(actions).take(ENTRIES_MAX).collect(),
        ingredients: manifest.ingredients().iter().take(ENTRIES_MAX).map(ingredient).collect(),
        training: training(manifest),
        thumbnail: thumbnail(manifest),
    })
}

fn failures(reader: &Reader, ignored: &[&str]) -> Vec<String> {
    let active = reader.validation_results().and_then(|results| results.active_manifest());
    let codes = active.into_iter().flat_map(|status| status.failure()).map(|status| status.code());
    codes.filter(|code| !ignored.contains(code)).take(ENTRIES_MAX).map(cut).collect()
}

/// Name and version of the first program, otherwise the plain text of older claims.
fn generator(manifest: &Manifest) -> Option<String> {
    let first = manifest.claim_generator_info.as_ref().and_then(|programs| programs.first());
    let text = match first {
        Some(program) => match &program.version {
            Some(version) => format!("{} {version}", program.name),
            None => program.name.clone(),
        },
        None => manifest.claim_generator()?.to_owned(),
    };
    Some(cut(&text))
}

/// The JSON of the assertions whose label starts so.
fn values<'a>(manifest: &'a Manifest, label: &'a str) -> impl Iterator<Item = &'a Value> {
    let labelled = move |assertion: &&ManifestAssertion| assertion.label().starts_with(label);
    manifest.assertions().iter().filter(labelled).filter_map(|assertion| assertion.value().ok())
}

fn actions(assertion: &Value) -> impl Iterator<Item = Action> {
    let list = assertion["actions"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|action| {
        Some(Action {
            action: text(&action["action"])?,
            when: text(&action["when"]),
            digital_source_type: text(&action["digitalSourceType"]),
        })
    })
}

fn ingredient(ingredient: &c2pa::Ingredient) -> Ingredient {
    Ingredient {
        title: ingredient.title().map(cut),
        format: ingredient.format().map(cut),
        relationship: serde_json::to_value(ingredient.relationship()).ok().as_ref().and_then(text),
        manifest_id: ingredient.active_manifest().map(cut),
    }
}

/// Entries of the assertion by the C2PA, and of the one by the CAWG that replaced it.
fn training(manifest: &Manifest) -> BTreeMap<String, String> {
    let assertions = ["c2pa.training-mining", "cawg.training-mining"];
    let found = assertions.iter().flat_map(|label| values(manifest, label));
    let entries = found.filter_map(|assertion| assertion["entries"].as_object()).flatten();
    let uses = entries.filter_map(|(name, entry)| Some((cut(name), text(&entry["use"])?)));
    uses.take(ENTRIES_MAX).collect()
}

fn thumbnail(manifest: &Manifest) -> Option<String> {
    let (format, bytes) = manifest.thumbnail()?;
    let is_shown = matches!(format, "image/jpeg" | "image/png" | "image/webp");
    let url = || format!("data:{format};base64,{}", BASE64.encode(&bytes));
    (is_shown && bytes.len() <= THUMBNAIL_BYTES_MAX).then(url)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(cut)
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}
