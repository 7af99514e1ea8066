//! Files written past the page cache (`O_DIRECT`), which takes half of the CPU time of buffered writes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Memory, position and length of a direct write are multiples of this: the block size of every disk.
#[cfg(target_os = "linux")]
const ALIGNMENT: usize = 4096;

/// Creates a file with these bytes, which are not synced. Without `direct`, or where the file system or the memory does
/// not permit direct writes, the bytes are written through the page cache.
pub fn create(path: &Path, bytes: &[u8], direct: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = if direct { write_directly(&mut file, bytes)? } else { 0 };
    file.write_all(&bytes[written..])?;
    Ok(file)
}

/// Writes the whole blocks at the start of `bytes`, if possible. Returns the number of written bytes.
#[cfg(target_os = "linux")]
fn write_directly(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let blocks = &bytes[..bytes.len() - bytes.len() % ALIGNMENT];
    if blocks.is_empty() || !bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return Ok(0);
    }
    let flags = fcntl_getfl(&*file)?;
    if fcntl_setfl(&*file, flags | OFlags::DIRECT).is_err() {
        return Ok(0);
    }
    let written = match file.write(blocks) {
        // A disk with larger blocks, or a disk that is almost full. The rest is written through the page cache.
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(0),
        Err(error) => Err(error),
    };
    fcntl_setfl(&*file, flags)?;
    written
}

#[cfg(not(target_os = "linux"))]
fn write_directly(_file: &mut File, _bytes: &[u8]) -> io::Result<usize> {
    Ok(0)
}
