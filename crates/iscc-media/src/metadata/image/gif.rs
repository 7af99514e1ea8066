//! Metadata of GIF files: an XMP packet in an application extension.

use super::Blocks;

/// Finds the packet. It is stored without block lengths; a fixed trailer ends it for GIF readers
/// (XMP specification part 3, 1.1.2).
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
