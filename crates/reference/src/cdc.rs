//! Content-defined chunking, one byte at a time (ISO 24138).

/// Ends of the chunks of `data`, for chunks of `average` bytes. Rounds ends down to multiples of
/// `unit`. Empty data is one empty chunk.
pub fn boundaries(data: &[u8], average: usize, unit: usize, gear: &[u32; 256]) -> Vec<usize> {
    let mut ends = vec![];
    let mut start = 0;
    loop {
        let cut = first_cut(&data[start..], average, gear);
        let last = start + cut == data.len();
        let whole = if last { cut } else { (cut / unit * unit).max(unit).min(data.len() - start) };
        start += whole;
        ends.push(start);
        if start == data.len() {
            return ends;
        }
    }
}

fn first_cut(data: &[u8], average: usize, gear: &[u32; 256]) -> usize {
    let min = average / 4;
    let max = 8 * average;
    let center = average - (min + min.div_ceil(2));
    let bits = (average as f64).log2().round_ties_even() as i32;
    let mask_before_center = 2u32.pow(bits as u32 + 1) - 1;
    let mask_after_center = 2u32.pow(bits as u32 - 1) - 1;

    let mut pattern = 0u32;
    for i in min.min(data.len())..max.min(data.len()) {
        pattern = (pattern >> 1) + gear[usize::from(data[i])];
        let mask = if i < center { mask_before_center } else { mask_after_center };
        if pattern & mask == 0 {
            return i + 1;
        }
    }
    max.min(data.len())
}
