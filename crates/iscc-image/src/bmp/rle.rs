//! Run-length encoded palette indices (BI_RLE4, BI_RLE8).

/// Indices of all pixels in stored order. Skipped pixels have index 0. `None` if the code ends
/// before the last pixel.
pub fn decode(code: &[u8], width: usize, height: usize, bits: u8) -> Option<Vec<u8>> {
    let mut indices = Vec::with_capacity(width * height);
    let mut rest = code;
    while indices.len() < width * height {
        let (&[count, value], after) = rest.split_first_chunk()?;
        rest = after;
        let count = usize::from(count);
        if count > 0 {
            let left_in_row = width - indices.len() % width;
            let run = (0..count.min(left_in_row)).map(|at| index(value, at, bits));
            indices.extend(run);
            continue;
        }
        match value {
            END_OF_LINE => {
                if indices.len() % width > 0 {
                    indices.resize(indices.len().next_multiple_of(width), 0);
                }
            }
            END_OF_BITMAP => indices.resize(width * height, 0),
            MOVE => {
                let (&[right, down], after) = rest.split_first_chunk()?;
                rest = after;
                let skipped = usize::from(right) + usize::from(down) * width;
                indices.resize((indices.len() + skipped).min(width * height), 0);
            }
            literal => {
                let count = usize::from(literal);
                let stored = (count * usize::from(bits)).div_ceil(8);
                let per_byte = usize::from(8 / bits);
                let literals = rest.get(..stored)?;
                indices.extend((0..count).map(|at| index(literals[at / per_byte], at, bits)));
                // Literals are padded to an even number of bytes.
                rest = rest.get(stored.next_multiple_of(2)..).unwrap_or_default();
            }
        }
    }
    indices.truncate(width * height);
    Some(indices)
}

const END_OF_LINE: u8 = 0;
const END_OF_BITMAP: u8 = 1;
const MOVE: u8 = 2;

/// The index at position `at` of a run: the whole byte, or with 4 bits alternately its high and low
/// half.
fn index(byte: u8, at: usize, bits: u8) -> u8 {
    match (bits, at % 2) {
        (4, 0) => byte >> 4,
        (4, _) => byte & 15,
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_runs_literals_and_moves() {
        let code = [3, 7, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 2, 1, 1, 0, 1];
        assert_eq!(
            decode(&code, 4, 4, 8).unwrap(),
            [7, 7, 7, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        );
    }

    #[test]
    fn four_bit_indices_alternate() {
        let code = [3, 0x12, 0, 0, 0, 3, 0x45, 0x60, 0, 1];
        assert_eq!(decode(&code, 3, 2, 4).unwrap(), [1, 2, 1, 4, 5, 6]);
    }

    #[test]
    fn truncated_code_is_rejected() {
        assert_eq!(decode(&[3, 7, 0], 4, 4, 8), None);
        assert_eq!(decode(&[0, 200, 1], 400, 4, 8), None);
    }
}
