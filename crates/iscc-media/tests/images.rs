//! Pixels, sizes and metadata of the reference's images.

mod common;

use iscc_media::MediaError;
use iscc_media::image::{self, Options, Orientation, Trim};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::image::{Blocks, of_file};

/// Files whose decoder is not part of this crate.
fn is_decoded_elsewhere(name: &str) -> bool {
    [".avif", ".heic"].iter().any(|extension| name.ends_with(extension))
}

/// Gray levels that a drawing's pixels may be off on average.
const SVG_DIFFERENCE_MAX: f64 = 2.0;

fn mean_difference(a: &[u8], b: &[u8]) -> f64 {
    let sum: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    f64::from(sum) / a.len() as f64
}

#[test]
fn pixels_and_sizes_are_the_references() {
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
            // Versions of the renderer smooth the edges of shapes differently.
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
fn exact_trimming_keeps_near_uniform_borders() {
    let options = Options { trim: Trim::Exact, ..Options::default() };
    for case in common::cases().iter().filter(|case| case.name == "border_jpeg_a.jpg") {
        let exact = image::prepare(&Sniffed::new(&case.bytes), &options).unwrap();
        assert!(exact.pixels[..] != case.pixels().unwrap());
    }
}

#[test]
fn cut_files_are_refused() {
    for case in common::cases().iter().filter(|case| case.pixels().is_some()) {
        // Half of the animation has its first frame, which is all that counts.
        if is_decoded_elsewhere(&case.name) || case.name == "anim_a.gif" {
            continue;
        }
        for end in [0, 1, 20, case.bytes.len() / 2] {
            let cut = image::prepare(&Sniffed::new(&case.bytes[..end]), &Options::default());
            assert!(cut.is_err(), "{} cut at {end}", case.name);
        }
    }
    let truncated =
        common::cases().into_iter().find(|case| case.name == "truncated_a.jpg").unwrap();
    let error = image::prepare(&Sniffed::new(&truncated.bytes), &Options::default()).unwrap_err();
    assert!(matches!(error, MediaError::Damaged { .. }), "{error}");
}

#[test]
fn bombs_are_refused_by_their_header() {
    let options = Options { pixels_max: 1000, ..Options::default() };
    for case in common::cases().iter().filter(|case| case.pixels().is_some()) {
        // A drawing has no pixels to count before it is drawn; its side is limited instead.
        let is_drawn = case.name.ends_with(".svg");
        if is_decoded_elsewhere(&case.name) || is_drawn || case.name.starts_with("tiny") {
            continue;
        }
        let error = image::prepare(&Sniffed::new(&case.bytes), &options).unwrap_err();
        assert!(matches!(error, MediaError::TooLarge { .. }), "{}: {error}", case.name);
    }
}

#[test]
fn raw_samples_are_prepared_like_files() {
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
fn metadata_is_the_references() {
    for case in common::cases() {
        if case.result("mode") != Some("image") {
            continue;
        }
        let file = Sniffed::new(&case.bytes);
        let found = of_file(&file, &Blocks::read(&file));
        let wanted = |key: &str| case.record["extract_metadata"][key].as_str().map(str::to_owned);
        assert_eq!(found.name, wanted("name"), "{}", case.name);
        assert_eq!(found.description, wanted("description"), "{}", case.name);
        assert_eq!(found.meta, wanted("meta"), "{}", case.name);
        assert_eq!(found.creator, wanted("creator"), "{}", case.name);
        assert_eq!(found.license, wanted("license"), "{}", case.name);
        assert_eq!(found.acquire, wanted("acquire"), "{}", case.name);
        assert_eq!(found.rights, wanted("rights"), "{}", case.name);
        assert_eq!(found.identifier, wanted("identifier"), "{}", case.name);
        assert_eq!(found.language, wanted("language"), "{}", case.name);
    }
}
