//! Writes properties into audio files. What is not submitted keeps its bytes where possible.

use std::io::{BufReader, Read, Seek, SeekFrom};

use lofty::aac::AacFile;
use lofty::ape::{ApeItem, ApeTag};
use lofty::config::{ParseOptions, WriteOptions};
use lofty::file::{AudioFile, FileType};
use lofty::iff::wav::WavFile;
use lofty::io::FileLike;
use lofty::mpeg::MpegFile;
use lofty::probe::Probe;
use lofty::tag::{ItemValue, TagExt, TagType};
use lofty::wavpack::WavPackFile;

use super::chunks::{self, Container};
use super::frames::{Frames, tag_size};
use super::{Property, TagError, common_key, generic, guard};

/// Both are common.
const ID3_CHUNKS: [[u8; 4]; 2] = [*b"ID3 ", *b"id3 "];

/// Sets `properties` in the file itself; pass a copy.
///
/// Keeps all other properties. Audio data may move but does not change. Tags of other kinds in the
/// same file, such as ID3v1 after ID3v2, get the same values.
pub fn embed<F: FileLike>(copy: &mut F, properties: &[Property<'_>]) -> Result<(), TagError> {
    guard::check(copy)?;
    copy.rewind().map_err(TagError::new)?;
    let mut magic = Vec::new();
    Read::by_ref(copy).take(4).read_to_end(&mut magic).map_err(TagError::new)?;
    if chunks::is_long_wav(&magic) {
        embed_id3_chunk(copy, Container::Wav, properties)?;
        return embed_info(copy, properties);
    }
    copy.rewind().map_err(TagError::new)?;
    let probe = Probe::new(BufReader::new(&mut *copy)).guess_file_type().map_err(TagError::new)?;
    let kind = probe.file_type();
    match kind {
        Some(FileType::Mpeg) => {
            let file: MpegFile = after_id3(copy)?;
            embed_id3(copy, properties)?;
            if let Some(tag) = file.ape() {
                embed_ape(copy, tag.clone(), &existing(properties))?;
            }
            embed_id3v1(copy, properties)
        }
        Some(FileType::Aac) => {
            let _: AacFile = after_id3(copy)?;
            embed_id3(copy, properties)?;
            embed_id3v1(copy, properties)
        }
        Some(FileType::Wav) => {
            let options = options().read_tags(false);
            copy.rewind().map_err(TagError::new)?;
            WavFile::read_from(&mut BufReader::new(&mut *copy), options).map_err(TagError::new)?;
            embed_id3_chunk(copy, Container::Wav, properties)?;
            embed_info(copy, properties)
        }
        Some(FileType::Aiff) => {
            // It is parsed first, for a damaged file must not change.
            let others = generic::others(copy)?;
            embed_id3_chunk(copy, Container::Aiff, properties)?;
            generic::embed_others(copy, others, properties)
        }
        Some(FileType::WavPack) => {
            let file: WavPackFile = parsed(copy)?;
            embed_ape(copy, file.ape().cloned().unwrap_or_default(), properties)?;
            embed_id3v1(copy, properties)
        }
        // The comments of FLAC have a writer of their own; these are tags that programs add to it.
        Some(FileType::Flac) => {
            if id3_size(copy, 0)?.is_some() {
                embed_id3(copy, &existing(properties))?;
            }
            embed_id3v1(copy, properties)
        }
        _ => generic::embed(copy, properties),
    }
}

/// Without conversions such as that of `TRACKNUMBER=3/12` into two comments.
fn options() -> ParseOptions {
    ParseOptions::new().implicit_conversions(false)
}

fn parsed<F: FileLike, T>(copy: &mut F) -> Result<T, TagError>
where
    T: AudioFile,
{
    copy.rewind().map_err(TagError::new)?;
    T::read_from(&mut BufReader::new(copy), options()).map_err(TagError::new)
}

/// Properties that are only set where the file has them.
fn existing<'a>(properties: &[Property<'a>]) -> Vec<Property<'a>> {
    properties.iter().map(|it| Property { only_existing: true, ..*it }).collect()
}

fn embed_ape<F: FileLike>(
    copy: &mut F,
    mut tag: ApeTag,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    let mut is_changed = false;
    for Property { name, value, only_existing } in properties {
        let key = common_key(name).and_then(|key| key.map_key(TagType::Ape)).unwrap_or(name);
        let is_found = [key, name].iter().any(|key| tag.get(key).is_some());
        if is_found || !only_existing {
            tag.remove(name);
            let value = ItemValue::Text((*value).to_owned());
            tag.insert(ApeItem::new(key.to_owned(), value).map_err(TagError::new)?);
            is_changed = true;
        }
    }
    if is_changed { save(copy, &tag) } else { Ok(()) }
}

fn save<F: FileLike, T: TagExt>(copy: &mut F, tag: &T) -> Result<(), TagError> {
    copy.rewind().map_err(TagError::new)?;
    tag.save_to(copy, WriteOptions::default()).map_err(TagError::new)
}

/// The size of the ID3v2 tag at this position.
fn id3_size<F: FileLike>(copy: &mut F, at: u64) -> Result<Option<u64>, TagError> {
    let mut header = Vec::new();
    copy.seek(SeekFrom::Start(at)).map_err(TagError::new)?;
    Read::by_ref(copy).take(10).read_to_end(&mut header).map_err(TagError::new)?;
    Ok(tag_size(&header))
}

/// Sets frames of the ID3v2 tags at the start of the file. There may be several in a row.
fn embed_id3<F: FileLike>(copy: &mut F, properties: &[Property<'_>]) -> Result<(), TagError> {
    let Some(mut size) = id3_size(copy, 0)? else {
        if generic::has_id3(copy) {
            return generic::embed_id3(copy, properties);
        }
        let new = edited_frames(Frames::empty(), properties)?;
        return chunks::splice(copy, 0..0, &new).map_err(TagError::new);
    };
    let mut at = 0;
    let others = existing(properties);
    loop {
        let mut tag = Vec::new();
        copy.seek(SeekFrom::Start(at)).map_err(TagError::new)?;
        Read::by_ref(copy).take(size).read_to_end(&mut tag).map_err(TagError::new)?;
        match Frames::parse(&tag) {
            Some(frames) => {
                let properties = if at == 0 { properties } else { &others };
                let new = edited_frames(frames, properties)?;
                chunks::splice(copy, at..at + size, &new).map_err(TagError::new)?;
                at += new.len() as u64;
            }
            None if at == 0 => return generic::embed_id3(copy, properties),
            None => at += size,
        }
        let Some(next) = id3_size(copy, at)? else { return Ok(()) };
        size = next;
    }
}

fn edited_frames(mut frames: Frames, properties: &[Property<'_>]) -> Result<Vec<u8>, TagError> {
    for property in properties {
        frames.set(property);
    }
    frames.bytes().ok_or_else(|| TagError::Damaged("the ID3v2 tag gets too long".to_owned()))
}

fn embed_id3_chunk<F: FileLike>(
    copy: &mut F,
    container: Container,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    let frames = match chunks::content(copy, container, &ID3_CHUNKS, b"")? {
        Some(tag) => Frames::parse(&tag),
        None => Some(Frames::empty()),
    };
    let Some(frames) = frames else { return generic::embed_id3(copy, properties) };
    let new = edited_frames(frames, properties)?;
    chunks::replace(copy, container, &ID3_CHUNKS, b"", &new)
}

/// Many programs read only this list of WAV files.
fn embed_info<F: FileLike>(copy: &mut F, properties: &[Property<'_>]) -> Result<(), TagError> {
    let values = properties.iter().filter_map(|Property { name, value, only_existing }| {
        let key = common_key(name)?.map_key(TagType::RiffInfo)?;
        Some((*key.as_bytes().first_chunk()?, *value, !only_existing))
    });
    let values: Vec<_> = values.collect();
    let old = chunks::content(copy, Container::Wav, &[*b"LIST"], b"INFO")?;
    let new = chunks::edited_info(old.as_deref().unwrap_or(b"INFO"), &values);
    let is_needed = old.is_some() || new.len() > 4;
    if !is_needed {
        return Ok(());
    }
    chunks::replace(copy, Container::Wav, &[*b"LIST"], b"INFO", &new)
}

/// Sets the fields of ID3v1 that have a value. Longer texts are cut.
fn embed_id3v1<F: FileLike>(copy: &mut F, properties: &[Property<'_>]) -> Result<(), TagError> {
    const SIZE: u64 = 128;
    let length = copy.seek(SeekFrom::End(0)).map_err(TagError::new)?;
    let Some(start) = length.checked_sub(SIZE) else { return Ok(()) };
    let mut tag = [0; SIZE as usize];
    copy.seek(SeekFrom::Start(start)).map_err(TagError::new)?;
    copy.read_exact(&mut tag).map_err(TagError::new)?;
    if !tag.starts_with(b"TAG") {
        return Ok(());
    }
    let has_track = tag[125] == 0 && tag[126] != 0;
    for Property { name, value, .. } in properties {
        let field = match *name {
            "TITLE" => &mut tag[3..33],
            "ARTIST" => &mut tag[33..63],
            "COMMENT" if has_track => &mut tag[97..125],
            "COMMENT" => &mut tag[97..127],
            _ => continue,
        };
        if field.iter().all(|byte| matches!(byte, 0 | b' ')) {
            continue;
        }
        let value = value.chars().map(|one| u8::try_from(one).unwrap_or(b'?'));
        for (byte, new) in field.iter_mut().zip(value.chain(std::iter::repeat(0))) {
            *byte = new;
        }
    }
    copy.seek(SeekFrom::Start(start)).map_err(TagError::new)?;
    copy.write_all(&tag).map_err(TagError::new)
}

/// Parses the file without its ID3v2 tags, whose frames may be unknown to the parser.
fn after_id3<F: FileLike, T>(copy: &mut F) -> Result<T, TagError>
where
    T: AudioFile,
{
    let mut start = 0;
    while let Some(size) = id3_size(copy, start)? {
        start += size;
    }
    copy.seek(SeekFrom::Start(start)).map_err(TagError::new)?;
    let rest = Rest { file: copy, start };
    T::read_from(&mut BufReader::new(rest), options()).map_err(TagError::new)
}

/// The file from `start` on.
struct Rest<'a, F> {
    file: &'a mut F,
    start: u64,
}

impl<F: Read> Read for Rest<'_, F> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.file.read(bytes)
    }
}

impl<F: Seek> Seek for Rest<'_, F> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let to = match to {
            SeekFrom::Start(position) => SeekFrom::Start(self.start.saturating_add(position)),
            relative => relative,
        };
        let position = self.file.seek(to)?;
        position.checked_sub(self.start).ok_or_else(|| std::io::ErrorKind::InvalidInput.into())
    }
}
