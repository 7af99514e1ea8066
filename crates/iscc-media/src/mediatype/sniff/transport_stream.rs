//! MPEG transport streams: packets with a synchronisation byte each (ISO/IEC 13818-1, 2.4.3).

use super::looks_like_text;

/// Media type of MPEG transport streams.
pub const MPEG_TS: &str = "video/mp2t";

/// Bytes before the synchronisation byte of the first packet, and bytes from one to the next.
/// Packets have 188 bytes; on discs a time stamp precedes each, in broadcasts check bytes follow
/// each.
const LAYOUTS: [(usize, usize); 3] = [(0, 188), (4, 192), (0, 204)];

/// Whether the bytes are a transport stream that begins with a whole packet.
pub fn starts_with_packet(head: &[u8]) -> bool {
    const PACKETS_MIN: usize = 3;
    LAYOUTS.iter().any(|(offset, bytes)| are_packets(head, *offset, *bytes, PACKETS_MIN))
        && !looks_like_text(head)
}

/// Whether the bytes are a transport stream that begins within a packet, as recordings do, or after
/// other data. As in FFmpeg, the packets after such data decide.
pub fn starts_late(head: &[u8]) -> bool {
    // Signatures at an unknown place are more often a coincidence.
    const PACKETS_MIN: usize = 8;
    let is_stream = |bytes: usize| {
        let last = head.len().saturating_sub(bytes)..head.len();
        let streams = last.filter(|end| packets_before(head, *end, bytes) >= PACKETS_MIN);
        // Samples of the same value at many places are not synchronisation bytes.
        streams.take(2).count() == 1
    };
    LAYOUTS.iter().any(|(_, bytes)| is_stream(*bytes)) && !looks_like_text(head)
}

/// Whether there are packets from `offset` to the end.
fn are_packets(head: &[u8], offset: usize, bytes: usize, packets_min: usize) -> bool {
    let packets = || head.get(offset..).unwrap_or_default().chunks(bytes);
    let whole = packets().filter(|packet| packet.len() >= HEADER_BYTES).count();
    whole >= packets_min && packets().take(whole).all(is_packet)
}

/// Number of consecutive packets, the last of which begins at `last` or, if its header is cut off,
/// before it.
fn packets_before(head: &[u8], last: usize, bytes: usize) -> usize {
    let starts = (0..=last).rev().step_by(bytes).skip_while(|at| head.len() - at < HEADER_BYTES);
    starts.take_while(|at| is_packet(&head[*at..])).count()
}

const HEADER_BYTES: usize = 4;

fn is_packet(packet: &[u8]) -> bool {
    match packet {
        // Packets with neither an adaptation field nor a payload are reserved.
        [0x47, _, _, control, ..] => control & 0x30 != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_bytes;

    fn stream(before: usize, after: usize, packets: usize) -> Vec<u8> {
        let packet = [&vec![9; before][..], b"\x47\x40\x11\x10", &[0xff; 184], &vec![3; after]];
        packet.concat().repeat(packets)
    }

    #[test]
    fn transport_streams_have_regular_synchronisation_bytes() {
        for (before, after) in [(0, 0), (4, 0), (0, 16)] {
            assert_eq!(from_bytes(&stream(before, after, 21)), Some(super::MPEG_TS));
            assert_eq!(from_bytes(&stream(before, after, 3)[..560]), Some(super::MPEG_TS));
            assert_eq!(from_bytes(&stream(before, after, 2)), None);
        }
        let mut broken = stream(0, 0, 21);
        broken[188 * 15] = 0x46;
        assert_eq!(from_bytes(&broken), None);
        assert_eq!(from_bytes(&[0x47; 4096]), None);
        assert_eq!(from_bytes(&format!("G  0{}", " ".repeat(184)).into_bytes().repeat(9)), None);
    }

    #[test]
    fn transport_streams_may_start_within_a_packet() {
        for (before, after) in [(0, 0), (4, 0), (0, 16)] {
            let whole = stream(before, after, 30);
            for cut in [1, 3, 4, 5, 60, 187, 1000] {
                let head = &whole[cut..][..4096];
                assert_eq!(from_bytes(head), Some(super::MPEG_TS), "{before} {after} {cut}");
            }
        }
        assert_eq!(from_bytes(&stream(0, 0, 6)[10..]), None);
        let mut broken = stream(0, 0, 21);
        broken[188 * 15] = 0x46;
        assert_eq!(from_bytes(&broken[10..]), None);
    }

    #[test]
    fn other_data_may_precede_the_first_packet() {
        let other: Vec<u8> = (0..3000u32).map(|at| (at * at / 7 % 251) as u8).collect();
        for (before, after) in [(0, 0), (4, 0), (0, 16)] {
            let stream = stream(before, after, 30);
            for length in [1, 187, 188, 189, 400, 1500, 2400] {
                for fill in [&other[..length], &vec![0; length], &b"a word\n".repeat(400)[..length]]
                {
                    let head = &[fill, &stream].concat()[..4096];
                    assert_eq!(from_bytes(head), Some(super::MPEG_TS), "{before} {after} {length}");
                }
            }
            // Fewer than eight packets, or other data behind them.
            assert_eq!(from_bytes(&[&other[..2900], &stream].concat()[..4096]), None);
            let enclosed = [&other[..400], &stream[..2400], &other[..1000]].concat();
            assert_eq!(from_bytes(&enclosed), None);
        }
    }

    #[test]
    fn regular_samples_are_not_a_transport_stream() {
        // Pixels of one colour.
        assert_eq!(from_bytes(&[1, 2, 0x47, 0x90, 0x91, 0xff, 1, 2].repeat(512)), None);
        assert_eq!(from_bytes(&[0x47, 0x90, 0x91, 0xff].repeat(1024)[1..]), None);
    }
}
