//! Files without their last bytes: interrupted copies and downloads. The library fills in what is
//! missing.

use super::next_marker;
use crate::libjpeg::{Decompressor, Header};

/// Part of the rows that may be missing: one of this many.
const MISSING_ROWS_SHARE: usize = 20;
/// Level of samples without data.
const NO_DATA: u8 = 128;

const END: [u8; 2] = [0xff, 0xd9];
const START_OF_SCAN: u8 = 0xda;
const COEFFICIENTS: u8 = 64;

/// Whether a file without an end marker has almost all of its picture: all but its last rows, or all
/// coefficients, of which the last scan would only refine some.
pub fn has_picture(file: &[u8], header: &Header, samples: &[u8]) -> bool {
    let scans = Scan::all(file);
    match scans.as_slice() {
        [] => false,
        [_] => missing_rows(header, samples) <= header.height / MISSING_ROWS_SHARE,
        [whole @ .., _] => covers_all(whole, &scans) || lacks_only_the_end(file, header),
    }
}

/// Number of rows at the bottom that the library has filled in. Rows of the picture that look the same
/// count, too.
fn missing_rows(header: &Header, samples: &[u8]) -> usize {
    let is_filled = |sample: &u8| sample.abs_diff(NO_DATA) <= 1;
    let rows = samples.chunks_exact(header.width * header.layout.samples());
    rows.rev().take_while(|row| row.iter().all(is_filled)).count()
}

/// Whether the library misses nothing if the file gets an end marker.
fn lacks_only_the_end(file: &[u8], header: &Header) -> bool {
    let decoded = Decompressor::new().and_then(|mut decompressor| {
        decompressor.stop_on_warning()?;
        decompressor.decode(&[file, &END].concat(), header)
    });
    decoded.is_ok()
}

/// Whether the `whole` scans have all coefficients of each component that any scan has.
fn covers_all(whole: &[Scan], scans: &[Scan]) -> bool {
    let covered = |component: u8| {
        let own = whole.iter().filter(|scan| scan.components.contains(&component));
        let coefficients = own.flat_map(|scan| scan.first..=scan.last);
        coefficients.fold(0u64, |set, coefficient| set | 1 << coefficient) == u64::MAX
    };
    scans.iter().flat_map(|scan| &scan.components).all(|component| covered(*component))
}

/// The header of a scan.
struct Scan {
    components: Vec<u8>,
    /// First and last coefficient, up to 63.
    first: u8,
    last: u8,
}

impl Scan {
    /// The scans of a file. An incomplete header ends the list.
    fn all(file: &[u8]) -> Vec<Self> {
        let mut scans = Vec::new();
        let mut at = 2;
        while let Some((marker, after)) = next_marker(file, at) {
            at = after;
            // Restart markers and similar have no segment.
            if matches!(marker, 0x01 | 0xd0..=0xd8) {
                continue;
            }
            let length = file
                .get(after..after + 2)
                .map_or(2, |length| usize::from(u16::from_be_bytes([length[0], length[1]])).max(2));
            at = after + length;
            if marker == START_OF_SCAN {
                let Some(scan) = file.get(after + 2..at).and_then(Self::read) else { break };
                scans.push(scan);
            }
        }
        scans
    }

    /// Number of components, two bytes each; first and last coefficient; precision.
    fn read(segment: &[u8]) -> Option<Self> {
        let (count, rest) = segment.split_first()?;
        let (components, range) = rest.split_at_checked(2 * usize::from(*count))?;
        let [first, last, _] = *range else { return None };
        let components = components.as_chunks::<2>().0.iter().map(|[component, _]| *component);
        let is_valid = first <= last && last < COEFFICIENTS;
        is_valid.then(|| Self { components: components.collect(), first, last })
    }
}
