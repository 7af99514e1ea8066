//! JPEG of the old style (compression 6), in files that hold a whole JPEG stream.

use ::tiff::tags::Tag;

use super::directory::Directory;
use super::{FORMAT, no_decoder};
use crate::check_size;
use crate::libjpeg::{Decompressor, Layout};
use crate::raster::{Channels, Raster};
use iscc_media::MediaError;

/// `JPEGInterchangeFormat`, the position of the stream.
const STREAM: Tag = Tag::Unknown(513);

/// `JPEGInterchangeFormatLength`, which may be missing.
const STREAM_BYTES: Tag = Tag::Unknown(514);

/// Decodes the stream of the first page. As libtiff does, it repeats the samples of subsampled colours.
/// libtiff converts them itself, which rounds one sample of a million otherwise.
pub fn decode(
    file: &[u8],
    directory: &Directory<'_>,
    pixels_max: u64,
) -> Result<Raster, MediaError> {
    let at = directory.value(STREAM).ok_or_else(|| no_decoder("JPEG tables of the old style"))?;
    let stream = usize::try_from(at).ok().and_then(|at| file.get(at..));
    let stream = stream.ok_or_else(|| MediaError::damaged(FORMAT, "the JPEG stream is missing"))?;
    let length = directory.value(STREAM_BYTES).and_then(|length| usize::try_from(length).ok());
    let stream = length.and_then(|length| stream.get(..length)).unwrap_or(stream);
    let damaged = |reason| MediaError::damaged(FORMAT, reason);
    let mut decompressor = Decompressor::new().map_err(damaged)?;
    let header = decompressor.header(stream).map_err(damaged)?;
    let side = |tag| directory.value(tag).and_then(|side| usize::try_from(side).ok());
    if (side(Tag::ImageWidth), side(Tag::ImageLength)) != (Some(header.width), Some(header.height))
    {
        return Err(no_decoder("JPEG stream of another size"));
    }
    check_size(header.width, header.height, pixels_max)?;
    let channels = match header.layout {
        Layout::Gray => Channels::Gray,
        Layout::Rgb => Channels::Rgb,
        Layout::Cmyk => return Err(no_decoder("JPEG of the old style in CMYK")),
    };
    decompressor.repeat_subsampled().map_err(damaged)?;
    let samples = decompressor.decode(stream, &header).map_err(damaged)?;
    Raster::new(header.width, header.height, channels, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "pixels are missing"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;
    use crate::depth::Depth;

    /// A file whose strip is the stream, which it says to be at `at`.
    fn tiff(jpeg: &[u8], width: u16, height: u16, at: Option<u16>) -> Vec<u8> {
        const COMPRESSION: u16 = 6;
        const YCBCR: u16 = 6;
        let tags = [
            (Tag::BitsPerSample, 8),
            (Tag::Compression, COMPRESSION),
            (Tag::PhotometricInterpretation, YCBCR),
            (STREAM, at.unwrap_or_default()),
        ];
        let tags = if at.is_some() { &tags[..] } else { &tags[..3] };
        file(width, height, tags, jpeg)
    }

    #[test]
    fn a_whole_stream_is_decoded() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/files/meta-iptc_a.jpg");
        let jpeg = std::fs::read(path).unwrap();
        let mut decompressor = Decompressor::new().unwrap();
        let header = decompressor.header(&jpeg).unwrap();
        let smooth = decompressor.decode(&jpeg, &header).unwrap();
        let (width, height) = (header.width as u16, header.height as u16);
        let at = (tiff(&jpeg, width, height, Some(0)).len() - jpeg.len()) as u16;
        let decoded = |file: &[u8]| super::super::decode(file, 10_000_000, Depth::Clipped);

        let raster = decoded(&tiff(&jpeg, width, height, Some(at))).unwrap();
        let far =
            raster.samples().iter().zip(&smooth).filter(|(a, b)| a.abs_diff(**b) > 32).count();
        assert_eq!(raster.samples().len(), smooth.len());
        assert!(far * 50 < smooth.len(), "{far} of {} samples are far away", smooth.len());

        let other_size = decoded(&tiff(&jpeg, width + 1, height, Some(at)));
        assert!(matches!(other_size, Err(MediaError::NoDecoder(_))));
        let tables = decoded(&tiff(&jpeg, width, height, None));
        assert!(matches!(tables, Err(MediaError::NoDecoder(_))));
        for at in [0, u16::MAX] {
            let missing = decoded(&tiff(&jpeg[..100], width, height, Some(at)));
            assert!(matches!(missing, Err(MediaError::Damaged { .. })), "{at}");
        }
    }
}
