//! The signature parser, tested with a writer of the same layout and with arbitrary bytes.

use iscc_av::video::signature::{FRAME_ELEMENTS, Signature, SignatureError, parse};
use proptest::collection::vec;
use proptest::prelude::*;

/// Bits in writing order.
#[derive(Default)]
struct BitWriter(Vec<bool>);

impl BitWriter {
    fn put(&mut self, value: u64, bits: u32) {
        self.0.extend((0..bits).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// Bits that the parser skips: ones, so that wrong offsets are detected.
    fn fill(&mut self, bits: usize) {
        self.0.extend(std::iter::repeat_n(true, bits));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            bits.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << (7 - i))
        };
        self.0.chunks(8).map(byte).collect()
    }
}

fn write(signature: &Signature, segments: u32) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.fill(129);
    bits.put(signature.times.len() as u64, 32);
    bits.put(u64::from(signature.time_unit), 16);
    bits.fill(65);
    bits.put(u64::from(segments), 32);
    bits.fill(segments as usize * (4 * 32 + 1 + 5 * 243));
    bits.fill(1);
    for (frame, &time) in signature.frames.chunks(FRAME_ELEMENTS).zip(&signature.times) {
        bits.fill(1);
        bits.put(u64::from(time), 32);
        bits.fill(8 + 5 * 8);
        for digits in frame.chunks(5) {
            let byte = digits.iter().fold(0, |byte, &digit| 3 * byte + u64::from(digit));
            bits.put(byte, 8);
        }
    }
    bits.bytes()
}

fn signatures() -> impl Strategy<Value = Signature> {
    (vec((any::<u32>(), vec(0u8..3, FRAME_ELEMENTS)), 0..12), any::<u16>()).prop_map(
        |(frames, time_unit)| Signature {
            times: frames.iter().map(|(time, _)| *time).collect(),
            frames: frames.into_iter().flat_map(|(_, frame)| frame).collect(),
            time_unit,
        },
    )
}

proptest! {
    #[test]
    fn written_signatures_are_parsed(signature in signatures(), segments in 0u32..3) {
        prop_assert_eq!(parse(&write(&signature, segments)), Ok(signature));
    }

    #[test]
    fn truncated_signatures_are_rejected(signature in signatures(), cut in 1usize..4000) {
        let bytes = write(&signature, 1);
        // The last byte may be padding, so remove at least two.
        let length = bytes.len().saturating_sub(cut + 1);
        let truncated = matches!(parse(&bytes[..length]), Err(SignatureError::Truncated(_)));
        prop_assert!(truncated);
    }

    #[test]
    fn arbitrary_bytes_give_a_value_or_an_error(bytes in vec(any::<u8>(), 0..4000)) {
        if let Ok(signature) = parse(&bytes) {
            prop_assert!(signature.frames.len() <= bytes.len() * 5);
            prop_assert_eq!(signature.frames.len(), signature.times.len() * FRAME_ELEMENTS);
            prop_assert!(signature.frames.iter().all(|&element| element < 3));
        }
    }

    #[test]
    fn counts_that_exceed_the_input_are_rejected(frames in 100u32.., segments in any::<u32>()) {
        let mut bits = BitWriter::default();
        bits.fill(129);
        bits.put(u64::from(frames), 32);
        bits.fill(16 + 65);
        bits.put(u64::from(segments), 32);
        bits.fill(8 * 1000);
        prop_assert!(parse(&bits.bytes()).is_err());
    }
}
