//! Checks that an MP3 file is intact. Encoders write a silent first frame with the length and a
//! checksum of the following frames (the LAME tag in the Xing frame). All decoders agree on intact
//! files; on damaged ones they differ.

use std::io::{BufReader, Read, Seek, SeekFrom};

use crc::{CRC_16_ARC, Crc, Table};
use nanomp3::{VbrTag, id3v2_len};

use super::sound::{bytes, fill};

/// `None` for a damaged file, and for a file without length and checksum.
pub fn check<R: Read + Seek>(file: &mut R) -> Option<()> {
    let end = file.seek(SeekFrom::End(0)).ok()?;
    file.rewind().ok()?;
    let start = id3v2_len(&bytes::<ID3V2_HEADER_BYTES>(file)?) as u64;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut file = BufReader::new(file);
    let first = first_frame(&mut file)?;
    let LameTag { music_bytes, music_crc } = LameTag::in_frame(&first)?;
    let sound_bytes = music_bytes.checked_sub(first.len() as u64)?;
    (crc_of(&mut file, sound_bytes)? == music_crc).then_some(())?;
    let rest = end.checked_sub(start + music_bytes)?;
    (rest == 0 || rest == ID3V1_BYTES && &bytes::<3>(&mut file)? == b"TAG").then_some(())
}

const ID3V1_BYTES: u64 = 128;
const ID3V2_HEADER_BYTES: usize = 10;

const HEADER_BYTES: usize = 4;

/// Reads a frame of layer III without frame checksum (ISO/IEC 11172-3, 2.4.1.3, and 13818-3).
fn first_frame(file: &mut impl Read) -> Option<Vec<u8>> {
    const KBITS_MPEG1: [usize; 14] =
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    const KBITS_MPEG2: [usize; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    let header @ [0xff, version, rates, _] = bytes::<HEADER_BYTES>(file)? else { return None };
    let (kbits, slots, divisor) = match version {
        0xfb => (KBITS_MPEG1, 144_000, 1),
        0xf3 => (KBITS_MPEG2, 72_000, 2),
        _ => return None,
    };
    let kbits = kbits.get(usize::from(rates >> 4).checked_sub(1)?)?;
    let rate_hz = [44_100, 48_000, 32_000].get(usize::from(rates >> 2 & 3))? / divisor;
    let mut frame = vec![0; kbits * slots / rate_hz + usize::from(rates >> 1 & 1)];
    let (head, rest) = frame.split_at_mut_checked(HEADER_BYTES)?;
    head.copy_from_slice(&header);
    file.read_exact(rest).ok()?;
    Some(frame)
}

/// Length and checksum in the first frame.
struct LameTag {
    /// Bytes from the start of the first frame to the end of the last.
    music_bytes: u64,
    /// CRC-16 of the frames after the first.
    music_crc: u16,
}

impl LameTag {
    fn in_frame(frame: &[u8]) -> Option<Self> {
        const LENGTH_AT: usize = 28;
        VbrTag::parse(frame)?.encoder_delay_padding?;
        let at = frame.windows(4).position(|name| name == b"Xing" || name == b"Info")? + 4;
        let flags = u32::from_be_bytes(*frame.get(at..)?.first_chunk()?);
        // Sizes of the optional fields: number of frames, number of bytes, table of contents,
        // quality.
        let fields = [4, 4, 100, 4].iter().enumerate();
        let present: usize =
            fields.filter(|(bit, _)| flags >> bit & 1 == 1).map(|(_, size)| size).sum();
        let lame = frame.get(at + 4 + present + LENGTH_AT..)?;
        Some(Self {
            music_bytes: u32::from_be_bytes(*lame.first_chunk()?).into(),
            music_crc: u16::from_be_bytes(*lame.get(4..)?.first_chunk()?),
        })
    }
}

/// CRC-16 of the next `length` bytes.
fn crc_of<R: Read + Seek>(file: &mut BufReader<R>, length: u64) -> Option<u16> {
    static ALGORITHM: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
    let mut digest = ALGORITHM.digest();
    let mut rest = file.take(length);
    let mut block = vec![0; 64 << 10];
    loop {
        match fill(&mut rest, &mut block).ok()? {
            0 => break,
            read => digest.update(&block[..read]),
        }
    }
    (rest.limit() == 0).then(|| digest.finalize())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const FRAME_BYTES: usize = 417;

    /// Three frames of 128 kbit/s; the first describes the others.
    fn file() -> Vec<u8> {
        let mut file = vec![0; 3 * FRAME_BYTES];
        for frame in file.chunks_mut(FRAME_BYTES) {
            frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
            frame[200..].fill(77);
        }
        let crc = Crc::<u16>::new(&CRC_16_ARC).checksum(&file[FRAME_BYTES..]);
        let tag = &mut file[36..];
        tag[..8].copy_from_slice(b"Info\0\0\0\x01");
        tag[8..12].copy_from_slice(&2u32.to_be_bytes());
        tag[12..21].copy_from_slice(b"LAME3.100");
        tag[40..44].copy_from_slice(&(3 * FRAME_BYTES as u32).to_be_bytes());
        tag[44..46].copy_from_slice(&crc.to_be_bytes());
        file
    }

    fn is_intact(parts: &[&[u8]]) -> bool {
        check(&mut Cursor::new(parts.concat())).is_some()
    }

    #[test]
    fn an_intact_file_may_have_tags() {
        let id3v2 = [&b"ID3\x04\0\0\0\0\x01\x02"[..], &[0xff; 130]].concat();
        let id3v1 = [&b"TAG"[..], &[0; 125]].concat();
        assert!(is_intact(&[&file()]));
        assert!(is_intact(&[&id3v2, &file(), &id3v1]));
    }

    #[test]
    fn every_change_is_detected() {
        let whole = file();
        for at in FRAME_BYTES..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            assert!(!is_intact(&[&damaged]), "{at}");
        }
        for length in 0..whole.len() {
            assert!(!is_intact(&[&whole[..length]]), "{length}");
        }
        assert!(!is_intact(&[&whole, b"bytes after it"]));
        assert!(!is_intact(&[&whole, &whole]));
        assert!(!is_intact(&[b"before it", &whole]));
    }

    #[test]
    fn files_without_checksum_are_rejected() {
        let whole = file();
        assert!(!is_intact(&[&whole[FRAME_BYTES..]]));
        let mut without = whole.clone();
        without[36 + 12..36 + 21].fill(0);
        assert!(!is_intact(&[&without]));
    }
}
