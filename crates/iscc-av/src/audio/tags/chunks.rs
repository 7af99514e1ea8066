//! Chunks of WAV (RIFF, RF64, BW64) and AIFF files, and the fields of RIFF INFO.

use std::io::{Read, SeekFrom};
use std::ops::Range;

use lofty::io::FileLike;

use super::TagError;

/// Bytes that are moved at a time
const BLOCK: u64 = 1 << 20;

/// The order of bytes in sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// Little-endian; sizes that need 64 bits are in a chunk of their own (EBU Tech 3306)
    Wav,
    /// Big-endian
    Aiff,
}

impl Container {
    fn size(self, bytes: [u8; 4]) -> u64 {
        match self {
            Self::Wav => u32::from_le_bytes(bytes).into(),
            Self::Aiff => u32::from_be_bytes(bytes).into(),
        }
    }

    fn bytes(self, size: u64) -> Result<[u8; 4], TagError> {
        let size = u32::try_from(size).map_err(TagError::new)?;
        Ok(if self == Self::Wav { size.to_le_bytes() } else { size.to_be_bytes() })
    }
}

/// Where the file's chunks end, and the sizes that do not fit into 32 bits.
struct Sizes {
    end: u64,
    /// Of RF64 and BW64
    long: Option<LongSizes>,
}

struct LongSizes {
    /// Where the file has its own size.
    total_at: u64,
    samples: u64,
}

/// What a 32-bit size says if the file has 64-bit sizes.
const LONG: u64 = u32::MAX as u64;

/// Whether the file has 64-bit sizes.
pub(super) fn is_long_wav(magic: &[u8]) -> bool {
    magic.starts_with(b"RF64") || magic.starts_with(b"BW64")
}

/// Where a chunk's content is.
struct Chunk {
    content: Range<u64>,
    /// After the padding
    end: u64,
}

/// Content of the first chunk that one of `names` and the first bytes of the content match.
pub(super) fn content<F: FileLike>(
    file: &mut F,
    container: Container,
    names: &[[u8; 4]],
    start: &[u8],
) -> Result<Option<Vec<u8>>, TagError> {
    let (found, _) = find(file, container, names, start)?;
    let Some(Chunk { content, .. }) = found else { return Ok(None) };
    file.seek(SeekFrom::Start(content.start)).map_err(TagError::new)?;
    let mut bytes = Vec::new();
    let size = content.end - content.start;
    Read::by_ref(file).take(size).read_to_end(&mut bytes).map_err(TagError::new)?;
    Ok(Some(bytes))
}

/// Replaces the content of that chunk, or appends a chunk with the first of `names`.
pub(super) fn replace<F: FileLike>(
    file: &mut F,
    container: Container,
    names: &[[u8; 4]],
    start: &[u8],
    content: &[u8],
) -> Result<(), TagError> {
    let (found, Sizes { end, long }) = find(file, container, names, start)?;
    let mut bytes = Vec::with_capacity(content.len() + 10);
    let old = if let Some(chunk) = found {
        chunk.content.start - 4..chunk.end
    } else {
        // Chunks start at even positions.
        bytes.extend((end % 2 == 1).then_some(0));
        bytes.extend(names[0]);
        end..end
    };
    bytes.extend(container.bytes(content.len() as u64)?);
    bytes.extend(content);
    bytes.extend((content.len() % 2 == 1).then_some(0));
    let total = end - 8 - (old.end - old.start) + bytes.len() as u64;
    let (total_at, total) = match long {
        Some(LongSizes { total_at, .. }) => (total_at, total.to_le_bytes().to_vec()),
        None => (4, container.bytes(total)?.to_vec()),
    };
    splice(file, old, &bytes).map_err(TagError::new)?;
    file.seek(SeekFrom::Start(total_at)).map_err(TagError::new)?;
    file.write_all(&total).map_err(TagError::new)
}

fn sizes<F: FileLike>(file: &mut F, container: Container) -> Result<Sizes, TagError> {
    let length = file.seek(SeekFrom::End(0)).map_err(TagError::new)?;
    let mut header = [0; 12];
    read_at(file, 0, &mut header)?;
    let short = container.size([header[4], header[5], header[6], header[7]]);
    let (total, long) = if is_long_wav(&header) {
        // The size of the file, of the samples, and their number.
        let mut sizes = [0; 24];
        read_at(file, 12, &mut sizes)?;
        let [b'd', b's', b'6', b'4', _, _, _, _, sizes @ ..] = &sizes else {
            return Err(TagError::Damaged("the file lacks its 64-bit sizes".to_owned()));
        };
        let numbers = sizes.as_chunks::<8>().0;
        let [total, samples] = [0, 1].map(|at| u64::from_le_bytes(numbers[at]));
        (total, Some(LongSizes { total_at: 20, samples }))
    } else {
        (short, None)
    };
    match total.checked_add(8) {
        Some(end) if end <= length => Ok(Sizes { end, long }),
        _ => Err(TagError::Damaged("the file is shorter than it says".to_owned())),
    }
}

/// The chunk, and the sizes of the file.
fn find<F: FileLike>(
    file: &mut F,
    container: Container,
    names: &[[u8; 4]],
    start: &[u8],
) -> Result<(Option<Chunk>, Sizes), TagError> {
    let sizes = sizes(file, container)?;
    let end = sizes.end;
    let mut at = 12;
    while at + 8 <= end {
        let mut header = [0; 8];
        read_at(file, at, &mut header)?;
        let [a, b, c, d, size @ ..] = header;
        let size = match (&[a, b, c, d], container.size(size), &sizes.long) {
            (b"data", LONG, Some(long)) => long.samples,
            (_, size, _) => size,
        };
        let content = at + 8..(at + 8).saturating_add(size);
        if content.end > end {
            return Err(TagError::Damaged("a chunk is longer than the file".to_owned()));
        }
        at = content.end;
        if content.end % 2 == 1 && content.end < end {
            let mut padding = [0; 1];
            read_at(file, content.end, &mut padding)?;
            // Some programs forget the padding, so a name may be here.
            at += u64::from(padding[0] == 0);
        }
        if names.contains(&[a, b, c, d]) {
            let mut first = vec![0; start.len().min((content.end - content.start) as usize)];
            read_at(file, content.start, &mut first)?;
            if first == start {
                return Ok((Some(Chunk { content, end: at }), sizes));
            }
        }
    }
    Ok((None, sizes))
}

fn read_at<F: FileLike>(file: &mut F, at: u64, bytes: &mut [u8]) -> Result<(), TagError> {
    file.seek(SeekFrom::Start(at)).map_err(TagError::new)?;
    file.read_exact(bytes).map_err(TagError::new)
}

/// Replaces a range of the file, and moves what is after it block by block.
pub(super) fn splice<F: FileLike>(
    file: &mut F,
    old: Range<u64>,
    new: &[u8],
) -> Result<(), std::io::Error> {
    let length = file.seek(SeekFrom::End(0))?;
    let new_end = old.start + new.len() as u64;
    let mut block = vec![0; BLOCK.min(length - old.end) as usize];
    let mut rest = old.end..length;
    while !rest.is_empty() && new_end != old.end {
        let size = BLOCK.min(rest.end - rest.start);
        // Backwards if the file grows, so that no block overwrites one that is not yet moved.
        let from = if new_end > old.end { rest.end - size } else { rest.start };
        let block = &mut block[..size as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(block)?;
        file.seek(SeekFrom::Start(from - old.end + new_end))?;
        file.write_all(block)?;
        rest = if new_end > old.end { rest.start..from } else { from + size..rest.end };
    }
    file.seek(SeekFrom::Start(old.start))?;
    file.write_all(new)?;
    if new_end < old.end {
        file.truncate(new_end + length - old.end)?;
    }
    Ok(())
}

/// A list of RIFF INFO with other values. Each has a name, a value, and whether it is added if the
/// list has none. All other fields are kept as they are.
pub(super) fn edited_info(list: &[u8], values: &[([u8; 4], &str, bool)]) -> Vec<u8> {
    let mut edited = b"INFO".to_vec();
    let mut is_written = vec![false; values.len()];
    let mut rest = list.get(4..).unwrap_or_default();
    while let [a, b, c, d, e, f, g, h, after @ ..] = rest {
        let size = (u32::from_le_bytes([*e, *f, *g, *h]) as usize).min(after.len());
        let padded = (size + size % 2).min(after.len());
        let name = [*a, *b, *c, *d];
        if let Some(index) = values.iter().position(|(it, ..)| *it == name) {
            if !std::mem::replace(&mut is_written[index], true) {
                push_info(&mut edited, name, values[index].1);
            }
        } else {
            edited.extend(&rest[..8 + padded]);
            edited.extend((edited.len() % 2 == 1).then_some(0));
        }
        rest = &after[padded..];
    }
    for ((name, value, is_added), is_written) in values.iter().zip(is_written) {
        if *is_added && !is_written {
            push_info(&mut edited, *name, value);
        }
    }
    edited
}

fn push_info(list: &mut Vec<u8>, name: [u8; 4], value: &str) {
    let size = value.len() as u32 + 1;
    list.extend(name);
    list.extend(size.to_le_bytes());
    list.extend(value.bytes());
    list.extend(if size % 2 == 1 { &[0, 0][..] } else { &[0] });
}
