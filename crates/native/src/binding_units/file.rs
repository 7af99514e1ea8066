//! Data- and Instance-Code of a file. The threads that hash it also read it.

use std::fs::File;
use std::io;
use std::ops::Range;

use iscc_units::{Source, sum};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::bytes::{FileSum, file_sum};
use crate::error::{NativeError, Result};
use crate::runtime::{CPU, cores};

/// Data- and Instance-Code of a file, on all cores. Each thread reads its own pieces of 1 MiB; the
/// file must not change meanwhile. Rejects with `IO` if it cannot be read.
#[napi(catch_unwind, ts_return_type = "Promise<FileSum>")]
pub fn sum_file<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    CPU.run(env, move || file_sum(&sum_of(&path, &open(&path)?)?))
}

/// The first bytes of a file, and the codes of all its bytes.
#[napi(object)]
pub struct HeadAndSum {
    /// As many bytes as the call specified, or the whole of a shorter file.
    pub head: Buffer,
    /// Codes of the whole file.
    pub sum: FileSum,
}

/// Like `sumFile`, with the first `headBytes` of the file. Resolves to `null` for a file larger
/// than `bytesMax`.
#[napi(catch_unwind, ts_return_type = "Promise<HeadAndSum | null>")]
pub fn head_and_sum_of_file<'env>(
    env: &'env Env,
    path: String,
    head_bytes: u32,
    bytes_max: f64,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let source = open(&path)?;
        if source.len() as f64 > bytes_max {
            return Ok(None);
        }
        let sum = file_sum(&sum_of(&path, &source)?)?;
        let mut head = vec![0; source.len().min(u64::from(head_bytes)) as usize];
        read_exact_at(&source.file, &mut head, 0)
            .map_err(|error| NativeError::io(&path, &error))?;
        Ok(Some(HeadAndSum { head: head.into(), sum }))
    })
}

fn open(path: &str) -> Result<FileSource> {
    FileSource::open(path).map_err(|error| NativeError::io(path, &error))
}

fn sum_of(path: &str, source: &FileSource) -> Result<sum::Sum> {
    sum::digest_parallel(source, cores()).map_err(|error| NativeError::io(path, &error))
}

/// A file with the length it had when it was opened: bytes added later are ignored, missing ones
/// are an error.
struct FileSource {
    file: File,
    length: u64,
}

impl FileSource {
    fn open(path: &str) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(Self { length: metadata.len(), file })
    }
}

impl Source for FileSource {
    type Error = io::Error;

    fn len(&self) -> u64 {
        self.length
    }

    fn read<'a>(&'a self, range: Range<u64>, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        // The buffer only grows; the read overwrites its contents.
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        let bytes = &mut buffer[..length];
        read_exact_at(&self.file, bytes, range.start)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}
