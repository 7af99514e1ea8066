//! Streams with every kind of frame, written from known samples.

use claxon::{Error, FlacReader};
use crc::{CRC_8_SMBUS, CRC_16_UMTS, Crc};

use super::{StreamInfo, frames, stream_info};

/// Random numbers that are the same in each run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }

    fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    bits: usize,
}

impl Writer {
    /// Appends the lowest `count` bits.
    fn put(&mut self, value: i64, count: u32) {
        for bit in (0..count).rev() {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().expect("has a byte") |=
                ((value >> bit & 1) as u8) << (7 - self.bits % 8);
            self.bits += 1;
        }
    }

    fn zeros_and_one(&mut self, zeros: u32) {
        (0..zeros).for_each(|_| self.put(0, 1));
        self.put(1, 1);
    }

    fn align(&mut self) {
        self.bits = self.bytes.len() * 8;
    }
}

/// Codes residuals in a random number of partitions.
fn residuals(writer: &mut Writer, random: &mut Random, order: usize, size: usize, values: &[i32]) {
    let method = random.below(2) as u32;
    let fits =
        |partitions: &usize| size.is_multiple_of(1 << partitions) && size >> partitions >= order;
    let allowed: Vec<_> = (0..9).filter(fits).collect();
    let partition_order = allowed[random.below(allowed.len())];
    writer.put(method.into(), 2);
    writer.put(partition_order as i64, 4);
    let mut values = values.iter();
    for partition in 0..1usize << partition_order {
        let count = (size >> partition_order) - if partition == 0 { order } else { 0 };
        let part: Vec<_> = values.by_ref().take(count).copied().collect();
        let bits = part.iter().map(|value| 33 - (value ^ value >> 31).leading_zeros()).max();
        let bits = bits.unwrap_or(0);
        if random.below(4) == 0 && bits < 32 {
            writer.put(-1, 4 + method);
            writer.put(bits.into(), 5);
            part.iter().for_each(|value| writer.put((*value).into(), bits));
            continue;
        }
        // A small parameter gives long codes.
        let parameter = bits.saturating_sub(random.below(9) as u32).min(14);
        writer.put(parameter.into(), 4 + method);
        for value in part {
            let folded = (value << 1 ^ value >> 31) as u32;
            writer.zeros_and_one(folded >> parameter);
            writer.put(folded.into(), parameter);
        }
    }
}

const FIXED: [&[i64]; 5] = [&[], &[1], &[2, -1], &[3, -3, 1], &[4, -6, 4, -1]];

/// Codes a channel in a random way.
fn subframe(writer: &mut Writer, random: &mut Random, bits: u32, samples: &[i32]) {
    let wasted = samples.iter().map(|sample| sample.trailing_zeros()).min().unwrap_or(0);
    let wasted = if wasted < bits { wasted } else { 0 };
    let samples: Vec<_> = samples.iter().map(|sample| sample >> wasted).collect();
    let bits = bits - wasted;
    let is_constant = samples.iter().all(|sample| *sample == samples[0]);
    let (kind, weights, precision, shift) = match random.below(5) {
        0 if is_constant => (0, vec![], 0, 0),
        0 => (1, vec![], 0, 0),
        1 | 2 => {
            let order = random.below(5.min(samples.len() + 1));
            (8 + order as i64, FIXED[order].to_vec(), 0, 0)
        }
        _ => {
            let order = 1 + random.below(32.min(samples.len()));
            let precision = random.between(2, 15) as u32;
            let most = (1 << (precision - 1)) - 1;
            let weights = (0..order).map(|_| random.between(-most - 1, most).into()).collect();
            (31 + order as i64, weights, precision, random.between(precision as i32, 15))
        }
    };
    writer.put(0, 1);
    writer.put(kind, 6);
    writer.put((wasted > 0).into(), 1);
    if wasted > 0 {
        writer.zeros_and_one(wasted - 1);
    }
    match kind {
        0 => return writer.put(samples[0].into(), bits),
        1 => return samples.iter().for_each(|sample| writer.put((*sample).into(), bits)),
        _ => {}
    }
    let order = weights.len();
    samples[..order].iter().for_each(|sample| writer.put((*sample).into(), bits));
    if kind >= 32 {
        writer.put(i64::from(precision) - 1, 4);
        writer.put(shift.into(), 5);
        weights.iter().for_each(|weight| writer.put(*weight, precision));
    }
    let missed = |at: usize| {
        let past = samples[..at].iter().rev().zip(&weights);
        let sum: i64 = past.map(|(sample, weight)| i64::from(*sample) * weight).sum();
        samples[at] - (sum >> shift) as i32
    };
    let values: Vec<_> = (order..samples.len()).map(missed).collect();
    residuals(writer, random, order, samples.len(), &values);
}

/// Codes a frame of samples by channel.
fn frame(writer: &mut Writer, random: &mut Random, number: u8, channels: &[Vec<i32>]) {
    let start = writer.bytes.len();
    let size = channels[0].len();
    let (size_code, size_bits) = match size {
        192 => (1, 0),
        576 => (2, 0),
        256 => (8, 0),
        1..=256 => (6, 8),
        _ => (7, 16),
    };
    let assignment = if channels.len() == 1 { 0 } else { [1, 8, 9, 10][random.below(4)] };
    let rate = [(0, 0, 0), (9, 0, 0), (13, 44_100, 16), (14, 4_410, 16)][random.below(4)];
    writer.put(0xfff8, 16);
    writer.put(size_code, 4);
    writer.put(rate.0, 4);
    writer.put(assignment, 4);
    writer.put([0, 8, 8, 8][random.below(4)], 4);
    writer.put(number.into(), 8);
    writer.put(size as i64 - 1, size_bits);
    writer.put(rate.1, rate.2);
    let header = Crc::<u8>::new(&CRC_8_SMBUS).checksum(&writer.bytes[start..]);
    writer.put(header.into(), 8);
    let both = |join: fn(i32, i32) -> i32| -> Vec<i32> {
        channels[0].iter().zip(&channels[1]).map(|(left, right)| join(*left, *right)).collect()
    };
    let side = |left, right| left - right;
    let stored = match assignment {
        8 => vec![(channels[0].clone(), 16), (both(side), 17)],
        9 => vec![(both(side), 17), (channels[1].clone(), 16)],
        10 => vec![(both(|left, right| (left + right) >> 1), 16), (both(side), 17)],
        _ => channels.iter().map(|channel| (channel.clone(), 16)).collect(),
    };
    stored.iter().for_each(|(samples, bits)| subframe(writer, random, *bits, samples));
    writer.align();
    let frame = Crc::<u16>::new(&CRC_16_UMTS).checksum(&writer.bytes[start..]);
    writer.put(frame.into(), 16);
}

/// A file, where its frames start, and its samples by channel.
fn stream(seed: u64) -> (Vec<u8>, Vec<usize>, Vec<Vec<i32>>) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let channels = 1 + random.below(2);
    let mut writer = Writer::default();
    writer.bytes.extend(b"fLaC");
    writer.align();
    writer.put(34, 32);
    writer.put(16, 16);
    writer.put(4096, 16);
    writer.put(0, 48);
    writer.put(44_100, 20);
    writer.put(channels as i64 - 1, 3);
    writer.put(15, 5);
    writer.put(0, 36);
    writer.bytes.resize(4 + 4 + 34, 0);
    // A block of padding, which is the last.
    writer.bytes.extend([0x81, 0, 0, 3, 7, 7, 7]);
    writer.align();
    let mut all = vec![vec![]; channels];
    let mut starts = vec![];
    for number in 0..1 + random.below(4) {
        let size = [1, 16, 192, 256, 576, 1000, 4096][random.below(7)];
        let (loud, wasted) = ([0, 3, 300, 32_767][random.below(4)], random.below(3) * 4);
        let samples: Vec<Vec<i32>> = (0..channels)
            .map(|_| {
                (0..size).map(|_| random.between(-loud - 1, loud) >> wasted << wasted).collect()
            })
            .collect();
        starts.push(writer.bytes.len());
        frame(&mut writer, &mut random, number as u8, &samples);
        all.iter_mut().zip(samples).for_each(|(all, samples)| all.extend(samples));
    }
    (writer.bytes, starts, all)
}

fn decoded(mut file: &[u8]) -> Option<(StreamInfo, Vec<Vec<i32>>)> {
    file = file.strip_prefix(b"fLaC")?;
    let info = stream_info(&mut file)?;
    let mut channels = vec![vec![]; info.channels];
    frames(&mut file, info, |frame| {
        channels.iter_mut().zip(&frame.channels).for_each(|(all, samples)| all.extend(samples));
        Some(())
    })?;
    Some((info, channels))
}

/// `None` for frames that claxon does not support: those that refer to the start of the file for
/// their bits, and residuals that are not coded.
fn decoded_by_claxon(file: &[u8]) -> Option<Vec<Vec<i32>>> {
    let mut reader = FlacReader::new(file).expect("the file is valid");
    let mut all = vec![vec![]; reader.streaminfo().channels as usize];
    let mut blocks = reader.blocks();
    loop {
        let block = match blocks.read_next_or_eof(vec![]) {
            Ok(Some(block)) => block,
            Ok(None) => return Some(all),
            Err(Error::Unsupported(_)) => return None,
            Err(error) => panic!("the frame is valid: {error}"),
        };
        for (channel, all) in (0..).zip(&mut all) {
            all.extend_from_slice(block.channel(channel));
        }
    }
}

#[test]
fn frames_of_every_kind_have_their_samples() {
    let mut compared = 0;
    for seed in 1..400 {
        let (file, _, samples) = stream(seed);
        let info = StreamInfo { rate_hz: 44_100, channels: samples.len() };
        if let Some(others) = decoded_by_claxon(&file) {
            assert!(others == samples, "seed {seed}: claxon has read other samples");
            compared += 1;
        }
        let result = decoded(&file);
        assert!(result.is_some(), "seed {seed} is refused");
        assert!(result == Some((info, samples)), "seed {seed} has other samples");
    }
    assert!(compared > 50, "claxon has read {compared} files");
}

#[test]
fn damaged_frames_are_refused() {
    for seed in 1..100 {
        let (file, starts, _) = stream(seed);
        let mut random = Random(seed);
        for _ in 0..20 {
            let mut damaged = file.clone();
            let at = starts[0] + random.below(file.len() - starts[0]);
            damaged[at] ^= 1 << random.below(8);
            assert!(decoded(&damaged).is_none(), "seed {seed}, byte {at}");
            let end = starts[0] + 1 + random.below(file.len() - starts[0] - 1);
            let is_whole = starts.contains(&end);
            assert_eq!(decoded(&file[..end]).is_some(), is_whole, "seed {seed}, cut at {end}");
        }
        let trailing = [&file[..], b"TAG"].concat();
        assert!(decoded(&trailing).is_none(), "seed {seed}, with a tag behind it");
    }
}

#[test]
fn other_streams_are_refused() {
    let (file, ..) = stream(1);
    // The byte with channels and the highest bit of 24-bit samples, and the rate.
    for (at, value) in [(20, 0xf0 | 0b1001), (20, 0b0010), (18, 0)] {
        let mut other = file.clone();
        other[at] = value;
        assert_eq!(decoded(&other), None, "byte {at}");
    }
    assert_eq!(decoded(b"fLaC"), None);
    assert_eq!(decoded(&file[..30]), None);
    assert_eq!(decoded(&file[..45]), None);
}
