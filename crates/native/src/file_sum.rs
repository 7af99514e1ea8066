//! Data- and Instance-Code of a file that is read here, by the threads that hash it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::thread::available_parallelism;

use iscc_units::{Source, sum};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::units::{POOL, file_sum};

/// Data- and Instance-Code of a file, on all cores. Each thread reads pieces of its own, of 1 MiB;
/// the file must not change meanwhile. The promise is rejected if it can't be read.
#[napi(catch_unwind, ts_return_type = "Promise<FileSum>")]
pub fn sum_file<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let unreadable = |error: io::Error| Error::from_reason(format!("{path}: {error}"));
        let source = FileSource::open(&path).map_err(unreadable)?;
        let threads = available_parallelism().map_or(1, Into::into);
        file_sum(&sum::digest_parallel(&source, threads).map_err(unreadable)?)
    })
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
