//! Selects the soft bindings of a manifest to index.

use std::collections::HashSet;

use iscc_codec::{Header, seq};

use crate::Refusal;
use crate::algorithm::{AlgorithmList, ISCC};
use crate::soft_binding::Block;

/// Maximum number of indexed blocks per manifest.
const BINDINGS_MAX: usize = 64;
/// Maximum number of indexed blocks of the algorithm [`ISCC`].
const ISCC_BINDINGS_MAX: usize = 8;
/// Maximum number of distinct searchable units in all ISCC blocks of a manifest.
const UNITS_MAX: usize = 32;
/// Maximum number of skipped blocks to report; a manifest may have tens of thousands.
const SKIPPED_MAX: usize = 64;

/// The reason to skip a block whose algorithm is neither on the list nor can be on a newer one.
const UNLISTED: &str = "alg not on the list, nor of the form of names there";
/// The reason to skip a block of an unlisted algorithm that a full manifest has no room for.
const NO_ROOM: &str = "alg not on the list, and the manifest has 64 other soft bindings";

/// A soft binding to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedBinding {
    /// A listed algorithm, or one that may be on a newer list. Values of the latter are found by
    /// equality.
    pub alg: String,
    /// Its value, not empty.
    pub value: Vec<u8>,
    /// Whether it is another reading of the previous binding's block. Such readings are indexed,
    /// but do not count towards the limits or the number of bindings.
    pub alternate: bool,
    /// For an [`ISCC`] value, in order and each once: every searchable unit, and the first
    /// declarable Meta-Code. Empty for other algorithms.
    pub units: Vec<BindingUnit>,
}

/// A unit of an ISCC-SEQ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingUnit {
    /// Canonical text.
    pub iscc: String,
    /// The four fields of the header.
    pub header: Header,
    /// The digest.
    pub body: Vec<u8>,
    /// Whether a query may match by it.
    pub is_searchable: bool,
}

/// A block that is stored within its manifest but not indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its algorithm.
    pub alg: String,
    /// Its value.
    pub value: Vec<u8>,
    /// The reason that it is not indexed.
    pub reason: &'static str,
}

/// The blocks of a manifest by whether they are indexed.
#[derive(Debug, Default)]
pub struct Indexed {
    /// Those to index.
    pub bindings: Vec<IndexedBinding>,
    /// The first [`SKIPPED_MAX`] of the others.
    pub skipped: Vec<Skipped>,
    /// Algorithms of both that are not on the list, each once.
    pub unlisted: Vec<String>,
}

/// Splits the blocks into those to index and the others. Blocks of unlisted algorithms never
/// refuse a manifest: they are skipped where the others leave no room.
///
/// # Errors
/// `manifest.tooManyBindings`.
pub fn index(blocks: Vec<Block>, list: &AlgorithmList) -> Result<Indexed, Refusal> {
    let listed = blocks.iter().filter(|block| list.contains(&block.alg)).count();
    let mut room = BINDINGS_MAX.saturating_sub(listed);
    let Indexed { mut bindings, mut skipped, mut unlisted } = Indexed::default();
    for Block { alg, readings } in blocks {
        let is_listed = list.contains(&alg);
        if !is_listed && unlisted.len() < SKIPPED_MAX && !unlisted.contains(&alg) {
            unlisted.push(alg.clone());
        }
        let is_full = !is_listed && room == 0;
        let mut refused = None;
        let mut alternate = false;
        for value in readings {
            let units = indexed_units(&alg, &value, list);
            match units.and_then(|units| if is_full { Err(NO_ROOM) } else { Ok(units) }) {
                Ok(units) => {
                    bindings.push(IndexedBinding { alg: alg.clone(), value, alternate, units });
                    alternate = true;
                }
                Err(reason) => {
                    refused.get_or_insert(Skipped { alg: alg.clone(), value, reason });
                }
            }
        }
        if !is_listed && alternate {
            room -= 1;
        }
        if !alternate && skipped.len() < SKIPPED_MAX {
            skipped.extend(refused);
        }
    }
    check_limits(&bindings)?;
    Ok(Indexed { bindings, skipped, unlisted })
}

/// The units of a block to index, or the reason to skip it.
fn indexed_units(
    alg: &str,
    value: &[u8],
    list: &AlgorithmList,
) -> Result<Vec<BindingUnit>, &'static str> {
    if !list.contains(alg) && !list.may_gain(alg) {
        return Err(UNLISTED);
    }
    if value.is_empty() {
        return Err("empty value");
    }
    if alg == ISCC { useful_units(value) } else { Ok(Vec::new()) }
}

fn useful_units(value: &[u8]) -> Result<Vec<BindingUnit>, &'static str> {
    let mut seen = HashSet::new();
    let mut has_meta = false;
    let mut units = Vec::new();
    let mut searchable_count = 0;
    for unit in seq::decode(value).map_err(|_| "not an ISCC-SEQ")? {
        let is_searchable = unit.is_searchable();
        if !is_searchable && (has_meta || !unit.is_declarable()) || !seen.insert(unit.bytes) {
            continue;
        }
        has_meta |= !is_searchable;
        units.push(BindingUnit {
            iscc: unit.to_string(),
            header: unit.header,
            body: unit.body.to_vec(),
            is_searchable,
        });
        searchable_count += usize::from(is_searchable);
        // The manifest already exceeds the limit; a value may have a hundred thousand more units.
        if searchable_count > UNITS_MAX {
            break;
        }
    }
    if searchable_count == 0 { Err("no searchable unit") } else { Ok(units) }
}

fn check_limits(bindings: &[IndexedBinding]) -> Result<(), Refusal> {
    let blocks = bindings.iter().filter(|binding| !binding.alternate);
    let iscc = bindings.iter().filter(|binding| binding.alg == ISCC);
    let too_many = |what: &str| Err(Refusal::new("manifest.tooManyBindings", what));
    if blocks.clone().count() > BINDINGS_MAX {
        return too_many("more than 64 soft bindings");
    }
    if blocks.filter(|binding| binding.alg == ISCC).count() > ISCC_BINDINGS_MAX {
        return too_many("more than 8 soft bindings of io.iscc.v0");
    }
    let units = iscc.flat_map(|binding| &binding.units);
    let searchable: HashSet<&str> =
        units.filter(|unit| unit.is_searchable).map(|unit| unit.iscc.as_str()).collect();
    if searchable.len() > UNITS_MAX {
        return too_many("more than 32 different searchable ISCC-UNITs");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(header: [u8; 2], number: u8) -> Vec<u8> {
        [&header[..], &[number; 32]].concat()
    }

    fn indexed(units: &[Vec<u8>]) -> Vec<IndexedBinding> {
        let block = Block { alg: ISCC.to_owned(), readings: vec![units.concat()] };
        index(vec![block], &AlgorithmList::bundled()).unwrap().bindings
    }

    const META: [u8; 2] = [0x00, 0x07];
    const IMAGE: [u8; 2] = [0x21, 0x07];

    #[test]
    fn of_units_that_are_not_searchable_the_first_meta_code_is_kept() {
        let full: Vec<Vec<u8>> = (0..32).map(|number| unit(IMAGE, number)).collect();
        let meta = [unit(META, 1), unit(META, 2)];
        let bindings = indexed(&[&full[..], &full[..1], &meta[..]].concat());
        let [IndexedBinding { units, .. }] = &bindings[..] else { panic!("{bindings:?}") };
        assert_eq!(units.len(), 33);
        assert!(units[..32].iter().all(|unit| unit.is_searchable));
        assert!(!units[32].is_searchable && units[32].body == [1; 32]);
    }

    #[test]
    fn a_block_with_one_useful_reading_is_not_skipped() {
        let readings = vec![b"words".to_vec(), unit(IMAGE, 1), unit(IMAGE, 2)];
        let block = Block { alg: ISCC.to_owned(), readings };
        let other = Block { alg: ISCC.to_owned(), readings: vec![b"a".to_vec(), b"b".to_vec()] };
        let Indexed { bindings, skipped, .. } =
            index(vec![block, other], &AlgorithmList::bundled()).unwrap();
        let alternates: Vec<bool> = bindings.iter().map(|binding| binding.alternate).collect();
        assert_eq!(alternates, [false, true]);
        // The first reading gives the reason.
        let values: Vec<&[u8]> = skipped.iter().map(|one| &one.value[..]).collect();
        assert_eq!(values, [b"a"]);
    }

    fn valued(alg: &str, count: u8) -> Vec<Block> {
        let block = |at| Block { alg: alg.to_owned(), readings: vec![vec![at]] };
        (0..count).map(block).collect()
    }

    #[test]
    fn unlisted_algorithms_of_the_form_of_names_are_indexed_while_there_is_room() {
        let listed = valued("com.adobe.trustmark.P", 60);
        let blocks = [valued("com.example.new.1", 3), valued("words", 1), listed].concat();
        let blocks = [blocks, valued("com.example.new.2", 2)].concat();
        let Indexed { bindings, skipped, unlisted } =
            index(blocks, &AlgorithmList::bundled()).unwrap();
        assert_eq!(bindings.len(), 64);
        let reasons: Vec<_> = skipped.iter().map(|one| (one.alg.as_str(), one.reason)).collect();
        assert_eq!(reasons, [("words", UNLISTED), ("com.example.new.2", NO_ROOM)]);
        assert_eq!(unlisted, ["com.example.new.1", "words", "com.example.new.2"]);
    }

    #[test]
    fn an_unlisted_algorithm_refuses_no_manifest() {
        let unlisted = valued("com.example.new.1", 200);
        let Indexed { bindings, skipped, .. } = index(unlisted, &AlgorithmList::bundled()).unwrap();
        assert_eq!((bindings.len(), skipped.len()), (64, 64));
        assert!(index(valued("com.adobe.trustmark.P", 65), &AlgorithmList::bundled()).is_err());
    }
}
