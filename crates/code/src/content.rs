//! The result of a file: its type, the codes of its bytes, and those of its content.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use iscc_codec::IsccCode;
use iscc_content::UNIT_BITS;
use iscc_content::picture;
use iscc_content::sum::{self, SumCodes};
use iscc_content::text::{self, TextContent, TextOptions};
use iscc_content::title::{self, Fields};
use iscc_image::{Loss, Options as ImageOptions};
use iscc_media::MediaError;
use iscc_media::mediatype::{self, Mode, Sniffed};
use iscc_media::metadata::Metadata;
use iscc_units::Compat;
use iscc_units::sum::SumHasher;

use crate::cost::check_boxes;
use crate::decoded::{Content, THUMBNAIL_SIDE_PIXELS, content_unit, data_url, thumbnail_of_file};
use crate::failure::{Refusal, internal};
use crate::film;
use crate::heif;
use crate::job::{Given, Job, Options};
use crate::result::{Facts, FeatureSet, Result as Output, Shown, TypedFile};
use crate::sound;

/// How many bytes of a file are enough to detect its media type.
const HEAD_BYTES: usize = 16 << 10;
const PIECE_BYTES: usize = 1 << 20;

/// Recognised types without a decoder.
const UNREADABLE: &str = "application/postscript";
/// Image types with a decoder.
const IMAGES: [&str; 12] = [
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/jp2",
    "image/jpeg",
    "image/jpx",
    "image/png",
    "image/svg+xml",
    "image/tiff",
    "image/vnd.adobe.photoshop",
    "image/webp",
];

/// Sound in a container of films has the media type of the container's variant for sound.
const SOUND_TYPES: [(&str, &str); 10] = [
    ("video/mp4", "audio/mp4"),
    ("video/x-m4v", "audio/mp4"),
    ("video/quicktime", "audio/mp4"),
    ("video/3gpp", "audio/3gpp"),
    ("video/3gpp2", "audio/3gpp2"),
    ("video/webm", "audio/webm"),
    ("video/x-matroska", "audio/x-matroska"),
    ("video/ogg", "audio/ogg"),
    ("video/x-ms-asf", "audio/x-ms-wma"),
    ("video/x-ms-wmv", "audio/x-ms-wma"),
];

/// The result of a file.
pub fn result(job: &Job) -> Result<Output, Refusal> {
    let path = job.path();
    let filename = title::sanitized(&job.filename);
    if filename.is_empty() {
        let rule = "Bad Request - The file name has no character that file systems allow.";
        return Err(Refusal::new("FILENAME_EMPTY", rule));
    }
    let (head, sum) = head_and_sum(&path)?;
    let found = mediatype::inspect(&head, &filename);
    let mode = found.mode.filter(|mode| is_readable(*mode, found.mediatype));
    let mut file = TypedFile { filename, mediatype: found.mediatype, mode };
    if sum.filesize == 0 && job.options.content {
        return Err(Refusal::of_file("FILE_EMPTY"));
    }
    match mode {
        Some(mode) if job.options.content => {
            let deadline = Instant::now() + job.time_limit();
            let (content, is_sound) = content(&path, mode, file.mediatype, job, deadline)?;
            if is_sound {
                let variant = SOUND_TYPES.iter().find(|(film, _)| *film == file.mediatype);
                file.mediatype = variant.map_or(file.mediatype, |(_, sound)| sound);
                file.mode = Some(Mode::Audio);
            }
            composed(file, sum, content, job)
        }
        _ => Ok(sum_only(file, sum, &job.given)),
    }
}

/// A file without Content-Code.
fn sum_only(file: TypedFile, sum: SumCodes, given: &Given) -> Output {
    let given = [("name", &given.name), ("description", &given.description), ("meta", &given.meta)];
    let given = given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let shown = Shown { metadata: given.collect(), ..Shown::default() };
    Output::new(file, sum.iscc.clone(), sum.units.to_vec(), sum, shown)
}

fn composed(
    file: TypedFile,
    sum: SumCodes,
    content: Content,
    job: &Job,
) -> Result<Output, Refusal> {
    let Content { unit, metadata, mut facts, features, thumbnail, note } = content;
    let Given { name, description, meta } = job.given.clone();
    let given = title::Given { name, description, meta };
    let read = if job.options.metadata { metadata } else { Fields::new() };
    let titled = title::titled(&file.filename, read, &given)
        .map_err(|error| Refusal::new("PROCESSING_FAILED", error.to_string()))?;
    let mut units = vec![titled.unit, unit];
    units.extend(sum.units.iter().cloned());
    let texts: Vec<&str> = units.iter().map(String::as_str).collect();
    let iscc = IsccCode::compose_text(&texts, true).map_err(internal)?.to_string();
    facts.language = facts.language.filter(|language| language.len() <= title::FIELD_BYTES_MAX);
    let (metadata, metahash) = (titled.metadata, Some(titled.metahash));
    let shown = Shown { metadata, facts, features, thumbnail, metahash, note };
    Ok(Output::new(file, iscc, units, sum, shown))
}

fn is_readable(mode: Mode, mediatype: &str) -> bool {
    mediatype != UNREADABLE && (mode != Mode::Image || IMAGES.contains(&mediatype))
}

/// What a decoder reads, and whether a film has sound only.
fn content(
    path: &Path,
    mode: Mode,
    mediatype: &str,
    job: &Job,
    deadline: Instant,
) -> Result<(Content, bool), Refusal> {
    let options = &job.options;
    let of_type = |content| (content, false);
    match (mode, mediatype) {
        (_, "application/pdf") => Err(Refusal::without_decoder("PDF")),
        (Mode::Text, _) => document(path, mediatype, options).map(of_type),
        (Mode::Image, _) => image(path, mediatype, options, deadline).map(of_type),
        (Mode::Audio, _) => {
            check_boxes(&mut File::open(path)?, mediatype)?;
            sound::content(path, options.thumbnail, deadline).map(of_type)
        }
        (Mode::Video, _) => {
            check_boxes(&mut File::open(path)?, mediatype)?;
            film::content(path, mediatype, options.thumbnail, deadline)
        }
    }
}

fn document(path: &Path, mediatype: &str, options: &Options) -> Result<Content, Refusal> {
    let wanted = TextOptions { granular: options.granular, ..TextOptions::default() };
    let content = text::content(fs::read(path)?, mediatype, &wanted)?;
    let TextContent { digest, characters, features, metadata, coded, cover, pdfs, .. } = content;
    if !pdfs.is_empty() {
        return Err(Refusal::without_decoder("PDFs in documents"));
    }
    let (metadata, language) = fields(metadata);
    Ok(Content {
        unit: content_unit(iscc_codec::Mode::Text, &digest)?,
        metadata,
        facts: Facts { characters: Some(characters), language, ..Facts::default() },
        features: features.map(FeatureSet::from),
        // A failing cover does not fail the book.
        thumbnail: cover.filter(|_| options.thumbnail).and_then(|cover| thumbnail_of_file(&cover)),
        note: coded.map(|_| CHARACTERS_REPLACED),
    })
}

fn image(
    path: &Path,
    mediatype: &str,
    options: &Options,
    deadline: Instant,
) -> Result<Content, Refusal> {
    let bytes = fs::read(path)?;
    let file = Sniffed::new(&bytes);
    let raster = match iscc_image::decode(&file, &ImageOptions::default()) {
        Err(MediaError::NoDecoder(_)) if matches!(mediatype, "image/heic" | "image/avif") => {
            heif::raster(&bytes, deadline)?
        }
        decoded => decoded?,
    };
    let picture = picture::content(&raster, &file, Compat::default());
    let (metadata, language) = fields(picture.metadata);
    let (width, height) = (Some(picture.width), Some(picture.height));
    let thumbnail =
        options.thumbnail.then(|| iscc_image::thumbnail(&raster, THUMBNAIL_SIDE_PIXELS)).flatten();
    Ok(Content {
        unit: content_unit(iscc_codec::Mode::Image, &picture.digest)?,
        metadata,
        facts: Facts { width, height, language, ..Facts::default() },
        features: None,
        thumbnail: thumbnail.map(|webp| data_url(&webp)),
        note: picture.loss.map(note_of),
    })
}

/// A note of `src/services/codes/pipeline/notes.ts`, as those of [`note_of`].
const CHARACTERS_REPLACED: &str = "CHARACTERS_REPLACED: The Text-Code is made as by iscc-sdk, which replaces characters beyond U+FFFF, such as emoji. \
     Simprints and the extracted text have them, with compat=better also the code.";

/// The notes of `src/services/codes/pipeline/notes.ts`.
fn note_of(loss: Loss) -> &'static str {
    match loss {
        Loss::Depth => {
            "DEPTH_CLIPPED: The Image-Code is made as by iscc-sdk, which turns gray levels of more than 8 bits white or \
             black. With compat=better it has all levels, and does not match codes of iscc-sdk."
        }
        Loss::End => {
            "END_MISSING: The end of the file is missing. The Image-Code is made from the pixels that are there."
        }
    }
}

/// The language belongs to the content, the other fields to the file.
fn fields(metadata: Metadata) -> (Fields, Option<String>) {
    let mut fields: Fields = metadata.into_fields().collect();
    let language = fields.remove("language");
    (fields, language)
}

/// The first bytes of a file, and the codes of all.
fn head_and_sum(path: &Path) -> Result<(Vec<u8>, SumCodes), Refusal> {
    let mut file = File::open(path)?;
    let mut hasher = SumHasher::new();
    let mut head = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
        let missing = HEAD_BYTES.saturating_sub(head.len()).min(length);
        head.extend_from_slice(&piece[..missing]);
    }
    let codes = sum::codes(&hasher.finish(), UNIT_BITS, true).map_err(internal)?;
    Ok((head, codes))
}
