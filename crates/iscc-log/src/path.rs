//! Paths of a log's files (C2SP tlog-tiles).

use crate::TILE_WIDTH;

/// Path of an entry bundle, relative to the log's prefix. `width` is 1 to 256.
pub fn entries(index: u64, width: usize) -> String {
    format!("tile/entries/{}", numbered(index, width))
}

/// Path of a hash tile of `level`, relative to the log's prefix. `width` is 1 to 256.
pub fn tile(level: u8, index: u64, width: usize) -> String {
    format!("tile/{level}/{}", numbered(index, width))
}

/// Groups of three digits, all but the last with `x`; a partial file ends in its width.
fn numbered(index: u64, width: usize) -> String {
    let mut path = format!("{:03}", index % 1000);
    let mut rest = index / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    if width < TILE_WIDTH { format!("{path}.p/{width}") } else { path }
}
