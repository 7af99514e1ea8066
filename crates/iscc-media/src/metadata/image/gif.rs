//! Metadata of GIF files: an XMP packet in an application extension.

use super::Blocks;

/// The packet, which stands in the file as it is: what looks like block lengths is its text, and
/// a fixed trailer leads readers out of it (XMP specification part 3, 1.1.2).
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    const MARK: &[u8] = b"\x21\xff\x0bXMP DataXMP";
    const END: &[u8] = b"<?xpacket end=";
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|w| w == what);
    let packet = find(file, MARK).and_then(|at| {
        let packet = &file[at + MARK.len()..];
        Some(packet[..find(packet, END)?].into())
    });
    Blocks { xmp: packet, ..Blocks::default() }
}
