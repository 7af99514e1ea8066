//! Refuses sound and films that would take far more work than their content can be worth: the rules of
//! `src/services/codes/pipeline/formats/cost.ts`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::Instant;

use crate::failure::Refusal;
use crate::probe;

/// Telephones sample 8000 times per second.
const SAMPLE_RATE_MIN_HZ: f64 = 1000.0;
/// A film of this length is plausible in any size.
const USUAL_SECONDS: f64 = 2.0 * 3600.0;
/// Even films of unchanging pictures have at least this rate.
const BYTES_PER_SECOND_MIN: f64 = 20.0;

const HEADER_BYTES: u64 = 8;
const LARGE_HEADER_BYTES: u64 = 16;
const WINDOW_BYTES: u64 = 4096;
const DEPTH_MAX: u32 = 16;
/// So many boxes are plausible in any file.
const USUAL_BOXES: u64 = 100_000;
/// Larger files may have more boxes of at least this mean size.
const MEAN_BOX_BYTES_MIN: u64 = 24;
/// Boxes that consist of other boxes.
const PARENTS: [&[u8; 4]; 12] = [
    b"moov", b"trak", b"mdia", b"minf", b"stbl", b"udta", b"edts", b"dinf", b"mvex", b"moof",
    b"traf", b"mfra",
];
const BOX_TYPES: [&str; 9] = [
    "video/mp4",
    "video/x-m4v",
    "video/quicktime",
    "video/3gpp",
    "video/3gpp2",
    "audio/mp4",
    "audio/3gpp",
    "audio/3gpp2",
    "audio/x-m4a",
];

/// Refuses a rate that is known and too low.
pub fn check_sample_rate(hertz: Option<f64>) -> Result<(), Refusal> {
    match hertz {
        Some(hertz) if hertz < SAMPLE_RATE_MIN_HZ => Err(costly()),
        _ => Ok(()),
    }
}

/// How many seconds a film of this size may play.
pub fn playing_seconds_max(bytes: u64) -> f64 {
    USUAL_SECONDS + bytes as f64 / BYTES_PER_SECOND_MIN
}

/// Refuses a film that says that it plays for longer, if its time stamps agree.
pub fn check_duration(
    path: &str,
    bytes: u64,
    duration: Option<f64>,
    deadline: Instant,
) -> Result<(), Refusal> {
    let seconds_max = playing_seconds_max(bytes);
    if duration.is_none_or(|duration| duration <= seconds_max) {
        return Ok(());
    }
    match probe::last_frame_seconds(path, deadline)? {
        Some(last) if last > seconds_max => Err(costly()),
        _ => Ok(()),
    }
}

/// Refuses a film that was cut at its maximum. The signature's form is that of ISO/IEC 15938-3, not aligned to bytes.
pub fn check_frames(signature: &[u8], frames_max: u64) -> Result<(), Refusal> {
    const BYTE: usize = 16;
    const BITS_LEFT: u32 = 7;
    let five = signature.get(BYTE..BYTE + 5).unwrap_or_default();
    let wide = five.iter().fold(0u64, |wide, byte| wide << 8 | u64::from(*byte));
    match wide >> BITS_LEFT & 0xffff_ffff {
        frames if frames < frames_max => Ok(()),
        _ => Err(costly()),
    }
}

/// Refuses an MP4, QuickTime or 3GP file of countless tiny boxes, which demuxers read one by one.
pub fn check_boxes(file: &mut File, mediatype: &str) -> Result<(), Refusal> {
    if !BOX_TYPES.contains(&mediatype) {
        return Ok(());
    }
    let size = file.metadata()?.len();
    let boxes_max = USUAL_BOXES.max(size / MEAN_BOX_BYTES_MIN);
    let window = Vec::new();
    let mut counter = BoxCounter { file, boxes_max, window, start: 0, boxes: 0 };
    match counter.is_above(size, 0, 0)? {
        true => Err(costly()),
        false => Ok(()),
    }
}

/// Reads headers only, so that large boxes cost one read each and small ones one read per thousands.
struct BoxCounter<'a> {
    file: &'a mut File,
    boxes_max: u64,
    window: Vec<u8>,
    start: u64,
    boxes: u64,
}

struct FoundBox {
    kind: [u8; 4],
    content: u64,
    end: u64,
}

impl BoxCounter<'_> {
    /// Whether there are more boxes than the maximum before `end`.
    fn is_above(&mut self, end: u64, start: u64, depth: u32) -> std::io::Result<bool> {
        let mut at = start;
        while end.saturating_sub(at) >= HEADER_BYTES {
            let Some(found) = self.found(at, end)? else { return Ok(false) };
            self.boxes += 1;
            if self.boxes > self.boxes_max {
                return Ok(true);
            }
            let is_parent =
                (PARENTS.contains(&&found.kind) || &found.kind == b"ilst") && depth < DEPTH_MAX;
            if is_parent && self.is_above(found.end, found.content, depth + 1)? {
                return Ok(true);
            }
            at = found.end;
        }
        Ok(false)
    }

    /// The box at `at`; `None` if it is invalid. A size of 0 means up to the end.
    fn found(&mut self, at: u64, end: u64) -> std::io::Result<Option<FoundBox>> {
        let header = self.header(at)?;
        let Some((short, rest)) = header.split_first_chunk::<4>() else { return Ok(None) };
        let Some((kind, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let large = rest.first_chunk::<8>();
        let (header_bytes, bytes) = match (u32::from_be_bytes(*short), large) {
            (1, Some(large)) => (LARGE_HEADER_BYTES, u64::from_be_bytes(*large)),
            (0, _) => (HEADER_BYTES, end - at),
            (short, _) => (HEADER_BYTES, u64::from(short)),
        };
        if bytes < header_bytes {
            return Ok(None);
        }
        let end = end.min(at.saturating_add(bytes));
        Ok(Some(FoundBox { kind: *kind, content: at + header_bytes, end }))
    }

    fn header(&mut self, at: u64) -> std::io::Result<&[u8]> {
        if at < self.start || at + LARGE_HEADER_BYTES > self.start + self.window.len() as u64 {
            self.window.clear();
            self.file.seek(SeekFrom::Start(at))?;
            Read::by_ref(self.file).take(WINDOW_BYTES).read_to_end(&mut self.window)?;
            self.start = at;
        }
        let first = (at - self.start) as usize;
        let last = self.window.len().min(first + LARGE_HEADER_BYTES as usize);
        Ok(self.window.get(first..last).unwrap_or_default())
    }
}

fn costly() -> Refusal {
    Refusal::of_file("FILE_TOO_COSTLY")
}
