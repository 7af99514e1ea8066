//! Limits of ID3v2 tags that hold before a parser sees them.
//!
//! The parser calls itself for each chapter in a chapter, and inflates each compressed frame whole. A
//! file of 100 KB could overflow its stack, and one of 20 MB take minutes.

use std::io::{Read, Seek, SeekFrom};

use flate2::read::ZlibDecoder;

use super::TagError;
use super::frames::{synchronised, tag_size};

/// Maximum depth of chapters and tables of contents in each other. By the rule below, neighbours may
/// count as nested, so this is more than any program writes.
pub const CHAPTERS_DEPTH_MAX: usize = 64;
/// Maximum bytes of all compressed frames when they are inflated.
pub const INFLATED_BYTES_MAX: u64 = 64 << 20;

/// Maximum number of names of chapters before a text. As sizes, the letters of a text are larger than a tag,
/// but the parser would take them.
const NAMES_MAX: usize = 500;
/// First character of texts.
const TEXT_MIN: u8 = b' ';

/// The parser looks for a tag in the first kilobyte of what is not a tag.
const WINDOW_BYTES: u64 = 64 << 10;
const HEADER_BYTES: usize = 10;
/// Frames that have frames inside.
const CHAPTERS: [&[u8]; 2] = [b"CHAP", b"CTOC"];
/// Flags of compressed frames, in ID3v2.4 and ID3v2.3.
const COMPRESSED: u8 = 0x08 | 0x80;
/// A frame may have the number of its group or its encryption, and has its length, before its content.
const CONTENT_STARTS: [usize; 3] = [4, 5, 6];

/// Refuses a file whose ID3v2 tags exceed the limits.
pub fn check<R: Read + Seek>(file: &mut R) -> Result<(), TagError> {
    check_file(file).map_err(TagError::new)?.map_or(Ok(()), |rule| Err(TagError::TooCostly(rule)))
}

/// The rule that a file breaks.
fn check_file<R: Read + Seek>(file: &mut R) -> std::io::Result<Option<&'static str>> {
    let mut budget = INFLATED_BYTES_MAX;
    let head = part(file, 0, 12)?;
    let number = match (head.get(..4), head.get(8..)) {
        (Some(b"RIFF" | b"RF64" | b"BW64"), Some(b"WAVE")) => Some(u32::from_le_bytes as Number),
        (Some(b"FORM"), Some(b"AIFF" | b"AIFC")) => Some(u32::from_be_bytes as Number),
        _ => None,
    };
    let mut at = if number.is_some() { head.len() as u64 } else { 0 };
    loop {
        let found = match number {
            Some(number) => next_chunk(file, at, number)?,
            None => next_tag(file, at)?,
        };
        let Some((start, size)) = found else { return Ok(None) };
        if let Some(rule) = check_tag(&part(file, start, size)?, &mut budget) {
            return Ok(Some(rule));
        }
        at = start + size;
    }
}

type Number = fn([u8; 4]) -> u32;

/// Place and length of the next chunk with a tag, with its padding.
fn next_chunk<R: Read + Seek>(
    file: &mut R,
    mut at: u64,
    number: Number,
) -> std::io::Result<Option<(u64, u64)>> {
    loop {
        let header = part(file, at, 8)?;
        let Some((name, size)) = header.split_first_chunk::<4>() else { return Ok(None) };
        let Ok(size) = size.try_into() else { return Ok(None) };
        let bytes = u64::from(number(size));
        if name.eq_ignore_ascii_case(b"ID3 ") {
            return Ok(Some((at + 8, bytes + bytes % 2)));
        }
        at += 8 + bytes + bytes % 2;
    }
}

/// Place and length of the next tag near this position.
fn next_tag<R: Read + Seek>(file: &mut R, at: u64) -> std::io::Result<Option<(u64, u64)>> {
    let window = part(file, at, WINDOW_BYTES)?;
    let mut starts = (0..window.len()).filter(|start| window[*start..].starts_with(b"ID3"));
    Ok(starts.find_map(|start| Some((at + start as u64, tag_size(&window[start..])?))))
}

fn part<R: Read + Seek>(file: &mut R, at: u64, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut read = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    Read::by_ref(file).take(bytes).read_to_end(&mut read)?;
    Ok(read)
}

/// The rule that a tag breaks. Frames are found by their names, wherever they are, because programs
/// disagree on how sizes are written.
fn check_tag(tag: &[u8], budget: &mut u64) -> Option<&'static str> {
    let mut chapters = Chapters::default();
    let is_unsynchronised = tag.get(5).is_some_and(|flags| flags & 0x80 != 0);
    for (at, header) in tag.windows(HEADER_BYTES).enumerate().skip(HEADER_BYTES) {
        let is_compressed = header[9] & COMPRESSED != 0;
        if CHAPTERS.contains(&&header[..4]) {
            if is_compressed && header[4] < TEXT_MIN || chapters.open(at, header, tag.len()) {
                return Some("chapters of the ID3v2 tag are nested too deeply");
            }
        } else if is_compressed && header[..4].iter().all(u8::is_ascii_alphanumeric) {
            let is_unsynchronised = is_unsynchronised || header[9] & 0x02 != 0;
            inflate(&tag[at + HEADER_BYTES..], is_unsynchronised, budget);
            if *budget == 0 {
                return Some("compressed frames of the ID3v2 tag are too long");
            }
        }
    }
    None
}

/// Frames with frames inside, as far as their names tell.
#[derive(Default)]
struct Chapters {
    /// Where those end that surround the place.
    ends: Vec<usize>,
    /// Number of names that texts may contain.
    in_texts: usize,
}

impl Chapters {
    /// Whether the frame at this place, or one that a text looks like, exceeds a limit.
    fn open(&mut self, at: usize, header: &[u8], tag_bytes: usize) -> bool {
        if header[4] >= TEXT_MIN {
            self.in_texts += 1;
            return self.in_texts > NAMES_MAX;
        }
        // Sizes without a gap in each byte are at least as large as those with one.
        let size = u32::from_be_bytes([header[4], header[5], header[6], header[7]]) as usize;
        self.ends.retain(|end| *end > at);
        self.ends.push((at + HEADER_BYTES + size).min(tag_bytes));
        self.ends.len() > CHAPTERS_DEPTH_MAX
    }
}

/// Takes the inflated bytes of a frame's content from the budget.
fn inflate(content: &[u8], is_unsynchronised: bool, budget: &mut u64) {
    const DEFLATE: u8 = 8;
    for start in CONTENT_STARTS {
        let Some(zlib) = content.get(start..) else { return };
        let Some(&[method, flags]) = zlib.first_chunk::<2>() else { return };
        if method & 0x0f != DEFLATE || u16::from_be_bytes([method, flags]) % 31 != 0 {
            continue;
        }
        let plain = if is_unsynchronised { synchronised(zlib) } else { zlib.to_vec() };
        let mut inflated = ZlibDecoder::new(&plain[..]).take(*budget);
        let mut block = vec![0; 1 << 16];
        while let Ok(count @ 1..) = inflated.read(&mut block) {
            *budget -= count as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn synchsafe(size: usize) -> [u8; 4] {
        [size >> 21, size >> 14, size >> 7, size].map(|part| part as u8 & 0x7f)
    }

    fn frame(id: &str, flags: u8, content: &[u8]) -> Vec<u8> {
        [id.as_bytes(), &synchsafe(content.len()), &[0, flags], content].concat()
    }

    fn tag(frames: &[u8]) -> Vec<u8> {
        [&b"ID3\x04\0\0"[..], &synchsafe(frames.len()), frames].concat()
    }

    fn nested(depth: usize) -> Vec<u8> {
        (0..depth).fold(frame("TIT2", 0, b"\x03deep"), |inner, _| {
            frame("CHAP", 0, &[&b"c\0"[..], &[0; 16], &inner].concat())
        })
    }

    fn refused(file: &[u8]) -> Option<String> {
        check(&mut Cursor::new(file)).err().map(|error| error.to_string())
    }

    #[test]
    fn chapters_in_each_other_are_limited_in_each_container() {
        let chunk = |name: &[u8], size: [u8; 4], content: &[u8]| [name, &size, content].concat();
        let wav = |tag: &[u8]| {
            let size = (tag.len() as u32).to_le_bytes();
            [&b"RIFF\0\0\0\0WAVEdata\x02\0\0\0ab"[..], &chunk(b"id3 ", size, tag)].concat()
        };
        let aiff = |tag: &[u8]| {
            let size = (tag.len() as u32).to_be_bytes();
            [&b"FORM\0\0\0\0AIFFSSND\0\0\0\x01a\0"[..], &chunk(b"ID3 ", size, tag)].concat()
        };
        let after_others = |tag: &[u8]| [&super::tests::tag(b""), &b"junk"[..], tag].concat();
        let plain = |tag: &[u8]| tag.to_vec();
        for file in [&plain as &dyn Fn(&[u8]) -> Vec<u8>, &wav, &aiff, &after_others] {
            assert_eq!(refused(&file(&tag(&nested(CHAPTERS_DEPTH_MAX)))), None);
            let deeper = refused(&file(&tag(&nested(CHAPTERS_DEPTH_MAX + 1))));
            assert!(deeper.is_some_and(|text| text.contains("nested too deeply")));
        }
        // Chapters after each other are not deeper, and texts are no chapters.
        let picture = frame("APIC", 0, &[7; 50_000]);
        let chapter = frame("CHAP", 0, &[&b"c\0"[..], &[0; 16], &picture].concat());
        assert_eq!(refused(&tag(&chapter.repeat(30))), None);
        assert_eq!(refused(&tag(&frame("TIT2", 0, &b"\x03CHAPTER ".repeat(400)))), None);
        let endless =
            |times: usize| [&b"CHAP\x7f\x7f\x7f\x7f\0\0c\0"[..], &[0; 16]].concat().repeat(times);
        assert_eq!(refused(&tag(&endless(NAMES_MAX))), None);
        assert!(refused(&tag(&endless(NAMES_MAX + 1))).is_some());
        // What is inside of a compressed chapter cannot be counted.
        assert!(refused(&tag(&frame("CHAP", 0x08, b"\0\0\0\x01x"))).is_some());
    }

    #[test]
    fn compressed_frames_are_limited_together() {
        let compressed = |bytes: u64, flags: u8, grouped: &[u8]| {
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(1));
            let block = vec![0; 1 << 20];
            for start in (0..bytes).step_by(block.len()) {
                let rest = (bytes - start).min(block.len() as u64) as usize;
                zlib.write_all(&block[..rest]).unwrap();
            }
            frame("TXXX", flags, &[grouped, &[0; 4], &zlib.finish().unwrap()].concat())
        };
        let half = compressed(INFLATED_BYTES_MAX / 2, 0x09, b"");
        let almost = compressed(INFLATED_BYTES_MAX / 2 - 1, 0x49, b"g");
        assert_eq!(refused(&tag(&[&half[..], &almost].concat())), None);
        let both = refused(&tag(&[&half[..], &half].concat()));
        assert!(both.is_some_and(|text| text.contains("too long")));
        let inside = frame("CHAP", 0, &[&b"c\0"[..], &[0; 16], &half, &half].concat());
        assert!(refused(&tag(&inside)).is_some());
    }
}
