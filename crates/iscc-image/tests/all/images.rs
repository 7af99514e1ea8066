//! Pixels, sizes and metadata of the reference files, compared with the reference's results.

use crate::common;
use iscc_image::{self as image, Depth, Loss, Options, Orientation, Raster, Trim};
use iscc_media::MediaError;
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::image::Blocks;

/// Whether this crate has no decoder for the file.
fn is_decoded_elsewhere(name: &str) -> bool {
    [".avif", ".heic"].iter().any(|extension| name.ends_with(extension))
}

/// Maximum mean difference of gray levels in a rendered SVG.
const SVG_DIFFERENCE_MAX: f64 = 2.0;

fn mean_difference(a: &[u8], b: &[u8]) -> f64 {
    let sum: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    f64::from(sum) / a.len() as f64
}

#[test]
fn pixels_and_sizes_equal_the_reference() {
    let mut compared = 0;
    for case in common::cases() {
        let Some(pixels) = case.pixels() else { continue };
        let prepared = image::prepare(&Sniffed::new(&case.bytes), &Options::default());
        if is_decoded_elsewhere(&case.name) {
            assert!(matches!(prepared, Err(MediaError::NoDecoder(_))), "{}", case.name);
            continue;
        }
        let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        if case.name.ends_with(".svg") {
            // Versions of the renderer differ in anti-aliasing.
            let difference = mean_difference(&prepared.pixels, &pixels);
            assert!(difference < SVG_DIFFERENCE_MAX, "{}: {difference}", case.name);
        } else {
            assert!(prepared.pixels[..] == pixels, "{}: pixels differ", case.name);
        }
        let size = |key: &str| case.record["result"][key].as_u64().unwrap() as u32;
        assert_eq!(
            (prepared.width, prepared.height),
            (size("width"), size("height")),
            "{}",
            case.name
        );
        compared += 1;
    }
    assert_eq!(compared, 49);
}

#[test]
fn exact_trimming_keeps_nearly_uniform_borders() {
    let options = Options { trim: Trim::Exact, ..Options::default() };
    for case in common::cases().iter().filter(|case| case.name == "border_jpeg_a.jpg") {
        let exact = image::prepare(&Sniffed::new(&case.bytes), &options).unwrap();
        assert!(exact.pixels[..] != case.pixels().unwrap());
    }
}

#[test]
fn truncated_files_are_rejected() {
    for case in common::cases().iter().filter(|case| case.pixels().is_some()) {
        // Half of the animation still contains its first frame.
        if is_decoded_elsewhere(&case.name) || case.name == "anim_a.gif" {
            continue;
        }
        for end in [0, 1, 20, case.bytes.len() / 2] {
            let truncated = image::prepare(&Sniffed::new(&case.bytes[..end]), &Options::default());
            // The second half of a progressive file may only refine the picture.
            if let (Ok(coarse), Some(whole)) = (&truncated, case.pixels()) {
                assert!(case.name.contains("progressive"), "{} truncated at {end}", case.name);
                let difference = mean_difference(&coarse.pixels, &whole);
                assert!(difference < 1.0, "{}: {difference}", case.name);
                continue;
            }
            assert!(truncated.is_err(), "{} truncated at {end}", case.name);
        }
    }
    let truncated =
        common::cases().into_iter().find(|case| case.name == "truncated_a.jpg").unwrap();
    let error = image::prepare(&Sniffed::new(&truncated.bytes), &Options::default()).unwrap_err();
    assert!(matches!(error, MediaError::Damaged { .. }), "{error}");
}

fn decoded(bytes: &[u8], depth: Depth) -> Result<Raster, MediaError> {
    image::decode(&Sniffed::new(bytes), &Options { depth, ..Options::default() })
}

#[test]
fn a_jpeg_without_its_last_bytes_has_its_pixels_and_a_loss() {
    let mut tried = 0;
    for case in common::cases().iter().filter(|case| case.pixels().is_some()) {
        if !case.bytes.starts_with(b"\xff\xd8") || !case.bytes.ends_with(b"\xff\xd9") {
            continue;
        }
        let whole = decoded(&case.bytes, Depth::Clipped).unwrap();
        assert_eq!(whole.loss(), None, "{}", case.name);
        for missing in [1, 2] {
            let file = &case.bytes[..case.bytes.len() - missing];
            let cut = decoded(file, Depth::Clipped).unwrap();
            assert_eq!(cut.loss(), Some(Loss::End), "{}", case.name);
            assert!(cut.samples() == whole.samples(), "{} without {missing} bytes", case.name);
        }
        // A few more bytes are pixels, but no longer all of them.
        let cut = decoded(&case.bytes[..case.bytes.len() - 12], Depth::Clipped).unwrap();
        let different = cut.samples().iter().zip(whole.samples()).filter(|(a, b)| a != b).count();
        assert!(different * 5 < whole.samples().len(), "{}: {different}", case.name);
        tried += 1;
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn deep_gray_is_white_as_in_the_reference_or_scaled() {
    let mut file = Vec::new();
    let samples = [0u16, 257, 0x8080, u16::MAX].map(u16::to_be_bytes).concat();
    let mut encoder = png::Encoder::new(&mut file, 4, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&samples).unwrap();
    writer.finish().unwrap();
    let clipped = decoded(&file, Depth::Clipped).unwrap();
    assert_eq!((clipped.samples(), clipped.loss()), (&[0, 255, 255, 255][..], Some(Loss::Depth)));
    let scaled = decoded(&file, Depth::Scaled).unwrap();
    assert_eq!((scaled.samples(), scaled.loss()), (&[0, 1, 128, 255][..], None));
}

#[test]
fn bombs_are_rejected_by_their_header() {
    let options = Options { pixels_max: 1000, ..Options::default() };
    for case in common::cases().iter().filter(|case| case.pixels().is_some()) {
        // An SVG has no number of pixels; the side of the rendered image is limited instead.
        let is_svg = case.name.ends_with(".svg");
        if is_decoded_elsewhere(&case.name) || is_svg || case.name.starts_with("tiny") {
            continue;
        }
        let error = image::prepare(&Sniffed::new(&case.bytes), &options).unwrap_err();
        assert!(matches!(error, MediaError::TooLarge { .. }), "{}: {error}", case.name);
    }
}

/// A header of a PNG with RGBA of this depth, without pixels.
fn png_header(side: u32, depth: u8) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend([side, side].map(u32::to_be_bytes).concat());
    file.extend([depth, 6, 0, 0, 0]);
    // Checksums are ignored.
    file.extend(*b"\0\0\0\0\0\0\0\x01IDAT");
    file
}

/// A header of a Photoshop document of this mode with 8 bits per sample, without pixels.
fn psd_header(side: u32, channels: u8, mode: u8) -> Vec<u8> {
    let mut file = b"8BPS\0\x01\0\0\0\0\0\0\0".to_vec();
    file.push(channels);
    file.extend([side, side].map(u32::to_be_bytes).concat());
    file.extend([0, 8, 0, mode]);
    file.extend([0; 14]);
    file
}

/// A TIFF with a directory of one strip of RGBA, without pixels.
fn tiff_header(side: u32, depth: u32) -> Vec<u8> {
    const SHORT: u32 = 3;
    const LONG: u32 = 4;
    let bits = 8 + 2 + 9 * 12 + 4;
    let entries: [[u32; 4]; 9] = [
        [256, LONG, 1, side],
        [257, LONG, 1, side],
        [258, SHORT, 4, bits],
        [259, SHORT, 1, 1],
        [262, SHORT, 1, 2],
        [273, LONG, 1, 8],
        [277, SHORT, 1, 4],
        [278, LONG, 1, side],
        [279, LONG, 1, 8],
    ];
    let mut file = b"II\x2a\0\x08\0\0\0\x09\0".to_vec();
    for [tag, kind, count, value] in entries {
        file.extend([tag as u16, kind as u16].map(u16::to_le_bytes).concat());
        file.extend([count, value].map(u32::to_le_bytes).concat());
    }
    file.extend([0; 4]);
    file.extend([depth as u16; 4].map(u16::to_le_bytes).concat());
    file
}

#[test]
fn pixels_that_fill_a_worker_are_rejected_by_their_header() {
    const SIDE: u32 = 12_000;
    let too_large = |file: &[u8]| match image::prepare(&Sniffed::new(file), &Options::default()) {
        Err(MediaError::TooLarge { what, limit }) => {
            assert_eq!((what, limit), ("memory of the decoded pixels in bytes", 1_792_000_000));
            true
        }
        Err(MediaError::Damaged { .. }) => false,
        other => panic!("{:?}", other.map(|_| ())),
    };
    // 15, 7 and again 15 bytes per pixel in all copies.
    assert!(too_large(&png_header(SIDE, 16)));
    assert!(!too_large(&png_header(SIDE, 8)));
    assert!(!too_large(&png_header(SIDE / 2, 16)));
    // CMYK needs 11 and RGB 9.
    assert!(too_large(&psd_header(SIDE + 1_000, 4, 4)));
    assert!(!too_large(&psd_header(SIDE + 1_000, 3, 3)));
    assert!(too_large(&tiff_header(SIDE, 16)));
    assert!(!too_large(&tiff_header(SIDE / 2, 16)));
}

#[test]
fn pixels_of_other_decoders_are_prepared_like_files() {
    let gray: Vec<u8> = (0..=255).cycle().take(40 * 50).collect();
    let rgb: Vec<u8> = gray.iter().flat_map(|level| [*level; 3]).collect();
    let rgba: Vec<u8> = gray.iter().flat_map(|level| [*level, *level, *level, 255]).collect();
    let prepare = |samples: &[u8], channels| {
        image::prepare_samples(samples, 40, 50, channels, Orientation::UPRIGHT, &Options::default())
    };
    let pixels = prepare(&gray, 1).unwrap().pixels;
    assert_eq!(prepare(&rgb, 3).unwrap().pixels, pixels);
    assert_eq!(prepare(&rgba, 4).unwrap().pixels, pixels);
    assert!(matches!(prepare(&rgb, 4), Err(MediaError::RawPixels(_))));
    assert!(matches!(prepare(&gray, 5), Err(MediaError::RawPixels(_))));
}

#[test]
fn metadata_equals_the_reference() {
    for case in common::cases() {
        if case.result("mode") != Some("image") {
            continue;
        }
        let file = Sniffed::new(&case.bytes);
        let found = image::metadata(&file, &Blocks::read(&file));
        let expected = |key: &str| case.record["extract_metadata"][key].as_str().map(str::to_owned);
        assert_eq!(found.name, expected("name"), "{}", case.name);
        assert_eq!(found.description, expected("description"), "{}", case.name);
        assert_eq!(found.meta, expected("meta"), "{}", case.name);
        assert_eq!(found.creator, expected("creator"), "{}", case.name);
        assert_eq!(found.license, expected("license"), "{}", case.name);
        assert_eq!(found.acquire, expected("acquire"), "{}", case.name);
        assert_eq!(found.rights, expected("rights"), "{}", case.name);
        assert_eq!(found.identifier, expected("identifier"), "{}", case.name);
        assert_eq!(found.language, expected("language"), "{}", case.name);
    }
}
