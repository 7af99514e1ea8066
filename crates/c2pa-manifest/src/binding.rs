//! Which blocks of a manifest are indexed.

use std::collections::HashSet;

use iscc_codec::seq::{self, SeqUnit};

use crate::Refusal;
use crate::algorithm::{ISCC, is_listed};
use crate::soft_binding::Block;

/// Indexed blocks of a manifest.
const BINDINGS_MAX: usize = 64;
/// Indexed blocks of the algorithm [`ISCC`].
const ISCC_BINDINGS_MAX: usize = 8;
/// Different searchable units in all ISCC blocks.
const UNITS_MAX: usize = 32;
/// Skipped blocks that are told of; a manifest may hold tens of thousands.
const SKIPPED_MAX: usize = 64;

/// A block to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// A listed algorithm.
    pub alg: String,
    /// Its value, not empty.
    pub value: Vec<u8>,
    /// Another reading of the previous binding's block. It is indexed as well, and counts neither to the limits nor in
    /// the number of bindings.
    pub alternate: bool,
}

impl Binding {
    /// A binding with one reading.
    pub fn new(alg: impl Into<String>, value: Vec<u8>) -> Self {
        Self { alg: alg.into(), value, alternate: false }
    }

    /// The units of an ISCC value that something can be done with, in order and each once: all that
    /// a query may match by, and the first of each MainType that a declaration may name. A value
    /// may hold a hundred thousand others.
    pub fn units(&self) -> Vec<SeqUnit<'_>> {
        if self.alg != ISCC {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let mut main_types = HashSet::new();
        let mut units = seq::decode(&self.value).unwrap_or_default();
        units.retain(|unit| {
            let first = unit.fits_c2pa() && main_types.insert(unit.header.main);
            (first || unit.is_searchable()) && seen.insert(unit.bytes)
        });
        units
    }

    /// Those of its units that a query may match by.
    pub fn searchable_units(&self) -> Vec<SeqUnit<'_>> {
        let mut units = self.units();
        units.retain(SeqUnit::is_searchable);
        units
    }
}

/// A block that is stored within its manifest and not indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The algorithm it names.
    pub alg: String,
    /// Its value.
    pub value: Vec<u8>,
    /// Why it is not indexed.
    pub reason: &'static str,
}

/// Parts the blocks into those to index and (the first few of) the others.
///
/// # Errors
/// `manifest.tooManyBindings`.
pub fn index(blocks: Vec<Block>) -> Result<(Vec<Binding>, Vec<Skipped>), Refusal> {
    let mut bindings = Vec::new();
    let mut skipped = Vec::new();
    for Block { alg, readings } in blocks {
        let mut refused = None;
        let mut alternate = false;
        for value in readings {
            match reason_to_skip(&alg, &value) {
                None => {
                    bindings.push(Binding { alg: alg.clone(), value, alternate });
                    alternate = true;
                }
                Some(reason) => {
                    refused.get_or_insert(Skipped { alg: alg.clone(), value, reason });
                }
            }
        }
        if !alternate && skipped.len() < SKIPPED_MAX {
            skipped.extend(refused);
        }
    }
    check_limits(&bindings)?;
    Ok((bindings, skipped))
}

fn reason_to_skip(alg: &str, value: &[u8]) -> Option<&'static str> {
    if !is_listed(alg) {
        return Some("alg not on the list");
    }
    if value.is_empty() {
        return Some("empty value");
    }
    if alg != ISCC {
        return None;
    }
    match seq::decode(value) {
        Err(_) => Some("not an ISCC-SEQ"),
        Ok(units) if !units.iter().any(SeqUnit::is_searchable) => Some("no searchable unit"),
        Ok(_) => None,
    }
}

fn check_limits(bindings: &[Binding]) -> Result<(), Refusal> {
    let blocks = bindings.iter().filter(|binding| !binding.alternate);
    let iscc = bindings.iter().filter(|binding| binding.alg == ISCC);
    let too_many = |what: &str| Err(Refusal::new("manifest.tooManyBindings", what));
    if blocks.clone().count() > BINDINGS_MAX {
        return too_many("more than 64 soft bindings");
    }
    if blocks.filter(|binding| binding.alg == ISCC).count() > ISCC_BINDINGS_MAX {
        return too_many("more than 8 soft bindings of io.iscc.v0");
    }
    let units: HashSet<&[u8]> =
        iscc.flat_map(Binding::searchable_units).map(|unit| unit.bytes).collect();
    if units.len() > UNITS_MAX {
        return too_many("more than 32 different searchable ISCC-UNITs");
    }
    Ok(())
}
