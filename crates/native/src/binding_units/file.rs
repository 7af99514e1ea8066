//! Data- and Instance-Code of a file that is read here, by the threads that hash it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::thread::available_parallelism;

use iscc_units::{Source, sum};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::bytes::{FileSum, POOL, file_sum};

/// Data- and Instance-Code of a file, on all cores. Each thread reads pieces of its own, of 1 MiB;
/// the file must not change meanwhile. The promise is rejected if it can't be read.
#[napi(catch_unwind, ts_return_type = "Promise<FileSum>")]
pub fn sum_file<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || file_sum(&sum_of(&path, &open(&path)?)?))
}

/// A file's first bytes, and what a pass over all of them gives.
#[napi(object)]
pub struct HeadAndSum {
    /// As many as asked for, or all of a shorter file.
    pub head: Buffer,
    /// Of the whole file.
    pub sum: FileSum,
}

/// Like `sumFile`, with the first `headBytes` of the file; `null` for one of more than `bytesMax`.
#[napi(catch_unwind, ts_return_type = "Promise<HeadAndSum | null>")]
pub fn head_and_sum_of_file<'env>(
    env: &'env Env,
    path: String,
    head_bytes: u32,
    bytes_max: f64,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let source = open(&path)?;
        if source.len() as f64 > bytes_max {
            return Ok(None);
        }
        let sum = file_sum(&sum_of(&path, &source)?)?;
        let mut head = vec![0; source.len().min(u64::from(head_bytes)) as usize];
        read_exact_at(&source.file, &mut head, 0).map_err(|error| unreadable(&path, &error))?;
        Ok(Some(HeadAndSum { head: head.into(), sum }))
    })
}

fn open(path: &str) -> Result<FileSource> {
    FileSource::open(path).map_err(|error| unreadable(path, &error))
}

fn sum_of(path: &str, source: &FileSource) -> Result<sum::Sum> {
    let threads = available_parallelism().map_or(1, Into::into);
    sum::digest_parallel(source, threads).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &io::Error) -> Error {
    Error::from_reason(format!("{path}: {error}"))
}

/// A file as it is when it is opened: bytes added later are left out, missing ones are an error.
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
        // Only grown: what is in it is overwritten anyway.
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
