//! Sound: decoded by our own crates where they have the format, else by FFmpeg.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Instant;

use iscc_av::audio::tags::TagError;
use iscc_av::audio::{Fingerprinter, sound, tags as own_tags};
use iscc_codec::Mode;
use iscc_units::audio;

use crate::cost::check_sample_rate;
use crate::decoded::{Content, content_unit, thumbnail_of_file};
use crate::failure::Refusal;
use crate::number::half_even;
use crate::probe;
use crate::result::Facts;
use crate::tags;
use crate::tool;

const SAMPLE_RATE_HZ: f64 = 11_025.0;
const SAMPLE_BYTES: f64 = 2.0;
/// The resampler influences the fingerprint, so these are the settings of Chromaprint's own fpcalc.
const RESAMPLER: &str =
    "aresample=osr=11025:ochl=mono:osf=s16:filter_size=16:phase_shift=8:linear_interp=1:cutoff=0.8";
/// Sync words of DTS (ETSI TS 102 114): 16 and 14 bits, in both byte orders. lofty takes their frames for those of MP3.
const DTS: [[u8; 4]; 4] =
    [[0x7f, 0xfe, 0x80, 1], [0xfe, 0x7f, 1, 0x80], [0x1f, 0xff, 0xe8, 0], [0xff, 0x1f, 0, 0xe8]];
const COVER_BYTES_MAX: usize = 32 << 20;

/// The tags of a sound file.
struct SoundTags {
    /// Upper-case names of Vorbis comments, and values
    properties: Vec<(String, String)>,
    duration: Option<f64>,
    sample_rate_hz: Option<f64>,
    cover: Option<Vec<u8>>,
}

/// Reads a sound file.
pub fn content(path: &Path, thumbnail: bool, deadline: Instant) -> Result<Content, Refusal> {
    let found = read_tags(path, thumbnail, deadline)?;
    check_sample_rate(found.sample_rate_hz)?;
    let (fingerprint, seconds) = fingerprint(path, deadline)?;
    let value_of = |name: &str| {
        let first = found.properties.iter().find(|(known, _)| known == name);
        first.map(|(_, value)| value.as_str())
    };
    let mut metadata = tags::of_sound(value_of);
    let language = metadata.remove("language");
    // The headers of a stream that was recorded to a pipe do not have its length.
    let duration = found.duration.or(seconds).map(half_even);
    Ok(Content {
        facts: Facts { duration, language, ..Facts::default() },
        metadata,
        thumbnail: found.cover.and_then(|cover| thumbnail_of_file(&cover)),
        ..unit_only(&fingerprint)?
    })
}

/// The Audio-Code of a fingerprint.
pub fn unit_only(fingerprint: &[i32]) -> Result<Content, Refusal> {
    Ok(Content::of_unit(content_unit(Mode::Audio, &audio::digest(fingerprint))?))
}

/// Raw Chromaprint items of the whole file, at least one; and the seconds that FFmpeg has decoded.
pub fn fingerprint(path: &Path, deadline: Instant) -> Result<(Vec<i32>, Option<f64>), Refusal> {
    let own = sound::fingerprint(&mut BufReader::new(File::open(path)?));
    let (fingerprint, seconds) = match own {
        Some(own) => (own, None),
        None => by_ffmpeg(path, deadline)?,
    };
    match fingerprint.is_empty() {
        true => Err(Refusal::of_file("FILE_TOO_SHORT")),
        false => Ok((fingerprint, seconds)),
    }
}

/// Streams the samples, so memory does not grow with the length of the sound.
fn by_ffmpeg(path: &Path, deadline: Instant) -> Result<(Vec<i32>, Option<f64>), Refusal> {
    let mut fingerprinter = Fingerprinter::default();
    let mut bytes = 0;
    let mut arguments = tool::input(text_of(path)?);
    arguments.extend(
        ["-map", "0:a:0", "-af", RESAMPLER, "-f", "s16le", "-flush_packets", "0", "pipe:1"]
            .map(str::to_owned),
    );
    tool::ffmpeg(&arguments, deadline, |samples| {
        bytes += samples.len();
        fingerprinter.push_bytes(samples);
        Ok(())
    })?;
    Ok((fingerprinter.finish(), Some(bytes as f64 / SAMPLE_BYTES / SAMPLE_RATE_HZ)))
}

/// The path as an argument.
pub fn text_of(path: &Path) -> Result<&str, Refusal> {
    path.to_str().ok_or_else(|| {
        let rule =
            "ISCC processing error. FFmpeg reads sound and films only under names that are UTF-8.";
        Refusal::new("NAME_NOT_UTF8", rule)
    })
}

fn read_tags(path: &Path, cover: bool, deadline: Instant) -> Result<SoundTags, Refusal> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    Read::by_ref(&mut file).take(4).read_to_end(&mut start)?;
    if DTS.iter().any(|word| start == word) {
        return tags_by_probe(path, cover, deadline);
    }
    match own_tags::read(file) {
        Ok(found) => Ok(SoundTags {
            properties: found.properties,
            // 0 means that the header does not have it.
            duration: Some(found.duration_seconds).filter(|seconds| *seconds != 0.0),
            sample_rate_hz: found.sample_rate_hz.map(f64::from),
            cover: found.cover.filter(|_| cover),
        }),
        // FFmpeg would do the work that is refused here.
        Err(TagError::TooCostly(_)) => Err(Refusal::of_file("FILE_TOO_COSTLY")),
        Err(_) => tags_by_probe(path, cover, deadline),
    }
}

fn tags_by_probe(path: &Path, cover: bool, deadline: Instant) -> Result<SoundTags, Refusal> {
    let found = probe::probe(text_of(path)?, deadline)?;
    let sound = found.streams.iter().find(|stream| stream.kind == "audio");
    let has_picture = found.streams.iter().any(|stream| stream.kind == "video");
    // Ogg stores comments in the stream and none in the container. In other containers, stream tags are technical.
    let tags = match found.tags.is_empty() {
        true => sound.map(|stream| &stream.tags),
        false => Some(&found.tags),
    };
    let properties = tags.into_iter().flatten();
    Ok(SoundTags {
        properties: properties
            .map(|(name, value)| (tags::vorbis_name(name), value.clone()))
            .collect(),
        duration: found.duration.or(sound.and_then(|stream| stream.duration)),
        sample_rate_hz: sound.and_then(|stream| stream.sample_rate_hz),
        cover: (cover && has_picture).then(|| read_cover(path, deadline)).flatten(),
    })
}

/// An unreadable cover only costs the thumbnail.
fn read_cover(path: &Path, deadline: Instant) -> Option<Vec<u8>> {
    let mut image = Vec::new();
    let mut arguments = tool::input(text_of(path).ok()?);
    arguments.extend(
        ["-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f", "image2pipe", "pipe:1"]
            .map(str::to_owned),
    );
    tool::ffmpeg(&arguments, deadline, tool::collected(&mut image, COVER_BYTES_MAX)).ok()?;
    Some(image)
}
