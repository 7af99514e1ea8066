//! Fingerprints of common audio files, decoded in process: 16-bit WAV and AIFF, FLAC, and intact
//! MP3. This is faster than starting FFmpeg, which decodes all other files.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::mpsc;
use std::{mem, thread};

use multiversion::multiversion;

use super::Fingerprinter;
use super::flac;
use super::mp3;
use super::resample::Resampler;
use super::sample::Sample;

/// A file, or its bytes in memory.
pub trait Source: Read + Seek + Send {}

impl<R: Read + Seek + Send> Source for R {}

/// The fingerprint of a whole file, as from [`Fingerprinter::finish`]. `None` for files that this
/// module cannot decode to the end.
///
/// The type of the source is erased, so that the decoders are compiled with the optimisations of
/// this crate, not with those of the caller's.
pub fn fingerprint(file: &mut dyn Source) -> Option<Vec<i32>> {
    let mut magic = [0; 12];
    file.read_exact(&mut magic).ok()?;
    match (&magic[..4], &magic[8..]) {
        (b"RIFF", b"WAVE") => pcm(file, wav_samples),
        (b"FORM", b"AIFF") => pcm(file, aiff_samples),
        (b"fLaC", _) => {
            file.seek(SeekFrom::Start(4)).ok()?;
            flac(file)
        }
        ([b'I', b'D', b'3', _], _) => mp3(file),
        // Eleven synchronisation bits, then layer III.
        ([0xff, second, ..], _) if second & 0xe6 == 0xe2 => mp3(file),
        _ => None,
    }
}

/// Frames that are decoded at a time.
const BLOCK_FRAMES: usize = 16_384;

/// Description of uncompressed samples that follow in the file.
struct PcmSamples {
    rate_hz: u32,
    channels: usize,
    bytes: u64,
    order: ByteOrder,
}

#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

fn pcm(
    mut file: &mut dyn Source,
    find: fn(&mut dyn Source) -> Option<PcmSamples>,
) -> Option<Vec<i32>> {
    let PcmSamples { rate_hz, channels, bytes, order } = find(file)?;
    let mut stream = Stream::<i16>::new(rate_hz, channels)?;
    let mut rest = (&mut file).take(bytes);
    let mut block = vec![0; BLOCK_FRAMES * channels * 2];
    let mut samples = Vec::new();
    loop {
        let filled = fill(&mut rest, &mut block).ok()?;
        let pairs = block[..filled].as_chunks().0.iter().copied();
        samples.clear();
        // A loop for each order: a call for each sample would take longer than its conversion.
        match order {
            ByteOrder::Little => samples.extend(pairs.map(i16::from_le_bytes)),
            ByteOrder::Big => samples.extend(pairs.map(i16::from_be_bytes)),
        }
        stream.push_interleaved(&samples);
        if filled < block.len() {
            return Some(stream.finish());
        }
    }
}

fn flac(file: &mut dyn Source) -> Option<Vec<i32>> {
    let info = flac::stream_info(file)?;
    let mut stream = Stream::<i16>::new(info.rate_hz, info.channels)?;
    let decode = |send: &mut dyn FnMut([Vec<i16>; 2]) -> Option<()>| {
        let mut block = [Vec::new(), Vec::new()];
        flac::frames(file, info, |frame| {
            for (samples, channel) in frame.channels.iter().zip(&mut block) {
                channel.extend(samples.iter().map(|sample| *sample as i16));
            }
            if block[0].len() < BLOCK_FRAMES { Some(()) } else { send(mem::take(&mut block)) }
        })?;
        send(block)
    };
    beside(decode, |block| {
        for (samples, channel) in block.iter().zip(&mut stream.channels) {
            channel.push(samples.iter().copied());
        }
        stream.mix();
    })?;
    Some(stream.finish())
}

fn mp3(mut file: &mut dyn Source) -> Option<Vec<i32>> {
    mp3::check(&mut file)?;
    file.rewind().ok()?;
    let options = nanomp3::Options::default().skip_scan(true);
    let mut reader = nanomp3::Reader::<_, f32>::with_options(file, options).ok()?;
    let channels = usize::from(reader.channels()?.num());
    let mut stream = Stream::<f32>::new(reader.sample_rate(), channels)?;
    // On this thread: the decoder takes most of the time, so a second one would gain little.
    let mut block = vec![0.0; BLOCK_FRAMES * channels];
    loop {
        match reader.read(&mut block).ok()? {
            0 => return Some(stream.finish()),
            read => stream.push_interleaved(&block[..read]),
        }
    }
}

/// Blocks that are decoded and wait.
const BLOCKS_AHEAD: usize = 4;

/// Decodes blocks on a thread of its own while this one takes them. `None` if the decoder gives up.
fn beside<T: Send>(
    decode: impl FnOnce(&mut dyn FnMut(T) -> Option<()>) -> Option<()> + Send,
    take: impl FnMut(T),
) -> Option<()> {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(BLOCKS_AHEAD);
        let decode = move || decode(&mut |block| sender.send(block).ok());
        let decoder = thread::Builder::new().spawn_scoped(scope, decode).ok()?;
        receiver.into_iter().for_each(take);
        decoder.join().ok()?
    })
}

/// Computes the fingerprint of samples of one or two channels.
struct Stream<S: Sample> {
    channels: Vec<Channel<S>>,
    fingerprinter: Fingerprinter,
}

struct Channel<S: Sample> {
    resampler: Resampler<S>,
    output: Vec<S>,
}

impl<S: Sample> Channel<S> {
    fn push(&mut self, samples: impl Iterator<Item = S>) {
        self.resampler.push(samples, &mut self.output);
    }
}

impl<S: Sample> Stream<S> {
    fn new(rate_hz: u32, channels: usize) -> Option<Self> {
        if !(1..=2).contains(&channels) {
            return None;
        }
        let channel = || Some(Channel { resampler: Resampler::new(rate_hz)?, output: Vec::new() });
        let channels = (0..channels).map(|_| channel()).collect::<Option<Vec<_>>>()?;
        Some(Self { channels, fingerprinter: Fingerprinter::new() })
    }

    /// Adds samples, one of each channel after the other. An incomplete frame at the end is ignored.
    fn push_interleaved(&mut self, samples: &[S]) {
        match self.channels.as_mut_slice() {
            [left, right] => {
                let frames = samples.as_chunks().0.iter();
                left.push(frames.clone().map(|[left, _]| *left));
                right.push(frames.map(|[_, right]| *right));
            }
            channels => channels.iter_mut().for_each(|one| one.push(samples.iter().copied())),
        }
        self.mix();
    }

    /// Mixes resampled channels and moves them to the fingerprinter. Mixing comes after resampling,
    /// as in FFmpeg.
    fn mix(&mut self) {
        let Self { channels, fingerprinter } = self;
        let mut mono = Vec::new();
        match channels.as_slice() {
            [left, right] => add_mixed(&left.output, &right.output, &mut mono),
            channels => channels.iter().for_each(|one| add_mono(&one.output, &mut mono)),
        }
        fingerprinter.push(&mono);
        channels.iter_mut().for_each(|channel| channel.output.clear());
    }

    fn finish(mut self) -> Vec<i32> {
        for Channel { resampler, output } in &mut self.channels {
            resampler.finish(output);
        }
        self.mix();
        self.fingerprinter.finish()
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn add_mixed<S: Sample>(left: &[S], right: &[S], mono: &mut Vec<i16>) {
    mono.extend(left.iter().zip(right).map(|(left, right)| S::mixed(*left, *right).to_i16()));
}

#[multiversion(targets("x86_64+avx2"))]
fn add_mono<S: Sample>(samples: &[S], mono: &mut Vec<i16>) {
    mono.extend(samples.iter().map(|sample| sample.to_i16()));
}

/// Moves the reader to the samples of a WAV file.
fn wav_samples(file: &mut dyn Source) -> Option<PcmSamples> {
    let mut format = None;
    loop {
        let [header @ .., a, b, c, d] = bytes::<8>(file)?;
        let size = u32::from_le_bytes([a, b, c, d]);
        match (&header, format) {
            (b"fmt ", _) if size >= 16 => {
                let (found, read) = wav_format(file, size)?;
                format = Some(found);
                skip(file, u64::from(size) - read + u64::from(size % 2))?;
            }
            // Writers that cannot seek leave one of these sizes.
            (b"data", Some(_)) if size == 0 || size == u32::MAX => return None,
            (b"data", Some((rate_hz, channels))) => {
                let order = ByteOrder::Little;
                return Some(PcmSamples { rate_hz, channels, bytes: size.into(), order });
            }
            (b"data", None) => return None,
            _ => skip(file, u64::from(size) + u64::from(size % 2))?,
        }
    }
}

/// Rate and channels of uncompressed 16-bit samples, and how many bytes say so.
fn wav_format(file: &mut dyn Source, size: u32) -> Option<((u32, usize), u64)> {
    let format = bytes::<16>(file)?;
    let short = |at: usize| u16::from_le_bytes([format[at], format[at + 1]]);
    let rate = u32::from_le_bytes([format[4], format[5], format[6], format[7]]);
    let (kind, channels, frame_bytes, bits) = (short(0), short(2), short(12), short(14));
    (bits == 16 && frame_bytes == channels * 2).then_some(())?;
    let found = (rate, channels.into());
    match kind {
        PCM => Some((found, 16)),
        // Above 48 kHz writers use this form. It says what the channels are: left and right, or center.
        EXTENSIBLE if size >= 40 => {
            let more = bytes::<24>(file)?;
            let places = if channels == 2 { 3 } else { 4 };
            (more[2..] == [&[16, 0, places, 0, 0, 0, PCM as u8, 0], PCM_FORMAT].concat())
                .then_some((found, 40))
        }
        _ => None,
    }
}

const PCM: u16 = 1;
const EXTENSIBLE: u16 = 0xfffe;
/// The rest of the identifier of PCM.
const PCM_FORMAT: &[u8] = &[0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

/// Moves the reader to the samples of an AIFF file.
fn aiff_samples(file: &mut dyn Source) -> Option<PcmSamples> {
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
                return Some(PcmSamples { rate_hz, channels, bytes, order: ByteOrder::Big });
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

pub(super) fn bytes<const N: usize>(file: &mut (impl Read + ?Sized)) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn skip(file: &mut (impl Seek + ?Sized), bytes: u64) -> Option<()> {
    file.seek(SeekFrom::Current(i64::try_from(bytes).ok()?)).ok().map(drop)
}

/// Reads until the block is full or the file ends.
pub(super) fn fill(file: &mut (impl Read + ?Sized), block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
