use super::*;

const PIXELS_MAX: u64 = 1 << 20;

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/heif/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

fn samples(width: usize, height: usize, chroma: Chroma) -> Samples {
    Samples { width, height, chroma, bits: 8, matrix: 6, full_range: true }
}

fn gray(pixels: &Pixels) -> Vec<u8> {
    pixels.samples.chunks_exact(pixels.channels).map(|pixel| pixel[0]).collect()
}

/// Frames without colours, whose brightness is the number of the tile.
fn numbered(count: usize, width: usize, height: usize) -> Vec<u8> {
    let area = width * height;
    let frame = |tile: usize| [vec![tile as u8; area], vec![128; area / 2]].concat();
    (0..count).flat_map(frame).collect()
}

#[test]
fn a_cut_file_has_no_image_or_no_stream() {
    for name in ["grid-150x110.heic", "grid-150x110.avif", "pillow-alpha.avif", "clap.heic"] {
        let file = fixture(name);
        let whole = CodedImage::read(&file, PIXELS_MAX).unwrap();
        assert!(!whole.stream().unwrap().is_empty());
        for end in 0..file.len() {
            let image = CodedImage::read(&file[..end], PIXELS_MAX);
            assert!(image.is_none_or(|image| image.stream().is_none()), "{name} {end}");
        }
    }
}

#[test]
fn an_image_with_too_many_pixels_is_not_read() {
    let file = fixture("grid-150x110.heic");
    assert!(CodedImage::read(&file, 150 * 110).is_some());
    assert!(CodedImage::read(&file, 150 * 110 - 1).is_none());
}

#[test]
fn tiles_are_joined_and_cut() {
    let file = fixture("grid-150x110.heic");
    let image = CodedImage::read(&file, PIXELS_MAX).unwrap();
    let bytes = numbered(6, 64, 64);
    let frames = Frames { bytes: &bytes, samples: samples(64, 64, Chroma::Yuv420) };
    let pixels = image.pixels(frames, None).unwrap();
    assert_eq!((pixels.width, pixels.height), (150, 110));
    let seen = gray(&pixels);
    for y in 0..110 {
        for x in 0..150 {
            assert_eq!(usize::from(seen[y * 150 + x]), y / 64 * 3 + x / 64, "{x} {y}");
        }
    }
}

#[test]
fn frames_that_do_not_match_are_refused() {
    let file = fixture("grid-150x110.heic");
    let image = CodedImage::read(&file, PIXELS_MAX).unwrap();
    let bytes = numbered(6, 64, 64);
    let good = samples(64, 64, Chroma::Yuv420);
    let seen = |bytes: &[u8], samples| image.pixels(Frames { bytes, samples }, None);
    assert!(seen(&bytes, good).is_some());
    assert!(seen(&bytes[1..], good).is_none());
    assert!(seen(&numbered(5, 64, 64), good).is_none());
    assert!(seen(&bytes, Samples { width: 32, height: 128, ..good }).is_none());
    assert!(seen(&bytes, Samples { chroma: Chroma::Yuv422, ..good }).is_none());
    assert!(seen(&bytes, Samples { bits: 16, ..good }).is_none());
    assert!(seen(&bytes, Samples { matrix: 8, ..good }).is_none());
}

#[test]
fn an_aperture_crops_and_a_rotation_turns() {
    // The centre of the image, of half its size.
    let file = fixture("clap.heic");
    let image = CodedImage::read(&file, PIXELS_MAX).unwrap();
    let luma: Vec<u8> = (0..160 * 120).map(|at| (at % 160) as u8).collect();
    let bytes = [luma, vec![128; 160 * 60]].concat();
    let frames = Frames { bytes: &bytes, samples: samples(160, 120, Chroma::Yuv420) };
    let pixels = image.pixels(frames, None).unwrap();
    assert_eq!((pixels.width, pixels.height), (80, 60));
    assert_eq!(gray(&pixels)[..80], (40..120).collect::<Vec<u8>>());
    assert_eq!(stored_size(&file), Some((160, 120)));
    assert!(!is_turned(&file));

    let file = fixture("irot1.heic");
    let image = CodedImage::read(&file, PIXELS_MAX).unwrap();
    let pixels = image.pixels(frames, None).unwrap();
    assert_eq!((pixels.width, pixels.height), (120, 160));
    // To the left: the last column becomes the first row.
    assert_eq!(gray(&pixels)[..120], [159; 120]);
    assert!(is_turned(&file));
}

#[test]
fn transparency_is_the_fourth_sample() {
    let file = fixture("pillow-alpha.avif");
    let image = CodedImage::read(&file, PIXELS_MAX).unwrap();
    let bytes = [vec![200; 160 * 120], vec![128; 160 * 60]].concat();
    let frames = Frames { bytes: &bytes, samples: samples(160, 120, Chroma::Yuv420) };
    assert!(image.pixels(frames, None).is_none());
    let opacity = vec![7; 160 * 120];
    let alpha = Frames { bytes: &opacity, samples: samples(160, 120, Chroma::Gray) };
    let pixels = image.pixels(frames, Some(alpha)).unwrap();
    assert_eq!((pixels.channels, &pixels.samples[..4]), (4, &[200, 200, 200, 7][..]));
    let limited = Samples { full_range: false, ..alpha.samples };
    assert!(image.pixels(frames, Some(Frames { samples: limited, ..alpha })).is_none());
}
