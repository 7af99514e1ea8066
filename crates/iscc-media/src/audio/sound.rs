//! Fingerprints of common audio files, decoded in process: 16-bit WAV and AIFF, FLAC, and intact
//! MP3. This is faster than starting FFmpeg, which decodes all other files.

use std::io::{self, Read, Seek, SeekFrom};

use claxon::FlacReader;

use super::Fingerprinter;
use super::mp3;
use super::resample::Resampler;
use super::sample::Sample;

/// The fingerprint of a whole file, as from [`Fingerprinter::finish`]. `None` for files that this
/// module cannot decode to the end.
pub fn fingerprint<R: Read + Seek>(mut file: R) -> Option<Vec<i32>> {
    let mut magic = [0; 12];
    file.read_exact(&mut magic).ok()?;
    match (&magic[..4], &magic[8..]) {
        (b"RIFF", b"WAVE") => pcm(file, wav_samples),
        (b"FORM", b"AIFF") => pcm(file, aiff_samples),
        (b"fLaC", _) => {
            file.rewind().ok()?;
            flac(file)
        }
        ([b'I', b'D', b'3', _], _) => mp3(file),
        // Eleven synchronisation bits, then layer III.
        ([0xff, second, ..], _) if second & 0xe6 == 0xe2 => mp3(file),
        _ => None,
    }
}

/// Frames that are decoded at a time.
const BLOCK_FRAMES: usize = 8192;

/// Description of uncompressed samples that follow in the file.
struct PcmSamples {
    rate_hz: u32,
    channels: usize,
    bytes: u64,
    sample: fn([u8; 2]) -> i16,
}

fn pcm<R: Read + Seek>(mut file: R, find: fn(&mut R) -> Option<PcmSamples>) -> Option<Vec<i32>> {
    let PcmSamples { rate_hz, channels, bytes, sample } = find(&mut file)?;
    let mut stream = Stream::<i16>::new(rate_hz, channels)?;
    let mut rest = file.take(bytes);
    let mut block = vec![0; BLOCK_FRAMES * channels * 2];
    loop {
        let filled = fill(&mut rest, &mut block).ok()?;
        let samples: Vec<i16> =
            block[..filled].as_chunks::<2>().0.iter().map(|pair| sample(*pair)).collect();
        let channel = |at: usize| samples.iter().skip(at).step_by(channels).copied();
        let whole = samples.len() / channels;
        stream.push(|at, samples| samples.extend(channel(at).take(whole)));
        if filled < block.len() {
            return Some(stream.finish());
        }
    }
}

fn flac<R: Read>(file: R) -> Option<Vec<i32>> {
    let mut reader = FlacReader::new(io::BufReader::new(file)).ok()?;
    let info = reader.streaminfo();
    if info.bits_per_sample != 16 {
        return None;
    }
    let mut stream = Stream::<i16>::new(info.sample_rate, info.channels as usize)?;
    let mut blocks = reader.blocks();
    let mut memory = Vec::new();
    while let Some(block) = blocks.read_next_or_eof(memory).ok()? {
        if block.channels() as usize != stream.channels.len() {
            return None;
        }
        stream.push(|at, samples| {
            samples.extend(block.channel(at as u32).iter().map(|sample| *sample as i16));
        });
        memory = block.into_buffer();
    }
    Some(stream.finish())
}

fn mp3<R: Read + Seek>(mut file: R) -> Option<Vec<i32>> {
    mp3::check(&mut file)?;
    file.rewind().ok()?;
    let options = nanomp3::Options::default().skip_scan(true);
    let mut reader = nanomp3::Reader::<_, f32>::with_options(file, options).ok()?;
    let channels = usize::from(reader.channels()?.num());
    let mut stream = Stream::<f32>::new(reader.sample_rate(), channels)?;
    let mut block = vec![0.0; BLOCK_FRAMES * channels];
    loop {
        let samples = match reader.read(&mut block).ok()? {
            0 => return Some(stream.finish()),
            read => &block[..read],
        };
        stream.push(|at, channel: &mut Vec<f32>| {
            channel.extend(samples.iter().skip(at).step_by(channels));
        });
    }
}

/// Computes the fingerprint of samples of one or two channels.
struct Stream<S: Sample> {
    channels: Vec<Channel<S>>,
    fingerprinter: Fingerprinter,
}

struct Channel<S: Sample> {
    resampler: Resampler<S>,
    input: Vec<S>,
    output: Vec<S>,
}

impl<S: Sample> Stream<S> {
    fn new(rate_hz: u32, channels: usize) -> Option<Self> {
        if !(1..=2).contains(&channels) {
            return None;
        }
        let channel = || {
            Resampler::new(rate_hz).map(|resampler| Channel {
                resampler,
                input: Vec::new(),
                output: Vec::new(),
            })
        };
        let channels = (0..channels).map(|_| channel()).collect::<Option<Vec<_>>>()?;
        Some(Self { channels, fingerprinter: Fingerprinter::new().ok()? })
    }

    /// Adds samples; `fill` appends those of a channel.
    fn push(&mut self, fill: impl Fn(usize, &mut Vec<S>)) {
        for (at, Channel { resampler, input, output }) in self.channels.iter_mut().enumerate() {
            input.clear();
            fill(at, input);
            resampler.push(input, output);
        }
        let Self { channels, fingerprinter } = self;
        mix(fingerprinter, channels.iter_mut().map(|channel| &mut channel.output).collect());
    }

    fn finish(self) -> Vec<i32> {
        let Self { channels, mut fingerprinter } = self;
        let mut rest: Vec<Vec<S>> = channels
            .into_iter()
            .map(|Channel { resampler, mut output, .. }| {
                resampler.finish(&mut output);
                output
            })
            .collect();
        mix(&mut fingerprinter, rest.iter_mut().collect());
        fingerprinter.finish()
    }
}

/// Mixes resampled channels and moves them to the fingerprinter. Mixing comes after resampling, as
/// in FFmpeg.
fn mix<S: Sample>(fingerprinter: &mut Fingerprinter, mut outputs: Vec<&mut Vec<S>>) {
    let mono: Vec<i16> = match outputs.as_slice() {
        [left, right] => {
            let pairs = left.iter().zip(right.iter());
            pairs.map(|(left, right)| S::mixed(*left, *right).to_i16()).collect()
        }
        channels => channels.iter().flat_map(|one| one.iter().map(|s| s.to_i16())).collect(),
    };
    fingerprinter.push(&mono);
    outputs.iter_mut().for_each(|output| output.clear());
}

/// Moves the reader to the samples of a WAV file.
fn wav_samples<R: Read + Seek>(file: &mut R) -> Option<PcmSamples> {
    let mut format = None;
    loop {
        let [header @ .., a, b, c, d] = bytes::<8>(file)?;
        let size = u32::from_le_bytes([a, b, c, d]);
        match (&header, format) {
            (b"fmt ", _) if size >= 16 => {
                format = Some(wav_format(bytes(file)?)?);
                skip(file, u64::from(size) - 16 + u64::from(size % 2))?;
            }
            // Writers that cannot seek leave one of these sizes.
            (b"data", Some(_)) if size == 0 || size == u32::MAX => return None,
            (b"data", Some((rate_hz, channels))) => {
                let sample = i16::from_le_bytes;
                return Some(PcmSamples { rate_hz, channels, bytes: size.into(), sample });
            }
            (b"data", None) => return None,
            _ => skip(file, u64::from(size) + u64::from(size % 2))?,
        }
    }
}

/// Rate and channels of uncompressed 16-bit samples.
fn wav_format(format: [u8; 16]) -> Option<(u32, usize)> {
    let short = |at: usize| u16::from_le_bytes([format[at], format[at + 1]]);
    let rate = u32::from_le_bytes([format[4], format[5], format[6], format[7]]);
    let (kind, channels, frame_bytes, bits) = (short(0), short(2), short(12), short(14));
    (kind == 1 && bits == 16 && frame_bytes == channels * 2).then_some((rate, channels.into()))
}

/// Moves the reader to the samples of an AIFF file.
fn aiff_samples<R: Read + Seek>(file: &mut R) -> Option<PcmSamples> {
    let mut format = None;
    loop {
        let [header @ .., a, b, c, d] = bytes::<8>(file)?;
        let size = u32::from_be_bytes([a, b, c, d]);
        match (&header, format) {
            (b"COMM", _) if size >= 18 => {
                format = Some(aiff_format(bytes(file)?)?);
                skip(file, u64::from(size) - 18 + u64::from(size % 2))?;
            }
            (b"SSND", Some((rate_hz, channels))) if size > 8 => {
                let [a, b, c, d, ..] = bytes::<8>(file)?;
                let offset = u32::from_be_bytes([a, b, c, d]);
                skip(file, offset.into())?;
                let bytes = u64::from(size - 8).checked_sub(offset.into())?;
                return Some(PcmSamples { rate_hz, channels, bytes, sample: i16::from_be_bytes });
            }
            (b"SSND", _) => return None,
            _ => skip(file, u64::from(size) + u64::from(size % 2))?,
        }
    }
}

/// Rate and channels of uncompressed 16-bit samples. The rate is an 80-bit float: an exponent, then
/// 64 bits of mantissa with an explicit leading one.
fn aiff_format(format: [u8; 18]) -> Option<(u32, usize)> {
    let short = |at: usize| u16::from_be_bytes([format[at], format[at + 1]]);
    let (channels, bits, exponent) = (short(0), short(6), short(8));
    let mantissa = u64::from_be_bytes(format[10..].try_into().ok()?);
    let shift = 63u32.checked_sub(u32::from(exponent).checked_sub(16_383)?)?;
    let rate = u32::try_from(mantissa >> shift).ok()?;
    (bits == 16 && u64::from(rate) << shift == mantissa).then_some((rate, channels.into()))
}

pub(super) fn bytes<const N: usize>(file: &mut impl Read) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn skip(file: &mut impl Seek, bytes: u64) -> Option<()> {
    file.seek(SeekFrom::Current(i64::try_from(bytes).ok()?)).ok().map(drop)
}

/// Reads until the block is full or the file ends.
pub(super) fn fill(file: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
