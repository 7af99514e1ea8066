//! Films: FFmpeg computes the MPEG-7 signature and the picture of the thumbnail in one run, as in
//! `src/services/codes/pipeline/formats/video.ts`.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use iscc_av::video::signature;
use iscc_codec::Mode;
use iscc_content::title::Fields;
use iscc_image::Options as ImageOptions;
use iscc_media::mediatype::Sniffed;
use iscc_units::video;

use crate::cost::{check_duration, check_frames, check_sample_rate, playing_seconds_max};
use crate::decoded::{Content, content_unit, data_url};
use crate::failure::Refusal;
use crate::number::{half_even, thousandths};
use crate::probe::{Probe, probe};
use crate::result::Facts;
use crate::scratch::Scratch;
use crate::sound::{self, text_of};
use crate::tags;
use crate::tool;

/// Defined by ISO 24138.
const FRAMES_PER_SECOND: f64 = 5.0;
const SIGNATURE_SIDE_PIXELS_MIN: f64 = 32.0;
const THUMBNAIL_BYTES_MAX: usize = 1 << 20;
/// FFmpeg has already scaled the thumbnail.
const WEBP_SIDE_PIXELS_MAX: usize = 16_383;
/// Without these options, the output gets other streams too.
const ONE_VIDEO: [&str; 3] = ["-an", "-sn", "-dn"];
const PICTURE: &str =
    "trim=end_frame=100,thumbnail,scale=128:128:force_original_aspect_ratio=decrease";

/// Signature and thumbnail, a PNG.
struct Pictures {
    signature: Vec<u8>,
    thumbnail: Vec<u8>,
}

/// Reads a film. `true` says that the file has sound only.
pub fn content(
    path: &Path,
    mediatype: &str,
    thumbnail: bool,
    deadline: Instant,
) -> Result<(Content, bool), Refusal> {
    let text = text_of(path)?;
    let bytes = path.metadata()?.len();
    let info = probe(text, deadline)?;
    check_duration(text, bytes, facts(&info).duration, deadline)?;
    let pictures = match read_pictures(text, bytes, deadline) {
        Ok(pictures) => Some(pictures),
        Err(refusal) if tool::has_run(&refusal) && info.is_audio_only() => None,
        Err(refusal) => return Err(reason(refusal, &info)),
    };
    let metadata = metadata_of(path, mediatype, &info)?;
    let shown = pictures.as_ref().filter(|_| thumbnail);
    let thumbnail = shown.and_then(|pictures| thumbnail_of(&pictures.thumbnail));
    let Some(pictures) = pictures.filter(|_| !info.is_audio_only()) else {
        for stream in &info.streams {
            check_sample_rate(stream.sample_rate_hz)?;
        }
        let (fingerprint, _) = sound::fingerprint(path, deadline)?;
        let Facts { duration, language, .. } = facts(&info);
        let facts = Facts { duration, language, ..Facts::default() };
        return Ok((
            Content { facts, metadata, thumbnail, ..sound::unit_only(&fingerprint)? },
            true,
        ));
    };
    let damaged = || Refusal::of_file("FILE_DAMAGED");
    let frames = signature::parse(&pictures.signature).map_err(|_| damaged())?.frames;
    let digest = video::digest(&frames).map_err(|_| damaged())?;
    let unit = Content::of_unit(content_unit(Mode::Video, &digest)?);
    Ok((Content { facts: facts(&info), metadata, thumbnail, ..unit }, false))
}

/// The filter `signature` divides frames into 32 x 32 blocks, and crashes if there are fewer pixels.
fn reason(refusal: Refusal, info: &Probe) -> Refusal {
    let films = info.streams.iter().filter(|one| one.kind == "video" && !one.is_attached_picture);
    let mut sides = films.flat_map(|stream| [stream.width, stream.height]);
    let is_small = sides.any(|side| side.is_none_or(|pixels| pixels < SIGNATURE_SIDE_PIXELS_MIN));
    match refusal.code == "FILE_CRASHES_DECODER" && is_small {
        true => Refusal::of_file("VIDEO_TOO_SMALL"),
        false => refusal,
    }
}

fn read_pictures(path: &str, bytes: u64, deadline: Instant) -> Result<Pictures, Refusal> {
    let frames_max = (FRAMES_PER_SECOND * playing_seconds_max(bytes)).round() as u64;
    let scratch = Scratch::new()?;
    let signature = format!(
        "fps=fps={FRAMES_PER_SECOND},trim=end_frame={frames_max},signature=format=binary:filename={}",
        scratch.path()
    );
    let mut arguments = tool::input(path);
    let mut add = |more: &[&str]| {
        arguments.extend(ONE_VIDEO.iter().chain(more).map(|argument| (*argument).to_owned()));
    };
    add(&["-vf", &signature, "-f", "null", "-"]);
    add(&["-vf", PICTURE, "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "pipe:1"]);
    let mut thumbnail = Vec::new();
    let sink = tool::collected(&mut thumbnail, THUMBNAIL_BYTES_MAX);
    tool::ffmpeg(&arguments, deadline, sink)?;
    let signature = scratch.bytes()?;
    check_frames(&signature, frames_max)?;
    Ok(Pictures { signature, thumbnail })
}

fn thumbnail_of(png: &[u8]) -> Option<String> {
    let raster = iscc_image::decode(&Sniffed::new(png), &ImageOptions::default()).ok()?;
    iscc_image::thumbnail(&raster, WEBP_SIDE_PIXELS_MAX).map(|webp| data_url(&webp))
}

/// Tags of the container, and of the streams of an Ogg file, which has no tags of its own.
fn metadata_of(path: &Path, mediatype: &str, info: &Probe) -> Result<Fields, Refusal> {
    if mediatype == "video/avi" && has_xmp(path)? {
        return Err(Refusal::without_decoder("XMP in AVI"));
    }
    let mut fields = Fields::new();
    if mediatype == "video/ogg" {
        let value_of = |name: &str| {
            let streams = info.streams.iter().filter(|_| tags::is_of_stream(name));
            streams.filter_map(|stream| stream.tags.get(name)).map(String::as_str).next()
        };
        fields.extend(tags::of_film(value_of));
    }
    fields.extend(tags::of_film(|name| info.tags.get(name).map(String::as_str)));
    Ok(fields)
}

/// Whether an AVI file has a packet of XMP: such a chunk, or at least its name.
fn has_xmp(path: &Path) -> Result<bool, Refusal> {
    use std::io::Read;
    const NAME: &[u8] = b"_PMX";
    let mut file = File::open(path)?;
    let mut window = Vec::new();
    loop {
        let kept = window.len().min(NAME.len() - 1);
        window.drain(..window.len() - kept);
        let length = Read::by_ref(&mut file).take(1 << 20).read_to_end(&mut window)?;
        if window.windows(NAME.len()).any(|name| name == NAME) {
            return Ok(true);
        }
        if length == 0 {
            return Ok(false);
        }
    }
}

/// Size and frame rate are those of the stream of which the code is made, duration that of the longest one.
fn facts(info: &Probe) -> Facts {
    let videos = info.streams.iter().filter(|stream| stream.kind == "video");
    let durations = info.duration.into_iter().chain(videos.filter_map(|stream| stream.duration));
    let selected = info.selected_video();
    let all_tags = std::iter::once(&info.tags).chain(info.streams.iter().map(|one| &one.tags));
    let language = all_tags.filter_map(|tags| tags.get("language")).next();
    let pixels = |side: Option<f64>| side.map(|side| side as u32);
    Facts {
        duration: durations.reduce(f64::max).map(half_even),
        fps: selected.and_then(|stream| stream.frame_rate).map(thousandths),
        width: pixels(selected.and_then(|stream| stream.width)),
        height: pixels(selected.and_then(|stream| stream.height)),
        characters: None,
        language: language.and_then(|text| tags::language_tag(text)),
    }
}
