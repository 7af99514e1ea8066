//! The structure of a manifest store, checked before its contents are used.

use std::borrow::Cow;

use crate::boxes::{boxes, only_box};
use crate::brob::{UNPACKED_BYTES_MAX, unpack};
use crate::soft_binding::BindingSource;
use crate::superbox::Superbox;
use crate::{Refusal, is_manifest_id, soft_binding};

/// Maximum number of manifests in a store.
const MANIFESTS_MAX: usize = 500;
/// Maximum number of assertions in a manifest: validation takes quadratic time.
const ASSERTIONS_MAX: usize = 1000;

/// The required parts of the active manifest, which is the last one of its store.
#[derive(Debug, PartialEq, Eq)]
pub struct ActiveManifest {
    /// Its label.
    pub id: String,
    /// The manifests whose soft bindings describe its asset: itself and, if it is an update
    /// manifest, its parent, and so on up to the first manifest that is not an update.
    pub sources: Vec<BindingSource>,
    /// COSE of its claim signature.
    pub signature: Vec<u8>,
}

/// Reads a manifest store. `bytes` must end with it.
///
/// # Errors
/// `manifest.unreadable` for any structural fault, `manifest.missing` without a manifest,
/// `manifest.idInvalid` if the label is not a valid id, `claimSignature.missing`.
pub fn read(bytes: &[u8]) -> Result<ActiveManifest, Refusal> {
    read_labelled(bytes, check_label)
}

fn read_labelled(
    bytes: &[u8],
    check_label: fn(&str) -> Result<(), Refusal>,
) -> Result<ActiveManifest, Refusal> {
    let outer = only_box(bytes)?;
    let store = match outer.kind {
        [b'j', b'u', b'm', b'b'] => Superbox::read(outer.contents)?,
        _ => return Err(Refusal::unreadable("the outer box is not a JUMBF superbox")),
    };
    if store.kind != Some(*b"c2pa") {
        return Err(Refusal::unreadable("the JUMBF superbox is not a C2PA manifest store"));
    }
    store.check(1)?;
    // Before any decoder: also those here.
    store.check_cbor()?;
    let mut manifests = all_manifests(&store)?;
    let active = manifests.pop().ok_or_else(Refusal::missing)?;
    let active = Superbox::read(&active)?;
    check_label(active.label)?;
    let mut manifest = extract(&active)?;
    add_parents(&mut manifest.sources, &manifests)?;
    Ok(manifest)
}

/// Label of the active manifest of a store, also one that [`read`] refuses for its label; `None` if
/// the bytes are not exactly one store whose active manifest has a claim signature.
pub fn active_label(bytes: &[u8]) -> Option<String> {
    read_labelled(bytes, |_| Ok(())).ok().map(|manifest| manifest.id)
}

fn check_label(label: &str) -> Result<(), Refusal> {
    if !is_manifest_id(label) {
        let rule = "the active manifest's label is not 1 to 255 printable characters";
        return Err(Refusal::new("manifest.idInvalid", rule));
    }
    // References between manifests are paths, so this manifest could not even refer to itself.
    if label.contains('/') {
        return Err(Refusal::unreadable("the active manifest's label has a slash"));
    }
    Ok(())
}

/// Follows update manifests to their parents. An update does not change the asset, so the soft
/// bindings of its parent still hold. Other manifests may have changed it.
fn add_parents(
    sources: &mut Vec<BindingSource>,
    manifests: &[Cow<'_, [u8]>],
) -> Result<(), Refusal> {
    // Each step goes to an earlier manifest, so the loop ends.
    let mut earlier = manifests;
    while let Some(label) = sources.last().and_then(|source| source.parent.clone()) {
        let mut found = None;
        for (at, contents) in earlier.iter().enumerate().rev() {
            let manifest = Superbox::read(contents)?;
            if manifest.label == label {
                found = Some((at, binding_source(&manifest)?));
                break;
            }
        }
        let Some((at, source)) = found else { return Ok(()) };
        earlier = &earlier[..at];
        sources.push(source);
    }
    Ok(())
}

/// Contents of all manifests, unpacked.
fn all_manifests<'a>(store: &Superbox<'a>) -> Result<Vec<Cow<'a, [u8]>>, Refusal> {
    let mut manifests = Vec::new();
    let mut budget = UNPACKED_BYTES_MAX;
    for child in store.children.iter().filter(|child| child.kind == *b"jumb") {
        let manifest = Superbox::read(child.contents)?;
        let contents = match manifest.kind.as_ref() {
            Some(b"c2ma" | b"c2um" | b"c2md") => Cow::Borrowed(child.contents),
            Some(b"c2cm") => Cow::Owned(unpacked(&manifest, &mut budget)?),
            _ => continue,
        };
        if manifests.len() == MANIFESTS_MAX {
            return Err(Refusal::unreadable("the store holds more than 500 manifests"));
        }
        check_assertions(&Superbox::read(&contents)?)?;
        manifests.push(contents);
    }
    Ok(manifests)
}

/// Contents of the superbox that a compressed manifest unpacks to.
fn unpacked(compressed: &Superbox<'_>, budget: &mut usize) -> Result<Vec<u8>, Refusal> {
    let packed = compressed
        .content(b"brob")
        .ok_or_else(|| Refusal::unreadable("a compressed manifest has no Brotli box"))?;
    let inner = unpack(packed, budget)?;
    let [only] = boxes(&inner)?[..] else {
        return Err(Refusal::unreadable("a compressed manifest does not unpack to one box"));
    };
    let manifest = Superbox::read(only.contents)?;
    manifest.check(2)?;
    manifest.check_cbor()?;
    Ok(only.contents.to_vec())
}

fn check_assertions(manifest: &Superbox<'_>) -> Result<(), Refusal> {
    let mut count = 0;
    for part in manifest.superboxes() {
        let part = part?;
        if part.kind == Some(*b"c2as") {
            count += part.superboxes().count();
        }
    }
    match count {
        0..=ASSERTIONS_MAX => Ok(()),
        _ => Err(Refusal::unreadable("a manifest holds more than 1000 assertions")),
    }
}

fn extract(manifest: &Superbox<'_>) -> Result<ActiveManifest, Refusal> {
    let mut signature = None;
    for part in manifest.superboxes() {
        let part = part?;
        if part.kind == Some(*b"c2cs") {
            signature = Some(part.content(b"cbor").unwrap_or_default().to_vec());
        }
    }
    let Some(signature) = signature else {
        let text = "the active manifest has no claim signature";
        return Err(Refusal::new("claimSignature.missing", text));
    };
    let sources = vec![binding_source(manifest)?];
    Ok(ActiveManifest { id: manifest.label.to_owned(), sources, signature })
}

fn binding_source(manifest: &Superbox<'_>) -> Result<BindingSource, Refusal> {
    let mut source = BindingSource::default();
    for part in manifest.superboxes() {
        let part = part?;
        match part.kind.as_ref() {
            Some(b"c2cl") => source.claim = part.content(b"cbor").map(<[u8]>::to_vec),
            Some(b"c2as") => {
                collect_soft_bindings(&part, &mut source.soft_bindings)?;
                if manifest.kind == Some(*b"c2um") {
                    source.parent = parent(&part)?;
                }
            }
            _ => {}
        }
    }
    Ok(source)
}

fn parent(assertions: &Superbox<'_>) -> Result<Option<String>, Refusal> {
    for assertion in assertions.superboxes() {
        let assertion = assertion?;
        let base = base_label(assertion.label);
        if base == "c2pa.ingredient" || base.starts_with("c2pa.ingredient.v") {
            let found = assertion.content(b"cbor").and_then(soft_binding::parent_label);
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

fn collect_soft_bindings(
    assertions: &Superbox<'_>,
    soft_bindings: &mut Vec<Vec<u8>>,
) -> Result<(), Refusal> {
    for assertion in assertions.superboxes() {
        let assertion = assertion?;
        if assertion.kind == Some(*b"cbor") && base_label(assertion.label) == "c2pa.soft-binding" {
            soft_bindings.extend(assertion.content(b"cbor").map(<[u8]>::to_vec));
        }
    }
    Ok(())
}

/// The label without the suffix (`__1`) of repeated assertions.
fn base_label(label: &str) -> &str {
    label.split_once("__").map_or(label, |(base, _)| base)
}
