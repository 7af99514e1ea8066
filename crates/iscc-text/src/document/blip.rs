//! Text of metafiles in drawings of the binary Office formats ([MS-ODRAW]).

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::container::Budget;
use super::ole::{slice, u16_at, u32_at};
use super::{DocumentError, metafile};

/// Maximum depth of records in records. Real files have about ten levels.
const DEPTH_MAX: u32 = 32;

/// Bytes of a record's header.
const HEADER: usize = 8;

/// Appends the texts of all metafiles in a series of records.
pub fn append(records: &[u8], budget: &mut Budget, text: &mut String) -> Result<(), DocumentError> {
    append_records(records, DEPTH_MAX, budget, text)
}

fn append_records(
    records: &[u8],
    depth: u32,
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    const STORE_ENTRY: u16 = 0xF007;
    const STORE_ENTRY_BYTES: usize = 36;
    const EMF: u16 = 0xF01A;
    const WMF: u16 = 0xF01B;
    let mut at = 0;
    while let (Some(header), Some(kind), Some(length)) =
        (u16_at(records, at), u16_at(records, at + 2), u32_at(records, at + 4))
    {
        let rest = &records[at + HEADER..];
        let data = &rest[..(length as usize).min(rest.len())];
        match kind {
            EMF | WMF => append_metafile(header >> 4, data, budget, text)?,
            STORE_ENTRY if depth > 0 => {
                let name = data.get(33).copied().map_or(0, usize::from);
                let blip = data.get(STORE_ENTRY_BYTES + name..).unwrap_or_default();
                append_records(blip, depth - 1, budget, text)?;
            }
            _ if header & 0xF == 0xF && depth > 0 => {
                append_records(data, depth - 1, budget, text)?;
            }
            _ => {}
        }
        at += HEADER + data.len();
    }
    Ok(())
}

/// Appends the text of a metafile, which as a rule is compressed. Damaged ones have no text.
fn append_metafile(
    instance: u16,
    data: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    const ID_BYTES: usize = 16;
    const INFO_BYTES: usize = 34;
    const COMPRESSION_AT: usize = 32;
    const IS_DEFLATED: u8 = 0;
    /// Instances with two identifiers: of EMF and of WMF.
    const WITH_TWO_IDS: [u16; 2] = [0x3D5, 0x217];
    let ids = if WITH_TWO_IDS.contains(&instance) { 2 * ID_BYTES } else { ID_BYTES };
    let Some(info) = slice(data, ids, INFO_BYTES) else { return Ok(()) };
    let content = &data[ids + INFO_BYTES..];
    if info[COMPRESSION_AT] != IS_DEFLATED {
        metafile::append(content, text);
        return Ok(());
    }
    let mut inflated = Vec::new();
    // What was read before damage counts, too.
    let _ = ZlibDecoder::new(content).take(budget.bytes + 1).read_to_end(&mut inflated);
    budget.take(inflated.len())?;
    metafile::append(&inflated, text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::metafile::emf;
    use super::*;

    fn record(kind: u16, version: u16, data: &[u8]) -> Vec<u8> {
        let header = [version.to_le_bytes(), kind.to_le_bytes()].concat();
        [header, (data.len() as u32).to_le_bytes().to_vec(), data.to_vec()].concat()
    }

    #[test]
    fn records_below_the_limit_of_depth_are_skipped() {
        const NOT_DEFLATED: u8 = 0xFE;
        let mut head = [0; 50];
        head[48] = NOT_DEFLATED;
        let picture = record(0xF01A, 0x3D4 << 4, &[&head, &emf(&[(1, "a")])[..]].concat());
        let text = |depth: u32| {
            let nested = (0..depth).fold(picture.clone(), |inner, _| record(0xF000, 0xF, &inner));
            let mut text = String::new();
            append(&nested, &mut Budget::default(), &mut text).unwrap();
            text
        };
        assert_eq!(text(DEPTH_MAX), "a\n");
        assert_eq!(text(DEPTH_MAX + 1), "");
    }
}
