//! A frame: samples of all channels, with a checksum.

use crc::{CRC_8_SMBUS, CRC_16_UMTS, Crc, Table};
use multiversion::multiversion;

use super::bits::Bits;
use super::subframe::subframe;
use super::{BITS, StreamInfo};

/// The samples of a frame, by channel. The second channel is empty if there is only one.
#[derive(Default)]
pub struct Decoded {
    pub channels: [Vec<i32>; 2],
}

static HEADER_CRC: Crc<u8> = Crc::<u8>::new(&CRC_8_SMBUS);
static FRAME_CRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_UMTS);

/// How two channels are stored.
#[derive(Clone, Copy)]
enum Stereo {
    Independent,
    LeftAndSide,
    SideAndRight,
    MidAndSide,
}

/// Decodes the frame at the start of `bytes`, which end with padding. Returns its length.
pub fn frame(bytes: &[u8], info: StreamInfo, decoded: &mut Decoded) -> Option<usize> {
    let read = samples(bytes, info, decoded)?;
    let checksum = u16::from_be_bytes(*bytes[read..].first_chunk()?);
    (FRAME_CRC.checksum(&bytes[..read]) == checksum && read + 2 + super::PADDING <= bytes.len())
        .then_some(read + 2)
}

#[multiversion(targets("x86_64+bmi1+bmi2+lzcnt"))]
fn samples(bytes: &[u8], info: StreamInfo, decoded: &mut Decoded) -> Option<usize> {
    let mut reader = Bits::new(bytes);
    let (size, stereo) = header(&mut reader, bytes, info)?;
    let [first, second] = &mut decoded.channels;
    first.resize(size, 0);
    subframe(&mut reader, BITS + u32::from(matches!(stereo, Stereo::SideAndRight)), first)?;
    if info.channels == 2 {
        second.resize(size, 0);
        let is_side = matches!(stereo, Stereo::LeftAndSide | Stereo::MidAndSide);
        subframe(&mut reader, BITS + u32::from(is_side), second)?;
        join(stereo, first, second);
    }
    reader.align()
}

/// Makes left and right of what is stored.
#[inline(always)]
fn join(stereo: Stereo, first: &mut [i32], second: &mut [i32]) {
    let both = first.iter_mut().zip(second);
    match stereo {
        Stereo::Independent => {}
        Stereo::LeftAndSide => both.for_each(|(left, side)| *side = left.wrapping_sub(*side)),
        Stereo::SideAndRight => both.for_each(|(side, right)| *side = side.wrapping_add(*right)),
        Stereo::MidAndSide => both.for_each(|(mid, side)| {
            let twice = *mid << 1 | *side & 1;
            (*mid, *side) = (twice.wrapping_add(*side) >> 1, twice.wrapping_sub(*side) >> 1);
        }),
    }
}

/// Reads the header: the number of samples, and how two channels are stored.
#[inline(always)]
fn header(reader: &mut Bits, bytes: &[u8], info: StreamInfo) -> Option<(usize, Stereo)> {
    // Fourteen bits mark a frame, the next one is zero.
    (reader.read(15)? == 0x7ffc).then_some(())?;
    reader.read(1)?;
    let (size, rate, channels) = (reader.read(4)?, reader.read(4)?, reader.read(4)?);
    (matches!(reader.read(3)?, 0 | 4) && reader.read(1)? == 0).then_some(())?;
    let stereo = match (channels, info.channels) {
        (0, 1) | (1, 2) => Stereo::Independent,
        (8, 2) => Stereo::LeftAndSide,
        (9, 2) => Stereo::SideAndRight,
        (10, 2) => Stereo::MidAndSide,
        _ => return None,
    };
    // The number of the frame or sample: the ones at the start count its bytes.
    let more = (reader.read(8)? as u8).leading_ones();
    (more != 1 && more < 8).then_some(())?;
    for _ in 1..more {
        (reader.read(8)? >> 6 == 0b10).then_some(())?;
    }
    let size = match size {
        1 => 192,
        2..=5 => 576 << (size - 2),
        6 => reader.read(8)? + 1,
        7 => reader.read(16)? + 1,
        8..=15 => 256 << (size - 8),
        _ => return None,
    };
    let rate_hz = match rate {
        0 => info.rate_hz,
        1..=11 => RATES_HZ[rate as usize - 1],
        12 => reader.read(8)? * 1000,
        13 => reader.read(16)?,
        14 => reader.read(16)? * 10,
        _ => return None,
    };
    let read = reader.align()?;
    let checksum = reader.read(8)? as u8;
    (rate_hz == info.rate_hz && HEADER_CRC.checksum(&bytes[..read]) == checksum)
        .then_some((size as usize, stereo))
}

const RATES_HZ: [u32; 11] =
    [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
