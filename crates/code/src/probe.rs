//! What `ffprobe` says of a file: as `src/services/codes/tools/probe.ts`.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::failure::Refusal;
use crate::tool;

/// Values by lower-case key. Of equal keys, the last one.
pub type Tags = BTreeMap<String, String>;

const ENTRIES: &str = "format=duration:format_tags:stream=index,codec_type,codec_name,time_base,duration,width,height,\
r_frame_rate,sample_rate:stream_disposition=attached_pic,default:stream_tags";

/// What a default track is worth in pixels.
const DEFAULT_TRACK_PIXELS: f64 = 5_000_000.0;

/// A stream of a file.
#[derive(Debug, Default)]
pub struct Stream {
    pub kind: String,
    pub duration: Option<f64>,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub frame_rate: Option<f64>,
    pub sample_rate_hz: Option<f64>,
    pub is_attached_picture: bool,
    pub is_default: bool,
    pub tags: Tags,
}

/// A file.
#[derive(Debug, Default)]
pub struct Probe {
    pub duration: Option<f64>,
    pub tags: Tags,
    pub streams: Vec<Stream>,
}

/// Reads duration, streams and tags.
pub fn probe(path: &str, deadline: Instant) -> Result<Probe, Refusal> {
    let json = tool::ffprobe(path, ENTRIES, &[], deadline)?;
    let streams = json["streams"].as_array().into_iter().flatten();
    Ok(Probe {
        duration: positive(&json["format"]["duration"]),
        tags: tags(&json["format"]["tags"]),
        streams: streams.map(stream).collect(),
    })
}

fn stream(json: &Value) -> Stream {
    Stream {
        kind: json["codec_type"].as_str().unwrap_or_default().to_owned(),
        duration: positive(&json["duration"]),
        width: positive(&json["width"]),
        height: positive(&json["height"]),
        frame_rate: ratio(&json["r_frame_rate"]),
        sample_rate_hz: positive(&json["sample_rate"]),
        is_attached_picture: json["disposition"]["attached_pic"] == 1,
        is_default: json["disposition"]["default"] == 1,
        tags: tags(&json["tags"]),
    }
}

/// The latest time stamp of the first video stream; `None` if there are very many.
pub fn last_frame_seconds(path: &str, deadline: Instant) -> Result<Option<f64>, Refusal> {
    let entries = "packet=pts_time,dts_time";
    let json = match tool::ffprobe(path, entries, &["-select_streams", "v:0"], deadline) {
        Err(refusal) if refusal.code == "FILE_TOO_LARGE" => return Ok(None),
        other => other?,
    };
    let packets = json["packets"].as_array().into_iter().flatten();
    let times = packets
        .filter_map(|packet| positive(packet.get("pts_time").unwrap_or(&packet["dts_time"])));
    Ok(times.reduce(f64::max))
}

impl Probe {
    /// The video stream that FFmpeg selects: of the default tracks before the others the one with most pixels, of equal ones
    /// the first, and a cover only if there is nothing else.
    pub fn selected_video(&self) -> Option<&Stream> {
        let rank = |stream: &Stream| match stream.is_attached_picture {
            true => 1.0,
            false => {
                let pixels = stream.width.unwrap_or(0.0) * stream.height.unwrap_or(0.0);
                pixels + if stream.is_default { DEFAULT_TRACK_PIXELS } else { 0.0 }
            }
        };
        let videos = self.streams.iter().filter(|stream| stream.kind == "video");
        videos.reduce(|best, stream| if rank(stream) > rank(best) { stream } else { best })
    }

    /// Whether a file in a video container is audio, such as a voice recording; it may have a cover.
    pub fn is_audio_only(&self) -> bool {
        let is_film = |stream: &Stream| stream.kind == "video" && !stream.is_attached_picture;
        !self.streams.iter().any(is_film) && self.streams.iter().any(|one| one.kind == "audio")
    }
}

fn positive(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_f64()?,
    };
    (number > 0.0 && number < f64::INFINITY).then_some(number)
}

/// Parses `30000/1001`; `0/0` has no value.
fn ratio(value: &Value) -> Option<f64> {
    let (numerator, denominator) = value.as_str()?.split_once('/')?;
    let ratio = numerator.parse::<f64>().ok()? / denominator.parse::<f64>().ok()?;
    (ratio > 0.0 && ratio < f64::INFINITY).then_some(ratio)
}

fn tags(json: &Value) -> Tags {
    let tags = json.as_object().into_iter().flatten();
    tags.filter_map(|(key, value)| Some((key.to_lowercase(), value.as_str()?.to_owned()))).collect()
}
