//! HEIC and AVIF through FFmpeg: our own crates read the container and make pixels, FFmpeg decodes the pictures in between,
//! as in `src/services/codes/tools/coded-pictures.ts`. What this way does not read, `isccd code` passes to other decoders.

use std::time::Instant;

use iscc_image::heif::{Chroma, Codec, CodedImage, Frames, Samples};
use iscc_image::{IMAGE_PIXELS_MAX, Raster, raster_of};
use serde_json::Value;

use crate::failure::Refusal;
use crate::scratch::Scratch;
use crate::tool;

/// Damaged pictures are left to other decoders.
const STRICT: [&str; 3] = ["-xerror", "-err_detect", "explode"];
const ENTRIES: &str = "stream=width,height,pix_fmt,color_range,color_space";

/// FFmpeg's names of matrix coefficients with their code points (ISO 23091-2).
const MATRICES: [(&str, u16); 8] = [
    ("bt709", 1),
    ("unknown", 2),
    ("fcc", 4),
    ("bt470bg", 5),
    ("smpte170m", 6),
    ("smpte240m", 7),
    ("bt2020nc", 9),
    ("bt2020c", 10),
];

/// The pixels of the primary image.
pub fn raster(file: &[u8], deadline: Instant) -> Result<Raster, Refusal> {
    let unread = || Refusal::without_decoder("this form of HEIC or AVIF");
    let coded = CodedImage::read(file, IMAGE_PIXELS_MAX).ok_or_else(unread)?;
    let decode = |image: &CodedImage<'_>| -> Result<(Vec<u8>, Samples), Refusal> {
        let stream = image.stream().ok_or_else(unread)?;
        decoded(&stream, demuxer(coded.codec()), coded.frames_max_bytes(), deadline)
            .map_err(explained)?
            .ok_or_else(unread)
    };
    let (bytes, samples) = decode(&coded)?;
    let image = Frames { bytes: &bytes, samples };
    let alpha = coded.alpha().map(decode).transpose()?;
    let alpha = alpha.as_ref().map(|(bytes, samples)| Frames { bytes, samples: *samples });
    let pixels = coded.pixels(image, alpha).ok_or_else(unread)?;
    let raster =
        raster_of(&pixels.samples, pixels.width, pixels.height, pixels.channels, IMAGE_PIXELS_MAX);
    Ok(raster?)
}

/// The demuxer of elementary streams, which detection by content may miss.
fn demuxer(codec: Codec) -> &'static str {
    match codec {
        Codec::Hevc => "hevc",
        Codec::Av1 => "obu",
    }
}

fn explained(refusal: Refusal) -> Refusal {
    match tool::has_run(&refusal) {
        true => Refusal::without_decoder("this HEIC or AVIF file, which FFmpeg does not decode"),
        false => {
            let detail = refusal.detail.replace("Audio and video need", "HEIC and AVIF need");
            Refusal { detail, ..refusal }
        }
    }
}

/// The frames of a stream; `None` if its samples have a form that the crate does not know.
fn decoded(
    stream: &[u8],
    demuxer: &str,
    bytes_max: u64,
    deadline: Instant,
) -> Result<Option<(Vec<u8>, Samples)>, Refusal> {
    let scratch = Scratch::of(stream)?;
    let path = scratch.path();
    let json = tool::ffprobe(&path, ENTRIES, &["-f", demuxer], deadline)?;
    let Some(samples) = samples(&json["streams"][0]) else { return Ok(None) };
    let mut arguments: Vec<String> =
        STRICT.iter().chain(&["-f", demuxer]).map(|argument| (*argument).to_owned()).collect();
    arguments.extend(tool::input(&path));
    arguments.extend(["-f", "rawvideo", "pipe:1"].map(str::to_owned));
    let mut planes = Vec::new();
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    tool::ffmpeg(&arguments, deadline, tool::collected(&mut planes, bytes_max))?;
    Ok(Some((planes, samples)))
}

fn samples(stream: &Value) -> Option<Samples> {
    let side = |name: &str| usize::try_from(stream[name].as_u64()?).ok();
    let space = stream["color_space"].as_str().unwrap_or("unknown");
    let (_, matrix) = MATRICES.iter().find(|(name, _)| *name == space)?;
    let format = stream["pix_fmt"].as_str()?;
    let (format, bits) = match format.strip_suffix("le") {
        None => (format, 8),
        Some(deep) => match (deep.strip_suffix("10"), deep.strip_suffix("12")) {
            (Some(format), _) => (format, 10),
            (_, Some(format)) => (format, 12),
            _ => return None,
        },
    };
    let (is_full, chroma) = match format {
        "gray" => (false, Chroma::Gray),
        "yuv420p" => (false, Chroma::Yuv420),
        "yuv422p" => (false, Chroma::Yuv422),
        "yuv444p" => (false, Chroma::Yuv444),
        "yuvj420p" => (true, Chroma::Yuv420),
        "yuvj422p" => (true, Chroma::Yuv422),
        "yuvj444p" => (true, Chroma::Yuv444),
        _ => return None,
    };
    let full_range = is_full || stream["color_range"] == "pc";
    let (width, height) = (side("width")?, side("height")?);
    Some(Samples { width, height, chroma, bits, matrix: *matrix, full_range })
}

#[cfg(test)]
mod tests {
    use super::{Chroma, samples};

    #[test]
    fn formats_of_samples_are_read() {
        let of = |format: &str| {
            let json = serde_json::json!({ "width": 2, "height": 3, "pix_fmt": format, "color_space": "bt709" });
            samples(&json)
        };
        let deep = of("yuv422p10le").expect("a known form");
        assert_eq!(
            (deep.bits, deep.chroma, deep.full_range, deep.matrix),
            (10, Chroma::Yuv422, false, 1)
        );
        assert!(of("yuvj420p").is_some_and(|samples| samples.full_range && samples.bits == 8));
        assert!(of("yuv420p16le").is_none());
        assert!(of("nv12").is_none());
    }
}
