//! Conversions of stored samples to colours, as libtiff and Pillow make them.

/// Unpacks samples of 12 bits, highest bits first in rows of whole bytes.
pub fn twelve_bits(packed: &[u8], width: usize) -> impl Iterator<Item = u16> + Clone {
    let row_bytes = (width * 12).div_ceil(8).max(1);
    packed.chunks_exact(row_bytes).flat_map(move |row| {
        (0..width).map(move |x| {
            let at = x * 12 / 8;
            let pair = u16::from(row[at]) << 8 | u16::from(row[at + 1]);
            if x % 2 == 0 { pair >> 4 } else { pair & 0xfff }
        })
    })
}

/// L*, a* and b* with the signed a* and b* plus 128.
pub fn inverted_sign(mut lab: Vec<u8>) -> Vec<u8> {
    for [_, a, b] in lab.as_chunks_mut().0 {
        (*a, *b) = (*a ^ 0x80, *b ^ 0x80);
    }
    lab
}

/// The colours of palette indices. The palette lists all red levels of 16 bits, then all green, then
/// all blue. `None` if an index has no colour.
pub fn palette_to_rgb(indices: &[u8], palette: &[u16]) -> Option<Vec<u8>> {
    let size = palette.len() / 3;
    let highest = usize::from(indices.iter().copied().max()?);
    if highest >= size {
        return None;
    }
    let level =
        |index: &u8, channel: usize| (palette[channel * size + usize::from(*index)] >> 8) as u8;
    let colour = |index: &u8| [level(index, 0), level(index, 1), level(index, 2)];
    Some(indices.iter().flat_map(colour).collect())
}

/// Converts YCbCr by ITU-R BT.601 in the fixed-point arithmetic of libtiff.
pub fn ycbcr_to_rgb(samples: &[u8]) -> Vec<u8> {
    const SHIFT: u32 = 16;
    const HALF: i32 = 1 << (SHIFT - 1);
    const RED_OF_CR: i32 = fixed(1.402);
    const GREEN_OF_CR: i32 = -fixed(0.299 * 1.402 / 0.587);
    const BLUE_OF_CB: i32 = fixed(1.772);
    const GREEN_OF_CB: i32 = -fixed(0.114 * 1.772 / 0.587);
    const fn fixed(factor: f64) -> i32 {
        (factor * (1 << SHIFT) as f64 + 0.5) as i32
    }
    let clamped = |level: i32| level.clamp(0, 255) as u8;
    let colour = |&[y, cb, cr]: &[u8; 3]| {
        let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
        let red = y + ((RED_OF_CR * cr + HALF) >> SHIFT);
        let green = y + ((GREEN_OF_CB * cb + HALF + GREEN_OF_CR * cr) >> SHIFT);
        let blue = y + ((BLUE_OF_CB * cb + HALF) >> SHIFT);
        [red, green, blue].map(clamped)
    };
    samples.as_chunks().0.iter().flat_map(colour).collect()
}
