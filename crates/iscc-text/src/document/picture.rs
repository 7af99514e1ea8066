//! File extensions of embedded pictures, which the reference uses for their names.

use iscc_media::mediatype;

/// The extension of a picture's format by its first bytes; `None` for unknown formats.
pub fn extension(head: &[u8]) -> Option<&'static str> {
    const WMF_PLACEABLE: &[u8] = b"\xd7\xcd\xc6\x9a";
    const WMF: &[u8] = b"\x01\0\x09\0";
    const EMF: &[u8] = b"\x01\0\0\0";
    const EMF_MARK: &[u8] = b" EMF";
    const EMF_MARK_AT: usize = 40;
    if head.starts_with(WMF_PLACEABLE) || head.starts_with(WMF) {
        return Some("wmf");
    }
    if head.starts_with(EMF) && head.get(EMF_MARK_AT..).is_some_and(|it| it.starts_with(EMF_MARK)) {
        return Some("emf");
    }
    Some(match mediatype::from_bytes(head)? {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/bmp" => "bmp",
        "image/tiff" => "tif",
        _ => return None,
    })
}
